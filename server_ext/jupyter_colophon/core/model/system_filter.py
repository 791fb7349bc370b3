"""Which machine-made metadata is attached (spec MODEL-21): a key that is filtered out is never stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Final

from jupyter_colophon.core.identity.names import STREAM_PLATFORM, Urn

#: The keys under which a schema and the tags of machines are filtered.
SCHEMA_KEY, TAGS_KEY = "schema", "tags"
_WORDS: Final = {"dataFlow": "app", "dataJob": "program", "schemaField": "field"}
_STREAMS: Final = f"urn:li:dataPlatform:{STREAM_PLATFORM}"


@dataclass(frozen=True, slots=True)
class Rule:
    """Keys of some kind of entity in some namespaces, all as globs, and whether to `include` or to `exclude` them.

    A kind is an entity type, or a word of `/v3` (`app`, `program`, `stream`, or a custom type).
    """

    action: str
    key: str
    kind: str = "*"
    namespace: str = "*"

    def fits(self, key: str, urn: Urn, namespace: str) -> bool:
        """Whether the rule is about this key."""
        pairs = ((key, self.key), (namespace, self.namespace))
        return all(fnmatchcase(text, glob) for text, glob in pairs) and any(
            fnmatchcase(kind, self.kind) for kind in (urn.type, _word(urn))
        )


@dataclass(frozen=True, slots=True)
class SystemFilter:
    """The first rule that fits a key decides; what none fits is attached."""

    rules: tuple[Rule, ...] = ()

    def takes(self, key: str, urn: Urn, namespace: str) -> bool:
        """Whether a key is attached to an entity."""
        rule = next((one for one in self.rules if one.fits(key, urn, namespace)), None)
        return rule is None or rule.action == "include"

    def of_aspect(self, aspect: str, value: Mapping[str, Any], urn: Urn, namespace: str) -> Mapping[str, Any] | None:
        """What of an aspect of machines is attached; None for nothing."""
        if not self.rules:
            return value
        if aspect == "schemaMetadata":
            return value if self.takes(SCHEMA_KEY, urn, namespace) else None
        if aspect == "technicalMetadata":
            tags = value["tags"] if self.takes(TAGS_KEY, urn, namespace) else []
            return {"properties": self.of_keys(value["properties"], urn, namespace), "tags": tags}
        if aspect == "datasetProperties":
            custom = self.of_keys(value.get("customProperties", {}), urn, namespace)
            named = self.of_keys({key: one for key, one in value.items() if key != "customProperties"}, urn, namespace)
            return named | ({"customProperties": custom} if "customProperties" in value else {})
        return value

    def of_keys(self, properties: Mapping[str, Any], urn: Urn, namespace: str) -> dict[str, Any]:
        """Those of the keys that are attached."""
        return {key: value for key, value in properties.items() if self.takes(key, urn, namespace)}


def _word(urn: Urn) -> str:
    """What `/v3` calls this kind of entity."""
    if urn.type == "custom":
        return urn.parts[0]
    if urn.type == "dataset" and urn.parts[0] == _STREAMS:
        return "stream"
    return _WORDS.get(urn.type, urn.type)


#: Everything is attached.
EVERYTHING = SystemFilter()
