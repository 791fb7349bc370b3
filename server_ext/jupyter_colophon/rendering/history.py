"""What happened: versions of aspects and what differs between them, runs."""

from collections.abc import Mapping
from typing import Any

from jupyter_colophon.core.documents.steps import change_text
from jupyter_colophon.core.identity.short_names import short_name
from jupyter_colophon.rendering.elements import Element, Line, Preformatted, Table, Title
from jupyter_colophon.rendering.lineage import CUT
from jupyter_colophon.rendering.page import Page
from jupyter_colophon.rendering.style import NOTEBOOK, Style

Document = Mapping[str, Any]

#: Facts of a run that have lines of their own.
_LONG = ("source", "log")
_MORE = Line("There are more: see --limit N.", quiet=True)
_NO_DIFFERENCE = Line("Nothing differs.")


def history_page(document: Document, style: Style = NOTEBOOK) -> Page:
    """Return a page with the versions of an aspect, newest first."""
    title = Title(short_name(document["urn"]), document["aspect"])
    if not document["versions"]:
        return Page((title, Line("It never had a value.")))
    rows = [(one["version"], style.time(one["time"]), one["actor"], _changes(one)) for one in document["versions"]]
    table = Table("", ("version", "time", "by", "changed"), rows)
    return Page((title, table, *[_MORE] * bool(document["cursor"])))


def diff_page(document: Document, style: Style = NOTEBOOK) -> Page:
    """Return a page with what differs between two versions."""
    old, new = (
        f"version {stamp['version']} ({style.time(stamp['time'])})" if stamp["time"] else "nothing"
        for stamp in (document["from"], document["to"])
    )
    steps = [(change_text(one),) for one in document["diff"]]
    title = Title(short_name(document["urn"]), f"{document['aspect']}, {old} to {new}")
    return Page((title, Table("", ("changed",), steps) if steps else _NO_DIFFERENCE))


def lineage_diff_page(document: Document, style: Style = NOTEBOOK) -> Page:
    """Return a page with the edges that were added and removed."""
    rows = [
        (word, style.name(edge["source"]), style.name(edge["target"]))
        for word in ("added", "removed")
        for edge in document[word]
    ]
    interval = style.interval(document["from"], document["to"])
    table = Table("", ("", "from", "to"), rows) if rows else _NO_DIFFERENCE
    return Page((Title(short_name(document["urn"]), f"lineage {interval}"), table, *[CUT] * document["truncated"]))


def runs_page(document: Document, style: Style = NOTEBOOK) -> Page:
    """Return a page with runs, newest first; `of`, where it is there, is the URN whose runs they are."""
    urn = document.get("of")
    title = () if urn is None else (Title(short_name(urn) if urn else "runs"),)
    if not document["runs"]:
        return Page((*title, Line("There is none.")))
    rows = [
        (
            _label(run),
            run["status"],
            style.time(run["start"]),
            run["end"] and style.time(run["end"]),
            run["actor"],
            list(dict.fromkeys(f"{access['mode']} {style.name(access['data'])}" for access in run["accesses"])),
            run["urn"],
        )
        for run in document["runs"]
    ]
    table = Table("", ("program", "status", "started", "ended", "by", "touched", "run"), rows)
    return Page((*title, table.without_empty_columns(), *[_MORE] * bool(document["cursor"])))


def run_page(document: Document, style: Style = NOTEBOOK) -> Page:
    """Return a page with one run: its arguments and facts, what it touched, and the user metadata of that at the time."""
    facts = document["facts"]
    values = [("argument", key, value) for key, value in document["arguments"].items()]
    values += [("fact", key, value) for key, value in facts.items() if key not in _LONG]
    until = style.time(document["end"]) if document["end"] else "now"
    elements: list[Element] = [
        Title(
            _label(document),
            f"{document['status']}, {style.time(document['start'])} to {until}, by {document['actor']}",
        ),
        Line(document["urn"], quiet=True),
    ]
    if values:
        elements.append(Table("", ("kind", "name", "value"), values))
    rows = [
        (one["mode"] or one["role"], style.name(one["urn"]), one["component"], style.time(one["last"]), _metadata(one))
        for one in document["accesses"]
    ]
    touched = Table("", ("access", "name", "component", "last", "metadata then"), rows).without_empty_columns()
    elements.append(touched if rows else Line("It touched nothing."))
    if document["intendedOutputs"]:
        names = ", ".join(map(style.name, document["intendedOutputs"]))
        elements.append(Line(f"Not written, since a statement failed: {names}"))
    elements += [Preformatted(str(facts[key]), key) for key in _LONG if facts.get(key)]
    return Page(tuple(elements))


def _changes(version: Document) -> str:
    if version["deleted"]:
        return "deleted"
    return ", ".join(change_text(step) for step in version["diff"]) or "nothing"


def _label(run: Document) -> str:
    """Return what a cell calls its step, else the program's short name."""
    return str(run["facts"].get("step") or short_name(run["program"]))


def _metadata(accessed: Document) -> str:
    user = accessed["user"]
    return " ".join([*(f"{key}={value}" for key, value in sorted(user["properties"].items())), *user["tags"]])
