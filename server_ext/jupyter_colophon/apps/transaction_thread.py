"""Mark the threads that run the callables of transactions: there, nothing that opens another transaction may be called."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import local

_thread_state = local()


class TransactionMisused(RuntimeError):
    """Code of an application uses a transaction after its end, or opens one inside another."""


@contextmanager
def mark_transaction_thread() -> Iterator[None]:
    """Mark this thread as one that runs the callable of a transaction."""
    _thread_state.is_in_transaction = True
    try:
        yield
    finally:
        _thread_state.is_in_transaction = False


def require_no_transaction() -> None:
    """Raise TransactionMisused on a thread that runs the callable of a transaction."""
    if getattr(_thread_state, "is_in_transaction", False):
        raise TransactionMisused(
            "execute, files, admin and fetch cannot be used inside execute, since they use transactions of their own: "
            "call them before or after it"
        )
