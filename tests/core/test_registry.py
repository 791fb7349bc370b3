"""The shipped entity registry, key aspects, and limits beyond the schemas."""

import pytest
from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.business_metadata_limits import (
    ENTITY_BYTES_MAX,
    VALUE_BYTES_MAX,
    find_metadata_size_problems,
)
from jupyter_colophon.core.model.key_aspect import build_key_aspect, has_valid_key
from jupyter_colophon.core.package_data import load_schema_documents
from jupyter_colophon.service.registry_files import load_entity_registry
from support.urns import CELL, ORDERS, SALES

REGISTRY = load_entity_registry()
OF_PEOPLE = {
    "businessMetadata",
    "instance",
    "institutionalMemory",
    "documentation",
    "certification",
    "expectations",
    "accessRules",
    "request",
}
URNS = [ORDERS, CELL, SALES, "urn:li:dataFlow:(colophon,notebook,default)", "urn:li:instance:(runtimes,kfp)"]
URNS += ["urn:li:corpuser:ada", "urn:li:chart:(looker,sales)", "urn:li:container:b2d2"]
URNS += ["urn:li:mlModel:(urn:li:dataPlatform:science,scores,PROD)", "urn:li:dataHubRetention:(*,*)"]


def test_entity_types_have_key_status_and_scope_aspects() -> None:
    for kind in REGISTRY.types:
        scopes = {spec.name: spec.scope for spec in kind.aspects}
        assert {"status", kind.key_aspect} <= scopes.keys()
        # A request is a conversation of people.
        assert kind.type == "request" or "technicalMetadata" in scopes
        for name, scope in scopes.items():
            written = name in OF_PEOPLE or name.startswith("editable")
            assert scope == ("USER" if written else "SYSTEM"), name
        assert [spec.name for spec in kind.aspects if spec.key] == [kind.key_aspect]


def test_empty_values_and_examples_are_valid() -> None:
    for name, document in load_schema_documents("aspects").items():
        specs = [spec for kind in REGISTRY.types for spec in kind.aspects if spec.name == name]
        assert specs, name
        for example in document["examples"]:
            assert specs[0].schema.find_all_problems(example) == ()
        if specs[0].empty:
            assert specs[0].schema.find_all_problems(dict(specs[0].empty)) == ()


@pytest.mark.parametrize("text", URNS)
def test_key_aspect_has_the_parts_of_the_urn(text: str) -> None:
    urn = Urn.parse(text)
    kind = REGISTRY.get_type(urn.type)
    assert has_valid_key(urn, kind)
    assert REGISTRY.get_aspect(urn.type, kind.key_aspect).schema.find_all_problems(build_key_aspect(urn, kind)) == ()


@pytest.mark.parametrize(
    "text",
    [
        "urn:li:corpuser:(ada)",
        "urn:li:chart:looker",
        "urn:li:mlModel:(urn:li:dataPlatform:science,scores)",
        "urn:li:mlModel:(science,scores,PROD)",
        "urn:li:mlModel:(urn:li:dataPlatform:science,scores,NOWHERE)",
    ],
)
def test_urn_with_wrong_parts_raises_value_error(text: str) -> None:
    urn = Urn.parse(text)
    assert not has_valid_key(urn, REGISTRY.get_type(urn.type))


def test_unknown_types_and_aspects_raise_not_found() -> None:
    with pytest.raises(NotFound):
        REGISTRY.get_type("corpUser")
    for kind, aspect in (("dataset", "none"), ("dataset", "dataJobKey"), ("none", "status")):
        with pytest.raises(NotFound):
            REGISTRY.get_aspect(kind, aspect)


def test_metadata_limits_count_bytes() -> None:
    def problems(properties: dict[str, str], tags: list[str] | None = None) -> list[str]:
        return [one.pointer for one in find_metadata_size_problems({"properties": properties, "tags": tags or []})]

    assert problems({"a": "x" * VALUE_BYTES_MAX}) == []
    assert problems({"a": "x" * (VALUE_BYTES_MAX + 1), "b": "é" * VALUE_BYTES_MAX}) == [
        "/properties/a",
        "/properties/b",
    ]
    full = {f"k{i}": "x" * 10_000 for i in range(6)}
    room = ENTITY_BYTES_MAX - sum(len(key) + len(text) for key, text in full.items())
    assert problems(full | {"z": "x" * (room - 1)}) == []
    assert problems(full | {"z": "x" * room}) == [""]
    assert problems(full | {"z": "x" * (room - 3)}, ["ab"]) == []
    assert problems(full | {"z": "x" * (room - 3)}, ["abc"]) == [""]
