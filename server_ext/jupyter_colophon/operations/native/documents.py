"""Render the documents of `schemas/api` that are composed of several values; `to_document` renders the others."""

from collections.abc import Collection, Iterable
from typing import Any

from jupyter_colophon.core.changes.inbox import DeadLetter, InboxEntry, Rejection
from jupyter_colophon.core.changes.independent_batch import ProposalOutcome, ProposalPreview
from jupyter_colophon.core.changes.sink_status import SinkState
from jupyter_colophon.core.changes.work_progress import WorkProgress
from jupyter_colophon.core.documents.codec import to_api_document
from jupyter_colophon.core.documents.json_values import measure_json_bytes
from jupyter_colophon.core.entities.annotation import MetadataAnnotation
from jupyter_colophon.core.entities.descriptors_of import ResolvedDescriptor
from jupyter_colophon.core.entities.entity import AspectVersion, Entity
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.run import RunEntity
from jupyter_colophon.core.model.proposal import UNCONDITIONAL, Proposal, ProposalResult, WriteCondition
from jupyter_colophon.core.model.registry import EntityType
from jupyter_colophon.core.model.review import Review
from jupyter_colophon.core.model.system_metadata import SystemMetadata
from jupyter_colophon.core.model.vocabulary import list_members_shown_by_descriptors
from jupyter_colophon.core.read_budget import LIST_BYTES_MAX, limit_items_to_page_bytes
from jupyter_colophon.core.search.search import Hit
from jupyter_colophon.core.time_format import format_ms_as_iso_time
from jupyter_colophon.operations.problems import render_rejection_as_problem
from jupyter_colophon.service.datahub.timeseries import TimeseriesValue

Document = dict[str, Any]


def format_time_or_none(ms: int | None) -> str | None:
    """Return a time, or None."""
    return None if ms is None else format_ms_as_iso_time(ms)


def render_timeseries_value(value: TimeseriesValue) -> Document:
    """Return one value of `timeseries-values.json`."""
    document = {
        "time": format_ms_as_iso_time(value.time),
        "recorded": format_ms_as_iso_time(value.recorded),
        "actor": value.actor,
    }
    withheld = {"withheld": list(value.withheld)} if value.withheld else {}
    return document | withheld | {"value": dict(value.value)}


def render_entity(value: Entity, descriptors: Iterable[ResolvedDescriptor]) -> Document:
    """Return `entity.json`."""
    return to_api_document(value.summary) | {
        "aspects": {name: to_api_document(aspect) for name, aspect in value.aspects.items()},
        "descriptors": [render_descriptor(item) for item in descriptors],
    }


def render_descriptor(value: ResolvedDescriptor) -> Document:
    """Return `descriptor.json`."""
    descriptor = value.descriptor
    return {
        "kind": descriptor.kind,
        "key": descriptor.key,
        "text": descriptor.text,
        "name": value.name,
        "urn": descriptor.urn or None,
        "aspect": descriptor.aspect,
        "scope": descriptor.scope,
        "source": value.source,
        "column": descriptor.column or None,
        "detail": descriptor.detail,
    }


def render_entity_type(value: EntityType) -> Document:
    """Return `entity-type.json`."""
    return {
        "type": value.type,
        "title": value.title,
        "keyAspect": value.key_aspect,
        "aspects": [
            {
                "name": spec.name,
                "title": spec.title,
                "scope": spec.scope,
                "key": spec.key,
                "editableByDefault": spec.editable_by_default,
                "timeseries": spec.timeseries,
                "schema": spec.schema.document,
                "uihints": dict(spec.uihints),
                "described": list(list_members_shown_by_descriptors(spec.name, spec.contributes)),
            }
            for spec in value.aspects
        ],
    }


def render_write_result(value: ProposalResult) -> Document:
    """Return `write-result.json`."""
    document = {
        "urn": str(value.urn),
        "aspect": value.aspect,
        "version": value.version,
        "seq": value.seq,
        "changed": value.has_changed,
    }
    return document | ({"skipped": True} if value.skipped else {})


def render_write_results(values: Iterable[ProposalResult]) -> Document:
    """Return `write-results.json`."""
    return {"results": [render_write_result(value) for value in values]}


def render_proposal_outcome(proposal: Proposal, value: ProposalOutcome) -> Document:
    """Return one outcome of `proposal-outcomes.json`."""
    result = value.result
    return _render_outcome(
        proposal,
        version=None if result is None else result.version,
        changed=result is not None and result.has_changed,
        rejection=value.rejection,
    )


