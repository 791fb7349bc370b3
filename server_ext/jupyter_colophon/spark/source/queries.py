"""What a read asks the server: how it is cut into pieces, and the documents of each piece, page by page."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.paging import pages
from jupyter_colophon.core.model.search_filters import FILTERS
from jupyter_colophon.spark.source.options import PAGE_ROWS, Options, WrongOption

Document = dict[str, Any]
_SEQ_MAX = 10**18 - 1
_WINDOW = ("direction", "levels", "start", "end")


@dataclass(frozen=True, slots=True)
class Piece:
    """What one task reads: the entities of these namespaces ("" for those of none), or changes after one up to another."""

    namespaces: tuple[str, ...] = ()
    after: int = 0
    until: int = 0


@dataclass(frozen=True, slots=True)
class Question:
    """How one table is asked for: its options, how it is cut, and what a piece holds."""

    options: tuple[str, ...]
    pieces: Callable[[Operations, Options], Sequence[Piece]]
    documents: Callable[[Operations, Options, Piece], Iterator[Document]]


def head(catalog: Operations) -> int:
    """The number of the newest change."""
    return int(catalog.read_changes(limit=0)["cursor"])


def ranges(after: int, until: int, count: int) -> list[Piece]:
    """The changes after one up to another in at most so many pieces; none where there are none."""
    step = max(1, -(-(until - after) // count))
    return [Piece(after=at, until=min(at + step, until)) for at in range(after, until, step)]


def changes(catalog: Operations, options: Options, piece: Piece) -> Iterator[Document]:
    """The changes of a piece that the user may read, each once, in their order."""
    after, where = piece.after, _filters(options, "namespace", "urn", "type")
    while after < piece.until:
        found = catalog.read_changes(after=after, limit=min(PAGE_ROWS, piece.until - after), **where)
        for one in found["changes"]:
            if one["seq"] <= piece.until:
                yield one
        if found["cursor"] <= after:
            return
        after = found["cursor"]


def _filters(options: Options, *names: str) -> dict[str, Any]:
    return {name: options.filters[name] for name in names if name in options.filters}


def _named(options: Options, name: str) -> list[str]:
    return [part for part in options.filters.get(name, "").split(",") if part]


def _whole(catalog: Operations, options: Options) -> list[Piece]:
    return [Piece()]


def _by_namespace(catalog: Operations, options: Options) -> list[Piece]:
    named = _named(options, "namespace")
    if not named:
        found = pages(
            lambda cursor: catalog.list_entities(limit=PAGE_ROWS, type="namespace", cursor=cursor), "entities"
        )
        named = ["", *(one["name"] for one in found)]
    count = min(options.partitions, len(named))
    return [Piece(tuple(named[at::count])) for at in range(count)]


def _entities(catalog: Operations, options: Options, piece: Piece) -> Iterator[Document]:
    where = _filters(options, "type", "prefix")
    for name in piece.namespaces:

        def page(cursor: str | None, name: str = name) -> Document:
            return catalog.list_entities(limit=PAGE_ROWS, namespace=name or None, cursor=cursor, **where)

        for one in pages(page, "entities"):
            # Those of no namespace come first where none is asked for.
            if one["namespace"] != name:
                break
            yield one


def _aspects(catalog: Operations, options: Options, piece: Piece) -> Iterator[Document]:
    types, aspects = _named(options, "type"), _named(options, "aspect")
    for name in filter(None, piece.namespaces):
        some = {"types": types} if types else {}
        some |= {"aspects": aspects} if aspects else {}
        lines = catalog.export_selection({"namespace": name, **some})
        next(lines, None)
        for line in lines:
            if line:
                yield json.loads(line) | {"namespace": name}


def _hits(catalog: Operations, options: Options, piece: Piece) -> Iterator[Document]:
    where = _filters(options, *_SEARCHED)
    asked = options.filters.get("query", "*")
    return pages(lambda cursor: catalog.search(asked, limit=PAGE_ROWS, cursor=cursor, **where), "hits")


def _edges(catalog: Operations, options: Options, piece: Piece) -> Iterator[Document]:
    """The graph around `urn`; or what each run touched, run by run."""
    urn, window = options.filters.get("urn"), _filters(options, *_WINDOW)
    if urn is not None:
        found = catalog.read_lineage(urn, limit=10_000, **window)
        if found["truncated"]:
            raise WrongOption(f"the lineage of {urn} is larger than one answer: ask for fewer levels, or without urn")
        yield from found["edges"]
        return
    where = _filters(options, "start", "end", "program", "data")
    for run in pages(lambda cursor: catalog.list_runs(limit=PAGE_ROWS, cursor=cursor, **where), "runs"):
        for access in run["accesses"]:
            yield from _of_access(run, access)


def _of_access(run: Document, access: Mapping[str, Any]) -> Iterator[Document]:
    told = {
        "runs": [run["urn"]],
        "runCount": 1,
        "start": access["first"],
        "end": access["last"],
        "reportedBy": run["actor"],
        "declared": False,
        "access": access["mode"],
    }
    if access["mode"] != "write":
        yield told | {"source": access["data"], "target": run["program"]}
    if access["mode"] not in ("read", "unknown"):
        yield told | {"source": run["program"], "target": access["data"]}


def _log(catalog: Operations, options: Options) -> list[Piece]:
    after = options.number("after", 0, least=0, most=_SEQ_MAX)
    until = options.number("until", head(catalog), least=0, most=_SEQ_MAX)
    # Of a read without pieces Spark would ask for one that is none.
    return ranges(after, until, options.partitions) or [Piece()]


_SEARCHED = (*(one.name for one in FILTERS), "includeRemoved")
QUESTIONS: Mapping[str, Question] = {
    "entities": Question(("namespace", "type", "prefix", "pushdown"), _by_namespace, _entities),
    "aspects": Question(("namespace", "type", "aspect", "pushdown"), _by_namespace, _aspects),
    "search": Question(("query", *_SEARCHED, "pushdown"), _whole, _hits),
    "edges": Question(("urn", *_WINDOW, "program", "data", "pushdown"), _whole, _edges),
    "changes": Question(("namespace", "urn", "type", "after", "until", "pushdown"), _log, changes),
}
