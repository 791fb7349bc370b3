"""What operations on the change log share: their parameters, the form of its events, and the read of a page."""

from typing import TYPE_CHECKING, Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.written_change import WrittenChange, encode_changes_as_json
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.read_budget import PAGE_BYTES_MAX, limit_items_to_page_bytes
from jupyter_colophon.operations.parameter import DIGITS_MAX, declare_number, declare_text
from jupyter_colophon.operations.request import ChangesAnswer, OperationRequest
from jupyter_colophon.operations.shared_parameters import LIMIT_MAX

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog

#: How many slices of the log are read for one page: a form may omit all changes of a slice.
_SLICES: Final = 10
_WAIT_MAX_SECONDS: Final = 30
_SEQ_MAX: Final = 10**DIGITS_MAX - 1
AFTER: Final = declare_number(
    "after", "The sequence number of the last change that the client has seen.", default=0, minimum=0, maximum=_SEQ_MAX
)
LIMIT: Final = declare_number(
    "limit", "Maximum number of changes; 0 returns only the current cursor.", default=100, minimum=0, maximum=LIMIT_MAX
)
WAIT: Final = declare_number(
    "waitSeconds",
    "Long poll: maximum number of seconds to wait for a change if there is none yet.",
    default=0,
    minimum=0,
    maximum=_WAIT_MAX_SECONDS,
)
START: Final = declare_text(
    "after",
    "The sequence number of the last change that the client has seen; by default, only new changes are sent.",
    pattern="^[0-9]{0,18}$",
)
RESUMED: Final = declare_text(
    "Last-Event-ID",
    "The same, as browsers send it when they reconnect; it takes precedence over `after`.",
    place="header",
    pattern="^[0-9]{0,18}$",
)
EVENT_STREAM: Final = "text/event-stream"
#: One event of the stream, which does not end.
EVENTS: Final = {
    "type": "object",
    "description": "One event: `hello` with the number of the newest change, then `change` for each change.",
    "properties": {
        "id": {"type": "string", "description": "The number of the change, from which a client can resume."},
        "event": {"type": "string"},
        "data": {"type": "string", "description": "A JSON document."},
    },
}


def parse_stream_start(request: OperationRequest) -> int | None:
    """Return after which change a stream begins: that of `Last-Event-ID`, else `after`. Raises InvalidQuery."""
    after, resumed = (
        parse_sequence_number(request[START], START.name),
        parse_sequence_number(request[RESUMED], RESUMED.name),
    )
    return after if resumed is None else resumed


def parse_sequence_number(text: str, name: str) -> int | None:
    """Return the number of a change or of a record; None where none was sent. Raises InvalidQuery."""
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= DIGITS_MAX):
        raise InvalidQuery("must be a sequence number", name)
    return int(text)


def read_page_or_cursor(
    catalog: "Catalog", selection: ChangesAnswer, after: int | None, principal: Principal
) -> tuple[list[WrittenChange], int]:
    """Return the changes after a sequence number, and the cursor of the next page; with a limit of 0, the current cursor.

    The cursor advances even if the form omits all changes. Raises LogCompacted, StorageError.
    """
    if selection.limit == 0 or after is None:
        return [], catalog.feed.read_newest_change_number()
    changes: list[WrittenChange] = []
    size = 0
    for _ in range(_SLICES):
        read = catalog.feed.read_slice_of_visible_changes(
            after, selection.limit - len(changes), selection.filters, principal
        )
        written = encode_changes_as_json(catalog.formatter, read.changes, selection.form)
        page = list(limit_items_to_page_bytes(written, lambda item: len(item.text), PAGE_BYTES_MAX - size))
        changes += page
        size += sum(len(item.text) for item in page)
        # A form may write more of a change than the log has.
        if len(page) < len(written):
            return changes, page[-1].seq
        after = read.cursor
        if not read.more or len(changes) == selection.limit or size > PAGE_BYTES_MAX:
            break
    return changes, after
