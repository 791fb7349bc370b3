"""Values as the documents of `schemas/api`."""

from collections.abc import Collection, Iterable
from dataclasses import asdict
from typing import Any

from jupyter_colophon.core.changes.inbox import DeadLetter, InboxEntry
from jupyter_colophon.core.changes.sink_status import SinkState
from jupyter_colophon.core.documents.json_values import measure
from jupyter_colophon.core.entities.annotation import Annotation
from jupyter_colophon.core.entities.descriptors_of import Shown
from jupyter_colophon.core.entities.entity import Aspect, AspectVersion, Entity, EntitySummary, Stamp
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.run import Access, ColumnEdge, Run, RunChange, RunStart, Touched
from jupyter_colophon.core.model.proposal import Condition, Proposal, Written
from jupyter_colophon.core.model.registry import EntityType
from jupyter_colophon.core.model.system_metadata import SystemMetadata
from jupyter_colophon.core.model.vocabulary import described_members
from jupyter_colophon.core.read_budget import LIST_BYTES_MAX, take_page
from jupyter_colophon.core.search.search import Hit
from jupyter_colophon.core.time_format import format_time, parse_instant
from jupyter_colophon.operations.problems import refusal
from jupyter_colophon.service.datahub.timeseries import TimedValue

Document = dict[str, Any]


def time_or_none(ms: int | None) -> str | None:
    """A time, or null."""
    return None if ms is None else format_time(ms)


def stamp(value: Stamp) -> Document:
    """When, and by whom."""
    return {"time": format_time(value.time), "actor": value.actor}


def summary(value: EntitySummary) -> Document:
    """`entity-summary.json`."""
    told = asdict(value) | {"created": stamp(value.created), "updated": stamp(value.updated)}
    if not told["removed"]:
        del told["removed"]
    return told


def aspect(value: Aspect) -> Document:
    """`aspect.json`."""
    told = asdict(value) | {"time": format_time(value.time)}
    return _with_system(told, value.system)


def timed_value(value: TimedValue) -> Document:
    """One of `timeseries-values.json`."""
    told = {"time": format_time(value.time), "recorded": format_time(value.recorded), "actor": value.actor}
    return told | {"value": dict(value.value)}


def entity(value: Entity, shown: Iterable[Shown]) -> Document:
    """`entity.json`."""
    return summary(value.summary) | {
        "aspects": {name: aspect(one) for name, one in value.aspects.items()},
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
    told = {
        "urn": str(value.urn),
        "aspect": value.aspect,
        "version": value.version,
        "seq": value.seq,
        "changed": value.changed,
    }
    return told | ({"filtered": True} if value.filtered else {})


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
    told = asdict(value) | {
        "time": format_time(value.time),
        "deleted": value.value is None,
        "diff": list(value.diff),
    }
    return _with_system(told, value.system)


def _with_system(told: Document, system: SystemMetadata | None) -> Document:
    """What the writer said of itself, in DataHub's words, where it said anything."""
    del told["system"]
    return told if system is None else told | {"systemMetadata": system.document}


def run(value: Run) -> Document:
    """`run.json`."""
    return {
        "urn": value.urn,
        "runId": value.run_id,
        "program": value.program,
        "name": value.name,
        "status": value.status,
        "start": format_time(value.start),
        "end": time_or_none(value.end),
        "parent": value.parent,
        "actor": value.actor,
        "via": value.via,
        "facts": dict(value.facts),
        "arguments": dict(value.arguments),
        "intendedOutputs": list(value.intended),
        "accesses": [
            asdict(access)
            | {"first": format_time(access.first), "last": format_time(access.last)}
            | {"statements": list(access.statements)}
            for access in value.accesses
        ],
    }


def touched(values: Collection[Touched]) -> Document:
    """Return `run-accesses.json`, with no more than LIST_BYTES_MAX of it."""
    shown = list(take_page(map(_touched, values), measure, LIST_BYTES_MAX))
    return {"accesses": shown, "truncated": len(shown) < len(values)}


def _touched(one: Touched) -> Document:
    told = asdict(one)
    told |= told.pop("snapshot")
    return told | {"first": format_time(one.first), "last": format_time(one.last)}


def hit(value: Hit) -> Document:
    """One of the hits of `search-results.json`."""
    return summary(value.summary) | {
        "description": value.description,
        "tags": list(value.tags),
        "terms": list(value.terms),
        "domains": list(value.domains),
        "owner": value.owner,
        "matches": [
            {
                "key": one.key,
                "value": one.value,
                "scope": one.scope,
                "aspect": one.aspect,
                "matchedOn": one.where,
                "parts": [{"text": part.text, "highlighted": part.found} for part in one.parts],
            }
            for one in value.matches
        ],
    }


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


def run_start(document: Document) -> RunStart:
    """A run from `run-start.json`."""
    end = document.get("end")
    return RunStart(
        program=Urn.parse(document["program"]),
        run_id=document["runId"],
        start=parse_instant(document["start"]),
        end=None if end is None else parse_instant(end),
        status=document.get("status", "running"),
        parent=document.get("parent"),
        facts=document.get("facts", {}),
        arguments=document.get("arguments", {}),
    )


def run_change(document: Document) -> RunChange:
    """How a run went on, from `run-change.json`."""
    end = document.get("end")
    return RunChange(
        document.get("status"),
        None if end is None else parse_instant(end),
        document.get("facts", {}),
        document.get("arguments", {}),
        tuple(map(Urn.parse, document.get("intendedOutputs", ()))),
    )


def access(document: Document) -> Access:
    """One of the accesses of `accesses.json`."""
    time = document.get("time")
    return Access(
        Urn.parse(document["data"]),
        document["mode"],
        document.get("component", ""),
        None if time is None else parse_instant(time),
        statement=document.get("statement"),
    )


def column_edge(document: Document) -> ColumnEdge:
    """One of the columns of `accesses.json`."""
    return ColumnEdge(
        Urn.parse(document["source"]),
        document["sourceField"],
        Urn.parse(document["target"]),
        document["targetField"],
        document["transformation"],
    )
