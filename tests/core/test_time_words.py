"""Times as search words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.search.time_words import (
    TimeInterval,
    cover_interval_by_words,
    list_time_words,
    parse_time_interval,
)
from jupyter_colophon.core.time_format import parse_iso_time_to_ms

NOW = parse_iso_time_to_ms("2026-11-23T09:00:00Z")
_times = st.integers(0, parse_iso_time_to_ms("2100-01-01"))


def test_time_has_year_month_day_and_hour_words() -> None:
    assert list(list_time_words("t", parse_iso_time_to_ms("2026-11-20T07:30:00Z"))) == [
        "t:2026",
        "t:2026-11",
        "t:2026-11-20",
        "t:2026-11-20t07",
    ]


@given(_times, _times, _times)
def test_interval_words_cover_exactly_its_times(start: int, end: int, time: int) -> None:
    interval = TimeInterval(min(start, end), max(start, end))
    covered, words = cover_interval_by_words("t", interval), set(list_time_words("t", time))
    found = bool(words & set(covered.full_periods)) or (
        bool(words & set(covered.partial_hours)) and interval.contains(time)
    )
    assert found == interval.contains(time)
    assert len(covered.full_periods) <= 300


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
def test_partial_dates_mean_whole_periods(text: str, start: str, end: str) -> None:
    assert parse_time_interval(text, NOW) == TimeInterval(parse_iso_time_to_ms(start), parse_iso_time_to_ms(end))


def test_open_ranges_include_now_and_fast_clocks() -> None:
    for text in (">=now-7d", ">2026-11-01", "2026-11-01.."):
        found = parse_time_interval(text, NOW)
        assert found is not None
        assert found.contains(NOW)
        assert found.contains(NOW + 60_000)
    after = parse_time_interval(">2026-11-01", NOW)
    assert after is not None
    assert not after.contains(parse_iso_time_to_ms("2026-11-01T23:59:59Z"))


def test_number_is_time_in_milliseconds() -> None:
    assert parse_time_interval("1441310434000", NOW) == TimeInterval(1441310434000, 1441310434001)


def test_text_is_no_range_and_invalid_range_raises() -> None:
    assert parse_time_interval("yesterday", NOW) is None
    for text in (">yesterday", "a..b", ">=2026-13", "<0999"):
        with pytest.raises(InvalidQuery):
            parse_time_interval(text, NOW)
