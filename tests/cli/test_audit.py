"""The audit from the command line."""

import json
import sqlite3
from pathlib import Path
from typing import Any

from support.commands import Commands

ON = "--Colophon.audit=on"


def test_entries_are_listed_exported_and_verified(colophon: Commands, database: Path, tmp_path: Path) -> None:
    for command in (
        ("namespace", "create", "sales"),
        ("set", "sales.orders", "owner=ops"),
        ("tag", "sales.orders", "confidential"),
        ("show", "sales.orders"),
    ):
        assert colophon(*command, ON).status == 0
    entries: list[dict[str, Any]] = colophon("audit", "list", "--entity=sales.orders", "--json").answer["entries"]
    assert {entry["action"] for entry in entries} == {"read", "change"}
    assert colophon("audit", "list", "--program=urn:li:x:y", "--run=urn:li:x:z", "--json").answer["entries"] == []
    table = colophon("audit", "list", "--action=read", "--limit=1").out
    assert ("read" in table, "change" in table) == (True, False)
    file = tmp_path / "audit.jsonl"
    assert colophon("audit", "export", str(file), "--outcome=allowed").status == 0
    assert [json.loads(line) for line in file.read_text().splitlines()] == entries
    sound = colophon("audit", "verify", "--json")
    assert (sound.status, sound.answer["entries"], sound.answer["problems"]) == (0, len(entries), [])
    with sqlite3.connect(database) as connection:
        connection.execute("UPDATE audit_entries SET urn = 'other' WHERE seq = 1")
    connection.close()
    assert colophon("audit", "verify").status == 1
    # The check of the whole catalog finds it too.
    assert "the audit" in colophon("verify").out
