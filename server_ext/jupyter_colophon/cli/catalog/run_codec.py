"""Runs between the native API's documents and the command line."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from jupyter_colophon.core.lineage.run import RecordedAccess, Run, Said, Snapshot, Touched
from jupyter_colophon.core.time_format import format_time, parse_instant

Document = Mapping[str, Any]


def run(told: Document) -> Run:
    """A run out of `run.json`."""
    return Run(
        urn=told["urn"],
        run_id=told["runId"],
        program=told["program"],
        name=told["name"],
        status=told["status"],
        start=parse_instant(told["start"]),
        end=None if told["end"] is None else parse_instant(told["end"]),
        parent=told["parent"],
        actor=told["actor"],
        via=told["via"],
        facts=told["facts"],
        accesses=tuple(_access(one) for one in told["accesses"]),
        arguments=told["arguments"],
        intended=tuple(told["intendedOutputs"]),
    )


def touched(told: Document) -> Touched:
    """What a run had to do with an entity, out of `touched.json`."""
    rest = _timed(told)
    user, system = rest.pop("user"), rest.pop("system")
    return Touched(**rest, snapshot=Snapshot(_said(user), None if system is None else _said(system)))


def run_shown(value: Run) -> dict[str, Any]:
    """A run as `--json` tells it."""
    end = None if value.end is None else format_time(value.end)
    told = asdict(value) | {"start": format_time(value.start), "end": end}
    told["runId"], told["intendedOutputs"] = told.pop("run_id"), told.pop("intended")
    told["accesses"] = [_shown(one) for one in told["accesses"]]
    return told


def touched_shown(value: Touched) -> dict[str, Any]:
    """What a run had to do with an entity, as `--json` tells it."""
    told = _shown(asdict(value))
    snapshot: dict[str, Any] = told.pop("snapshot")
    return told | snapshot


def _access(told: Document) -> RecordedAccess:
    return RecordedAccess(**(_timed(told) | {"statements": tuple(told["statements"])}))


def _timed(told: Document) -> dict[str, Any]:
    return {**told, "first": parse_instant(told["first"]), "last": parse_instant(told["last"])}


def _shown(told: Document) -> dict[str, Any]:
    return {**told, "first": format_time(told["first"]), "last": format_time(told["last"])}


def _said(told: Document) -> Said:
    return Said(told["properties"], tuple(told["tags"]))
