"""What the catalog has not received from a kernel yet: unreported by Spark, unsent, or not applied."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jupyter_colophon.client.problems import RequestFailed, ServerUnavailable
from jupyter_colophon.core.display_text import count_of

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations

#: Seconds between two checks of the inbox: doubled from the first to the last.
FIRST_CHECK_S, LAST_CHECK_S = 0.02, 0.25


@dataclass(frozen=True, slots=True)
class Pending:
    """What is pending: `reports` of cells and `emitted` entries of programs in the kernel, or entries in the server's inbox."""

    reports: int = 0
    emitted: int = 0
    is_in_inbox: bool = False

    def __str__(self) -> str:
        """Return one line; empty if nothing is pending."""
        return " ".join(self._sentences())

    def _sentences(self) -> Iterator[str]:
        if self.reports:
            yield f"{count_of(self.reports, 'report')} of earlier cells {_has(self.reports)} not reached the server yet."
        if self.emitted:
            yield f"{count_of(self.emitted, 'change')} emitted by programs {_has(self.emitted)} not reached the server yet."
        if self.is_in_inbox:
            yield "Changes emitted by programs of this notebook are in the server's inbox and have not been applied yet."


def wait_for_entry(catalog: "Operations", entry: str, deadline: float) -> bool:
    """Wait until the server has processed an entry of its inbox, and so all before it, or until `deadline`.

    Return whether it has.
    """
    pause_s = FIRST_CHECK_S
    try:
        while (left_s := deadline - time.monotonic()) > 0:
            if catalog.read_inbox_entry(entry, timeout_s=left_s)["state"] != "pending":
                return True
            time.sleep(min(pause_s, max(deadline - time.monotonic(), 0)))
            pause_s = min(2 * pause_s, LAST_CHECK_S)
    except RequestFailed as refusal:
        # Unknown: it was processed long ago, or the server has another store now.
        return refusal.status == 404
    except ServerUnavailable:
        return False
    return False


def _has(count: int) -> str:
    return "has" if count == 1 else "have"
