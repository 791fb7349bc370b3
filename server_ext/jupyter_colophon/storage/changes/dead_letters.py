"""Store dead letters."""

from collections.abc import Callable, Sequence
from typing import Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.inbox import EVENTS, MESSAGE, PROPOSALS, REFUSED, DeadLetter, Rejection
from jupyter_colophon.core.documents.json_parsing import compact, parse_stored
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


def add_inbox_row(tx: TableContext, parcel: Row, refusal: Rejection, now: int) -> None:
    """Store a row of the inbox that could not be applied, under its number."""
    common = {name: parcel[name] for name in ("id", "actor", "principal", "run", "time", "proposals")}
    more = {"kind": PROPOSALS, "failed": now, "attempts": 1, "problem": compact(codecs.REFUSAL.write(refusal))}
    tx.get_table("dead_letters").upsert(common | more)
    _record_failure(tx, parcel["id"])


def add_message(
    tx: TableContext, document: str, proposals: tuple[Proposal, ...], sender: Principal, refusal: Rejection, now: int
) -> None:
    """Store a message that could not be applied, with its proposals if they could be parsed."""
    number = find_free_number(tx, now)
    tx.get_table("dead_letters").upsert(
        {
            "id": number,
            "kind": MESSAGE,
            "actor": sender.user,
            "principal": compact(codecs.PRINCIPAL.write(sender)),
            "run": None,
            "time": now,
            "failed": now,
            "attempts": 1,
            "problem": compact(codecs.REFUSAL.write(refusal)),
            "proposals": compact(codecs.PROPOSALS.write(proposals)),
            "document": document,
        }
    )
    _record_failure(tx, number)


def add_refused(
    tx: TableContext, proposals: Sequence[Proposal], sender: Principal, refusal: Rejection, now: int
) -> None:
    """Store proposals that were refused immediately; if the sender has too many letters, delete the oldest refusal."""
    document = compact(codecs.PROPOSALS.write(tuple(proposals)))
    if len(document.encode("utf-8", "surrogatepass")) > _REFUSED_BYTES:
        return
    if not _has_room(tx, sender):
        return
    table, number = tx.get_table("dead_letters"), find_free_number(tx, now)
    common = {"id": number, "kind": REFUSED, "actor": sender.user, "principal": compact(codecs.PRINCIPAL.write(sender))}
    common |= {"run": None, "time": now, "failed": now, "attempts": 1, "proposals": document}
    table.upsert(common | {"problem": compact(codecs.REFUSAL.write(refusal))})
    _record_failure(tx, number)


def _has_room(tx: TableContext, sender: Principal) -> bool:
    """Make room for another refusal of a sender by deleting the oldest one if necessary; return whether there is room."""
    table = tx.get_table("dead_letters")
    if table.count(filters=[FieldValue("actor", sender.user)]) < _KEPT:
        return True
    oldest = next((row for row in table.scan_index("actor", sender.user, 20) if row["kind"] in (REFUSED, EVENTS)), None)
    if oldest is not None:
        table.delete((oldest["id"],))
    return oldest is not None


def has_any_before(tx: TableContext, time: int) -> bool:
    """Return whether there are letters older than a time (ms)."""
    return any(True for _ in tx.get_table("dead_letters").scan(get_range_before(time), 1))


def forget(tx: TableContext, before: int, limit: int) -> int:
    """Delete letters older than a time (ms), up to `limit` at once; return their number."""
    table = tx.get_table("dead_letters")
    old = [(row["id"],) for row in table.scan(get_range_before(before), limit)]
    table.delete_many(old)
    return len(old)


def get_range_before(time: int) -> Range:
    """Return the numbers of letters before a time, in ms: they are numbered by the clock, in µs."""
    return Range(end=(time * 1_000,), end_inclusive=False)


def get_newest_position(tx: TableContext) -> int:
    """Return the position of the newest failure, 0 if there is none."""
    return next((int(row["position"]) for row in tx.get_table("failures").scan(Range(), 1, "desc")), 0)


