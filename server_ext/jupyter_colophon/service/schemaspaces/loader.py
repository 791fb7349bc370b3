"""Load what packages register; one that fails, hangs or conflicts affects only itself (spec SEC-17)."""

import logging
from collections.abc import Callable, Iterable
from functools import partial
from threading import RLock
from typing import Any, Literal

from jupyter_colophon.core.errors import InvalidInstance, quote_and_truncate_text
from jupyter_colophon.service.schemaspaces.call_with_timeout import TimedOut, TimeoutRunner
from jupyter_colophon.service.schemaspaces.instance_validator import InstanceValidator
from jupyter_colophon.service.schemaspaces.parse_registrations import (
    TEST_SPACE,
    OfferedSchema,
    apply_schemaspace_filter,
    create_instance_validator,
    is_test_schemaspace_enabled,
    load_provider_of_entry_point,
    load_schemaspace_of_entry_point,
    parse_and_copy_schema,
)
from jupyter_colophon.service.schemaspaces.registrations import PackageRegistration
from jupyter_colophon.service.schemaspaces.space import LoadedSchemaspace, LoadingProblem

log = logging.getLogger("jupyter_colophon.schemaspaces")
Kind = Literal["schemaspace", "schemas provider", "schema"]


#: A parsed schema with its validator, or its name and the error.
ParsedSchema = tuple[OfferedSchema | None, InstanceValidator | None, str, BaseException | None]


