"""URNs of thousands of matches, of which a page of hits needs few."""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import overload


class MatchUrns(Sequence[str]):
    """The URNs of matches that are read when they are needed, within the transaction.

    `named` are the numbers of the documents whose names may have a word of the query's names; None for any of them.
    """

    def __init__(
        self, numbers: Sequence[int], named: Collection[int] | None, read: Callable[[Sequence[int]], list[str]]
    ) -> None:
        """`read` returns the URNs of the documents with these numbers."""
        self._numbers, self.named, self.read = numbers, named, read

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        return self.read(self._numbers[at]) if isinstance(at, slice) else self.read([self._numbers[at]])[0]

    def __iter__(self) -> Iterator[str]:
        return iter(self.read(self._numbers))
