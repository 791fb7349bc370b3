"""Render changes that wait for review."""

from collections.abc import Iterator, Mapping
from typing import Any

from jupyter_colophon.core.documents.steps import format_differences
from jupyter_colophon.core.identity.short_names import shorten_urn
from jupyter_colophon.core.model.owner_request import PROPOSAL_STATES
from jupyter_colophon.rendering.elements import Element, EntityName, Preformatted, TextLine, Title
from jupyter_colophon.rendering.page import Page, build_table_page
from jupyter_colophon.rendering.style import NOTEBOOK, Style

Document = Mapping[str, Any]
_COLUMNS = ("id", "state", "about", "change", "author", "assigned to")


def build_proposals_page(document: Document, style: Style = NOTEBOOK) -> Page:
    """Return a page with proposals, the last changed first."""
    rows = [
        (
            request["proposal"],
            PROPOSAL_STATES[request["state"]],
            EntityName(shorten_urn(request["about"]), request["about"]),
            request["text"],
            request["author"]["name"],
            ", ".join(person["name"] for person in request["assignees"]),
        )
        for request in document["requests"]
    ]
    return build_table_page(rows, *_COLUMNS, empty="no proposals")


def build_proposal_page(document: Document, style: Style = NOTEBOOK) -> Page:
    """Return a page with a proposal: its differences from the present values, and the comments on it."""
    request = document["request"]
    return Page(
        (
            Title(f"{document['state']}: {request['text']}, by {request['author']['name']}"),
            *[TextLine("outdated: bring it up to date with rebase")] * document["isOutdated"],
            *map(_render_change, document["changes"]),
            *_render_comments(request),
        )
    )


def _render_change(change: Document) -> Element:
    caption = f"{change['aspect'] or change['operation']} of {shorten_urn(change['urn'])}"
    if change["problem"] is not None:
        return Preformatted(change["problem"]["detail"], caption)
    return Preformatted("\n".join(format_differences(change["before"], change["after"])), caption)


def _render_comments(request: Document) -> Iterator[Element]:
    for comment in request["comments"]:
        yield Preformatted(comment["text"], f"{comment['author']['name']}:")
