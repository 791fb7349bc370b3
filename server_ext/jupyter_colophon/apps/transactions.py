"""Run transactions of applications, each on a thread of its own.

Writers of a process share the thread that commits for all of them. Code of a package must not run there: it is given a
thread for each transaction, and the committing thread waits for it for a limited time.
"""

import time
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from threading import Event, Thread
from typing import Any, Generic, Self, TypeVar

from jupyter_colophon.apps.tables import AppTables, OpenTransaction, create_no_namespace_error
from jupyter_colophon.apps.transaction_thread import mark_transaction_thread, require_no_transaction
from jupyter_colophon.core.errors import SystemAppTimeout, TransactionTimeout
from jupyter_colophon.core.read_budget import limit_reads_of_thread
from jupyter_colophon.storage.app_files.rows import read_generation
from jupyter_colophon.storage.spi import StorageProvider, TableContext, TableSpec
from jupyter_colophon.storage.transaction_lifetime import WRITE_S

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AppTransactions:
    """Runs the transactions of one call of a handler, until its time limit."""

    app: str
    provider: StorageProvider
    specs: Mapping[str, TableSpec]
    #: The namespace of the call; empty if it has none.
    context: str
    timeout_s: float
    #: The time limit of the call (`time.monotonic`).
    deadline: float
    #: The generation of each namespace at its first use by the call.
    generations: dict[str, int] = field(default_factory=dict, kw_only=True)

    def run(self, work: Callable[[AppTables], T], *, read_only: bool) -> T:
        """Run a callable in one transaction. Raises NotFound if the namespace of the call no longer exists.

        A transaction that takes too long, or would end after the time limit of the call, is rolled back.
        """
        require_no_transaction()

        def run_on_own_thread(tx: TableContext) -> T:
            transaction = OpenTransaction(tx)
            self.begin(transaction, read_only=read_only)
            limit = min(WRITE_S, self.require_time_left())
            task = _TransactionTask(lambda: work(AppTables(transaction, self.specs)))
            Thread(target=task.run, name=f"colophon-app-{self.app}-transaction", daemon=True).start()
            is_done = task.done.wait(limit)
            transaction.end()
            if not is_done:
                raise TransactionTimeout(
                    f"a transaction of the system application {self.app} took longer than {limit:g} s, and was rolled back"
                )
            self.require_time_left()
            return task.get_result_or_raise()

        # A thread that writes may commit for others, which have limits of their own.
        with limit_reads_of_thread(self.require_time_left()) if read_only else nullcontext():
            return self.provider.tx_runner.run(run_on_own_thread, read_only=read_only)

    def begin(self, transaction: OpenTransaction, *, read_only: bool) -> None:
        """Check a transaction before the callable runs. Raises NotFound if the namespace of the call does not exist."""
        if self.context:
            transaction.require_namespace(self.context)
            self.require_first_generation(transaction.tx)

    def require_first_generation(self, tx: TableContext) -> None:
        """Raise NotFound if the namespace was created again since the call used it first."""
        generation = read_generation(tx, self.context)
        if self.generations.setdefault(self.context, generation) != generation:
            raise create_no_namespace_error(self.context)

    def in_namespace(self, name: str) -> Self:
        """Return the transactions of the same call in another namespace."""
        return replace(self, context=name)

    def run_on_platform_tables(self, work: Callable[[TableContext], T], *, read_only: bool) -> T:
        """Run a callable of the platform in one transaction, which does not end after the time limit of the call."""
        require_no_transaction()

        def run_in_time(tx: TableContext) -> T:
            self.require_first_generation(tx)
            result = work(tx)
            self.require_time_left()
            return result

        with limit_reads_of_thread(self.require_time_left()) if read_only else nullcontext():
            return self.provider.tx_runner.run(run_in_time, read_only=read_only)

    def require_time_left(self) -> float:
        """Return the time left for the call in seconds. Raises SystemAppTimeout after its limit."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise SystemAppTimeout(self.app, self.timeout_s)
        return left


class _TransactionTask(Generic[T]):
    def __init__(self, work: Callable[[], T]) -> None:
        self._work = work
        self._value: Any = None
        self._error: BaseException | None = None
        self.done = Event()

    def run(self) -> None:
        try:
            with mark_transaction_thread():
                self._value = self._work()
        except (SystemExit, KeyboardInterrupt) as error:
            # On the committing thread, it would end the server.
            self._error = RuntimeError(f"the callable of a transaction raised {type(error).__name__}")
            self._error.__cause__ = error
        except BaseException as error:  # noqa: BLE001  the thread of the call raises it
            self._error = error
        self.done.set()

    def get_result_or_raise(self) -> T:
        if self._error is not None:
            raise self._error
        value: T = self._value
        return value
