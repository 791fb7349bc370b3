"""The audit over HTTP: who read or changed what is marked, what was denied, and that nothing else is recorded."""

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog, read_time_ms
from jupyter_colophon.core.identity.names import make_instance_urn
from jupyter_colophon.http.state import SETTING
from jupyter_colophon.service.admin.log_truncation import delete_audit_entries_older_than_days
from support.catalog import build_metadata_value
from support.events import open_event_stream
from support.service_tokens import create_service_token
from support.urns import CELL, ORDERS, build_table_urn

SSN = f"urn:li:schemaField:({ORDERS},ssn)"
OTHER = build_table_urn("other")
#: The value of a property of the marked table, which no entry may contain.
CANARY = "canary9k"
_DAY_MS = 86_400_000
Entries = list[dict[str, Any]]


@pytest.fixture
def mode(request: pytest.FixtureRequest) -> dict[str, Any]:
    """The settings of the audit."""
    return getattr(request, "param", {"audit": "on"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of access policies; without a file in it, none are in force."""
    path = tmp_path / "policies"
    path.mkdir()
    return path


@pytest.fixture
def jp_server_config(jp_server_config: dict[str, Any], mode: dict[str, Any], folder: Path) -> dict[str, Any]:
    policies = {} if mode else {"policy_folder": str(folder)}
    return {**jp_server_config, "Colophon": jp_server_config["Colophon"] | mode | policies}


@pytest.fixture
def catalog(jp_serverapp: Any, sales: None) -> Catalog:
    opened: Catalog = jp_serverapp.web_app.settings[SETTING].get_or_open_catalog()
    return opened


@pytest.fixture
def marked(api: Any, sales: None, jp_asyncio_loop: Any) -> None:
    """A table with a confidential column, and a table without one."""

    async def make() -> None:
        for urn, value in (
            (OTHER, build_metadata_value({"note": "public"})),
            (ORDERS, build_metadata_value({"note": CANARY})),
            (SSN, build_metadata_value({}, ["Confidential"])),
        ):
            answer = await api("PUT", "entities", urn, "aspects", "businessMetadata", body=value)
            assert answer.status in (200, 201), answer.body

    jp_asyncio_loop.run_until_complete(make())


async def read_entries(api: Any, **params: Any) -> Entries:
    """Return all entries of the audit, the oldest first."""
    entries: Entries = []
    cursor: str | None = ""
    while cursor is not None:
        chosen = params | ({"cursor": cursor} if cursor else {})
        page = (await api("GET", "audit", params=chosen, answers="audit-entries")).body
        entries, cursor = entries + page["entries"], page["cursor"]
    assert [entry["seq"] for entry in entries] == sorted((entry["seq"] for entry in entries), reverse=True)
    return entries[::-1]


async def verify(api: Any) -> list[str]:
    """Return the problems of the chain of seals."""
    problems: list[str] = (await api("GET", "audit", "verification", answers="audit-verification")).body["problems"]
    return problems


@pytest.mark.each_store
async def test_every_api_records_reads_and_changes_of_what_is_marked(
    api: Any, elyra: Any, datahub: Any, openlineage: Any, marked: None, jp_base_url: str, kernel: dict[str, str]
) -> None:
    v3 = replace(api, prefix=f"{jp_base_url}colophon/v3")
    changes = await read_entries(api)
    # Marking the column is a change; the note was written before.
    assert {(entry["action"], entry["urn"], entry["sensitive"]) for entry in changes} == {("change", SSN, True)}
    assert "create businessMetadata" in {entry["detail"] for entry in changes}
    requests: dict[str, Callable[[], Any]] = {
        "read": partial(api, "GET", "entities", ORDERS),
        "read ": partial(api, "GET", "entities", ORDERS, "metadata"),
        "read  ": partial(datahub, "GET", "entitiesV2", ORDERS),
        "search": partial(api, "GET", "search", params={"q": "orders", "type": "dataset"}),
        "search ": partial(
            v3,
            "GET",
            "namespaces",
            "sales",
            "metadata",
            "search",
            params={"query": "orders", "target": "dataset"},
            documented=False,
        ),
        "search  ": partial(openlineage, "GET", "api", "v1", "search", params={"q": "orders"}),
        "list": partial(api, "GET", "entities", params={"type": "dataset"}),
        "list ": partial(api, "GET", "export", params={"namespace": "sales"}, documented=False),
        "lineage": partial(api, "GET", "lineage", params={"urn": ORDERS}),
        "changes": partial(api, "GET", "changes", params={"urn": ORDERS}),
    }
    for action, send in requests.items():
        seen = (await read_entries(api))[-1]["seq"]
        try:
            answer = await send()
            assert answer.status == 200, (action, answer.body)
        except json.JSONDecodeError:
            # Lines of an export.
            pass
        entries = [entry for entry in await read_entries(api) if entry["seq"] > seen]
        assert (action.strip(), ORDERS, "allowed") in {
            (entry["action"], entry["urn"], entry["outcome"]) for entry in entries
        }, (action, entries)
    assert (await api("GET", "entities", OTHER)).status == 200
    await api("PUT", "entities", ORDERS, "aspects", "businessMetadata", body=build_metadata_value({"note": CANARY * 2}))
    entries = await read_entries(api)
    assert entries[-1]["detail"] == "update businessMetadata"
    assert OTHER not in {entry["urn"] for entry in entries}
    assert CANARY not in json.dumps(entries)
    # Instances of schemaspaces have tags too.
    snippet = {"name": "hello", "display_name": "Hello", "schema_name": "code-snippet"}
    snippet["metadata"] = {"language": "Python", "code": ["x"], "tags": ["confidential"]}
    assert (await api("POST", "schemaspaces", "code-snippets", "instances", body=snippet)).status == 201
    assert (await elyra("GET", "metadata", "code-snippets", "hello")).status == 200
    instance = str(make_instance_urn("code-snippets", "hello"))
    actions = {entry["action"] for entry in await read_entries(api, urn=instance)}
    assert actions == {"change", "read"}
    entries = await read_entries(api)
    # A mark that is removed with the table hides no read before it.
    assert (await api("GET", "entities", ORDERS)).status == 200
    assert (await api("DELETE", "entities", ORDERS)).status in (200, 204)
    later = [entry for entry in await read_entries(api, urn=ORDERS) if entry["seq"] > entries[-1]["seq"]]
    assert {(entry["action"], entry["detail"].partition(" ")[0]) for entry in later} == {
        ("read", ""),
        ("change", "delete"),
    }
    assert await verify(api) == []


@pytest.mark.each_store
async def test_program_run_and_token_are_recorded(api: Any, marked: None, kernel: dict[str, str]) -> None:
    started = {"program": CELL, "runId": "run-1", "start": "2026-11-20T12:00:00.000Z"}
    run = (await api("POST", "runs", body=started, anonymous=True, headers=kernel)).body["urn"]
    access = {"accesses": [{"data": ORDERS, "mode": "read", "time": "2026-11-20T12:00:01Z"}]}
    assert (await api("POST", "runs", run, "accesses", body=access, anonymous=True, headers=kernel)).status == 200
    assert (await api("GET", "entities", ORDERS, anonymous=True, headers=kernel)).status == 200
    (accessed,) = await read_entries(api, action="access")
    assert (accessed["user"], accessed["via"], accessed["program"], accessed["run"], accessed["detail"]) == (
        "ada",
        "kernel-1",
        CELL,
        run,
        "read",
    )
    (read,) = await read_entries(api, action="read", user="ada")
    assert (read["via"], read["program"], read["run"], read["token"]) == ("kernel-1", CELL, run, None)
    assert await read_entries(api, program=CELL) == await read_entries(api, run=run) == [accessed, read]
    assert await read_entries(api, program=ORDERS) == []
    crawler = await create_service_token(api, "crawler", "read")
    assert (await api("GET", "entities", ORDERS, anonymous=True, headers=crawler)).status == 200
    (token,) = (await api("GET", "service-tokens", answers="service-tokens")).body["serviceTokens"]
    (read,) = await read_entries(api, user="service:crawler")
    assert read["token"] == {"name": "crawler", "id": token["id"]}
    assert crawler["Authorization"].split()[1] not in json.dumps(await read_entries(api))
    # The same name later is another token.
    assert (await api("DELETE", "service-tokens", "crawler")).status == 200
    await create_service_token(api, "crawler", "read")
    (later,) = (await api("GET", "service-tokens", answers="service-tokens")).body["serviceTokens"]
    assert later["id"] != token["id"]


async def test_deliveries_of_a_stream_are_recorded(
    api: Any, marked: None, http_server: Any, jp_http_port: int, jp_base_url: str, jp_auth_header: Any
) -> None:
    stream = await open_event_stream(jp_http_port, f"{jp_base_url}colophon/api/changes/stream", jp_auth_header)
    await stream.read_next()
    await api("PUT", "entities", ORDERS, "aspects", "businessMetadata", body=build_metadata_value({"note": "x"}))
    await stream.read_until(lambda change: change["urn"] == ORDERS)
    assert {entry["urn"] for entry in await read_entries(api, action="changes")} == {ORDERS}
    stream.close()


async def test_selection_pages_and_export(api: Any, marked: None, kernel: dict[str, str]) -> None:
    for _ in range(3):
        assert (await api("GET", "entities", ORDERS)).status == 200
        await read_entries(api)
    assert (await api("GET", "entities", SSN, anonymous=True, headers=kernel)).status == 200
    whole = await read_entries(api)
    assert len(whole) > 4
    assert await read_entries(api, limit=1) == whole
    assert await read_entries(api, urn=ORDERS, action="read") == [
        entry for entry in whole if (entry["urn"], entry["action"]) == (ORDERS, "read")
    ]
    assert await read_entries(api, user="ada") == [entry for entry in whole if entry["user"] == "ada"]
    assert await read_entries(api, user="eve") == []
    assert await read_entries(api, outcome="denied") == []
    middle = whole[2]["time"]
    assert await read_entries(api, start=middle) == [entry for entry in whole if entry["time"] >= middle]
    assert await read_entries(api, end=middle) == [entry for entry in whole if entry["time"] < middle]
    assert (await api("GET", "audit", params={"cursor": "x"})).status == 400
    fetched = await api.fetch(f"{api.prefix}/audit/export?action=read", headers=api.token)
    assert [json.loads(line) for line in fetched.body.splitlines()] == [
        entry for entry in whole[::-1] if entry["action"] == "read"
    ]


@pytest.mark.each_store
async def test_tampering_is_noticed(api: Any, catalog: Catalog, marked: None) -> None:
    for _ in range(2):
        assert (await api("GET", "entities", ORDERS)).status == 200
        await read_entries(api)
    assert await verify(api) == []
    entries = await read_entries(api)

    def change(**fields: Any) -> None:
        row = {"seq": entries[-1]["seq"], **fields}
        catalog.provider.tx_runner.run(lambda tx: tx.get_table("audit_entries").update(row))

    for fields in ({"urn": OTHER}, {"run": "other"}, {"outcome": "denied"}, {"count": 2}, {"token": "other"}):
        stored = catalog.provider.tx_runner.run(
            lambda tx: tx.get_table("audit_entries").read((entries[-1]["seq"],)), read_only=True
        )
        change(**fields)
        (problem,) = await verify(api)
        assert "differ from the sealed ones" in problem
        change(**{name: stored[name] for name in fields})
        assert await verify(api) == []
    catalog.provider.tx_runner.run(lambda tx: tx.get_table("audit_entries").delete((entries[-1]["seq"],)))
    assert "of" in (await verify(api))[0]


@pytest.mark.each_store
async def test_the_chain_survives_renamed_persons_and_retention(
    api: Any, catalog: Catalog, marked: None, kernel: dict[str, str]
) -> None:
    assert (await api("GET", "entities", ORDERS, anonymous=True, headers=kernel)).status == 200
    before = await read_entries(api, user="ada")
    assert catalog.audit.rename_person("ada", "erased-1") == 1
    assert await read_entries(api, user="ada") == []
    assert await read_entries(api, user="erased-1") == [entry | {"user": "erased-1"} for entry in before]
    assert await verify(api) == []
    # The same name later is another person.
    assert (await api("GET", "entities", ORDERS, anonymous=True, headers=kernel)).status == 200
    assert len(await read_entries(api, user="ada")) == 1
    assert len(await read_entries(api, user="erased-1")) == len(before)
    for _ in range(3):
        assert (await api("GET", "entities", ORDERS)).status == 200
        await read_entries(api)
    whole = await read_entries(api)

    def delete(days: int, later: int) -> int:
        recorder = catalog.audit.recorder
        return delete_audit_entries_older_than_days(
            catalog.provider, recorder.key, lambda: read_time_ms() + later * _DAY_MS, days
        )

    assert delete(10, 9) == delete(0, 1_000) == 0
    assert delete(10, 11) > 0
    kept = await read_entries(api)
    assert kept == whole[-len(kept) :]
    assert len(kept) < len(whole)
    assert await verify(api) == []
    assert await read_entries(api, user="ada") == []
    assert (await api("GET", "entities", ORDERS)).status == 200
    assert (await read_entries(api))[-1]["seq"] > whole[-1]["seq"]
    assert await verify(api) == []
    # The change log is not affected.
    assert (await api("GET", "changes", params={"after": 0}, answers="changes")).status == 200


@pytest.mark.each_store
@pytest.mark.parametrize("mode", [{}], indirect=True)
async def test_denials_of_policies_are_recorded_and_only_admins_read_them(
    api: Any, marked: None, kernel: dict[str, str], folder: Path
) -> None:
    ada = partial(api, anonymous=True, headers=kernel)
    rule = {"role": "viewer", "to": ["*"], "on": {"type": ["dataset"], "namespace": ["sales"]}}
    denial = {"deny": ["read"], "to": ["*"], "on": {"urnPrefix": [OTHER]}}
    (folder / "team.json").write_text(json.dumps({"rules": [rule, denial]}))
    while (await ada("GET", "entities", ORDERS)).status != 200:
        pass
    assert (await ada("GET", "entities", OTHER)).status == 404
    change = build_metadata_value({"note": CANARY})
    assert (await ada("PUT", "entities", ORDERS, "aspects", "businessMetadata", body=change)).status == 403
    for place in (("audit",), ("audit", "verification"), ("audit", "export")):
        assert (await ada("GET", *place)).status == 403
    denied = await read_entries(api, outcome="denied")
    assert {(entry["user"], entry["action"], entry["urn"], entry["detail"]) for entry in denied} >= {
        ("ada", "read", OTHER, "read"),
        ("ada", "change", ORDERS, "annotate"),
        ("ada", "admin", "", "read the audit"),
    }
    assert {entry["sensitive"] for entry in denied if entry["urn"] == OTHER} == {False}
    assert {entry["sensitive"] for entry in denied if entry["urn"] == ORDERS} == {True}
    assert [entry["urn"] for entry in await read_entries(api, user="ada", outcome="allowed", action="read")] == [ORDERS]
    assert CANARY not in json.dumps(denied)


@pytest.mark.parametrize("mode", [{"audit": "auto"}], indirect=True)
async def test_nothing_is_recorded_for_one_person_without_policies(
    api: Any, marked: None, kernel: dict[str, str]
) -> None:
    assert (await api("GET", "entities", ORDERS)).status == 200
    assert (await api("GET", "entities", ORDERS, anonymous=True, headers=kernel)).status == 200
    assert await read_entries(api) == []
    assert await verify(api) == []


@pytest.mark.parametrize("mode", [{"audit": "off", "audit_reads": True}], indirect=True)
async def test_all_reads_of_programs_are_recorded_where_that_is_set(
    api: Any, marked: None, kernel: dict[str, str]
) -> None:
    assert (await api("GET", "entities", OTHER)).status == 200
    assert (await api("GET", "entities", ORDERS)).status == 200
    assert await read_entries(api) == []
    assert (await api("GET", "entities", OTHER, anonymous=True, headers=kernel)).status == 200
    found = {"q": "*", "type": "dataset"}
    assert (await api("GET", "search", params=found, anonymous=True, headers=kernel)).status == 200
    entries = await read_entries(api)
    assert {(entry["user"], entry["via"], entry["action"], entry["urn"], entry["sensitive"]) for entry in entries} >= {
        ("ada", "kernel-1", "read", OTHER, False),
        ("ada", "kernel-1", "search", ORDERS, True),
        ("ada", "kernel-1", "search", OTHER, False),
    }
