"""What each word after `%metadata` does: it asks the server and answers a page."""

import getpass
from argparse import Namespace
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from jupyter_colophon.client.catalog import Catalog
from jupyter_colophon.client.problems import Refused
from jupyter_colophon.client.transport import Server
from jupyter_colophon.kernel.display.blocks import Chips, Line, Preformatted, Table, Title
from jupyter_colophon.kernel.display.entity import entity_page
from jupyter_colophon.kernel.display.findings import health_page, keys_page, search_page
from jupyter_colophon.kernel.display.graph import lineage_page
from jupyter_colophon.kernel.display.page import Page
from jupyter_colophon.kernel.edits import BUSINESS, Document, with_words, without_keys, without_tags
from jupyter_colophon.kernel.pipelines import pipeline_page
from jupyter_colophon.kernel.synopsis import help_on
from jupyter_colophon.kernel.urns import shown, typed

if TYPE_CHECKING:
    from jupyter_colophon.kernel.companion import Companion

#: Runs on the page of an entity.
RUNS_SHOWN = 5


class NoServer(Exception):
    """Nobody said where the catalog is."""

    def __init__(self) -> None:
        super().__init__("no server is known: start the kernel from JupyterLab, or use %metadata connect URL")


def catalog_of(companion: "Companion") -> "Catalog":
    """The catalog that the shell is connected to.

    Raises:
        NoServer: it is connected to none.
    """
    if companion.catalog is None:
        raise NoServer
    return companion.catalog


def run_command(companion: "Companion", asked: Namespace) -> Page:
    """Does what `parse_line` understood.

    Raises:
        ClientError, IllegalName, NoServer, ValueError: it could not be done; the text says why.
    """
    return _COMMANDS[asked.command](companion, asked)


def _tag(companion: "Companion", asked: Namespace) -> Page:
    return _edited(companion, asked.name, with_words(asked.tags))


def _untag(companion: "Companion", asked: Namespace) -> Page:
    return _lessened(companion, asked.name, without_tags(asked.tags))


def _set(companion: "Companion", asked: Namespace) -> Page:
    return _edited(companion, asked.name, with_words((), asked.properties))


def _unset(companion: "Companion", asked: Namespace) -> Page:
    return _lessened(companion, asked.name, without_keys(asked.keys))


def _lessened(companion: "Companion", name: str, edit: Callable[[Document], Document]) -> Page:
    """Takes something away, which makes no entry where there is none."""
    urn = typed(name)
    if catalog_of(companion).entity(urn, (BUSINESS,)) is None:
        return Page((Line(_absent(urn)),))
    return _edited(companion, name, edit)


def _edited(companion: "Companion", name: str, edit: Callable[[Document], Document]) -> Page:
    """Changes what people wrote and shows the outcome: the value that this write left, not one read later."""
    catalog, urn = catalog_of(companion), typed(name)
    is_new = catalog.entity(urn, (BUSINESS,)) is None
    outcome: Document = {}

    def remembered(value: Document) -> Document:
        outcome.clear()
        outcome.update(edit(value))
        return outcome

    try:
        written = catalog.edit_aspect(urn, BUSINESS, remembered)
    except Refused as refusal:
        if _is_absent(refusal):
            msg = f"{refusal}: nothing in it was read or written yet; is {shown(urn)} spelled right?"
            raise ValueError(msg) from None
        raise
    note = "" if written.get("changed", True) else "nothing to change"
    rows = tuple(sorted(outcome["properties"].items()))
    table = (Table("properties", ("key", "value"), rows),) if rows else ()
    # A misspelled name makes an entry too. One that was deleted is no news: its runs tell.
    unheard = is_new and not catalog.runs(data=urn, limit=1)["runs"]
    news = (Line("New in the catalog: nothing of this name was read or written yet."),) if unheard else ()
    return Page((Title(shown(urn), note), *news, Chips("tags", tuple(outcome["tags"])), *table))


def _absent(urn: str) -> str:
    return f"{shown(urn)} is not in the catalog"


def _is_absent(refusal: Refused) -> bool:
    """Whether the catalog says so; a 404 without a problem is another server's."""
    return refusal.status == 404 and bool(refusal.problem.get("type"))


def _show(companion: "Companion", asked: Namespace) -> Page:
    catalog, urn = catalog_of(companion), typed(asked.name)
    entity = catalog.entity(urn)
    if entity is None:
        return Page((Line(_absent(urn)),))
    return entity_page(entity, catalog.runs(data=urn, limit=RUNS_SHOWN)["runs"])


def _search(companion: "Companion", asked: Namespace) -> Page:
    return search_page(catalog_of(companion).search(" ".join(asked.query), limit=asked.limit))


def _lineage(companion: "Companion", asked: Namespace) -> Page:
    urn = typed(asked.name)
    window = {
        "direction": asked.direction,
        "levels": asked.levels,
        "start": _moment(asked.start),
        "end": _moment(asked.end),
    }
    try:
        return lineage_page(catalog_of(companion).lineage(urn, **window))
    except Refused as refusal:
        if _is_absent(refusal):
            return Page((Line(_absent(urn)),))
        raise


def _moment(typed_time: str | None) -> str | None:
    """A day or time without an offset is the person's own, as answers are: the server would not know whose."""
    try:
        moment = datetime.fromisoformat(typed_time or "")
    except ValueError:
        return typed_time
    return moment.astimezone().isoformat() if moment.tzinfo is None and "-" in str(typed_time) else typed_time


def _keys(companion: "Companion", asked: Namespace) -> Page:
    return keys_page(asked.prefix, catalog_of(companion).keys(asked.prefix, limit=200))


def _health(companion: "Companion", _asked: Namespace) -> Page:
    catalog = catalog_of(companion)
    waiting = companion.settle(0, 0.1)
    facts = {
        "server": catalog.server.url,
        "notebook": companion.settings.notebook,
        "capture": companion.captures.state,
        "reports waiting": str(waiting),
    }
    return health_page(catalog.health(), facts)


def _connect(companion: "Companion", asked: Namespace) -> Page:
    server = Server(asked.url, companion.settings.token_for(asked.url) or _asked_token())
    # Asked first: a wrong URL or token leaves the connection that is there.
    me = Catalog(server).me()
    companion.connect(server)
    return Page((Line(f"connected to {server.url} as {me['user']['username']}"),))


def _asked_token() -> str:
    """Asks the person: a token in a cell would be kept in the notebook, its history and its runs."""
    try:
        return getpass.getpass("Token: ")
    except (EOFError, NotImplementedError):
        msg = "a token is needed, and nobody can be asked for it here: set COLOPHON_TOKEN"
        raise ValueError(msg) from None


def _pipeline(companion: "Companion", asked: Namespace) -> Page:
    return pipeline_page(catalog_of(companion), asked.verb, asked.name, dict(asked.arguments))


def _help(_companion: "Companion", asked: Namespace) -> Page:
    return Page((Preformatted(help_on(asked.topic)),))


_COMMANDS: "dict[str, Callable[[Companion, Namespace], Page]]" = {
    "tag": _tag,
    "untag": _untag,
    "set": _set,
    "unset": _unset,
    "show": _show,
    "search": _search,
    "lineage": _lineage,
    "keys": _keys,
    "health": _health,
    "status": _health,
    "connect": _connect,
    "help": _help,
    "pipeline": _pipeline,
}
