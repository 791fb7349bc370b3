"""The types of programs: their names in metadata, and their modes."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from jupyter_colophon.core.identity.urn import PREFIX


class ProgramKind(NamedTuple):
    """The metadata of a type of program."""

    word: str
    mode: str


#: By the type's name in paths.
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

#: The type whose programs consist of nodes.
WORKFLOWS: Final = "workflows"
#: The programs of an application by type and id, each with its nodes.
Programs = Mapping[str, Mapping[str, tuple[str, ...]]]


def parse_programs_of_request(ids_by_type: Mapping[str, Iterable[Any]]) -> Programs:
    """Parse the programs in a `/v3` request: ids by type; a workflow may also be `{"name", "nodes"}`."""
    return {type_: dict(map(_parse_program_entry, all_)) for type_, all_ in ids_by_type.items()}


def make_program_tags(type_: str, id_: str, nodes: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the SYSTEM tags of a program: its name, unless that is a URN, its type, its mode, and the nodes of a
    workflow.
    """
    named = () if id_.startswith(PREFIX) else (id_,)
    return tuple(dict.fromkeys((*named, *KINDS[type_], *nodes)))


def _parse_program_entry(entry: Any) -> tuple[str, tuple[str, ...]]:
    return (entry, ()) if isinstance(entry, str) else (entry["name"], tuple(entry.get("nodes", ())))
