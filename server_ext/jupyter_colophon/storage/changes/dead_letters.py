"""Store dead letters."""

from collections.abc import Callable, Sequence
from typing import Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.inbox import EVENTS, MESSAGE, PROPOSALS, REFUSED, DeadLetter, Rejection
from jupyter_colophon.core.documents.json_parsing import encode_canonical_json, parse_stored_json
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.read_budget import PAGE_BYTES_MAX
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.spi import FieldValue, Range, Row, TableContext

#: The number of failures whose order is stored.
_FAILURES_KEPT: Final = 100_000
#: The number of letters of one user beyond which the oldest refusal is deleted, and the largest refusal that is stored:
#: a client may repeat the same request forever.
_KEPT: Final = 500
_REFUSED_BYTES: Final = 256 * 1024


def add_letter_of_inbox_row(tx: TableContext, inbox_row: Row, refusal: Rejection, now: int) -> None:
    """Store a row of the inbox that could not be applied, under its number."""
    common = {name: inbox_row[name] for name in ("id", "actor", "principal", "run", "time", "proposals")}
    more = {
        "kind": PROPOSALS,
        "failed": now,
        "attempts": 1,
        "problem": encode_canonical_json(codecs.REFUSAL.write(refusal)),
    }
    tx.get_table("dead_letters").upsert(common | more)
    _record_letter_failure(tx, inbox_row["id"])


def add_letter_of_message(
    tx: TableContext, document: str, proposals: tuple[Proposal, ...], sender: Principal, refusal: Rejection, now: int
) -> None:
    """Store a message that could not be applied, with its proposals if they could be parsed."""
    number = find_free_letter_number(tx, now)
    tx.get_table("dead_letters").upsert(
        {
            "id": number,
            "kind": MESSAGE,
            "actor": sender.user,
            "principal": encode_canonical_json(codecs.PRINCIPAL.write(sender)),
            "run": None,
            "time": now,
            "failed": now,
            "attempts": 1,
            "problem": encode_canonical_json(codecs.REFUSAL.write(refusal)),
            "proposals": encode_canonical_json(codecs.PROPOSALS.write(proposals)),
            "document": document,
        }
    )
    _record_letter_failure(tx, number)


def add_letter_and_trim_sender(
    tx: TableContext, proposals: Sequence[Proposal], sender: Principal, rejection: Rejection, now: int
) -> None:
    """Store proposals that were refused immediately; if the sender has too many letters, delete the oldest refusal."""
    document = encode_canonical_json(codecs.PROPOSALS.write(tuple(proposals)))
    if len(document.encode("utf-8", "surrogatepass")) > _REFUSED_BYTES:
        return
    if not _make_room_for_refusal_of_sender(tx, sender):
        return
    table, number = tx.get_table("dead_letters"), find_free_letter_number(tx, now)
    common = {
        "id": number,
        "kind": REFUSED,
        "actor": sender.user,
        "principal": encode_canonical_json(codecs.PRINCIPAL.write(sender)),
    }
    common |= {"run": None, "time": now, "failed": now, "attempts": 1, "proposals": document}
    table.upsert(common | {"problem": encode_canonical_json(codecs.REFUSAL.write(rejection))})
    _record_letter_failure(tx, number)


def _make_room_for_refusal_of_sender(tx: TableContext, sender: Principal) -> bool:
    """Make room for another refusal of a sender by deleting the oldest one if necessary; return whether there is room."""
    table = tx.get_table("dead_letters")
    if table.count(filters=[FieldValue("actor", sender.user)]) < _KEPT:
        return True
    oldest = next((row for row in table.scan_index("actor", sender.user, 20) if row["kind"] in (REFUSED, EVENTS)), None)
    if oldest is not None:
        table.delete((oldest["id"],))
    return oldest is not None


def has_letters_before(tx: TableContext, time: int) -> bool:
    """Return whether there are letters older than a time (ms)."""
    return any(True for _ in tx.get_table("dead_letters").scan(get_range_before(time), 1))


def delete_letters_before(tx: TableContext, before: int, limit: int) -> int:
    """Delete letters older than a time (ms), up to `limit` at once; return their number."""
    table = tx.get_table("dead_letters")
    old = [(row["id"],) for row in table.scan(get_range_before(before), limit)]
    table.delete_many(old)
    return len(old)


def get_range_before(time: int) -> Range:
    """Return the numbers of letters before a time, in ms: they are numbered by the clock, in µs."""
    return Range(end=(time * 1_000,), end_inclusive=False)


def get_newest_failure_position(tx: TableContext) -> int:
    """Return the position of the newest failure, 0 if there is none."""
    return next((int(row["position"]) for row in tx.get_table("failures").scan(Range(), 1, "desc")), 0)


