"""`jupyter colophon doctor` on healthy, missing, damaged and misconfigured stores."""

import json
import random
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.cli.maintenance.system_app_checks import check_calls_of_apps
from jupyter_colophon.core.changes.dead_event import DeadEvent
from jupyter_colophon.core.changes.inbox import Rejection
from jupyter_colophon.core.errors import DeliveryFailed
from jupyter_colophon.storage.changes import sinks
from jupyter_colophon.storage.dead_events import write_event
from jupyter_colophon.storage.system_apps import set_disabled
from support.catalog import ADA, open_catalog_file
from support.commands import Commands
from support.packages import build_python_path, install_things_package
from support.system_apps import DATAPREP, install_app
from support.urns import ORDERS


def _checks(colophon: Commands, status: int, database: Path | None = None) -> dict[str, Any]:
    done = colophon("doctor", "--json", database=database)
    assert done.status == status, done
    assert done.answer["ok"] == (status == 0)
    return {one["check"]: one for one in done.answer["checks"]}


def test_doctor_describes_healthy_catalog(colophon: Commands, database: Path) -> None:
    checks = _checks(colophon, 0)
    assert {one["status"] for one in checks.values()} == {"ok"}
    assert str(database) in checks["store"]["detail"]
    assert checks.keys() >= {"jupyter_server", "python", "file system", "free space", "journal", "integrity", "seals"}
    people = colophon("doctor")
    assert (people.status, people.err) == (0, "")
    assert len(people.out.splitlines()) >= len(checks)


def test_doctor_warns_about_permissions(colophon: Commands, database: Path) -> None:
    database.chmod(0o644)
    database.parent.chmod(0o755)
    checks = _checks(colophon, 0)
    assert "chmod 600" in checks["file permissions"]["advice"]
    assert "chmod 700" in checks["folder permissions"]["advice"]


def test_doctor_warns_about_unused_space(colophon: Commands, database: Path) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("CREATE TABLE large AS SELECT zeroblob(12 * 1024 * 1024)")
        connection.execute("DROP TABLE large")
    size = _checks(colophon, 0)["size"]
    assert size["status"] == "warning"
    assert "jupyter colophon compact" in size["advice"]
    assert colophon("compact").status == 0
    assert _checks(colophon, 0)["size"]["status"] == "ok"


def _no_database(path: Path) -> None:
    path.write_bytes(b"This is no database at all. " * 100)


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("make", [_no_database, _empty, _folder], ids=lambda make: make.__name__.strip("_"))
def test_doctor_advises_on_invalid_catalog_files(colophon: Commands, tmp_path: Path, make: Any) -> None:
    path = tmp_path / "odd.db"
    make(path)
    bad = [one for one in _checks(colophon, 1, path).values() if one["status"] == "bad"]
    assert bad
    assert all(one["advice"] for one in bad)
    for command in (["verify"], ["reindex"], ["backup", str(tmp_path / "b")], ["compact"]):
        assert colophon(*command, database=path).status in (0, 1)


def test_doctor_accepts_missing_catalog(colophon: Commands, tmp_path: Path) -> None:
    assert _checks(colophon, 0, tmp_path / "none.db")["file"]["status"] == "warning"
    assert not (tmp_path / "none.db").exists()


