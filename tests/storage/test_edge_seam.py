"""Lineage: neighbours, windows, accesses of unknown kind, runs (spec LINEAGE-1, LINEAGE-2)."""

from collections.abc import Iterable
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jupyter_colophon.core.lineage.graph import EVER, Window
from jupyter_colophon.storage.spi import Edge, Link, StorageProvider, TableContext

Side = Literal["data", "program"]
MODES = ("read", "write", "both", "unknown")
#: Start and stop of runs; the window from 100 to 200 is asked for.
RUNS: dict[str, tuple[int, int | None, bool]] = {
    "inside": (120, 180, True),
    "over before": (10, 99, False),
    "over as it begins": (10, 100, True),
    "begins as it ends": (200, 300, False),
    "begins just before it ends": (199, 300, True),
    "spans the window": (10, 900, True),
    "still goes on": (10, None, True),
    "goes on from its end": (200, None, False),
    "later": (500, 600, False),
}
WINDOW = Window(100, 200)


@pytest.fixture
def edges(store: StorageProvider) -> StorageProvider:
    """A store whose seams are there."""
    store.table_admin.create_or_update()
    return store


def add(store: StorageProvider, *links: Link) -> None:
    def work(tx: TableContext) -> None:
        for one in links:
            tx.edges.add(one.data, one.program, one.mode, one.run, one.component, one.start, one.stop)

    store.tx_runner.run(work)


def link(
    data: str,
    program: str,
    mode: str = "read",
    run: str = "r",
    component: str = "",
    start: int = 1,
    stop: int | None = None,
) -> Link:
    return Link(data, program, mode, run, component, start, stop)


def around(
    store: StorageProvider,
    side: Side,
    keys: Iterable[str],
    modes: Iterable[str] = MODES,
    window: Window = EVER,
    limit: int = 99,
) -> set[tuple[str, str, str]]:
    found = store.tx_runner.run(
        lambda tx: tx.edges.around(side, tuple(keys), tuple(modes), window, limit), read_only=True
    )
    assert len(found) == len(set(found))
    return set(found)


def degrees(
    store: StorageProvider, side: Side, *keys: str, modes: Iterable[str] = MODES, window: Window = EVER, cap: int = 99
) -> dict[str, int]:
    return dict(store.tx_runner.run(lambda tx: tx.edges.degrees(side, keys, tuple(modes), window, cap), read_only=True))


def detail(store: StorageProvider, *triple: str, window: Window = EVER, runs: int = 99) -> Edge:
    asked: Any = [triple]
    return store.tx_runner.run(lambda tx: tx.edges.details(asked, window, runs), read_only=True)[0]


def runs_of(
    store: StorageProvider, data: str, window: Window = EVER, limit: int = 99, before: Any = None
) -> list[tuple[int, str]]:
    return store.tx_runner.run(lambda tx: tx.edges.runs_of(data, window, limit, before), read_only=True)


def test_neighbours_are_seen_from_both_sides(edges: StorageProvider) -> None:
    add(edges, link("a", "p"), link("a", "q", "write"), link("b", "p", "both"))
    assert around(edges, "data", ["a"]) == {("a", "p", "read"), ("a", "q", "write")}
    assert around(edges, "program", ["p", "none"]) == {("a", "p", "read"), ("b", "p", "both")}
    assert around(edges, "data", ["b", "a"], ["both", "write"]) == {("a", "q", "write"), ("b", "p", "both")}
    assert around(edges, "data", ["p"]) == around(edges, "data", []) == set()


def test_a_limit_bounds_the_neighbours(edges: StorageProvider) -> None:
    add(edges, *(link(f"d{number}", f"p{number % 3}") for number in range(9)))
    every = around(edges, "program", ["p0", "p1", "p2"])
    for limit in (0, 1, 4, 9, 10):
        some = around(edges, "program", ["p0", "p1", "p2"], limit=limit)
        assert (some <= every, len(some)) == (True, min(limit, 9))


