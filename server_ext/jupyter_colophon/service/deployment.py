"""Making namespaces, datasets, streams and applications known, with what the product itself says of them.

What is deployed again is merged; what the product said before, and no longer says, goes (catalog.md 3.2 and 6.1).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from jupyter_colophon.core import names
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.annotation import Annotation
from jupyter_colophon.core.deployed import Deployed
from jupyter_colophon.core.entity import Entity
from jupyter_colophon.core.errors import Absent, InvalidInstance, Problem
from jupyter_colophon.core.fields import columns_of_avro
from jupyter_colophon.core.names import Urn
from jupyter_colophon.core.proposal import Proposal, Written
from jupyter_colophon.core.scoped import SCHEMA_TEXT
from jupyter_colophon.service.read import Reader
from jupyter_colophon.service.write_path import WritePath

#: The word for a program's type in its application's SYSTEM properties, and the mode it works in (catalog.md 6.1).
_PROGRAMS: Final = {
    "flows": ("Flow", "Realtime"),
    "mapreduce": ("MapReduce", "Batch"),
    "spark": ("Spark", "Batch"),
    "workflows": ("Workflow", "Batch"),
    "services": ("Service", "Realtime"),
    "workers": ("Worker", "Realtime"),
    "notebooks": ("Notebook", "Interactive"),
    "cells": ("Cell", "Interactive"),
    "jobs": ("Job", "Batch"),
}


@dataclass(frozen=True, slots=True)
class Deployer:
    """Makes entities known for those who deploy. All raise Absent for a namespace that there is not."""

    reader: Reader
    write_path: WritePath

    def namespace(self, name: str, facts: Mapping[str, str], principal: Principal) -> list[Written]:
        """Make a namespace, or say more of it."""
        urn = names.namespace(name)
        return self.write_path.propose([*_facts(urn, Annotation(facts), "nothing")], principal)

    def entity(self, urn: Urn, told: Deployed, principal: Principal) -> list[Written]:
        """Make a dataset or a stream, or say more of it."""
        return self.write_path.propose([*_proposals(urn, told)], principal)

    def application(
        self, urn: Urn, told: Deployed, programs: Mapping[str, Iterable[str]], principal: Principal
    ) -> list[Written]:
        """Deploy an application with exactly these programs, ids by type; those it no longer has are deleted."""
        wanted = [_program(urn, type_, id_) for type_, ids in programs.items() for id_ in ids]
        facts = {f"{_PROGRAMS[type_][0]}:{id_}": id_ for type_, ids in programs.items() for id_ in ids}
        before = self._before(urn, principal)
        gone = [] if before is None else _former(urn, before, set(wanted))
        stale = frozenset() if before is None else _stale(before, facts)
        proposals = [*_proposals(urn, replace(told, facts={**told.facts, **facts}), stale)]
        for program in wanted:
            proposals += _proposals(program, _of_program(program))
        proposals += [Proposal(program, None, "delete") for program in gone if self._before(program, principal)]
        return self.write_path.propose(proposals, principal)

    def _before(self, urn: Urn, principal: Principal) -> Entity | None:
        try:
            return self.reader.entity(urn, ["technicalMetadata"], principal)
        except Absent:
            return None


def _proposals(urn: Urn, told: Deployed, stale: frozenset[str] = frozenset()) -> Iterable[Proposal]:
    yield from _facts(urn, Annotation(told.facts, told.labels, without_properties=stale), "namespace")
    if told.settings:
        settings = {"customProperties": dict(told.settings)}
        yield Proposal(urn, "datasetProperties", "patch", settings, needs="namespace")
    if told.schema is not None:
        value = {"fields": _columns(told.schema), "platformSchema": {SCHEMA_TEXT: told.schema}}
        yield Proposal(urn, "schemaMetadata", "upsert", value, needs="namespace")
    if told.said != Annotation():
        yield Proposal(urn, "businessMetadata", "annotate", told.said, needs="namespace")


def _facts(urn: Urn, annotation: Annotation, needs: Any) -> Iterable[Proposal]:
    yield Proposal(urn, "status", "upsert", {"removed": False}, needs=needs)
    if annotation != Annotation():
        yield Proposal(urn, "technicalMetadata", "annotate", annotation, needs=needs)


def _columns(schema: str) -> list[dict[str, str]]:
    return [{"fieldPath": path, "nativeDataType": type_} for path, type_ in columns_of_avro(schema)]


def _program(application: Urn, type_: str, id_: str) -> Urn:
    if type_ not in _PROGRAMS:
        raise InvalidInstance("the application", (Problem(f"/programs/{type_}", f"one of {', '.join(_PROGRAMS)}"),))
    return names.program(application.parts[2], application.parts[1], type_, id_)


def _of_program(program: Urn) -> Deployed:
    type_, id_ = program.parts[1].split(".", 1)
    word, mode = _PROGRAMS[type_]
    return Deployed(labels=tuple(dict.fromkeys((id_, word, mode))))


def _ours(key: str) -> tuple[str, str] | None:
    """Type and id of the program that a property of an application names."""
    word, colon, id_ = key.partition(":")
    type_ = next((type_ for type_, (told, _) in _PROGRAMS.items() if told == word), None)
    return None if type_ is None or not colon else (type_, id_)


def _stale(before: Entity, facts: Mapping[str, str]) -> frozenset[str]:
    return frozenset(key for key in _named(before) if key not in facts)


def _former(application: Urn, before: Entity, wanted: set[Urn]) -> list[Urn]:
    found = [_program(application, *told) for key in _named(before) if (told := _ours(key)) is not None]
    return [program for program in found if program not in wanted]


def _named(before: Entity) -> list[str]:
    aspect = before.aspects.get("technicalMetadata")
    return [] if aspect is None else [key for key in aspect.value["properties"] if _ours(key)]