def test_doctor_reports_locked_catalog(colophon: Commands, database: Path) -> None:
    holder = sqlite3.connect(database, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    try:
        assert "another process" in _checks(colophon, 1)["store"]["advice"]
    finally:
        holder.close()


def test_damaged_file_is_reported_without_traceback(colophon: Commands, database: Path) -> None:
    """Flip bits in half of the pages."""
    whole, dice = database.read_bytes(), random.Random(7)
    pages = len(whole) // 4096
    for _ in range(4):
        damaged = bytearray(whole)
        for page in dice.sample(range(1, pages), pages // 2):
            at = page * 4096 + dice.randrange(4096)
            damaged[at] ^= 1 << dice.randrange(8)
            damaged[page * 4096 : page * 4096 + 8] = bytes(dice.randrange(256) for _ in range(8))
        database.write_bytes(bytes(damaged))
        for side in ("-wal", "-shm"):
            database.with_name(database.name + side).unlink(missing_ok=True)
        bad = [one for one in _checks(colophon, 1).values() if one["status"] == "bad"]
        assert any("restore" in one["advice"] for one in bad), bad
        assert colophon("verify").status == 1


def _set_sinks(colophon: Commands, **sinks: Any) -> None:
    config = colophon.home / "config"
    config.mkdir(exist_ok=True)
    (config / "jupyter_server_config.json").write_text(json.dumps({"Colophon": {"sinks": sinks}}))


HOOK = {"kind": "webhook", "url": "https://hooks.example.org/Hidden", "secret": "a secret of both sides"}


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (HOOK | {"secret": "short"}, "must have at least 16 characters"),
        (HOOK | {"kind": "nope"}, "unknown kind of sink 'nope'"),
        (HOOK | {"attempts": 0}, "the option attempts"),
    ],
)
def test_doctor_reports_current_sink_settings(
    options: dict[str, Any], fault: str, colophon: Commands, database: Path, tmp_path: Path
) -> None:
    catalog = open_catalog_file(database)

    def begin(tx: Any) -> None:
        sinks.get_or_create_sink_state(tx, "hook")
        tx.get_table("cursors").update({"name": sinks.get_follower_name_of_sink("hook"), "seq": 0})
        sinks.update_delivery_state(tx, "hook", attempts=1, problem="of earlier settings")

    catalog.provider.tx_runner.run(begin)
    catalog.close()
    _set_sinks(colophon, hook=options, fine=HOOK)
    checks = _checks(colophon, 0)
    assert fault in checks["settings of sink hook"]["detail"]
    assert "c.Colophon.sinks" in checks["settings of sink hook"]["advice"]
    assert checks["sink hook"]["status"] == "warning"
    assert "of earlier settings" not in checks["sink hook"]["detail"]
    assert checks["sink fine"]["status"] == "ok"
    assert "settings of sink fine" not in checks
    assert fault in _checks(colophon, 0, tmp_path / "none.db")["settings of sink hook"]["detail"]
    _set_sinks(colophon, hook=HOOK)
    checks = _checks(colophon, 0)
    assert "settings of sink hook" not in checks
    assert "of earlier settings" in checks["sink hook"]["detail"]


def test_doctor_advises_on_dead_letters(colophon: Commands, database: Path) -> None:
    catalog = open_catalog_file(database)
    (change, *_) = catalog.feed.read_visible_changes(0, 1, {}, ADA)
    refusal = Rejection.from_error(DeliveryFailed("it answered 500"))
    catalog.provider.tx_runner.run(lambda tx: sinks.add_dead_letter_of_change(tx, "hook", change, refusal, 3, 1_000))
    catalog.close()
    result = _checks(colophon, 0)["dead letters"]
    assert (result["status"], result["detail"]) == ("warning", "1")
    assert "POST /colophon/api/dead-letters/{id}/replay" in result["advice"]
    assert "DELETE /colophon/api/dead-letters/{id}" in result["advice"]


def test_doctor_reports_schemaspaces_and_invalid_instances(colophon: Commands, tmp_path: Path) -> None:
    things = install_things_package(tmp_path / "things")
    folder = colophon.home / "data" / "metadata" / "things"
    folder.mkdir(parents=True)
    secret = {"display_name": "S", "schema_name": "thing", "metadata": {"password": "Hunter2Hidden"}}
    (folder / "invalid.json").write_text(json.dumps(secret))
    (folder / "torn.json").write_text('{"display_name": "Hunter2Hidden')
    (folder / "torn.json1700000000.123").write_text(json.dumps(secret))
    strange = replace(colophon, environment={"PYTHONPATH": build_python_path(things)})
    checks = _checks(strange, 0)
    assert "things" in checks["schemaspaces"]["detail"]
    broken = checks["schemas provider broken-things"]
    assert broken["status"] == "warning"
    assert broken["detail"] == "things-for-tests 2.5 (things:Broken): RuntimeError: the provider is out of order"
    result = strange("doctor")
    assert "urn:li:instance:(things,invalid): ValidationError: /metadata" in result.out
    assert "urn:li:instance:(things,torn): cannot be read" in result.out
    assert "urn:li:instance:(things,torn): an interrupted save left torn.json1700000000.123" in result.out
    assert "Hunter2Hidden" not in result.out + result.err


