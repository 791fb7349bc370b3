"""Crawls and pipelines: what there is, what is wrong, and the outcome."""

from collections.abc import Mapping
from typing import Any

from jupyter_colophon.rendering.elements import Element, Line, Table, Title
from jupyter_colophon.rendering.page import Page, table_page
from jupyter_colophon.rendering.style import NOTEBOOK, Style

Document = Mapping[str, Any]

_FIGURES = ("rows", "columns", "bytes")


def crawl_page(document: Document, style: Style = NOTEBOOK) -> Page:
    """Return a page with the counts of a crawl, and the datasets that were not left unchanged."""
    counts = ", ".join(f"{count} {status}" for status, count in document["counts"].items() if count)
    counts = counts or ("nothing was looked at" if document["left"] else "nothing found")
    datasets = [one for one in document["datasets"] if one["status"] != "same" or document["dry"]]
    rows = [
        (one["status"], one["name"], *(f"{one[name]:,}" if name in one else "" for name in _FIGURES))
        for one in datasets
    ]
    elements: list[Element] = [
        Title(f"{'Nothing was written: ' if document['dry'] else ''}{counts}", document["reason"])
    ]
    if rows:
        elements.append(Table("", ("outcome", "data", *_FIGURES), rows).without_empty_columns())
    # Lines of their own: a reason may name what to do, and is never cut.
    elements += [Line(f"{one['name']}: {one['reason']}") for one in datasets if one.get("reason")]
    if document["left"]:
        elements.append(Line(f"{document['left']} left: the same command goes on with them."))
    if document["run"]:
        elements.append(Line(document["run"], quiet=True))
    return Page(tuple(elements))


def pipelines_page(document: Document, style: Style = NOTEBOOK) -> Page:
    """Return a page with all pipelines."""
    rows = [(one["name"], one["display_name"], one["description"], one["problem"]) for one in document["pipelines"]]
    return table_page(rows, "name", "display name", "description", "problem", empty="There is no pipeline yet.")


def invalid_pipeline_page(document: Document, style: Style = NOTEBOOK) -> Page:
    """Return a page with the places where a pipeline is wrong."""
    rows = [(one["pointer"], one["message"]) for one in document["problems"]]
    return Page((Title(document["name"], "is not valid"), Table("", ("place", "what is wrong"), rows)))


def valid_pipeline_page(document: Document, style: Style = NOTEBOOK) -> Page:
    """Return a page with the order of the stages."""
    return Page((Title(document["name"], "is valid"), Line(" > ".join(document["order"]))))


def pipeline_preview_page(document: Document, style: Style = NOTEBOOK) -> Page:
    """Return a page with the first rows of each stage."""
    elements: list[Element] = []
    for stage in document["stages"]:
        elements.append(Title(stage["stage"], stage["error"]))
        if not stage["error"]:
            columns = tuple(f"{column['name']} {column['type']}" for column in stage["columns"])
            rows = [[str(row.get(column["name"], "")) for column in stage["columns"]] for row in stage["rows"]]
            elements.append(Table("", columns, rows))
    return Page(tuple(elements))


def pipeline_run_page(document: Document, style: Style = NOTEBOOK) -> Page:
    """Return a page with the outcome of each stage."""
    rows = [(one["stage"], one["status"], one["rows"], f"{one['ms']} ms") for one in document["stages"]]
    title = Title(document["name"], f"{document['status']} {document['error']}".strip())
    table = Table("", ("stage", "outcome", "rows", "time"), rows)
    return Page((title, table, Line(document["run"], quiet=True)))
