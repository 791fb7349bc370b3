"""Choose the page of each kind of document, and render the short ones."""

from collections.abc import Callable, Iterator, Mapping
from shlex import quote
from typing import Any

from jupyter_colophon.core.display_text import format_count_with_noun
from jupyter_colophon.core.identity.short_names import format_shortest_name, shorten_urn
from jupyter_colophon.rendering import history, jobs
from jupyter_colophon.rendering.cells import build_cells_page
from jupyter_colophon.rendering.elements import EntityName, Preformatted, TableElement, TagList, TextLine, Title
from jupyter_colophon.rendering.entity import build_entity_page
from jupyter_colophon.rendering.lineage import build_columns_page, build_lineage_page
from jupyter_colophon.rendering.page import Page, build_table_page
from jupyter_colophon.rendering.proposals import build_proposal_page, build_proposals_page
from jupyter_colophon.rendering.quality import build_check_page
from jupyter_colophon.rendering.style import NOTEBOOK, Style

Document = Mapping[str, Any]


def render_document_page(kind: str, document: Document, style: Style = NOTEBOOK) -> Page:
    """Return the page of a document."""
    return PAGES[kind](document, style)


def _render_search_results(document: Document, style: Style) -> Page:
    hits, total = document["hits"], document["total"]
    summary = f"{'at least ' if document['isLowerBound'] else ''}{total} found" if hits else "nothing found"
    title = Title(summary) if document["query"] == "*" else Title(document["query"], summary)
    if not hits:
        notice = document.get("notice")
        return Page((title, TextLine(notice)) if notice else (title,))
    rows = [
        (
            style.make_titled_link(hit["urn"], hit.get("displayName") or ""),
            hit["type"],
            hit["tags"],
            hit["owner"],
            list(dict.fromkeys(f"{match['key']}:{match['value']}" for match in hit["matches"])),
            hit["description"],
        )
        for hit in hits
    ]
    table = TableElement("", ("name", "type", "tags", "owner", "matched", "description"), rows)
    more = (TextLine(f"{total - len(hits)} more", quiet=True),) if total > len(hits) else ()
    return Page((title, table.drop_empty_columns(), *more))


def _render_keys(document: Document, style: Style) -> Page:
    prefix = document.get("prefix")
    rows = [(key["key"], key["kind"], key["scope"], key["entities"]) for key in document["keys"]]
    empty = f"no keys begin with {prefix}" if prefix else "no keys yet"
    return build_table_page(rows, "key", "kind", "scope", "entities", empty=empty)


def _render_values(document: Document, style: Style) -> Page:
    rows = [(value["value"], value["entities"]) for value in document["values"]]
    return build_table_page(rows, "value", "entities", empty=f"no values found for the key {document['key']}")


def _render_edit_result(document: Document, style: Style) -> Page:
    urn, rows = document["urn"], sorted(document["properties"].items())
    table = (TableElement("properties", ("key", "value"), rows),) if rows else ()
    dataset, _, field = shorten_urn(urn).rpartition("#")
    unknown = TextLine(f"The schema of {dataset} has no field {field}: check the spelling.")
    return Page(
        (
            Title(EntityName(shorten_urn(urn), urn), "" if document["changed"] else "nothing to change"),
            *render_creation_notice(document, urn),
            *[unknown] * document["isStrange"],
            TagList("tags", tuple(document["tags"])),
            *table,
        )
    )


def _render_propagation_result(document: Document, style: Style) -> Page:
    title = Title(f"{shorten_urn(document['source'])} → {shorten_urn(document['sink'])}")
    if not document["results"]:
        return Page((title, TextLine("No matches: nothing was copied.")))
    rows = [
        (style.make_link(result["urn"]), "changed" if result["changed"] else "unchanged")
        for result in document["results"]
    ]
    return Page(
        (title, *render_creation_notice(document, document["sink"]), TableElement("", ("name", "outcome"), rows))
    )


def render_creation_notice(document: Document, urn: str) -> Iterator[TextLine]:
    """Yield a line that reports that an edit created an entity, whose name may be misspelled."""
    if document["isNew"]:
        yield TextLine(f"Created {shorten_urn(urn)}, which was not in the catalog before.")
        if similar := document["similarName"]:
            undo = f"jupyter colophon dataset delete {quote(format_shortest_name(urn))}"
            yield TextLine(f"Did you mean {shorten_urn(similar)}? In a terminal, `{undo}` deletes the new one.")


def _render_health(document: Document, style: Style) -> Page:
    store, head = document["store"], document["changeLog"]["head"]
    rows = [
        ("catalog", f"{document['status']}, version {document['version']}"),
        ("store", " ".join(filter(None, (store["provider"], store["status"], store["detail"])))),
        ("change log", format_count_with_noun(head, "change") if head is not None else "not known"),
        *document.get("kernel", {}).items(),
    ]
    return Page((TableElement("health", ("part", "state"), rows),))


def _render_connection(document: Document, style: Style) -> Page:
    return Page((TextLine(f"connected to {document['url']} as {document['user']['username']}"),))


def _render_export(document: Document, style: Style) -> Page:
    return Page((TextLine(f"{document['lines']} aspects of {document['namespace']} are in {document['file']}"),))


def _render_namespace_in_use(document: Document, style: Style) -> Page:
    name = document["namespace"]
    return Page((TextLine(f"names without a dot belong to {name}" if name else "no namespace is in use"),))


def _render_help(document: Document, style: Style) -> Page:
    return Page((Preformatted(document["text"]),))


PAGES: dict[str, Callable[[Document, Style], Page]] = {
    "cells": build_cells_page,
    "check": build_check_page,
    "connect": _render_connection,
    "crawl": jobs.build_crawl_page,
    "diff": history.build_diff_page,
    "edit": _render_edit_result,
    "export": _render_export,
    "health": _render_health,
    "help": _render_help,
    "history": history.build_history_page,
    "keys": _render_keys,
    "lineage": build_lineage_page,
    "lineage-columns": build_columns_page,
    "lineage-diff": history.build_lineage_diff_page,
    "pipeline-preview": jobs.build_pipeline_preview_page,
    "pipeline-run": jobs.build_pipeline_run_page,
    "pipeline-valid": jobs.build_valid_pipeline_page,
    "pipeline-wrong": jobs.build_invalid_pipeline_page,
    "pipelines": jobs.build_pipelines_page,
    "proposal": build_proposal_page,
    "proposals": build_proposals_page,
    "propagate": _render_propagation_result,
    "run": history.build_run_page,
    "runs": history.build_runs_page,
    "search": _render_search_results,
    "show": build_entity_page,
    "use": _render_namespace_in_use,
    "values": _render_values,
}
"""By the kind of the document."""
