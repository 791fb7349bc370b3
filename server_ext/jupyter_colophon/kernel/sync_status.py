"""Data of a kernel that the catalog does not have yet: unreported by Spark, unsent, or not applied."""

from collections.abc import Iterator
from dataclasses import dataclass

from jupyter_colophon.core.display_text import format_count_with_noun


@dataclass(frozen=True, slots=True)
class Pending:
    """The pending data: `reports` of cells and `emitted` entries of programs in the kernel, or entries in the server's inbox."""

    reports: int = 0
    emitted: int = 0
    is_in_inbox: bool = False

    def __str__(self) -> str:
        """Return one line; empty if nothing is pending."""
        return " ".join(self._list_sentences())

    def _list_sentences(self) -> Iterator[str]:
        if self.reports:
            yield f"{format_count_with_noun(self.reports, 'report')} of earlier cells {_choose_has_or_have(self.reports)} not reached the server yet."
        if self.emitted:
            yield f"{format_count_with_noun(self.emitted, 'change')} emitted by programs {_choose_has_or_have(self.emitted)} not reached the server yet."
        if self.is_in_inbox:
            yield "Changes emitted by programs of this notebook are in the server's inbox and have not been applied yet."


def _choose_has_or_have(count: int) -> str:
    return "has" if count == 1 else "have"