def render_proposal_preview(proposal: Proposal, value: ProposalPreview) -> Document:
    """Return one outcome of `proposal-outcomes.json` with the values before and after it."""
    document = _render_outcome(
        proposal,
        version=value.version if value.rejection is None else None,
        changed=value.before != value.after,
        rejection=value.rejection,
    )
    return document | ({"before": value.before, "after": value.after} if value.rejection is None else {})


def _render_outcome(proposal: Proposal, *, version: int | None, changed: bool, rejection: Rejection | None) -> Document:
    return {
        "urn": str(proposal.urn),
        "aspect": proposal.aspect,
        "version": version,
        "changed": changed,
        "problem": None if rejection is None else render_rejection_as_problem(rejection),
    }


def render_review(value: Review) -> Document:
    """Return `proposal-review.json`."""
    return {
        "id": str(value.id),
        "state": value.state,
        "request": to_api_document(value.request),
        "expires": format_time_or_none(value.expires),
        "mayDecide": value.may_decide,
        "mayWithdraw": value.may_withdraw,
        "isOutdated": value.is_outdated,
        "changes": [
            {
                "urn": str(change.proposal.urn),
                "aspect": change.proposal.aspect,
                "operation": change.proposal.operation,
                "before": change.before,
                "after": change.after,
                "problem": None if change.problem is None else render_rejection_as_problem(change.problem),
            }
            for change in value.changes
        ],
    }


def render_inbox_entry(value: InboxEntry) -> Document:
    """Return `inbox-entry.json`."""
    return {
        "id": str(value.id),
        "state": value.state,
        "time": format_ms_as_iso_time(value.time),
        "results": [render_write_result(result) for result in value.results],
        "problem": None if value.refusal is None else render_rejection_as_problem(value.refusal),
        "deadLetter": None if value.refusal is None else str(value.id),
    }


def render_sink_state(value: SinkState, kind: str) -> Document:
    """Return one sink of `health.json`."""
    return {
        "name": value.name,
        "kind": kind,
        "lag": value.undelivered,
        "oldestPending": format_time_or_none(value.oldest),
        "attempts": value.attempts,
        "problem": value.problem,
        "skipped": value.lost,
        "deadLetters": value.dead_letters,
    }


def render_work_progress(value: WorkProgress, now: int) -> Document:
    """Return one item of the background work of `health.json`."""
    return {
        "name": value.name,
        "pending": value.pending,
        "oldestPending": format_time_or_none(value.oldest),
        "stalledSeconds": value.measure_stall_ms(now) // 1_000,
        "problem": value.problem,
    }


def render_dead_letter(value: DeadLetter) -> Document:
    """Return `dead-letter.json`: the failed request without its values."""
    return {
        "id": str(value.id),
        "kind": value.kind,
        "actor": value.sender.user,
        "via": value.sender.via,
        "run": value.run,
        "time": format_ms_as_iso_time(value.time),
        "failed": format_ms_as_iso_time(value.failed),
        "attempts": value.attempts,
        "problem": render_rejection_as_problem(value.refusal),
        "change": value.seq,
        "proposals": [
            {"urn": str(proposal.urn), "aspect": proposal.aspect, "operation": proposal.operation}
            for proposal in value.proposals
        ],
    }


def render_version(value: AspectVersion) -> Document:
    """Return one version of `versions.json`."""
    document = to_api_document(value)
    system = document.pop("systemMetadata", None)
    document["deleted"] = value.value is None
    return document if system is None else document | {"systemMetadata": system}


def render_accesses(values: Collection[RunEntity]) -> Document:
    """Return `run-accesses.json`, truncated to LIST_BYTES_MAX."""
    accesses = list(limit_items_to_page_bytes(map(_render_access, values), measure_json_bytes, LIST_BYTES_MAX))
    return {"accesses": accesses, "truncated": len(accesses) < len(values)}


def _render_access(value: RunEntity) -> Document:
    document = to_api_document(value)
    snapshot: Document = document.pop("snapshot")
    return document | snapshot


def render_hit(value: Hit) -> Document:
    """Return one hit of `search-results.json`."""
    document = to_api_document(value)
    summary: Document = document.pop("summary")
    return summary | document


def parse_proposal(document: Document) -> Proposal:
    """Parse `proposal.json`."""
    operation, value, system = document["operation"], document.get("value"), document.get("systemMetadata")
    return Proposal(
        Urn.parse(document["urn"]),
        document.get("aspect"),
        operation,
        MetadataAnnotation.from_document(value or {}) if operation == "annotate" else value,
        WriteCondition(version=document["ifVersion"]) if "ifVersion" in document else UNCONDITIONAL,
        document.get("run"),
        if_absent=document.get("ifAbsent", False),
        system=None if system is None else SystemMetadata.from_document(system, "/systemMetadata"),
    )
