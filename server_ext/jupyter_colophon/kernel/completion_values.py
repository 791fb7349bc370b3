"""Complete arguments of commands (kernel/commands) with names and values from the server, in one or two requests each."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from jupyter_colophon.client.api.current_connection import current
from jupyter_colophon.client.aspect_edits import read_stored_aspect
from jupyter_colophon.core.identity.short_names import shorten_urn
from jupyter_colophon.core.model.owner_request import CHANGE
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


def _list_dataset_and_namespace_names(catalog: "Operations", request: CompletionRequest) -> Iterable[str]:
    """Return tables of the namespace in use, files, namespaces, and tables of a named namespace."""
    word, used = request.typed, current.get_api().namespace
    database, dot, table = word.partition(".")
    if word.startswith("/"):
        return _list_dataset_names(catalog, prefix=word)
    if dot:
        return _list_dataset_names(catalog, namespace=database, prefix=table or None)
    table_names = (
        [name.partition(".")[2] for name in _list_dataset_names(catalog, namespace=used, prefix=word or None)]
        if used
        else []
    )
    spaces = _list_namespaces(catalog, request)
    if len(spaces) == 1:
        return [*table_names, *_list_dataset_names(catalog, namespace=spaces[0])]
    return [*table_names, *(f"{name}." for name in spaces)]


def _list_dataset_names(catalog: "Operations", namespace: str | None = None, prefix: str | None = None) -> list[str]:
    entities = catalog.list_entities(type="dataset", timeout_s=TIMEOUT_S, namespace=namespace, prefix=prefix)[
        "entities"
    ]
    return [shorten_urn(item["urn"]) for item in entities]


def _list_namespaces(catalog: "Operations", request: CompletionRequest) -> list[str]:
    entities = catalog.list_entities(type="namespace", prefix=request.typed or None, timeout_s=TIMEOUT_S)["entities"]
    return [item["name"] for item in entities]


def _list_tags(catalog: "Operations", request: CompletionRequest) -> Iterable[str]:
    return _list_values_of_key(catalog, "tags", request.typed)


def _list_owners(catalog: "Operations", request: CompletionRequest) -> Iterable[str]:
    return _list_values_of_key(catalog, "owner", request.typed)


def _list_property_keys(catalog: "Operations", request: CompletionRequest) -> Iterable[str]:
    return [row["key"] for row in _read_key_rows(catalog, request.typed) if row["kind"] == "property"]


def _complete_key_value(catalog: "Operations", request: CompletionRequest) -> Iterable[str]:
    key, equals, value = request.typed.partition("=")
    if not equals:
        return [f"{name}=" for name in _list_property_keys(catalog, request)]
    return [f"{key}={word}" for word in _list_values_of_key(catalog, key, value) if " " not in word]


def _complete_search_word(catalog: "Operations", request: CompletionRequest) -> Iterable[str]:
    key, colon, value = request.typed.partition(":")
    if not colon:
        return [*_PREFIXES, *(f"{row['key']}:" for row in _read_key_rows(catalog, request.typed))]
    return [f"{key}:{word}" for word in _list_values_of_key(catalog, key, value)]


def _read_key_rows(catalog: "Operations", prefix: str) -> list[dict[str, Any]]:
    return list(catalog.list_keys(prefix=prefix or None, timeout_s=TIMEOUT_S)["keys"])


def _list_values_of_key(catalog: "Operations", key: str, prefix: str) -> list[str]:
    return [row["value"] for row in catalog.list_values(key, prefix=prefix or None, timeout_s=TIMEOUT_S)["values"]]


def _list_types(catalog: "Operations", request: CompletionRequest) -> Iterable[str]:
    return [type_["type"] for type_ in catalog.list_entity_types(timeout_s=TIMEOUT_S)["types"]]


def _list_fields(catalog: "Operations", request: CompletionRequest) -> Iterable[str]:
    if not request.before:
        return ()
    stored = read_stored_aspect(
        catalog, current.get_api().resolve_urn(request.before[0]), "schemaMetadata", timeout_s=TIMEOUT_S
    )
    return [field["fieldPath"] for field in stored.value.get("fields", ())]


def _list_pipelines(catalog: "Operations", request: CompletionRequest) -> Iterable[str]:
    instances = catalog.list_instances("pipelines", sort="name", limit=500, timeout_s=TIMEOUT_S)["instances"]
    return [item["name"] for item in instances if item["schema_name"] == "pipeline"]


def _list_waiting_proposals(catalog: "Operations", request: CompletionRequest) -> Iterable[str]:
    page = catalog.list_requests(list="assigned", kind=CHANGE, state="open", limit=100, timeout_s=TIMEOUT_S)
    return [item["proposal"] for item in page["requests"]]


def _complete_pipeline_or_dataset_name(catalog: "Operations", request: CompletionRequest) -> Iterable[str]:
    return (
        _list_pipelines(catalog, request)
        if request.command == "pipeline"
        else _list_dataset_and_namespace_names(catalog, request)
    )


def _list_facet_values(facet: str, catalog: "Operations", request: CompletionRequest) -> Iterable[str]:
    """Return the most frequent values of a facet."""
    facets = catalog.search("*", facets=facet, limit=0, timeout_s=TIMEOUT_S)["facets"]
    return [item["value"] for item in facets[facet]]


#: Filters whose candidates depend on the typed prefix.
_BY_PREFIX = ("namespace", "owner", "tag", "type")
#: By the name (`dest`) of the argument. Other arguments are not completed.
CANDIDATES: "dict[str, Callable[[Operations, CompletionRequest], Iterable[str]]]" = {
    "field": _list_fields,
    "key_globs": _list_property_keys,
    "keys": _list_property_keys,
    "name": _complete_pipeline_or_dataset_name,
    "namespace": _list_namespaces,
    "owner": _list_owners,
    "pairs": _complete_key_value,
    "prefix": _list_property_keys,
    "proposal": _list_waiting_proposals,
    "query": _complete_search_word,
    "sink": _list_dataset_and_namespace_names,
    "tag": _list_tags,
    "tag_globs": _list_tags,
    "tags": _list_tags,
    "type": _list_types,
    "values": _list_property_keys,
    **{
        filter_.name: partial(_list_facet_values, filter_.name)
        for filter_ in FILTERS
        if filter_.is_facet and filter_.name not in _BY_PREFIX
    },
}
