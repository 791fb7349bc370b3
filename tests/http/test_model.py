"""DataHub's entity types and aspects through the native routes: one value of each is taken, read back, and refused when broken."""

import json
from pathlib import Path
from typing import Any

from jupyter_colophon.core.identity.urn import Urn, make_single_key_urn
from jupyter_colophon.core.model.registry import AspectSpec, EntityType
from jupyter_colophon.service.registry_files import load_entity_registry
from support.examples import URNS, add_related_urns, build_broken_values, build_full_value

MODEL = json.loads((Path(__file__).parents[2] / "schemas/datahub/model.json").read_text("utf-8"))
REGISTRY = load_entity_registry()
TYPES = [REGISTRY.get_type(one["name"]) for one in MODEL["entities"]]
STORE_NAMES = ["sqlite"]


def urn_of(kind: EntityType) -> str:
    """A URN of this type: its key aspect's example."""
    if kind.type in URNS:
        return URNS[kind.type]
    spec = kind.find_aspect(kind.key_aspect)
    assert spec is not None
    assert kind.key is not None
    parts = build_full_value(spec.schema.document)
    if "platform" in parts:
        parts["platform"] = "urn:li:dataPlatform:hive"
    if len(kind.key) == 1:
        return str(make_single_key_urn(kind.type, parts[kind.key[0]]))
    return str(Urn(kind.type, tuple(parts[name] for name in kind.key)))


def written() -> dict[str, tuple[EntityType, AspectSpec]]:
    """Return every writable aspect, with a type that has it."""
    found = {spec.name: (kind, spec) for kind in TYPES for spec in kind.aspects if spec.name in MODEL["aspects"]}
    return {name: (kind, spec) for name, (kind, spec) in found.items() if not spec.key and not spec.timeseries}


async def test_aspect_accepts_its_example_and_locates_errors(api: Any) -> None:
    aspects = written()
    assert len(aspects) == len(MODEL["aspects"]) - 72 - 11 - 3
    for name, (kind, spec) in aspects.items():
        place = ("entities", urn_of(kind), "aspects", name)
        value = add_related_urns(build_full_value(spec.schema.document), spec.relationships)
        faults = {one.fault: one for one in build_broken_values(spec.schema.document)}
        for one in faults.values():
            refused = await api("PUT", *place, body=one.value)
            assert refused.status == 400, (name, one, refused.body)
            reported = {problem["pointer"] for problem in refused.body["errors"]}
            assert reported & set(one.reported_at), (name, one, refused.body)
        put = await api("PUT", *place, body=value, answers="write-result")
        assert put.status == 200, (name, put.body)
        assert (await api("GET", *place, answers="aspect")).body["value"] == value


async def test_timeseries_aspect_accepts_its_example(api: Any, datahub: Any) -> None:
    series = {spec.name: (kind, spec) for kind in TYPES for spec in kind.aspects if spec.timeseries}
    assert len(series) == 11
    for name, (kind, spec) in series.items():
        urn, value = urn_of(kind), add_related_urns(build_full_value(spec.schema.document), spec.relationships)
        faults = {one.fault: one for one in build_broken_values(spec.schema.document)}
        for one in faults.values():
            refused = await api("PUT", "entities", urn, "aspects", name, body=one.value)
            assert refused.status == 400, (name, one)
            assert {problem["pointer"] for problem in refused.body["errors"]} & set(one.reported_at), (name, one)
        assert (await api("PUT", "entities", urn, "aspects", name, body=value)).status == 200, name
        question = {"urn": urn, "entity": kind.type, "aspect": name}
        reported = await datahub("POST", "aspects", params={"action": "getTimeseriesAspectValues"}, body=question)
        (found,) = reported.body["value"]["values"]
        assert json.loads(found["aspect"]["value"]) == value


async def test_every_entity_type_can_be_keyed_annotated_and_deleted(api: Any) -> None:
    for kind in TYPES:
        urn = urn_of(kind)
        recorded = {"properties": {"owner": "ops"}, "tags": ["faa"]}
        assert (await api("PUT", "entities", urn, "aspects", "businessMetadata", body=recorded)).status == 200, urn
        found = (await api("GET", "entities", urn, answers="entity")).body
        assert (found["type"], found["namespace"]) == (kind.type, "default")
        key = found["aspects"][kind.key_aspect]["value"]
        assert [key[name] for name in kind.key or ()] == list(Urn.parse(urn).parts)
        refused = await api("PUT", "entities", urn, "aspects", kind.key_aspect, body=key)
        assert refused.status == 400, urn
    hits = (await api("GET", "search", params={"q": "tags:faa", "limit": 200}, answers="search-results")).body["hits"]
    assert {one["type"] for one in hits} == {kind.type for kind in TYPES}
    listed = (await api("GET", "entities", params={"type": "chart"}, answers="entities")).body["entities"]
    assert [one["platform"] for one in listed] == ["text"]
    # Fields before what holds them, with which they would go.
    for kind in reversed(TYPES):
        assert (await api("DELETE", "entities", urn_of(kind))).status == 200
        assert (await api("GET", "entities", urn_of(kind))).status == 404


async def test_registry_lists_aspects_of_each_type(api: Any) -> None:
    types = (await api("GET", "registry", answers="registry")).body["types"]
    assert {kind.type for kind in TYPES} <= {one["type"] for one in types}
    assert len(types) == len({one["type"] for one in types})
    chart = (await api("GET", "registry", "chart", answers="entity-type")).body
    aspects = {one["name"]: one for one in chart["aspects"]}
    assert aspects["businessMetadata"]["editableByDefault"]
    assert not aspects["editableChartProperties"]["editableByDefault"]
    assert aspects["chartUsageStatistics"]["timeseries"]
    assert aspects["ownership"]["title"] == "Ownership"
