"""What a program says of entities: changes of properties and tags, each a proposal for the inbox."""

from collections.abc import Callable, Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any, Literal

from jupyter_colophon.client.programs.entity import MetadataEntity
from jupyter_colophon.client.programs.reading import ByScope, Scope
from jupyter_colophon.core.entities.annotation import ASPECT_OF_SCOPE, Annotation
from jupyter_colophon.core.entities.metadata_scopes import Metadata

#: A pattern or several; None means all, an empty list none.
Globs = str | Iterable[str] | None
Proposal = dict[str, Any]
#: What the catalog itself knows of each entity, or reads in its schema: that of one is never another's.
_ITS_OWN = frozenset(
    {"creation-time", "created-by", "last-update-time", "last-updated-by", "last-updated-by-program", "schema"}
)


class Writer:
    """Emits for one run, or for none. Nothing here waits for the server, or fails because of it."""

    def __init__(
        self,
        run: str | None,
        emit: Callable[[Proposal], None],
        read: Callable[[MetadataEntity], ByScope],
        fields: Callable[[MetadataEntity], tuple[str, ...]],
        named: Callable[[MetadataEntity | str], MetadataEntity],
    ) -> None:
        self._run, self._emit, self._read, self._fields, self._named = run, emit, read, fields, named

    def add_properties(self, of: MetadataEntity | str, properties: Mapping[str, str], *, scope: Scope = "USER") -> None:
        """Sets properties; others stay. Raises TypeError for what is no text."""
        self._annotate(of, Annotation(properties=_texts(properties)), scope)

    def add_tags(self, of: MetadataEntity | str, *tags: str, scope: Scope = "USER") -> None:
        """Adds tags. Raises TypeError for what is no text."""
        self._annotate(of, Annotation(tags=_words(tags)), scope)

    def remove_properties(self, of: MetadataEntity | str, *keys: str, scope: Scope = "USER") -> None:
        """Takes properties away; without keys all of them."""
        self._annotate(of, Annotation(without_properties=frozenset(_words(keys)), clear_properties=not keys), scope)

    def remove_tags(self, of: MetadataEntity | str, *tags: str, scope: Scope = "USER") -> None:
        """Takes tags away; without tags all of them."""
        self._annotate(of, Annotation(without_tags=frozenset(_words(tags)), clear_tags=not tags), scope)

    def remove_metadata(self, of: MetadataEntity | str, *, scope: Scope = "USER") -> None:
        """Takes all properties and tags away."""
        self._annotate(of, Annotation(clear_properties=True, clear_tags=True), scope)

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
        """Says of the sink what is said of the source: all of it, or what fits the globs. Who names one of the two alone wants nothing of the other.

        `fields` does the same for fields, from the source's to the sink's: by name, or `"same"` for all that the source's
        schema names or of which something was said. What is said of the source is read as `get` reads it. Raises MetadataUnavailable.
        """
        one, other = self._named(source), self._named(sink)
        chosen = _Choice(properties, tags, scope)
        whole = self._read(one)
        below = [(one.append("field", a), other.append("field", b)) for a, b in self._field_pairs(one, fields)]
        for place, found in [(other, whole), *((to, self._read(of)) for of, to in below)]:
            if (change := chosen.of(found[scope])) is not None:
                self._annotate(place, change, scope)

    def _field_pairs(self, source: MetadataEntity, fields: Any) -> list[tuple[str, str]]:
        if fields == "same":
            return [(name, name) for name in self._fields(source)]
        if isinstance(fields, str):
            msg = 'fields are a mapping of names, or "same"'
            raise ValueError(msg)
        return list((fields or {}).items())

    def _annotate(self, of: MetadataEntity | str, change: Annotation, scope: Scope) -> None:
        if scope not in ASPECT_OF_SCOPE:
            msg = f"the scope {scope!r} is neither USER nor SYSTEM"
            raise ValueError(msg)
        value = change.document
        if value:
            place = {"urn": self._named(of).urn, "aspect": ASPECT_OF_SCOPE[scope], "operation": "annotate"}
            self._emit({**place, "value": value} | ({} if self._run is None else {"run": self._run}))


class _Choice:
    """Which properties and tags are propagated."""

    def __init__(self, properties: Globs, tags: Globs, scope: Scope) -> None:
        rest = ("*",) if properties is None and tags is None else ()
        self._keys, self._tags = _globs(properties, rest), _globs(tags, rest)
        self._left = _ITS_OWN if scope == "SYSTEM" else frozenset()

    def of(self, found: Metadata) -> Annotation | None:
        """The change that says it elsewhere; None where there is nothing to say."""
        kept = {key: text for key, text in found.properties.items() if _fits(key, self._keys) and key not in self._left}
        tags = tuple(tag for tag in found.tags if _fits(tag, self._tags))
        return Annotation(properties=kept, tags=tags) if kept or tags else None


def _globs(told: Globs, unsaid: tuple[str, ...]) -> tuple[str, ...]:
    if told is None:
        return unsaid
    return (told,) if isinstance(told, str) else tuple(told)


def _fits(text: str, globs: tuple[str, ...]) -> bool:
    return any(fnmatchcase(text, glob) for glob in globs)


def _texts(properties: Mapping[Any, Any]) -> dict[str, str]:
    for key, text in properties.items():
        if not isinstance(key, str) or not isinstance(text, str):
            msg = f"the property {key!r} is a {type(text).__name__}: properties are texts"
            raise TypeError(msg)
    return dict(properties)


def _words(words: tuple[Any, ...]) -> tuple[str, ...]:
    for word in words:
        if not isinstance(word, str):
            msg = f"a {type(word).__name__} is no tag and no key: both are texts"
            raise TypeError(msg)
    return words
