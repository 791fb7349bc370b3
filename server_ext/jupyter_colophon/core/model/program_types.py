"""The types of programs: the word that metadata has for each, and the mode it works in."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from jupyter_colophon.core.identity.urn import PREFIX


class ProgramKind(NamedTuple):
    """What the catalog says of a type of program."""

    word: str
    mode: str


#: By the type's word in paths.
KINDS: Final[Mapping[str, ProgramKind]] = {
    "flows": ProgramKind("Flow", "Realtime"),
    "mapreduce": ProgramKind("MapReduce", "Batch"),
    "spark": ProgramKind("Spark", "Batch"),
    "workflows": ProgramKind("Workflow", "Batch"),
    "services": ProgramKind("Service", "Realtime"),
    "workers": ProgramKind("Worker", "Realtime"),
    "notebooks": ProgramKind("Notebook", "Interactive"),
    "cells": ProgramKind("Cell", "Interactive"),
    "jobs": ProgramKind("Job", "Batch"),
}

#: The type whose programs are made of nodes.
WORKFLOWS: Final = "workflows"
#: The programs of an application by type and id, each with the nodes that it is made of.
Programs = Mapping[str, Mapping[str, tuple[str, ...]]]


def programs_of(listed: Mapping[str, Iterable[Any]]) -> Programs:
    """Parse the programs in a `/v3` request: ids by type; a workflow may also be `{"name", "nodes"}`."""
    return {type_: dict(map(_program, all_)) for type_, all_ in listed.items()}


def labels(type_: str, id_: str, nodes: Iterable[str] = ()) -> tuple[str, ...]:
    """The SYSTEM tags of a program: its name, unless that is a URN, its type, its mode, and the nodes of a workflow."""
    named = () if id_.startswith(PREFIX) else (id_,)
    return tuple(dict.fromkeys((*named, *KINDS[type_], *nodes)))


def _program(entry: Any) -> tuple[str, tuple[str, ...]]:
    return (entry, ()) if isinstance(entry, str) else (entry["name"], tuple(entry.get("nodes", ())))
