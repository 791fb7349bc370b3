"""Lineage without a program: what somebody says that data is made of (the aspect `upstreamLineage`, catalog.md 5.5).

It is shown through a program `-` of the data's namespace that is named for who says so. Each data has one of its own
for each source: one for all would make everything that a source speaks of upstream of everything else.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any, Final

from jupyter_colophon.core.errors import IllegalName, Problem
from jupyter_colophon.core.names import APPLICATION_ORCHESTRATOR, Urn, data_flow, data_job, program_of

ASPECT: Final = "upstreamLineage"
#: The application of such programs, which lineage keys show (`job.<namespace>.-.<source>`).
APPLICATION: Final = "-"
_TYPE: Final = "jobs"
_SOURCE_CHARACTERS: Final = 120
_MARK: Final = "asserted:"


def program(namespace: str, source: str, data: str) -> Urn:
    """What stands for the program, where `source` says what this data is made of."""
    shown = "".join(character if character.isprintable() else "?" for character in source)[:_SOURCE_CHARACTERS] or "?"
    which = hashlib.sha256(data.encode()).hexdigest()[:16]
    return data_job(data_flow(APPLICATION_ORCHESTRATOR, APPLICATION, namespace), f"{_TYPE}.{shown}#{which}")


def source_of(urn: Urn) -> str | None:
    """Who says so, of what `program` made; None for every other URN."""
    found = program_of(urn)
    if found is None or found[1:3] != (APPLICATION, _TYPE):
        return None
    source, hash_, _ = found[3].rpartition("#")
    return source if hash_ else None


def while_in_force(data: str, version: int) -> str:
    """What stands for a run: the time during which a version of the aspect is in force."""
    return f"{_MARK}{version}:{data}"


def in_force(run: str) -> tuple[str, int] | None:
    """Data and version, of what `while_in_force` made; None for a run."""
    if not run.startswith(_MARK):
        return None
    version, _, data = run.removeprefix(_MARK).partition(":")
    return data, int(version)


def upstreams(value: Mapping[str, Any]) -> list[str]:
    """The data of which a value of the aspect speaks, as URNs."""
    return sorted({str(Urn.parse(one["dataset"])) for one in value["upstreams"]})


def problems(value: Mapping[str, Any]) -> Sequence[Problem]:
    """What is wrong with a value that its schema takes."""
    return [
        Problem(f"/upstreams/{at}/dataset", told)
        for at, one in enumerate(value["upstreams"])
        if (told := _wrong(one["dataset"]))
    ]


def _wrong(urn: str) -> str:
    try:
        return "" if Urn.parse(urn).type == "dataset" else "is no dataset"
    except IllegalName as error:
        return error.detail
