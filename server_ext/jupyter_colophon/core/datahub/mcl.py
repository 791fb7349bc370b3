"""A change as DataHub's MetadataChangeLog tells it, and what could not be done as a FailedMetadataChangeProposal."""

from collections.abc import Iterator
from typing import Any, Final

from jupyter_colophon.core.changes.inbox import DeadLetter, Refusal
from jupyter_colophon.core.datahub import mcp
from jupyter_colophon.core.documents.json_parsing import parse
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.errors import MalformedBody, NotFound, TooLarge
from jupyter_colophon.core.identity.urn import Urn, simple
from jupyter_colophon.core.model.registry import AspectSpec, Registry
from jupyter_colophon.core.model.system_metadata import NO_RUN

Document = dict[str, Any]
_ANYTHING: Final = "application/octet-stream"


def log_entry(change: Change, registry: Registry) -> Document | None:
    """The MetadataChangeLog of a change; None for runs, for accesses, and for the end of an entity.

    That an entity is gone was told by the change that took its key aspect away.
    """
    if change.aspect is None:
        return None
    told: Document = {
        "entityType": change.type,
        "entityUrn": str(Urn.parse(change.urn)),
        "changeType": _change_type(change, registry),
        "aspectName": change.aspect,
        "created": {"time": change.time, "actor": str(simple("corpuser", change.actor))},
    }
    if change.value is not None:
        told |= {"aspect": mcp.generic(change.value), "systemMetadata": _system(change)}
    if change.previous is not None:
        told["previousAspectValue"] = mcp.generic(change.previous)
    if change.previous_system is not None:
        told["previousSystemMetadata"] = change.previous_system.document
    return told


def is_timeseries(change: Change, registry: Registry) -> bool:
    """Whether a change is of an aspect that is appended by time."""
    spec = _spec(change, registry)
    return spec is not None and spec.timeseries


def failed_proposals(letter: DeadLetter) -> Iterator[tuple[str, Document]]:
    """Each proposal of a dead letter as a FailedMetadataChangeProposal, with the URN that it is about.

    Of a message that came so the very document is told; of one that could not be read, its text.
    """
    error = _error(letter.refusal)
    if letter.document is None:
        for one in letter.proposals:
            yield str(one.urn), {"metadataChangeProposal": mcp.document(one), "error": error}
        return
    said = _as_it_came(letter.document)
    urn = said.get("entityUrn")
    yield urn if isinstance(urn, str) else "", {"metadataChangeProposal": said, "error": error}


def _as_it_came(text: str) -> Document:
    try:
        said = parse(text.encode())
    except (MalformedBody, TooLarge):
        said = None
    if isinstance(said, dict) and isinstance(said.get("entityType"), str) and isinstance(said.get("changeType"), str):
        return said
    return {"entityType": "", "changeType": "UPSERT", "aspect": {"value": text, "contentType": _ANYTHING}}


def _error(refusal: Refusal) -> str:
    places = "".join(f"; {one.pointer}: {one.message}" for one in refusal.problems)
    return f"{refusal.cause or 'Fault'}: {refusal.detail}{places}"


def _system(change: Change) -> Document:
    """What the writer said of itself; of one who said nothing, as much as is known. Versions are counted by us."""
    if change.system is not None:
        told = change.system.document
    else:
        run = NO_RUN if change.run is None else Urn.parse(change.run).parts[0]
        told = {"lastObserved": change.time, "runId": run}
    return told | {"version": str(change.version)}


def _change_type(change: Change, registry: Registry) -> str:
    if change.value is None:
        return "DELETE"
    spec = _spec(change, registry)
    # As DataHub does: what makes the entity is created, whatever else is new is put.
    return "CREATE" if spec is not None and spec.key else "UPSERT"


def _spec(change: Change, registry: Registry) -> AspectSpec | None:
    """The aspect of a change; None where the registry knows it no more."""
    try:
        return registry.aspect(change.type, change.aspect or "")
    except NotFound:
        return None
