"""A right revoked while a pipeline runs also covers what the run emitted before (spec SEC-5)."""

import asyncio
import json
import logging
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.core.access import Action, Principal
from jupyter_colophon.core.identity.names import make_home_dataset_urn
from jupyter_colophon.http.state import SETTING
from jupyter_colophon.service.changes.inbox import ProposalInbox
from jupyter_server.auth.identity import User

pytest.importorskip("pyspark")
STAFF = make_home_dataset_urn("sales", "staff")
STAGES = [
    {"name": "rows", "type": "source", "plugin": "file", "properties": {"path": "rows.csv", "format": "csv"}},
    {"name": "out", "type": "sink", "plugin": "file", "properties": {"path": "out"}},
    {
        "name": "said",
        "type": "action",
        "plugin": "set-metadata",
        "properties": {"dataset": "sales.staff", "properties": {"owner": "CANARY-ops"}, "tags": ["copied"]},
    },
]
PIPELINE = {
    "name": "copies",
    "display_name": "Copies",
    "schema_name": "pipeline",
    "metadata": {
        "namespace": "sales",
        "stages": STAGES,
        "connections": [{"from": "rows", "to": "out"}, {"from": "out", "to": "said"}],
    },
}


class ReadsAndEmits:
    """An authorizer that no longer allows writes of user metadata."""

    def may(self, principal: Principal, action: Action, namespace: str) -> bool:
        return action != "annotate"


async def test_emitted_metadata_is_authorized_again_when_applied(
    api: Any, jp_serverapp: Any, jp_http_port: int, jp_base_url: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint = jp_serverapp.web_app.settings[SETTING]
    catalog = endpoint.get_or_open_catalog()
    catalog.inbox.stop_thread()
    (tmp_path / "rows.csv").write_text("1,a\n")
    (tmp_path / "copies.json").write_text(json.dumps(PIPELINE))
    known = {
        "COLOPHON_URL": f"http://127.0.0.1:{jp_http_port}{jp_base_url}",
        "COLOPHON_TOKEN": endpoint.tokens.issue_token_and_revoke_earlier("kernel-1", User("bob"), "bob"),
        "COLOPHON_OUTBOX": str(tmp_path / "outbox"),
        "JUPYTER_DATA_DIR": str(tmp_path / "data"),
    }
    words = ("pipeline", "run", "copies.json", "--conf=spark.master=local[1]", "--json")
    environment = {name: text for name, text in os.environ.items() if not name.startswith("JUPYTER_")}
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "jupyter_colophon.cli", *words),
        cwd=tmp_path,
        env=environment | known,
        stdout=asyncio.subprocess.PIPE,
    )
    outcome = json.loads((await process.communicate())[0])
    assert (outcome["status"], outcome["waiting"], outcome["dropped"]) == ("succeeded", 0, 0)
    inbox = ProposalInbox(
        catalog.provider, replace(catalog.write_path, authorizer=ReadsAndEmits()), catalog.write_path.now
    )
    with caplog.at_level(logging.DEBUG, "jupyter_colophon"):
        inbox.start_applying_in_background()
        while (await api("GET", "health", answers="health")).body["inbox"]["pending"]:
            await asyncio.sleep(0.01)
    inbox.stop_thread()
    # There is no other user metadata of it either.
    assert (await api("GET", "entities", str(STAFF), "metadata")).status == 404
    lines = [one.getMessage() for one in caplog.records if one.levelname == "WARNING" and "refused" in one.getMessage()]
    assert lines
    assert all("of bob" in line and f"run {outcome['run']}" in line for line in lines)
    assert "CANARY" not in caplog.text
    # System metadata are still written: the run, and the schema of its output.
    run = (await api("GET", "runs", outcome["run"], answers="run")).body
    assert (run["status"], run["actor"]) == ("succeeded", "bob")
    written = next(one["data"] for one in run["accesses"] if one["mode"] == "write")
    schema = await api("GET", "entities", written, "aspects", "schemaMetadata", answers="aspect")
    assert [one["fieldPath"] for one in schema.body["value"]["fields"]] == ["_c0", "_c1"]