def test_degrees_count_each_partner_once_and_no_further_than_asked(edges: StorageProvider) -> None:
    add(edges, *(link("a", f"p{number}", mode) for number in range(5) for mode in ("read", "write")))
    add(edges, link("b", "p1", "write"))
    assert degrees(edges, "data", "a", "b", "none") == {"a": 5, "b": 1, "none": 0}
    assert degrees(edges, "program", "p1", "p2") == {"p1": 2, "p2": 1}
    assert degrees(edges, "data", "a", cap=3) == {"a": 3}
    assert degrees(edges, "program", "p1", modes=["read"]) == {"p1": 1}
    assert degrees(edges, "data") == {}


@pytest.mark.parametrize("name", RUNS)
def test_a_run_is_in_the_window_that_it_overlaps(edges: StorageProvider, name: str) -> None:
    start, stop, is_in = RUNS[name]
    # Others, before and after, so that a roll-up of first and last alone would answer wrongly.
    add(edges, link("a", "p", "read", "first", "", 1, 2), link("a", "p", "read", "last", "", 1_000, 1_001))
    add(edges, link("a", "p", "read", "it", "", start, stop))
    triple = {("a", "p", "read")} if is_in else set()
    assert around(edges, "data", ["a"], window=WINDOW) == around(edges, "program", ["p"], window=WINDOW) == triple
    assert degrees(edges, "data", "a", window=WINDOW) == {"a": len(triple)}
    assert detail(edges, "a", "p", "read", window=WINDOW).runs == (("it",) if is_in else ())
    assert runs_of(edges, "a", WINDOW) == ([(start, "it")] if is_in else [])


def test_a_window_may_be_open_at_either_end(edges: StorageProvider) -> None:
    add(edges, link("a", "p", "read", "r1", "", 10, 20), link("a", "p", "read", "r2", "", 30, 40))
    assert detail(edges, "a", "p", "read", window=Window(end=30)).runs == ("r1",)
    assert detail(edges, "a", "p", "read", window=Window(start=21)).runs == ("r2",)
    assert detail(edges, "a", "p", "read", window=Window(start=20, end=31)).runs == ("r2", "r1")


def test_an_access_of_unknown_kind_counts_where_the_run_and_component_have_no_other(edges: StorageProvider) -> None:
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


def test_details_tell_of_all_runs_in_the_window_and_name_the_newest(edges: StorageProvider) -> None:
    add(
        edges, *(link("a", "p", "read", f"r{number:03}", f"c{number % 3}", number, number + 5) for number in range(120))
    )
    whole = Edge("a", "p", "read", ("r119", "r118"), 120, 0, 124, ("c0", "c1", "c2"))
    assert detail(edges, "a", "p", "read", runs=2) == whole
    some = Edge("a", "p", "read", ("r019", "r018", "r017"), 15, 5, 24, ("c0", "c1", "c2"))
    assert detail(edges, "a", "p", "read", window=Window(10, 20), runs=3) == some
    assert detail(edges, "a", "p", "write") == Edge("a", "p", "write")
    add(edges, link("a", "p", "read", "open", "", 50, None))
    assert detail(edges, "a", "p", "read", runs=1).stop is None


def test_details_of_many_come_in_the_order_in_which_they_are_asked_for(edges: StorageProvider) -> None:
    add(edges, link("a", "p"), link("b", "p", "write"))
    asked = [("b", "p", "write"), ("none", "p", "read"), ("a", "p", "read"), ("b", "p", "write")]
    found = edges.tx_runner.run(lambda tx: tx.edges.details(asked, EVER, 1))
    assert [(one.data, one.program, one.mode, one.run_count) for one in found] == [
        (*triple, number) for triple, number in zip(asked, [1, 0, 1, 1], strict=True)
    ]
    assert edges.tx_runner.run(lambda tx: tx.edges.details([], EVER, 1)) == []


def test_components_are_named_once_in_order_and_not_without_end(edges: StorageProvider) -> None:
    add(edges, *(link("a", "p", component=f"c{number:02}") for number in range(25)), link("a", "p"))
    found = detail(edges, "a", "p", "read")
    assert found.components == tuple(f"c{number:02}" for number in range(21))
    assert (found.runs, found.run_count) == (("r",), 1)


