"""What a command cannot do it says in one line with its reason, and makes nothing meanwhile."""

import base64
import gzip
import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from jupyter_colophon.core.store import StoreChoice
from support.catalog import opened, say
from support.commands import Commands, Done
from support.postgres import fresh_schema, server
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
def schema() -> Iterator[StoreChoice]:
    """A schema that is not there."""
    with fresh_schema() as choice:
        yield choice


def _in(colophon: Commands, store: StoreChoice, *command: str) -> Done:
    """A command on a store that is chosen in the config file."""
    config = colophon.home / "config" / "jupyter_server_config.py"
    config.parent.mkdir(exist_ok=True)
    config.write_text(
        f"c.Colophon.storage_provider = {store.provider!r}\nc.Colophon.storage_options = {dict(store.options)!r}\n"
    )
    return colophon.bare(*command)


def _schemas(store: StoreChoice) -> list[str]:
    with psycopg.connect(store.options["dsn"]) as connection:
        rows = connection.execute("SELECT nspname FROM pg_namespace WHERE nspname = %s", (store.options["schema"],))
        return [name for (name,) in rows]


@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_a_store_whose_restore_was_stopped_is_refused_by_all(
    colophon: Commands, backup: Path, tmp_path: Path, store: str
) -> None:
    with STORES[store](tmp_path) as choice:
        assert _in(colophon, choice, "restore", str(backup)).status == 0
        _stop_half_way(choice)
        other = str(tmp_path / "other.gz")
        for command in (["verify"], ["reindex"], ["compact"], ["backup", other], ["restore", str(backup)]):
            done = _in(colophon, choice, *command)
            assert (done.status, done.out, done.err) == (1, "", HALF), command
        told = _in(colophon, choice, "doctor", "--json")
        bad = [one for one in told.answer["checks"] if one["status"] == "bad"]
        assert (told.status, len(bad)) == (1, 1)
        assert "did not finish" in bad[0]["detail"]
        assert not Path(other).exists()


def test_a_restore_that_ran_out_of_space_is_done_again_elsewhere(
    colophon: Commands, database: Path, tmp_path: Path
) -> None:
    catalog = opened(database)
    for number in range(40):
        say(catalog, ORDERS, {"note": "".join(chr(0x4E00 + (number * 7919 + at) % 9000) for at in range(9000))})
    catalog.close()
    backup, new = tmp_path / "backup.gz", tmp_path / "new.db"
    assert colophon("backup", str(backup)).status == 0
    short = replace(colophon, before=("prlimit", "--fsize=700000"))("restore", str(backup), database=new)
    assert (short.status, short.err) == (1, "jupyter colophon: no space left for the catalog\n")
    for command in (["verify"], ["search", "x"], ["restore", str(backup)]):
        assert colophon(*command, database=new).err == HALF
    new.rename(tmp_path / "half.db")
    assert colophon("restore", str(backup), database=new).status == 0
    assert colophon("verify", database=new).out == "everything is whole\n"


def _stop_half_way(store: StoreChoice) -> None:
    """Leave the mark that a restore leaves which is killed."""
    if store.provider == "postgresql":
        server().execute(f"INSERT INTO {store.options['schema']}.settings (name, value) VALUES ('restoring', '')")
        return
    with sqlite3.connect(store.options["path"]) as connection:
        connection.execute("INSERT INTO settings (name, value) VALUES ('restoring', x'')")
    connection.close()


def test_a_schema_without_a_catalog_is_told_and_not_made(
    colophon: Commands, tmp_path: Path, schema: StoreChoice
) -> None:
    for command in (["verify"], ["reindex"], ["compact"], ["backup", str(tmp_path / "b")]):
        done = _in(colophon, schema, *command)
        assert (done.status, done.out, done.err.count("\n")) == (1, "", 1)
        assert f"no catalog found in schema {schema.options['schema']} of postgres" in done.err
    doctor = _in(colophon, schema, "doctor", "--json")
    told = {one["check"]: one for one in doctor.answer["checks"]}
    assert (doctor.status, told["store"]["status"]) == (0, "warning")
    assert "no catalog found" in told["store"]["detail"]
    assert _schemas(schema) == []
    assert not (tmp_path / "b").exists()


def test_a_restore_makes_the_schema_and_says_one_thing(colophon: Commands, backup: Path, schema: StoreChoice) -> None:
    done = _in(colophon, schema, "restore", str(backup))
    assert (done.status, done.err) == (0, "")
    assert _schemas(schema) == [schema.options["schema"]]
    assert _in(colophon, schema, "verify").out == "everything is whole\n"


