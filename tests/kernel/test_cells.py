"""Which cell ran when."""

import hashlib

import pytest
from jupyter_colophon.kernel.cells import REMEMBERED, Cell, Timeline


class Clock:
    def __init__(self):
        self.now = 1_000

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def timeline(clock):
    return Timeline(clock)


def ran(timeline, clock, id_, start, end):
    clock.now = start
    execution = timeline.start_execution(Cell(id_, "x", 1))
    if end is not None:
        clock.now = end
        timeline.end_execution(execution, succeeded=True)
    return execution


def test_cell_hash_covers_the_whole_source():
    cell = Cell("load", "é = 1\n", 3)
    assert cell.source_hash == "sha256:" + hashlib.sha256("é = 1\n".encode()).hexdigest()


@pytest.mark.parametrize("strange", ["", "a#b", "a b", "x" * 65])
def test_cell_without_valid_id_gets_a_stable_one(strange):
    first, again, other = Cell(strange, "a = 1", 1), Cell(strange, "a = 1", 9), Cell(strange, "a = 2", 1)
    assert first.id == again.id != other.id
    assert first.id.startswith("source-")


def test_time_is_assigned_to_the_cell_that_ran_then(timeline, clock):
    first = ran(timeline, clock, "a", 1_000, 2_000)
    second = ran(timeline, clock, "b", 2_001, 3_000)
    assert [timeline.find_execution_at(moment) for moment in (1_000, 2_000, 2_001, 3_000)] == [
        first,
        first,
        second,
        second,
    ]


def test_time_between_cells_has_no_cell(timeline, clock):
    ran(timeline, clock, "a", 1_000, 2_000)
    ran(timeline, clock, "b", 5_000, 6_000)
    assert [timeline.find_execution_at(moment) for moment in (999, 2_001, 4_999, 6_001)] == [None] * 4


def test_running_cell_covers_all_time_since_its_start(timeline, clock):
    running = ran(timeline, clock, "a", 1_000, None)
    assert timeline.find_execution_at(10**15) is running


def test_latest_of_parallel_cells_is_chosen(timeline, clock):
    long = ran(timeline, clock, "a", 1_000, None)
    short = ran(timeline, clock, "b", 2_000, 3_000)
    assert [timeline.find_execution_at(moment) for moment in (1_500, 2_500, 3_500)] == [long, short, long]


def test_cells_of_one_millisecond_leave_it_to_the_later_one(timeline, clock):
    ran(timeline, clock, "a", 1_000, 1_000)
    later = ran(timeline, clock, "b", 1_000, 1_000)
    assert timeline.find_execution_at(1_000) is later


def test_only_the_latest_executions_are_remembered(timeline, clock):
    for number in range(REMEMBERED + 1):
        ran(timeline, clock, "a", 10 * number, 10 * number + 5)
    assert timeline.find_execution_at(0) is None
    assert timeline.find_execution_at(10) is not None
