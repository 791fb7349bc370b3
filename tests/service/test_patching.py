"""DataHub's form of a patch through the write path: an absent aspect, writers at the same time, what is refused."""

import threading
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.errors import InvalidInstance, MetadataError, PatchFailed, TooLarge
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal, Written
from jupyter_colophon.service.changes.inbox import WITHIN
from support.catalog import ADA, say
from support.urns import ORDERS

URN = Urn.parse(ORDERS)
KEYS = {"arrayPrimaryKeys": {"fields": ["fieldPath"]}}


def field(number: int) -> dict[str, Any]:
    return {"op": "add", "path": f"/fields/f{number}", "value": {"nativeDataType": "int"}}


def patch(catalog: Catalog, *operations: Any, aspect: str = "schemaMetadata", **form: Any) -> Written:
    value = {"patch": list(operations)} | (form or KEYS)
    return catalog.write_path.propose([Proposal(URN, aspect, "patch", value)], ADA, WITHIN)[0]


def fields(catalog: Catalog) -> set[str]:
    return {one["fieldPath"] for one in catalog.reader.aspect(URN, "schemaMetadata", ADA).value["fields"]}


def test_elements_that_32_writers_add_at_the_same_time_are_all_there(catalog: Catalog) -> None:
    say(catalog)
    faults: list[MetadataError] = []
    patch(catalog, field(0))

    def write(number: int) -> None:
        try:
            patch(catalog, field(number))
        except MetadataError as error:
            faults.append(error)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(1, 33)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert faults == []
    assert fields(catalog) == {f"f{number}" for number in range(33)}


def test_a_patch_of_an_absent_aspect_begins_with_what_its_schema_wants(catalog: Catalog) -> None:
    done = patch(catalog, {"op": "add", "path": "/customProperties/p", "value": "q"}, aspect="datasetProperties")
    assert done.version == 1
    assert catalog.reader.aspect(URN, "datasetProperties", ADA).value["customProperties"] == {"p": "q"}


def test_a_patch_that_changes_nothing_makes_no_version(catalog: Catalog) -> None:
    assert patch(catalog, field(1)).changed
    assert not patch(catalog, field(1)).changed


@pytest.mark.parametrize(
    ("operations", "error", "pointer"),
    [
        ([{"op": "remove", "path": "/fields/none"}], PatchFailed, "/proposals/0/value/patch/0/path"),
        ([{"op": "add", "path": "/fields/f1/fieldPath", "value": 1}], InvalidInstance, ""),
        ([{"op": "copy", "from": "", "path": f"/k{at}"} for at in range(22)], TooLarge, ""),
        ([{"op": "test", "path": "/fields", "value": 1}] * 101, TooLarge, ""),
        ([field(at) for at in range(2_001)], TooLarge, ""),
    ],
)
def test_what_is_refused_leaves_the_aspect_as_it_was(
    catalog: Catalog, operations: list[Any], error: type[MetadataError], pointer: str
) -> None:
    say(catalog)
    patch(catalog, field(1), {"op": "add", "path": "/schemaName", "value": "x" * 4_000})
    with pytest.raises(error) as refused:
        patch(catalog, *operations)
    if pointer:
        assert [one.pointer for one in refused.value.problems] == [pointer]
    assert catalog.reader.aspect(URN, "schemaMetadata", ADA).version == 1
