"""Schemaspaces and their schemas, as installed packages register them."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import Lock, RLock, Thread
from typing import Any

from jupyter_colophon.core.documents.secret_locations import Place
from jupyter_colophon.core.errors import InstanceInvalid, Problem, SchemaNotFound, SchemaspaceNotFound
from jupyter_colophon.service.schemaspaces.call_with_timeout import TimeoutRunner, is_running_call
from jupyter_colophon.service.schemaspaces.instance_validator import (
    InstanceValidator,
    secret_locations,
    secrets_of_metadata,
)
from jupyter_colophon.service.schemaspaces.loader import LoadedSchemaspaces, log
from jupyter_colophon.service.schemaspaces.parse_registrations import SchemaOffer
from jupyter_colophon.service.schemaspaces.registrations import (
    SCHEMAS_PROVIDERS,
    SCHEMASPACES,
    installed,
    registrations,
)
from jupyter_colophon.service.schemaspaces.space import Fault, LoadingProblem, Migration, Space

#: How long a package may take to load, in seconds (spec SEC-17).
TIMEOUT_S = 5.0


class Spaces:
    """All schemaspaces of this process, loaded on first use. All methods are thread-safe.

    A schemaspace is given by its name or id, case-insensitively; methods raise SchemaspaceNotFound for an unknown one.
    Documents are shared, and must not be changed.
    """

    def __init__(
        self,
        *,
        schemaspaces: Callable[[], Iterable[Any]] = lambda: installed(SCHEMASPACES),
        providers: Callable[[], Iterable[Any]] = lambda: installed(SCHEMAS_PROVIDERS),
        packages: Sequence[str] = (),
        timeout_s: float = TIMEOUT_S,
        parent: Any = None,
    ) -> None:
        self._schemaspaces, self._providers = schemaspaces, providers
        self._packages = tuple(packages)
        self._registry = LoadedSchemaspaces(TimeoutRunner(timeout_s), parent, self._reload)
        self._lock = RLock()
        self._loaded = False
        #: Held from a provider's notification of changed schemas until they are reloaded.
        self._due = Lock()

    def allow(self, packages: Sequence[str]) -> None:
        """Allow only these distributions to register anything, besides ours; empty means all (trait
        `schemaspace_packages`). What is already loaded stays until the process ends."""
        self._packages = tuple(packages)

    def names(self, *, deprecated: bool = False) -> list[str]:
        """Return the names of all schemaspaces in lower case; deprecated ones only on request."""
        return [space.key for space in self.all() if deprecated or not space.deprecated]

    def all(self) -> list[Space]:
        """Return all schemaspaces, including deprecated ones."""
        return list(self._ready().spaces.values())

    def space(self, name_or_id: str) -> Space:
        """Return a schemaspace by its name or id. Raises SchemaspaceNotFound."""
        loaded, key = self._ready(), name_or_id.lower()
        found = loaded.spaces.get(loaded.names_by_id.get(key, key))
        if found is None:
            raise SchemaspaceNotFound(name_or_id, tuple(self.names()))
        return found

    def schema(self, space: str, name: str) -> Mapping[str, Any]:
        """Return a schema, deprecated or not. Raises SchemaNotFound."""
        found = self.space(space).schema(name)
        if found is None:
            raise SchemaNotFound(space, name)
        return found

    def check(self, space: str, name: str, document: Mapping[str, Any]) -> None:
        """Raise InstanceInvalid unless a document satisfies a schema; SchemaNotFound for an unknown schema.

        The document has `display_name`, `schema_name`, `metadata`, and optionally `name` and extra members. The error has
        the first problem as jsonschema words it, and all problems with pointers, without secrets.
        """
        validator = self._validator(space, name)
        if problems := validator.problems(document):
            raise InstanceInvalid(
                str(document.get("name")), name, validator.first_message(document, problems), problems
            )

    def first_message(self, space: str, name: str, document: Mapping[str, Any]) -> str:
        """Return the first problem as jsonschema words it; "" for a valid document. Raises SchemaNotFound."""
        validator = self._validator(space, name)
        problems = validator.problems(document)
        return validator.first_message(document, problems) if problems else ""

    def find_fault(self, space: str, name: str, document: Mapping[str, Any]) -> Fault | None:
        """Return what `check` would raise, without jsonschema's message: for lists."""
        try:
            validator = self._validator(space, name)
        except SchemaNotFound as error:
            return Fault("SchemaNotFoundError", (Problem("/schema_name", error.detail),))
        problems = validator.problems(document)
        return Fault("ValidationError", problems) if problems else None

    def secret_pointers(self, space: str, schema: str) -> tuple[Place, ...]:
        """Return the secret locations of `metadata`; None stands for any array element or unnamed member.

        For a recursive schema the list is incomplete; `secrets_in` finds all secrets of a document.
        """
        return secret_locations(self.schema(space, schema))

    def secrets_in(self, space: str, schema: str, metadata: Any) -> tuple[tuple[str, ...], ...]:
        """Return the path of every secret in this `metadata`, however deep."""
        return secrets_of_metadata(self.schema(space, schema), metadata)

    def class_name(self, space: str, schema: str) -> str | None:
        """Return the dotted name of the class of a schema's instances, if it has one."""
        found = self.schema(space, schema).get("metadata_class_name")
        return found if isinstance(found, str) else None

    def is_registered(self, class_name: str) -> bool:
        """Return whether the schema of an installed package names this class for instances.

        Stored schemas do not count: stored text must not decide what is imported.
        """
        offers = list(self._ready().offers.values())
        return any(offer.document.get("metadata_class_name") == class_name for offer in offers if not offer.is_stored)

    def provider(self, space: str, schema: str) -> Any:
        """Return the provider of a schema, of Elyra's class or ours. Raises SchemaNotFound."""
        return self._offer(space, schema).provider

    def refresh(self, space: str | None = None) -> None:
        """Reload the schemas of the providers, and load what was installed since.

        If a provider fails, its earlier schemas stay.
        """
        only = None if space is None else self.space(space).key
        with self._lock:
            self._load(only)
            self._loaded = True

    def refresh_soon(self) -> None:
        """Refresh in the background, for providers that notify of changed schemas.

        A notification during a refresh triggers another one, except from within a provider's own call.
        """
        if self._loaded and not is_running_call() and self._due.acquire(blocking=False):
            Thread(target=self._refresh_now, name="colophon-schemaspaces", daemon=True).start()

    def migrate(self, space: str, *, dry_run: bool = False) -> Migration:
        """Let the providers of a schemaspace's schemas migrate its instances, independently.

        A dry run calls only providers whose `migrate` takes `dry_run`; the schemas of others are returned as `untold`.
        """
        found = self.space(space)
        migrated: list[str] = []
        failed, untold = [], []
        for schema in (*found.schemas, *found.deprecated_schemas):
            provider = self.provider(space, schema)
            if dry_run and not _supports_dry_run(provider):
                untold += [schema] if _overrides_migrate(provider) else []
                continue
            options = {"dry_run": True} if dry_run else {}
            try:
                migrated += provider.migrate(schemaspace_name=found.name, schema_name=schema, **options)
            except Exception as error:  # noqa: BLE001  third-party code
                log.exception("migration of instances of %s failed", schema)
                failed.append((schema, f"{type(error).__name__}: {error}".partition("\n")[0][:300]))
        return Migration(found.key, tuple(migrated), tuple(failed), tuple(untold), dry_run)

    def problems(self) -> list[LoadingProblem]:
        """Return what has not loaded, or not yet."""
        return self._ready().problems

    def _ready(self) -> LoadedSchemaspaces:
        # A call from within loading gets what is loaded so far.
        if not self._loaded and not is_running_call():
            with self._lock:
                if not self._loaded:
                    self._load(None)
                    self._loaded = True
        return self._registry

    def _refresh_now(self) -> None:
        with self._lock:
            self._due.release()
            self._load(None)

    def _reload(self) -> None:
        with self._lock:
            self._load(None)

    def _load(self, only: str | None) -> None:
        self._registry.load_spaces(registrations(self._schemaspaces(), self._packages))
        self._registry.load_schemas(registrations(self._providers(), self._packages), only)
        empty = [
            space.name for space in self._registry.spaces.values() if not (space.schemas or space.deprecated_schemas)
        ]
        if empty:
            log.warning("The following schemaspaces have no schemas: %s", empty)

    def _offer(self, space: str, schema: str) -> SchemaOffer:
        offer = self._ready().offers.get((self.space(space).key, schema))
        if offer is None:
            raise SchemaNotFound(space, schema)
        return offer

    def _validator(self, space: str, schema: str) -> InstanceValidator:
        validator = self._ready().validators.get((self.space(space).key, schema))
        if validator is None:
            raise SchemaNotFound(space, schema)
        return validator


def _supports_dry_run(provider: Any) -> bool:
    try:
        return "dry_run" in inspect.signature(provider.migrate).parameters
    except (AttributeError, TypeError, ValueError):
        return False


def _overrides_migrate(provider: Any) -> bool:
    """Return whether a provider overrides `migrate`."""
    return getattr(getattr(provider, "migrate", None), "__qualname__", "") != "SchemasProvider.migrate"
