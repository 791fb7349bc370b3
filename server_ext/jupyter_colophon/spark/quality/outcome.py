"""The results of expectations, from what was measured."""

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

from jupyter_colophon.core.quality.results import SAMPLES_MAX
from jupyter_colophon.core.schedule_times import parse_duration_ms

Expectation = Mapping[str, Any]
Result = dict[str, Any]
_SAMPLE_CHARACTERS: Final = 200
_DAY: Final = timedelta(days=1)


class CheckImpossible(ValueError):
    """An expectation cannot be evaluated on this data. The message has no values of it."""


def build_error_result(message: str) -> Result:
    """Return the result of an expectation that could not be evaluated."""
    return {"status": "error", "message": message}


def build_rows_result(expectation: Expectation, failing: int, rows: int, observed: str = "") -> Result:
    """Return the result of an expectation of rows."""
    has_passed = failing <= expectation.get("tolerance", 0) * rows
    result: Result = {"status": _get_status(has_passed), "failing": failing, "rows": rows}
    return result | ({"observed": observed} if observed else {})


def build_row_count_result(expectation: Expectation, rows: int) -> Result:
    """Return the result for the number of rows."""
    has_passed = expectation.get("min", rows) <= rows <= expectation.get("max", rows)
    return {"status": _get_status(has_passed), "rows": rows, "observed": str(rows)}


def build_freshness_result(expectation: Expectation, newest: datetime | None, now: datetime, rows: int) -> Result:
    """Return the result for the newest time, in UTC; None if there is no value. Raises CheckImpossible."""
    try:
        oldest = now - timedelta(milliseconds=parse_duration_ms(expectation["maxAge"]))
    except ValueError as error:
        raise CheckImpossible(f"the maximum age is not valid: {error}") from None
    has_passed = newest is not None and newest >= oldest
    observed = "no value" if newest is None else newest.isoformat(timespec="seconds")
    return {"status": _get_status(has_passed), "rows": rows, "observed": observed}


def build_columns_result(expectation: Expectation, types: Mapping[str, str], rows: int) -> Result:
    """Return the result for the columns and their types."""
    lower_types = {name.lower(): type_.lower() for name, type_ in types.items()}
    found = []
    for column in expectation["columns"]:
        type_, expected = lower_types.get(column["name"].lower()), column.get("type", "").lower()
        if type_ is None:
            found.append(f"{column['name']} is missing")
        elif expected and type_ != expected:
            found.append(f"{column['name']} is {type_}")
    result: Result = {"status": _get_status(not found), "rows": rows}
    return result | ({"observed": "; ".join(found)[:2000]} if found else {})


def format_samples(values: Iterable[object]) -> list[str]:
    """Return different values as texts, at most as many as a result has."""
    texts = dict.fromkeys(str(value)[:_SAMPLE_CHARACTERS] for value in values)
    return list(texts)[:SAMPLES_MAX]


def format_extent(least: object, most: object) -> str:
    """Return the smallest and the greatest value as one text; empty without values."""
    ends = (str(end)[:_SAMPLE_CHARACTERS] for end in (least, most))
    return "" if least is None or most is None else " to ".join(ends)


def parse_limit_as_time(text: str) -> datetime:
    """Return a limit of dates or timestamps, in UTC. Raises CheckImpossible."""
    try:
        return convert_to_utc(datetime.fromisoformat(text))
    except ValueError:
        raise CheckImpossible(f"the limit {text} is not a date or a time, such as 2026-01-31") from None


def convert_to_utc(value: date) -> datetime:
    """Return a date or a timestamp in UTC; one without a time zone is in UTC."""
    if not isinstance(value, datetime):
        value = datetime.combine(value, time())
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def end_of_day(value: date) -> datetime:
    """Return the end of a date in UTC, and a timestamp unchanged."""
    return convert_to_utc(value) if isinstance(value, datetime) else convert_to_utc(value) + _DAY


def _get_status(has_passed: bool) -> str:
    return "passed" if has_passed else "failed"
