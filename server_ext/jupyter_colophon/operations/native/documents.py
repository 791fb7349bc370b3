"""Values as those documents of `schemas/api` that are composed: `to_document` makes the others."""

from collections.abc import Collection, Iterable
from typing import Any

from jupyter_colophon.core.changes.inbox import DeadLetter, InboxEntry
from jupyter_colophon.core.changes.sink_status import SinkState
from jupyter_colophon.core.documents.codec import to_document
from jupyter_colophon.core.documents.json_values import measure
from jupyter_colophon.core.entities.annotation import Annotation
from jupyter_colophon.core.entities.descriptors_of import Shown
from jupyter_colophon.core.entities.entity import AspectVersion, Entity
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.run import Touched
from jupyter_colophon.core.model.proposal import Condition, Proposal, Written
from jupyter_colophon.core.model.registry import EntityType
from jupyter_colophon.core.model.system_metadata import SystemMetadata
from jupyter_colophon.core.model.vocabulary import described_members
from jupyter_colophon.core.read_budget import LIST_BYTES_MAX, take_page
from jupyter_colophon.core.search.search import Hit
from jupyter_colophon.core.time_format import format_time
from jupyter_colophon.operations.problems import refusal
from jupyter_colophon.service.datahub.timeseries import TimedValue

Document = dict[str, Any]


def time_or_none(ms: int | None) -> str | None:
    """A time, or null."""
    return None if ms is None else format_time(ms)


def timed_value(value: TimedValue) -> Document:
    """One of `timeseries-values.json`."""
    document = {"time": format_time(value.time), "recorded": format_time(value.recorded), "actor": value.actor}
    return document | {"value": dict(value.value)}


def entity(value: Entity, shown: Iterable[Shown]) -> Document:
    """`entity.json`."""
    return to_document(value.summary) | {
        "aspects": {name: to_document(one) for name, one in value.aspects.items()},
        "descriptors": [descriptor(one) for one in shown],
    }


def descriptor(value: Shown) -> Document:
    """`descriptor.json`."""
    one = value.descriptor
    return {
        "kind": one.kind,
        "key": one.key,
        "text": one.text,
        "name": value.name,
        "urn": one.urn or None,
        "aspect": one.aspect,
        "scope": one.scope,
        "source": value.source,
        "column": one.column or None,
        "detail": one.detail,
    }


def entity_type(value: EntityType) -> Document:
    """`entity-type.json`."""
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
                "editableByDefault": spec.offered,
                "timeseries": spec.timeseries,
                "schema": spec.schema.document,
                "uihints": dict(spec.uihints),
                "described": list(described_members(spec.name, spec.contributes)),
            }
            for spec in value.aspects
        ],
    }


def written(value: Written) -> Document:
    """`write-result.json`."""
    document = {
        "urn": str(value.urn),
        "aspect": value.aspect,
        "version": value.version,
        "seq": value.seq,
        "changed": value.changed,
    }
    return document | ({"skipped": True} if value.skipped else {})


def written_batch(values: Iterable[Written]) -> Document:
    """`write-results.json`."""
    return {"results": [written(one) for one in values]}


def inbox_entry(value: InboxEntry) -> Document:
    """`inbox-entry.json`."""
    return {
        "id": str(value.id),
        "state": value.state,
        "time": format_time(value.time),
        "results": [written(one) for one in value.results],
        "problem": None if value.refusal is None else refusal(value.refusal),
        "deadLetter": None if value.refusal is None else str(value.id),
    }


def sink(value: SinkState, kind: str) -> Document:
    """One of the sinks of `health.json`."""
    return {
        "name": value.name,
        "kind": kind,
        "lag": value.behind,
        "oldestPending": time_or_none(value.oldest),
        "attempts": value.attempts,
        "problem": value.problem,
        "skipped": value.lost,
        "deadLetters": value.dead_letters,
    }


def dead_letter(value: DeadLetter) -> Document:
    """`dead-letter.json`: what was wanted, without its values."""
    return {
        "id": str(value.id),
        "kind": value.kind,
        "actor": value.sender.user,
        "via": value.sender.via,
        "run": value.run,
        "time": format_time(value.time),
        "failed": format_time(value.failed),
        "attempts": value.attempts,
        "problem": refusal(value.refusal),
        "change": value.seq,
        "proposals": [
            {"urn": str(one.urn), "aspect": one.aspect, "operation": one.operation} for one in value.proposals
        ],
    }


def version(value: AspectVersion) -> Document:
    """One of `versions.json`."""
    document = to_document(value)
    system = document.pop("systemMetadata", None)
    document["deleted"] = value.value is None
    return document if system is None else document | {"systemMetadata": system}


def touched(values: Collection[Touched]) -> Document:
    """Return `run-accesses.json`, with no more than LIST_BYTES_MAX of it."""
    shown = list(take_page(map(_touched, values), measure, LIST_BYTES_MAX))
    return {"accesses": shown, "truncated": len(shown) < len(values)}


def _touched(value: Touched) -> Document:
    document = to_document(value)
    snapshot: Document = document.pop("snapshot")
    return document | snapshot


def hit(value: Hit) -> Document:
    """One of the hits of `search-results.json`."""
    document = to_document(value)
    summary: Document = document.pop("summary")
    return summary | document


def proposal(document: Document) -> Proposal:
    """A proposal from `proposal.json`."""
    operation, value, system = document["operation"], document.get("value"), document.get("systemMetadata")
    return Proposal(
        Urn.parse(document["urn"]),
        document.get("aspect"),
        operation,
        Annotation.of(value or {}) if operation == "annotate" else value,
        Condition(version=document.get("ifVersion")),
        document.get("run"),
        if_absent=document.get("ifAbsent", False),
        system=None if system is None else SystemMetadata.of(system, "/systemMetadata"),
    )
