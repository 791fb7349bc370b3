"""Bulk writes of proposals: a load of batches, each identified by partition and number, so that it is applied once.

The attempt is not part of the identity: a repeated task sends the same batches and gets the original results. A batch ends
after a maximum number of rows or bytes, and therefore always at the same row. A load that was committed or aborted accepts
no more batches: tasks may still be sending after Spark has aborted a write.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any, Final, TypeVar

from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceWriter, WriterCommitMessage

from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.problems import ClientError, RequestFailed, ServerUnavailable
from jupyter_colophon.spark.source.bad_records import BadRecords
from jupyter_colophon.spark.source.options import (
    BATCH_ROWS,
    BATCH_ROWS_MAX,
    FIRST_RETRY_TIMEOUT_S,
    RETRY_TIMEOUT_S,
    InvalidOption,
    SourceOptions,
    choose_load_name,
)
from jupyter_colophon.spark.source.user_errors import UserError, hide_traceback

T = TypeVar("T")
#: Maximum size of a batch in bytes; the default limit of the server is 10 MiB.
_BATCH_BYTES: Final = 4 * 1024 * 1024
_PAUSES_S: Final = (0.2, 0.5, 1.0, 2.0, 5.0)
#: The members of a proposal by column name.
_MEMBERS: Final[Mapping[str, str]] = {
    name.lower(): name
    for name in ("urn", "aspect", "operation", "value", "ifVersion", "ifAbsent", "run", "systemMetadata")
}
#: Members that are documents: a string in such a column is parsed as JSON.
_DOCUMENTS: Final = frozenset({"value", "systemMetadata"})


class RowsRejected(UserError):
    """Rows were rejected, and no folder for them is set."""


@dataclass(frozen=True)
class TaskResult(WriterCommitMessage):
    """The result of a task."""

    written: int
    unchanged: int
    refused: int
    example: str


class LoadWriter(DataSourceWriter):
    """Write the rows of a DataFrame as proposals."""

    def __init__(self, options: SourceOptions, schema: Any) -> None:
        options.require_known_options("jobId", "batchSize", "badRecordsPath", "retryTimeout")
        self.options = options
        self.columns = _map_columns(schema)
        self.size = options.get_number("batchSize", BATCH_ROWS, minimum=1, maximum=BATCH_ROWS_MAX)
        self.retry_timeout_s = options.get_number("retryTimeout", RETRY_TIMEOUT_S, minimum=0, maximum=86_400)
        self.bad_records = BadRecords.from_option(options.filters.get("badrecordspath"))
        self.load = choose_load_name(options.filters.get("jobid"))
        first_retry_timeout_s = options.get_number("retryTimeout", FIRST_RETRY_TIMEOUT_S, minimum=0, maximum=86_400)
        self._call_server(lambda catalog: catalog.open_load(self.load), first_retry_timeout_s)

    @hide_traceback()
    def write(self, iterator: Iterator[Any]) -> TaskResult:
        """Write the rows of a partition."""
        partition = TaskContext.get().partitionId()  # type: ignore[union-attr]
        catalog = self.options.connect_to_server()
        written = unchanged = refused = 0
        example = ""
        try:
            for number, batch in enumerate(split_batches(map(self._build_proposal, iterator), self.size)):
                done = self._retry_while_unavailable(
                    lambda: catalog.load_batch(self.load, _build_batch_body(partition, number, batch))  # noqa: B023
                )
                written, unchanged = written + done["written"], unchanged + done["unchanged"]
                if done["rejected"]:
                    refused += len(done["rejected"])
                    example = example or _describe_rejection(done["rejected"][0])
                    if self.bad_records is not None:
                        self.bad_records.write_rejected(self.load, partition, number, batch, done["rejected"])
        finally:
            catalog.close()
        return TaskResult(written, unchanged, refused, example)

    @hide_traceback()
    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """Commit the load. Raises RowsRejected if rows were rejected that are not stored."""
        self._call_server(lambda catalog: catalog.end_load(self.load, {"state": "committed"}))
        sent = [message for message in messages if isinstance(message, TaskResult)]
        refused = sum(message.refused for message in sent)
        if refused and self.bad_records is None:
            example = next(message.example for message in sent if message.example)
            raise RowsRejected(
                f"{refused} rows were rejected; the others of load {self.load} were written: {example}. "
                "To store rejected rows, set option('badRecordsPath', …)"
            )

    @hide_traceback()
    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        """Abort the load: batches that tasks still send are rejected. Applied batches are kept."""
        # Spark calls this also after a failed commit, when the load has ended.
        with suppress(RequestFailed):
            self._call_server(lambda catalog: catalog.end_load(self.load, {"state": "aborted"}))

    def _build_proposal(self, row: Any) -> bytes:
        """Return a row as a proposal; null values are omitted."""
        proposal = {"operation": "upsert"}
        for (column, member), value in zip(self.columns, row, strict=True):
            if value is not None:
                proposal[member] = _to_json_value(value, member, column)
        return json.dumps(proposal, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")

    def _call_server(self, ask: Callable[[Operations], T], retry_timeout_s: float | None = None) -> T:
        catalog = self.options.connect_to_server()
        try:
            return self._retry_while_unavailable(lambda: ask(catalog), retry_timeout_s)
        finally:
            catalog.close()

    def _retry_while_unavailable(self, ask: Callable[[], T], retry_timeout_s: float | None = None) -> T:
        """Repeat a request while the server is unavailable or overloaded; repeated requests are applied once."""
        deadline = time.monotonic() + (self.retry_timeout_s if retry_timeout_s is None else retry_timeout_s)
        for pause_s in chain(_PAUSES_S, repeat(_PAUSES_S[-1])):
            try:
                return ask()
            except ClientError as error:
                is_temporary = isinstance(error, ServerUnavailable) or (
                    isinstance(error, RequestFailed) and error.is_temporary
                )
                if not is_temporary or time.monotonic() + pause_s > deadline:
                    raise
            time.sleep(pause_s)
        raise AssertionError


def _build_batch_body(partition: int, number: int, rows: Sequence[bytes]) -> bytes:
    """Return a batch (`LoadBatch`) of rows that are JSON already."""
    return b'{"partition":%d,"number":%d,"rows":[%b]}' % (partition, number, b",".join(rows))


def split_batches(rows: Iterator[bytes], size: int) -> Iterator[list[bytes]]:
    """Split rows into batches with a maximum number of rows and bytes; a larger row is a batch of its own."""
    batch: list[bytes] = []
    weight = 0
    for row in rows:
        if batch and (len(batch) == size or weight + len(row) > _BATCH_BYTES):
            yield batch
            batch, weight = [], 0
        batch.append(row)
        weight += len(row)
    if batch:
        yield batch


def _map_columns(schema: Any) -> tuple[tuple[str, str], ...]:
    """Return the columns with the proposal members that they contain. Raises InvalidOption."""
    names = [field.name for field in schema.fields]
    unknown = [name for name in names if name.lower() not in _MEMBERS]
    if unknown or "urn" not in map(str.lower, names):
        what = f"unknown column {unknown[0]!r}" if unknown else "urn is missing"
        raise InvalidOption(f"invalid columns of proposals: {what}; available: {', '.join(_MEMBERS.values())}")
    return tuple((name, _MEMBERS[name.lower()]) for name in names)


def _to_json_value(value: Any, member: str, column: str) -> Any:
    """Return a column's value for JSON."""
    if member in _DOCUMENTS and isinstance(value, str):
        # Send invalid JSON unchanged: the server rejects the row, and explains why.
        with suppress(ValueError):
            return json.loads(value)
    return _convert_nested(value)


def _convert_nested(value: Any) -> Any:
    if hasattr(value, "asDict"):
        return {name: _convert_nested(item) for name, item in value.asDict().items() if item is not None}
    if isinstance(value, dict):
        return {str(name): _convert_nested(item) for name, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray)):
        return [_convert_nested(item) for item in value]
    return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)


def _describe_rejection(refused: Mapping[str, Any]) -> str:
    """Return why a row was rejected, in one line."""
    return str(RequestFailed(refused["problem"]["status"], refused["problem"]))
