"""The user's entity-registry.yml: its additions apply, and an invalid part is reported and affects only itself."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.composition import open_or_create_catalog
from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.core.identity.names import IdentityRules, Urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.store import choose_sqlite_store
from jupyter_colophon.service.registry_files import load_entity_registry, load_registry_extension
from support.catalog import ADA, list_hit_names, search_catalog, write_metadata
from support.catalog_maintenance import create_maintenance, list_integrity_issues
from support.urns import ORDERS

SENSOR = {"type": "object", "properties": {"plant": {"type": "string"}, "id": {"type": "string"}}}
SCHEMAS: dict[str, Any] = {
    "sensorKey": SENSOR | {"required": ["plant", "id"]},
    "halfKey": SENSOR | {"required": ["id"]},
    "reading": {
        "type": "object",
        "properties": {"timestampMillis": {"type": "integer"}},
        "required": ["timestampMillis"],
    },
    "contract": {"type": "object", "title": "Contract", "properties": {"rows": {"type": "integer"}}},
    "words": {"type": "string"},
    "remote": {"type": "object", "properties": {"a": {"$ref": "https://example.org/a.json"}}},
    "slow": {"type": "object", "properties": {"a": {"type": "string", "pattern": "(?=a)a"}}},
}
GOOD = """
id: our-model
entities:
  - name: sensor
    doc: What measures.
    category: core
    keyAspect: sensorKey
    aspects: [reading, ownership, businessMetadata]
  - name: dataset
    keyAspect: datasetKey
    aspects: [contract, ownership]
  - name: namespace
    aspects: [ownership]
aspects:
  - {name: reading, timeseries: true, scope: USER}
  - {name: ownership, scope: USER}
  - {name: schemaMetadata, scope: USER}
events: []
plugins:
  mutationHooks:
    - className: com.example.Hook
  aspectPayloadValidators:
    - className: com.example.Validator
    - {entryPoint: never, enabled: false}
