"""The example of the design as a separate program, with a right revoked between emitting and applying."""

import asyncio
import logging
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.core.access import Action, Principal
from jupyter_colophon.core.identity.names import make_field_urn as field_of
from jupyter_colophon.core.identity.names import make_home_dataset_urn
from jupyter_colophon.http.state import SETTING
from jupyter_colophon.service.changes.inbox import ProposalInbox
from jupyter_colophon.service.changes.lineage_listeners import GROUP
from jupyter_server.auth.identity import User
from support.catalog import build_metadata_value

EXAMPLE = Path(__file__).parents[2] / "examples" / "initialize.py"
EMPLOYEE, STAFF = make_home_dataset_urn("sales", "employee"), make_home_dataset_urn("sales", "staff")


@dataclass
class Privileges:
    """An authorizer whose mind changes."""

    refused: set[tuple[str, Action]] = field(default_factory=set)

    def may(self, principal: Principal, action: Action, namespace: str) -> bool:
        return action in principal.scopes and (principal.user, action) not in self.refused


@pytest.fixture
def employee(api: Any, jp_asyncio_loop: Any) -> None:
    """The source with user metadata; one of its fields is confidential."""

    def upsert(urn: Any, aspect: str, value: Any) -> dict[str, Any]:
        return {"urn": str(urn), "aspect": aspect, "operation": "upsert", "value": value}

    recorded = [
        upsert(EMPLOYEE, "technicalMetadata", build_metadata_value({"format": "parquet"})),
        upsert(EMPLOYEE, "businessMetadata", build_metadata_value({"owner": "CANARY-ops"}, ["hr"])),
        upsert(field_of(EMPLOYEE, "empName"), "businessMetadata", build_metadata_value({}, ["confidential"])),
    ]
    reported = api("POST", "proposals", body={"proposals": recorded}, answers="write-results")
    assert jp_asyncio_loop.run_until_complete(reported).status == 200


@pytest.fixture
def initialize(jp_serverapp: Any, jp_http_port: int, jp_base_url: str, tmp_path: Path) -> Any:
    """Run the example as Bob, whose kernel started it; return what it printed."""
    token = jp_serverapp.web_app.settings[SETTING].tokens.issue_token_and_revoke_earlier("kernel-1", User("bob"), "bob")

    async def ran() -> str:
        environment = {
            "COLOPHON_URL": f"http://127.0.0.1:{jp_http_port}{jp_base_url}",
            "COLOPHON_TOKEN": token,
            "COLOPHON_OUTBOX": str(tmp_path / "outbox"),
        }
        arguments = ("--source", "sales.employee", "--sink", "sales.staff", "--fields", "empName,salary")
        process = await asyncio.create_subprocess_exec(
            sys.executable, str(EXAMPLE), *arguments, env=environment, stdout=asyncio.subprocess.PIPE
        )
        output, _ = await asyncio.wait_for(process.communicate(), 300)
        assert process.returncode == 0
        return output.decode()

    return ran


async def recorded(api: Any, urn: Any) -> Any:
    """Return the user metadata of an entity."""
    found = await api("GET", "entities", str(urn), "metadata", answers="entity-metadata")
    return {name: found.body["USER"][name] for name in ("properties", "tags")}


async def settled(api: Any) -> None:
    while (await api("GET", "health", answers="health")).body["inbox"]["pending"]:
        await asyncio.sleep(0.01)


async def test_example_propagates_and_finds_confidential_data(api: Any, employee: None, initialize: Any) -> None:
    printed = await initialize()
    assert "confidential: empName\n" in printed
    assert printed.endswith("0 reports waiting, 0 dropped\n")
    await settled(api)
    assert await recorded(api, STAFF) == build_metadata_value({"owner": "CANARY-ops"}, ["copied", "hr"])
    assert await recorded(api, field_of(STAFF, "empName")) == build_metadata_value({"masked": "yes"}, ["confidential"])
    run = (await api("GET", "runs", printed.split()[1], answers="run")).body
    assert {(one["data"], one["mode"]) for one in run["accesses"]} == {(str(EMPLOYEE), "read"), (str(STAFF), "write")}
    assert (run["status"], run["actor"], run["via"]) == ("succeeded", "bob", "kernel-1")
    assert run["arguments"] == {"source": "sales.employee", "sink": "sales.staff"}
    change = await api("GET", "entities", str(STAFF), "aspects", "businessMetadata", answers="aspect")
    assert (change.body["actor"], change.body["via"]) == ("bob", "kernel-1")


