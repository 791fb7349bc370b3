"""The store on this machine, beside whatever servers use it."""

import getpass
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from jupyter_colophon.cli.catalog.catalog_protocol import (
    ChangesAsked,
    Count,
    Event,
    Line,
    Results,
    Shown,
    Statement,
    Taken,
)
from jupyter_colophon.composition import open_catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.entities.annotation import Annotation
from jupyter_colophon.core.entities.entity import EntitySummary, Listing, Stamp
from jupyter_colophon.core.entities.registration_request import of_application, of_data
from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.lineage.graph import Lineage, LineageQuestion, RunListing
from jupyter_colophon.core.lineage.run import Run, Touched
from jupyter_colophon.core.model.program_types import programs_of
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.search.search import KeysQuestion, SearchQuestion, ValuesQuestion
from jupyter_colophon.core.time_format import format_time
from jupyter_colophon.service.registry_files import readable
from jupyter_colophon.settings import Settings

_PAGE = 500


def _remove_instances(settings: Settings, namespace: str, principal: Principal) -> None:
    """Remove the pipelines, schedules and saved searches of a namespace. Raises StorageError."""
    # Only this command needs the schemaspaces, which take long to load.
    from jupyter_colophon.schemaspaces.instances import current

    current(settings).clear_namespace(namespace, principal)


