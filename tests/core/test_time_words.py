"""Times as words of search."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.search.time_words import Interval, cover, parse_interval, time_words
from jupyter_colophon.core.time_format import parse_instant

NOW = parse_instant("2026-11-23T09:00:00Z")
_times = st.integers(0, parse_instant("2100-01-01"))


def test_a_time_is_a_year_a_month_a_day_and_an_hour() -> None:
    assert list(time_words("t", parse_instant("2026-11-20T07:30:00Z"))) == [
        "t:2026",
        "t:2026-11",
        "t:2026-11-20",
        "t:2026-11-20t07",
    ]


@given(_times, _times, _times)
def test_the_words_of_an_interval_are_those_of_the_times_in_it(start: int, end: int, time: int) -> None:
    interval = Interval(min(start, end), max(start, end))
    covered, words = cover("t", interval), set(time_words("t", time))
    found = bool(words & set(covered.inner)) or (bool(words & set(covered.edges)) and interval.holds(time))
    assert found == interval.holds(time)
    assert len(covered.inner) <= 300


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2026", "2026-01-01", "2027-01-01"),
        ("2026-12", "2026-12-01", "2027-01-01"),
        ("2026-11-20", "2026-11-20", "2026-11-21"),
        ("2026-11-01..2026-11-20", "2026-11-01", "2026-11-21"),
        ("..2026-11", "1970-01-01", "2026-12-01"),
        ("<2026-11-20", "1970-01-01", "2026-11-20"),
        ("<=2026-11-20", "1970-01-01", "2026-11-21"),
    ],
)
def test_days_months_and_years_are_meant_as_a_whole(text: str, start: str, end: str) -> None:
    assert parse_interval(text, NOW) == Interval(parse_instant(start), parse_instant(end))


def test_open_ranges_include_the_present_and_clocks_that_are_ahead() -> None:
    for text in (">=now-7d", ">2026-11-01", "2026-11-01.."):
        found = parse_interval(text, NOW)
        assert found is not None
        assert found.holds(NOW)
        assert found.holds(NOW + 60_000)
    after = parse_interval(">2026-11-01", NOW)
    assert after is not None
    assert not after.holds(parse_instant("2026-11-01T23:59:59Z"))


def test_a_number_is_a_time_in_ms() -> None:
    assert parse_interval("1441310434000", NOW) == Interval(1441310434000, 1441310434001)


def test_other_texts_are_no_ranges_and_broken_ranges_are_refused() -> None:
    assert parse_interval("yesterday", NOW) is None
    for text in (">yesterday", "a..b", ">=2026-13", "<0999"):
        with pytest.raises(InvalidQuery):
            parse_interval(text, NOW)