class SchemaspaceLoader:
    """The loaded schemaspaces and schemas. Objects are replaced as a whole, so readers need no lock."""

    def __init__(self, timeout_runner: TimeoutRunner, parent: Any, on_late_space: Callable[[], None]) -> None:
        """`on_late_space` is called after a schemaspace loads late, since schemas for it were refused before."""
        self._timeout_runner, self._parent, self._on_late_space = timeout_runner, parent, on_late_space
        self._lock = RLock()
        #: By name in lower case, in order of registration.
        self.spaces: dict[str, LoadedSchemaspace] = {}
        self.names_by_id: dict[str, str] = {}
        #: By schemaspace and schema.
        self.validators: dict[tuple[str, str], InstanceValidator] = {}
        self.offers: dict[tuple[str, str], OfferedSchema] = {}
        #: Distributions that have timed out; their other registrations are not waited for.
        self._timed_out: set[str] = set()
        self._loaded: set[tuple[str, str, str]] = set()
        self._providers: dict[tuple[str, str, str], Any] = {}
        self._problems: dict[tuple[str, str, str], LoadingProblem] = {}

    @property
    def loading_problems(self) -> list[LoadingProblem]:
        """Return what has not loaded, or not yet."""
        with self._lock:
            return list(self._problems.values())

    def load_new_schemaspaces(self, registrations: Iterable[PackageRegistration]) -> None:
        """Load new schemaspaces."""
        for registration in registrations:
            if (
                registration.name != TEST_SPACE or is_test_schemaspace_enabled()
            ) and registration.key not in self._loaded:
                self._load_with_timeout(
                    "schemaspace",
                    registration,
                    partial(load_schemaspace_of_entry_point, registration, self._parent),
                    self._add_schemaspace_unless_id_is_taken,
                )

    def load_schemas_of_providers(self, registrations: Iterable[PackageRegistration], space: str | None = None) -> None:
        """Load the schemas of all providers, or only those of one schemaspace."""
        for registration in registrations:
            if registration.name != TEST_SPACE or is_test_schemaspace_enabled():
                self._load_with_timeout(
                    "schemas provider",
                    registration,
                    partial(self._parse_schemas_of_provider, registration),
                    partial(self._replace_schemas, only=space),
                )

    def _load_with_timeout(
        self,
        kind: Kind,
        registration: PackageRegistration,
        work: Callable[[], Any],
        add: Callable[[PackageRegistration, Any], None],
    ) -> None:
        def on_late(outcome: Callable[[], Any]) -> None:
            self._timed_out.discard(registration.distribution)
            try:
                result = outcome()
            except BaseException as error:  # noqa: BLE001  as below
                self._record_loading_outcome(kind, registration, error)
                return
            log.info(
                "the %s %s was loaded after the time limit, and is available now",
                kind,
                quote_and_truncate_text(registration.name),
            )
            self._record_loading_outcome(kind, registration, None)
            add(registration, result)
            if kind == "schemaspace":
                self._on_late_space()

        try:
            result = self._timeout_runner.call_with_timeout(
                work, on_late, wait=not registration.distribution or registration.distribution not in self._timed_out
            )
        except BaseException as error:  # noqa: BLE001  third-party code may raise anything
            if isinstance(error, TimedOut):
                self._timed_out.add(registration.distribution)
            self._record_loading_outcome(kind, registration, error)
        else:
            self._record_loading_outcome(kind, registration, None)
            add(registration, result)

    def _record_loading_outcome(
        self, kind: Kind, registration: PackageRegistration, error: BaseException | None, schema: str = ""
    ) -> None:
        """Record why something did not load, or that it did."""
        name = f"{registration.name}/{schema}" if schema else registration.name
        key = (kind, name, registration.value)
        with self._lock:
            before = self._problems.pop(key, None)
            if error is None:
                return
            problem = LoadingProblem(
                kind,
                name,
                registration.value,
                registration.distribution,
                registration.version,
                _format_error_in_one_line(error),
                isinstance(error, TimedOut),
            )
            self._problems[key] = problem
        if before != problem:
            log.error(
                "Error loading %s - %s", _describe_what_did_not_load(kind, registration.name, schema), problem.reason
            )

    def _add_schemaspace_unless_id_is_taken(self, registration: PackageRegistration, space: LoadedSchemaspace) -> None:
        """Add a schemaspace. Of two with the same id, the first one counts; ours come first (docs/elyra.md)."""
        with self._lock:
            self._loaded.add(registration.key)
            existing = self.spaces.get(space.key) or self.spaces.get(self.names_by_id.get(space.id.lower(), ""))
            if existing is None:
                self.names_by_id[space.id.lower()] = space.key
                self.spaces[space.key] = space
            elif (existing.key, existing.id.lower()) != (space.key, space.id.lower()):
                conflict = f"the schemaspace {quote_and_truncate_text(existing.name)} already has this name or this id, but not both"
                self._record_loading_outcome("schemaspace", registration, ValueError(conflict))

    def _parse_schemas_of_provider(self, registration: PackageRegistration) -> list[ParsedSchema]:
        """Return the schemas of a provider. Runs on its own thread, like all third-party code."""
        provider = self._providers.get(registration.key)
        if provider is None:
            provider = self._providers[registration.key] = load_provider_of_entry_point(registration)
        return [
            self._parse_and_check_schema(document, provider, registration) for document in list(provider.get_schemas())
        ]

    def _parse_and_check_schema(self, document: Any, provider: Any, registration: PackageRegistration) -> ParsedSchema:
        name = str(document.get("name", "??")) if isinstance(document, dict) else "??"
        try:
            offer = parse_and_copy_schema(document, provider, registration)
            final = apply_schemaspace_filter(offer, self._get_space_of_schema(offer))
            final_offer = OfferedSchema(offer.space, offer.space_id, offer.name, final, provider, registration)
            return final_offer, create_instance_validator(final, provider), name, None
        except Exception as error:  # noqa: BLE001  filters and validators are third-party code too
            return None, None, name, error

    def _get_space_of_schema(self, offer: OfferedSchema) -> LoadedSchemaspace:
        key = self.names_by_id.get(offer.space_id)
        if key is None:
            raise ValueError(f"Schema '{offer.name}' references a schemaspace '{offer.space_id}' that is not loaded!")
        if offer.space not in self.spaces:
            raise ValueError(f"Schema '{offer.name}' references a schemaspace '{offer.space}' that is not loaded!")
        if key != offer.space:
            raise ValueError(
                f"schemaspace {quote_and_truncate_text(offer.space)} and id {quote_and_truncate_text(offer.space_id)} belong to different schemaspaces"
            )
        return self.spaces[key]

    def _replace_schemas(self, registration: PackageRegistration, parsed: list[ParsedSchema], only: str | None) -> None:
        """Add schemas, and remove those that their provider no longer offers."""
        with self._lock:
            before = {
                key: old_problem
                for key, old_problem in self._problems.items()
                if key[0] == "schema" and key[2] == registration.value
            }
            offered_keys = set()
            for offer, validator, name, error in parsed:
                if offer is None or validator is None:
                    self._record_loading_outcome("schema", registration, error, name)
                elif only in (None, offer.space):
                    offered_keys.add((offer.space, offer.name))
                    self._add_schema(offer, validator)
            for key, old in list(self.offers.items()):
                if old.registration.key == registration.key and key not in offered_keys and only in (None, key[0]):
                    self._remove_schema(key)
            for problem_key, problem in before.items():
                if self._problems.get(problem_key) is problem:
                    del self._problems[problem_key]

    def _add_schema(self, offer: OfferedSchema, validator: InstanceValidator) -> None:
        key = offer.space, offer.name
        existing = self.offers.get(key)
        if existing is not None and existing.registration.key != offer.registration.key:
            if offer.registration.is_builtin:
                return  # the package's schema takes precedence over our substitute
            if not existing.registration.is_builtin:
                first = existing.registration
                conflict = ValueError(
                    f"{quote_and_truncate_text(first.name)} of {first.distribution or '?'} has a schema of this name"
                )
                self._record_loading_outcome("schema", offer.registration, conflict, offer.name)
                return
        space, added = self.spaces[offer.space], {offer.name: offer.document}
        # Readers are concurrent: the schema must be present at every moment.
        self.validators[key], self.offers[key] = validator, offer
        if offer.document.get("deprecated", False):
            space.deprecated_schemas = {**space.deprecated_schemas, **added}
            space.schemas = _copy_without_key(space.schemas, offer.name)
        else:
            space.schemas = {**space.schemas, **added}
            space.deprecated_schemas = _copy_without_key(space.deprecated_schemas, offer.name)

    def _remove_schema(self, key: tuple[str, str]) -> None:
        self.offers.pop(key, None)
        self.validators.pop(key, None)
        space = self.spaces[key[0]]
        space.schemas = _copy_without_key(space.schemas, key[1])
        space.deprecated_schemas = _copy_without_key(space.deprecated_schemas, key[1])


def _copy_without_key(schemas: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: schema for key, schema in schemas.items() if key != name}


def _describe_what_did_not_load(kind: Kind, name: str, schema: str) -> str:
    """Return what did not load, in the format of Elyra's log."""
    if kind == "schemaspace":
        return f"schemaspace '{name}'"
    return f"schema '{schema}' for SchemasProvider '{name}'" if schema else f"schemas for SchemasProvider '{name}'"


def _format_error_in_one_line(error: BaseException) -> str:
    """Return an error as one line, with every problem of a refused schema."""
    if isinstance(error, InvalidInstance):
        return "; ".join(f"{problem.pointer or '/'}: {problem.message}" for problem in error.problems[:5])
    line = str(error).partition("\n")[0][:300]
    has_message = isinstance(error, TimedOut | ValueError)
    return line if line and has_message else f"{type(error).__name__}: {line}".removesuffix(": ")
