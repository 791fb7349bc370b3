"""The requests of a read: how it is split into pieces, and the documents of each piece, page by page."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.paging import read_pages
from jupyter_colophon.core.model.search_filters import FILTERS
from jupyter_colophon.core.model.vocabulary import CONTRIBUTIONS, Descriptor, list_descriptors_of_value
from jupyter_colophon.spark.source.options import PAGE_ROWS, InvalidOption, SourceOptions

Document = dict[str, Any]
_SEQ_MAX = 10**18 - 1
_WINDOW = ("direction", "levels", "start", "end")


@dataclass(frozen=True, slots=True)
class PartitionQuery:
    """What one task reads: the entities of these namespaces ("" for those without one), or the changes in a range."""

    namespaces: tuple[str, ...] = ()
    after: int = 0
    until: int = 0


@dataclass(frozen=True, slots=True)
class TableQuery:
    """The query of a table: its options, how it is split, and the documents of a piece."""

    options: tuple[str, ...]
    pieces: Callable[[Operations, SourceOptions], Sequence[PartitionQuery]]
    documents: Callable[[Operations, SourceOptions, PartitionQuery], Iterator[Document]]


def read_newest_sequence(catalog: Operations) -> int:
    """Return the number of the newest change."""
    return int(catalog.read_changes(limit=0)["cursor"])


def split_change_range(after: int, until: int, count: int) -> list[PartitionQuery]:
    """Split the changes after one number up to another into at most `count` pieces; empty if there are none."""
    step = max(1, -(-(until - after) // count))
    return [PartitionQuery(after=at, until=min(at + step, until)) for at in range(after, until, step)]


def read_changes(catalog: Operations, options: SourceOptions, partition_query: PartitionQuery) -> Iterator[Document]:
    """Yield the changes of a piece that the user may read, each once, in order."""
    after, where = partition_query.after, _select_filters(options, "namespace", "urn", "type")
    while after < partition_query.until:
        page = catalog.read_changes(after=after, limit=min(PAGE_ROWS, partition_query.until - after), **where)
        for change in page["changes"]:
            if change["seq"] <= partition_query.until:
                yield change
        if page["cursor"] <= after:
            return
        after = page["cursor"]


def _select_filters(options: SourceOptions, *names: str) -> dict[str, Any]:
    return {name: options.filters[name] for name in names if name in options.filters}


def _split_filter_values(options: SourceOptions, name: str) -> list[str]:
    return [part for part in options.filters.get(name, "").split(",") if part]


def _plan_single(catalog: Operations, options: SourceOptions) -> list[PartitionQuery]:
    return [PartitionQuery()]


def _plan_by_namespace(catalog: Operations, options: SourceOptions) -> list[PartitionQuery]:
    named = _split_filter_values(options, "namespace")
    if not named:
        entities = read_pages(
            lambda cursor: catalog.list_entities(limit=PAGE_ROWS, type="namespace", cursor=cursor), "entities"
        )
        named = ["", *(entity["name"] for entity in entities)]
    count = min(options.partitions, len(named))
    return [PartitionQuery(tuple(named[at::count])) for at in range(count)]


def _read_entities(catalog: Operations, options: SourceOptions, partition_query: PartitionQuery) -> Iterator[Document]:
    where = _select_filters(options, "type", "prefix")
    for name in partition_query.namespaces:

        def page(cursor: str | None, name: str = name) -> Document:
            return catalog.list_entities(limit=PAGE_ROWS, namespace=name or None, cursor=cursor, **where)

        for entity in read_pages(page, "entities"):
            # Without a namespace filter, entities without a namespace come first.
            if entity["namespace"] != name:
                break
            yield entity


def _read_aspects(catalog: Operations, options: SourceOptions, partition_query: PartitionQuery) -> Iterator[Document]:
    types, aspects = _split_filter_values(options, "type"), _split_filter_values(options, "aspect")
    for name in filter(None, partition_query.namespaces):
        some = {"types": types} if types else {}
        some |= {"aspects": aspects} if aspects else {}
        lines = catalog.export_selection({"namespace": name, **some})
        next(lines, None)
        for line in lines:
            if line:
                yield json.loads(line) | {"namespace": name}


def _read_descriptors(
    catalog: Operations, options: SourceOptions, partition_query: PartitionQuery
) -> Iterator[Document]:
    """Yield the descriptors that aspects contribute to their entities, not those of fields."""
    if not _split_filter_values(options, "aspect"):
        options = replace(options, filters={**options.filters, "aspect": ",".join(CONTRIBUTIONS)})
    for line in _read_aspects(catalog, options, partition_query):
        for descriptor in list_entity_descriptors(line["aspect"], line["value"]):
            members = {"kind": descriptor.kind, "key": descriptor.key, "text": descriptor.text}
            yield {"urn": line["urn"], "namespace": line["namespace"], "aspect": line["aspect"], **members}


def list_entity_descriptors(aspect: str, value: Any) -> Iterator[Descriptor]:
    """Yield the descriptors of an aspect's value that concern the entity itself."""
    # The scope of an aspect affects only descriptors of fields.
    for descriptor in list_descriptors_of_value(aspect, "USER", value):
        if not descriptor.column and descriptor.kind != "field":
            yield descriptor