def test_recording_again_changes_only_the_stop(edges: StorageProvider) -> None:
    add(edges, link("a", "p"), link("a", "p"))
    assert detail(edges, "a", "p", "read") == Edge("a", "p", "read", ("r",), 1, 1, None)
    add(edges, link("a", "p", stop=7))
    assert detail(edges, "a", "p", "read") == Edge("a", "p", "read", ("r",), 1, 1, 7)


def test_a_run_stops_and_goes_on_with_all_that_it_touched(edges: StorageProvider) -> None:
    add(edges, link("a", "p"), link("b", "p", "write"), link("a", "p", run="other", start=2))
    for stop, is_in in ((50, False), (None, True), (150, True), (60, False)):
        edges.tx_runner.run(lambda tx, stop=stop: tx.edges.stop("r", stop))
        assert detail(edges, "b", "p", "write").stop == stop
        assert (("b", "p", "write") in around(edges, "program", ["p"], window=WINDOW)) is is_in
        assert (("a", "p", "read") in around(edges, "program", ["p"], window=WINDOW)) is True
    edges.tx_runner.run(lambda tx: tx.edges.stop("none", 5))


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


def test_runs_are_read_through_and_forgotten(edges: StorageProvider) -> None:
    links = [
        link("a", "p", "read", "r1"),
        link("a", "p", "write", "r1", "c", 1, 9),
        link("a", "p", "read", "r2", "", 2),
    ]
    add(edges, *links)
    assert edges.tx_runner.run(lambda tx: tx.edges.of_run("r1")) == set(links[:2])
    assert edges.tx_runner.run(lambda tx: tx.edges.runs_after("", 9)) == ["r1", "r2"]
    assert edges.tx_runner.run(lambda tx: tx.edges.runs_after("", 1)) == ["r1"]
    assert edges.tx_runner.run(lambda tx: tx.edges.runs_after("r1", 9)) == ["r2"]
    edges.tx_runner.run(lambda tx: (tx.edges.forget("r1"), tx.edges.forget("none")))
    assert edges.tx_runner.run(lambda tx: tx.edges.of_run("r1")) == set()
    assert around(edges, "data", ["a"]) == {("a", "p", "read")}
    assert detail(edges, "a", "p", "read") == Edge("a", "p", "read", ("r2",), 1, 2, None)
    edges.tx_runner.run(lambda tx: tx.edges.forget("r2"))
    assert around(edges, "data", ["a"]) == around(edges, "program", ["p"]) == set()
    assert edges.tx_runner.run(lambda tx: tx.edges.runs_after("", 9)) == []


def test_renamed_end_has_its_accesses_beside_those_of_the_new_name(edges: StorageProvider) -> None:
    links = [link("a", "p"), link("a", "p", "write", "r1"), link("a", "q", "read", "r2", "", 2, 7), link("b", "p")]
    add(edges, *links)
    edges.tx_runner.run(lambda tx: tx.edges.rename("data", "a", "b"))
    assert around(edges, "data", ["a"]) == set()
    assert around(edges, "data", ["b"]) == {("b", "p", "read"), ("b", "p", "write"), ("b", "q", "read")}
    assert detail(edges, "b", "q", "read") == Edge("b", "q", "read", ("r2",), 1, 2, 7)
    edges.tx_runner.run(lambda tx: (tx.edges.rename("program", "p", "s"), tx.edges.rename("program", "none", "s")))
    assert around(edges, "program", ["p"]) == set()
    assert around(edges, "program", ["s"]) == {("b", "s", "read"), ("b", "s", "write")}
    assert {one.program for one in edges.tx_runner.run(lambda tx: tx.edges.of_run("r1"))} == {"s"}
    assert edges.tx_runner.run(lambda tx: tx.edges.stale(9)) == []


def test_what_is_in_order_is_not_stale_and_may_be_renewed(edges: StorageProvider) -> None:
    add(edges, link("a", "p"), link("a", "p", "unknown"), link("b", "p", stop=4))
    before = around(edges, "program", ["p"])
    assert edges.tx_runner.run(lambda tx: tx.edges.stale(9)) == []
    edges.tx_runner.run(lambda tx: (tx.edges.renew("a", "p", "read"), tx.edges.renew("none", "p", "read")))
    assert around(edges, "program", ["p"]) == before
    assert edges.tx_runner.run(lambda tx: tx.edges.stale(9)) == []


