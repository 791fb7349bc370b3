"""Write a change as DataHub's MetadataChangeLog, and a dead letter as FailedMetadataChangeProposal."""

from collections.abc import Iterator
from typing import Any, Final

from jupyter_colophon.core.changes.inbox import DeadLetter, Rejection
from jupyter_colophon.core.datahub import mcp
from jupyter_colophon.core.documents.json_parsing import parse_json
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.errors import MalformedBody, NotFound, TooLarge
from jupyter_colophon.core.identity.urn import Urn, make_single_key_urn
from jupyter_colophon.core.model.registry import AspectSpec, Registry
from jupyter_colophon.core.model.system_metadata import NO_RUN

Document = dict[str, Any]
_ANYTHING: Final = "application/octet-stream"


def build_metadata_change_log(change: Change, registry: Registry) -> Document | None:
    """Return the MetadataChangeLog of a change; None for runs, accesses and deleted entities.

    The deletion of an entity is reported by the change that deletes its key aspect.
    """
    if change.aspect is None:
        return None
    entry: Document = {
        "entityType": change.type,
        "entityUrn": str(Urn.parse(change.urn)),
        "changeType": _get_change_type(change, registry),
        "aspectName": change.aspect,
        "created": {"time": change.time, "actor": str(make_single_key_urn("corpuser", change.actor))},
    }
    if change.value is not None:
        entry |= {"aspect": mcp.build_generic_aspect(change.value), "systemMetadata": _build_system_metadata(change)}
    if change.previous is not None:
        entry["previousAspectValue"] = mcp.build_generic_aspect(change.previous)
    if change.previous_system is not None:
        entry["previousSystemMetadata"] = change.previous_system.document
    return entry


def is_timeseries(change: Change, registry: Registry) -> bool:
    """Return whether a change belongs to a timeseries aspect."""
    spec = _find_aspect_spec(change, registry)
    return spec is not None and spec.timeseries


def build_failed_proposals_of_letter(letter: DeadLetter) -> Iterator[tuple[str, Document]]:
    """Yield each proposal of a dead letter as a FailedMetadataChangeProposal, with the URN it is about.

    A message that could be parsed is included unchanged, any other as text.
    """
    error = _format_rejection(letter.refusal)
    if letter.document is None:
        for proposal in letter.proposals:
            yield str(proposal.urn), {"metadataChangeProposal": mcp.build_proposal_document(proposal), "error": error}
        return
    document = _parse_original_message(letter.document)
    urn = document.get("entityUrn")
    yield urn if isinstance(urn, str) else "", {"metadataChangeProposal": document, "error": error}


def _parse_original_message(text: str) -> Document:
    try:
        document = parse_json(text.encode())
    except (MalformedBody, TooLarge):
        document = None
    if (
        isinstance(document, dict)
        and isinstance(document.get("entityType"), str)
        and isinstance(document.get("changeType"), str)
    ):
        return document
    return {"entityType": "", "changeType": "UPSERT", "aspect": {"value": text, "contentType": _ANYTHING}}


def _format_rejection(refusal: Rejection) -> str:
    places = "".join(f"; {problem.pointer}: {problem.message}" for problem in refusal.problems)
    return f"{refusal.cause or 'Fault'}: {refusal.detail}{places}"


def _build_system_metadata(change: Change) -> Document:
    """Return the writer's system metadata, or the known members if there are none; versions are ours."""
    if change.system is not None:
        members = change.system.document
    else:
        run = NO_RUN if change.run is None else Urn.parse(change.run).parts[0]
        members = {"lastObserved": change.time, "runId": run}
    return members | {"version": str(change.version)}


def _get_change_type(change: Change, registry: Registry) -> str:
    if change.value is None:
        return "DELETE"
    spec = _find_aspect_spec(change, registry)
    # As in DataHub: the key aspect, which creates the entity, is CREATE, all others UPSERT.
    return "CREATE" if spec is not None and spec.key else "UPSERT"


def _find_aspect_spec(change: Change, registry: Registry) -> AspectSpec | None:
    """Return the aspect of a change, None if it is no longer registered."""
    try:
        return registry.get_aspect(change.type, change.aspect or "")
    except NotFound:
        return None