def test_doctor_reports_registry_extension_errors(colophon: Commands, tmp_path: Path) -> None:
    file = tmp_path / "entity-registry.yml"
    file.write_text("entities: [{name: pump}]")
    colophon = replace(colophon, home=tmp_path / "home")
    config = colophon.home / "config" / "jupyter_colophon_config.py"
    config.parent.mkdir(parents=True)
    config.write_text(f"c.Colophon.entity_registry = {str(file)!r}\n")
    result = _checks(colophon, 0)["entity registry"]
    assert result["status"] == "warning"
    assert "entity-registry.yml, /entities/0/keyAspect: a new entity type needs a key aspect" in result["detail"]
    file.write_text("entities: [{name: dataset}]")
    assert _checks(colophon, 0)["entity registry"]["status"] == "ok"
    file.write_text("entities: [{name: dataset")
    assert _checks(colophon, 0)["entity registry"]["detail"] == f"{file}: not valid YAML in line 1"
    for command in ("verify", "reindex", "search"):
        done = colophon(command, *["x"] * (command == "search"))
        assert (done.status, done.err) == (2, f"jupyter colophon: entity_registry {file}: not valid YAML in line 1\n")


def _configure(colophon: Commands, **settings: Any) -> None:
    config = colophon.home / "config"
    config.mkdir(exist_ok=True)
    (config / "jupyter_server_config.json").write_text(json.dumps({"Colophon": settings}))


def test_doctor_reports_policy_files_that_cannot_be_used(colophon: Commands, tmp_path: Path) -> None:
    folder = tmp_path / "policies"
    _configure(colophon, policy_folder=str(folder))
    assert "cannot be read" in _checks(colophon, 1)["access policy"]["detail"]
    folder.mkdir()
    (folder / "team.json").write_text(json.dumps({"rules": [{"role": "king", "to": ["*"]}]}))
    bad = _checks(colophon, 1)["access policy"]
    assert (bad["status"], f"{folder}/team.json: /rules/0/role" in bad["detail"]) == ("bad", True)
    (folder / "team.json").write_text(json.dumps({"rules": [{"role": "admin", "to": ["user:grace"]}]}))
    checks = _checks(colophon, 0)
    assert (checks["policy folder"]["status"], checks["access policies"]["detail"]) == ("ok", "in force, 1 rules")
    assert checks["admins"]["status"] == "ok"


def test_doctor_warns_about_names_that_nothing_has(colophon: Commands, tmp_path: Path) -> None:
    rules = [{"role": "admin", "to": ["group:etl"]}, {"deny": ["read"], "to": ["*"], "on": {"tag": ["faa"]}}]
    (tmp_path / "team.json").write_text(json.dumps({"rules": rules}))
    _configure(colophon, policy_folder=str(tmp_path), groups={"etl": ["ada"]})
    assert "names in access policies" not in _checks(colophon, 0)
    for place, wrong in (("/rules/0/to/0", {"to": ["group:elt"]}), ("/rules/0/on/tag/0", {"on": {"tag": ["fa"]}})):
        (tmp_path / "team.json").write_text(json.dumps({"rules": [rules[0] | wrong]}))
        warning = _checks(colophon, 0)["names in access policies"]
        assert (warning["status"], f"{tmp_path}/team.json, {place}: there is no" in warning["detail"]) == (
            "warning",
            True,
        )


