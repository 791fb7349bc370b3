"""Schemaspaces and their schemas, as installed packages register them."""

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from threading import Lock, RLock, Thread
from typing import Any

from jupyter_colophon.core.documents.secret_locations import SecretPath
from jupyter_colophon.core.errors import InstanceInvalid, Problem, SchemaNotFound, SchemaspaceNotFound
from jupyter_colophon.service.schemaspaces.call_with_timeout import TimeoutRunner, is_in_timed_call
from jupyter_colophon.service.schemaspaces.instance_validator import (
    InstanceValidator,
    find_secret_locations_of_metadata,
    find_secret_paths_in_metadata,
)
from jupyter_colophon.service.schemaspaces.loader import SchemaspaceLoader, log
from jupyter_colophon.service.schemaspaces.parse_registrations import OfferedSchema
from jupyter_colophon.service.schemaspaces.registrations import (
    SCHEMAS_PROVIDERS,
    SCHEMASPACES,
    find_entry_points,
    list_registrations,
)
from jupyter_colophon.service.schemaspaces.space import (
    LoadedSchemaspace,
    LoadingProblem,
    MigrationResult,
    ValidationFailure,
)

#: How long a package may take to load, in seconds (spec SEC-17).
TIMEOUT_S = 5.0


class SchemaspaceRegistry:
    """All schemaspaces of this process, loaded on first use. All methods are thread-safe.

    A schemaspace is given by its name or id, case-insensitively; methods raise SchemaspaceNotFound for an unknown one.
    Documents are shared, and must not be changed.
    """

    def __init__(
        self,
        *,
        schemaspaces: Callable[[], Iterable[Any]] = lambda: find_entry_points(SCHEMASPACES),
        providers: Callable[[], Iterable[Any]] = lambda: find_entry_points(SCHEMAS_PROVIDERS),
        packages: Sequence[str] = (),
        timeout_s: float = TIMEOUT_S,
        parent: Any = None,
    ) -> None:
        self._schemaspaces, self._providers = schemaspaces, providers
        self._packages = tuple(packages)
        self._loader = SchemaspaceLoader(TimeoutRunner(timeout_s), parent, self._reload_and_log_errors)
        self._lock = RLock()
        self._loaded = False
        #: Held from a provider's notification of changed schemas until they are reloaded.
        self._refresh_lock = Lock()

    def allow_only_packages(self, packages: Sequence[str]) -> None:
        """Allow only these distributions to register anything, besides ours; empty means all (trait
        `schemaspace_packages`). What is already loaded stays until the process ends."""
        self._packages = tuple(packages)

    def list_names(self, *, deprecated: bool = False) -> list[str]:
        """Return the names of all schemaspaces in lower case; deprecated ones only on request."""
        return [space.key for space in self.list_spaces() if deprecated or not space.deprecated]

    def list_spaces(self) -> list[LoadedSchemaspace]:
        """Return all schemaspaces, including deprecated ones."""
        return list(self._get_or_create_loader().spaces.values())

    def get_space(self, name_or_id: str) -> LoadedSchemaspace:
        """Return a schemaspace by its name or id. Raises SchemaspaceNotFound."""
        loaded, key = self._get_or_create_loader(), name_or_id.lower()
        space = loaded.spaces.get(loaded.names_by_id.get(key, key))
        if space is None:
            raise SchemaspaceNotFound(name_or_id, tuple(self.list_names()))
        return space

    def get_schema(self, space: str, name: str) -> Mapping[str, Any]:
        """Return a schema, deprecated or not. Raises SchemaNotFound."""
        schema = self.get_space(space).find_schema(name)
        if schema is None:
            raise SchemaNotFound(space, name)
        return schema

    def require_valid_document(self, space: str, name: str, document: Mapping[str, Any]) -> None:
        """Raise InstanceInvalid unless a document satisfies a schema; SchemaNotFound for an unknown schema.

        The document has `display_name`, `schema_name`, `metadata`, and optionally `name` and extra members. The error has
        the first problem as jsonschema words it, and all problems with pointers, without secrets.
        """
        validator = self._get_validator(space, name)
        if problems := validator.find_problems(document):
            raise InstanceInvalid(
                str(document.get("name")), name, validator.format_first_elyra_message(document, problems), problems
            )

    def format_first_message(self, space: str, name: str, document: Mapping[str, Any]) -> str:
        """Return the first problem as jsonschema words it; "" for a valid document. Raises SchemaNotFound."""
        validator = self._get_validator(space, name)
        problems = validator.find_problems(document)
        return validator.format_first_elyra_message(document, problems) if problems else ""

    def find_validation_failure(self, space: str, name: str, document: Mapping[str, Any]) -> ValidationFailure | None:
        """Return what `check` would raise, without jsonschema's message: for lists."""
        try:
            validator = self._get_validator(space, name)
        except SchemaNotFound as error:
            return ValidationFailure("SchemaNotFoundError", (Problem("/schema_name", error.detail),))
        problems = validator.find_problems(document)
        return ValidationFailure("ValidationError", problems) if problems else None

    def list_secret_locations(self, space: str, schema: str) -> tuple[SecretPath, ...]:
        """Return the secret locations of `metadata`; None stands for any array element or unnamed member.

        For a recursive schema the list is incomplete; `find_secrets` finds all secrets of a document.
        """
        return find_secret_locations_of_metadata(self.get_schema(space, schema))

    def find_secret_paths(self, space: str, schema: str, metadata: Any) -> tuple[tuple[str, ...], ...]:
        """Return the path of every secret in this `metadata`, however deep."""
        return find_secret_paths_in_metadata(self.get_schema(space, schema), metadata)

    def get_instance_class_name(self, space: str, schema: str) -> str | None:
        """Return the dotted name of the class of a schema's instances, if it has one."""
        class_name = self.get_schema(space, schema).get("metadata_class_name")
        return class_name if isinstance(class_name, str) else None

    def is_registered_instance_class(self, class_name: str) -> bool:
        """Return whether the schema of an installed package names this class for instances.

        Stored schemas do not count: stored text must not decide what is imported.
        """
        offers = list(self._get_or_create_loader().offers.values())
        return any(offer.document.get("metadata_class_name") == class_name for offer in offers if not offer.is_stored)

    def get_schema_provider(self, space: str, schema: str) -> Any:
        """Return the provider of a schema, of Elyra's class or ours. Raises SchemaNotFound."""
        return self._get_offered_schema(space, schema).provider

    def reload_schemas(self, space: str | None = None) -> None:
        """Reload the schemas of the providers, and load what was installed since.

        If a provider fails, its earlier schemas stay.
        """
        only = None if space is None else self.get_space(space).key
        with self._lock:
            self._load_spaces_and_schemas(only)
            self._loaded = True

    def reload_schemas_in_background(self) -> None:
        """Refresh in the background, for providers that notify of changed schemas.

        A notification during a refresh triggers another one, except from within a provider's own call.
        """
        if self._loaded and not is_in_timed_call() and self._refresh_lock.acquire(blocking=False):
            Thread(target=self._reload_until_no_notification, name="colophon-schemaspaces", daemon=True).start()

    def migrate_instances(self, space: str, *, dry_run: bool = False) -> MigrationResult:
        """Let the providers of a schemaspace's schemas migrate its instances, independently.

        A dry run calls only providers whose `migrate` takes `dry_run`; the schemas of others are returned as `untold`.
        """
        schemaspace = self.get_space(space)
        migrated: list[str] = []
        failed, untold = [], []
        for schema in (*schemaspace.schemas, *schemaspace.deprecated_schemas):
            provider = self.get_schema_provider(space, schema)
            if dry_run and not _supports_dry_run(provider):
                untold += [schema] if _has_own_migrate_method(provider) else []
                continue
            options = {"dry_run": True} if dry_run else {}
            try:
                migrated += provider.migrate(schemaspace_name=schemaspace.name, schema_name=schema, **options)
            except Exception as error:  # noqa: BLE001  third-party code
                log.exception("migration of instances of %s failed", schema)
                failed.append((schema, f"{type(error).__name__}: {error}".partition("\n")[0][:300]))
        return MigrationResult(schemaspace.key, tuple(migrated), tuple(failed), tuple(untold), dry_run)

    def list_loading_problems(self) -> list[LoadingProblem]:
        """Return what has not loaded, or not yet."""
        return self._get_or_create_loader().loading_problems

    def _get_or_create_loader(self) -> SchemaspaceLoader:
        # A call from within loading gets what is loaded so far.
        if not self._loaded and not is_in_timed_call():
            with self._lock:
                if not self._loaded:
                    self._load_spaces_and_schemas(None)
                    self._loaded = True
        return self._loader

    def _reload_until_no_notification(self) -> None:
        with self._lock:
            self._refresh_lock.release()
            self._load_spaces_and_schemas(None)

    def _reload_and_log_errors(self) -> None:
        with self._lock:
            self._load_spaces_and_schemas(None)

    def _load_spaces_and_schemas(self, only: str | None) -> None:
        self._loader.load_new_schemaspaces(list_registrations(self._schemaspaces(), self._packages))
        self._loader.load_schemas_of_providers(list_registrations(self._providers(), self._packages), only)
        empty = [
            space.name for space in self._loader.spaces.values() if not (space.schemas or space.deprecated_schemas)
        ]
        if empty:
            log.warning("The following schemaspaces have no schemas: %s", empty)

    def _get_offered_schema(self, space: str, schema: str) -> OfferedSchema:
        offer = self._get_or_create_loader().offers.get((self.get_space(space).key, schema))
        if offer is None:
            raise SchemaNotFound(space, schema)
        return offer

    def _get_validator(self, space: str, schema: str) -> InstanceValidator:
        validator = self._get_or_create_loader().validators.get((self.get_space(space).key, schema))
        if validator is None:
            raise SchemaNotFound(space, schema)
        return validator


def _supports_dry_run(provider: Any) -> bool:
    try:
        return "dry_run" in inspect.signature(provider.migrate).parameters
    except (AttributeError, TypeError, ValueError):
        return False


def _has_own_migrate_method(provider: Any) -> bool:
    """Return whether a provider overrides `migrate`."""
    return getattr(getattr(provider, "migrate", None), "__qualname__", "") != "SchemasProvider.migrate"
