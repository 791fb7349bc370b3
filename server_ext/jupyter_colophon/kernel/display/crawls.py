"""`%metadata crawl`: what became of each dataset."""

from collections.abc import Mapping
from typing import Any

from jupyter_colophon.kernel.display.elements import Line, Table, Title
from jupyter_colophon.kernel.display.page import Page

Document = Mapping[str, Any]


def crawl_page(document: Document) -> Page:
    """The counts, and what was not left as it was."""
    counts = ", ".join(f"{count} {status}" for status, count in document["counts"].items() if count)
    counts = counts or ("nothing was looked at" if document["left"] else "nothing found")
    title = Title(f"{'Nothing was written: ' if document['dry'] else ''}{counts}", document["reason"])
    told = [one for one in document["datasets"] if one["status"] != "same" or document["dry"]]
    rows = tuple((one["status"], one["name"], _figure(one, "rows"), _figure(one, "columns")) for one in told)
    shown = (Table("", ("became", "data", "rows", "columns"), rows),) if rows else ()
    # Lines of their own: a reason may name what to do, and is never cut.
    whys = tuple(Line(f"{one['name']}: {one['reason']}") for one in told if one.get("reason"))
    left = (Line(f"{document['left']} left: the same command goes on with them."),) if document["left"] else ()
    run = (Line(document["run"], quiet=True),) if document["run"] else ()
    return Page((title, *shown, *whys, *left, *run))


def _figure(one: Document, name: str) -> str:
    return f"{one[name]:,}" if name in one else ""
