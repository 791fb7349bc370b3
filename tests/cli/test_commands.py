"""Maintenance commands, and what all commands share."""

import sqlite3
from pathlib import Path

import pytest
from jupyter_colophon.service.admin.archiving import start_archive
from support.catalog import open_catalog_file, search_catalog, write_metadata
from support.commands import Commands
from support.process import start_script_process
from support.urns import ORDERS, REPORT

#: A process that writes until it reads a line, then prints the number of writes.
WRITER = """
from pathlib import Path
from threading import Thread
from time import sleep
from support.catalog import open_catalog_file, record_run, write_metadata
from support.urns import CELL, ORDERS, build_table_urn
catalog = open_catalog_file(Path(sys.argv[1]))
print("ready", flush=True)
ended = []
Thread(target=lambda: ended.append(sys.stdin.readline()), daemon=True).start()
count = 0
while not ended:
    write_metadata(catalog, build_table_urn(f"t{count % 7}"), {"number": str(count)}, ["faa"])
    record_run(catalog, CELL, f"w{count}", ("read", ORDERS), end=5_000)
    count += 1
    sleep(0.005)
print(count, flush=True)
catalog.close()
"""


def _damaged(database: Path, *statements: str) -> None:
    with sqlite3.connect(database) as connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


def test_verify_reports_no_problems(colophon: Commands) -> None:
    assert colophon("verify").out == "no problems found\n"
    done = colophon("verify", "--json")
    assert (done.status, done.answer) == (0, {"sound": True, "findings": []})
    assert colophon("reindex", "--json").answer == {"repaired": 0}


@pytest.mark.parametrize("words", ["'x'", "x'00ff'", "substr(words, 9)"])
def test_verify_finds_damage_and_reindex_repairs_it(colophon: Commands, database: Path, words: str) -> None:
    _damaged(database, "DELETE FROM metadata_values", f"UPDATE search_texts SET words = {words} WHERE id = 3")
    result = colophon("verify", "--json")
    assert result.status == 1
    assert not result.answer["sound"]
    assert {one["subject"] for one in result.answer["findings"]} >= {ORDERS, "the store"}
    assert colophon("verify").status == 1
    assert colophon("doctor").status == 1
    assert colophon("reindex", "--json").answer["repaired"] > 0
    assert colophon("verify").status == 0
    catalog = open_catalog_file(database)
    assert search_catalog(catalog, "owner:ops").total == 2
    catalog.close()


def test_verify_finds_altered_value_without_printing_it(colophon: Commands, database: Path) -> None:
    _damaged(database, "UPDATE aspect_versions SET value = replace(value, 'ops', 'opt')")
    done = colophon("verify")
    assert done.status == 1
    assert ORDERS in done.out
    assert "opt" not in done.out


def test_restore_recreates_catalog_from_backup(colophon: Commands, database: Path, tmp_path: Path) -> None:
    backup = tmp_path / "backup.gz"
    written = colophon("backup", str(backup), "--json").answer
    assert written["bytes"] == backup.stat().st_size
    refused = colophon("restore", str(backup))
    assert (refused.status, refused.out) == (1, "")
    assert "not empty" in refused.err
    new = tmp_path / "new" / "colophon.db"
    restored = colophon("restore", str(backup), "--json", database=new)
    assert (restored.status, restored.answer["rows"]) == (0, sum(written["rows"].values()))
    assert colophon("verify", database=new).status == 0
    backup.write_bytes(backup.read_bytes()[:-20])
    cut = colophon("restore", str(backup), database=tmp_path / "newer.db")
    assert cut.status == 1
    assert f"{backup}: it is truncated" in cut.err


def test_restore_goes_on_with_archived_changes(colophon: Commands, database: Path, tmp_path: Path) -> None:
    backup, folder, new = tmp_path / "backup.gz", tmp_path / "archive", tmp_path / "new.db"
    catalog = open_catalog_file(database)
    archiver = start_archive(catalog.provider, folder)
    colophon("backup", str(backup))
    first = write_metadata(catalog, REPORT, {"owner": "first"})
    write_metadata(catalog, REPORT, {"owner": "second"})
    archiver.close()
    catalog.close()
    point = ("restore", str(backup), f"--archive={folder}", f"--until-change={first.seq}")
    tried = colophon(*point, "--dry-run", database=new)
    assert (tried.status, tried.out.splitlines()[-1]) == (0, "nothing was changed")
    assert "1 archived write, the last of 20" in tried.out
    assert not new.exists()
    assert colophon(*point, "--json", database=new).answer["lastChange"] == first.seq
    assert "first" in colophon("show", REPORT, database=new).out
    wrong = colophon("restore", str(backup), "--until=now", database=new)
    assert (wrong.status, "--archive" in wrong.err) == (2, True)
    early = colophon(
        "restore", str(backup), f"--archive={folder}", "--until=2020-01-01", database=tmp_path / "other.db"
    )
    assert (early.status, "use an earlier one" in early.err) == (1, True)
    assert not (tmp_path / "other.db").exists()


