"""`%metadata history`, `diff` and `runs`: what happened."""

from collections.abc import Mapping
from typing import Any

from jupyter_colophon.client.api.changes import change_text
from jupyter_colophon.client.urns import shown
from jupyter_colophon.kernel.display.elements import Block, Line, Preformatted, Table, Title
from jupyter_colophon.kernel.display.page import Page
from jupyter_colophon.kernel.display.times import clock

Document = Mapping[str, Any]

#: Facts of a run that are no word of a table: a cell's source stands above its answer anyway.
_LONG = {"log", "source"}


def history_page(document: Document) -> Page:
    """The versions of an aspect, newest first."""
    title = Title(shown(document["urn"]), document["aspect"])
    if not document["versions"]:
        return Page((title, Line("Nothing of it was ever said.")))
    rows = tuple((str(one["version"]), clock(one["time"]), one["actor"], _changes(one)) for one in document["versions"])
    more = (Line("There are more: say --limit N.", quiet=True),) if document["cursor"] else ()
    return Page((title, Table("", ("version", "time", "by", "changed"), rows), *more))


def diff_page(document: Document) -> Page:
    """What differs between two versions."""
    old, new = document["from"], document["to"]
    words = f"{document['aspect']}, {_point(old)} to {_point(new)}"
    steps = tuple((change_text(one),) for one in document["diff"])
    body: Block = Table("", ("changed",), steps) if steps else Line("Nothing differs.")
    return Page((Title(shown(document["urn"]), words), body))


def lineage_diff_page(document: Document) -> Page:
    """The edges that came and went."""
    rows = tuple(
        (word, shown(edge["source"]), shown(edge["target"])) for word in ("added", "removed") for edge in document[word]
    )
    title = Title(shown(document["urn"]), f"lineage between {clock(document['from'])} and {clock(document['to'])}")
    body: Block = Table("", ("", "from", "to"), rows) if rows else Line("Nothing differs.")
    cut = (Line("The graph goes on: what is shown was cut.", quiet=True),) if document["truncated"] else ()
    return Page((title, body, *cut))


def runs_page(document: Document) -> Page:
    """Runs, newest first."""
    of = Title(shown(document["of"]) if document["of"] else "runs")
    if not document["runs"]:
        return Page((of, Line("There is none.")))
    rows = tuple(
        (_called(run), run["status"], clock(run["start"]), run["actor"], _data(run), run["urn"])
        for run in document["runs"]
    )
    more = (Line("There are more: say --limit N.", quiet=True),) if document["cursor"] else ()
    return Page((of, Table("", ("program", "status", "started", "by", "touched", "run"), rows), *more))


def run_page(run: Document) -> Page:
    """One run: what it was started with, what it touched, and what was said of that then."""
    told = [("argument", key, value) for key, value in run["arguments"].items()]
    told += [("fact", key, str(value)) for key, value in run["facts"].items() if key not in _LONG]
    rows = tuple(
        (one["mode"] or one["role"], shown(one["urn"]), clock(one["last"]), _said(one)) for one in run["accesses"]
    )
    until = clock(run["end"]) if run["end"] else "now"
    blocks: list[Block] = [
        Title(_called(run), f"{run['status']}, {clock(run['start'])} to {until}, by {run['actor']}"),
        Line(run["urn"], quiet=True),
    ]
    if told:
        blocks.append(Table("", ("kind", "name", "value"), tuple(told)))
    blocks.append(Table("", ("access", "name", "last", "said then"), rows) if rows else Line("It touched nothing."))
    if run["intendedOutputs"]:
        names = ", ".join(shown(urn) for urn in run["intendedOutputs"])
        blocks.append(Line(f"Not written, since a statement failed: {names}"))
    if log := run["facts"].get("log"):
        blocks += [Title("log"), Preformatted(str(log))]
    return Page(tuple(blocks))


def _changes(version: Document) -> str:
    if version["deleted"]:
        return "deleted"
    return ", ".join(change_text(step) for step in version["diff"]) or "nothing"


def _point(stamp: Document) -> str:
    return f"version {stamp['version']} ({clock(stamp['time'])})" if stamp["time"] else "nothing"


def _called(run: Document) -> str:
    """What a step is called by its cell, else the program's short name."""
    return str(run["facts"].get("step") or shown(run["program"]))


def _data(run: Document) -> str:
    names = dict.fromkeys(f"{access['mode']} {shown(access['data'])}" for access in run["accesses"])
    return ", ".join(names)


def _said(touched: Document) -> str:
    user = touched["user"]
    return " ".join([*(f"{key}={value}" for key, value in sorted(user["properties"].items())), *user["tags"]])
