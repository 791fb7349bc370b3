"""The next due time of schedules, in UTC."""

from datetime import UTC, datetime

import pytest
from jupyter_colophon.core.schedule_times import calculate_next_due_ms

NOW = "2026-11-22T09:30:30"  # a Sunday


def ms(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp() * 1000)


@pytest.mark.parametrize(
    ("every", "cron", "last", "due"),
    [
        ("PT15M", "", None, "2026-11-22T09:45:30"),
        ("PT15M", "", "2026-11-22T09:29:00", "2026-11-22T09:44:00"),
        # However many were missed, the next one is the first in the future.
        ("PT1H", "", "2026-11-01T00:10:00", "2026-11-22T10:10:00"),
        ("P1DT2H3S", "", None, "2026-11-23T11:30:33"),
        ("P2W", "", None, "2026-12-06T09:30:30"),
        ("", "* * * * *", None, "2026-11-22T09:31:00"),
        ("", "*/20 * * * *", None, "2026-11-22T09:40:00"),
        ("", "5/20 9 * * *", None, "2026-11-22T09:45:00"),
        ("", "0 5 * * *", None, "2026-11-23T05:00:00"),
        ("", "0 5 * * mon-fri", "2026-11-20T05:00:00", "2026-11-23T05:00:00"),
        ("", "0 5 * * 7", None, "2026-11-29T05:00:00"),
        ("", "15,45 8-10 1 jan,mar *", None, "2027-01-01T08:15:00"),
        ("", "0 0 29 2 *", None, "2028-02-29T00:00:00"),
        # Day of month and day of week are alternatives.
        ("", "0 0 24 * tue", None, "2026-11-24T00:00:00"),
        ("", "0 0 30 * mon", None, "2026-11-23T00:00:00"),
        # The last day of a month, and one of two fields that must both match.
        ("", "0 0 L * *", None, "2026-11-30T00:00:00"),
        ("", "0 0 1-7 * */7", None, "2026-12-06T00:00:00"),
    ],
)
def test_next_due_time(every: str, cron: str, last: str | None, due: str) -> None:
    assert calculate_next_due_ms(every, cron, ms(NOW), None if last is None else ms(last)) == ms(due)


@pytest.mark.parametrize(
    ("every", "cron"),
    [
        ("", "* * * *"),
        ("", "60 * * * *"),
        ("", "5-1 * * * *"),
        ("", "*/0 * * * *"),
        ("", "x * * * *"),
        ("", "* * 0 * *"),
        ("", "0 0 31 2 *"),
        ("", "30 0 5 * * *"),
        ("P", ""),
        ("PT", ""),
        ("P1DT", ""),
        ("PT0S", ""),
        ("P1Y", ""),
        ("1H", ""),
    ],
)
def test_invalid_interval_or_cron_raises_value_error(every: str, cron: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        calculate_next_due_ms(every, cron, ms(NOW), None)
