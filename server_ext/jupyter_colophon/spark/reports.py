"""What was observed, as documents of the native API (schemas/api): accesses of a run, proposals for what it wrote."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from jupyter_colophon.core.timegrammar import format_time
from jupyter_colophon.spark.observation import ColumnEdge, DataRef, Observation

Document = dict[str, Any]

#: Limits of schemas/api/accesses.json and of a property's value in technicalMetadata.
ACCESSES_A_CALL = 1_000
COLUMNS_A_CALL = 10_000
VALUE_BYTES = 10_240


def accesses(observations: Iterable[Observation]) -> Iterator[Document]:
    """`Accesses` documents for what was observed, as few as the limits allow; none if nothing was touched.

    Where several actions made a column from the same one, the last says how.
    """
    touched: dict[tuple[str, str], int] = {}
    columns: dict[tuple[str, str, str, str], str] = {}
    for observation in observations:
        for refs, mode in ((observation.reads, "read"), (observation.writes, "write")):
            for ref in refs:
                touched.setdefault((ref.urn, mode), observation.started_ms)
        columns.update((_ends(edge), str(edge.transformation)) for edge in observation.columns)
    rows = [{"data": urn, "mode": mode, "time": format_time(ms)} for (urn, mode), ms in touched.items()]
    edges = [dict(zip(_END_NAMES, ends, strict=True), transformation=how) for ends, how in columns.items()]
    yield from _in_calls(rows, edges)


_END_NAMES = ("source", "sourceField", "target", "targetField")


def _ends(edge: ColumnEdge) -> tuple[str, str, str, str]:
    return (edge.source_urn, edge.source_field, edge.target_urn, edge.target_field)


def _in_calls(rows: Sequence[Document], edges: Sequence[Document]) -> Iterator[Document]:
    while rows or edges:
        # A call needs an access: further columns travel with one that the server has seen before.
        last = rows[:1]
        yield {"accesses": list(rows[:ACCESSES_A_CALL]), "columns": list(edges[:COLUMNS_A_CALL])}
        rows, edges = rows[ACCESSES_A_CALL:], edges[COLUMNS_A_CALL:]
        if edges and not rows:
            rows = last


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
    known = {"type": str(ref.kind), "format": ref.format, "location": ref.location}
    properties = {key: value for key, value in known.items() if value and len(value.encode()) <= VALUE_BYTES}
    if properties:
        found.append(_proposal(ref.urn, "technicalMetadata", "patch", {"properties": properties}, run))
    return found


def _proposal(urn: str, aspect: str, operation: str, value: Document, run: str) -> Document:
    return {"urn": urn, "aspect": aspect, "operation": operation, "value": value, "run": run}
