"""Lineage: neighbours, windows, accesses of unknown mode, runs (spec LINEAGE-1, LINEAGE-2)."""

from collections.abc import Iterable
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jupyter_colophon.core.lineage.graph import ALL_TIME, TimeWindow
from jupyter_colophon.storage.spi import AccessLink, Edge, StorageProvider, TableContext

Side = Literal["data", "program"]
MODES = ("read", "write", "both", "unknown")
#: Start and stop of runs; the window of the query is 100 to 200.
RUNS: dict[str, tuple[int, int | None, bool]] = {
    "inside": (120, 180, True),
    "ends before": (10, 99, False),
    "ends at the start": (10, 100, True),
    "begins at the end": (200, 300, False),
    "begins just before the end": (199, 300, True),
    "spans the window": (10, 900, True),
    "still running": (10, None, True),
    "running from the end on": (200, None, False),
    "later": (500, 600, False),
}
WINDOW = TimeWindow(100, 200)


@pytest.fixture
def edges(store: StorageProvider) -> StorageProvider:
    """Open a store with its own or portable lineage tables."""
    store.table_admin.create_or_update()
    return store


def add(store: StorageProvider, *links: AccessLink) -> None:
    def work(tx: TableContext) -> None:
        for link in links:
            tx.edges.record_access(link.data, link.program, link.mode, link.run, link.component, link.start, link.stop)

    store.tx_runner.run(work)


def link(
    data: str,
    program: str,
    mode: str = "read",
    run: str = "r",
    component: str = "",
    start: int = 1,
    stop: int | None = None,
) -> AccessLink:
    return AccessLink(data, program, mode, run, component, start, stop)


def around(
    store: StorageProvider,
    side: Side,
    keys: Iterable[str],
    modes: Iterable[str] = MODES,
    window: TimeWindow = ALL_TIME,
    limit: int = 99,
) -> set[tuple[str, str, str]]:
    triples = store.tx_runner.run(
        lambda tx: tx.edges.find_neighbours(side, tuple(keys), tuple(modes), window, limit), read_only=True
    )
    assert len(triples) == len(set(triples))
    return set(triples)


def degrees(
    store: StorageProvider,
    side: Side,
    *keys: str,
    modes: Iterable[str] = MODES,
    window: TimeWindow = ALL_TIME,
    cap: int = 99,
) -> dict[str, int]:
    return dict(
        store.tx_runner.run(lambda tx: tx.edges.count_neighbours(side, keys, tuple(modes), window, cap), read_only=True)
    )


def detail(store: StorageProvider, *triple: str, window: TimeWindow = ALL_TIME, runs: int = 99) -> Edge:
    triples: Any = [triple]
    return store.tx_runner.run(lambda tx: tx.edges.read_edges(triples, window, runs), read_only=True)[0]


def runs_of(
    store: StorageProvider, data: str, window: TimeWindow = ALL_TIME, limit: int = 99, before: Any = None
) -> list[tuple[int, str]]:
    return store.tx_runner.run(lambda tx: tx.edges.list_runs_of_data(data, window, limit, before), read_only=True)


def test_neighbours_are_found_from_both_sides(edges: StorageProvider) -> None:
    add(edges, link("a", "p"), link("a", "q", "write"), link("b", "p", "both"))
    assert around(edges, "data", ["a"]) == {("a", "p", "read"), ("a", "q", "write")}
    assert around(edges, "program", ["p", "none"]) == {("a", "p", "read"), ("b", "p", "both")}
    assert around(edges, "data", ["b", "a"], ["both", "write"]) == {("a", "q", "write"), ("b", "p", "both")}
    assert around(edges, "data", ["p"]) == around(edges, "data", []) == set()


def test_limit_bounds_neighbours(edges: StorageProvider) -> None:
    add(edges, *(link(f"d{number}", f"p{number % 3}") for number in range(9)))
    every = around(edges, "program", ["p0", "p1", "p2"])
    for limit in (0, 1, 4, 9, 10):
        some = around(edges, "program", ["p0", "p1", "p2"], limit=limit)
        assert (some <= every, len(some)) == (True, min(limit, 9))


def test_counts_of_neighbours_are_distinct_and_capped(edges: StorageProvider) -> None:
    add(edges, *(link("a", f"p{number}", mode) for number in range(5) for mode in ("read", "write")))
    add(edges, link("b", "p1", "write"))
    assert degrees(edges, "data", "a", "b", "none") == {"a": 5, "b": 1, "none": 0}
    assert degrees(edges, "program", "p1", "p2") == {"p1": 2, "p2": 1}
    assert degrees(edges, "data", "a", cap=3) == {"a": 3}
    assert degrees(edges, "program", "p1", modes=["read"]) == {"p1": 1}
    assert degrees(edges, "data") == {}


