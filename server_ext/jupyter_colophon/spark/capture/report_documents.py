"""What was observed, as documents of the native API (schemas/api): accesses of a run, proposals for what it wrote."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from jupyter_colophon.core.time_format import format_time
from jupyter_colophon.spark.names import dataset_names
from jupyter_colophon.spark.plans.observation import ColumnEdge, DataRef, Observation

Document = dict[str, Any]

#: Limits of schemas/api/accesses.json and of a property's value in technicalMetadata.
ACCESSES_A_CALL = 1_000
COLUMNS_A_CALL = 10_000
VALUE_BYTES = 10_240


def accesses(observations: Iterable[Observation]) -> Iterator[Document]:
    """Return `Accesses` documents for what was observed, as few as the limits allow; none if nothing was touched.

    Accesses with the same number belong to one statement, and stand in one document. Where several actions made a
    column from the same one, the last says how.
    """
    statements: dict[tuple[frozenset[str], frozenset[str]], int] = {}
    columns: dict[tuple[str, str, str, str], str] = {}
    for observation in observations:
        for flow in _split_statement([ref.urn for ref in observation.reads], [ref.urn for ref in observation.writes]):
            statements.setdefault(flow, observation.started_ms)
        columns.update((_ends(edge), str(edge.transformation)) for edge in observation.columns)
    groups = [_access_rows(number, *flow, ms) for number, (flow, ms) in enumerate(statements.items())]
    edges = [dict(zip(_END_NAMES, ends, strict=True), transformation=how) for ends, how in columns.items()]
    yield from _fill_calls(groups, edges)


_END_NAMES = ("source", "sourceField", "target", "targetField")


def _ends(edge: ColumnEdge) -> tuple[str, str, str, str]:
    return (edge.source_urn, edge.source_field, edge.target_urn, edge.target_field)


def _split_statement(reads: Sequence[str], writes: Sequence[str]) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Return a statement as one pair of reads and writes, or several where one call has no room for it.

    Each part of the reads goes with each part of the writes, so that the same data flows into the same data.
    """
    read_parts = _in_parts(reads) if len(reads) + len(writes) > ACCESSES_A_CALL else [reads]
    write_parts = _in_parts(writes) if len(reads) + len(writes) > ACCESSES_A_CALL else [writes]
    for read in read_parts:
        for write in write_parts:
            if read or write:
                yield frozenset(read), frozenset(write)


def _in_parts(urns: Sequence[str]) -> list[Sequence[str]]:
    size = ACCESSES_A_CALL // 2
    return [urns[at : at + size] for at in range(0, len(urns), size)] or [()]


def _access_rows(number: int, reads: frozenset[str], writes: frozenset[str], ms: int) -> list[Document]:
    touched = [*((urn, "read") for urn in sorted(reads)), *((urn, "write") for urn in sorted(writes))]
    return [{"data": urn, "mode": mode, "time": format_time(ms), "statement": number} for urn, mode in touched]


def _fill_calls(groups: Sequence[list[Document]], edges: Sequence[Document]) -> Iterator[Document]:
    waiting = list(groups)
    while waiting or edges:
        # A call needs an access: further columns travel with a statement that the server has seen before.
        rows = list(waiting.pop(0)) if waiting else list(groups[0])
        while waiting and len(rows) + len(waiting[0]) <= ACCESSES_A_CALL:
            rows += waiting.pop(0)
        yield {"accesses": rows, "columns": list(edges[:COLUMNS_A_CALL])}
        edges = edges[COLUMNS_A_CALL:]


def proposals(ref: DataRef, run: str) -> list[Document]:
    """What a machine knows of written data: proposals for `schemaMetadata` and `technicalMetadata` (SYSTEM).

    The latter is a merge patch: other machines' properties stay.
    """
    found = []
    if ref.fields:
        fields = [
            {"fieldPath": field.path, "nativeDataType": field.type, "nullable": field.nullable} for field in ref.fields
        ]
        found.append(_proposal(ref.urn, "schemaMetadata", "upsert", {"fields": fields}, run))
    location = dataset_names.without_credentials(ref.location) if ref.location else None
    known = {"type": str(ref.kind), "format": ref.format, "location": location}
    properties = {key: value for key, value in known.items() if value and len(value.encode()) <= VALUE_BYTES}
    if properties:
        found.append(_proposal(ref.urn, "technicalMetadata", "patch", {"properties": properties}, run))
    return found


def _proposal(urn: str, aspect: str, operation: str, value: Document, run: str) -> Document:
    return {"urn": urn, "aspect": aspect, "operation": operation, "value": value, "run": run}