async def test_revoked_right_refuses_pending_entries(
    api: Any, employee: None, initialize: Any, jp_serverapp: Any, caplog: pytest.LogCaptureFixture
) -> None:
    catalog = jp_serverapp.web_app.settings[SETTING].get_or_open_catalog()
    catalog.inbox.stop_thread()
    printed = await initialize()
    assert printed.endswith("0 reports waiting, 0 dropped\n")
    # It is queued, and nothing is applied.
    assert (await api("GET", "health", answers="health")).body["inbox"]["pending"] == 4
    assert await recorded(api, STAFF) == build_metadata_value()
    path = replace(catalog.write_path, authorizer=Privileges({("bob", "annotate")}))
    inbox = ProposalInbox(catalog.provider, path, path.now)
    with caplog.at_level(logging.DEBUG, "jupyter_colophon"):
        inbox.start_applying_in_background()
        await settled(api)
    inbox.stop_thread()
    assert await recorded(api, STAFF) == build_metadata_value()
    health = (await api("GET", "health", answers="health")).body
    assert (health["inbox"]["pending"], health["deadLetters"]) == (0, 4)
    lines = [one.getMessage() for one in caplog.records if one.levelname == "WARNING" and "refused" in one.getMessage()]
    assert len(lines) == 4
    for line in lines:
        for word in ("of bob", f"run {printed.split()[1]}", "businessMetadata of", "sales.staff"):
            assert word in line
    assert "('owner', tags)" in lines[1]
    for hidden in ("CANARY", "copied", "confidential", "'yes'"):
        assert hidden not in caplog.text
    letters = (await api("GET", "dead-letters", answers="dead-letters")).body["deadLetters"]
    assert {one["actor"] for one in letters} == {"bob"}
    assert "CANARY" not in str(letters)


#: A package with a lineage listener that writes its calls to the file of its settings.
CONSUMER = """
from jupyter_colophon.metadata import LineageListener


class Writing(LineageListener):
    def on_lineage(self, context, program_run, lineage):
        with open(context.properties["file"], "a") as file:
            print(program_run.actor, *sorted(lineage.sources), "->", *sorted(lineage.targets), file=file)
"""


@pytest.fixture
def reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jp_serverapp: Any) -> Path:
    """The file of a consumer, in a package that is installed and has settings."""
    (tmp_path / "writing_consumer.py").write_text(CONSUMER)
    about = tmp_path / "writing_consumer-2.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: writing-consumer\nVersion: 2.0\n")
    (about / "entry_points.txt").write_text(f"[{GROUP}]\nwriting = writing_consumer:Writing\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    settings = jp_serverapp.web_app.settings[SETTING].settings
    settings.lineage_listeners = {"writing": {"file": str(tmp_path / "told")}}
    return tmp_path / "told"


async def test_health_lists_lineage_listeners_with_their_state(
    reported: Path, api: Any, employee: None, initialize: Any
) -> None:
    async def state() -> Any:
        found: list[Any] = (await api("GET", "health", answers="health")).body["lineageListeners"]
        return found[0] if found else {"cursor": None}

    while (await state())["cursor"] is None:
        await asyncio.sleep(0.01)
    await initialize()
    while (await state())["delivered"] == 0:
        await asyncio.sleep(0.01)
    assert reported.read_text() == f"bob {EMPLOYEE} -> {STAFF}\n"
    found = await state()
    assert (found["name"], found["distribution"], found["version"]) == ("writing", "writing-consumer", "2.0")
    assert (found["delivered"], found["failed"], found["timedOut"], found["problem"]) == (1, 0, False, "")


INVALID_ANNOTATIONS = [
    ({"value": {"properties": {"no good": "1"}}}, "/proposals/0/value/properties"),
    ({"value": {"tags": ["no good"]}}, "/proposals/0/value/tags/0"),
    ({"value": {"properties": {"a": 1}}}, "/proposals/0/value/properties/a"),
    ({"value": {"tag": []}}, "/proposals/0/value"),
    ({"value": []}, "/proposals/0/value"),
    ({}, "/proposals/0"),
    ({"value": {"tags": ["a"]}, "aspect": "schemaMetadata"}, "/proposals/0/value"),
]


async def test_invalid_annotation_returns_its_pointer(api: Any, employee: None) -> None:
    for change, pointer in INVALID_ANNOTATIONS:
        for later in ["true", "false"]:
            wish = {"urn": str(EMPLOYEE), "aspect": "businessMetadata", "operation": "annotate"} | change
            found = await api("POST", "proposals", body={"proposals": [wish]}, params={"async": later})
            assert found.status == 400, (change, pointer, later)
            assert found.body["errors"][0]["pointer"].startswith(pointer), (change, pointer, later)


async def test_annotation_changes_only_named_entries(api: Any, employee: None) -> None:
    value = {"properties": {"team": "x"}, "tags": ["new", "hr"], "withoutProperties": ["owner", "never"]}
    wish = {"urn": str(EMPLOYEE), "aspect": "businessMetadata", "operation": "annotate", "value": value}
    await api("POST", "proposals", body={"proposals": [wish]}, answers="write-results")
    assert await recorded(api, EMPLOYEE) == build_metadata_value({"team": "x"}, ["hr", "new"])
    again = await api("POST", "proposals", body={"proposals": [wish]}, answers="write-results")
    assert [one["changed"] for one in again.body["results"]] == [False]
    cleared = wish | {"value": {"clearProperties": True, "withoutTags": ["hr"]}}
    await api("POST", "proposals", body={"proposals": [cleared]}, answers="write-results")
    assert await recorded(api, EMPLOYEE) == build_metadata_value({}, ["new"])
