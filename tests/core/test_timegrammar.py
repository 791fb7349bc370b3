"""Times as people and clients write them (spec LINEAGE-15)."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.time_format import TIME_MS_MAX, format_ms_as_iso_time, parse_iso_time_to_ms, parse_time_to_ms

NOW = 1_795_176_000_000


@pytest.mark.parametrize(
    ("written", "ms"),
    [
        ("2026-11-20T12:00:00.000Z", NOW),
        ("2026-11-20T12:00:00Z", NOW),
        ("2026-11-20T12:00Z", NOW),
        ("2026-11-20 13:00:00+01:00", NOW),
        ("2026-11-20T06:30:00-0530", NOW),
        ("2026-11-20T12:00:00.5Z", NOW + 500),
        ("2026-11-20T12:00:00.123999Z", NOW + 123),
        ("2026-11-20", NOW - 43_200_000),
        ("1795176000000", NOW),
        ("1795176000", NOW),
        ("0", 0),
        ("99999999999", 99_999_999_999_000),
        ("100000000000", 100_000_000_000),
        ("now", NOW),
        (" now-1d ", NOW - 86_400_000),
        ("now-1d+2h-3m+4s-5ms", NOW - 86_400_000 + 7_200_000 - 180_000 + 4000 - 5),
    ],
)
def test_time_is_iso_8601_number_or_relative(written: str, ms: int) -> None:
    assert parse_time_to_ms(written, NOW) == ms


@pytest.mark.parametrize(
    "written",
    [
        "",
        "yesterday",
        "now -1d",
        "now-1",
        "now-1w",
        "now-d",
        "nowish",
        "-5",
        "1.5",
        "1e12",
        "١٢٣",
        "2026-11-20T12:00:00",
        "2026-13-01",
        "2026-02-30T00:00:00Z",
        "2026-11-20T25:00Z",
        "2026-11-20T12:00:00+99:00",
        "2026-W47",
        "now-99999999d",
        "now+999999999999999d",
        "0001-01-01",
        "9" * 16,
        "999999999999999",
        "now" + "+1d" * 100,
        "now" + "-1d" * 100_000 + "x",
    ],
)
def test_invalid_time_raises_with_the_correct_form(written: str) -> None:
    with pytest.raises(InvalidQuery) as caught:
        parse_time_to_ms(written, NOW)
    assert caught.value.reason


def test_instant_is_never_relative() -> None:
    assert parse_iso_time_to_ms("2026-11-20T12:00:00Z") == NOW
    for written in ("now", "1795176000000"):
        with pytest.raises(InvalidQuery):
            parse_iso_time_to_ms(written)


@given(st.integers(0, TIME_MS_MAX))
def test_formatted_time_parses_to_the_millisecond(ms: int) -> None:
    assert parse_time_to_ms(format_ms_as_iso_time(ms), NOW) == ms


@given(st.integers(-62_135_596_800_000, TIME_MS_MAX))
def test_time_is_formatted_as_datetime_does(ms: int) -> None:
    time = datetime(1970, 1, 1) + timedelta(milliseconds=ms)
    assert format_ms_as_iso_time(ms) == f"{time.isoformat(timespec='milliseconds')}Z"


def test_times_are_formatted_in_utc_with_milliseconds() -> None:
    assert format_ms_as_iso_time(NOW) == "2026-11-20T12:00:00.000Z"
    assert format_ms_as_iso_time(NOW + 7) == "2026-11-20T12:00:00.007Z"
