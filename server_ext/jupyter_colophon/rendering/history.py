"""Render history: versions of aspects, differences between them, and runs."""

from collections.abc import Mapping
from typing import Any

from jupyter_colophon.core.documents.lineage_diff import list_edge_changes
from jupyter_colophon.core.documents.steps import format_operation
from jupyter_colophon.core.identity.short_names import shorten_urn
from jupyter_colophon.rendering.elements import Element, EntityName, Preformatted, TableElement, TextLine, Title
from jupyter_colophon.rendering.lineage import CUT
from jupyter_colophon.rendering.page import Page
from jupyter_colophon.rendering.run_name import format_run_label
from jupyter_colophon.rendering.style import NOTEBOOK, Style

Document = Mapping[str, Any]

#: Facts of a run that have lines of their own.
_LONG = ("source", "log")
_MORE = TextLine("More exist: use --limit N.", quiet=True)
_NO_DIFFERENCE = TextLine("Nothing differs.")


def build_history_page(document: Document, style: Style = NOTEBOOK) -> Page:
    """Return a page with the versions of an aspect, newest first."""
    title = Title(EntityName(shorten_urn(document["urn"]), document["urn"]), document["aspect"])
    if not document["versions"]:
        return Page((title, TextLine("No versions.")))
    rows = [
        (version["version"], style.time(version["time"]), version["actor"], _format_changes(version))
        for version in document["versions"]
    ]
    table = TableElement("", ("version", "time", "by", "changed"), rows)
    return Page((title, table, *[_MORE] * bool(document["cursor"])))


def build_diff_page(document: Document, style: Style = NOTEBOOK) -> Page:
    """Return a page with the differences between two versions."""
    old, new = (
        f"version {stamp['version']} ({style.time(stamp['time'])})" if stamp["time"] else "nothing"
        for stamp in (document["from"], document["to"])
    )
    steps = [(format_operation(step),) for step in document["diff"]]
    title = Title(shorten_urn(document["urn"]), f"{document['aspect']}, {old} to {new}")
    return Page((title, TableElement("", ("changed",), steps) if steps else _NO_DIFFERENCE))


def build_lineage_diff_page(document: Document, style: Style = NOTEBOOK) -> Page:
    """Return a page with the edges that were added, removed and changed."""
    rows = [
        (word, style.make_link(edge["source"]), style.make_link(edge["target"]))
        for word, edge in list_edge_changes(dict(document))
    ]
    interval = style.format_interval(document["from"], document["to"])
    table = TableElement("", ("", "from", "to"), rows) if rows else _NO_DIFFERENCE
    return Page((Title(shorten_urn(document["urn"]), f"lineage {interval}"), table, *[CUT] * document["truncated"]))


def build_runs_page(document: Document, style: Style = NOTEBOOK) -> Page:
    """Return a page with runs, newest first; `of`, if present, is the URN of their entity."""
    urn = document.get("of")
    title = () if urn is None else (Title(shorten_urn(urn) if urn else "runs"),)
    if not document["runs"]:
        return Page((*title, TextLine("No runs.")))
    rows = [
        (
            EntityName(format_run_label(run), run["program"]),
            run["status"],
            style.time(run["start"]),
            run["end"] and style.time(run["end"]),
            run["actor"],
            _list_accesses(run, style),
            EntityName(run["urn"], run["urn"]),
        )
        for run in document["runs"]
    ]
    table = TableElement("", ("program", "status", "started", "ended", "by", "touched", "run"), rows)
    return Page((*title, table.drop_empty_columns(), *[_MORE] * bool(document["cursor"])))


def build_run_page(document: Document, style: Style = NOTEBOOK) -> Page:
    """Return a page with one run: its arguments and facts, its accesses, and the user metadata of the datasets at the
    time.
    """
    facts = document["facts"]
    values = [("argument", key, value) for key, value in document["arguments"].items()]
    values += [("fact", key, value) for key, value in facts.items() if key not in _LONG]
    until = style.time(document["end"]) if document["end"] else "now"
    elements: list[Element] = [
        Title(
            format_run_label(document),
            f"{document['status']}, {style.time(document['start'])} to {until}, by {document['actor']}",
        ),
        TextLine(document["urn"], quiet=True),
    ]
    if values:
        elements.append(TableElement("", ("kind", "name", "value"), values))
    rows = [
        (
            access["mode"] or access["role"],
            style.make_link(access["urn"]),
            access["component"],
            ", ".join(access.get("tableVersions", ())),
            style.time(access["last"]),
            _format_user_metadata(access),
        )
        for access in document["accesses"]
    ]
    touched = TableElement(
        "", ("access", "name", "component", "version", "last", "metadata then"), rows
    ).drop_empty_columns()
    elements.append(touched if rows else TextLine("No accesses."))
    if document["intendedOutputs"]:
        names = ", ".join(map(style.name, document["intendedOutputs"]))
        elements.append(TextLine(f"Not written because a statement failed: {names}"))
    elements += [Preformatted(str(facts[key]), key) for key in _LONG if facts.get(key)]
    return Page(tuple(elements))


def _format_changes(version: Document) -> str:
    if version["deleted"]:
        return "deleted"
    return ", ".join(format_operation(step) for step in version["diff"]) or "nothing"


def _list_accesses(run: Document, style: Style) -> list[str]:
    """Return the mode and the name of each access, without duplicates."""
    names = (EntityName(f"{access['mode']} {style.name(access['data'])}", access["data"]) for access in run["accesses"])
    return list(dict.fromkeys(names))


def _format_user_metadata(accessed: Document) -> str:
    user = accessed["user"]
    return " ".join([*(f"{key}={value}" for key, value in sorted(user["properties"].items())), *user["tags"]])