@pytest.mark.parametrize("name", RUNS)
def test_run_is_in_each_window_it_overlaps(edges: StorageProvider, name: str) -> None:
    start, stop, is_in = RUNS[name]
    # Earlier and later runs, so that a roll-up of only the first and last time would give wrong answers.
    add(edges, link("a", "p", "read", "first", "", 1, 2), link("a", "p", "read", "last", "", 1_000, 1_001))
    add(edges, link("a", "p", "read", "it", "", start, stop))
    triple = {("a", "p", "read")} if is_in else set()
    assert around(edges, "data", ["a"], window=WINDOW) == around(edges, "program", ["p"], window=WINDOW) == triple
    assert degrees(edges, "data", "a", window=WINDOW) == {"a": len(triple)}
    assert detail(edges, "a", "p", "read", window=WINDOW).runs == (("it",) if is_in else ())
    assert runs_of(edges, "a", WINDOW) == ([(start, "it")] if is_in else [])


def test_window_may_be_open_at_either_end(edges: StorageProvider) -> None:
    add(edges, link("a", "p", "read", "r1", "", 10, 20), link("a", "p", "read", "r2", "", 30, 40))
    assert detail(edges, "a", "p", "read", window=TimeWindow(end=30)).runs == ("r1",)
    assert detail(edges, "a", "p", "read", window=TimeWindow(start=21)).runs == ("r2",)
    assert detail(edges, "a", "p", "read", window=TimeWindow(start=20, end=31)).runs == ("r2", "r1")


def test_unknown_mode_counts_only_without_known_mode(edges: StorageProvider) -> None:
    add(edges, link("a", "p", "unknown"), link("a", "q", "unknown"), link("a", "q", "write"))
    assert around(edges, "data", ["a"]) == {("a", "p", "unknown"), ("a", "q", "write")}
    add(edges, link("a", "q", "unknown", component="other"))
    assert ("a", "q", "unknown") in around(edges, "data", ["a"])
    assert detail(edges, "a", "q", "unknown").components == ("other",)
    add(edges, link("a", "q", "read", component="other"))
    assert ("a", "q", "unknown") not in around(edges, "data", ["a"])
    add(edges, link("a", "q", "unknown", "second", start=5))
    assert detail(edges, "a", "q", "unknown").runs == ("second",)
    assert degrees(edges, "data", "a", modes=["unknown"]) == {"a": 2}


def test_edges_count_all_runs_and_name_the_newest(edges: StorageProvider) -> None:
    add(
        edges, *(link("a", "p", "read", f"r{number:03}", f"c{number % 3}", number, number + 5) for number in range(120))
    )
    whole = Edge("a", "p", "read", ("r119", "r118"), 120, 0, 124, ("c0", "c1", "c2"))
    assert detail(edges, "a", "p", "read", runs=2) == whole
    some = Edge("a", "p", "read", ("r019", "r018", "r017"), 15, 5, 24, ("c0", "c1", "c2"))
    assert detail(edges, "a", "p", "read", window=TimeWindow(10, 20), runs=3) == some
    assert detail(edges, "a", "p", "write") == Edge("a", "p", "write")
    add(edges, link("a", "p", "read", "open", "", 50, None))
    assert detail(edges, "a", "p", "read", runs=1).stop is None


def test_edges_keep_the_requested_order(edges: StorageProvider) -> None:
    add(edges, link("a", "p"), link("b", "p", "write"))
    triples = [("b", "p", "write"), ("none", "p", "read"), ("a", "p", "read"), ("b", "p", "write")]
    result = edges.tx_runner.run(lambda tx: tx.edges.read_edges(triples, ALL_TIME, 1))
    assert [(edge.data, edge.program, edge.mode, edge.run_count) for edge in result] == [
        (*triple, number) for triple, number in zip(triples, [1, 0, 1, 1], strict=True)
    ]
    assert edges.tx_runner.run(lambda tx: tx.edges.read_edges([], ALL_TIME, 1)) == []


def test_components_are_distinct_sorted_and_limited(edges: StorageProvider) -> None:
    add(edges, *(link("a", "p", component=f"c{number:02}") for number in range(25)), link("a", "p"))
    edge = detail(edges, "a", "p", "read")
    assert edge.components == tuple(f"c{number:02}" for number in range(21))
    assert (edge.runs, edge.run_count) == (("r",), 1)


