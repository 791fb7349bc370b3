"""Taking in what packages register: one that fails, hangs or clashes harms only itself (spec SEC-17)."""

import logging
from collections.abc import Callable, Iterable
from functools import partial
from threading import RLock
from typing import Any, Literal

from jupyter_colophon.core.errors import InvalidInstance, shown
from jupyter_colophon.service.schemaspaces.call_with_timeout import Overdue, Patience
from jupyter_colophon.service.schemaspaces.instance_validator import Checker
from jupyter_colophon.service.schemaspaces.parse_registrations import (
    TEST_SPACE,
    Offer,
    checker_of,
    filtered,
    offered,
    provider_of,
    space_of,
    testing,
)
from jupyter_colophon.service.schemaspaces.registrations import Registration
from jupyter_colophon.service.schemaspaces.space import LoadingProblem, Space

log = logging.getLogger("jupyter_colophon.schemaspaces")
Kind = Literal["schemaspace", "schemas provider", "schema"]


#: A schema that was looked at: ready to be taken in, or its name and what is wrong with it.
Looked = tuple[Offer | None, Checker | None, str, BaseException | None]


class Shelf:
    """What is loaded so far. Whatever is replaced is replaced whole: readers need no lock."""

    def __init__(self, patience: Patience, parent: Any, came_late: Callable[[], None]) -> None:
        """`came_late` is called after a schemaspace came late: schemas for it were refused until then."""
        self._patience, self._parent, self._came_late = patience, parent, came_late
        self._lock = RLock()
        #: By name in small letters, in the order in which they came.
        self.spaces: dict[str, Space] = {}
        self.names_by_id: dict[str, str] = {}
        #: By schemaspace and schema.
        self.checkers: dict[tuple[str, str], Checker] = {}
        self.offers: dict[tuple[str, str], Offer] = {}
        #: Distributions that let us wait in vain: what else they have is not waited for, be it ten times as much.
        self._late: set[str] = set()
        self._loaded: set[tuple[str, str, str]] = set()
        self._providers: dict[tuple[str, str, str], Any] = {}
        self._problems: dict[tuple[str, str, str], LoadingProblem] = {}

    @property
    def problems(self) -> list[LoadingProblem]:
        """What did not load, or is not there yet."""
        with self._lock:
            return list(self._problems.values())

    def take_spaces(self, found: Iterable[Registration]) -> None:
        """Load the schemaspaces that are not loaded yet."""
        for one in found:
            if (one.name != TEST_SPACE or testing()) and one.key not in self._loaded:
                self._try("schemaspace", one, partial(space_of, one, self._parent), self._place)

    def take_schemas(self, found: Iterable[Registration], space: str | None = None) -> None:
        """Ask all providers for their schemas; only those of one schemaspace are taken where it is given."""
        for one in found:
            if one.name != TEST_SPACE or testing():
                self._try("schemas provider", one, partial(self._asked, one), partial(self._put, only=space))

    def _try(
        self, kind: Kind, of: Registration, work: Callable[[], Any], take: Callable[[Registration, Any], None]
    ) -> None:
        def late(outcome: Callable[[], Any]) -> None:
            self._late.discard(of.distribution)
            try:
                result = outcome()
            except BaseException as error:  # noqa: BLE001  as below
                self._told(kind, of, error)
                return
            log.info("%s %s came late and is taken in", kind, shown(of.name))
            self._told(kind, of, None)
            take(of, result)
            if kind == "schemaspace":
                self._came_late()

        try:
            result = self._patience.call(work, late, wait=not of.distribution or of.distribution not in self._late)
        except BaseException as error:  # noqa: BLE001  what strangers wrote may raise anything
            if isinstance(error, Overdue):
                self._late.add(of.distribution)
            self._told(kind, of, error)
        else:
            self._told(kind, of, None)
            take(of, result)

    def _told(self, kind: Kind, of: Registration, error: BaseException | None, schema: str = "") -> None:
        """Remember why something is not there, or that it is."""
        name = f"{of.name}/{schema}" if schema else of.name
        key = (kind, name, of.value)
        with self._lock:
            before = self._problems.pop(key, None)
            if error is None:
                return
            told = LoadingProblem(
                kind, name, of.value, of.distribution, of.version, _reason(error), isinstance(error, Overdue)
            )
            self._problems[key] = told
        if before != told:
            log.error("Error loading %s - %s", _what(kind, of.name, schema), told.reason)

    def _place(self, of: Registration, space: Space) -> None:
        """Put a schemaspace on the shelf. Of two with one id, the first stays; we ship ours first (docs/elyra.md)."""
        with self._lock:
            self._loaded.add(of.key)
            there = self.spaces.get(space.key) or self.spaces.get(self.names_by_id.get(space.id.lower(), ""))
            if there is None:
                self.names_by_id[space.id.lower()] = space.key
                self.spaces[space.key] = space
            elif (there.key, there.id.lower()) != (space.key, space.id.lower()):
                clash = f"the schemaspace {shown(there.name)} has this name or id already, and not both"
                self._told("schemaspace", of, ValueError(clash))

    def _asked(self, of: Registration) -> list[Looked]:
        """What a provider offers; run on a thread of its own, with all that is strangers' code."""
        provider = self._providers.get(of.key)
        if provider is None:
            provider = self._providers[of.key] = provider_of(of)
        return [self._looked_at(document, provider, of) for document in list(provider.get_schemas())]

    def _looked_at(self, document: Any, provider: Any, of: Registration) -> Looked:
        name = str(document.get("name", "??")) if isinstance(document, dict) else "??"
        try:
            offer = offered(document, provider, of)
            final = filtered(offer, self._space_of(offer))
            whole = Offer(offer.space, offer.space_id, offer.name, final, provider, of)
            return whole, checker_of(final, provider), name, None
        except Exception as error:  # noqa: BLE001  filters and validators are strangers' too
            return None, None, name, error

    def _space_of(self, offer: Offer) -> Space:
        key = self.names_by_id.get(offer.space_id)
        if key is None:
            raise ValueError(f"Schema '{offer.name}' references a schemaspace '{offer.space_id}' that is not loaded!")
        if offer.space not in self.spaces:
            raise ValueError(f"Schema '{offer.name}' references a schemaspace '{offer.space}' that is not loaded!")
        if key != offer.space:
            raise ValueError(f"schemaspace {shown(offer.space)} and id {shown(offer.space_id)} are of different ones")
        return self.spaces[key]

    def _put(self, of: Registration, got: list[Looked], only: str | None) -> None:
        """Put schemas on the shelf, and take away what their provider offers no more."""
        with self._lock:
            before = {key: one for key, one in self._problems.items() if key[0] == "schema" and key[2] == of.value}
            kept = set()
            for offer, checker, name, error in got:
                if offer is None or checker is None:
                    self._told("schema", of, error, name)
                elif only in (None, offer.space):
                    kept.add((offer.space, offer.name))
                    self._put_one(offer, checker)
            for key, old in list(self.offers.items()):
                if old.registration.key == of.key and key not in kept and only in (None, key[0]):
                    self._take_away(key)
            for problem_key, problem in before.items():
                if self._problems.get(problem_key) is problem:
                    del self._problems[problem_key]

    def _put_one(self, offer: Offer, checker: Checker) -> None:
        key = offer.space, offer.name
        there = self.offers.get(key)
        if there is not None and there.registration.key != offer.registration.key:
            if offer.registration.ours:
                return  # another package's own schema is here already: ours only stands in for it
            if not there.registration.ours:
                first = there.registration
                clash = ValueError(f"{shown(first.name)} of {first.distribution or '?'} has a schema of this name")
                self._told("schema", offer.registration, clash, offer.name)
                return
        space, one = self.spaces[offer.space], {offer.name: offer.document}
        # Readers look at it meanwhile: it is there at every moment.
        self.checkers[key], self.offers[key] = checker, offer
        if offer.document.get("deprecated", False):
            space.deprecated_schemas = {**space.deprecated_schemas, **one}
            space.schemas = _without(space.schemas, offer.name)
        else:
            space.schemas = {**space.schemas, **one}
            space.deprecated_schemas = _without(space.deprecated_schemas, offer.name)

    def _take_away(self, key: tuple[str, str]) -> None:
        self.offers.pop(key, None)
        self.checkers.pop(key, None)
        space = self.spaces[key[0]]
        space.schemas = _without(space.schemas, key[1])
        space.deprecated_schemas = _without(space.deprecated_schemas, key[1])


def _without(schemas: dict[str, Any], name: str) -> dict[str, Any]:
    return {one: schema for one, schema in schemas.items() if one != name}


def _what(kind: Kind, name: str, schema: str) -> str:
    """What did not load, as Elyra's log has it."""
    if kind == "schemaspace":
        return f"schemaspace '{name}'"
    return f"schema '{schema}' for SchemasProvider '{name}'" if schema else f"schemas for SchemasProvider '{name}'"


def _reason(error: BaseException) -> str:
    """An error in one line; every place of a schema that was refused."""
    if isinstance(error, InvalidInstance):
        return "; ".join(f"{one.pointer or '/'}: {one.message}" for one in error.problems[:5])
    line = str(error).partition("\n")[0][:300]
    named = isinstance(error, Overdue | ValueError)
    return line if line and named else f"{type(error).__name__}: {line}".removesuffix(": ")
