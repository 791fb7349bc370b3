"""DataHub's patches through the write path: absent aspects, concurrent writers, refusals."""

import threading
from typing import Any

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.errors import InvalidInstance, MetadataError, PatchFailed, TooLarge
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal, ProposalResult
from jupyter_colophon.service.changes.inbox import PROPOSALS_POINTER
from support.catalog import ADA, write_metadata
from support.urns import ORDERS

URN = Urn.parse(ORDERS)
KEYS = {"arrayPrimaryKeys": {"fields": ["fieldPath"]}}


def field(number: int) -> dict[str, Any]:
    return {"op": "add", "path": f"/fields/f{number}", "value": {"nativeDataType": "int"}}


def patch(catalog: Catalog, *operations: Any, aspect: str = "schemaMetadata", **form: Any) -> ProposalResult:
    value = {"patch": list(operations)} | (form or KEYS)
    return catalog.write_path.apply_proposals_atomically(
        [Proposal(URN, aspect, "patch", value)], ADA, PROPOSALS_POINTER
    )[0]


def fields(catalog: Catalog) -> set[str]:
    return {one["fieldPath"] for one in catalog.reader.read_current_aspect(URN, "schemaMetadata", ADA).value["fields"]}


def test_elements_of_32_concurrent_writers_are_all_added(catalog: Catalog) -> None:
    write_metadata(catalog)
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


def test_patch_of_absent_aspect_starts_with_required_members(catalog: Catalog) -> None:
    done = patch(catalog, {"op": "add", "path": "/customProperties/p", "value": "q"}, aspect="datasetProperties")
    assert done.version == 1
    assert catalog.reader.read_current_aspect(URN, "datasetProperties", ADA).value["customProperties"] == {"p": "q"}


def test_patch_without_effect_creates_no_version(catalog: Catalog) -> None:
    assert patch(catalog, field(1)).has_changed
    assert not patch(catalog, field(1)).has_changed


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
def test_refused_patch_leaves_aspect_unchanged(
    catalog: Catalog, operations: list[Any], error: type[MetadataError], pointer: str
) -> None:
    write_metadata(catalog)
    patch(catalog, field(1), {"op": "add", "path": "/schemaName", "value": "x" * 4_000})
    with pytest.raises(error) as refused:
        patch(catalog, *operations)
    if pointer:
        assert [one.pointer for one in refused.value.problems] == [pointer]
    assert catalog.reader.read_current_aspect(URN, "schemaMetadata", ADA).version == 1
