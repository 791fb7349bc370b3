"""Render crawls and pipelines: lists, errors and results."""

from collections.abc import Mapping
from typing import Any

from jupyter_colophon.rendering.elements import Element, TableElement, TextLine, Title
from jupyter_colophon.rendering.page import Page, build_table_page
from jupyter_colophon.rendering.style import NOTEBOOK, Style

Document = Mapping[str, Any]

_FIGURES = ("rows", "columns", "bytes")


def build_crawl_page(document: Document, style: Style = NOTEBOOK) -> Page:
    """Return a page with the counts of a crawl, and the datasets that changed or failed."""
    counts = ", ".join(f"{count} {status}" for status, count in document["counts"].items() if count)
    counts = counts or ("nothing was crawled" if document["left"] else "nothing found")
    datasets = [dataset for dataset in document["datasets"] if dataset["status"] != "same" or document["dry"]]
    rows = [
        (
            dataset["status"],
            dataset["name"],
            *(f"{dataset[name]:,}" if name in dataset else "" for name in _FIGURES),
            dataset.get("quality", ""),
        )
        for dataset in datasets
    ]
    elements: list[Element] = [Title(f"{'Dry run: ' if document['dry'] else ''}{counts}", document["reason"])]
    if rows:
        elements.append(TableElement("", ("outcome", "data", *_FIGURES, "quality"), rows).drop_empty_columns())
    # Separate lines: a reason may name the way out, and is never truncated.
    elements += [TextLine(f"{dataset['name']}: {dataset['reason']}") for dataset in datasets if dataset.get("reason")]
    if document["left"]:
        elements.append(TextLine(f"{document['left']} remaining: repeat the command to continue."))
    if document["run"]:
        elements.append(TextLine(document["run"], quiet=True))
    return Page(tuple(elements))


def build_pipelines_page(document: Document, style: Style = NOTEBOOK) -> Page:
    """Return a page with all pipelines."""
    rows = [
        (pipeline["name"], pipeline["display_name"], pipeline["description"], pipeline["problem"])
        for pipeline in document["pipelines"]
    ]
    return build_table_page(rows, "name", "display name", "description", "problem", empty="No pipelines.")


def build_invalid_pipeline_page(document: Document, style: Style = NOTEBOOK) -> Page:
    """Return a page with the errors of a pipeline."""
    rows = [(problem["pointer"], problem["message"]) for problem in document["problems"]]
    return Page((Title(document["name"], "is not valid"), TableElement("", ("place", "problem"), rows)))


def build_valid_pipeline_page(document: Document, style: Style = NOTEBOOK) -> Page:
    """Return a page with the order of the stages."""
    return Page((Title(document["name"], "is valid"), TextLine(" > ".join(document["order"]))))


def build_pipeline_preview_page(document: Document, style: Style = NOTEBOOK) -> Page:
    """Return a page with the first rows of each stage."""
    elements: list[Element] = []
    for stage in document["stages"]:
        elements.append(Title(stage["stage"], stage["error"]))
        if not stage["error"]:
            columns = tuple(f"{column['name']} {column['type']}" for column in stage["columns"])
            rows = [[str(row.get(column["name"], "")) for column in stage["columns"]] for row in stage["rows"]]
            elements.append(TableElement("", columns, rows))
    return Page(tuple(elements))


def build_pipeline_run_page(document: Document, style: Style = NOTEBOOK) -> Page:
    """Return a page with the outcome of each stage."""
    rows = [(stage["stage"], stage["status"], stage["rows"], f"{stage['ms']} ms") for stage in document["stages"]]
    title = Title(document["name"], f"{document['status']} {document['error']}".strip())
    table = TableElement("", ("stage", "outcome", "rows", "time"), rows)
    return Page((title, table, TextLine(document["run"], quiet=True)))
