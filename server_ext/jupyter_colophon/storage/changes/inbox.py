"""The rows of the inbox: in the order of their arrival, waiting, then with what became of them."""

from collections.abc import Sequence

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.inbox import OUTCOME_KEPT_MS, InboxEntry, Refusal
from jupyter_colophon.core.documents.json_parsing import compact, stored
from jupyter_colophon.core.model.proposal import Proposal, Written
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.spi import Field, Range, Row, TableContext

_WAITING = "pending"


def add(tx: TableContext, proposals: Sequence[Proposal], sender: Principal, now: int) -> InboxEntry:
    """Take a batch in. Its number is the time in µs, and greater than that of any batch that came before."""
    table = tx.table("inbox")
    last = next((int(row["id"]) for row in table.scan(Range(), 1, "desc")), 0)
    entry = InboxEntry(max(now * 1_000, last + 1), sender.user, now)
    table.upsert(
        {
            "id": entry.id,
            "actor": entry.actor,
            "principal": compact(codecs.PRINCIPAL.write(sender)),
            "run": next((one.run for one in proposals if one.run is not None), None),
            "time": entry.time,
            "state": _WAITING,
            "proposals": compact(codecs.PROPOSALS.write(tuple(proposals))),
        }
    )
    return entry


def first_waiting(tx: TableContext) -> Row | None:
    """The row that waits for longest."""
    return next(tx.table("inbox").scan_index("state", _WAITING, 1), None)


def is_waiting(tx: TableContext, number: int) -> bool:
    """Whether nobody has brought this row to its end."""
    row = tx.table("inbox").read((number,), ("state",))
    return row is not None and row["state"] == _WAITING


def count_waiting(tx: TableContext) -> int:
    """How many rows wait."""
    return tx.table("inbox").count(filters=[Field("state", _WAITING)])


def mark_applied(tx: TableContext, number: int, results: Sequence[Written]) -> None:
    """It was applied: what it wanted need not be kept any more."""
    outcome = compact(codecs.WRITTEN.write(list(results)))
    tx.table("inbox").update({"id": number, "state": "applied", "proposals": None, "outcome": outcome})


def mark_refused(tx: TableContext, number: int, refusal: Refusal) -> None:
    """It was refused; a dead letter keeps what it wanted."""
    outcome = compact(codecs.REFUSAL.write(refusal))
    tx.table("inbox").update({"id": number, "state": "rejected", "proposals": None, "outcome": outcome})


def entry(tx: TableContext, number: int) -> InboxEntry | None:
    """A batch and what became of it; None where it never came or is long done."""
    row = tx.table("inbox").read((number,))
    if row is None:
        return None
    came = InboxEntry(row["id"], row["actor"], row["time"])
    if row["state"] == _WAITING:
        return came
    outcome = stored(row["outcome"])
    if row["state"] == "applied":
        return InboxEntry(came.id, came.actor, came.time, "applied", tuple(codecs.WRITTEN.read(outcome)))
    return InboxEntry(came.id, came.actor, came.time, "rejected", refusal=codecs.REFUSAL.read(outcome))


def outdated(tx: TableContext, now: int, limit: int) -> list[int]:
    """Among the oldest rows, so many at most, those that are done and a day old."""
    within = Range(end=((now - OUTCOME_KEPT_MS) * 1_000,))
    return [row["id"] for row in tx.table("inbox").scan(within, limit) if row["state"] != _WAITING]


def forget(tx: TableContext, numbers: Sequence[int]) -> None:
    """Forget rows that are done."""
    for number in numbers:
        tx.table("inbox").delete((number,))
