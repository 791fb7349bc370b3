"""`%metadata pipeline …`: what there is, what is wrong with one, and what became of a run."""

from collections.abc import Mapping
from typing import Any

from jupyter_colophon.kernel.display.elements import Block, Line, Table, Title
from jupyter_colophon.kernel.display.page import Page

Document = Mapping[str, Any]


def list_page(document: Document) -> Page:
    """All pipelines."""
    found = document["pipelines"]
    if not found:
        return Page((Line("There is no pipeline yet."),))
    rows = tuple((one["name"], one["display_name"], one["description"], one["problem"]) for one in found)
    return Page((Table("pipelines", ("name", "called", "does", "problem"), rows),))


def wrong_page(document: Document) -> Page:
    """Where one is wrong."""
    rows = tuple((one["pointer"], one["message"]) for one in document["problems"])
    return Page((Title(document["name"], "is not valid"), Table("", ("place", "what is wrong"), rows)))


def valid_page(document: Document) -> Page:
    """One that can be run, in the order of its stages."""
    return Page((Title(document["name"], "is valid"), Line(" > ".join(document["order"]))))


def preview_page(document: Document) -> Page:
    """The first rows of each stage."""
    blocks: list[Block] = []
    for one in document["stages"]:
        blocks.append(Title(one["stage"], one["error"]))
        if not one["error"]:
            names = [column["name"] for column in one["columns"]]
            rows = tuple(tuple(row[name] for name in names) for row in one["rows"])
            blocks.append(Table("", tuple(f"{column['name']} {column['type']}" for column in one["columns"]), rows))
    return Page(tuple(blocks))


def run_page(document: Document) -> Page:
    """What became of each stage."""
    rows = tuple(
        (one["stage"], one["status"], "" if one["rows"] is None else str(one["rows"]), f"{one['ms']} ms")
        for one in document["stages"]
    )
    told = Title(document["name"], f"{document['status']} {document['error']}".strip())
    return Page((told, Table("", ("stage", "became", "rows", "time"), rows), Line(document["run"], quiet=True)))
