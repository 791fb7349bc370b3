"""Relations of data and programs as CDAP's clients know them: accesses that are gathered."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

Part = Literal["access", "run", "component"]


@dataclass(frozen=True, slots=True)
class Met:
    """One access; `component` is "" where none is named, `run` is "" where no run is known: it is asserted."""

    data: str
    program: str
    access: str
    run: str
    component: str


@dataclass(frozen=True, slots=True)
class Relation:
    """Data and a program; of parts that are gathered, all values."""

    data: str
    program: str
    accesses: tuple[str, ...]
    runs: tuple[str, ...]
    components: tuple[str, ...]

    @property
    def access(self) -> str:
        """The accesses in one word: what is read and written is both."""
        known = set(self.accesses) - {"unknown"}
        if known in ({"read", "write"}, {"read", "both"}, {"write", "both"}, {"read", "write", "both"}):
            return "both"
        return next(iter(known), "unknown")


def gathered(met: Iterable[Met], collapse: Collection[Part]) -> list[Relation]:
    """One relation for each data, program, and each part that is not collapsed; runs stay in the order they came in."""
    groups: dict[tuple[str, ...], list[Met]] = defaultdict(list)
    for one in standing(met):
        parts = (("access", one.access), ("run", one.run), ("component", one.component))
        groups[one.data, one.program, *("" if name in collapse else value for name, value in parts)].append(one)
    return [
        Relation(
            data=key[0],
            program=key[1],
            accesses=tuple(sorted({one.access for one in group})),
            runs=tuple(dict.fromkeys(one.run for one in group if one.run)),
            components=tuple(sorted({one.component for one in group if one.component})),
        )
        for key, group in sorted(groups.items())
    ]


def standing(met: Iterable[Met]) -> list[Met]:
    """Without accesses of unknown kind where the same run and component has one of a known kind."""
    found = list(dict.fromkeys(met))
    known = {(one.data, one.program, one.run, one.component) for one in found if one.access != "unknown"}
    return [
        one for one in found if one.access != "unknown" or (one.data, one.program, one.run, one.component) not in known
    ]
