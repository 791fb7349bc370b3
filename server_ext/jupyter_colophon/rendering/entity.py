"""Render an entity: its user and system metadata, its fields, its newest profile and runs."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from jupyter_colophon.core.display_text import format_count_with_noun
from jupyter_colophon.core.identity.short_names import shorten_urn
from jupyter_colophon.rendering.elements import Element, EntityName, TableElement, TagList, TextLine, Title
from jupyter_colophon.rendering.page import Page
from jupyter_colophon.rendering.run_name import format_execution_count, get_run_name
from jupyter_colophon.rendering.style import NOTEBOOK, Style

Document = Mapping[str, Any]

#: Aspects that consist of properties: their names add nothing to those of the properties.
_PROPERTIES = frozenset({"businessMetadata", "technicalMetadata"})
#: Columns of a profile on a page; the document has all.
_MAX_COLUMNS = 50
_DIGITS = 6
_PROFILE = ("column", "nulls", "distinct", "min", "median", "max", "mean", "standard deviation")


def build_entity_page(document: Document, style: Style = NOTEBOOK) -> Page:
    """Return a page from `Entity` with `runs`, the newest runs with an access, and for datasets `fields` and `profile`."""
    schema = document["aspects"].get("schemaMetadata", {}).get("value", {})
    own = [descriptor for descriptor in document["descriptors"] if descriptor["column"] is None]
    name = document.get("displayName") or shorten_urn(document["urn"])
    elements: list[Element] = [Title(EntityName(name, document["urn"]), document["urn"])]
    for scope in ("USER", "SYSTEM"):
        elements += _build_scope_elements([item for item in own if item["scope"] == scope], scope)
    elements += _build_schema_table(schema.get("fields", ()))
    elements += _build_field_metadata_table(document)
    if profile := document.get("profile"):
        elements += _build_profile_elements(profile, style)
    elements += _build_runs_table(document, style)
    stamps = ((word, document[word]) for word in ("created", "updated"))
    text = ", ".join(f"{word} {style.time(stamp['time'])} by {stamp['actor']}" for word, stamp in stamps)
    return Page((*elements, TextLine(text, quiet=True)))


def _build_scope_elements(descriptors: list[Document], scope: str) -> Iterator[Element]:
    """Yield tags, terms and properties of one scope; nothing for a SYSTEM scope without any."""
    tags, terms = (_list_descriptor_names(descriptors, kind) for kind in ("tag", "term"))
    if tags or scope == "USER":
        yield TagList(f"tags ({scope})", tags)
    if terms:
        yield TagList(f"terms ({scope})", terms, "")
    rows = sorted(
        {_build_property_row(descriptor) for descriptor in descriptors if descriptor["kind"] not in ("tag", "term")}
    )
    if rows:
        caption = f"{'user' if scope == 'USER' else 'system'} properties"
        yield TableElement(caption, ("key", "value", "aspect"), rows).drop_empty_columns()


def _list_descriptor_names(descriptors: Iterable[Document], kind: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(descriptor["name"] for descriptor in descriptors if descriptor["kind"] == kind))


def _build_property_row(descriptor: Document) -> tuple[str, str, str]:
    text = f"{descriptor['name']} ({descriptor['detail']})" if descriptor["detail"] else descriptor["name"]
    return descriptor["key"], text, "" if descriptor["aspect"] in _PROPERTIES else descriptor["aspect"]


def _build_schema_table(fields: Iterable[Document]) -> Iterator[Element]:
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
        table = TableElement(
            f"schema, {format_count_with_noun(len(rows), 'field')}", ("field", "type", "nullable", "description"), rows
        )
        yield table.drop_empty_columns()


def _build_field_metadata_table(document: Document) -> Iterator[Element]:
    """Yield tags and properties of fields, a row for each scope that has some."""
    rows = [
        (field["name"], scope, " ".join(_list_descriptor_names(described, "tag")), _format_pairs(described))
        for field in document.get("fields", ())
        for scope in ("USER", "SYSTEM")
        if (described := [descriptor for descriptor in field["descriptors"] if descriptor["scope"] == scope])
    ]
    if rows:
        yield TableElement("field metadata", ("field", "by", "tags", "properties"), rows)
    if remaining := document.get("fieldsLeft", 0):
        yield TextLine(
            f"{format_count_with_noun(remaining, 'more field')} may have metadata: use --field FIELD.", quiet=True
        )


def _format_pairs(descriptors: Iterable[Document]) -> str:
    pairs = {(descriptor["key"], descriptor["name"]) for descriptor in descriptors if descriptor["kind"] != "tag"}
    return " ".join(f"{key}={name}" for key, name in sorted(pairs))


def _build_profile_elements(profile: Document, style: Style) -> Iterator[Element]:
    """Yield the counts of a profile, and the figures of each column."""
    value = profile["value"]
    names = (("rowCount", "rows"), ("columnCount", "columns"))
    counts = ", ".join(f"{value[name]:,} {noun}" for name, noun in names if name in value)
    caption = f"profile of {style.time(profile['time'])}: {counts or 'without counts'}"
    columns = value.get("fieldProfiles") or ()
    if not columns:
        yield TextLine(caption, quiet=True)
        return
    yield TableElement(caption, _PROFILE, [_build_column_figures(column) for column in columns[:_MAX_COLUMNS]])
    if remaining := len(columns[_MAX_COLUMNS:]):
        yield TextLine(f"{format_count_with_noun(remaining, 'more column')}: use --json to see all.", quiet=True)


def _build_column_figures(column: Document) -> tuple[object, ...]:
    counts = (
        f"{count:,}" if isinstance(count := column.get(name), int) else "" for name in ("nullCount", "uniqueCount")
    )
    values = (column.get(name) for name in ("min", "median", "max"))
    return (column.get("fieldPath"), *counts, *values, _round_figure(column, "mean"), _round_figure(column, "stdev"))


def _round_figure(column: Document, name: str) -> str:
    """Return a computed figure with a readable number of digits; anything but a number is returned unchanged."""
    try:
        return f"{float(column[name]):.{_DIGITS}g}"
    except (KeyError, TypeError, ValueError):
        return str(column.get(name) or "")


def _build_runs_table(document: Document, style: Style) -> Iterator[Element]:
    rows = [
        (
            get_run_name(run),
            style.make_link(run["program"]),
            _list_access_modes(document["urn"], run),
            run["status"],
            style.time(run["start"]),
            format_execution_count(run),
        )
        for run in document["runs"]
    ]
    if rows:
        table = TableElement("latest runs", ("name", "program", "access", "status", "started", "execution"), rows)
        yield table.drop_empty_columns()


def _list_access_modes(urn: str, run: Document) -> tuple[str, ...]:
    return tuple(dict.fromkeys(access["mode"] for access in run["accesses"] if access["data"] == urn))
