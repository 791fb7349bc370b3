"""How each kind of answer looks."""

from collections.abc import Callable, Mapping
from shlex import quote
from typing import Any

from jupyter_colophon.client.api.answer import Result
from jupyter_colophon.client.urns import retyped, shown
from jupyter_colophon.kernel.display import crawls, history, pipelines
from jupyter_colophon.kernel.display.elements import Chips, Line, Preformatted, Table, Title
from jupyter_colophon.kernel.display.entity import entity_page
from jupyter_colophon.kernel.display.graph import columns_page, lineage_page
from jupyter_colophon.kernel.display.page import Page
from jupyter_colophon.kernel.display.results import health_page, keys_page, search_page, values_page

Document = Mapping[str, Any]


def page_of(answer: Result) -> Page:
    """The page of an answer."""
    return PAGES[answer.kind](answer.document)


def _edit(document: Document) -> Page:
    rows = tuple(sorted(document["properties"].items()))
    table = (Table("properties", ("key", "value"), rows),) if rows else ()
    note = "" if document["changed"] else "nothing to change"
    whole, _, field = shown(document["urn"]).rpartition("#")
    strange = (
        (Line(f"The schema of {whole} has no field {field}: is it spelled right?"),) if document["isStrange"] else ()
    )
    page = (Title(shown(document["urn"]), note), *_news(document, document["urn"]), *strange)
    return Page((*page, Chips("tags", tuple(document["tags"])), *table))


def _propagated(document: Document) -> Page:
    title = Title(f"{shown(document['source'])} → {shown(document['sink'])}")
    if not document["results"]:
        return Page((title, Line("Nothing fits: nothing was said.")))
    rows = tuple((shown(one["urn"]), "changed" if one["changed"] else "as it was") for one in document["results"])
    return Page((title, *_news(document, document["sink"]), Table("", ("name", "became"), rows)))


def _news(document: Document, urn: str) -> tuple[Line, ...]:
    """Whether this made an entry: it may be a misspelled name."""
    if not document["isNew"]:
        return ()
    made = Line(f"Made {shown(urn)}. New in the catalog: nothing of this name was read or written yet.")
    if not document["similarName"]:
        return (made,)
    undo = f"jupyter colophon dataset delete {quote(retyped(urn))}"
    return made, Line(f"Did you mean {shown(document['similarName'])}? In a terminal, `{undo}` takes the new one away.")


def _exported(document: Document) -> Page:
    return Page((Line(f"{document['lines']} aspects of {document['namespace']} are in {document['file']}"),))


def _used(document: Document) -> Page:
    name = document["namespace"]
    return Page((Line(f"names without a dot are of {name}" if name else "no namespace is in use"),))


def _connected(document: Document) -> Page:
    return Page((Line(f"connected to {document['url']} as {document['user']['username']}"),))


#: By the kind of the answer.
PAGES: dict[str, Callable[[Document], Page]] = {
    "connect": _connected,
    "crawl": crawls.crawl_page,
    "diff": history.diff_page,
    "edit": _edit,
    "export": _exported,
    "health": lambda found: health_page(found, found.get("kernel", {})),
    "help": lambda found: Page((Preformatted(found["text"]),)),
    "history": history.history_page,
    "keys": lambda found: keys_page(found["prefix"], found),
    "lineage": lineage_page,
    "lineage-columns": columns_page,
    "lineage-diff": history.lineage_diff_page,
    "pipeline-preview": pipelines.preview_page,
    "pipeline-run": pipelines.run_page,
    "pipeline-valid": pipelines.valid_page,
    "pipeline-wrong": pipelines.wrong_page,
    "pipelines": pipelines.list_page,
    "propagate": _propagated,
    "run": history.run_page,
    "runs": history.runs_page,
    "search": search_page,
    "show": lambda found: entity_page(found, found["runs"]),
    "use": _used,
    "values": values_page,
}
