"""Writing proposals in bulk: a load of batches, each told by its partition and its number, so that it is applied once.

Never by the attempt: a task that is run again sends the same batches, which have their first answers. A batch ends after
so many rows or so many bytes, whichever comes first, and so always at the same row. A load that was committed or aborted
takes no batch any more: tasks may still be sending when Spark has given a write up.
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
    FIRST_PATIENCE_S,
    PATIENCE_S,
    Options,
    WrongOption,
    load_name,
)
from jupyter_colophon.spark.source.user_errors import Mistake, told_plainly

T = TypeVar("T")
#: How many bytes of rows a batch has; the server takes 10 MiB unless it is told otherwise.
_BATCH_BYTES: Final = 4 * 1024 * 1024
_PAUSES_S: Final = (0.2, 0.5, 1.0, 2.0, 5.0)
#: The members of a proposal by the names that columns may have.
_MEMBERS: Final[Mapping[str, str]] = {
    name.lower(): name
    for name in ("urn", "aspect", "operation", "value", "ifVersion", "ifAbsent", "run", "systemMetadata")
}
#: Members that are documents: a text in such a column is the document as JSON.
_DOCUMENTS: Final = frozenset({"value", "systemMetadata"})


class RowsRefused(Mistake):
    """Rows were refused, and nobody said where to keep them."""


@dataclass(frozen=True)
class Sent(WriterCommitMessage):
    """What became of the rows of a task."""

    written: int
    unchanged: int
    refused: int
    example: str


class LoadWriter(DataSourceWriter):
    """Sends the rows of a DataFrame as proposals."""

    def __init__(self, options: Options, schema: Any) -> None:
        options.require_known("jobId", "batchSize", "badRecordsPath", "retryTimeout")
        self.options = options
        self.columns = _columns(schema)
        self.size = options.number("batchSize", BATCH_ROWS, least=1, most=BATCH_ROWS_MAX)
        self.patience_s = options.number("retryTimeout", PATIENCE_S, least=0, most=86_400)
        self.bad = BadRecords.at(options.filters.get("badrecordspath"))
        self.load = load_name(options.filters.get("jobid"))
        first_s = options.number("retryTimeout", FIRST_PATIENCE_S, least=0, most=86_400)
        self._ask(lambda catalog: catalog.open_load(self.load), first_s)

    @told_plainly()
    def write(self, iterator: Iterator[Any]) -> Sent:
        """Send the rows of a partition."""
        partition = TaskContext.get().partitionId()  # type: ignore[union-attr]
        catalog = self.options.catalog()
        written = unchanged = refused = 0
        example = ""
        try:
            for number, batch in enumerate(batches(map(self._document, iterator), self.size)):
                done = self._patiently(lambda: catalog.load_batch(self.load, _body(partition, number, batch)))  # noqa: B023
                written, unchanged = written + done["written"], unchanged + done["unchanged"]
                if done["rejected"]:
                    refused += len(done["rejected"])
                    example = example or _sentence(done["rejected"][0])
                    if self.bad is not None:
                        self.bad.keep(self.load, partition, number, batch, done["rejected"])
        finally:
            catalog.close()
        return Sent(written, unchanged, refused, example)

    @told_plainly()
    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """Commit the load: it takes no batch any more. Raises RowsRefused where rows are lost otherwise."""
        self._ask(lambda catalog: catalog.end_load(self.load, {"state": "committed"}))
        sent = [one for one in messages if isinstance(one, Sent)]
        refused = sum(one.refused for one in sent)
        if refused and self.bad is None:
            example = next(one.example for one in sent if one.example)
            raise RowsRefused(
                f"{refused} rows were refused, the others of load {self.load} are written: {example}. "
                "To keep refused rows aside, say option('badRecordsPath', …)"
            )

    @told_plainly()
    def abort(self, messages: list[WriterCommitMessage | None]) -> None:
        """Abort the load: what tasks still send is refused. What was applied stays."""
        # A commit that raised is followed by this: the load has ended then.
        with suppress(RequestFailed):
            self._ask(lambda catalog: catalog.end_load(self.load, {"state": "aborted"}))

    def _document(self, row: Any) -> bytes:
        """A row as a proposal; what is null is not said."""
        told = {"operation": "upsert"}
        for (column, member), value in zip(self.columns, row, strict=True):
            if value is not None:
                told[member] = _plain(value, member, column)
        return json.dumps(told, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")

    def _ask(self, ask: Callable[[Operations], T], patience_s: float | None = None) -> T:
        catalog = self.options.catalog()
        try:
            return self._patiently(lambda: ask(catalog), patience_s)
        finally:
            catalog.close()

    def _patiently(self, ask: Callable[[], T], patience_s: float | None = None) -> T:
        """Ask again while the server is away or too busy: what is sent twice is done once."""
        deadline = time.monotonic() + (self.patience_s if patience_s is None else patience_s)
        for pause_s in chain(_PAUSES_S, repeat(_PAUSES_S[-1])):
            try:
                return ask()
            except ClientError as error:
                passing = isinstance(error, ServerUnavailable) or (
                    isinstance(error, RequestFailed) and error.is_temporary
                )
                if not passing or time.monotonic() + pause_s > deadline:
                    raise
            time.sleep(pause_s)
        raise AssertionError


def _body(partition: int, number: int, rows: Sequence[bytes]) -> bytes:
    """Return a batch (`LoadBatch`) of rows that are JSON already."""
    return b'{"partition":%d,"number":%d,"rows":[%b]}' % (partition, number, b",".join(rows))


def batches(rows: Iterator[bytes], size: int) -> Iterator[list[bytes]]:
    """Rows in batches of so many, and of so many bytes unless a row alone has more."""
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


def _columns(schema: Any) -> tuple[tuple[str, str], ...]:
    """The columns and the members of a proposal that they are. Raises WrongOption."""
    names = [field.name for field in schema.fields]
    strange = [name for name in names if name.lower() not in _MEMBERS]
    if strange or "urn" not in map(str.lower, names):
        what = f"{strange[0]!r} is none of them" if strange else "urn is missing"
        raise WrongOption(f"the columns of proposals are {', '.join(_MEMBERS.values())}: {what}")
    return tuple((name, _MEMBERS[name.lower()]) for name in names)


def _plain(value: Any, member: str, column: str) -> Any:
    """A column's value as JSON has it."""
    if member in _DOCUMENTS and isinstance(value, str):
        # What is no JSON goes as it is: the server refuses that row, and says where.
        with suppress(ValueError):
            return json.loads(value)
    return _nested(value)


def _nested(value: Any) -> Any:
    if hasattr(value, "asDict"):
        return {name: _nested(one) for name, one in value.asDict().items() if one is not None}
    if isinstance(value, dict):
        return {str(name): _nested(one) for name, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray)):
        return [_nested(one) for one in value]
    return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)


def _sentence(refused: Mapping[str, Any]) -> str:
    """Why a row was refused, in one line."""
    return str(RequestFailed(refused["problem"]["status"], refused["problem"]))
