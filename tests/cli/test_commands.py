"""What keeps a catalog healthy, called as people and their schedulers call it."""

import sqlite3
from pathlib import Path

import pytest
from support.catalog import opened, say, search
from support.commands import Commands
from support.process import running
from support.urns import ORDERS

#: Another process that writes until it is told to stop, and says how often it did.
WRITER = """
from pathlib import Path
from threading import Thread
from time import sleep
from support.catalog import opened, say, touch
from support.urns import CELL, ORDERS, table
catalog = opened(Path(sys.argv[1]))
print("ready", flush=True)
ended = []
Thread(target=lambda: ended.append(sys.stdin.readline()), daemon=True).start()
count = 0
while not ended:
    say(catalog, table(f"t{count % 7}"), {"number": str(count)}, ["faa"])
    touch(catalog, CELL, f"w{count}", ("read", ORDERS), end=5_000)
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


def test_a_sound_catalog_is_called_so(colophon: Commands) -> None:
    assert colophon("verify").out == "everything is whole\n"
    done = colophon("verify", "--json")
    assert (done.status, done.answer) == (0, {"sound": True, "findings": []})
    assert colophon("reindex", "--json").answer == {"mended": 0}


def test_damage_is_found_and_what_is_derived_is_mended(colophon: Commands, database: Path) -> None:
    _damaged(database, "DELETE FROM metadata_values", "UPDATE search_texts SET words = 'x' WHERE id = 3")
    found = colophon("verify", "--json")
    assert found.status == 1
    assert not found.answer["sound"]
    assert {one["subject"] for one in found.answer["findings"]} >= {ORDERS, "the store"}
    assert colophon("verify").status == 1
    assert colophon("doctor").status == 1
    assert colophon("reindex", "--json").answer["mended"] > 0
    assert colophon("verify").status == 0
    catalog = opened(database)
    assert search(catalog, "owner:ops").total == 2
    catalog.close()


def test_a_changed_value_is_found_and_not_shown(colophon: Commands, database: Path) -> None:
    _damaged(database, "UPDATE aspect_versions SET value = replace(value, 'ops', 'opt')")
    done = colophon("verify")
    assert done.status == 1
    assert ORDERS in done.out
    assert "opt" not in done.out


def test_a_backup_restores_a_lost_catalog(colophon: Commands, database: Path, tmp_path: Path) -> None:
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
    assert f"{backup}: its end is missing" in cut.err


def test_old_changes_are_removed_and_their_space_is_given_back(colophon: Commands, database: Path) -> None:
    catalog = opened(database)
    for number in range(300):
        say(catalog, ORDERS, {"note": f"{number} " * 200})
    catalog.close()
    assert colophon("compact", "--json").answer["removed"] == 0
    _damaged(database, "DELETE FROM log_seals", "UPDATE change_log SET time = 1000")
    size = database.stat().st_size
    done = colophon("compact", "--days=30", "--json").answer
    assert done["removed"] == 0, "the newest seal is for the newest change, which stays"
    catalog = opened(database)
    say(catalog, ORDERS, {"note": "new"})
    catalog.close()
    done = colophon("compact", "--days=30", "--json").answer
    assert done["removed"] > 250
    assert done["freed"] > 0
    assert database.stat().st_size < size
    assert colophon("verify").out == "everything is whole\n"


def test_everything_works_beside_a_process_that_writes(colophon: Commands, database: Path, tmp_path: Path) -> None:
    with running(WRITER, str(database)) as writer:
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


def test_settings_are_those_of_the_server(colophon: Commands, database: Path) -> None:
    folder = colophon.home / "config"
    folder.mkdir()
    (folder / "jupyter_server_config.py").write_text(f"c.Colophon.database = {str(database)!r}\n")
    assert colophon.bare("verify").out == "everything is whole\n"
    (folder / "jupyter_server_config.py").write_text("c.Colophon.storage_provider = 'no-such-store'\n")
    done = colophon.bare("verify")
    assert done.status == 1
    assert "no-such-store" in done.err
    (folder / "jupyter_server_config.py").write_text("1 / 0\n")
    broken = colophon.bare("verify")
    assert (broken.status, broken.err.count("\n")) == (2, 1)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
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
        ["--json"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_told_in_one_line_and_ends_with_2(colophon: Commands, arguments: list[str]) -> None:
    done = colophon.bare(*arguments)
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("jupyter colophon: ")
    assert done.err.count("\n") == 1
    assert all(
        text.partition("=")[0] in done.err
        for text in arguments
        if text.startswith(("--jsonn", "--no", "--Co", "--N", "--days"))
    )


@pytest.mark.parametrize("command", ["doctor", "verify"])
def test_a_wrong_setting_is_named_and_its_value_is_not_shown(colophon: Commands, command: str) -> None:
    folder = colophon.home / "config"
    folder.mkdir()
    for name in ("storage_options", "change_log_retention_days", "databse"):
        (folder / "jupyter_server_config.py").write_text(f"c.Colophon.{name} = 'password=Hunter2Hidden'\n")
        done = colophon.bare(command)
        assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
        assert f"c.Colophon.{name}" in done.err
        assert "Hunter2Hidden" not in done.err
    assert not (colophon.home / "data" / "colophon").exists()


def test_settings_of_the_servers_part_are_in_the_way_of_no_command(colophon: Commands) -> None:
    folder = colophon.home / "config"
    folder.mkdir()
    told = "c.Colophon.open_browser = False\nc.Colophon.max_body_bytes = 5\n"
    (folder / "jupyter_server_config.py").write_text(told)
    assert colophon("verify").out == "everything is whole\n"


def test_options_may_come_before_the_command(colophon: Commands) -> None:
    assert colophon("--json", "verify").answer["sound"]


def test_a_catalog_that_is_not_there_is_not_made(colophon: Commands, tmp_path: Path) -> None:
    for command in (["verify"], ["reindex"], ["backup", str(tmp_path / "b")], ["compact"]):
        done = colophon(*command, database=tmp_path / "nowhere" / "colophon.db")
        assert done.status == 1
        assert "not found" in done.err
    assert not (tmp_path / "nowhere").exists()


def test_options_may_come_between_words(colophon: Commands) -> None:
    assert colophon("tag", ORDERS, "one", "--json", "two").answer["changed"]
    assert colophon("search", "owner:ops", "--tag=two", "orders", "--json").answer["total"] == 1
