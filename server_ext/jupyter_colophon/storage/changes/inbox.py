"""Store the inbox: batches in the order of their arrival, first pending, then with their outcome."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.inbox import OUTCOME_KEPT_MS, InboxEntry, Rejection, State
from jupyter_colophon.core.documents.json_parsing import encode_canonical_json, parse_stored_json
from jupyter_colophon.core.model.proposal import Proposal, ProposalResult
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.spi import FieldValue, Range, Row, TableContext

_WAITING: Final = "pending"
_IN_REVIEW: Final = "review"
_FINISHED: Final = ("applied", "rejected")


def add_batch(
    tx: TableContext, proposals: Sequence[Proposal], sender: Principal, now: int, state: State = _WAITING
) -> InboxEntry:
    """Add a batch. Its number is the time in µs, and greater than that of any earlier batch."""
    table = tx.get_table("inbox")
    last = next((int(row["id"]) for row in table.scan(Range(), 1, "desc")), 0)
    entry = InboxEntry(max(now * 1_000, last + 1), sender.user, now, state)
    table.upsert(
        {
            "id": entry.id,
            "actor": entry.actor,
            "principal": encode_canonical_json(codecs.PRINCIPAL.write(sender)),
            "run": next((proposal.run for proposal in proposals if proposal.run is not None), None),
            "time": entry.time,
            "state": entry.state,
            "proposals": encode_canonical_json(codecs.PROPOSALS.write(tuple(proposals))),
        }
    )
    return entry


def find_oldest_pending_row(tx: TableContext) -> Row | None:
    """Return the oldest pending row."""
    return next(tx.get_table("inbox").scan_index("state", _WAITING, 1), None)


def is_pending(tx: TableContext, number: int) -> bool:
    """Return whether a row is still pending."""
    row = tx.get_table("inbox").read((number,), ("state",))
    return row is not None and row["state"] == _WAITING


def hold_pending_batch(tx: TableContext, number: int, proposals: Sequence[Proposal]) -> None:
    """Make a pending batch wait for review, with these proposals instead of its own."""
    write_held_proposals(tx, number, proposals)
    tx.get_table("inbox").update({"id": number, "state": _IN_REVIEW})


def write_held_proposals(tx: TableContext, number: int, proposals: Sequence[Proposal]) -> None:
    """Replace the proposals of a batch."""
    document = encode_canonical_json(codecs.PROPOSALS.write(tuple(proposals)))
    tx.get_table("inbox").update({"id": number, "proposals": document})


def find_held_row(tx: TableContext, number: int) -> Row | None:
    """Return the row of a batch that waits for review; None if it does not wait."""
    row = tx.get_table("inbox").read((number,))
    return row if row is not None and row["state"] == _IN_REVIEW else None


def find_reviewed_row(tx: TableContext, number: int) -> Row | None:
    """Return the row of a batch that waits for review, or was reviewed within a day; None for any other."""
    row = tx.get_table("inbox").read((number,))
    return row if row is not None and row["state"] != _WAITING and row["proposals"] is not None else None


def finish_review(tx: TableContext, number: int, outcome: Sequence[ProposalResult] | Rejection, now: int) -> None:
    """Record the outcome of a review. The proposals stay for a day, as the outcome does."""
    state, document = (
        ("rejected", codecs.REFUSAL.write(outcome))
        if isinstance(outcome, Rejection)
        else ("applied", codecs.WRITTEN.write(list(outcome)))
    )
    tx.get_table("inbox").update(
        {"id": number, "state": state, "time": now, "outcome": encode_canonical_json(document)}
    )


def list_held_rows_before(tx: TableContext, time: int, limit: int) -> list[Row]:
    """Return rows of batches that have waited for review since before a time, up to `limit`."""
    return [row for row in tx.get_table("inbox").scan_index("state", _IN_REVIEW, limit) if row["time"] < time]


def count_held_rows(tx: TableContext) -> int:
    """Return the number of batches that wait for review."""
    return tx.get_table("inbox").count(filters=[FieldValue("state", _IN_REVIEW)])


def count_pending_rows(tx: TableContext) -> int:
    """Return the number of pending rows."""
    return tx.get_table("inbox").count(filters=[FieldValue("state", _WAITING)])


def mark_applied_and_drop_proposals(tx: TableContext, number: int, results: Sequence[ProposalResult]) -> None:
    """Mark a batch as applied and drop its proposals."""
    outcome = encode_canonical_json(codecs.WRITTEN.write(list(results)))
    tx.get_table("inbox").update({"id": number, "state": "applied", "proposals": None, "outcome": outcome})


def mark_refused_and_drop_proposals(tx: TableContext, number: int, rejection: Rejection) -> None:
    """Mark a batch as refused; a dead letter has its proposals."""
    outcome = encode_canonical_json(codecs.REFUSAL.write(rejection))
    tx.get_table("inbox").update({"id": number, "state": "rejected", "proposals": None, "outcome": outcome})


def find_entry(tx: TableContext, number: int) -> InboxEntry | None:
    """Return a batch and its outcome; None if it does not exist or its outcome was deleted."""
    row = tx.get_table("inbox").read((number,))
    if row is None:
        return None
    accepted = InboxEntry(row["id"], row["actor"], row["time"])
    if row["state"] in (_WAITING, _IN_REVIEW):
        return replace(accepted, state=row["state"])
    outcome = parse_stored_json(row["outcome"])
    if row["state"] == "applied":
        return InboxEntry(accepted.id, accepted.actor, accepted.time, "applied", tuple(codecs.WRITTEN.read(outcome)))
    return InboxEntry(accepted.id, accepted.actor, accepted.time, "rejected", refusal=codecs.REFUSAL.read(outcome))


def list_expired_numbers(tx: TableContext, now: int, limit: int) -> list[int]:
    """Return the numbers of finished batches that are a day old, up to `limit`."""
    before = now - OUTCOME_KEPT_MS
    finished = (row for state in _FINISHED for row in tx.get_table("inbox").scan_index("state", state, limit))
    return [row["id"] for row in finished if row["time"] < before]


def delete_batches(tx: TableContext, numbers: Sequence[int]) -> None:
    """Delete finished rows."""
    for number in numbers:
        tx.get_table("inbox").delete((number,))