def test_compact_removes_old_changes_and_frees_space(colophon: Commands, database: Path) -> None:
    catalog = open_catalog_file(database)
    for number in range(300):
        write_metadata(catalog, ORDERS, {"note": f"{number} " * 200})
    catalog.close()
    assert colophon("compact", "--json").answer["removed"] == 0
    _damaged(database, "DELETE FROM log_seals", "UPDATE change_log SET time = 1000")
    size = database.stat().st_size
    done = colophon("compact", "--days=30", "--json").answer
    assert done["removed"] == 0, "the newest seal is for the newest change, which stays"
    catalog = open_catalog_file(database)
    write_metadata(catalog, ORDERS, {"note": "new"})
    catalog.close()
    done = colophon("compact", "--days=30", "--json").answer
    assert done["removed"] > 250
    assert done["freed"] > 0
    assert database.stat().st_size < size
    assert colophon("verify").out == "no problems found\n"


def test_maintenance_works_beside_writing_process(colophon: Commands, database: Path, tmp_path: Path) -> None:
    with start_script_process(WRITER, str(database)) as writer:
        assert writer.stdin is not None
        assert writer.stdout is not None
        assert writer.stdout.readline().strip() == "ready"
        for command in (["doctor"], ["verify"], ["reindex"], ["backup", str(tmp_path / "backup")], ["compact"]):
            done = colophon(*command)
            assert done.status == 0, done
        writer.stdin.write("stop\n")
        writer.stdin.flush()
        assert int(writer.stdout.readline()) > 0
        writer.wait(timeout=300)
    assert colophon("restore", str(tmp_path / "backup"), database=tmp_path / "new.db").status == 0
    assert colophon("verify").status == 0


def test_settings_are_read_from_server_config(colophon: Commands, database: Path) -> None:
    folder = colophon.home / "config"
    folder.mkdir()
    (folder / "jupyter_server_config.py").write_text(f"c.Colophon.database = {str(database)!r}\n")
    assert colophon.run("verify").out == "no problems found\n"
    (folder / "jupyter_server_config.py").write_text("c.Colophon.storage_provider = 'no-such-store'\n")
    done = colophon.run("verify")
    assert done.status == 1
    assert "no-such-store" in done.err
    (folder / "jupyter_server_config.py").write_text("1 / 0\n")
    broken = colophon.run("verify")
    assert (broken.status, broken.err.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    "arguments",
    [
        ["nothing"],
        ["verify", "more"],
        ["backup"],
        ["restore", "one", "two"],
        ["verify", "--no-such-option"],
        ["compact", "--days=-1"],
        ["compact", "--days=many"],
        ["verify", "--config=/no/such/file.py"],
        ["verify", "--jsonn"],
        ["verify", "--nothing=1"],
        ["verify", "--Colophon.nothing=1"],
        ["verify", "--Nothing.json=1"],
        ["--jsonn", "verify"],
    ],
    ids=" ".join,
)
def test_wrong_usage_prints_one_line_and_exits_with_2(colophon: Commands, arguments: list[str]) -> None:
    done = colophon.run(*arguments)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("jupyter colophon: ")
    assert done.err.count("\n") == 1
    assert all(
        text.partition("=")[0] in done.err
        for text in arguments
        if text.startswith(("--jsonn", "--no", "--Co", "--N", "--days"))
    )


@pytest.mark.parametrize("command", ["doctor", "verify"])
def test_invalid_setting_is_named_without_its_value(colophon: Commands, command: str) -> None:
    folder = colophon.home / "config"
    folder.mkdir()
    for name in ("storage_options", "change_log_retention_days", "databse"):
        (folder / "jupyter_server_config.py").write_text(f"c.Colophon.{name} = 'password=Hunter2Hidden'\n")
        done = colophon.run(command)
        assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
        assert f"c.Colophon.{name}" in done.err
        assert "Hunter2Hidden" not in done.err
    assert not (colophon.home / "data" / "colophon").exists()


def test_server_settings_are_accepted(colophon: Commands) -> None:
    folder = colophon.home / "config"
    folder.mkdir()
    result = "c.Colophon.open_browser = False\nc.Colophon.max_body_bytes = 5\n"
    (folder / "jupyter_server_config.py").write_text(result)
    assert colophon("verify").out == "no problems found\n"


def test_options_are_accepted_before_command(colophon: Commands) -> None:
    assert colophon("--json", "verify").answer["sound"]


def test_missing_catalog_is_not_created(colophon: Commands, tmp_path: Path) -> None:
    for command in (["verify"], ["reindex"], ["backup", str(tmp_path / "b")], ["compact"]):
        done = colophon(*command, database=tmp_path / "nowhere" / "colophon.db")
        assert done.status == 1
        assert "not found" in done.err
    assert not (tmp_path / "nowhere").exists()


def test_options_are_accepted_between_words(colophon: Commands) -> None:
    assert colophon("tag", ORDERS, "one", "--json", "two").answer["changed"]
    assert colophon("search", "owner:ops", "--tag=two", "orders", "--json").answer["total"] == 1