"""


def written(folder: Path, text: str) -> Path:
    for name, schema in SCHEMAS.items():
        (folder / f"{name}.json").write_text(json.dumps(schema))
    (folder / "broken.json").write_text("{")
    (folder / "entity-registry.yml").write_text(text)
    return folder / "entity-registry.yml"


def test_extension_adds_types_aspects_and_scopes(tmp_path: Path) -> None:
    file = written(tmp_path, GOOD)
    found, registry = load_registry_extension(file), load_entity_registry(file)
    assert found.problems == []
    assert [one.pointer for one in found.warnings] == [
        "/plugins/mutationHooks/0",
        "/plugins/aspectPayloadValidators/0",
    ]
    sensor = registry.get_type("sensor")
    assert (sensor.key, sensor.title, sensor.category) == (("plant", "id"), "Sensor", "core")
    assert {
        "businessMetadata",
        "technicalMetadata",
        "status",
        "certification",
        "sensorKey",
        "reading",
        "ownership",
    } == {spec.name for spec in sensor.aspects}
    reading = registry.get_aspect("sensor", "reading")
    assert (reading.timeseries, reading.scope, reading.title) == (True, "USER", "Reading")
    contract = registry.get_aspect("dataset", "contract")
    assert (contract.scope, contract.title) == ("SYSTEM", "Contract")
    assert {one.pointer for one in contract.schema.find_all_problems({"rows": "many"})} == {"/rows"}
    for kind in ("dataset", "namespace", "chart"):
        assert registry.get_aspect(kind, "ownership").scope == "USER"
    assert registry.get_aspect("dataset", "schemaMetadata").scope == "USER"
    assert load_entity_registry().get_aspect("dataset", "ownership").scope == "SYSTEM"


FAULTS = [
    ("[", "", "not valid YAML in line 1"),
    ("- 1", "", "must be a mapping"),
    ("entity: []", "/entity", "unknown member"),
    ("entities: {}", "/entities", "must be a list"),
    ("entities: [1]", "/entities/0", "must be a mapping"),
    ("entities: [{name: 'a b'}]", "/entities/0/name", "ASCII letters"),
    ("entities: [{name: pump}]", "/entities/0/keyAspect", "needs a key aspect"),
    ("entities: [{name: pump, keyAspect: pumpKey}]", "/entities/0/keyAspect", "schema 'pumpKey.json' not found"),
    ("entities: [{name: pump, keyAspect: tagKey}]", "/entities/0/keyAspect", "belongs to another entity type"),
    ("entities: [{name: pump, keyAspect: halfKey}]", "/entities/0/keyAspect", "required strings"),
    ("entities: [{name: chart, keyAspect: tagKey}]", "/entities/0/keyAspect", "key aspect of a chart is chartKey"),
    ("entities: [{name: instance, aspects: [ownership]}]", "/entities/0", "is built in"),
    ("entities: [{name: chart, aspects: 1}]", "/entities/0/aspects", "must be a list"),
    ("entities: [{name: chart, aspects: [1]}]", "/entities/0/aspects/0", "ASCII letters"),
    ("entities: [{name: chart, aspects: [ownership, none]}]", "/entities/0/aspects/1", "unknown aspect none"),
    ("entities: [{name: chart, aspects: [words]}]", "/entities/0/aspects/0", "describe an object"),
    ("entities: [{name: chart, aspects: [broken]}]", "/entities/0/aspects/0", "not valid JSON"),
    ("entities: [{name: chart, aspects: [remote]}]", "/entities/0/aspects/0", "only references within the schema"),
    ("entities: [{name: chart, aspects: [slow]}]", "/entities/0/aspects/0", "linear time"),
    ("aspects: [{name: contract, timeseries: true}]", "/aspects/0", "timestampMillis"),
    ("aspects: [{name: contract, schema: ../contract.json}]", "/aspects/0", "in the folder of the registry"),
    ("aspects: [{name: contract, scope: ours}]", "/aspects/0/scope", "USER or SYSTEM"),
    ("aspects: [{name: contract, owner: me}]", "/aspects/0/owner", "unknown member"),
    ("aspects: [{name: status, scope: USER}]", "/aspects/0", "is built in"),
    ("aspects: [{name: ownership, schema: contract.json}]", "/aspects/0", "is DataHub's"),
    ("plugins: []", "/plugins", "must be a mapping"),
    ("plugins: {aspectPayloadValidators: 1}", "/plugins/aspectPayloadValidators", "must be a list"),
    (
        "plugins: {aspectPayloadValidators: [{entryPoint: none}]}",
        "/plugins/aspectPayloadValidators/0/entryPoint",
        "no installed package has a validator",
    ),
    (
        "plugins: {aspectPayloadValidators: [{entryPoint: none, supportedOperations: [RESTATE]}]}",
        "/plugins/aspectPayloadValidators/0/supportedOperations",
        "UPSERT",
    ),
]


@pytest.mark.parametrize(("text", "pointer", "message"), FAULTS)
def test_invalid_part_is_reported_with_pointer_and_isolated(
    tmp_path: Path, text: str, pointer: str, message: str
) -> None:
    file = written(tmp_path, text)
    ((fault,), registry) = load_registry_extension(file).problems, load_entity_registry(file)
    assert fault.pointer == pointer
    assert message in fault.message
    assert registry.get_aspect("chart", "ownership").scope == "SYSTEM"
    assert registry.get_type("dataset").find_aspect("upstreamLineage") is not None
    beside = written(tmp_path, text + "\n") if not text.startswith("entities") else None
    if beside and ":" in text:
        beside.write_text(text + "\nentities: [{name: sensor, keyAspect: sensorKey}]")
        assert load_entity_registry(beside).get_type("sensor").key == ("plant", "id")


def test_entities_of_removed_types_are_kept_and_found(tmp_path: Path) -> None:
    sensor, store = Urn.parse("urn:li:sensor:(berlin,t-1)"), choose_sqlite_store(tmp_path / "colophon.db")
    with closing(open_or_create_catalog(store, IdentityRules(), registry_extension=written(tmp_path, GOOD))) as catalog:
        write_metadata(catalog, ORDERS, {"owner": "ops"})
        value = {"properties": {"owner": "ops"}, "tags": []}
        catalog.write_path.apply_proposals_atomically([Proposal(sensor, "businessMetadata", "upsert", value)], ADA)
        assert sorted(list_hit_names(search_catalog(catalog, "owner:ops"))) == ["orders", "t-1"]
        table = Urn.parse(ORDERS)
        catalog.write_path.apply_proposals_atomically([Proposal(table, "contract", "upsert", {"rows": 3})], ADA)
    broken = written(tmp_path, "entities: [")
    with closing(open_or_create_catalog(store, IdentityRules(), registry_extension=broken)) as catalog:
        assert sorted(list_hit_names(search_catalog(catalog, "owner:ops"))) == ["orders", "t-1"]
        found = catalog.reader.read_entity(sensor, None, ADA).aspects
        assert found["sensorKey"].value == {"plant": "berlin", "id": "t-1"}
        assert catalog.reader.read_current_aspect(table, "contract", ADA).value == {"rows": 3}
        assert [one.value for one in catalog.reader.list_aspect_versions(table, "contract", 10, "", ADA)[0]] == [
            {"rows": 3}
        ]
        lines = [
            *catalog.transfer.export_namespace_lines("default", ADA, (), ()),
            *catalog.transfer.export_namespace_lines("sales", ADA, (), ()),
        ]
        assert any('"contract"' in line and '"rows"' in line for line in lines)
        assert any("sensor" in line and '"ops"' in line for line in lines)
        # Other aspects of the same entity can be written; an aspect without a schema cannot.
        write_metadata(catalog, ORDERS, {"owner": "dev"})
        with pytest.raises(NotFound):
            catalog.write_path.apply_proposals_atomically([Proposal(table, "contract", "upsert", {"rows": 4})], ADA)
        assert list_hit_names(search_catalog(catalog, "owner:dev")) == ["orders"]
    with closing(open_or_create_catalog(store, IdentityRules(), registry_extension=written(tmp_path, GOOD))) as catalog:
        assert catalog.reader.read_entity(table, None, ADA).aspects["contract"].value == {"rows": 3}
        assert sorted(list_hit_names(search_catalog(catalog, "owner:ops OR owner:dev"))) == ["orders", "t-1"]


def test_reindex_keeps_entities_of_removed_types_and_verify_lists_them(tmp_path: Path) -> None:
    sensor, table, store = (
        Urn.parse("urn:li:sensor:(berlin,t-1)"),
        Urn.parse(ORDERS),
        choose_sqlite_store(tmp_path / "c.db"),
    )
    value = {"properties": {"owner": "ops"}, "tags": []}
    with closing(open_or_create_catalog(store, IdentityRules(), registry_extension=written(tmp_path, GOOD))) as catalog:
        write_metadata(catalog, ORDERS, {"owner": "ops"})
        catalog.write_path.apply_proposals_atomically([Proposal(sensor, "businessMetadata", "upsert", value)], ADA)
        catalog.write_path.apply_proposals_atomically([Proposal(table, "contract", "upsert", {"rows": 3})], ADA)
        assert list_integrity_issues(create_maintenance(catalog)) == []
    with closing(open_or_create_catalog(store, IdentityRules())) as catalog:
        lost = {(str(sensor), "its type is not in the registry"), (ORDERS, "contract: is not in the registry")}
        assert lost <= set(list_integrity_issues(create_maintenance(catalog)))
        create_maintenance(catalog).create_integrity_checker().rebuild_derived_rows()
        assert lost <= set(list_integrity_issues(create_maintenance(catalog)))
        assert catalog.reader.read_current_aspect(table, "contract", ADA).value == {"rows": 3}
        assert catalog.reader.read_entity(sensor, None, ADA).aspects["businessMetadata"].value == value
        assert sorted(list_hit_names(search_catalog(catalog, "owner:ops"))) == ["orders", "t-1"]
    with closing(open_or_create_catalog(store, IdentityRules(), registry_extension=written(tmp_path, GOOD))) as catalog:
        create_maintenance(catalog).create_integrity_checker().rebuild_derived_rows()
        assert list_integrity_issues(create_maintenance(catalog)) == []
        assert catalog.reader.read_entity(sensor, None, ADA).aspects["sensorKey"].value == {
            "plant": "berlin",
            "id": "t-1",
        }


def test_missing_file_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "none.yml"
    (fault,) = load_registry_extension(file).problems
    assert "'none.yml' cannot be read" in fault.message
    assert Urn.parse("urn:li:tag:a").type in {kind.type for kind in load_entity_registry(file).types}
