"""What the server knows that could stand for a word, by the argument (kernel/commands) that it would be. Each asks once or twice."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from jupyter_colophon.client.api.current_connection import present
from jupyter_colophon.client.aspect_edits import read_stored_aspect
from jupyter_colophon.core.identity.short_names import short_name
from jupyter_colophon.core.model.search_filters import FILTERS

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations

#: Who types does not wait longer for one answer.
TIMEOUT_S = 1.0

#: Words of the grammar of search that stand before a colon.
_PREFIXES = ("dataset:", "name:", "properties:", "schema:", "tags:")


@dataclass(frozen=True, slots=True)
class Asked:
    """What was typed of the word, the operands before it, and the command."""

    typed: str
    before: list[str]
    command: str


def _names(catalog: "Operations", asked: Asked) -> Iterable[str]:
    """Tables of the namespace in use, files, namespaces, and tables where the namespace is told."""
    word, used = asked.typed, present.verbs().namespace
    database, dot, table = word.partition(".")
    if word.startswith("/"):
        return _shown(catalog, prefix=word)
    if dot:
        return _shown(catalog, namespace=database, prefix=table or None)
    found = [name.partition(".")[2] for name in _shown(catalog, namespace=used, prefix=word or None)] if used else []
    spaces = _namespaces(catalog, asked)
    if len(spaces) == 1:
        return [*found, *_shown(catalog, namespace=spaces[0])]
    return [*found, *(f"{name}." for name in spaces)]


def _shown(catalog: "Operations", namespace: str | None = None, prefix: str | None = None) -> list[str]:
    found = catalog.list_entities(type="dataset", timeout_s=TIMEOUT_S, namespace=namespace, prefix=prefix)["entities"]
    return [short_name(one["urn"]) for one in found]


def _namespaces(catalog: "Operations", asked: Asked) -> list[str]:
    found = catalog.list_entities(type="namespace", prefix=asked.typed or None, timeout_s=TIMEOUT_S)["entities"]
    return [one["name"] for one in found]


def _tags(catalog: "Operations", asked: Asked) -> Iterable[str]:
    return _values(catalog, "tags", asked.typed)


def _owners(catalog: "Operations", asked: Asked) -> Iterable[str]:
    return _values(catalog, "owner", asked.typed)


def _keys(catalog: "Operations", asked: Asked) -> Iterable[str]:
    return [row["key"] for row in _key_rows(catalog, asked.typed) if row["kind"] == "property"]


def _pairs(catalog: "Operations", asked: Asked) -> Iterable[str]:
    key, equals, value = asked.typed.partition("=")
    if not equals:
        return [f"{name}=" for name in _keys(catalog, asked)]
    return [f"{key}={word}" for word in _values(catalog, key, value) if " " not in word]


def _query(catalog: "Operations", asked: Asked) -> Iterable[str]:
    key, colon, value = asked.typed.partition(":")
    if not colon:
        return [*_PREFIXES, *(f"{row['key']}:" for row in _key_rows(catalog, asked.typed))]
    return [f"{key}:{word}" for word in _values(catalog, key, value)]


def _key_rows(catalog: "Operations", prefix: str) -> list[dict[str, Any]]:
    return list(catalog.list_keys(prefix=prefix or None, timeout_s=TIMEOUT_S)["keys"])


def _values(catalog: "Operations", key: str, prefix: str) -> list[str]:
    return [row["value"] for row in catalog.list_values(key, prefix=prefix or None, timeout_s=TIMEOUT_S)["values"]]


def _types(catalog: "Operations", asked: Asked) -> Iterable[str]:
    return [one["type"] for one in catalog.list_entity_types(timeout_s=TIMEOUT_S)["types"]]


def _fields(catalog: "Operations", asked: Asked) -> Iterable[str]:
    if not asked.before:
        return ()
    stored = read_stored_aspect(catalog, present.verbs().urn(asked.before[0]), "schemaMetadata", timeout_s=TIMEOUT_S)
    return [one["fieldPath"] for one in stored.value.get("fields", ())]


def _pipelines(catalog: "Operations", asked: Asked) -> Iterable[str]:
    found = catalog.list_instances("pipelines", sort="name", limit=500, timeout_s=TIMEOUT_S)["instances"]
    return [one["name"] for one in found if one["schema_name"] == "pipeline"]


def _name(catalog: "Operations", asked: Asked) -> Iterable[str]:
    return _pipelines(catalog, asked) if asked.command == "pipeline" else _names(catalog, asked)


def _facet_values(facet: str, catalog: "Operations", asked: Asked) -> Iterable[str]:
    """The most frequent values of a facet."""
    found = catalog.search("*", facets=facet, limit=0, timeout_s=TIMEOUT_S)["facets"]
    return [one["value"] for one in found[facet]]


#: Filters whose candidates are found by what is typed.
_OWN = ("namespace", "owner", "tag", "type")
#: By the name (`dest`) of the argument. What is not here is not completed.
CANDIDATES: "dict[str, Callable[[Operations, Asked], Iterable[str]]]" = {
    "field": _fields,
    "key_globs": _keys,
    "keys": _keys,
    "name": _name,
    "namespace": _namespaces,
    "owner": _owners,
    "pairs": _pairs,
    "prefix": _keys,
    "query": _query,
    "sink": _names,
    "tag": _tags,
    "tag_globs": _tags,
    "tags": _tags,
    "type": _types,
    "values": _keys,
    **{one.name: partial(_facet_values, one.name) for one in FILTERS if one.is_facet and one.name not in _OWN},
}
