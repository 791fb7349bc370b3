"""Send several statements to the server at once, and receive all results: one round trip, and few system calls.

This is the pipeline mode of libpq, used directly, because the driver's own sends each statement separately, which took
more time than everything else that a writer does.
"""

import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import psycopg
from psycopg.abc import Buffer, PQGen
from psycopg.adapt import PyFormat, Transformer
from psycopg.pq import ConnStatus, ExecStatus, Format
from psycopg.pq.abc import PGconn, PGresult
from psycopg.waiting import Ready, Wait

#: The number of executions after which the server prepares a statement, and the most prepared statements.
_PREPARED_AFTER, _PREPARED_MAX = 3, 500
_PLACEHOLDER = re.compile(r"%(?:\((\w+)\))?s|%%")
_FAILED = (ExecStatus.FATAL_ERROR, ExecStatus.PIPELINE_ABORTED)
#: The SQL of a statement and the types of its values.
_StatementKey = tuple[bytes, tuple[int, ...]]


@dataclass(slots=True, eq=False)
class BoundStatement:
    """A statement with values for each of its executions, and the results once they were received."""

    text: str
    bound: Sequence[Sequence[Any] | Mapping[str, Any]] = ((),)
    #: Whether the server may prepare it, instead of planning it for these values.
    may_prepare: bool = True
    #: Whether it may wait for other transactions.
    may_wait: bool = False
    results: list[PGresult] = field(default_factory=list)

    @property
    def has_failed(self) -> bool:
        """Whether it failed, not one before it."""
        return any(result.status == ExecStatus.FATAL_ERROR for result in self.results)


class _Execution(NamedTuple):
    """One execution of a statement, with its values as they are sent."""

    statement: BoundStatement
    key: _StatementKey
    params: Sequence[Buffer | None]
    formats: Sequence[Format] | None


class StatementSender:
    """Send the statements of one connection, and prepare those that are executed often."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection, self._transformer = connection, Transformer(connection)
        #: How often statements were executed before they were prepared; the names of prepared ones. The least recently
        #: used is first.
        self._executions: OrderedDict[_StatementKey, int] = OrderedDict()
        self._names: OrderedDict[_StatementKey, bytes] = OrderedDict()
        self._number = 0

    def send(self, statements: Sequence[BoundStatement]) -> None:
        """Send statements and store their results. Raises psycopg.Error for the first one that failed; those after it
        were not executed. The connection is closed if not all results were received.
        """
        executions = [execution for statement in statements for execution in self._bind_values(statement)]
        connection, sent = self._connection, list[BoundStatement | _StatementKey | None]()
        with connection.lock:
            connection.pgconn.enter_pipeline_mode()
            try:
                for execution in executions:
                    self._queue_execution(execution, sent)
                self._queue_deallocation(sent)
                connection.pgconn.pipeline_sync()
                results = connection.wait(_exchange(connection.pgconn))
                connection.pgconn.exit_pipeline_mode()
            except BaseException:
                connection.close()
                raise
        self._distribute_results(sent, results)

    def _bind_values(self, statement: BoundStatement) -> Iterator[_Execution]:
        transformer = self._transformer
        sql, names = _convert_placeholders(statement.text)
        for given in statement.bound:
            values = [given[name] for name in names] if isinstance(given, Mapping) else given
            params = transformer.dump_sequence(values, [PyFormat.AUTO] * len(values))
            yield _Execution(statement, (sql, transformer.types or ()), params, transformer.formats)

    def _queue_execution(self, execution: _Execution, sent: list[BoundStatement | _StatementKey | None]) -> None:
        statement, key, params, formats = execution
        pgconn, name = self._connection.pgconn, self._names.get(key)
        if name is None and statement.may_prepare and self._is_executed_often(key, len(statement.bound)):
            name = self._names[key] = self._create_name()
            pgconn.send_prepare(name, key[0], param_types=key[1])
            sent.append(key)
        if name is None:
            pgconn.send_query_params(key[0], params, param_types=key[1], param_formats=formats)
        else:
            self._names.move_to_end(key)
            pgconn.send_query_prepared(name, params, param_formats=formats)
        sent.append(statement)

    def _is_executed_often(self, key: _StatementKey, times: int) -> bool:
        before = self._executions.pop(key, 0)
        if before + times > _PREPARED_AFTER:
            return True
        self._executions[key] = before + times
        if len(self._executions) > _PREPARED_MAX:
            self._executions.popitem(last=False)
        return False

    def _create_name(self) -> bytes:
        self._number += 1
        return f"statement_{self._number}".encode()

    def _queue_deallocation(self, sent: list[BoundStatement | _StatementKey | None]) -> None:
        while len(self._names) > _PREPARED_MAX:
            _, name = self._names.popitem(last=False)
            self._connection.pgconn.send_query_params(b"DEALLOCATE " + name, None)
            sent.append(None)

    def _distribute_results(
        self, sent: Sequence[BoundStatement | _StatementKey | None], results: Sequence[PGresult]
    ) -> None:
        failure: PGresult | None = None
        for source, result in zip(sent, results, strict=False):
            is_failed = result.status in _FAILED
            if is_failed:
                failure = failure or result
            if isinstance(source, BoundStatement):
                source.results.append(result)
            elif source is not None and is_failed:
                self._names.pop(source, None)
        if failure is not None:
            raise psycopg.errors.error_from_result(failure)


def _exchange(pgconn: PGconn) -> PQGen[list[PGresult]]:
    """Send what is queued; return the results before the synchronization, or those before the server ended."""
    while pgconn.flush() != 0:
        if (yield Wait.RW) & Ready.R:
            pgconn.consume_input()
    results: list[PGresult] = []
    while (yield from _receive_result(pgconn, results)):
        pass
    return results


def _receive_result(pgconn: PGconn, results: list[PGresult]) -> PQGen[bool]:
    """Append the next result; return whether there may be more."""
    try:
        while pgconn.is_busy():
            if (yield Wait.R):
                pgconn.consume_input()
    except psycopg.OperationalError:
        # The server may have sent the reason before it ended the connection.
        if results and results[-1].status == ExecStatus.FATAL_ERROR:
            return False
        raise
    result = pgconn.get_result()
    if result is None:
        # The end of the results of one statement.
        return pgconn.status != ConnStatus.BAD
    if result.status == ExecStatus.PIPELINE_SYNC:
        return False
    results.append(result)
    return True


@lru_cache(maxsize=1_000)
def _convert_placeholders(text: str) -> tuple[bytes, tuple[str, ...]]:
    """Return a statement with the placeholders of libpq, and the names of its values, which are empty if it has none."""
    names: list[str] = []

    def replace_placeholder(found: re.Match[str]) -> str:
        if found.group() == "%%":
            return "%"
        name = found.group(1)
        if not name or name not in names:
            names.append(name or "")
            return f"${len(names)}"
        return f"${names.index(name) + 1}"

    numbered = _PLACEHOLDER.sub(replace_placeholder, text).encode()
    return numbered, tuple(names)
