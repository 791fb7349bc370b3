"""DataHub's model: every aspect accepts values of its schema and rejects invalid ones."""

import json
from pathlib import Path

import pytest
from jupyter_colophon.core.datahub.unknown_fields import filter_known_fields
from jupyter_colophon.core.model.datahub_model import parse_datahub_model
from jupyter_colophon.core.model.registry import AspectSpec
from jupyter_colophon.service.registry_files import load_entity_registry
from support.examples import build_broken_values, build_full_value, build_minimal_value

MODEL = json.loads((Path(__file__).parents[3] / "schemas/datahub/model.json").read_text("utf-8"))
REGISTRY = load_entity_registry()
KNOWN = {spec.name: spec for kind in REGISTRY.types for spec in kind.aspects}
SPECS = {name: KNOWN.get(name, spec) for name, spec in parse_datahub_model(MODEL).aspects.items()}
#: In the model, but on no entity: they are parts of other aspects.
PARTS = {"incidentSource", "mlHyperParam", "mlMetric"}


def test_registry_has_all_of_the_datahub_model() -> None:
    assert {one["name"] for one in MODEL["entities"]} <= {kind.type for kind in REGISTRY.types}
    assert MODEL["aspects"].keys() - KNOWN.keys() == PARTS
    assert (len(MODEL["entities"]), len(SPECS)) == (72, 271)
    for one in MODEL["entities"]:
        kind = REGISTRY.get_type(one["name"])
        assert {one["keyAspect"], *one["aspects"]} <= {spec.name for spec in kind.aspects}, kind.type
    assert sum(spec.timeseries for spec in SPECS.values()) == 11
    assert sum(one.is_lineage for spec in SPECS.values() for one in spec.relationships) == 38


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_aspect_accepts_valid_values_and_locates_errors(spec: AspectSpec) -> None:
    schema = spec.schema.document
    value = build_full_value(schema)
    for fine in (value, build_minimal_value(schema)):
        assert spec.schema.find_all_problems(fine) == ()
        assert filter_known_fields(schema, fine) == (fine, ())
    for one in build_broken_values(schema):
        assert {problem.pointer for problem in spec.schema.find_all_problems(one.value)} & set(one.reported_at), one
        if one.fault == "unknown":
            assert filter_known_fields(schema, one.value) == (value, tuple(f"{at}/unheardOf" for at in one.reported_at))
        elif one.fault == "no such part":
            assert filter_known_fields(schema, one.value) == (one.value, ())


def test_null_members_count_as_absent() -> None:
    schema = SPECS["ownership"].schema.document
    owner = {"owner": "urn:li:corpuser:ada", "type": "NONE", "source": None, "a/b": None}
    kept = {"owner": "urn:li:corpuser:ada", "type": "NONE"}
    assert filter_known_fields(schema, {"owners": [owner], "lastModified": None}) == (
        {"owners": [kept]},
        ("/owners/0/a~1b",),
    )
