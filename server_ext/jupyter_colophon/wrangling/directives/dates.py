"""Directives for dates and times."""

from datetime import UTC, date, datetime
from typing import Any

from jupyter_colophon.wrangling.date_formats import DateFormat
from jupyter_colophon.wrangling.directive import (
    Directive,
    DirectiveParameter,
    Example,
    Row,
    RowDirective,
    ValueDirective,
    define_column,
    define_new_column,
    get_text,
)

_FORMAT = DirectiveParameter(
    "format", "text", "The format, such as yyyy-MM-dd HH:mm:ss (see [Formats of dates](#formats-of-dates))"
)


class ParseDate(ValueDirective):
    """Parse dates and times."""

    name = "parse-as-date"
    description = (
        "Parses texts as dates, or as timestamps if the format has a time. Rows with other texts are rejected."
    )
    parameters = (define_column(), _FORMAT)
    example = Example(
        "parse-as-date :day 'dd.MM.yyyy'",
        [{"day": "27.11.2026"}, {"day": "today"}, {"day": None}],
        [{"day": date(2026, 11, 27)}, {"day": None}],
    )

    def prepare(self) -> None:
        """Parse the format."""
        self._format = DateFormat(self.arguments["format"])

    def convert_value(self, value: Any) -> Any:
        """Return the date."""
        return value if isinstance(value, date) else self._format.parse(get_text(value))


class FormatDate(ValueDirective):
    """Write dates and times as text."""

    name = "format-date"
    description = "Writes dates and timestamps as text; texts must have the form of ISO 8601."
    parameters = (define_column(), _FORMAT)
    example = Example(
        "format-date :day 'd MMM yyyy'",
        [{"day": date(2026, 11, 7)}, {"day": "2026-01-31"}],
        [{"day": "7 Nov 2026"}, {"day": "31 Jan 2026"}],
    )

    def prepare(self) -> None:
        """Parse the format."""
        self._format = DateFormat(self.arguments["format"])

    def convert_value(self, value: Any) -> Any:
        """Return the text."""
        return self._format.format_date(_require_date(value))


class ParseUnixTimestamp(ValueDirective):
    """Convert seconds since 1970."""

    name = "parse-as-unix-timestamp"
    description = "Converts seconds or milliseconds since 1970 to timestamps in UTC."
    parameters = (
        define_column(),
        DirectiveParameter(
            "unit", "choice", "The unit", ("seconds", "milliseconds"), is_optional=True, default="seconds"
        ),
    )
    example = Example("parse-as-unix-timestamp :at", [{"at": "86400"}], [{"at": datetime(1970, 1, 2)}])

    def convert_value(self, value: Any) -> Any:
        """Return the timestamp."""
        seconds = float(get_text(value)) / (1 if self.arguments["unit"] == "seconds" else 1000)
        return datetime.fromtimestamp(seconds, UTC).replace(tzinfo=None)


class DiffDates(RowDirective):
    """Subtract dates."""

    name = "diff-date"
    description = "Sets a column to the number of days from one date to another."
    parameters = (
        define_column("first", "The first date or timestamp"),
        define_column("second", "The second one"),
        define_new_column("destination", "The column that gets the number"),
    )
    example = Example(
        "diff-date :a :b :days",
        [{"a": date(2026, 11, 1), "b": date(2026, 11, 27)}],
        [{"a": date(2026, 11, 1), "b": date(2026, 11, 27), "days": 26}],
    )

    def change_row(self, row: Row) -> Row:
        """Return the row with the number."""
        first, second = row.get(self.arguments["first"]), row.get(self.arguments["second"])
        row[self.arguments["destination"]] = (
            None if first is None or second is None else (_take_day(second) - _take_day(first)).days
        )
        return row


class TruncateDate(ValueDirective):
    """Set dates to the beginning of their year, month or week."""

    name = "truncate-date"
    description = (
        "Replaces dates and timestamps by the first day of their year, month or week (Monday), or by their day."
    )
    parameters = (define_column(), DirectiveParameter("unit", "choice", "The unit", ("year", "month", "week", "day")))
    example = Example("truncate-date :day month", [{"day": date(2026, 11, 27)}], [{"day": date(2026, 11, 1)}])

    def convert_value(self, value: Any) -> Any:
        """Return the first day."""
        day, unit = _take_day(value), self.arguments["unit"]
        if unit == "week":
            return date.fromordinal(day.toordinal() - day.weekday())
        return {"year": day.replace(month=1, day=1), "month": day.replace(day=1)}.get(unit, day)


def _require_date(value: Any) -> date:
    return value if isinstance(value, date) else datetime.fromisoformat(get_text(value).strip())


def _take_day(value: Any) -> date:
    moment = _require_date(value)
    return moment.date() if isinstance(moment, datetime) else moment


DIRECTIVES: tuple[type[Directive], ...] = (ParseDate, FormatDate, ParseUnixTimestamp, DiffDates, TruncateDate)
