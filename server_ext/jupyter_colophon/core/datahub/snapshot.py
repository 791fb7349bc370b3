"""Parse a snapshot of an entity (DataHub's MetadataChangeEvent): its aspects by the names of their classes."""

from collections.abc import Iterator, Mapping
from typing import Any

from jupyter_colophon.core.datahub.mcp import (
    build_invalid_proposal_error,
    convert_key_aspect_proposal_to_entity_proposal,
    get_spelling_if_not_canonical,
    parse_system_metadata,
    parse_urn_at,
)
from jupyter_colophon.core.documents.pointer import format_pointer
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.model.registry import Registry


def parse_snapshot_proposals(event: Mapping[str, Any], registry: Registry) -> list[tuple[Proposal, str]]:
    """Return the proposals of a snapshot, each with the pointer to its value. Raises InvalidInstance with pointers,
    NotFound.
    """
    system = parse_system_metadata(event.get("systemMetadata"), "/systemMetadata")
    proposals = []
    for name, aspect, place, urn in _list_snapshot_aspects(event["entity"]["value"]):
        entity = parse_urn_at(urn, f"{place.rpartition('/aspects/')[0]}/urn")
        aspect_name = registry.find_aspect_by_class(name)
        if aspect_name is None:
            raise build_invalid_proposal_error(place, "is not the class of an aspect")
        if not isinstance(aspect, dict):
            raise build_invalid_proposal_error(place, "must be an object")
        spelling = get_spelling_if_not_canonical(entity, urn)
        proposal = Proposal(entity, aspect_name, "upsert", aspect, system=system, spelling=spelling)
        proposals.append((convert_key_aspect_proposal_to_entity_proposal(proposal, registry), place))
    return proposals


def _list_snapshot_aspects(value: Mapping[str, Any]) -> Iterator[tuple[str, Any, str, str]]:
    """Yield each aspect: the name of its class, its value, the pointer to the value, and the entity's URN."""
    if len(value) != 1:
        raise build_invalid_proposal_error("/entity/value", "must have one member, the class of the snapshot")
    ((kind, snapshot),) = value.items()
    at = "/entity/value" + format_pointer([kind])
    if (
        not isinstance(snapshot, dict)
        or not isinstance(snapshot.get("urn"), str)
        or not isinstance(snapshot.get("aspects"), list)
    ):
        raise build_invalid_proposal_error(at, "must have a urn and a list of aspects")
    for number, entry in enumerate(snapshot["aspects"]):
        if not isinstance(entry, dict) or len(entry) != 1:
            raise build_invalid_proposal_error(
                f"{at}/aspects/{number}", "must have one member, the class of the aspect"
            )
        ((name, aspect),) = entry.items()
        yield name, aspect, f"{at}/aspects/{number}" + format_pointer([name]), snapshot["urn"]
