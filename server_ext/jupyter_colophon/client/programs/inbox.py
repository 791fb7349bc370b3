"""Wait until the server has processed its inbox entries."""

import time
from typing import TYPE_CHECKING

from jupyter_colophon.client.problems import RequestFailed, ServerUnavailable

if TYPE_CHECKING:
    from jupyter_colophon.client.operations import Operations

#: Seconds between two checks of the inbox: doubled from the first to the last.
FIRST_CHECK_S, LAST_CHECK_S = 0.02, 0.25


def wait_until_processed(catalog: "Operations", entry: str, deadline: float) -> bool:
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