#: Every run belongs to one program and has one start (spec ID-10).
_STARTS = {f"r{number}": (f"p{number % 2}", number * 10) for number in range(5)}
_RUN, _STOP = st.sampled_from(sorted(_STARTS)), st.none() | st.integers(40, 90)
_ADDED = st.tuples(
    st.just("add"), st.sampled_from(["a", "b"]), st.sampled_from(MODES), _RUN, st.sampled_from(["", "c"])
)
_HISTORY = st.lists(_ADDED | st.tuples(st.just("stop"), _RUN, _STOP) | st.tuples(st.just("forget"), _RUN), max_size=14)
_WINDOW = st.builds(Window, st.none() | st.integers(0, 95), st.none() | st.integers(0, 95))


class Model:
    """Lineage as a plain set."""

    def __init__(self) -> None:
        self.links: dict[tuple[str, ...], Link] = {}
        self.stops: dict[str, int | None] = {}

    def do(self, tx: TableContext, step: tuple[Any, ...]) -> None:
        if step[0] == "add":
            _, data, mode, run, component = step
            program, start = _STARTS[run]
            made = Link(data, program, mode, run, component, start, self.stops.get(run))
            self.links[data, mode, run, component] = made
            tx.edges.add(*made)
        elif step[0] == "stop":
            self.stops[step[1]] = step[2]
            self.links = {
                key: one._replace(stop=step[2]) if one.run == step[1] else one for key, one in self.links.items()
            }
            tx.edges.stop(*step[1:])
        else:
            self.links = {key: one for key, one in self.links.items() if one.run != step[1]}
            tx.edges.forget(step[1])

    def within(self, window: Window) -> list[Link]:
        def stands(one: Link) -> bool:
            known = [(one.data, mode, one.run, one.component) in self.links for mode in MODES[:3]]
            return one.mode != "unknown" or not any(known)

        return [one for one in self.links.values() if is_in(one, window) and stands(one)]

    def runs(self, data: str, window: Window) -> list[tuple[int, str]]:
        found = {(one.start, one.run) for one in self.links.values() if one.data == data and is_in(one, window)}
        return sorted(found, reverse=True)


def is_in(one: Link, window: Window) -> bool:
    begun = window.end is None or one.start < window.end
    return begun and (one.stop is None or window.start is None or one.stop >= window.start)


@settings(max_examples=60)
@given(_HISTORY, st.lists(_WINDOW, max_size=3))
def test_any_history_gives_what_a_plain_set_gives(
    shared: StorageProvider, history: list[Any], windows: list[Window]
) -> None:
    model = Model()

    def work(tx: TableContext) -> None:
        for run in _STARTS:
            tx.edges.forget(run)
        for step in history:
            model.do(tx, step)
        assert tx.edges.stale(9) == []

    shared.tx_runner.run(work)
    for window in (EVER, *windows):
        links = model.within(window)
        triples = {(one.data, one.program, one.mode) for one in links}
        assert around(shared, "data", ["a", "b"], window=window) == triples
        assert around(shared, "program", ["p1"], window=window) == {one for one in triples if one[1] == "p1"}
        for data in ("a", "b"):
            assert degrees(shared, "data", data, window=window)[data] == len(
                {one[1] for one in triples if one[0] == data}
            )
            assert runs_of(shared, data, window) == model.runs(data, window)
        for triple in triples:
            those = [one for one in links if (one.data, one.program, one.mode) == triple]
            runs = sorted({(one.start, one.run) for one in those}, reverse=True)
            stops = [one.stop for one in those]
            assert detail(shared, *triple, window=window, runs=2) == Edge(
                *triple,
                tuple(run for _, run in runs[:2]),
                len(runs),
                runs[-1][0],
                None if None in stops else max(stop for stop in stops if stop is not None),
                tuple(sorted({one.component for one in those if one.component})),
            )
