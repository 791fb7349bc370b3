"""Filter machine-made metadata (spec MODEL-21): a key that is filtered out is never stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Final

from jupyter_colophon.core.identity.names import STREAM_PLATFORM, Urn

#: The keys under which a schema and machine-made tags are filtered.
SCHEMA_KEY, TAGS_KEY = "schema", "tags"
_WORDS: Final = {"dataFlow": "app", "dataJob": "program", "schemaField": "field"}
_STREAMS: Final = f"urn:li:dataPlatform:{STREAM_PLATFORM}"


@dataclass(frozen=True, slots=True)
class KeyFilter:
    """Globs for keys, kinds of entities and namespaces, and whether to `include` or to `exclude` matching keys.

    A kind is an entity type, or a name in `/v3` (`app`, `program`, `stream`, or a custom type).
    """

    action: str
    key: str
    kind: str = "*"
    namespace: str = "*"

    def matches_key(self, key: str, urn: Urn, namespace: str) -> bool:
        """Return whether the rule matches this key."""
        pairs = ((key, self.key), (namespace, self.namespace))
        return all(fnmatchcase(text, glob) for text, glob in pairs) and any(
            fnmatchcase(kind, self.kind) for kind in (urn.type, _get_v3_kind(urn))
        )


@dataclass(frozen=True, slots=True)
class SystemFilter:
    """Filters by rules: the first matching rule decides; keys without a match are included."""

    rules: tuple[KeyFilter, ...] = ()

    def includes_key(self, key: str, urn: Urn, namespace: str) -> bool:
        """Return whether a key is included for an entity."""
        rule = next((candidate for candidate in self.rules if candidate.matches_key(key, urn, namespace)), None)
        return rule is None or rule.action == "include"

    def filter_aspect_keys(
        self, aspect: str, value: Mapping[str, Any], urn: Urn, namespace: str
    ) -> Mapping[str, Any] | None:
        """Return the included part of a machine-made aspect; None if nothing is included."""
        if not self.rules:
            return value
        if aspect == "schemaMetadata":
            return value if self.includes_key(SCHEMA_KEY, urn, namespace) else None
        if aspect == "technicalMetadata":
            tags = value["tags"] if self.includes_key(TAGS_KEY, urn, namespace) else []
            return {"properties": self.filter_properties(value["properties"], urn, namespace), "tags": tags}
        if aspect == "datasetProperties":
            custom = self.filter_properties(value.get("customProperties", {}), urn, namespace)
            named = self.filter_properties(
                {key: member for key, member in value.items() if key != "customProperties"}, urn, namespace
            )
            return named | ({"customProperties": custom} if "customProperties" in value else {})
        return value

    def filter_properties(self, properties: Mapping[str, Any], urn: Urn, namespace: str) -> dict[str, Any]:
        """Return the included properties."""
        return {key: value for key, value in properties.items() if self.includes_key(key, urn, namespace)}


def _get_v3_kind(urn: Urn) -> str:
    """Return the name of this kind of entity in `/v3`."""
    if urn.type == "custom":
        return urn.parts[0]
    if urn.type == "dataset" and urn.parts[0] == _STREAMS:
        return "stream"
    return _WORDS.get(urn.type, urn.type)


#: Includes everything.
INCLUDE_ALL = SystemFilter()
