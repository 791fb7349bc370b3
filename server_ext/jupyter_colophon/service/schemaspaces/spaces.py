"""Schemaspaces and their schemas, as installed packages register them."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import Lock, RLock, Thread
from typing import Any

from jupyter_colophon.core.documents.secret_locations import Place
from jupyter_colophon.core.errors import InstanceInvalid, Problem, SchemaNotFound, SchemaspaceNotFound
from jupyter_colophon.service.schemaspaces.call_with_timeout import Patience, called_by_us
from jupyter_colophon.service.schemaspaces.instance_validator import Checker, places, secrets_of_metadata
from jupyter_colophon.service.schemaspaces.loader import Shelf, log
from jupyter_colophon.service.schemaspaces.parse_registrations import Offer
from jupyter_colophon.service.schemaspaces.registrations import (
    SCHEMAS_PROVIDERS,
    SCHEMASPACES,
    installed,
    registrations,
)
from jupyter_colophon.service.schemaspaces.space import Fault, LoadingProblem, Migration, Space

#: How long a package may take to load, in seconds (spec SEC-17).
PATIENCE_S = 5.0


class Spaces:
    """All schemaspaces of this process. Loads at its first use; each call is safe from any thread.

    A schemaspace is named or given by its id, in letters of either case; each call that takes one raises
    SchemaspaceNotFound. Documents are not copies: who changes one changes it for all.
    """

    def __init__(
        self,
        *,
        schemaspaces: Callable[[], Iterable[Any]] = lambda: installed(SCHEMASPACES),
        providers: Callable[[], Iterable[Any]] = lambda: installed(SCHEMAS_PROVIDERS),
        packages: Sequence[str] = (),
        patience_s: float = PATIENCE_S,
        parent: Any = None,
    ) -> None:
        self._schemaspaces, self._providers = schemaspaces, providers
        self._packages = tuple(packages)
        self._shelf = Shelf(Patience(patience_s), parent, self._again)
        self._lock = RLock()
        self._loaded = False
        #: Held from when a provider told that its schemas changed until they are asked for.
        self._due = Lock()

    def allow(self, packages: Sequence[str]) -> None:
        """Let only these distributions register anything from now on, besides us; none means all (trait
        `schemaspace_packages`). What is loaded stays until the process ends."""
        self._packages = tuple(packages)

    def names(self, *, deprecated: bool = False) -> list[str]:
        """The names of all schemaspaces in small letters, without deprecated ones unless they are asked for."""
        return [space.key for space in self.all() if deprecated or not space.deprecated]

    def all(self) -> list[Space]:
        """All schemaspaces, deprecated ones too."""
        return list(self._ready().spaces.values())

    def space(self, name_or_id: str) -> Space:
        """A schemaspace by its name or id. Raises SchemaspaceNotFound."""
        shelf, key = self._ready(), name_or_id.lower()
        found = shelf.spaces.get(shelf.names_by_id.get(key, key))
        if found is None:
            raise SchemaspaceNotFound(name_or_id, tuple(self.names()))
        return found

    def schema(self, space: str, name: str) -> Mapping[str, Any]:
        """A schema, also a deprecated one. Raises SchemaNotFound."""
        found = self.space(space).schema(name)
        if found is None:
            raise SchemaNotFound(space, name)
        return found

    def check(self, space: str, name: str, document: Mapping[str, Any]) -> None:
        """Raise InstanceInvalid unless a document satisfies a schema; SchemaNotFound where there is none.

        The document has `display_name`, `schema_name`, `metadata`, and `name` and extra members or not. The error tells
        the first problem as jsonschema words it, and all with pointers. None of it shows a secret.
        """
        checker = self._checker(space, name)
        if problems := checker.problems(document):
            raise InstanceInvalid(str(document.get("name")), name, checker.first(document, problems), problems)

    def worded(self, space: str, name: str, document: Mapping[str, Any]) -> str:
        """The first problem as jsonschema words it, and nothing else; "" for a valid document. Raises SchemaNotFound."""
        checker = self._checker(space, name)
        problems = checker.problems(document)
        return checker.first(document, problems) if problems else ""

    def fault(self, space: str, name: str, document: Mapping[str, Any]) -> Fault | None:
        """What `check` would raise, as a value and without jsonschema's words: for lists."""
        try:
            checker = self._checker(space, name)
        except SchemaNotFound as error:
            return Fault("SchemaNotFoundError", (Problem("/schema_name", error.detail),))
        problems = checker.problems(document)
        return Fault("ValidationError", problems) if problems else None

    def secret_pointers(self, space: str, schema: str) -> tuple[Place, ...]:
        """Which places of `metadata` are secret; None stands for any element of an array or any unnamed member.

        A schema that refers to itself has more of them than are told: what must miss none asks `secrets_in`.
        """
        return places(self.schema(space, schema))

    def secrets_in(self, space: str, schema: str, metadata: Any) -> tuple[tuple[str, ...], ...]:
        """The words of a pointer into this `metadata` for every secret that is in it, however deep."""
        return secrets_of_metadata(self.schema(space, schema), metadata)

    def class_name(self, space: str, schema: str) -> str | None:
        """The dotted name of the class for a schema's instances, where it names one."""
        found = self.schema(space, schema).get("metadata_class_name")
        return found if isinstance(found, str) else None

    def is_registered(self, class_name: str) -> bool:
        """Whether an installed package registered a class for instances: the schema of one of its providers names it.

        Schemas that administrators stored register none: a stored text must not decide what is imported.
        """
        offers = list(self._ready().offers.values())
        return any(offer.document.get("metadata_class_name") == class_name for offer in offers if not offer.is_stored)

    def provider(self, space: str, schema: str) -> Any:
        """The provider of a schema, of Elyra's class or of ours. Raises SchemaNotFound."""
        return self._offer(space, schema).provider

    def refresh(self, space: str | None = None) -> None:
        """Ask the providers for their schemas anew, and load what was installed since.

        A provider that fails now leaves what it provided before.
        """
        only = None if space is None else self.space(space).key
        with self._lock:
            self._load(only)
            self._loaded = True

    def refresh_soon(self) -> None:
        """The same in the background: for providers that tell by themselves that their schemas changed.

        What is told while they are being asked is asked once more, but not what they tell while they answer.
        """
        if self._loaded and not called_by_us() and self._due.acquire(blocking=False):
            Thread(target=self._refreshed, name="colophon-schemaspaces", daemon=True).start()

    def migrate(self, space: str, *, dry_run: bool = False) -> Migration:
        """Have the providers of a schemaspace's schemas migrate its instances, each by itself.

        In a dry run only providers are asked whose `migrate` takes `dry_run`; the others are told of.
        """
        found = self.space(space)
        migrated: list[str] = []
        failed, untold = [], []
        for schema in (*found.schemas, *found.deprecated_schemas):
            provider = self.provider(space, schema)
            if dry_run and not _tells_beforehand(provider):
                untold += [schema] if _migrates(provider) else []
                continue
            options = {"dry_run": True} if dry_run else {}
            try:
                migrated += provider.migrate(schemaspace_name=found.name, schema_name=schema, **options)
            except Exception as error:  # noqa: BLE001  strangers' code
                log.exception("migration of instances of %s failed", schema)
                failed.append((schema, f"{type(error).__name__}: {error}".partition("\n")[0][:300]))
        return Migration(found.key, tuple(migrated), tuple(failed), tuple(untold), dry_run)

    def problems(self) -> list[LoadingProblem]:
        """What did not load, or is not there yet."""
        return self._ready().problems

    def _ready(self) -> Shelf:
        # Who loads, and asks for what is loaded meanwhile, is told what there is so far.
        if not self._loaded and not called_by_us():
            with self._lock:
                if not self._loaded:
                    self._load(None)
                    self._loaded = True
        return self._shelf

    def _refreshed(self) -> None:
        with self._lock:
            self._due.release()
            self._load(None)

    def _again(self) -> None:
        with self._lock:
            self._load(None)

    def _load(self, only: str | None) -> None:
        self._shelf.take_spaces(registrations(self._schemaspaces(), self._packages))
        self._shelf.take_schemas(registrations(self._providers(), self._packages), only)
        empty = [space.name for space in self._shelf.spaces.values() if not (space.schemas or space.deprecated_schemas)]
        if empty:
            log.warning("The following schemaspaces have no schemas: %s", empty)

    def _offer(self, space: str, schema: str) -> Offer:
        offer = self._ready().offers.get((self.space(space).key, schema))
        if offer is None:
            raise SchemaNotFound(space, schema)
        return offer

    def _checker(self, space: str, schema: str) -> Checker:
        checker = self._ready().checkers.get((self.space(space).key, schema))
        if checker is None:
            raise SchemaNotFound(space, schema)
        return checker


def _tells_beforehand(provider: Any) -> bool:
    try:
        return "dry_run" in inspect.signature(provider.migrate).parameters
    except (AttributeError, TypeError, ValueError):
        return False


def _migrates(provider: Any) -> bool:
    """Whether a provider has a `migrate` of its own."""
    return getattr(getattr(provider, "migrate", None), "__qualname__", "") != "SchemasProvider.migrate"
