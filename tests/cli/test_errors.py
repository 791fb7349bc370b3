"""A command that fails prints one line with the reason, and creates nothing."""

import base64
import gzip
import hashlib
import json
import os
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from jupyter_colophon.core.store import StorageChoice
from support.catalog import open_catalog_file, write_metadata
from support.commands import CommandResult, Commands
from support.postgres import create_store_in_schema, get_or_start_server
from support.stores import STORES
from support.urns import ORDERS

HALF = "jupyter colophon: a restore into this store did not finish: move the store away and restore again\n"


@pytest.fixture
def backup(colophon: Commands, tmp_path: Path) -> Path:
    """A backup of the catalog."""
    path = tmp_path / "backup.gz"
    assert colophon("backup", str(path)).status == 0
    return path


@pytest.fixture
def schema() -> Iterator[StorageChoice]:
    """A schema that does not exist."""
    with create_store_in_schema() as choice:
        yield choice


def _in(colophon: Commands, store: StorageChoice, *command: str) -> CommandResult:
    """Run a command on a store that is set in the config file."""
    config = colophon.home / "config" / "jupyter_server_config.py"
    config.parent.mkdir(exist_ok=True)
    config.write_text(
        f"c.Colophon.storage_provider = {store.provider!r}\nc.Colophon.storage_options = {dict(store.options)!r}\n"
    )
    return colophon.run(*command)


def _schemas(store: StorageChoice) -> list[str]:
    with psycopg.connect(store.options["dsn"]) as connection:
        rows = connection.execute("SELECT nspname FROM pg_namespace WHERE nspname = %s", (store.options["schema"],))
        return [name for (name,) in rows]


@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_commands_refuse_incomplete_restore(colophon: Commands, backup: Path, tmp_path: Path, store: str) -> None:
    with STORES[store](tmp_path) as choice:
        assert _in(colophon, choice, "restore", str(backup)).status == 0
        _stop_half_way(choice)
        other = str(tmp_path / "other.gz")
        for command in (["verify"], ["reindex"], ["compact"], ["backup", other], ["restore", str(backup)]):
            done = _in(colophon, choice, *command)
            assert (done.status, done.out, done.err) == (1, "", HALF), command
        result = _in(colophon, choice, "doctor", "--json")
        bad = [one for one in result.answer["checks"] if one["status"] == "bad"]
        assert (result.status, len(bad)) == (1, 1)
        assert "did not finish" in bad[0]["detail"]
        assert not Path(other).exists()


def test_restore_is_repeated_after_full_disk(colophon: Commands, database: Path, tmp_path: Path) -> None:
    catalog = open_catalog_file(database)
    for number in range(40):
        write_metadata(
            catalog, ORDERS, {"note": "".join(chr(0x4E00 + (number * 7919 + at) % 9000) for at in range(9000))}
        )
    catalog.close()
    backup, new = tmp_path / "backup.gz", tmp_path / "new.db"
    assert colophon("backup", str(backup)).status == 0
    short = replace(colophon, before=("prlimit", "--fsize=700000"))("restore", str(backup), database=new)
    assert (short.status, short.err) == (1, "jupyter colophon: no space left for the catalog\n")
    for command in (["verify"], ["search", "x"], ["restore", str(backup)]):
        assert colophon(*command, database=new).err == HALF
    new.rename(tmp_path / "half.db")
    assert colophon("restore", str(backup), database=new).status == 0
    assert colophon("verify", database=new).out == "no problems found\n"


def _stop_half_way(store: StorageChoice) -> None:
    """Mark the store like a killed restore."""
    if store.provider == "postgresql":
        get_or_start_server().execute(
            f"INSERT INTO {store.options['schema']}.settings (name, value) VALUES ('restoring', '')"
        )
        return
    with sqlite3.connect(store.options["path"]) as connection:
        connection.execute("INSERT INTO settings (name, value) VALUES ('restoring', x'')")
    connection.close()


def test_missing_schema_is_reported_and_not_created(colophon: Commands, tmp_path: Path, schema: StorageChoice) -> None:
    for command in (
        ["verify"],
        ["reindex"],
        ["compact"],
        ["backup", str(tmp_path / "b")],
        ["search", "x"],
        ["namespace", "create", "x"],
    ):
        done = _in(colophon, schema, *command)
        assert (done.status, done.out, done.err.count("\n")) == (1, "", 1)
        assert f"no catalog found in schema {schema.options['schema']} of postgres" in done.err
    doctor = _in(colophon, schema, "doctor", "--json")
    result = {one["check"]: one for one in doctor.answer["checks"]}
    assert (doctor.status, result["store"]["status"]) == (0, "warning")
    assert "no catalog found" in result["store"]["detail"]
    assert _schemas(schema) == []
    assert not (tmp_path / "b").exists()


def test_unreachable_database_is_reported_with_its_reason(colophon: Commands) -> None:
    store = StorageChoice("postgresql", {"dsn": get_or_start_server().get_dsn("nowhere")})
    reason = 'the database cannot be reached: .*database "nowhere" does not exist'
    for command in (["verify"], ["search", "x"]):
        done = _in(colophon, store, *command)
        assert (done.status, done.out, done.err.count("\n")) == (1, "", 1)
        assert re.search(reason, done.err)
    doctor = _in(colophon, store, "doctor")
    assert doctor.status == 1
    assert re.search(reason, doctor.out)