def list_failures_after(tx: TableContext, after: int, limit: int) -> list[tuple[int, DeadLetter | None]]:
    """Return the failures after a position, in their order; None for a letter that was deleted."""
    rows = list(tx.get_table("failures").scan(Range((after,), begin_inclusive=False), limit))
    return [(int(row["position"]), find_letter(tx, row["dead_letter"])) for row in rows]


def _record_letter_failure(tx: TableContext, letter: int) -> None:
    """Record that a letter failed now. Writers are serialized, so positions are in commit order."""
    table = tx.get_table("failures")
    turn = get_newest_failure_position(tx) + 1
    table.upsert({"position": turn, "dead_letter": letter})
    for row in list(table.scan(Range(end=(turn - _FAILURES_KEPT,)), 10)):
        table.delete((row["position"],))


def add_letter_of_event_and_trim_sender(
    tx: TableContext, event: str | None, sender: Principal, refusal: Rejection, now: int
) -> None:
    """Store an invalid OpenLineage event; if the sender has too many letters, delete the oldest refusal."""
    if not _make_room_for_refusal_of_sender(tx, sender):
        return
    common = {
        "id": find_free_letter_number(tx, now),
        "kind": EVENTS,
        "actor": sender.user,
        "run": None,
        "document": event,
    }
    documents = {
        "principal": encode_canonical_json(codecs.PRINCIPAL.write(sender)),
        "problem": encode_canonical_json(codecs.REFUSAL.write(refusal)),
    }
    times = {"time": now, "failed": now, "attempts": 1}
    tx.get_table("dead_letters").upsert(common | documents | times | {"proposals": "[]"})


def find_free_letter_number(tx: TableContext, now: int) -> int:
    """Return a number for a letter that is not a batch: the inbox numbers its own by the same clock, from the other
    end.

    Numbers keep the order of arrival, even within a millisecond and after an older letter was deleted.
    """
    newest = list(tx.get_table("dead_letters").scan(Range((now * 1_000,)), 1, "desc"))
    latest = int(newest[0]["id"]) // 1_000 + 1 if newest else now
    return max(now, latest) * 1_000 + 999


def find_letter(tx: TableContext, number: int) -> DeadLetter | None:
    """Return a letter, None if it does not exist."""
    row = tx.get_table("dead_letters").read((number,))
    return None if row is None else _parse_letter(row)


def delete_letter(tx: TableContext, number: int) -> bool:
    """Delete a letter; return whether it existed."""
    existed = tx.get_table("dead_letters").read((number,), ("id",)) is not None
    tx.get_table("dead_letters").delete((number,))
    return existed


def record_failed_retry(tx: TableContext, number: int, refusal: Rejection, now: int) -> None:
    """Record that a retry failed."""
    row = tx.get_table("dead_letters").read((number,), ("attempts", "kind"))
    if row is not None:
        problem = encode_canonical_json(codecs.REFUSAL.write(refusal))
        change = {"id": number, "attempts": row["attempts"] + 1, "failed": now, "problem": problem}
        tx.get_table("dead_letters").upsert(change)
        if row["kind"] != EVENTS:
            _record_letter_failure(tx, number)


def list_newest_letters(
    tx: TableContext, actor: str | None, before: int | None, limit: int, matches_kind: Callable[[str], bool]
) -> tuple[list[DeadLetter], bool]:
    """Return the newest letters (of one user) below a number whose kind matches, and whether there may be more.

    The page ends after `limit` letters, or after PAGE_BYTES_MAX.
    """
    within = Range() if before is None else Range(end=(before,), end_inclusive=False)
    filters = [] if actor is None else [FieldValue("actor", actor)]
    letters: list[DeadLetter] = []
    size = 0
    for row in tx.get_table("dead_letters").scan(within, order="desc", filters=filters):
        if len(letters) == limit or size > PAGE_BYTES_MAX:
            return letters, True
        if matches_kind(row["kind"]):
            letters.append(_parse_letter(row))
            size += len(row["proposals"]) + len(row["document"] or "")
    return letters, False


def count_letters(tx: TableContext) -> int:
    """Return the number of letters."""
    return tx.get_table("dead_letters").count()


def _parse_letter(row: Row) -> DeadLetter:
    return DeadLetter(
        id=row["id"],
        kind=row["kind"],
        sender=codecs.PRINCIPAL.read(parse_stored_json(row["principal"])),
        run=row["run"],
        time=row["time"],
        failed=row["failed"],
        attempts=row["attempts"],
        refusal=codecs.REFUSAL.read(parse_stored_json(row["problem"])),
        proposals=codecs.PROPOSALS.read(parse_stored_json(row["proposals"])),
        seq=row["seq"],
        document=row["document"],
    )
