"""Directives that parse texts with a structure."""

import csv
import json
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import urlsplit

from jupyter_colophon.wrangling.column_names import make_names_unique, name_values
from jupyter_colophon.wrangling.directive import (
    Directive,
    DirectiveParameter,
    Example,
    Reject,
    Row,
    RowDirective,
    define_column,
    define_new_column,
    get_text,
)
from jupyter_colophon.wrangling.errors import ArgumentError
from jupyter_colophon.wrangling.json_path import parse_json_path


class ParseCsv(Directive):
    """Parse delimited lines."""

    name = "parse-as-csv"
    description = (
        "Parses lines of delimited values, with quotes, into columns: `column_1`, `column_2` …, or those that the first"
        " row names, which is removed then. With a header, it needs all rows in one partition."
    )
    parameters = (
        define_column(),
        DirectiveParameter("delimiter", "text", "One character"),
        DirectiveParameter("header", "boolean", "Whether the first row has the names", is_optional=True, default=False),
    )
    example = Example(
        "parse-as-csv :body ',' true",
        [{"body": "id,name"}, {"body": '1,"Rome, Italy"'}, {"body": "2"}],
        [
            {"body": '1,"Rome, Italy"', "id": "1", "name": "Rome, Italy"},
            {"body": "2", "id": "2", "name": None},
        ],
    )

    def prepare(self) -> None:
        """Check the delimiter."""
        if len(self.arguments["delimiter"]) != 1:
            raise ArgumentError("the delimiter must be one character")

    @property
    def needs_all_rows(self) -> bool:  # type: ignore[override]
        """Return whether the names are in the first row."""
        return bool(self.arguments["header"])

    def apply(self, rows: Iterable[Row], reject: Reject) -> Iterator[Row]:
        """Yield the rows with new columns."""
        column, names = self.arguments["column"], None
        for row in rows:
            try:
                values = self._parse_line(row.get(column))
            except csv.Error as error:
                reject(row, str(error))
                continue
            if self.arguments["header"] and names is None:
                names = make_names_unique(values)
                continue
            row.update(name_values(names or [], values, column))
            yield row

    def _parse_line(self, value: Any) -> list[str]:
        if value is None:
            return []
        return next(csv.reader([get_text(value)], delimiter=self.arguments["delimiter"]), [])


class ParseJson(RowDirective):
    """Parse JSON."""

    name = "parse-as-json"
    description = (
        "Parses JSON: the members of an object become columns `column_member`, down to a depth, and other values replace"
        " the text. Rows with invalid JSON are rejected."
    )
    parameters = (
        define_column(),
        DirectiveParameter(
            "depth", "integer", "The depth to which members become columns", is_optional=True, default=1
        ),
    )
    example = Example(
        "parse-as-json :a",
        [{"a": '{"id": 1, "tags": ["x"]}'}],
        [{"a_id": 1, "a_tags": ["x"]}],
    )

    def change_row(self, row: Row) -> Row:
        """Return the row with the parsed values."""
        column = self.arguments["column"]
        value = row.get(column)
        if value is None:
            return row
        parsed = value if isinstance(value, (dict, list)) else json.loads(get_text(value))
        result: Row = {}
        for name, item in row.items():
            result.update(_expand_members(column, parsed, self.arguments["depth"]) if name == column else {name: item})
        return result


class ExtractJsonPath(RowDirective):
    """Copy a part of a JSON value."""

    name = "json-path"
    description = "Copies a part of a JSON text, list or object, such as `$.items[0].name`; null if it is missing."
    parameters = (
        define_column("source", "The column with JSON"),
        define_new_column("destination", "The column that gets the value"),
        DirectiveParameter("path", "text", "The path: members after `.`, and positions from 0 in brackets"),
    )
    example = Example(
        "json-path :a :city '$.at[0].city'",
        [{"a": '{"at": [{"city": "Rome"}]}'}, {"a": "{}"}],
        [{"a": '{"at": [{"city": "Rome"}]}', "city": "Rome"}, {"a": "{}", "city": None}],
    )

    def prepare(self) -> None:
        """Parse the path."""
        self._path = parse_json_path(self.arguments["path"])

    def change_row(self, row: Row) -> Row:
        """Return the row with the value."""
        value = row.get(self.arguments["source"])
        if isinstance(value, str):
            value = json.loads(value)
        row[self.arguments["destination"]] = self._path.find_value(value)
        return row


class FlattenLists(Directive):
    """Create a row for each item of a list."""

    name = "flatten"
    description = "Creates a row for each item of a list; other values, and empty lists as null, stay one row."
    parameters = (define_column(),)
    example = Example(
        "flatten :tags", [{"id": 1, "tags": ["x", "y"]}], [{"id": 1, "tags": "x"}, {"id": 1, "tags": "y"}]
    )

    def apply(self, rows: Iterable[Row], reject: Reject) -> Iterator[Row]:
        """Yield the rows."""
        column = self.arguments["column"]
        for row in rows:
            value = row.get(column)
            if not isinstance(value, list):
                yield row
            else:
                yield from ({**row, column: item} for item in (value or [None]))


