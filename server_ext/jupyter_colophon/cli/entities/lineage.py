"""`jupyter colophon lineage ENTITY`: what made it, and what was made of it."""

import time
from collections.abc import Iterator
from dataclasses import asdict

from traitlets import Enum, Int, Unicode

from jupyter_colophon.cli.catalog.command import CatalogCommand, called, cell
from jupyter_colophon.cli.command import FINE
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.identity.names import Identity, Urn
from jupyter_colophon.core.lineage import graph
from jupyter_colophon.core.time_format import format_time, parse_time

_DIRECTIONS = ("both", "upstream", "downstream", "undirected")
#: Of what is on a side: the heading, and the sign of its levels.
_SIDES = {"upstream": ("What made it", -1), "downstream": ("What was made of it", 1), "undirected": ("Around it", 1)}


class Lineage(CatalogCommand):
    """Shows the lineage of data or of a program."""

    name = "jupyter-colophon-lineage"
    description = "Show what made an entity, and what was made of it: a table's name, the path of a file (from / or ./), or a URN."
    arguments = ("ENTITY",)
    aliases = CatalogCommand.aliases | {
        "levels": "Lineage.levels",
        "direction": "Lineage.direction",
        "start": "Lineage.since",
        "end": "Lineage.until",
        "as-of": "Lineage.as_of",
        "limit": "Lineage.limit",
    }

    levels = Int(1, min=1, max=graph.MAX_LEVELS, config=True, help="How far: data, programs and their other data.")
    direction = Enum(_DIRECTIONS, "both", config=True, help="On which side; undirected: all that is connected.")
    since = Unicode("", config=True, help="Of runs that were not over before this time: now-1d, 2026-11-20, …")
    until = Unicode("", config=True, help="Of runs that began before this time.")
    as_of = Unicode("", config=True, help="As the catalog knew it then.")
    limit = Int(graph.DEFAULT_RELATIONS, min=1, max=graph.MAX_RELATIONS, config=True, help="Relations at most.")

    def work(self) -> int:
        """Show it."""
        question = self._question()
        with self.source() as source:
            found = source.lineage(question)
        told = _told(found, str(question.urn), self.direction, self.asked.identity())
        self.answer(asdict(found), "\n".join(told))
        return FINE

    def _question(self) -> graph.LineageQuestion:
        now = time.time_ns() // 1_000_000
        times = {"--start": self.since, "--end": self.until, "--as-of": self.as_of}
        start, end, as_of = (parse_time(told, now, option) if told else None for option, told in times.items())
        if start is not None and end is not None and start > end:
            raise InvalidQuery("is after --end", "--start")
        return graph.LineageQuestion(
            urn=Urn.parse(self.urn(self.extra_args[0])),
            direction=self.direction,  # type: ignore[arg-type]  # the trait takes no other word
            levels=self.levels,
            window=graph.Window(start, end),
            limit=self.limit,
            as_of=as_of,
        )


def _told(found: graph.Lineage, urn: str, direction: str, identity: Identity) -> Iterator[str]:
    nodes = {node.urn: node for node in found.nodes}
    focus = nodes[urn]
    yield f"{cell(focus.name)} ({focus.type} of {cell(focus.namespace)}){' deleted' if focus.deleted else ''}"
    yield cell(urn)
    for side in ("upstream", "downstream") if direction == "both" else (direction,):
        heading, sign = _SIDES[side]
        lines = list(_Tree(found, nodes, sign, identity, directed=side != "undirected").below(urn, 1))
        yield ""
        yield f"{heading}:" if lines else f"{heading}: nothing that is known"
        yield from lines
    if found.truncated or found.frontier:
        yield ""
        yield f"There is more behind {len(found.frontier)} of these{', and some was cut' if found.truncated else ''}."


class _Tree:
    """One side of a graph as lines; what was shown above is named again, and not followed."""

    def __init__(
        self,
        found: graph.Lineage,
        nodes: dict[str, graph.Node],
        sign: int,
        identity: Identity,
        *,
        directed: bool,
    ) -> None:
        self._edges, self._nodes, self._sign, self._directed = found.edges, nodes, sign, directed
        self._identity = identity
        self._shown: set[tuple[str, tuple[str, ...]]] = set()
        self._told: set[graph.LineageEdge] = set()

    def below(self, urn: str, depth: int, statements: tuple[str, ...] | None = None) -> Iterator[str]:
        """The lines of what is beyond a node; of a program, beyond the statements over which it was entered."""
        self._shown.add((urn, statements or ()))
        for edge, other in self._beyond(urn, statements):
            within = edge.statements if self._nodes[other].type == "dataJob" else None
            again = (other, within or ()) in self._shown
            yield f"{'  ' * depth}{self._line(edge, self._nodes[other])}{' (above)' if again else ''}"
            if not again:
                yield from self.below(other, depth + 1, within)

    def _beyond(self, urn: str, statements: tuple[str, ...] | None) -> Iterator[tuple[graph.LineageEdge, str]]:
        for edge in self._edges:
            if edge in self._told or (statements is not None and not graph.flows_on(statements, edge.statements)):
                continue
            # An access of unknown kind may have gone either way.
            both = edge.access == "unknown" or not self._directed
            near, far = (edge.target, edge.source) if self._sign < 0 else (edge.source, edge.target)
            other = far if near == urn else near if both and far == urn else ""
            if other and self._nodes[other].level * self._sign > 0:
                self._told.add(edge)
                yield edge, other

    def _line(self, edge: graph.LineageEdge, node: graph.Node) -> str:
        if edge.asserted:
            ended = "" if edge.end is None else f" until {format_time(edge.end)}"
            how = f"{edge.access}, asserted {'from' if ended else 'since'} {format_time(edge.start)}{ended}"
        else:
            runs = "1 run" if edge.run_count == 1 else f"{edge.run_count} runs"
            last = "running" if edge.end is None else f"until {format_time(edge.end)}"
            how = f"{edge.access}, {runs}, {last}"
        # What commands take, so that two of a name are told apart; of a program its name is easier to read beside it.
        known = cell(called(node, self._identity))
        name = known if node.type == "dataset" else f"{cell(node.title or node.name)} ({known})"
        return f"{name}: {how}{', deleted' if node.deleted else ''}"