def list_failures(tx: TableContext, after: int, limit: int) -> list[tuple[int, DeadLetter | None]]:
    """Return the failures after a position, in their order; None for a letter that was deleted."""
    rows = list(tx.get_table("failures").scan(Range((after,), begin_inclusive=False), limit))
    return [(int(row["position"]), read(tx, row["dead_letter"])) for row in rows]


def _record_failure(tx: TableContext, letter: int) -> None:
    """Record that a letter failed now. Writers are serialized, so positions are in commit order."""
    table = tx.get_table("failures")
    turn = get_newest_position(tx) + 1
    table.upsert({"position": turn, "dead_letter": letter})
    for row in list(table.scan(Range(end=(turn - _FAILURES_KEPT,)), 10)):
        table.delete((row["position"],))


def add_event(tx: TableContext, event: str | None, sender: Principal, refusal: Rejection, now: int) -> None:
    """Store an invalid OpenLineage event; if the sender has too many letters, delete the oldest refusal."""
    if not _has_room(tx, sender):
        return
    common = {"id": find_free_number(tx, now), "kind": EVENTS, "actor": sender.user, "run": None, "document": event}
    documents = {
        "principal": compact(codecs.PRINCIPAL.write(sender)),
        "problem": compact(codecs.REFUSAL.write(refusal)),
    }
    times = {"time": now, "failed": now, "attempts": 1}
    tx.get_table("dead_letters").upsert(common | documents | times | {"proposals": "[]"})


def find_free_number(tx: TableContext, now: int) -> int:
    """Return a number for a letter that is not a batch: the inbox numbers its own by the same clock, from the other
    end.

    Numbers keep the order of arrival, even within a millisecond and after an older letter was deleted.
    """
    newest = list(tx.get_table("dead_letters").scan(Range((now * 1_000,)), 1, "desc"))
    latest = int(newest[0]["id"]) // 1_000 + 1 if newest else now
    return max(now, latest) * 1_000 + 999


def read(tx: TableContext, number: int) -> DeadLetter | None:
    """Return a letter, None if it does not exist."""
    row = tx.get_table("dead_letters").read((number,))
    return None if row is None else _parse_row(row)


def remove(tx: TableContext, number: int) -> bool:
    """Delete a letter; return whether it existed."""
    existed = tx.get_table("dead_letters").read((number,), ("id",)) is not None
    tx.get_table("dead_letters").delete((number,))
    return existed


def record_attempt(tx: TableContext, number: int, refusal: Rejection, now: int) -> None:
    """Record that a retry failed."""
    row = tx.get_table("dead_letters").read((number,), ("attempts", "kind"))
    if row is not None:
        problem = compact(codecs.REFUSAL.write(refusal))
        change = {"id": number, "attempts": row["attempts"] + 1, "failed": now, "problem": problem}
        tx.get_table("dead_letters").upsert(change)
        if row["kind"] != EVENTS:
            _record_failure(tx, number)


def read_page(
    tx: TableContext, actor: str | None, before: int | None, limit: int, fits: Callable[[str], bool]
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
        if fits(row["kind"]):
            letters.append(_parse_row(row))
            size += len(row["proposals"]) + len(row["document"] or "")
    return letters, False


def count(tx: TableContext) -> int:
    """Return the number of letters."""
    return tx.get_table("dead_letters").count()


def _parse_row(row: Row) -> DeadLetter:
    return DeadLetter(
        id=row["id"],
        kind=row["kind"],
        sender=codecs.PRINCIPAL.read(parse_stored(row["principal"])),
        run=row["run"],
        time=row["time"],
        failed=row["failed"],
        attempts=row["attempts"],
        refusal=codecs.REFUSAL.read(parse_stored(row["problem"])),
        proposals=codecs.PROPOSALS.read(parse_stored(row["proposals"])),
        seq=row["seq"],
        document=row["document"],
    )
