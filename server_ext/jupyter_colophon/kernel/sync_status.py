"""What of a kernel's the catalog does not know yet: what Spark has not told, what was not sent, what was not applied."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jupyter_colophon.client.problems import RequestFailed, ServerUnavailable
from jupyter_colophon.core.display_text import count_of

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations

#: Seconds between two looks at the inbox: doubled from the first to the last.
FIRST_LOOK_S, LAST_LOOK_S = 0.02, 0.25


@dataclass(frozen=True, slots=True)
class Pending:
    """How much waits where: `reports` of cells and `words` of programs in the kernel, or what they said in the server's inbox."""

    reports: int = 0
    words: int = 0
    is_in_inbox: bool = False

    def __str__(self) -> str:
        """One line; empty where nothing waits."""
        return " ".join(self._sentences())

    def _sentences(self) -> Iterator[str]:
        if self.reports:
            yield f"{count_of(self.reports, 'report')} of earlier cells {_has(self.reports)} not reached the server yet."
        if self.words:
            yield f"{count_of(self.words, 'thing')} that programs said {_has(self.words)} not reached the server yet."
        if self.is_in_inbox:
            yield "What programs of this notebook said is in the server's inbox, and has not been applied yet."


def is_done(catalog: "Operations", entry: str, deadline: float) -> bool:
    """Waits until the server is done with an entry of its inbox, and so with all before it, or until then; whether it is."""
    pause_s = FIRST_LOOK_S
    try:
        while (left_s := deadline - time.monotonic()) > 0:
            if catalog.read_inbox_entry(entry, timeout_s=left_s)["state"] != "pending":
                return True
            time.sleep(min(pause_s, max(deadline - time.monotonic(), 0)))
            pause_s = min(2 * pause_s, LAST_LOOK_S)
    except RequestFailed as refusal:
        # Forgotten: it is long done, or the store behind the server is another one now.
        return refusal.status == 404
    except ServerUnavailable:
        return False
    return False


def _has(number: int) -> str:
    return "has" if number == 1 else "have"
