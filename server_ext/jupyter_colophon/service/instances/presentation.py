"""Present stored instances: load them by their class, validate them, and mask secrets."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from threading import Lock
from typing import Any, NamedTuple

from jupyter_colophon.core.documents.json_values import copy_json_deeply
from jupyter_colophon.core.errors import (
    HookFailed,
    InstanceInvalid,
    InstanceUnreadable,
    MetadataError,
    Problem,
    SchemaNotFound,
)
from jupyter_colophon.core.instances.instance import Instance, StoredInstance
from jupyter_colophon.core.instances.instance_texts import list_instance_tags
from jupyter_colophon.core.model.search_index_terms import fold_text_for_comparison
from jupyter_colophon.service.instances import hooks
from jupyter_colophon.service.instances.class_adapter import InstanceObject, ObjectFactory
from jupyter_colophon.service.instances.masking import SecretMasker, get_secret_reference
from jupyter_colophon.service.instances.schemas import SchemaLookup
from jupyter_colophon.service.instances.secrets.service import SecretService

#: The placeholder for an unknown schema name.
UNKNOWN = "{unknown}"
#: How many presented instances are cached.
_CACHE_MAX = 20_000
_logger = logging.getLogger(__name__)
_MEMBERS = ("display_name", "schema_name", "metadata")


class ListEntry(NamedTuple):
    """An instance with data for lists: its tags, folded texts and folded display name."""

    instance: Instance
    tags: tuple[str, ...]
    text: str
    order: str


class InstancePresenter:
    """Creates instances from stored documents, which are shared and must not be changed."""

    def __init__(
        self, schemas: SchemaLookup, masks: SecretMasker, secrets: SecretService, object_factory: ObjectFactory
    ) -> None:
        self._schemas, self._masks, self._secrets, self._object_factory = schemas, masks, secrets, object_factory
        self._cache: dict[tuple[str, str], tuple[StoredInstance, Any, ListEntry]] = {}
        self._lock = Lock()

    def build_presented_instance(
        self, space: str, stored: StoredInstance, version_number: int | None = None
    ) -> Instance:
        """Return the instance, valid or not."""
        instance = self.build_or_get_cached_entry(space, stored).instance
        return instance if version_number is None else replace(instance, version=version_number)

    def build_or_get_cached_entry(self, space: str, stored: StoredInstance) -> ListEntry:
        """Return the instance with data for lists; without a class, it is cached by content."""
        return next(self.iterate_entries(space, [stored]))

    def iterate_entries(self, space: str, many: Iterable[StoredInstance]) -> Iterator[ListEntry]:
        """Yield entries of many instances."""
        schemaspace = self._schemas.get_space(space)
        for stored in many:
            name = stored.document.get("schema_name") if stored.document is not None else None
            schema = schemaspace.find_schema(name) if isinstance(name, str) else None
            cached = self._cache.get((space, stored.name))
            # Most stores return the same object while nothing changes; for others, compare the content.
            if cached is not None and cached[1] is schema and (cached[0] is stored or cached[0] == stored):
                yield cached[2]
            else:
                yield self._build_entry_and_cache(space, stored, schema)

    def _build_entry_and_cache(self, space: str, stored: StoredInstance, schema: Mapping[str, Any] | None) -> ListEntry:
        entry = _create_list_entry(self._build_instance(space, stored))
        if self._is_cacheable(schema, stored):
            with self._lock:
                if len(self._cache) >= _CACHE_MAX:
                    self._cache.clear()
                self._cache[space, stored.name] = (stored, schema, entry)
        return entry

    def create_object_and_run_on_load(self, space: str, stored: StoredInstance) -> InstanceObject:
        """Return the object of its class, with secrets, after `on_load`. Raises InstanceUnreadable, SchemaNotFound, HookFailed."""
        instance = self.create_object_with_secrets(space, stored)
        hooks.call_hook(instance, "on_load", stored.name)
        return instance

    def create_object_with_secrets(self, space: str, stored: StoredInstance) -> InstanceObject:
        """Return the object of its class, with secrets, before `on_load`."""
        if stored.document is None:
            raise InstanceUnreadable(space, stored.name, stored.problem)
        full = self._secrets.fill_available_secrets(space, stored.document)
        return self.create_object_of_schema_class(space, stored.name, {**full, "resource": stored.resource or None})

    def create_object_of_schema_class(self, space: str, name: str, document: Mapping[str, Any]) -> InstanceObject:
        """Return an object of the schema's class. Raises HookFailed if the class raises."""
        try:
            # Copied, since classes may change their arguments.
            document_copy: dict[str, Any] = copy_json_deeply(document)  # type: ignore[assignment]  # a copy is of the same kind
            return self._object_factory(space, document_copy | {"name": name})
        except (MetadataError, KeyboardInterrupt):
            raise
        except BaseException as error:
            # Including SystemExit: a package must not end the server.
            if not hooks.has_user_message(error):
                _logger.exception(
                    "the metadata class of instance %s of schemaspace %s raised an exception", name, space
                )
            raise hooks.create_hook_failure("creating an object", name, error) from error

    def has_class(self, space: str, stored: StoredInstance) -> bool:
        """Return whether the schema has a class, which affects the presentation."""
        schema = self._find_schema_or_none(space, stored)
        return schema is not None and schema.get("metadata_class_name") is not None

    def mask_document(self, space: str, document: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a stored document with masked secrets."""
        return self._masks.mask_secrets_in_document(space, document)

    def require_valid_object(self, space: str, name: str, instance: InstanceObject) -> None:
        """Raise InstanceInvalid or SchemaNotFound unless the object satisfies its schema."""
        schema = instance.schema_name
        if not isinstance(schema, str):
            raise SchemaNotFound(space, str(schema))
        self._schemas.require_valid_document(space, schema, {**instance.to_dict(trim=True), "name": name})

    def raise_if_invalid(self, space: str, stored: StoredInstance, instance: Instance) -> None:
        """Raise the error of an invalid instance, as clients know it."""
        if stored.document is None:
            raise InstanceUnreadable(space, stored.name, stored.problem)
        if instance.reason == "SchemaNotFoundError":
            raise SchemaNotFound(space, instance.schema_name)
        if instance.reason:
            self.require_valid_object(space, stored.name, self.create_object_and_run_on_load(space, stored))
            first = next((problem.message for problem in instance.problems), instance.reason)
            raise InstanceInvalid(stored.name, instance.schema_name, first, instance.problems)

    def _build_instance(self, space: str, stored: StoredInstance) -> Instance:
        if stored.document is None:
            return self._build_invalid_instance(space, stored, {}, "ValueError", (Problem("", stored.problem),))
        name = stored.document.get("schema_name")
        if not isinstance(name, str):
            missing = (Problem("/schema_name", "schema_name is missing"),)
            return self._build_invalid_instance(space, stored, stored.document, "SchemaNotFoundError", missing)
        try:
            document = self._read_document_through_class(space, stored, name)
        except HookFailed as error:
            reason = type(error.__cause__ or error).__name__
            return self._build_invalid_instance(space, stored, stored.document, reason, (Problem("", error.detail),))
        except SchemaNotFound as error:
            problem = (Problem("/schema_name", error.detail),)
            return self._build_invalid_instance(space, stored, stored.document, "SchemaNotFoundError", problem)
        except MetadataError as error:
            return self._build_invalid_instance(
                space, stored, stored.document, type(error).__name__, (Problem("", error.detail),)
            )
        fault = self._schemas.find_validation_failure(
            space, str(document.get("schema_name")), {**document, "name": stored.name}
        )
        gone = self._secrets.find_unavailable_secrets(space, stored.document)
        problems = (*gone, *(fault.problems if fault else ()), *_iterate_warnings(stored))
        reason = fault.reason if fault else "ValueError" if gone else ""
        return self._build_instance_from_document(space, stored, document, reason, problems)

    def _read_document_through_class(self, space: str, stored: StoredInstance, schema: str) -> Mapping[str, Any]:
        """Return the document as its class presents it, with secrets."""
        if self._schemas.get_instance_class_name(space, schema) is not None:
            document = self.create_object_and_run_on_load(space, stored).to_dict(trim=True)
            document.pop("name", None)
            return document
        full = self._secrets.fill_available_secrets(space, stored.document or {})
        return {key: full[key] for key in _MEMBERS if key in full}

    def _build_invalid_instance(
        self,
        space: str,
        stored: StoredInstance,
        document: Mapping[str, Any],
        reason: str,
        problems: tuple[Problem, ...],
    ) -> Instance:
        return self._build_instance_from_document(
            space, stored, {key: document[key] for key in _MEMBERS if key in document}, reason, problems
        )

    def _build_instance_from_document(
        self,
        space: str,
        stored: StoredInstance,
        document: Mapping[str, Any],
        reason: str,
        problems: tuple[Problem, ...],
    ) -> Instance:
        masked = self._masks.mask_secrets_in_document(space, document)
        metadata, schema, title = masked.get("metadata"), masked.get("schema_name"), masked.get("display_name")
        return Instance(
            space=space,
            name=stored.name,
            display_name=title if isinstance(title, str) else stored.name,
            schema_name=schema if isinstance(schema, str) else UNKNOWN,
            metadata=metadata if isinstance(metadata, Mapping) else {},
            resource=stored.resource,
            is_removable=stored.is_removable,
            version=None,
            time=stored.time,
            extra={key: value for key, value in masked.items() if key not in _MEMBERS},
            reason=reason,
            problems=problems,
        )

    def _find_schema_or_none(self, space: str, stored: StoredInstance) -> Mapping[str, Any] | None:
        name = stored.document.get("schema_name") if stored.document is not None else None
        return self._schemas.get_space(space).find_schema(name) if isinstance(name, str) else None

    def _is_cacheable(self, schema: Mapping[str, Any] | None, stored: StoredInstance) -> bool:
        """Return whether the presentation depends on the content only, without a class or external secrets."""
        if schema is None or schema.get("metadata_class_name") is not None or stored.document is None:
            return False
        return not self._masks.has_secret_members(schema) or not _contains_secret_reference(stored.document)


def _create_list_entry(instance: Instance) -> ListEntry:
    tags = tuple(list_instance_tags({"metadata": instance.metadata}))
    description = instance.metadata.get("description")
    texts = [instance.name, instance.display_name, description if isinstance(description, str) else "", *tags]
    return ListEntry(
        instance, tags, fold_text_for_comparison("\n".join(texts)), fold_text_for_comparison(instance.display_name)
    )


def _iterate_warnings(stored: StoredInstance) -> Iterator[Problem]:
    """Yield warnings of a valid instance."""
    if stored.warning:
        yield Problem("", stored.warning)
    metadata = (stored.document or {}).get("metadata")
    tags = metadata.get("tags") if isinstance(metadata, Mapping) else None
    for place, tag in enumerate(tags if isinstance(tags, list) else ()):
        if not isinstance(tag, str):
            yield Problem(f"/metadata/tags/{place}", "this tag is not text: search and filters ignore it")


def _contains_secret_reference(value: Any) -> bool:
    if get_secret_reference(value) is not None:
        return True
    inside = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return any(_contains_secret_reference(inner) for inner in inside)
