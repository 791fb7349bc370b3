"""The steps between data and programs for the path search, from the relations of a walk.

Paths show programs, not their statements: two statements of one program from the same data to the same data are one
path. So the flows of a program are grouped by the data from which they are entered.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

from jupyter_colophon.core.model import declared_lineage
from jupyter_colophon.service.lineage.lineage_traversal import READ, WALKED_READ, WALKED_WRITE, WRITE
from jupyter_colophon.service.lineage.shortest_paths import PathEdge
from jupyter_colophon.storage.lineage.run_accesses import Triple
from jupyter_colophon.storage.lineage.statements import build_flow_node, get_program_of_node, get_statement_of_node

_READ, _WRITE = frozenset((*READ, *WALKED_READ)), frozenset((*WRITE, *WALKED_WRITE))


class PathSteps:
    """The steps that the relations of a walk allow, with the relations of each."""

    def __init__(self, triples: Iterable[Triple], end_nodes: Collection[str]) -> None:
        """`end_nodes` are the ends of the paths: a program among them is not split by statements."""
        self._relations: dict[PathEdge, set[Triple]] = defaultdict(set)
        by_program: dict[str, list[Triple]] = defaultdict(list)
        for triple in triples:
            by_program[triple[1]].append(triple)
        for node, relations in by_program.items():
            if get_program_of_node(node) in end_nodes or not (
                get_statement_of_node(node) or is_placeholder_program(node)
            ):
                self._add_steps_of_program(get_program_of_node(node), relations)
            else:
                self._add_steps_of_relations(node, relations)

    def list_all_steps(self) -> Iterable[PathEdge]:
        """Return all steps."""
        return self._relations

    def collect_relations_of_steps(self, arrows: Iterable[PathEdge]) -> set[Triple]:
        """Return the relations of these steps."""
        return {triple for arrow in arrows for triple in self._relations[arrow]}

    def _add_steps_of_program(self, program: str, relations: Iterable[Triple]) -> None:
        for triple in relations:
            for arrow in _list_steps_of_access(triple[0], program, triple[2]):
                self._relations[arrow].add(triple)

    def _add_steps_of_relations(self, node: str, relations: Collection[Triple]) -> None:
        # A stand-in program is not shown, so it has no name.
        program = "" if is_placeholder_program(node) else get_program_of_node(node)
        for read in relations:
            if read[2] in _READ:
                step = build_flow_node(program, read[0])
                self._relations[read[0], step].add(read)
                for write in relations:
                    if write[2] in _WRITE:
                        self._relations[step, write[0]].add(write)


def replace_flows_by_programs_in_path(path: Iterable[str]) -> tuple[str, ...]:
    """Return a path with flows replaced by their programs, and without stand-ins."""
    return tuple(name for node in path if (name := get_program_of_node(node)))


def is_placeholder_program(node: str) -> bool:
    """Return whether a node is the stand-in program of a source of declared lineage."""
    return not get_statement_of_node(node) and declared_lineage.parse_placeholder_source(node) is not None


def _list_steps_of_access(data: str, program: str, mode: str) -> Iterator[PathEdge]:
    """Yield the steps of an access; an unknown one may flow either way."""
    if mode in _READ:
        yield data, program
    if mode in _WRITE:
        yield program, data