def _read_hits(catalog: Operations, options: SourceOptions, partition_query: PartitionQuery) -> Iterator[Document]:
    where = _select_filters(options, *_SEARCHED)
    query = options.filters.get("query", "*")
    return read_pages(lambda cursor: catalog.search(query, limit=PAGE_ROWS, cursor=cursor, **where), "hits")


def _read_edges(catalog: Operations, options: SourceOptions, partition_query: PartitionQuery) -> Iterator[Document]:
    """Yield the lineage of `urn`, or else all accesses, run by run."""
    urn, window = options.filters.get("urn"), _select_filters(options, *_WINDOW)
    if urn is not None:
        graph = catalog.read_lineage(urn, limit=10_000, **window)
        if graph["truncated"]:
            raise InvalidOption(f"the lineage of {urn} is too large for one response: reduce levels, or omit urn")
        yield from graph["edges"]
        return
    where = _select_filters(options, "start", "end", "program", "data")
    for run in read_pages(lambda cursor: catalog.list_runs(limit=PAGE_ROWS, cursor=cursor, **where), "runs"):
        for access in run["accesses"]:
            yield from _build_edges(run, access)


def _build_edges(run: Document, access: Mapping[str, Any]) -> Iterator[Document]:
    document = {
        "runs": [run["urn"]],
        "runCount": 1,
        "start": access["first"],
        "end": access["last"],
        "reportedBy": run["actor"],
        "declared": False,
        "access": access["mode"],
    }
    if access["mode"] != "write":
        yield document | {"source": access["data"], "target": run["program"]}
    if access["mode"] not in ("read", "unknown"):
        yield document | {"source": run["program"], "target": access["data"]}


def _plan_changes(catalog: Operations, options: SourceOptions) -> list[PartitionQuery]:
    after = options.get_number("after", 0, minimum=0, maximum=_SEQ_MAX)
    until = options.get_number("until", read_newest_sequence(catalog), minimum=0, maximum=_SEQ_MAX)
    # Spark does not support a read without partitions.
    return split_change_range(after, until, options.partitions) or [PartitionQuery()]


_SEARCHED = (*(search_filter.name for search_filter in FILTERS), "includeRemoved")
TABLE_QUERIES: Mapping[str, TableQuery] = {
    "entities": TableQuery(("namespace", "type", "prefix", "pushdown"), _plan_by_namespace, _read_entities),
    "aspects": TableQuery(("namespace", "type", "aspect", "pushdown"), _plan_by_namespace, _read_aspects),
    "descriptors": TableQuery(("namespace", "type", "aspect", "pushdown"), _plan_by_namespace, _read_descriptors),
    "search": TableQuery(("query", *_SEARCHED, "pushdown"), _plan_single, _read_hits),
    "edges": TableQuery(("urn", *_WINDOW, "program", "data", "pushdown"), _plan_single, _read_edges),
    "changes": TableQuery(("namespace", "urn", "type", "after", "until", "pushdown"), _plan_changes, read_changes),
}
