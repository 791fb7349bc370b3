"""Present stored instances: load them by their class, validate them, and mask secrets."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from threading import Lock
from typing import Any, NamedTuple

from jupyter_colophon.core.documents.json_values import copied
from jupyter_colophon.core.errors import (
    HookFailed,
    InstanceInvalid,
    InstanceUnreadable,
    MetadataError,
    Problem,
    SchemaNotFound,
)
from jupyter_colophon.core.instances.instance import Held, Instance
from jupyter_colophon.core.instances.instance_texts import tags_of
from jupyter_colophon.core.model.search_index_terms import fold
from jupyter_colophon.service.instances import hooks
from jupyter_colophon.service.instances.class_adapter import Shaped, Shaper
from jupyter_colophon.service.instances.masking import Masks, reference
from jupyter_colophon.service.instances.schemas import Schemas
from jupyter_colophon.service.instances.secrets.service import Secrets

#: The placeholder for an unknown schema name.
UNKNOWN = "{unknown}"
#: How many presented instances are cached.
_KEPT_MAX = 20_000
_logger = logging.getLogger(__name__)
_MEMBERS = ("display_name", "schema_name", "metadata")


class Entry(NamedTuple):
    """An instance with data for lists: its tags, folded texts and folded display name."""

    instance: Instance
    tags: tuple[str, ...]
    text: str
    order: str


class Shown:
    """Creates instances from stored documents, which are shared and must not be changed."""

    def __init__(self, schemas: Schemas, masks: Masks, secrets: Secrets, shaper: Shaper) -> None:
        self._schemas, self._masks, self._secrets, self._shaper = schemas, masks, secrets, shaper
        self._kept: dict[tuple[str, str], tuple[Held, Any, Entry]] = {}
        self._lock = Lock()

    def instance(self, space: str, held: Held, version: int | None = None) -> Instance:
        """Return the instance, valid or not."""
        found = self.entry(space, held).instance
        return found if version is None else replace(found, version=version)

    def entry(self, space: str, held: Held) -> Entry:
        """Return the instance with data for lists; without a class, it is cached by content."""
        return next(self.entries(space, [held]))

    def entries(self, space: str, many: Iterable[Held]) -> Iterator[Entry]:
        """Yield entries of many instances."""
        found = self._schemas.space(space)
        for held in many:
            name = held.document.get("schema_name") if held.document is not None else None
            schema = found.schema(name) if isinstance(name, str) else None
            kept = self._kept.get((space, held.name))
            # Most stores return the same object while nothing changes; for others, compare the content.
            if kept is not None and kept[1] is schema and (kept[0] is held or kept[0] == held):
                yield kept[2]
            else:
                yield self._entry(space, held, schema)

    def _entry(self, space: str, held: Held, schema: Mapping[str, Any] | None) -> Entry:
        entry = _entry(self._made(space, held))
        if self._is_lasting(schema, held):
            with self._lock:
                if len(self._kept) >= _KEPT_MAX:
                    self._kept.clear()
                self._kept[space, held.name] = (held, schema, entry)
        return entry

    def loaded(self, space: str, held: Held) -> Shaped:
        """Return the object of its class, with secrets, after `on_load`. Raises InstanceUnreadable, SchemaNotFound, HookFailed."""
        instance = self.shaped(space, held)
        hooks.call(instance, "on_load", held.name)
        return instance

    def shaped(self, space: str, held: Held) -> Shaped:
        """Return the object of its class, with secrets, before `on_load`."""
        if held.document is None:
            raise InstanceUnreadable(space, held.name, held.problem)
        full = self._secrets.in_place(space, held.document)
        return self.made(space, held.name, {**full, "resource": held.resource or None})

    def made(self, space: str, name: str, document: Mapping[str, Any]) -> Shaped:
        """Return an object of the schema's class. Raises HookFailed if the class raises."""
        try:
            # Copied, since classes may change their arguments.
            given: dict[str, Any] = copied(document)  # type: ignore[assignment]  # a copy is of the same kind
            return self._shaper(space, given | {"name": name})
        except (MetadataError, KeyboardInterrupt):
            raise
        except BaseException as error:
            # Including SystemExit: a package must not end the server.
            if not hooks.is_telling(error):
                _logger.exception("the class of instance %s of %s raised an exception", name, space)
            raise hooks.failure("making an object", name, error) from error

    def has_class(self, space: str, held: Held) -> bool:
        """Return whether the schema has a class, which affects the presentation."""
        schema = self._schema(space, held)
        return schema is not None and schema.get("metadata_class_name") is not None

    def masked(self, space: str, document: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a stored document with masked secrets."""
        return self._masks.masked(space, document)

    def require(self, space: str, name: str, instance: Shaped) -> None:
        """Raise InstanceInvalid or SchemaNotFound unless the object satisfies its schema."""
        schema = instance.schema_name
        if not isinstance(schema, str):
            raise SchemaNotFound(space, str(schema))
        self._schemas.check(space, schema, {**instance.to_dict(trim=True), "name": name})

    def require_valid(self, space: str, held: Held, shown: Instance) -> None:
        """Raise the error of an invalid instance, as clients know it."""
        if held.document is None:
            raise InstanceUnreadable(space, held.name, held.problem)
        if shown.reason == "SchemaNotFoundError":
            raise SchemaNotFound(space, shown.schema_name)
        if shown.reason:
            self.require(space, held.name, self.loaded(space, held))
            first = next((one.message for one in shown.problems), shown.reason)
            raise InstanceInvalid(held.name, shown.schema_name, first, shown.problems)

    def _made(self, space: str, held: Held) -> Instance:
        if held.document is None:
            return self._broken(space, held, {}, "ValueError", (Problem("", held.problem),))
        name = held.document.get("schema_name")
        if not isinstance(name, str):
            missing = (Problem("/schema_name", "schema_name is missing"),)
            return self._broken(space, held, held.document, "SchemaNotFoundError", missing)
        try:
            document = self._document(space, held, name)
        except HookFailed as error:
            reason = type(error.__cause__ or error).__name__
            return self._broken(space, held, held.document, reason, (Problem("", error.detail),))
        except SchemaNotFound as error:
            problem = (Problem("/schema_name", error.detail),)
            return self._broken(space, held, held.document, "SchemaNotFoundError", problem)
        except MetadataError as error:
            return self._broken(space, held, held.document, type(error).__name__, (Problem("", error.detail),))
        fault = self._schemas.find_fault(space, str(document.get("schema_name")), {**document, "name": held.name})
        gone = self._secrets.missing(space, held.document)
        problems = (*gone, *(fault.problems if fault else ()), *_warnings(held))
        reason = fault.reason if fault else "ValueError" if gone else ""
        return self._instance(space, held, document, reason, problems)

    def _document(self, space: str, held: Held, schema: str) -> Mapping[str, Any]:
        """Return the document as its class presents it, with secrets."""
        if self._schemas.class_name(space, schema) is not None:
            shown = self.loaded(space, held).to_dict(trim=True)
            shown.pop("name", None)
            return shown
        full = self._secrets.in_place(space, held.document or {})
        return {key: full[key] for key in _MEMBERS if key in full}

    def _broken(
        self, space: str, held: Held, document: Mapping[str, Any], reason: str, problems: tuple[Problem, ...]
    ) -> Instance:
        return self._instance(
            space, held, {key: document[key] for key in _MEMBERS if key in document}, reason, problems
        )

    def _instance(
        self, space: str, held: Held, document: Mapping[str, Any], reason: str, problems: tuple[Problem, ...]
    ) -> Instance:
        shown = self._masks.masked(space, document)
        metadata, schema, title = shown.get("metadata"), shown.get("schema_name"), shown.get("display_name")
        return Instance(
            space=space,
            name=held.name,
            display_name=title if isinstance(title, str) else held.name,
            schema_name=schema if isinstance(schema, str) else UNKNOWN,
            metadata=metadata if isinstance(metadata, Mapping) else {},
            resource=held.resource,
            own=held.own,
            version=None,
            time=held.time,
            extra={key: value for key, value in shown.items() if key not in _MEMBERS},
            reason=reason,
            problems=problems,
        )

    def _schema(self, space: str, held: Held) -> Mapping[str, Any] | None:
        name = held.document.get("schema_name") if held.document is not None else None
        return self._schemas.space(space).schema(name) if isinstance(name, str) else None

    def _is_lasting(self, schema: Mapping[str, Any] | None, held: Held) -> bool:
        """Return whether the presentation depends on the content only, without a class or external secrets."""
        if schema is None or schema.get("metadata_class_name") is not None or held.document is None:
            return False
        return not self._masks.names_secrets(schema) or not _refers(held.document)


def _entry(instance: Instance) -> Entry:
    tags = tuple(tags_of({"metadata": instance.metadata}))
    description = instance.metadata.get("description")
    texts = [instance.name, instance.display_name, description if isinstance(description, str) else "", *tags]
    return Entry(instance, tags, fold("\n".join(texts)), fold(instance.display_name))


def _warnings(held: Held) -> Iterator[Problem]:
    """Yield warnings of a valid instance."""
    if held.warning:
        yield Problem("", held.warning)
    metadata = (held.document or {}).get("metadata")
    tags = metadata.get("tags") if isinstance(metadata, Mapping) else None
    for place, tag in enumerate(tags if isinstance(tags, list) else ()):
        if not isinstance(tag, str):
            yield Problem(f"/metadata/tags/{place}", "this tag is not text: search and filters leave it out")


def _refers(value: Any) -> bool:
    if reference(value) is not None:
        return True
    inside = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return any(_refers(inner) for inner in inside)