@pytest.mark.parametrize(
    ("settings", "rules", "status"),
    [
        ({"admins": ["grace"]}, [], "ok"),
        ({"admins": ["group:platform"]}, [], "ok"),
        ({"admins": ["group:platform"], "groups": {"etl": ["ada"]}}, [], "bad"),
        ({}, [{"role": "viewer", "to": ["*"]}], "warning"),
        ({}, [{"role": "admin", "to": ["user:ada"]}], "ok"),
        ({}, [{"role": "admin", "to": ["user:ada"], "on": {"namespace": ["default"]}}], "warning"),
        ({}, [{"role": "admin", "to": ["user:ada"]}, {"deny": ["admin"], "to": ["*"]}], "warning"),
    ],
)
def test_doctor_reports_that_no_one_can_change_policies(
    colophon: Commands, tmp_path: Path, settings: dict[str, Any], rules: list[Any], status: str
) -> None:
    folder = tmp_path / "policies"
    folder.mkdir()
    (folder / "team.json").write_text(json.dumps({"rules": rules}))
    _configure(colophon, policy_folder=str(folder), **settings)
    assert _checks(colophon, 1 if status == "bad" else 0)["admins"]["status"] == status


def test_doctor_warns_where_users_have_no_names_of_their_own(colophon: Commands) -> None:
    _configure(colophon, admins=["grace"])
    warning = _checks(colophon, 0)["identity of users"]
    assert (warning["status"], "was not checked" in warning["detail"]) == ("warning", True)
    assert "GET /colophon/api/me" in warning["advice"]
    config = {"Colophon": {"admins": ["grace"]}, "ServerApp": {"identity_provider_class": "acme.Identity"}}
    (colophon.home / "config" / "jupyter_server_config.json").write_text(json.dumps(config))
    assert "identity of users" not in _checks(colophon, 0)


def test_doctor_reports_system_applications(colophon: Commands, database: Path, tmp_path: Path) -> None:
    install_app(tmp_path / "one", DATAPREP, "dataprep", "Dataprep")
    install_app(tmp_path / "two", "raise ImportError('no lake')", "broken", "Broken")
    commands = replace(colophon, environment={"PYTHONPATH": build_python_path(tmp_path / "one", tmp_path / "two")})
    checks = _checks(commands, 0)
    working, broken = checks["system application dataprep"], checks["system application broken"]
    assert (working["status"], working["detail"]) == ("ok", "installed, version 1.0")
    assert (broken["status"], broken["detail"]) == ("warning", "it cannot be deployed: ImportError: no lake")
    assert "jupyter colophon apps enable broken" in broken["advice"]

    parked = DeadEvent("dataprep", "Recorder", 1, ORDERS, 12, 8, 1, True, "ValueError: no lake", 1_000)
    with closing(open_catalog_file(database)) as catalog:
        catalog.provider.tx_runner.run(lambda tx: write_event(tx, parked))
        catalog.provider.tx_runner.run(lambda tx: set_disabled(tx, "broken", disabled=True))
    checks = _checks(commands, 0)
    assert (checks["system application broken"]["status"], checks["system application broken"]["detail"]) == (
        "ok",
        "disabled, version 1.0",
    )
    assert checks["system application dataprep"]["status"] == "warning"
    assert "the listener Recorder cannot handle 1 event" in checks["system application dataprep"]["detail"]


@pytest.mark.parametrize(
    ("counts", "status", "detail"),
    [((0, None), "ok", "none hangs"), ((0, 2, 1), "warning", "2 hang in a process")],
)
def test_doctor_reports_hanging_calls_of_any_process(counts: tuple[int | None, ...], status: str, detail: str) -> None:
    result = check_calls_of_apps([{"systemApps": {"hangingCalls": count}} for count in counts])
    assert (result.status, result.detail) == (status, detail)
