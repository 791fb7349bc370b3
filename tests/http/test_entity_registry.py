"""A user's entity-registry.yml through the native API: its types and aspects are writable, its validators run."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.composition import open_or_create_catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.identity.names import IdentityRules, Urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.store import choose_sqlite_store
from support.packages import install_package
from support.urns import ORDERS

STORE_NAMES = ["sqlite"]
RULES = '''
"""Rules for the tests."""


def rows(urn, aspect, operation, value):
    if value is None:
        return [("", f"{aspect} of {urn} stays")]
    return [("/rows", "is odd")] if value.get("rows", 0) % 2 else []


def fails(urn, aspect, operation, value):
    raise ValueError(value)
'''
REGISTRY = """
entities:
  - {name: sensor, keyAspect: sensorKey, aspects: [contract]}
  - {name: dataset, aspects: [contract]}
  - {name: nonsense}
aspects:
  - {name: contract, scope: USER}
plugins:
  aspectPayloadValidators:
    - entryPoint: rows
      supportedOperations: [UPSERT, PATCH, DELETE]
      supportedEntityAspectNames: [{entityName: dataset, aspectName: contract}]
    - entryPoint: fails
      supportedEntityAspectNames: [{entityName: "*", aspectName: documentation}]
"""
KEY = {
    "type": "object",
    "properties": {"plant": {"type": "string"}, "id": {"type": "string"}},
    "required": ["plant", "id"],
}
CONTRACT = {
    "type": "object",
    "properties": {"rows": {"type": "integer", "ui:widget": "acme:plugin.rows"}},
    "ui:field": "acme:plugin.contract",
}
JSON = {"Content-Type": "application/json"}
SENSOR = "urn:li:sensor:(berlin,t-1)"


@pytest.fixture
def jp_server_config(jp_server_config: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    points = "[jupyter_colophon.aspect_validators]\nrows = ruled:rows\nfails = ruled:fails\n"
    monkeypatch.syspath_prepend(install_package(tmp_path / "site", "ruled", RULES, points))
    (tmp_path / "sensorKey.json").write_text(json.dumps(KEY))
    (tmp_path / "contract.json").write_text(json.dumps(CONTRACT))
    (tmp_path / "registry.yml").write_text(REGISTRY)
    colophon = jp_server_config["Colophon"] | {"entity_registry": str(tmp_path / "registry.yml")}
    return jp_server_config | {"Colophon": colophon}


async def test_new_user_aspect_is_offered_with_its_schema_annotations(api: Any) -> None:
    aspects = (await api("GET", "registry", "dataset", answers="entity-type")).body["aspects"]
    (contract,) = (one for one in aspects if one["name"] == "contract")
    assert (contract["scope"], contract["editableByDefault"], contract["schema"]) == ("USER", True, CONTRACT)


async def test_a_type_of_the_users_is_written_read_and_found(api: Any) -> None:
    place = ("entities", SENSOR, "aspects", "contract")
    assert (await api("PUT", *place, body={"rows": 3}, answers="write-result")).status == 200
    found = (await api("GET", "entities", SENSOR, answers="entity")).body
    assert found["aspects"]["sensorKey"]["value"] == {"plant": "berlin", "id": "t-1"}
    assert (found["aspects"]["contract"]["value"], found["aspects"]["contract"]["scope"]) == ({"rows": 3}, "USER")
    refused = await api("PUT", *place, body={"rows": "many"})
    assert (refused.status, refused.body["errors"][0]["pointer"]) == (400, "/rows")
    wrong = await api("PUT", "entities", "urn:li:sensor:berlin", "aspects", "contract", body={})
    assert (wrong.status, wrong.body["errors"][0]["pointer"]) == (400, "")
    proposals = [
        {"urn": urn, "aspect": "contract", "operation": "upsert", "value": {"rows": 3}}
        for urn in (SENSOR, "urn:li:sensor:berlin")
    ]
    wrong = await api("POST", "proposals", body={"proposals": proposals})
    assert (wrong.status, wrong.body["errors"][0]["pointer"]) == (400, "/proposals/1/urn")
    types = {one["type"] for one in (await api("GET", "registry", answers="registry")).body["types"]}
    assert "sensor" in types
    assert "nonsense" not in types


async def test_validator_runs_for_its_aspect_and_reports_problems(api: Any, sales: None) -> None:
    place = ("entities", ORDERS, "aspects", "contract")
    odd = (400, [{"pointer": "/rows", "message": "is odd"}])
    for method in ("PUT", "PATCH"):
        refused = await api(method, *place, body={"rows": 3}, headers=JSON)
        assert (refused.status, refused.body["errors"]) == odd, method
    assert (await api("PUT", *place, body={"rows": 2})).status == 200
    for rows, status in ((7, 400), (4, 200)):
        patch = [{"op": "replace", "path": "/rows", "value": rows}]
        assert (await api("PATCH", *place, body=patch, headers=JSON)).status == status
    assert (await api("DELETE", *place)).status == 400
    assert (await api("GET", *place)).body["value"] == {"rows": 4}


async def test_a_rule_that_fails_refuses_and_shows_no_value(api: Any, sales: None, caplog: Any) -> None:
    recorded = {"documentations": [{"documentation": "unspeakable"}]}
    refused = await api("PUT", "entities", ORDERS, "aspects", "documentation", body=recorded)
    assert (refused.status, refused.body["errors"]) == (
        400,
        [{"pointer": "", "message": "the validator 'fails' failed (ValueError)"}],
    )
    assert "unspeakable" not in caplog.text
    assert (await api("PUT", "entities", ORDERS, "aspects", "editableDatasetProperties", body={})).status == 200


async def test_aspect_of_a_missing_registry_file_is_still_readable(
    api: Any, datahub: Any, jp_data_dir: Path, tmp_path: Path
) -> None:
    # Somebody wrote with the file; this server finds it broken.
    store = choose_sqlite_store(jp_data_dir / "colophon" / "colophon.db")
    with closing(
        open_or_create_catalog(store, IdentityRules(), registry_extension=tmp_path / "registry.yml")
    ) as catalog:
        recorded = {"properties": {}, "tags": []}
        catalog.write_path.apply_proposals_atomically(
            [Proposal(Urn.parse(ORDERS), "technicalMetadata", "upsert", recorded)], Principal("ada")
        )
        for urn in (SENSOR, ORDERS):
            expected = Proposal(Urn.parse(urn), "contract", "upsert", {"rows": 4})
            catalog.write_path.apply_proposals_atomically([expected], Principal("ada"))
    (tmp_path / "registry.yml").write_text("entities: [")
    (problem,) = (await api("GET", "health", answers="health")).body["registry"]["problems"]
    assert problem["pointer"] == ""
    assert "not valid YAML" in problem["message"]
    for urn in (SENSOR, ORDERS):
        found = (await api("GET", "entities", urn, answers="entity")).body
        assert found["aspects"]["contract"]["value"] == {"rows": 4}
        place = ("entities", urn, "aspects", "contract")
        assert (await api("GET", *place, answers="aspect")).body["value"] == {"rows": 4}
        assert len((await api("GET", *place, "versions")).body["versions"]) == 1
        assert (await api("PUT", *place, body={"rows": 6})).status == 404
        reported = await datahub("GET", "openapi", "v3", "entity", Urn.parse(urn).type, urn)
        assert reported.body["contract"]["value"] == {"rows": 4}
    changes = (await api("GET", "changes", params={"urn": SENSOR})).body["changes"]
    assert {one["aspect"] for one in changes} >= {"contract", "sensorKey"}
    assert (await api("GET", "entities", "urn:li:sensor:(berlin,nowhere)")).status == 404
    for kind, status in (("sensor", 200), ("pump", 404)):
        listed = await datahub(
            "POST", "entities", params={"action": "listUrns"}, body={"entity": kind, "start": 0, "count": 10}
        )
        scroll = ("openapi", "v3", "entity", "scroll")
        scrolled = await datahub("POST", *scroll, body={"entities": [kind], "aspects": ["contract"]})
        assert (listed.status, scrolled.status) == (status, status)
        if status == 200:
            assert listed.body["value"]["entities"] == [SENSOR]
            assert [one["contract"]["value"] for one in scrolled.body["entities"]] == [{"rows": 4}]
    everything = await datahub("POST", *scroll, params={"count": 100}, body={"entities": None, "aspects": []})
    assert {SENSOR, ORDERS} <= {one["urn"] for one in everything.body["entities"]}
