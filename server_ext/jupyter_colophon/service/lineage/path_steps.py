"""The steps between data and programs over which ways are looked for, from the relations that a walk met.

A reader of a way sees programs, not their statements: two statements of one program that lead from the same data to the
same data are one way. So the flows of a program are sorted by the data that they are entered from.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model import declared_lineage
from jupyter_colophon.service.lineage.lineage_traversal import READ, WALKED_READ, WALKED_WRITE, WRITE
from jupyter_colophon.service.lineage.shortest_paths import Arrow
from jupyter_colophon.storage.lineage.run_accesses import Triple
from jupyter_colophon.storage.lineage.statements import flow_of, program_of_flow, statement_of_flow

_READ, _WRITE = frozenset((*READ, *WALKED_READ)), frozenset((*WRITE, *WALKED_WRITE))


class Steps:
    """The steps that the relations of a walk allow, with the relations behind each."""

    def __init__(self, triples: Iterable[Triple], ends: Collection[str]) -> None:
        """`ends` are where ways begin and end: a program among them is not divided by its statements."""
        self._behind: dict[Arrow, set[Triple]] = defaultdict(set)
        by_program: dict[str, list[Triple]] = defaultdict(list)
        for triple in triples:
            by_program[triple[1]].append(triple)
        for node, met in by_program.items():
            if program_of_flow(node) in ends or not (statement_of_flow(node) or is_stand_in(node)):
                self._add(program_of_flow(node), met)
            else:
                self._add_by_source(node, met)

    def arrows(self) -> Iterable[Arrow]:
        """All steps."""
        return self._behind

    def behind(self, arrows: Iterable[Arrow]) -> set[Triple]:
        """The relations behind these steps."""
        return {triple for arrow in arrows for triple in self._behind[arrow]}

    def _add(self, program: str, met: Iterable[Triple]) -> None:
        for triple in met:
            for arrow in _arrows(triple[0], program, triple[2]):
                self._behind[arrow].add(triple)

    def _add_by_source(self, node: str, met: Collection[Triple]) -> None:
        # A stand-in for a program is not shown: it has no name here.
        program = "" if is_stand_in(node) else program_of_flow(node)
        for read in met:
            if read[2] in _READ:
                step = flow_of(program, read[0])
                self._behind[read[0], step].add(read)
                for write in met:
                    if write[2] in _WRITE:
                        self._behind[step, write[0]].add(write)


def shown_nodes(path: Iterable[str]) -> tuple[str, ...]:
    """Return a way with the programs in the place of their flows, and without what stands in for a program."""
    return tuple(name for node in path if (name := program_of_flow(node)))


def is_stand_in(node: str) -> bool:
    """Whether a node stands for somebody who declares what data is made of."""
    return not statement_of_flow(node) and declared_lineage.source_of(Urn.parse(node)) is not None


def _arrows(data: str, program: str, mode: str) -> Iterator[Arrow]:
    """Data may flow either way over an access of unknown kind."""
    if mode in _READ:
        yield data, program
    if mode in _WRITE:
        yield program, data
