"""An entity: what people wrote and what machines wrote, apart; its fields, its newest profile and runs."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from jupyter_colophon.core.display_text import count_of
from jupyter_colophon.core.identity.short_names import short_name
from jupyter_colophon.rendering.elements import Element, Line, Table, Tags, Title
from jupyter_colophon.rendering.page import Page
from jupyter_colophon.rendering.style import NOTEBOOK, Style

Document = Mapping[str, Any]

#: Aspects that consist of properties: their names say nothing more of one.
_PROPERTIES = frozenset({"businessMetadata", "technicalMetadata"})
#: Columns of a profile on a page; the document has all.
_MAX_COLUMNS = 50
_DIGITS = 6
_PROFILE = ("column", "nulls", "distinct", "least", "median", "most", "mean", "deviation")


def entity_page(document: Document, style: Style = NOTEBOOK) -> Page:
    """Return a page from `Entity`, with `runs`, the newest that touched it, and of data `fields` and `profile`."""
    schema = document["aspects"].get("schemaMetadata", {}).get("value", {})
    own = [one for one in document["descriptors"] if one["column"] is None]
    elements: list[Element] = [Title(short_name(document["urn"]), document["urn"])]
    for scope in ("USER", "SYSTEM"):
        elements += _of_scope([one for one in own if one["scope"] == scope], scope)
    elements += _schema(schema.get("fields", ()))
    elements += _fields(document)
    if profile := document.get("profile"):
        elements += _profile(profile, style)
    elements += _runs(document, style)
    stamps = ((word, document[word]) for word in ("created", "updated"))
    text = ", ".join(f"{word} {style.time(stamp['time'])} by {stamp['actor']}" for word, stamp in stamps)
    return Page((*elements, Line(text, quiet=True)))


def _of_scope(descriptors: list[Document], scope: str) -> Iterator[Element]:
    """Yield tags, terms and properties of one scope; nothing where machines wrote nothing."""
    tags, terms = (_names(descriptors, kind) for kind in ("tag", "term"))
    if tags or scope == "USER":
        yield Tags(f"tags ({scope})", tags)
    if terms:
        yield Tags(f"terms ({scope})", terms)
    rows = sorted({_property(one) for one in descriptors if one["kind"] not in ("tag", "term")})
    if rows:
        caption = f"properties that {'people' if scope == 'USER' else 'machines'} wrote ({scope})"
        yield Table(caption, ("key", "value", "aspect"), rows).without_empty_columns()


def _names(descriptors: Iterable[Document], kind: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one["name"] for one in descriptors if one["kind"] == kind))


def _property(one: Document) -> tuple[str, str, str]:
    text = f"{one['name']} ({one['detail']})" if one["detail"] else one["name"]
    return one["key"], text, "" if one["aspect"] in _PROPERTIES else one["aspect"]


def _schema(fields: Iterable[Document]) -> Iterator[Element]:
    rows = [
        (
            field.get("fieldPath"),
            field.get("nativeDataType"),
            "yes" if field.get("nullable") else "no",
            field.get("description"),
        )
        for field in fields
    ]
    if rows:
        table = Table(f"schema, {count_of(len(rows), 'field')}", ("field", "type", "nullable", "description"), rows)
        yield table.without_empty_columns()


def _fields(document: Document) -> Iterator[Element]:
    """Yield tags and properties of fields, a row for each scope that has some."""
    rows = [
        (field["name"], scope, " ".join(_names(described, "tag")), _pairs(described))
        for field in document.get("fields", ())
        for scope in ("USER", "SYSTEM")
        if (described := [one for one in field["descriptors"] if one["scope"] == scope])
    ]
    if rows:
        yield Table("metadata of fields", ("field", "by", "tags", "properties"), rows)
    if left := document.get("fieldsLeft", 0):
        yield Line(f"{count_of(left, 'more field')} may have metadata: see --field FIELD.", quiet=True)


def _pairs(descriptors: Iterable[Document]) -> str:
    pairs = {(one["key"], one["name"]) for one in descriptors if one["kind"] != "tag"}
    return " ".join(f"{key}={name}" for key, name in sorted(pairs))


def _profile(profile: Document, style: Style) -> Iterator[Element]:
    """Yield the counts of a profile, and the figures of each column."""
    value = profile["value"]
    names = (("rowCount", "rows"), ("columnCount", "columns"))
    counts = ", ".join(f"{value[name]:,} {noun}" for name, noun in names if name in value)
    caption = f"profile of {style.time(profile['time'])}: {counts or 'without counts'}"
    columns = value.get("fieldProfiles") or ()
    if not columns:
        yield Line(caption, quiet=True)
        return
    yield Table(caption, _PROFILE, [_figures(one) for one in columns[:_MAX_COLUMNS]])
    if left := len(columns[_MAX_COLUMNS:]):
        yield Line(f"There are figures of {count_of(left, 'more column')}: --json has all.", quiet=True)


def _figures(column: Document) -> tuple[object, ...]:
    counts = (
        f"{count:,}" if isinstance(count := column.get(name), int) else "" for name in ("nullCount", "uniqueCount")
    )
    values = (column.get(name) for name in ("min", "median", "max"))
    return (column.get("fieldPath"), *counts, *values, _rounded(column, "mean"), _rounded(column, "stdev"))


def _rounded(column: Document, name: str) -> str:
    """Return a computed figure with as many digits as a person reads; what is not a number unchanged."""
    try:
        return f"{float(column[name]):.{_DIGITS}g}"
    except (KeyError, TypeError, ValueError):
        return str(column.get(name) or "")


def _runs(document: Document, style: Style) -> Iterator[Element]:
    rows = [
        (style.name(run["program"]), _modes(document["urn"], run), run["status"], style.time(run["start"]), _count(run))
        for run in document["runs"]
    ]
    if rows:
        yield Table("latest runs", ("program", "did", "status", "started", "count"), rows)


def _modes(urn: str, run: Document) -> tuple[str, ...]:
    return tuple(dict.fromkeys(access["mode"] for access in run["accesses"] if access["data"] == urn))


def _count(run: Document) -> str:
    """Return the execution count of a cell, as notebooks write it."""
    count = run["facts"].get("executionCount")
    return f"[{count}]" if count is not None else ""