class SplitToRows(Directive):
    """Create a row for each part of a text."""

    name = "split-to-rows"
    description = "Splits texts at each occurrence of a separator, and creates a row for each part."
    parameters = (define_column(), DirectiveParameter("separator", "text", "The separator"))
    example = Example(
        "split-to-rows :tags ';'", [{"id": 1, "tags": "x;y"}], [{"id": 1, "tags": "x"}, {"id": 1, "tags": "y"}]
    )

    def prepare(self) -> None:
        """Check the separator."""
        if not self.arguments["separator"]:
            raise ArgumentError("the separator is empty")

    def apply(self, rows: Iterable[Row], reject: Reject) -> Iterator[Row]:
        """Yield the rows."""
        column = self.arguments["column"]
        for row in rows:
            value = row.get(column)
            if value is None:
                yield row
            else:
                parts = get_text(value).split(self.arguments["separator"])
                yield from ({**row, column: part} for part in parts)


class ParseFixedLength(RowDirective):
    """Parse columns of fixed widths."""

    name = "parse-as-fixed-length"
    description = "Copies ranges of characters, which count from 1, to the columns `column_1`, `column_2` …, without blanks at their ends."
    parameters = (define_column(), DirectiveParameter("ranges", "ranges", "The ranges, such as 1-3,4-10"))
    example = Example(
        "parse-as-fixed-length :a 1-3,4-8", [{"a": "001Rome "}], [{"a": "001Rome ", "a_1": "001", "a_2": "Rome"}]
    )

    def change_row(self, row: Row) -> Row:
        """Return the row with the parts."""
        column = self.arguments["column"]
        value = row.get(column)
        for number, (first, last) in enumerate(self.arguments["ranges"], 1):
            row[f"{column}_{number}"] = None if value is None else get_text(value)[first - 1 : last].strip()
        return row


class ParseKeyValues(RowDirective):
    """Parse pairs of keys and values."""

    name = "parse-as-key-value"
    description = "Parses pairs of keys and values into columns that are named by the keys."
    parameters = (
        define_column(),
        DirectiveParameter("pair_separator", "text", "The text between pairs"),
        DirectiveParameter("value_separator", "text", "The text between key and value"),
    )
    example = Example("parse-as-key-value :a ';' '='", [{"a": "x=1; y=2"}], [{"a": "x=1; y=2", "a_x": "1", "a_y": "2"}])

    def prepare(self) -> None:
        """Check the separators."""
        if not self.arguments["pair_separator"] or not self.arguments["value_separator"]:
            raise ArgumentError("a separator is empty")

    def change_row(self, row: Row) -> Row:
        """Return the row with the values."""
        column = self.arguments["column"]
        text = get_text(row.get(column) or "")
        for pair in text.split(self.arguments["pair_separator"]):
            key, separator, value = pair.partition(self.arguments["value_separator"])
            if separator and key.strip():
                row[f"{column}_{key.strip()}"] = value.strip()
        return row


class SplitUrl(RowDirective):
    """Split URLs."""

    name = "split-url"
    description = "Splits URLs into `column_scheme`, `column_host`, `column_port`, `column_path`, `column_query` and `column_fragment`."
    parameters = (define_column(),)
    example = Example(
        "split-url :u",
        [{"u": "https://a.example:8080/b?c=1#d"}],
        [
            {
                "u": "https://a.example:8080/b?c=1#d",
                "u_scheme": "https",
                "u_host": "a.example",
                "u_port": 8080,
                "u_path": "/b",
                "u_query": "c=1",
                "u_fragment": "d",
            }
        ],
    )

    def change_row(self, row: Row) -> Row:
        """Return the row with the parts."""
        column = self.arguments["column"]
        parts = urlsplit(get_text(row.get(column) or ""))
        values = {
            "scheme": parts.scheme,
            "host": parts.hostname,
            "port": parts.port,
            "path": parts.path,
            "query": parts.query,
            "fragment": parts.fragment,
        }
        row.update({f"{column}_{name}": value or None for name, value in values.items()})
        return row


class SplitEmail(RowDirective):
    """Split e-mail addresses."""

    name = "split-email"
    description = "Splits e-mail addresses into `column_account` and `column_domain`; null for other texts."
    parameters = (define_column(),)
    example = Example(
        "split-email :e",
        [{"e": "Ada <ada@a.example>"}, {"e": "x"}],
        [
            {"e": "Ada <ada@a.example>", "e_account": "ada", "e_domain": "a.example"},
            {"e": "x", "e_account": None, "e_domain": None},
        ],
    )

    def change_row(self, row: Row) -> Row:
        """Return the row with the parts."""
        column = self.arguments["column"]
        text = get_text(row.get(column) or "").strip()
        address = text.rpartition("<")[2].removesuffix(">")
        account, separator, domain = address.rpartition("@")
        is_valid = bool(separator and account and domain) and not any(letter.isspace() for letter in address)
        row[f"{column}_account"] = account if is_valid else None
        row[f"{column}_domain"] = domain if is_valid else None
        return row


def _expand_members(name: str, value: Any, depth: int) -> Row:
    if not isinstance(value, dict) or depth <= 0:
        return {name: value}
    result: Row = {}
    for member, item in value.items():
        result.update(_expand_members(f"{name}_{member}", item, depth - 1))
    return result


DIRECTIVES: tuple[type[Directive], ...] = (
    ParseCsv,
    ParseJson,
    ExtractJsonPath,
    FlattenLists,
    SplitToRows,
    ParseFixedLength,
    ParseKeyValues,
    SplitUrl,
    SplitEmail,
)
