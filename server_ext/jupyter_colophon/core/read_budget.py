"""Limit the time and the amount of data that one request may read, in the store and in loops on its thread."""

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from jupyter_colophon.core.documents.json_parsing import refuse_too_large_response
from jupyter_colophon.core.documents.json_values import is_larger_as_json
from jupyter_colophon.core.errors import TooLarge, TransactionTimeout

T = TypeVar("T")
#: How many bytes of text one request may read from the store. One aspect has at most 16 MiB.
READ_BYTES_MAX: Final = 512 * 1024 * 1024
#: The size in bytes at which a page ends with a cursor. A single item is always returned whole.
PAGE_BYTES_MAX: Final = 4 * 1024 * 1024
#: The largest list without a cursor, in bytes. A single item is always returned whole.
LIST_BYTES_MAX: Final = 16 * 1024 * 1024
#: The largest response in bytes; larger ones are rejected.
ANSWER_BYTES_MAX: Final = 64 * 1024 * 1024


def require_allowed_response_size(document: Any) -> None:
    """Raise TooLarge if a document exceeds the largest response."""
    if is_larger_as_json(document, ANSWER_BYTES_MAX):
        refuse_too_large_response(ANSWER_BYTES_MAX)


@dataclass(slots=True)
class ReadBudget:
    """The deadline of a request (`time.monotonic`) and the number of bytes that it may still read."""

    seconds: float
    until: float
    bytes_left: int = READ_BYTES_MAX

    def require_time_left(self) -> None:
        """Raise TransactionTimeout after the deadline."""
        if time.monotonic() > self.until:
            raise TransactionTimeout(f"the request exceeded its time limit of {self.seconds:g} s: request less")

    def count_bytes_read(self, count: int) -> None:
        """Count bytes that were read. Raises TooLarge if the budget is exceeded."""
        self.bytes_left -= count
        if self.bytes_left < 0:
            raise TooLarge(
                f"the request would read more than {READ_BYTES_MAX} bytes: request less, for example with a smaller limit"
            )


def limit_items_to_page_bytes(
    items: Iterable[T], measure: Callable[[T], int], bytes_max: int = PAGE_BYTES_MAX
) -> Iterator[T]:
    """Yield items until they exceed `bytes_max` bytes together; the rest is for the next page."""
    size = 0
    for item in items:
        yield item
        size += measure(item)
        if size > bytes_max:
            return


class _ThreadBudget(threading.local):
    budget: ReadBudget | None = None


_current = _ThreadBudget()


@contextmanager
def limit_reads_of_thread(seconds: float) -> Iterator[None]:
    """Limit the reads of this thread to a number of seconds and READ_BYTES_MAX."""
    _current.budget = ReadBudget(seconds, time.monotonic() + seconds)
    try:
        yield
    finally:
        _current.budget = None


def get_current_budget() -> ReadBudget | None:
    """Return the budget of this thread; None if it has none."""
    return _current.budget


def require_request_time_left() -> None:
    """Raise TransactionTimeout after the deadline of this thread's request: for loops that read nothing."""
    if _current.budget is not None:
        _current.budget.require_time_left()
