"""Emit changes of properties and tags, each as a proposal for the server's inbox."""

from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any, Literal

from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.client.programs.reading import MetadataByScope, Scope
from jupyter_colophon.core.entities.annotation import ASPECT_OF_SCOPE, MetadataAnnotation
from jupyter_colophon.core.entities.metadata_scopes import Metadata

#: One pattern or several; None means all, an empty list none.
Globs = str | Iterable[str] | None
Proposal = dict[str, Any]
#: Properties that the catalog computes for each entity; they are never copied to another one.
_COMPUTED_KEYS = frozenset(
    {"creation-time", "created-by", "last-update-time", "last-updated-by", "last-updated-by-program", "schema"}
)


class Writer:
    """Emits changes for one run, or without a run. Never waits for the server or fails because of it."""

    def __init__(
        self,
        run: str | None,
        emit: Callable[[Proposal], None],
        read: Callable[[MetadataEntity], MetadataByScope],
        fields: Callable[[MetadataEntity], tuple[str, ...]],
        resolve: Callable[[MetadataEntity | str], MetadataEntity],
    ) -> None:
        self._run, self._emit, self._read, self._fields, self._resolve = run, emit, read, fields, resolve

    def add_properties(self, of: MetadataEntity | str, properties: Mapping[str, str], *, scope: Scope = "USER") -> None:
        """Set properties; others stay. Raises TypeError if a key or value is not a string."""
        self._emit_annotation(of, MetadataAnnotation(properties=_require_string_properties(properties)), scope)

    def add_tags(self, of: MetadataEntity | str, *tags: str, scope: Scope = "USER") -> None:
        """Add tags. Raises TypeError if a tag is not a string."""
        self._emit_annotation(of, MetadataAnnotation(tags=_require_string_tags_or_keys(tags)), scope)

    def remove_properties(self, of: MetadataEntity | str, *keys: str, scope: Scope = "USER") -> None:
        """Remove properties; without keys, remove all."""
        self._emit_annotation(
            of,
            MetadataAnnotation(
                without_properties=frozenset(_require_string_tags_or_keys(keys)), clear_properties=not keys
            ),
            scope,
        )

    def remove_tags(self, of: MetadataEntity | str, *tags: str, scope: Scope = "USER") -> None:
        """Remove tags; without tags, remove all."""
        self._emit_annotation(
            of,
            MetadataAnnotation(without_tags=frozenset(_require_string_tags_or_keys(tags)), clear_tags=not tags),
            scope,
        )

    def remove_metadata(self, of: MetadataEntity | str, *, scope: Scope = "USER") -> None:
        """Remove all properties and tags."""
        self._emit_annotation(of, MetadataAnnotation(clear_properties=True, clear_tags=True), scope)

    def propagate(
        self,
        source: MetadataEntity | str,
        sink: MetadataEntity | str,
        properties: Globs = None,
        tags: Globs = None,
        *,
        scope: Scope = "USER",
        fields: Mapping[str, str] | Literal["same"] | None = None,
    ) -> None:
        """Copy properties and tags from the source to the sink: all, or those that match the globs.

        If only one of `properties` and `tags` is given, nothing of the other is copied. `fields` copies those of fields as
        well: by a mapping from the source's names to the sink's, or `"same"` for all fields of the source. The source is
        read as `get` reads it. Raises MetadataUnavailable.
        """
        from_, to = self._resolve(source), self._resolve(sink)
        selection = _PropagationSelection(properties, tags, scope)
        metadata = self._read(from_)
        pairs = [(from_.append("field", a), to.append("field", b)) for a, b in self._match_fields(from_, fields)]
        for target, by_scope in [(to, metadata), *((b, self._read(a)) for a, b in pairs)]:
            if (change := selection.build_annotation(by_scope[scope])) is not None:
                self._emit_annotation(target, change, scope)

    def _match_fields(self, source: MetadataEntity, fields: Any) -> list[tuple[str, str]]:
        if fields == "same":
            return [(name, name) for name in self._fields(source)]
        if isinstance(fields, str):
            msg = 'fields must be a mapping of names, or "same"'
            raise ValueError(msg)
        return list((fields or {}).items())

    def _emit_annotation(self, of: MetadataEntity | str, change: MetadataAnnotation, scope: Scope) -> None:
        if scope not in ASPECT_OF_SCOPE:
            msg = f"invalid scope {scope!r}: use USER or SYSTEM"
            raise ValueError(msg)
        value = change.document
        if value:
            place = {"urn": self._resolve(of).urn, "aspect": ASPECT_OF_SCOPE[scope], "operation": "annotate"}
            self._emit({**place, "value": value} | ({} if self._run is None else {"run": self._run}))


class _PropagationSelection:
    """Selects the properties and tags that are propagated."""

    def __init__(self, properties: Globs, tags: Globs, scope: Scope) -> None:
        rest = ("*",) if properties is None and tags is None else ()
        self._keys, self._tags = _to_glob_tuple(properties, rest), _to_glob_tuple(tags, rest)
        self._excluded = _COMPUTED_KEYS if scope == "SYSTEM" else frozenset()

    def build_annotation(self, metadata: Metadata) -> MetadataAnnotation | None:
        """Return the change that copies the selected metadata; None if nothing is selected."""
        properties = {
            key: text
            for key, text in metadata.properties.items()
            if _matches_any_glob(key, self._keys) and key not in self._excluded
        }
        tags = tuple(tag for tag in metadata.tags if _matches_any_glob(tag, self._tags))
        return MetadataAnnotation(properties=properties, tags=tags) if properties or tags else None


def _to_glob_tuple(value: Globs, default: tuple[str, ...]) -> tuple[str, ...]:
    if value is None:
        return default
    return (value,) if isinstance(value, str) else tuple(value)


def _matches_any_glob(text: str, globs: tuple[str, ...]) -> bool:
    return any(fnmatchcase(text, glob) for glob in globs)


def _require_string_properties(properties: Mapping[Any, Any]) -> dict[str, str]:
    for key, text in properties.items():
        if not isinstance(key, str) or not isinstance(text, str):
            msg = f"the property {key!r} is a {type(text).__name__}, but must be a string"
            raise TypeError(msg)
    return dict(properties)


def _require_string_tags_or_keys(words: tuple[Any, ...]) -> tuple[str, ...]:
    for word in words:
        if not isinstance(word, str):
            msg = f"tags and keys must be strings, not {type(word).__name__}"
            raise TypeError(msg)
    return words
