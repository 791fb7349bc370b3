"""Random graphs compared with a brute-force walk (spec LINEAGE-2, LINEAGE-3): every direction, window and time.

40 graphs on SQLite and 12 on others, which answer the same queries; 10,000 on each with COLOPHON_TEST_SIZE=full.
"""

import os
import random
from dataclasses import dataclass, replace
from itertools import product

import pytest
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.cdap.relations import Part, group_accesses
from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.graph import LineageRequest, TimeWindow
from jupyter_colophon.core.lineage.run import Access, RunStart
from jupyter_colophon.service.lineage.cdap_lineage import find_accesses_around_data
from support.catalog import ADA

IS_FULL = os.environ.get("COLOPHON_TEST_SIZE") == "full"
DIRECTIONS = ("both", "upstream", "downstream", "undirected")
MODES = ("read", "write", "both", "unknown")
UP, DOWN = {"write", "both", "unknown"}, {"read", "both", "unknown"}
Triple = tuple[str, str, str]


@dataclass(frozen=True)
class Row:
    """One access of a run from `start` to `stop`, recorded at `recorded`."""

    data: str
    program: str
    mode: str
    run: str
    component: str
    start: int
    stop: int | None
    recorded: int
    #: Names of the statements that it belongs to; "" if there is none.
    statements: tuple[str, ...] = ("",)

    @property
    def kind(self) -> str:
        """Return the mode, which differs for accesses of statements."""
        return self.mode if self.statements == ("",) else f"statement-{self.mode}"

    @property
    def flows(self) -> set[str]:
        """Return the nodes that a walk visits: the program, or its statements."""
        return {f"{self.program} {name}".rstrip() for name in self.statements}


@dataclass(frozen=True)
class Question:
    focus: str
    direction: str
    levels: int
    window: TimeWindow
    as_of: int | None


def graph(chance: random.Random, space: str) -> list[Row]:
    """Create a few runs with few distinct times, so that many are equal."""
    data = [f"urn:li:dataset:(urn:li:dataPlatform:spark,{space}.d{n},PROD)" for n in range(chance.randint(1, 6))]
    programs = [f"urn:li:dataJob:(urn:li:dataFlow:(colophon,app,{space}),flows.p{n})" for n in range(5)]
    rows = []
    for number in range(chance.randint(1, 7)):
        program, start = chance.choice(programs), chance.randint(0, 6)
        stop = chance.choice([None, start, start + chance.randint(0, 6)])
        recorded = chance.randint(10, 16)
        accesses = {
            (chance.choice(data), chance.choice(MODES), chance.choice(["", "x", "y"]))
            for _ in range(chance.randint(1, 4))
        }
        by_statement = number % 2 == 1
        rows += [
            Row(
                one,
                program,
                mode,
                f"{space}-r{number}",
                component,
                start,
                stop,
                recorded,
                belongs(chance, mode, by_statement),
            )
            for one, mode, component in sorted(accesses)
        ]
    return named(rows)


def belongs(chance: random.Random, mode: str, by_statement: bool) -> tuple[str, ...]:
    """Return the numbers of one or two statements of a run, for modes that can have statements."""
    if not by_statement or mode not in ("read", "write"):
        return ("",)
    return tuple(str(number) for number in range(3) if chance.random() < 0.5) or ("0",)


def named(rows: list[Row]) -> list[Row]:
    """Name statements by their accesses instead of their numbers: statements of several runs may be equal."""

    def name(run: str, number: str) -> str:
        those = [row for row in rows if row.run == run and number in row.statements]
        return "" if number == "" else ",".join(sorted({f"{row.mode}-{row.data}" for row in those}))

    return [replace(row, statements=tuple(dict.fromkeys(name(row.run, one) for one in row.statements))) for row in rows]


def write(catalog: Catalog, rows: list[Row]) -> None:
    for run in dict.fromkeys(row.run for row in rows):
        those = [row for row in rows if row.run == run]
        one = those[0]
        path = replace(catalog.write_path, now=lambda time=one.recorded: time)  # type: ignore[misc]
        status = "running" if one.stop is None else "succeeded"
        urn = path.start_run(RunStart(Urn.parse(one.program), run, one.start, one.stop, status), ADA).urn
        numbers = {
            name: at for at, name in enumerate(sorted({name for row in those for name in row.statements if name}))
        }
        accesses = [
            Access(Urn.parse(row.data), row.mode, row.component, statement=numbers.get(name))  # type: ignore[arg-type]
            for row in those
            for name in row.statements
        ]
        path.record_run_accesses(urn, accesses, [], ADA)


