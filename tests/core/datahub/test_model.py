"""The model that is made of DataHub's schemas: every aspect takes a value of its own schema and refuses broken ones."""

import json
from pathlib import Path

import pytest
from jupyter_colophon.core.datahub.unknown_fields import known_only
from jupyter_colophon.core.model.datahub_model import read_model
from jupyter_colophon.core.model.registry import AspectSpec
from jupyter_colophon.service.registry_files import load_registry
from support.examples import broken, least, whole

MODEL = json.loads((Path(__file__).parents[3] / "schemas/datahub/model.json").read_text("utf-8"))
REGISTRY = load_registry()
KNOWN = {spec.name: spec for kind in REGISTRY.types for spec in kind.aspects}
SPECS = {name: KNOWN.get(name, spec) for name, spec in read_model(MODEL).aspects.items()}
#: In the model, but on no entity: they are parts of other aspects.
PARTS = {"incidentSource", "mlHyperParam", "mlMetric"}


def test_all_of_it_is_in_the_registry() -> None:
    assert {one["name"] for one in MODEL["entities"]} <= {kind.type for kind in REGISTRY.types}
    assert MODEL["aspects"].keys() - KNOWN.keys() == PARTS
    assert (len(MODEL["entities"]), len(SPECS)) == (72, 271)
    for one in MODEL["entities"]:
        kind = REGISTRY.type(one["name"])
        assert {one["keyAspect"], *one["aspects"]} <= {spec.name for spec in kind.aspects}, kind.type
    assert sum(spec.timeseries for spec in SPECS.values()) == 11
    assert sum(one.is_lineage for spec in SPECS.values() for one in spec.relationships) == 38


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
def test_an_aspect_takes_what_its_schema_describes_and_tells_where_anything_else_is_wrong(spec: AspectSpec) -> None:
    schema = spec.schema.document
    value = whole(schema)
    for fine in (value, least(schema)):
        assert spec.schema.problems(fine) == ()
        assert known_only(schema, fine) == (fine, ())
    for one in broken(schema):
        assert {problem.pointer for problem in spec.schema.problems(one.value)} & set(one.told_at), one
        if one.fault == "unknown":
            assert known_only(schema, one.value) == (value, tuple(f"{at}/unheardOf" for at in one.told_at))
        elif one.fault == "no such part":
            assert known_only(schema, one.value) == (one.value, ())


def test_what_is_null_is_not_there() -> None:
    schema = SPECS["ownership"].schema.document
    owner = {"owner": "urn:li:corpuser:ada", "type": "NONE", "source": None, "a/b": None}
    kept = {"owner": "urn:li:corpuser:ada", "type": "NONE"}
    assert known_only(schema, {"owners": [owner], "lastModified": None}) == ({"owners": [kept]}, ("/owners/0/a~1b",))