class Local:
    """Reads and writes as the account that calls the command."""

    def __init__(self, settings: Settings) -> None:
        store = settings.store()
        path = store.options.get("path") if store.provider == "sqlite" else None
        if path is not None and not Path(path).exists():
            raise NotFound("catalog", str(path))
        self._catalog = open_catalog(
            store,
            settings.identity(),
            settings.system_filter(),
            retained=settings.retained(),
            events=settings.events(),
            always_log=settings.always_emit_change_log,
            overlay=readable(settings.overlay()),
            authorizer=settings.authorizer(),
        )
        self._catalog.namespaces.remove_beside = partial(_remove_instances, settings)
        self._principal = Principal(getpass.getuser())

    def show(self, urn: str) -> Shown:
        """One entity."""
        found = self._catalog.metadata.of(Urn.parse(urn), "", self._principal)
        if found.summary is None:
            raise NotFound("entity", urn)
        one = found.summary
        entity = self._catalog.reader.entity(Urn.parse(urn), None, self._principal)
        shown = self._catalog.metadata.shown(entity, self._principal)
        return Shown(
            urn=one.urn,
            type=one.type,
            namespace=one.namespace,
            name=one.name,
            user=found.user.properties,
            user_tags=found.user.tags,
            system=found.system.properties,
            system_tags=found.system.tags,
            statements=[
                Statement(
                    one.descriptor.kind, one.descriptor.key, one.name, one.descriptor.scope, one.descriptor.detail
                )
                for one in shown
                if not one.descriptor.column
            ],
            created=_event(one.created),
            updated=_event(one.updated),
        )

    def annotate(self, urn: str, change: Annotation) -> bool:
        """Change what people say of an entity that is there."""
        proposal = Proposal(Urn.parse(urn), "businessMetadata", "annotate", change, needs="entity")
        (done,) = self._catalog.write_path.propose([proposal], self._principal)
        return done.changed

    def search(self, query: str, filters: Mapping[str, str], limit: int, *, removed: bool = False) -> Results:
        """The best hits; what was softly deleted only with `removed`."""
        question = SearchQuestion(query, tuple(filters.items()), limit, removed=removed)
        found = self._catalog.searcher.search(question, self._principal)
        return Results([_line(one.summary, one.description, one.tags) for one in found.hits], found.total)

    def keys(self, prefix: str) -> Sequence[Count]:
        """Keys that begin so."""
        found = self._catalog.keys.keys(KeysQuestion(prefix), self._principal)[0]
        return [Count(one.key, one.entities, one.kind, one.scope) for one in found]

    def values(self, key: str, prefix: str) -> Sequence[Count]:
        """Values of a key that begin so."""
        found = self._catalog.keys.values(ValuesQuestion(key, prefix), _PAGE, self._principal)[0]
        return [Count(value, entities) for value, entities in found]

    def listed(self, type_: str, namespace: str) -> Sequence[Line]:
        """Entities of a type."""
        found: list[Line] = []
        cursor: str | None = ""
        while cursor is not None:
            listing = Listing(namespace=namespace, type=type_, limit=_PAGE, cursor=cursor)
            page, cursor = self._catalog.reader.entities(listing, self._principal)
            found += [_line(one) for one in page]
        return found

    def begun(self, type_: str, namespace: str, prefix: str) -> Sequence[Line]:
        """The first entities of a type whose names begin so."""
        listing = Listing(namespace=namespace, type=type_, prefix=prefix)
        return [_line(one) for one in self._catalog.reader.entities(listing, self._principal)[0]]

    def deploy(self, urn: str, told: Mapping[str, Any]) -> bool:
        """Make a dataset or an application."""
        meant = Urn.parse(urn)
        name = self._catalog.identity.short_name(meant)
        if meant.type == "dataFlow":
            deployed = of_application(name, told)
            programs = programs_of(told["programs"]) if "programs" in told else None
            done = self._catalog.deployer.application(meant, deployed, programs, self._principal)
        else:
            done = self._catalog.deployer.entity(meant, of_data(name, told), self._principal)
        return any(one.changed for one in done)

    def make_namespace(self, name: str) -> bool:
        """Make a namespace."""
        self._catalog.namespaces.clear(name)
        return any(one.changed for one in self._catalog.deployer.namespace(name, {}, self._principal))

    def delete(self, urn: str) -> None:
        """Delete an entity, and what it holds."""
        gone = Urn.parse(urn)
        self._catalog.write_path.propose([Proposal(gone, None, "delete")], self._principal)
        if gone.type == "namespace":
            self._catalog.namespaces.remove_files(gone.parts[0], self._principal)

    def changes(self, asked: ChangesAsked, wait_s: int) -> tuple[Sequence[Mapping[str, Any]], int]:
        """Changes after a number."""
        feed, after, news = self._catalog.feed, asked.after, threading.Event()
        where = {"namespace": asked.namespace} if asked.namespace else {}
        if after is None:
            return [], feed.head()
        end = feed.listen(lambda changes: news.set()) if wait_s else lambda: None
        try:
            found = feed.read(after, _PAGE, where, self._principal)
            if not found.changes and news.wait(wait_s):
                found = feed.read(after, _PAGE, where, self._principal)
        finally:
            end()
        told = (self._catalog.announcer.told(one, asked.form) for one in found.changes)
        return [one for one in told if one is not None], found.cursor

    def exported(self, namespace: str) -> Iterator[bytes]:
        """The lines of a namespace. Raises NotFound."""
        return (line.encode() for line in self._catalog.transfer.exported(namespace, self._principal))

    def imported(self, lines: Callable[[], Iterable[bytes]], *, overwrite: bool, dry_run: bool) -> Iterator[Taken]:
        """Take lines in."""
        told = self._catalog.transfer.imported(lines, self._principal, overwrite=overwrite, dry_run=dry_run)
        for one in told:
            clash = [(str(one.line.urn), one.line.aspect)] if one.outcome == "conflict" else []
            yield Taken(Counter([one.outcome]), clash)

    def lineage(self, question: LineageQuestion) -> Lineage:
        """The graph around data or a program."""
        return self._catalog.lineage.lineage(question, self._principal)

    def runs(self, listing: RunListing) -> list[Run]:
        """Runs, newest first."""
        found, cursor = self._catalog.runs.runs(listing, self._principal)
        while cursor is not None and len(found) < listing.limit:
            rest = replace(listing, limit=listing.limit - len(found), cursor=cursor)
            page, cursor = self._catalog.runs.runs(rest, self._principal)
            found += page
        return found

    def run(self, urn: str) -> tuple[Run, list[Touched]]:
        """One run, and what it had to do with."""
        found = self._catalog.runs.run(urn, self._principal)
        return found, self._catalog.runs.touched(found, self._principal)

    def close(self) -> None:
        """Let go of the store."""
        self._catalog.close()


def _event(stamp: Stamp) -> Event:
    return Event(format_time(stamp.time), stamp.actor)


def _line(one: EntitySummary, description: str = "", tags: Sequence[str] = ()) -> Line:
    return Line(one.urn, one.type, one.namespace, one.name, description, tags)
