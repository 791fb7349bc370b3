"""What one request may read: until when, and how much. What reads on its thread keeps to it, in the store and in loops."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from jupyter_colophon.core.documents.json_values import is_larger
from jupyter_colophon.core.errors import TooLarge, TransactionTimeout

T = TypeVar("T")
#: How many bytes of texts one request may read from the store. One aspect has at most 16 MiB.
READ_BYTES_MAX: Final = 512 * 1024 * 1024
#: After how many bytes a page ends, and its cursor leads on. A single item is always answered whole.
PAGE_BYTES_MAX: Final = 4 * 1024 * 1024
#: How many bytes a list without a cursor may have. A single item is always answered whole.
LIST_BYTES_MAX: Final = 16 * 1024 * 1024
#: No read is answered with more, whatever it is: it is refused.
ANSWER_BYTES_MAX: Final = 64 * 1024 * 1024


def require_answer_size(document: Any) -> None:
    """Raise TooLarge for a document that is larger than any answer."""
    if is_larger(document, ANSWER_BYTES_MAX):
        raise TooLarge(f"the answer would have more than {ANSWER_BYTES_MAX} bytes: ask for less")


@dataclass(slots=True)
class ReadBudget:
    """Until when (`time.monotonic`) a request may read, and how many bytes are left."""

    seconds: float
    until: float
    bytes_left: int = READ_BYTES_MAX

    def require_time(self) -> None:
        """Raise TransactionTimeout when the time is up."""
        if time.monotonic() > self.until:
            raise TransactionTimeout(f"the question took longer than {self.seconds:g} s and was given up: ask for less")

    def spend(self, count: int) -> None:
        """Count bytes that were read. Raises TooLarge when there are too many."""
        self.bytes_left -= count
        if self.bytes_left < 0:
            raise TooLarge(f"this would read more than {READ_BYTES_MAX} bytes: ask for less, with a smaller limit")


def take_page(items: Iterable[T], measure: Callable[[T], int], bytes_max: int = PAGE_BYTES_MAX) -> Iterator[T]:
    """Yield items until they have more than `bytes_max` bytes together; the rest is left for the next page."""
    size = 0
    for item in items:
        yield item
        size += measure(item)
        if size > bytes_max:
            return


class _Current(threading.local):
    budget: ReadBudget | None = None


_current = _Current()


@contextmanager
def limit_reads(seconds: float) -> Iterator[None]:
    """Give what reads on this thread meanwhile so many seconds, and READ_BYTES_MAX."""
    _current.budget = ReadBudget(seconds, time.monotonic() + seconds)
    try:
        yield
    finally:
        _current.budget = None


def current_budget() -> ReadBudget | None:
    """Return the budget of this thread; None where nothing limits it."""
    return _current.budget


def require_time() -> None:
    """Raise TransactionTimeout when the time of this thread's request is up: for loops that read nothing."""
    if _current.budget is not None:
        _current.budget.require_time()
