"""`%metadata lineage`: the graph for JupyterLab's renderer, the drawing for everyone, the tree for terminals."""

from collections.abc import Mapping
from typing import Any

from jupyter_colophon.client.urns import shown
from jupyter_colophon.kernel.counts import counted
from jupyter_colophon.kernel.display.elements import Block, Line, Preformatted, Table, Title
from jupyter_colophon.kernel.display.page import Page
from jupyter_colophon.kernel.display.svg import drawing
from jupyter_colophon.kernel.display.times import interval
from jupyter_colophon.kernel.display.tree import tree

#: The data is the `Lineage` answer as it came (schemas/api/lineage.json); the lab extension draws it.
LINEAGE_MIME = "application/vnd.jupyter-colophon.lineage.v1+json"

#: Edges between columns on a page; the document has all.
MOST_COLUMNS = 200


def columns_page(answer: Mapping[str, Any]) -> Page:
    """A page from `Lineage` that was asked for the edges between columns: they stand below the tree, in text and HTML."""
    whole = lineage_page(answer)
    found = answer["columns"]
    rows = tuple(
        (
            f"{shown(one['source'])}#{one['sourceField']}",
            f"{shown(one['target'])}#{one['targetField']}",
            one["transformation"],
            shown(one["program"]),
        )
        for one in found[:MOST_COLUMNS]
    )
    told: list[Block] = [
        Table("columns", ("from", "to", "how", "by"), rows) if rows else Line("No edge between columns is known.")
    ]
    if len(found) > len(rows):
        told.append(Line(f"… {counted(len(found) - len(rows), 'more edge')}", quiet=True))
    return Page((*whole.blocks, *told), whole.extra)


def lineage_page(answer: Mapping[str, Any]) -> Page:
    """A page from `Lineage`."""
    words = (
        "lineage",
        answer["direction"],
        counted(answer["levels"], "level"),
        interval(answer["start"], answer["end"]),
    )
    blocks: list[Block] = [
        Title(shown(answer["urn"]), ", ".join(word for word in words if word)),
        Preformatted(tree(answer)),
    ]
    if answer["truncated"]:
        blocks.append(Line("The graph goes on: what is shown was cut.", quiet=True))
    picture = drawing(answer)
    extra: dict[str, Any] = {LINEAGE_MIME: dict(answer)}
    if picture is not None:
        extra["image/svg+xml"] = picture
    return Page(tuple(blocks), extra, drawn=picture is not None)
