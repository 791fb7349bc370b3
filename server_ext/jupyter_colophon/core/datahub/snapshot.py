"""A snapshot of an entity (DataHub's MetadataChangeEvent): its aspects by the names of their classes, as proposals."""

from collections.abc import Iterator, Mapping
from typing import Any

from jupyter_colophon.core.datahub.mcp import keyless, refused, spelling_of, system_metadata, urn_at
from jupyter_colophon.core.documents.pointer import written
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.model.registry import Registry


def proposals(event: Mapping[str, Any], registry: Registry) -> list[tuple[Proposal, str]]:
    """The proposals that it means, each with the pointer to its value. Raises InvalidInstance with pointers, NotFound."""
    system = system_metadata(event.get("systemMetadata"), "/systemMetadata")
    found = []
    for name, aspect, place, urn in _read_aspects(event["entity"]["value"]):
        entity = urn_at(urn, f"{place.rpartition('/aspects/')[0]}/urn")
        known = registry.aspect_of_class(name)
        if known is None:
            raise refused(place, "is the class of no aspect")
        if not isinstance(aspect, dict):
            raise refused(place, "is an object")
        spelling = spelling_of(entity, urn)
        proposal = Proposal(entity, known, "upsert", aspect, system=system, spelling=spelling)
        found.append((keyless(proposal, registry), place))
    return found


def _read_aspects(value: Mapping[str, Any]) -> Iterator[tuple[str, Any, str, str]]:
    """Each aspect: the name of its class, its value, the pointer to that, and the entity's URN."""
    if len(value) != 1:
        raise refused("/entity/value", "has one member, the class of the snapshot")
    ((kind, snapshot),) = value.items()
    at = "/entity/value" + written([kind])
    if (
        not isinstance(snapshot, dict)
        or not isinstance(snapshot.get("urn"), str)
        or not isinstance(snapshot.get("aspects"), list)
    ):
        raise refused(at, "has a urn and a list of aspects")
    for number, one in enumerate(snapshot["aspects"]):
        if not isinstance(one, dict) or len(one) != 1:
            raise refused(f"{at}/aspects/{number}", "has one member, the class of the aspect")
        ((name, aspect),) = one.items()
        yield name, aspect, f"{at}/aspects/{number}" + written([name]), snapshot["urn"]