def within(rows: list[Row], window: TimeWindow, as_of: int | None) -> list[Row]:
    """Return the effective accesses: recorded by then, in the window, and unknown ones only if there is no other."""
    if as_of is not None:
        rows = [row for row in rows if row.recorded <= as_of]
        rows = [replace(row, stop=None) if row.stop is not None and row.stop > as_of else row for row in rows]
    if window.end is not None:
        rows = [row for row in rows if row.start < window.end]
    if window.start is not None:
        rows = [row for row in rows if row.stop is None or row.stop >= window.start]
    known = {(row.data, row.program, row.run, row.component) for row in rows if row.mode != "unknown"}
    return [
        row for row in rows if row.mode != "unknown" or (row.data, row.program, row.run, row.component) not in known
    ]


def brute(rows: list[Row], request: Question) -> tuple[dict[str, int], set[Triple]]:
    """Return the nodes with their levels and the relations, by brute force."""
    found: dict[str, int] = {request.focus: 0}
    relations: set[Triple] = set()
    ways = {"upstream": (-1, UP, DOWN), "downstream": (1, DOWN, UP), "undirected": (1, set(MODES), set(MODES))}
    for way in ("upstream", "downstream") if request.direction == "both" else (request.direction,):
        sign, enter, leave = ways[way]
        is_program = "dataJob" in request.focus
        frontier, begin = (set(), {request.focus}) if is_program else ({request.focus}, set())
        seen = {request.focus}
        for level in range(1, request.levels + 1):
            scanned = [row for row in rows if row.data in frontier and row.mode in enter]
            flows = {flow for row in scanned for flow in row.flows} - seen
            # A walk that starts at a program continues from all its statements.
            left = [row for row in rows if row.mode in leave and (flows & row.flows or row.program in begin)]
            relations |= {(row.data, row.program, row.kind) for row in (*scanned, *left)}
            seen |= flows
            frontier = {row.data for row in left} - seen
            seen |= frontier
            for node in (*({flow.partition(" ")[0] for flow in flows} - begin), *frontier):
                found.setdefault(node, sign * level)
            begin = set()
    return found, relations


def hidden(rows: list[Row], relations: set[Triple], node: str) -> tuple[int, int]:
    """Return the number of hidden neighbours of a node, on each side."""
    sides = (DOWN, UP) if "dataJob" in node else (UP, DOWN)
    counts = []
    for modes in sides:
        there = {(r.data, r.program) for r in rows if node in (r.data, r.program) and r.mode in modes}
        shown = {
            (data, program)
            for data, program, kind in relations
            if node in (data, program) and kind.removeprefix("statement-") in modes
        }
        counts.append(len(there - shown))
    return counts[0], counts[1]


def arrows(triple: Triple) -> set[tuple[str, str, str]]:
    data, program, kind = triple
    mode = kind.removeprefix("statement-")
    reads = set() if mode == "write" else {(data, program, mode)}
    return reads | ({(program, data, mode)} if mode in ("write", "both") else set())


def compare(catalog: Catalog, rows: list[Row], request: Question) -> None:
    question = LineageRequest(
        Urn.parse(request.focus),
        request.direction,  # type: ignore[arg-type]
        request.levels,
        request.window,
        as_of=request.as_of,
    )
    known = [row.recorded for row in rows if request.focus in (row.data, row.program)]
    if request.as_of is not None and min(known) > request.as_of:
        with pytest.raises(NotFound):
            catalog.lineage.read_lineage(question, ADA)
        return
    there = within(rows, request.window, request.as_of)
    nodes, relations = brute(there, request)
    found = catalog.lineage.read_lineage(question, ADA)
    assert {node.urn: node.level for node in found.nodes} == nodes
    edges = {(edge.source, edge.target, edge.access) for edge in found.edges}
    assert edges == {arrow for triple in relations for arrow in arrows(triple)}
    assert {node.urn: (node.hidden_upstream, node.hidden_downstream) for node in found.nodes} == {
        node: hidden(there, relations, node) for node in nodes
    }
    assert not found.truncated
    for edge in found.edges:
        those = [
            row
            for row in there
            if edge.access == row.mode
            and {edge.source, edge.target} == {row.data, row.program}
            and (row.data, row.program, row.kind) in relations
        ]
        assert bool(edge.statements) == any(row.kind != row.mode for row in those)
        stops = [row.stop for row in those]
        assert edge.run_count == len({row.run for row in those})
        assert edge.start == min(row.start for row in those)
        assert edge.end == (None if None in stops else max(stop for stop in stops if stop is not None))
    gather(catalog, question, there, relations)


