"""Copy and link the metadata of a renamed table if the catalog cannot rename the entity (docs/decisions/0022)."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jupyter_colophon.client.absence import find_entity
from jupyter_colophon.client.programs.entity import MetadataEntity

if TYPE_CHECKING:
    from jupyter_colophon.capture.observation import Observation
    from jupyter_colophon.client.operations import Operations

Document = dict[str, Any]

#: Aspects that are not copied: written by the capture, computed, or valid for one name only.
_NOT_COPIED = frozenset(
    {"container", "datasetProfile", "operation", "schemaMetadata", "status", "technicalMetadata", "upstreamLineage"}
)


def split_at_renames(observations: "Sequence[Observation]") -> "list[Sequence[Observation]]":
    """Return the observations in groups, of each of which only the first may be a rename."""
    groups: list[list[Observation]] = []
    for seen in observations:
        if not groups or seen.renamed is not None:
            groups.append([])
        groups[-1].append(seen)
    return list(groups)


def build_rename_proposals(catalog: "Operations", old: str, new: str, run: str) -> list[Document]:
    """Return the proposals that copy the metadata of the old name and of its fields to the new one, and that link the two.

    Existing metadata of the new name stays. The old name keeps its history.
    """
    proposals = _build_copy_proposals(catalog, old, new, run)
    before, after = MetadataEntity(old), MetadataEntity(new)
    if proposals:
        for field in catalog.list_fields(old)["fields"]:
            proposals += _build_copy_proposals(
                catalog, before.append("field", field).urn, after.append("field", field).urn, run
            )
    return [
        *proposals,
        _build_link_proposal(new, "renamedFrom", old, run),
        _build_link_proposal(old, "renamedTo", new, run),
    ]


def _build_copy_proposals(catalog: "Operations", old: str, new: str, run: str) -> list[Document]:
    entity = find_entity(catalog, old)
    aspects = {} if entity is None else entity.get("aspects", {})
    return [
        {"urn": new, "aspect": name, "operation": "upsert", "value": aspect["value"], "ifAbsent": True, "run": run}
        for name, aspect in aspects.items()
        if name not in _NOT_COPIED and not name.endswith("Key")
    ]


def _build_link_proposal(urn: str, name: str, other: str, run: str) -> Document:
    value = {"properties": {name: other}}
    return {"urn": urn, "aspect": "technicalMetadata", "operation": "patch", "value": value, "run": run}
