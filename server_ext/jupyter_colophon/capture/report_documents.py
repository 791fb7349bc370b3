"""Conversion of observations to documents of the native API (schemas/api): accesses of a run, and proposals for its outputs."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from jupyter_colophon.capture.names import dataset_names
from jupyter_colophon.capture.observation import OPEN, ColumnFlow, DataRef, DatasetKind, Inference, Observation
from jupyter_colophon.core.time_format import format_ms_as_iso_time

Document = dict[str, Any]

#: Limits of schemas/api/accesses.json and of a property's value in technicalMetadata.
MAX_ACCESSES = 1_000
MAX_COLUMNS = 10_000
#: The property of a table with the time at which it was dropped.
DROPPED = "dropped"
#: How many versions of an access the catalog keeps.
MAX_VERSIONS = 20
MAX_VALUE_BYTES = 10_240

#: The component of accesses that only the names in the code connect (docs/spark-lineage.md).
INFERRED = "inferred by name"
#: The component of accesses of which only the opening of a file was seen (docs/library-lineage.md).
OPENED = "opened file"


def build_access_documents(observations: Iterable[Observation]) -> Iterator[Document]:
    """Yield as few `Accesses` documents for the observations as the limits allow; none without reads and writes.

    Accesses with the same number belong to one statement, and are in the same document. If several actions derived a
    column from the same source column, the transformation of the last is reported.
    """
    statements: dict[tuple[frozenset[str], frozenset[str]], list[Observation]] = {}
    columns: dict[tuple[str, str, str, str], str] = {}
    for observation in observations:
        for flow in _split_statement([ref.urn for ref in observation.reads], [ref.urn for ref in observation.writes]):
            statements.setdefault(flow, []).append(observation)
        columns.update((_get_flow_endpoints(edge), str(edge.transformation)) for edge in observation.columns)
    groups = [_build_access_rows(number, *flow, seen) for number, (flow, seen) in enumerate(statements.items())]
    edges = [dict(zip(_END_NAMES, ends, strict=True), transformation=how) for ends, how in columns.items()]
    yield from _fill_access_documents(groups, edges)


_END_NAMES = ("source", "sourceField", "target", "targetField")


def _get_flow_endpoints(edge: ColumnFlow) -> tuple[str, str, str, str]:
    return (edge.source_urn, edge.source_field, edge.target_urn, edge.target_field)


def _split_statement(reads: Sequence[str], writes: Sequence[str]) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Yield the reads and writes of a statement, in several parts if they exceed one call.

    Each part of the reads is combined with each part of the writes, so that the lineage stays the same.
    """
    read_parts = _split_urns(reads) if len(reads) + len(writes) > MAX_ACCESSES else [reads]
    write_parts = _split_urns(writes) if len(reads) + len(writes) > MAX_ACCESSES else [writes]
    for read in read_parts:
        for write in write_parts:
            if read or write:
                yield frozenset(read), frozenset(write)


def _split_urns(urns: Sequence[str]) -> list[Sequence[str]]:
    size = MAX_ACCESSES // 2
    return [urns[at : at + size] for at in range(0, len(urns), size)] or [()]


def _build_access_rows(
    number: int, reads: frozenset[str], writes: frozenset[str], observations: Sequence[Observation]
) -> list[Document]:
    """Return the accesses of a statement: one for each dataset, or for each version of a table."""
    observation = observations[0]
    accesses = [*((urn, "read") for urn in sorted(reads)), *((urn, "write") for urn in sorted(writes))]
    common: Document = {"time": format_ms_as_iso_time(observation.started_ms), "statement": number}
    if observation.inference is Inference.NAME and reads and writes:
        common["component"] = INFERRED
    elif observation.function == OPEN:
        common["component"] = OPENED
    versions = _collect_versions(observations)
    if sum(len(versions.get(access, ("",))) for access in accesses) > MAX_ACCESSES:
        versions = {access: found[-1:] for access, found in versions.items()}
    return [
        {"data": urn, "mode": mode, **common} | ({"tableVersion": version} if version else {})
        for urn, mode in accesses
        for version in versions.get((urn, mode), ("",))
    ]


def _collect_versions(observations: Iterable[Observation]) -> dict[tuple[str, str], tuple[str, ...]]:
    """Return the newest versions of each dataset that was read or written, by URN and mode."""
    versions: dict[tuple[str, str], dict[str, None]] = {}
    for observation in observations:
        for mode, refs in (("read", observation.reads), ("write", observation.writes)):
            for ref in refs:
                versions.setdefault((ref.urn, mode), {}).update(dict.fromkeys(ref.versions))
    return {access: tuple(found)[-MAX_VERSIONS:] for access, found in versions.items() if found}


def _fill_access_documents(groups: Sequence[list[Document]], edges: Sequence[Document]) -> Iterator[Document]:
    waiting = list(groups)
    while waiting or edges:
        # A call needs an access: repeat a statement to send further columns.
        rows = list(waiting.pop(0)) if waiting else list(groups[0])
        while waiting and len(rows) + len(waiting[0]) <= MAX_ACCESSES:
            rows += waiting.pop(0)
        yield {"accesses": rows, "columns": list(edges[:MAX_COLUMNS])}
        edges = edges[MAX_COLUMNS:]


def build_written_data_proposals(ref: DataRef, run: str) -> list[Document]:
    """Return proposals for `schemaMetadata` and `technicalMetadata` (SYSTEM) of written data; none for a variable.

    The latter is a merge patch, which keeps the properties of other systems.
    """
    if ref.kind is DatasetKind.VARIABLE:
        # Its name has everything that is known of it.
        return []
    documents = []
    if ref.fields:
        fields = [
            {"fieldPath": field.path, "nativeDataType": field.type, "nullable": field.nullable} for field in ref.fields
        ]
        documents.append(_build_proposal(ref.urn, "schemaMetadata", "upsert", {"fields": fields}, run))
    location = dataset_names.strip_credentials(ref.location) if ref.location else None
    all_properties = {"type": str(ref.kind), "format": ref.format, "location": location}
    properties: dict[str, str | None] = {
        key: value for key, value in all_properties.items() if value and len(value.encode()) <= MAX_VALUE_BYTES
    }
    if ref.kind in (DatasetKind.TABLE, DatasetKind.VIEW):
        # The null of a merge patch removes the mark of a table that was dropped before.
        properties[DROPPED] = None
    if properties:
        documents.append(_build_proposal(ref.urn, "technicalMetadata", "patch", {"properties": properties}, run))
    return documents


def _build_proposal(urn: str, aspect: str, operation: str, value: Document, run: str) -> Document:
    return {"urn": urn, "aspect": aspect, "operation": operation, "value": value, "run": run}
