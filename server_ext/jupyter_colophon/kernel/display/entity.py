"""`%metadata show`: an entity with what people wrote and what machines wrote, apart."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from jupyter_colophon.client.urns import shown
from jupyter_colophon.kernel.counts import counted
from jupyter_colophon.kernel.display.elements import Block, Chips, Line, Table, Title
from jupyter_colophon.kernel.display.page import Page
from jupyter_colophon.kernel.display.profile import profile_blocks
from jupyter_colophon.kernel.display.times import clock

_PROPERTIES = frozenset({"businessMetadata", "technicalMetadata"})


def entity_page(entity: Mapping[str, Any], runs: list[Mapping[str, Any]]) -> Page:
    """A page from `Entity` and the newest `Run`s that touched it; of data also what is said of its fields, and its profile."""
    values = {name: aspect["value"] for name, aspect in entity["aspects"].items()}
    blocks: list[Block] = [Title(shown(entity["urn"]), entity["urn"])]
    own = [one for one in entity["descriptors"] if one["column"] is None]
    for scope in ("USER", "SYSTEM"):
        blocks += _of_scope([one for one in own if one["scope"] == scope], scope)
    blocks += _schema(values.get("schemaMetadata", {}))
    blocks += _fields(entity)
    blocks += profile_blocks(entity.get("profile"))
    blocks += _runs(entity["urn"], runs)
    created, updated = entity["created"], entity["updated"]
    words = f"created {clock(created['time'])} by {created['actor']}, updated {clock(updated['time'])} by {updated['actor']}"
    return Page((*blocks, Line(words, quiet=True)))


def _of_scope(descriptors: list[Mapping[str, Any]], scope: str) -> Iterator[Block]:
    """Tags, terms and properties of one scope; nothing where machines wrote nothing."""
    tags, terms = (_names(descriptors, kind) for kind in ("tag", "term"))
    if tags or scope == "USER":
        yield Chips(f"tags ({scope})", tags)
    if terms:
        yield Chips(f"terms ({scope})", terms)
    rows = sorted({_row(one) for one in descriptors if one["kind"] not in ("tag", "term")})
    if rows:
        writer = "people" if scope == "USER" else "machines"
        caption = f"properties that {writer} wrote ({scope})"
        yield _without_empty_column(Table(caption, ("key", "value", "aspect"), tuple(rows)))


def _names(descriptors: Iterable[Mapping[str, Any]], kind: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one["name"] for one in descriptors if one["kind"] == kind))


def _row(one: Mapping[str, Any]) -> tuple[str, str, str]:
    """Key, value and aspect; the aspects that are made of properties go without saying."""
    text = f"{one['name']} ({one['detail']})" if one["detail"] else one["name"]
    return one["key"], text, "" if one["aspect"] in _PROPERTIES else one["aspect"]


def _schema(value: Mapping[str, Any]) -> Iterator[Block]:
    fields = value.get("fields", [])
    if fields:
        rows = tuple(
            (
                str(field.get("fieldPath", "")),
                str(field.get("nativeDataType", "")),
                "yes" if field.get("nullable") else "no",
                str(field.get("description") or ""),
            )
            for field in fields
        )
        yield _without_empty_column(
            Table(f"schema, {counted(len(rows), 'field')}", ("field", "type", "nullable", "description"), rows)
        )


def _fields(entity: Mapping[str, Any]) -> Iterator[Block]:
    """Tags and properties of fields, a row for each that has some."""
    rows = tuple(
        (field["name"], scope, " ".join(_names(said, "tag")), _pairs(said))
        for field in entity.get("fields", ())
        for scope in ("USER", "SYSTEM")
        if (said := [one for one in field["descriptors"] if one["scope"] == scope])
    )
    if rows:
        yield Table("said of fields", ("field", "by", "tags", "properties"), rows)
    if left := entity.get("fieldsLeft", 0):
        yield Line(f"Something may be said of {counted(left, 'more field')}: say --field FIELD.", quiet=True)


def _pairs(descriptors: Iterable[Mapping[str, Any]]) -> str:
    pairs = {(one["key"], one["name"]) for one in descriptors if one["kind"] != "tag"}
    return " ".join(f"{key}={name}" for key, name in sorted(pairs))


def _without_empty_column(table: Table) -> Table:
    if any(row[-1] for row in table.rows):
        return table
    return Table(table.caption, table.columns[:-1], tuple(row[:-1] for row in table.rows))


def _runs(urn: str, runs: list[Mapping[str, Any]]) -> Iterator[Block]:
    rows = tuple(
        (shown(run["program"]), _modes(urn, run), run["status"], clock(run["start"]), _count(run)) for run in runs
    )
    if rows:
        yield Table("latest runs", ("program", "did", "status", "started", "count"), rows)


def _modes(urn: str, run: Mapping[str, Any]) -> str:
    return ", ".join(dict.fromkeys(access["mode"] for access in run["accesses"] if access["data"] == urn))


def _count(run: Mapping[str, Any]) -> str:
    """The execution count of a cell, as notebooks write it."""
    count = run["facts"].get("executionCount")
    return f"[{count}]" if count is not None else ""
