"""The page of each kind of document, and the short ones."""

from collections.abc import Callable, Iterator, Mapping
from shlex import quote
from typing import Any

from jupyter_colophon.core.display_text import count_of
from jupyter_colophon.core.identity.short_names import name_to_type, short_name
from jupyter_colophon.rendering import history, jobs
from jupyter_colophon.rendering.elements import Line, Preformatted, Table, Tags, Title
from jupyter_colophon.rendering.entity import entity_page
from jupyter_colophon.rendering.lineage import columns_page, lineage_page
from jupyter_colophon.rendering.page import Page, table_page
from jupyter_colophon.rendering.style import NOTEBOOK, Style

Document = Mapping[str, Any]


def render(kind: str, document: Document, style: Style = NOTEBOOK) -> Page:
    """Return the page of a document."""
    return PAGES[kind](document, style)


def _search(document: Document, style: Style) -> Page:
    hits, total = document["hits"], document["total"]
    found = f"{'at least ' if document['isLowerBound'] else ''}{total} found" if hits else "nothing found"
    title = Title(document["query"], found)
    if not hits:
        return Page((title,))
    rows = [
        (
            style.name(hit["urn"]),
            hit["type"],
            hit["tags"],
            hit["owner"],
            list(dict.fromkeys(f"{match['key']}:{match['value']}" for match in hit["matches"])),
            hit["description"],
        )
        for hit in hits
    ]
    table = Table("", ("name", "type", "tags", "owner", "matched", "description"), rows)
    more = (Line(f"{total - len(hits)} more", quiet=True),) if total > len(hits) else ()
    return Page((title, table.without_empty_columns(), *more))


def _keys(document: Document, style: Style) -> Page:
    prefix = document.get("prefix")
    rows = [(key["key"], key["kind"], key["scope"], key["entities"]) for key in document["keys"]]
    empty = f"no key begins with {prefix}" if prefix else "no keys yet"
    return table_page(rows, "key", "kind", "scope", "entities", empty=empty)


def _values(document: Document, style: Style) -> Page:
    rows = [(one["value"], one["entities"]) for one in document["values"]]
    return table_page(rows, "value", "entities", empty=f"{document['key']} has no such value")


def _edit(document: Document, style: Style) -> Page:
    urn, rows = document["urn"], sorted(document["properties"].items())
    table = (Table("properties", ("key", "value"), rows),) if rows else ()
    whole, _, field = short_name(urn).rpartition("#")
    unknown = Line(f"The schema of {whole} has no field {field}: is it spelled right?")
    return Page(
        (
            Title(short_name(urn), "" if document["changed"] else "nothing to change"),
            *_created(document, urn),
            *[unknown] * document["isStrange"],
            Tags("tags", tuple(document["tags"])),
            *table,
        )
    )


def _propagated(document: Document, style: Style) -> Page:
    title = Title(f"{short_name(document['source'])} → {short_name(document['sink'])}")
    if not document["results"]:
        return Page((title, Line("Nothing matches: nothing was copied.")))
    rows = [(style.name(one["urn"]), "changed" if one["changed"] else "unchanged") for one in document["results"]]
    return Page((title, *_created(document, document["sink"]), Table("", ("name", "outcome"), rows)))


def _created(document: Document, urn: str) -> Iterator[Line]:
    """Yield that an edit created an entity, whose name may be misspelled."""
    if document["isNew"]:
        yield Line(f"Made {short_name(urn)}. New in the catalog: nothing of this name was read or written yet.")
        if similar := document["similarName"]:
            undo = f"jupyter colophon dataset delete {quote(name_to_type(urn))}"
            yield Line(f"Did you mean {short_name(similar)}? In a terminal, `{undo}` removes the new one.")


def _health(document: Document, style: Style) -> Page:
    store, head = document["store"], document["changeLog"]["head"]
    rows = [
        ("catalog", f"{document['status']}, version {document['version']}"),
        ("store", " ".join(filter(None, (store["provider"], store["status"], store["detail"])))),
        ("change log", count_of(head, "change") if head is not None else "not known"),
        *document.get("kernel", {}).items(),
    ]
    return Page((Table("health", ("part", "state"), rows),))


def _connected(document: Document, style: Style) -> Page:
    return Page((Line(f"connected to {document['url']} as {document['user']['username']}"),))


def _exported(document: Document, style: Style) -> Page:
    return Page((Line(f"{document['lines']} aspects of {document['namespace']} are in {document['file']}"),))


def _used(document: Document, style: Style) -> Page:
    name = document["namespace"]
    return Page((Line(f"names without a dot are of {name}" if name else "no namespace is in use"),))


def _help(document: Document, style: Style) -> Page:
    return Page((Preformatted(document["text"]),))


PAGES: dict[str, Callable[[Document, Style], Page]] = {
    "connect": _connected,
    "crawl": jobs.crawl_page,
    "diff": history.diff_page,
    "edit": _edit,
    "export": _exported,
    "health": _health,
    "help": _help,
    "history": history.history_page,
    "keys": _keys,
    "lineage": lineage_page,
    "lineage-columns": columns_page,
    "lineage-diff": history.lineage_diff_page,
    "pipeline-preview": jobs.pipeline_preview_page,
    "pipeline-run": jobs.pipeline_run_page,
    "pipeline-valid": jobs.valid_pipeline_page,
    "pipeline-wrong": jobs.invalid_pipeline_page,
    "pipelines": jobs.pipelines_page,
    "propagate": _propagated,
    "run": history.run_page,
    "runs": history.runs_page,
    "search": _search,
    "show": entity_page,
    "use": _used,
    "values": _values,
}
"""By the kind of the document."""
