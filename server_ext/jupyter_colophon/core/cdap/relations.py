"""Group accesses into the relations between datasets and programs that CDAP's clients expect."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

Part = Literal["access", "run", "component"]


@dataclass(frozen=True, slots=True)
class ProgramAccess:
    """One access. `component` is empty if the access has none, `run` is empty for declared lineage."""

    data: str
    program: str
    access: str
    run: str
    component: str


@dataclass(frozen=True, slots=True)
class Relation:
    """A dataset and a program, with all values of the collapsed parts."""

    data: str
    program: str
    accesses: tuple[str, ...]
    runs: tuple[str, ...]
    components: tuple[str, ...]

    @property
    def access(self) -> str:
        """Return the combined access: reads and writes together are `both`."""
        known_accesses = set(self.accesses) - {"unknown"}
        if known_accesses in ({"read", "write"}, {"read", "both"}, {"write", "both"}, {"read", "write", "both"}):
            return "both"
        return next(iter(known_accesses), "unknown")


def group_accesses(accesses: Iterable[ProgramAccess], collapse: Collection[Part]) -> list[Relation]:
    """Return one relation for each dataset, program and value of the parts that are not collapsed. Runs keep their
    order.
    """
    groups: dict[tuple[str, ...], list[ProgramAccess]] = defaultdict(list)
    for access in drop_redundant_unknown_accesses(accesses):
        parts = (("access", access.access), ("run", access.run), ("component", access.component))
        groups[access.data, access.program, *("" if name in collapse else value for name, value in parts)].append(
            access
        )
    return [
        Relation(
            data=key[0],
            program=key[1],
            accesses=tuple(sorted({access.access for access in group})),
            runs=tuple(dict.fromkeys(access.run for access in group if access.run)),
            components=tuple(sorted({access.component for access in group if access.component})),
        )
        for key, group in sorted(groups.items())
    ]


def drop_redundant_unknown_accesses(accesses: Iterable[ProgramAccess]) -> list[ProgramAccess]:
    """Return the accesses without those of unknown kind for which a known access of the same run and component exists."""
    distinct = list(dict.fromkeys(accesses))
    known_keys = {
        (access.data, access.program, access.run, access.component) for access in distinct if access.access != "unknown"
    }
    return [
        access
        for access in distinct
        if access.access != "unknown" or (access.data, access.program, access.run, access.component) not in known_keys
    ]