def gather(catalog: Catalog, question: LineageRequest, there: list[Row], relations: set[Triple]) -> None:
    """Compare collapsed relations with groups computed from the accesses."""
    found = find_accesses_around_data(catalog.lineage, question, ADA, rollup=False)
    collapse: Part
    for collapse in ("access", "run", "component"):
        collapsed = {
            (one.data, one.program, one.accesses, frozenset(one.runs), one.components)
            for one in group_accesses(found.accesses, {collapse})
        }
        groups: dict[tuple[str, ...], list[Row]] = {}
        for row in there:
            if (row.data, row.program, row.kind) in relations:
                parts = {"access": row.mode, "run": row.run, "component": row.component}
                key = (row.data, row.program, *(value for name, value in parts.items() if name != collapse))
                groups.setdefault(key, []).append(row)
        assert collapsed == {
            (
                key[0],
                key[1],
                tuple(sorted({row.mode for row in group})),
                frozenset(row.run for row in group),
                tuple(sorted({row.component for row in group if row.component})),
            )
            for key, group in groups.items()
        }


def goes_on(catalog: Catalog, rows: list[Row], focus: str, direction: str) -> None:
    """Check that walks from frontier to frontier find the same as one walk, without duplicates."""
    window = TimeWindow(0, 20)
    whole = LineageRequest(Urn.parse(focus), direction, 20, window)  # type: ignore[arg-type]
    question, visited, relations = replace(whole, levels=1), set[str](), list[tuple[str, str, str]]()
    while True:
        found = catalog.lineage.read_lineage(question, ADA)
        relations += [(edge.source, edge.target, edge.access) for edge in found.edges]
        visited |= {node.urn for node in found.nodes}
        if not found.frontier:
            break
        question = replace(question, frontier=found.frontier, visited=frozenset(visited))
    expected = {
        arrow
        for one in brute(within(rows, window, None), Question(focus, direction, 20, window, None))[1]
        for arrow in arrows(one)
    }
    assert set(relations) == expected
    # An edge is repeated if it was found over another statement.
    assert len(relations) == len(set(relations)) or any(row.kind != row.mode for row in rows)


def test_random_graphs_are_walked_like_brute_force(catalog: Catalog, store_name: str) -> None:
    for number in range(10_000 if IS_FULL else 40 if store_name == "sqlite" else 12):
        chance = random.Random(number)
        rows = graph(chance, f"g{number}")
        write(catalog, rows)
        nodes = sorted({end for row in rows for end in (row.data, row.program)})
        for _ in range(4):
            start, length = chance.randint(0, 12), chance.randint(0, 6)
            request = Question(
                chance.choice(nodes),
                chance.choice(DIRECTIONS),
                chance.randint(1, 4),
                chance.choice(
                    [TimeWindow(start, start + length)] * 3 + [TimeWindow(), TimeWindow(start), TimeWindow(None, start)]
                ),
                chance.choice([None, None, chance.randint(8, 17)]),
            )
            try:
                compare(catalog, rows, request)
            except AssertionError as error:
                raise AssertionError(f"graph {number}, {request}") from error
        goes_on(catalog, rows, chance.choice(nodes), chance.choice(DIRECTIONS[1:]))


def test_window_is_never_wider_than_what_was_known(catalog: Catalog) -> None:
    for number, (start, stop) in enumerate(product([0, 5], [None, 5, 9])):
        row = Row(
            f"urn:li:dataset:(urn:li:dataPlatform:spark,k.a{number},PROD)",
            f"urn:li:dataJob:(urn:li:dataFlow:(colophon,app,k),flows.p{number})",
            "read",
            f"k-{number}",
            "",
            start,
            stop,
            4,
        )
        write(catalog, [row])
        for as_of in (4, 5, 8, 9):
            for window in (TimeWindow(6, 7), TimeWindow(9, 12), TimeWindow(0, 1)):
                compare(catalog, [row], Question(row.data, "both", 1, window, as_of))