def test_restore_creates_schema(colophon: Commands, backup: Path, schema: StorageChoice) -> None:
    done = _in(colophon, schema, "restore", str(backup))
    assert (done.status, done.err) == (0, "")
    assert _schemas(schema) == [schema.options["schema"]]
    assert _in(colophon, schema, "verify").out == "no problems found\n"


@pytest.mark.parametrize("name", ["pg_catalog", "pg_mine", "information_schema"])
def test_reserved_postgresql_schema_is_refused(colophon: Commands, name: str) -> None:
    done = _in(colophon, StorageChoice("postgresql", {"dsn": get_or_start_server().dsn, "schema": name}), "verify")
    assert done.status in (1, 2)
    assert f"{name} is reserved by PostgreSQL" in done.err
    assert done.err.count("\n") == 1


def test_unreachable_database_prints_one_line(colophon: Commands, backup: Path) -> None:
    away = StorageChoice("postgresql", {"dsn": "host=/nowhere dbname=x"})
    for command in (["verify"], ["search", "x"], ["restore", str(backup)]):
        done = _in(colophon, away, *command)
        assert (done.status, done.err.count("\n")) == (1, 1)
        assert done.err.startswith("jupyter colophon: the database cannot be reached: ")


def _newer(line: bytes) -> bytes:
    """Return a row of a backup as a newer version writes it."""
    row = json.loads(line)
    if isinstance(row, list) and row[:2] == ["settings", "schema"]:
        row[2] = base64.b64encode(b'{"version": 99, "place": ""}').decode()
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _of_a_newer_program(whole: bytes) -> bytes:
    *lines, trailer = gzip.decompress(whole).splitlines(keepends=True)
    lines = [lines[0], *(_newer(line) for line in lines[1:])]
    end = json.loads(trailer) | {"sha256": hashlib.sha256(b"".join(lines)).hexdigest()}
    return gzip.compress(b"".join(lines) + json.dumps(end).encode() + b"\n")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda whole: whole[:-20], "it is truncated"),
        (lambda whole: b"", "it is truncated"),
        (lambda whole: b"plain", "the file is damaged or not a backup of a catalog"),
        (lambda whole: gzip.compress(b'{"a": 1}\n'), "the file is not a backup of a catalog"),
        (lambda whole: gzip.compress(gzip.decompress(whole).replace(b"ops", b"opt")), "its checksum does not match"),
        (_of_a_newer_program, "written by a newer version of jupyter-colophon"),
    ],
    ids=["cut", "empty", "plain", "other", "altered", "newer"],
)
def test_invalid_backup_is_rejected_before_restore(
    colophon: Commands, backup: Path, tmp_path: Path, change: object, reason: str
) -> None:
    assert callable(change)
    backup.write_bytes(change(backup.read_bytes()))
    done = colophon("restore", str(backup), database=tmp_path / "new" / "colophon.db")
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith(f"jupyter colophon: {backup}: {reason}")
    assert not (tmp_path / "new").exists()


def test_backup_error_names_requested_path(colophon: Commands, tmp_path: Path) -> None:
    for command, reason in (("restore", "no such file"), ("backup", "No such file or directory")):
        done = colophon(command, f"{tmp_path}/nope/x.gz")
        assert (done.status, done.err) == (1, f"jupyter colophon: {tmp_path}/nope/x.gz: {reason}\n")
    for command in ("restore", "backup"):
        done = colophon(command, str(tmp_path))
        assert (done.status, done.err) == (1, f"jupyter colophon: {tmp_path}: Is a directory\n")
        done = colophon(command, "")
        assert (done.status, done.err.count("\n")) == (2, 1)
        assert "argument FILE: the file name is empty" in done.err


def _powerless(colophon: Commands) -> Commands:
    """Return commands that run without root's right to ignore permissions."""
    powers = "-dac_override,-dac_read_search"
    return replace(colophon, before=("setpriv", f"--bounding-set={powers}") if os.getuid() == 0 else ())


def test_doctor_reports_read_only_folder(colophon: Commands, database: Path) -> None:
    database.parent.chmod(0o500)
    try:
        done = _powerless(colophon)("doctor", "--json")
        bad = [one for one in done.answer["checks"] if one["status"] == "bad"]
        assert (done.status, len(bad)) == (1, 1)
        assert "is not writable for this user" in bad[0]["detail"]
        assert "no data is lost" in bad[0]["advice"]
        assert "restore" not in done.out
        result = _powerless(colophon)("verify")
        assert (result.status, result.err.count("\n")) == (1, 1)
        assert "cannot write the catalog's file" in result.err
    finally:
        database.parent.chmod(0o700)


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["search", "x", "--limit=abc"], "argument --limit: must be an integer from 1 to 500"),
        (["search", "x", "--limit=0"], "argument --limit: must be an integer from 1 to 500"),
        (["search", "x", "--limit=1", "--limit=2"], "argument --limit: given more than once"),
        (["lineage", "x", "--direction=up"], "argument --direction: invalid value 'up'; "),
        (["runs", "x", "--status=lost"], "argument --status: invalid value 'lost'; choose from"),
        (["search", "x", "--limit"], "argument --limit: expected one argument"),
        (["changes", "--json=maybe"], "argument --json: ignored explicit argument 'maybe'"),
    ],
)
def test_invalid_option_value_is_explained(colophon: Commands, command: list[str], message: str) -> None:
    done = colophon(*command)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"jupyter colophon: {message}")
    assert done.err.endswith(f" (see jupyter colophon {command[0]} --help)\n")
