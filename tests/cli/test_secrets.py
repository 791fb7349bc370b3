"""Secrets of namespaces from the command line: values are read from standard input, and never shown."""

from pathlib import Path

from support.commands import Commands

CANARY = "hunter2-CANARY"


def test_secret_is_put_listed_and_deleted(colophon: Commands, database: Path, tmp_path: Path) -> None:
    assert colophon("namespace", "create", "lab").status == 0
    (tmp_path / "value").write_text(f"{CANARY}\n")
    put = Commands(colophon.home, database, before=("sh", "-c", f'exec "$@" < {tmp_path / "value"}', "sh"))(
        "secrets", "put", "lab", "warehouse", "--description=Of the warehouse"
    )
    assert (put.status, put.out) == (0, "Secret warehouse stored.\n")
    listed = colophon("secrets", "list", "lab")
    assert "warehouse" in listed.out
    assert "Of the warehouse" in listed.out
    assert CANARY not in listed.out
    (stored,) = (colophon.home / "data" / "colophon").glob("secrets.json")
    assert f'"{CANARY}"' in stored.read_text()
    assert colophon("secrets", "delete", "lab", "warehouse").out == "Secret warehouse deleted.\n"
    assert colophon("secrets", "list", "lab", "--json").answer == {"secrets": []}
    assert CANARY not in stored.read_text()
    missing = colophon("secrets", "delete", "lab", "warehouse")
    assert (missing.status, "secret 'warehouse of the namespace lab' not found" in missing.err) == (1, True)