def test_repeated_access_changes_only_the_stop(edges: StorageProvider) -> None:
    add(edges, link("a", "p"), link("a", "p"))
    assert detail(edges, "a", "p", "read") == Edge("a", "p", "read", ("r",), 1, 1, None)
    add(edges, link("a", "p", stop=7))
    assert detail(edges, "a", "p", "read") == Edge("a", "p", "read", ("r",), 1, 1, 7)


def test_run_stops_and_resumes_with_all_its_accesses(edges: StorageProvider) -> None:
    add(edges, link("a", "p"), link("b", "p", "write"), link("a", "p", run="other", start=2))
    for stop, is_in in ((50, False), (None, True), (150, True), (60, False)):
        edges.tx_runner.run(lambda tx, stop=stop: tx.edges.set_run_stop("r", stop))
        assert detail(edges, "b", "p", "write").stop == stop
        assert (("b", "p", "write") in around(edges, "program", ["p"], window=WINDOW)) is is_in
        assert (("a", "p", "read") in around(edges, "program", ["p"], window=WINDOW)) is True
    edges.tx_runner.run(lambda tx: tx.edges.set_run_stop("none", 5))


def test_runs_of_data_are_paged_newest_first(edges: StorageProvider) -> None:
    add(
        edges,
        *(link("a", "p", mode, f"r{number}", "", number // 2) for number in range(6) for mode in ("read", "write")),
    )
    every = [(2, "r5"), (2, "r4"), (1, "r3"), (1, "r2"), (0, "r1"), (0, "r0")]
    assert runs_of(edges, "a") == every
    paged: list[tuple[int, str]] = []
    while page := runs_of(edges, "a", limit=4, before=paged[-1] if paged else None):
        paged += page
    assert paged == every
    assert runs_of(edges, "a", before=(1, "r25")) == every[3:]
    assert runs_of(edges, "a", limit=0) == runs_of(edges, "none") == []


def test_runs_are_listed_and_deleted(edges: StorageProvider) -> None:
    links = [
        link("a", "p", "read", "r1"),
        link("a", "p", "write", "r1", "c", 1, 9),
        link("a", "p", "read", "r2", "", 2),
    ]
    add(edges, *links)
    assert edges.tx_runner.run(lambda tx: tx.edges.list_links_of_run("r1")) == set(links[:2])
    assert edges.tx_runner.run(lambda tx: tx.edges.list_runs_after("", 9)) == ["r1", "r2"]
    assert edges.tx_runner.run(lambda tx: tx.edges.list_runs_after("", 1)) == ["r1"]
    assert edges.tx_runner.run(lambda tx: tx.edges.list_runs_after("r1", 9)) == ["r2"]
    edges.tx_runner.run(lambda tx: (tx.edges.delete_run_links("r1"), tx.edges.delete_run_links("none")))
    assert edges.tx_runner.run(lambda tx: tx.edges.list_links_of_run("r1")) == set()
    assert around(edges, "data", ["a"]) == {("a", "p", "read")}
    assert detail(edges, "a", "p", "read") == Edge("a", "p", "read", ("r2",), 1, 2, None)
    edges.tx_runner.run(lambda tx: tx.edges.delete_run_links("r2"))
    assert around(edges, "data", ["a"]) == around(edges, "program", ["p"]) == set()
    assert edges.tx_runner.run(lambda tx: tx.edges.list_runs_after("", 9)) == []


def test_renamed_end_has_its_accesses_beside_those_of_the_new_name(edges: StorageProvider) -> None:
    links = [link("a", "p"), link("a", "p", "write", "r1"), link("a", "q", "read", "r2", "", 2, 7), link("b", "p")]
    add(edges, *links)
    edges.tx_runner.run(lambda tx: tx.edges.rename_node("data", "a", "b"))
    assert around(edges, "data", ["a"]) == set()
    assert around(edges, "data", ["b"]) == {("b", "p", "read"), ("b", "p", "write"), ("b", "q", "read")}
    assert detail(edges, "b", "q", "read") == Edge("b", "q", "read", ("r2",), 1, 2, 7)
    edges.tx_runner.run(
        lambda tx: (tx.edges.rename_node("program", "p", "s"), tx.edges.rename_node("program", "none", "s"))
    )
    assert around(edges, "program", ["p"]) == set()
    assert around(edges, "program", ["s"]) == {("b", "s", "read"), ("b", "s", "write")}
    assert {one.program for one in edges.tx_runner.run(lambda tx: tx.edges.list_links_of_run("r1"))} == {"s"}
    assert edges.tx_runner.run(lambda tx: tx.edges.find_stale_roll_ups(9)) == []


def test_correct_roll_up_is_not_stale_and_can_be_rebuilt(edges: StorageProvider) -> None:
    add(edges, link("a", "p"), link("a", "p", "unknown"), link("b", "p", stop=4))
    before = around(edges, "program", ["p"])
    assert edges.tx_runner.run(lambda tx: tx.edges.find_stale_roll_ups(9)) == []
    edges.tx_runner.run(
        lambda tx: (tx.edges.rebuild_roll_up("a", "p", "read"), tx.edges.rebuild_roll_up("none", "p", "read"))
    )
    assert around(edges, "program", ["p"]) == before
    assert edges.tx_runner.run(lambda tx: tx.edges.find_stale_roll_ups(9)) == []


#: Every run belongs to one program and has one start (spec ID-10).
_STARTS = {f"r{number}": (f"p{number % 2}", number * 10) for number in range(5)}
_RUN, _STOP = st.sampled_from(sorted(_STARTS)), st.none() | st.integers(40, 90)
_ADDED = st.tuples(
    st.just("add"), st.sampled_from(["a", "b"]), st.sampled_from(MODES), _RUN, st.sampled_from(["", "c"])
)
_HISTORY = st.lists(_ADDED | st.tuples(st.just("stop"), _RUN, _STOP) | st.tuples(st.just("forget"), _RUN), max_size=14)
_WINDOW = st.builds(TimeWindow, st.none() | st.integers(0, 95), st.none() | st.integers(0, 95))


class Model:
    """Model lineage as a set."""

    def __init__(self) -> None:
        self.links: dict[tuple[str, ...], AccessLink] = {}
        self.stops: dict[str, int | None] = {}

    def do(self, tx: TableContext, step: tuple[Any, ...]) -> None:
        if step[0] == "add":
            _, data, mode, run, component = step
            program, start = _STARTS[run]
            link = AccessLink(data, program, mode, run, component, start, self.stops.get(run))
            self.links[data, mode, run, component] = link
            tx.edges.record_access(*link)
        elif step[0] == "stop":
            self.stops[step[1]] = step[2]
            self.links = {
                key: one._replace(stop=step[2]) if one.run == step[1] else one for key, one in self.links.items()
            }
            tx.edges.set_run_stop(*step[1:])
        else:
            self.links = {key: one for key, one in self.links.items() if one.run != step[1]}
            tx.edges.delete_run_links(step[1])

    def within(self, window: TimeWindow) -> list[AccessLink]:
        def stands(link: AccessLink) -> bool:
            with_known_mode = [(link.data, mode, link.run, link.component) in self.links for mode in MODES[:3]]
            return link.mode != "unknown" or not any(with_known_mode)

        return [link for link in self.links.values() if is_in(link, window) and stands(link)]

    def runs(self, data: str, window: TimeWindow) -> list[tuple[int, str]]:
        positions = {
            (link.start, link.run) for link in self.links.values() if link.data == data and is_in(link, window)
        }
        return sorted(positions, reverse=True)


def is_in(link: AccessLink, window: TimeWindow) -> bool:
    begun = window.end is None or link.start < window.end
    return begun and (link.stop is None or window.start is None or link.stop >= window.start)


@settings(max_examples=60)
@given(_HISTORY, st.lists(_WINDOW, max_size=3))
def test_any_history_equals_a_set(shared: StorageProvider, history: list[Any], windows: list[TimeWindow]) -> None:
    model = Model()

    def work(tx: TableContext) -> None:
        for run in _STARTS:
            tx.edges.delete_run_links(run)
        for step in history:
            model.do(tx, step)
        assert tx.edges.find_stale_roll_ups(9) == []

    shared.tx_runner.run(work)
    for window in (ALL_TIME, *windows):
        links = model.within(window)
        triples = {(link.data, link.program, link.mode) for link in links}
        assert around(shared, "data", ["a", "b"], window=window) == triples
        assert around(shared, "program", ["p1"], window=window) == {link for link in triples if link[1] == "p1"}
        for data in ("a", "b"):
            assert degrees(shared, "data", data, window=window)[data] == len(
                {link[1] for link in triples if link[0] == data}
            )
            assert runs_of(shared, data, window) == model.runs(data, window)
        for triple in triples:
            those = [link for link in links if (link.data, link.program, link.mode) == triple]
            runs = sorted({(link.start, link.run) for link in those}, reverse=True)
            stops = [link.stop for link in those]
            assert detail(shared, *triple, window=window, runs=2) == Edge(
                *triple,
                tuple(run for _, run in runs[:2]),
                len(runs),
                runs[-1][0],
                None if None in stops else max(stop for stop in stops if stop is not None),
                tuple(sorted({link.component for link in those if link.component})),
            )