@pytest.mark.parametrize("name", ["pg_catalog", "pg_mine", "information_schema"])
def test_a_schema_of_postgresqls_own_is_refused(colophon: Commands, name: str) -> None:
    done = _in(colophon, StoreChoice("postgresql", {"dsn": server().dsn, "schema": name}), "verify")
    assert done.status in (1, 2)
    assert f"{name} is a name of PostgreSQL's own" in done.err
    assert done.err.count("\n") == 1


def test_a_database_that_is_away_is_told_in_one_line(colophon: Commands, backup: Path) -> None:
    away = StoreChoice("postgresql", {"dsn": "host=/nowhere dbname=x"})
    for command in (["verify"], ["search", "x"], ["restore", str(backup)]):
        done = _in(colophon, away, *command)
        assert (done.status, done.err) == (1, "jupyter colophon: the database cannot be reached\n")


def _newer(line: bytes) -> bytes:
    """A row of the backup as a newer program has it."""
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
        (lambda whole: whole[:-20], "its end is missing"),
        (lambda whole: b"", "its end is missing"),
        (lambda whole: b"plain", "it is damaged, or no backup of a catalog"),
        (lambda whole: gzip.compress(b'{"a": 1}\n'), "the file is not a backup of a catalog"),
        (lambda whole: gzip.compress(gzip.decompress(whole).replace(b"ops", b"opt")), "it is not what was written"),
        (_of_a_newer_program, "written by a newer version of jupyter-colophon"),
    ],
    ids=["cut", "empty", "plain", "other", "altered", "newer"],
)
def test_a_file_that_cannot_be_restored_is_named_and_nothing_is_made(
    colophon: Commands, backup: Path, tmp_path: Path, change: object, reason: str
) -> None:
    assert callable(change)
    backup.write_bytes(change(backup.read_bytes()))
    done = colophon("restore", str(backup), database=tmp_path / "new" / "colophon.db")
    assert (done.status, done.out) == (1, "")
    assert done.err.startswith(f"jupyter colophon: {backup}: {reason}")
    assert not (tmp_path / "new").exists()


def test_a_path_that_is_no_file_is_named_as_it_was_asked_for(colophon: Commands, tmp_path: Path) -> None:
    for command, reason in (("restore", "no such file"), ("backup", "No such file or directory")):
        done = colophon(command, f"{tmp_path}/nope/x.gz")
        assert (done.status, done.err) == (1, f"jupyter colophon: {tmp_path}/nope/x.gz: {reason}\n")
    for command in ("restore", "backup"):
        done = colophon(command, str(tmp_path))
        assert (done.status, done.err) == (1, f"jupyter colophon: {tmp_path}: Is a directory\n")
        done = colophon(command, "")
        assert (done.status, done.err.count("\n")) == (2, 1)
        assert "argument FILE: the name of the file is empty" in done.err


def _powerless(colophon: Commands) -> Commands:
    """As a user whom permissions bind: root is not, unless it gives that up."""
    powers = "-dac_override,-dac_read_search"
    return replace(colophon, before=("setpriv", f"--bounding-set={powers}") if os.getuid() == 0 else ())


def test_a_place_that_cannot_be_written_is_no_damage(colophon: Commands, database: Path) -> None:
    database.parent.chmod(0o500)
    try:
        done = _powerless(colophon)("doctor", "--json")
        bad = [one for one in done.answer["checks"] if one["status"] == "bad"]
        assert (done.status, len(bad)) == (1, 1)
        assert "cannot be written by this user" in bad[0]["detail"]
        assert "nothing is lost" in bad[0]["advice"]
        assert "restore" not in done.out
        told = _powerless(colophon)("verify")
        assert (told.status, told.err.count("\n")) == (1, 1)
        assert "cannot write the catalog's file" in told.err
    finally:
        database.parent.chmod(0o700)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (["search", "x", "--limit=abc"], "argument --limit: must be a whole number from 1 to 500"),
        (["search", "x", "--limit=0"], "argument --limit: must be a whole number from 1 to 500"),
        (["search", "x", "--limit=1", "--limit=2"], "argument --limit: given more than once"),
        (["lineage", "x", "--direction=up"], "argument --direction: invalid choice: 'up' (choose from"),
        (["runs", "x", "--status=lost"], "argument --status: invalid choice: 'lost' (choose from"),
        (["search", "x", "--limit"], "argument --limit: expected one argument"),
        (["changes", "--json=maybe"], "argument --json: ignored explicit argument 'maybe'"),
    ],
)
def test_a_wrong_value_of_an_option_is_told_in_plain_words(colophon: Commands, command: list[str], told: str) -> None:
    done = colophon(*command)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith(f"jupyter colophon: {told}")
    assert done.err.endswith(f" (see jupyter colophon {command[0]} --help)\n")
