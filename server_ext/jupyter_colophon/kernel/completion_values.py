"""Complete arguments of commands (kernel/commands) with names and values from the server, in one or two requests each."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from jupyter_colophon.client.api.current_connection import current
from jupyter_colophon.client.aspect_edits import read_stored_aspect
from jupyter_colophon.core.identity.short_names import short_name
from jupyter_colophon.core.model.search_filters import FILTERS

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations

#: Timeout of one request: completion must not block typing.
TIMEOUT_S = 1.0

#: Prefixes of the search grammar.
_PREFIXES = ("dataset:", "name:", "properties:", "schema:", "tags:")


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """The typed part of the word, the operands before it, and the command."""

    typed: str
    before: list[str]
    command: str


def _names(catalog: "Operations", request: CompletionRequest) -> Iterable[str]:
    """Return tables of the namespace in use, files, namespaces, and tables of a named namespace."""
    word, used = request.typed, current.api().namespace
    database, dot, table = word.partition(".")
    if word.startswith("/"):
        return _dataset_names(catalog, prefix=word)
    if dot:
        return _dataset_names(catalog, namespace=database, prefix=table or None)
    found = (
        [name.partition(".")[2] for name in _dataset_names(catalog, namespace=used, prefix=word or None)]
        if used
        else []
    )
    spaces = _namespaces(catalog, request)
    if len(spaces) == 1:
        return [*found, *_dataset_names(catalog, namespace=spaces[0])]
    return [*found, *(f"{name}." for name in spaces)]


def _dataset_names(catalog: "Operations", namespace: str | None = None, prefix: str | None = None) -> list[str]:
    found = catalog.list_entities(type="dataset", timeout_s=TIMEOUT_S, namespace=namespace, prefix=prefix)["entities"]
    return [short_name(one["urn"]) for one in found]


def _namespaces(catalog: "Operations", request: CompletionRequest) -> list[str]:
    found = catalog.list_entities(type="namespace", prefix=request.typed or None, timeout_s=TIMEOUT_S)["entities"]
    return [one["name"] for one in found]


def _tags(catalog: "Operations", request: CompletionRequest) -> Iterable[str]:
    return _values(catalog, "tags", request.typed)


def _owners(catalog: "Operations", request: CompletionRequest) -> Iterable[str]:
    return _values(catalog, "owner", request.typed)


def _keys(catalog: "Operations", request: CompletionRequest) -> Iterable[str]:
    return [row["key"] for row in _key_rows(catalog, request.typed) if row["kind"] == "property"]


def _pairs(catalog: "Operations", request: CompletionRequest) -> Iterable[str]:
    key, equals, value = request.typed.partition("=")
    if not equals:
        return [f"{name}=" for name in _keys(catalog, request)]
    return [f"{key}={word}" for word in _values(catalog, key, value) if " " not in word]


def _query(catalog: "Operations", request: CompletionRequest) -> Iterable[str]:
    key, colon, value = request.typed.partition(":")
    if not colon:
        return [*_PREFIXES, *(f"{row['key']}:" for row in _key_rows(catalog, request.typed))]
    return [f"{key}:{word}" for word in _values(catalog, key, value)]


def _key_rows(catalog: "Operations", prefix: str) -> list[dict[str, Any]]:
    return list(catalog.list_keys(prefix=prefix or None, timeout_s=TIMEOUT_S)["keys"])


def _values(catalog: "Operations", key: str, prefix: str) -> list[str]:
    return [row["value"] for row in catalog.list_values(key, prefix=prefix or None, timeout_s=TIMEOUT_S)["values"]]


def _types(catalog: "Operations", request: CompletionRequest) -> Iterable[str]:
    return [one["type"] for one in catalog.list_entity_types(timeout_s=TIMEOUT_S)["types"]]


def _fields(catalog: "Operations", request: CompletionRequest) -> Iterable[str]:
    if not request.before:
        return ()
    stored = read_stored_aspect(catalog, current.api().urn(request.before[0]), "schemaMetadata", timeout_s=TIMEOUT_S)
    return [one["fieldPath"] for one in stored.value.get("fields", ())]


def _pipelines(catalog: "Operations", request: CompletionRequest) -> Iterable[str]:
    found = catalog.list_instances("pipelines", sort="name", limit=500, timeout_s=TIMEOUT_S)["instances"]
    return [one["name"] for one in found if one["schema_name"] == "pipeline"]


def _name(catalog: "Operations", request: CompletionRequest) -> Iterable[str]:
    return _pipelines(catalog, request) if request.command == "pipeline" else _names(catalog, request)


def _facet_values(facet: str, catalog: "Operations", request: CompletionRequest) -> Iterable[str]:
    """Return the most frequent values of a facet."""
    found = catalog.search("*", facets=facet, limit=0, timeout_s=TIMEOUT_S)["facets"]
    return [one["value"] for one in found[facet]]


#: Filters whose candidates depend on the typed prefix.
_BY_PREFIX = ("namespace", "owner", "tag", "type")
#: By the name (`dest`) of the argument. Other arguments are not completed.
CANDIDATES: "dict[str, Callable[[Operations, CompletionRequest], Iterable[str]]]" = {
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
    **{one.name: partial(_facet_values, one.name) for one in FILTERS if one.is_facet and one.name not in _BY_PREFIX},
}
