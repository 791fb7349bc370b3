"""`%metadata show`: an entity with what people wrote and what machines wrote, apart."""

from collections.abc import Iterator, Mapping
from typing import Any

from jupyter_colophon.client.urns import shown
from jupyter_colophon.kernel.counts import counted
from jupyter_colophon.kernel.display.blocks import Block, Chips, Line, Table, Title
from jupyter_colophon.kernel.display.page import Page
from jupyter_colophon.kernel.display.profile import profile_blocks
from jupyter_colophon.kernel.display.times import clock


def entity_page(entity: Mapping[str, Any], runs: list[Mapping[str, Any]]) -> Page:
    """A page from `Entity` and the newest `Run`s that touched it; of data also what is said of its fields, and its profile."""
    values = {name: aspect["value"] for name, aspect in entity["aspects"].items()}
    blocks: list[Block] = [Title(shown(entity["urn"]), entity["urn"])]
    blocks += _both(values.get("businessMetadata", {}), "people")
    blocks += _both(values.get("technicalMetadata", {}), "machines")
    blocks += _schema(values.get("schemaMetadata", {}))
    blocks += _fields(entity)
    blocks += profile_blocks(entity.get("profile"))
    blocks += _runs(entity["urn"], runs)
    created, updated = entity["created"], entity["updated"]
    words = f"created {clock(created['time'])} by {created['actor']}, updated {clock(updated['time'])} by {updated['actor']}"
    return Page((*blocks, Line(words, quiet=True)))


def _both(value: Mapping[str, Any], writer: str) -> Iterator[Block]:
    """Tags and properties of one scope; nothing where machines wrote nothing."""
    properties, tags = value.get("properties", {}), value.get("tags", [])
    scope = "USER" if writer == "people" else "SYSTEM"
    if tags or scope == "USER":
        yield Chips(f"tags ({scope})", tuple(tags))
    if properties:
        rows = tuple((key, str(properties[key])) for key in sorted(properties))
        yield Table(f"properties that {writer} wrote ({scope})", ("key", "value"), rows)


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
        (field["name"], scope, " ".join(field[scope]["tags"]), _pairs(field[scope]["properties"]))
        for field in entity.get("fields", ())
        for scope in ("USER", "SYSTEM")
        if field[scope]["tags"] or field[scope]["properties"]
    )
    if rows:
        yield Table("said of fields", ("field", "by", "tags", "properties"), rows)
    if left := entity.get("fieldsLeft", 0):
        yield Line(f"Something may be said of {counted(left, 'more field')}: say --field FIELD.", quiet=True)


def _pairs(properties: Mapping[str, Any]) -> str:
    return " ".join(f"{key}={properties[key]}" for key in sorted(properties))


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
