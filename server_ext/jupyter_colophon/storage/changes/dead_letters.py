"""The rows of the dead letters."""

from collections.abc import Callable, Sequence
from typing import Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.inbox import EVENTS, MESSAGE, PROPOSALS, REFUSED, DeadLetter, Refusal
from jupyter_colophon.core.documents.json_parsing import compact, stored
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.core.read_budget import PAGE_BYTES_MAX
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.spi import Field, Range, Row, TableContext

#: For so many failures it is known in which order they came to be.
_FAILURES_KEPT: Final = 100_000
#: So many letters of one user make the oldest refusal go, and none is kept that is larger: a client may send the same
#: again and again.
_KEPT: Final = 500
_REFUSED_BYTES: Final = 256 * 1024


def bury(tx: TableContext, parcel: Row, refusal: Refusal, now: int) -> None:
    """Keep a row of the inbox that could not be applied, under its number."""
    common = {name: parcel[name] for name in ("id", "actor", "principal", "run", "time", "proposals")}
    more = {"kind": PROPOSALS, "failed": now, "attempts": 1, "problem": compact(codecs.REFUSAL.write(refusal))}
    tx.table("dead_letters").upsert(common | more)
    _announce(tx, parcel["id"])


def bury_message(
    tx: TableContext, document: str, proposals: tuple[Proposal, ...], sender: Principal, refusal: Refusal, now: int
) -> None:
    """Keep a message that could not be applied, with what it proposes where that could be read."""
    number = free_number(tx, now)
    tx.table("dead_letters").upsert(
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
    _announce(tx, number)


def bury_refused(
    tx: TableContext, proposals: Sequence[Proposal], sender: Principal, refusal: Refusal, now: int
) -> None:
    """Keep proposals that were refused at once; where there are many of the sender, the oldest goes."""
    wanted = compact(codecs.PROPOSALS.write(tuple(proposals)))
    if len(wanted.encode("utf-8", "surrogatepass")) > _REFUSED_BYTES:
        return
    if not _has_room(tx, sender):
        return
    table, number = tx.table("dead_letters"), free_number(tx, now)
    common = {"id": number, "kind": REFUSED, "actor": sender.user, "principal": compact(codecs.PRINCIPAL.write(sender))}
    common |= {"run": None, "time": now, "failed": now, "attempts": 1, "proposals": wanted}
    table.upsert(common | {"problem": compact(codecs.REFUSAL.write(refusal))})
    _announce(tx, number)


def _has_room(tx: TableContext, sender: Principal) -> bool:
    """Whether one more refusal can be kept of a sender: where there are many letters, the oldest refusal makes room."""
    table = tx.table("dead_letters")
    if table.count(filters=[Field("actor", sender.user)]) < _KEPT:
        return True
    oldest = next((row for row in table.scan_index("actor", sender.user, 20) if row["kind"] in (REFUSED, EVENTS)), None)
    if oldest is not None:
        table.delete((oldest["id"],))
    return oldest is not None


def any_before(tx: TableContext, time: int) -> bool:
    """Whether there are letters that came before a time (ms)."""
    return any(True for _ in tx.table("dead_letters").scan(_before(time), 1))


def forget(tx: TableContext, before: int, limit: int) -> int:
    """Throw away letters that came before a time (ms), so many at once; returns how many."""
    table = tx.table("dead_letters")
    old = [(row["id"],) for row in table.scan(_before(before), limit)]
    table.multi_delete(old)
    return len(old)


def _before(time: int) -> Range:
    # They are numbered by the clock.
    return Range(end=(time * 1_000,), end_inclusive=False)


def newest_turn(tx: TableContext) -> int:
    """The turn of the newest failure; 0 where there was none."""
    return next((int(row["position"]) for row in tx.table("failures").scan(Range(), 1, "desc")), 0)


def failures(tx: TableContext, after: int, limit: int) -> list[tuple[int, DeadLetter | None]]:
    """Failures after a turn, in their order; None for a letter that is gone."""
    rows = list(tx.table("failures").scan(Range((after,), begin_inclusive=False), limit))
    return [(int(row["position"]), read(tx, row["dead_letter"])) for row in rows]


def _announce(tx: TableContext, letter: int) -> None:
    """It failed now. Writers take turns, so that turns are in the order of the commits."""
    table = tx.table("failures")
    turn = newest_turn(tx) + 1
    table.upsert({"position": turn, "dead_letter": letter})
    for row in list(table.scan(Range(end=(turn - _FAILURES_KEPT,)), 10)):
        table.delete((row["position"],))


def bury_event(tx: TableContext, event: str | None, sender: Principal, refusal: Refusal, now: int) -> None:
    """Keep what was sent for an event of OpenLineage and is none; where there are many of the sender, the oldest goes."""
    if not _has_room(tx, sender):
        return
    common = {"id": free_number(tx, now), "kind": EVENTS, "actor": sender.user, "run": None, "document": event}
    documents = {
        "principal": compact(codecs.PRINCIPAL.write(sender)),
        "problem": compact(codecs.REFUSAL.write(refusal)),
    }
    times = {"time": now, "failed": now, "attempts": 1}
    tx.table("dead_letters").upsert(common | documents | times | {"proposals": "[]"})


def free_number(tx: TableContext, now: int) -> int:
    """Return a number for a letter that is not a batch: the inbox numbers its own by the same clock, from the other end.

    Numbers keep the order of arrival, also within a millisecond and where an older letter was deleted.
    """
    taken = list(tx.table("dead_letters").scan(Range((now * 1_000,)), 1, "desc"))
    latest = int(taken[0]["id"]) // 1_000 + 1 if taken else now
    return max(now, latest) * 1_000 + 999


def read(tx: TableContext, number: int) -> DeadLetter | None:
    """One of them, or None."""
    row = tx.table("dead_letters").read((number,))
    return None if row is None else _letter(row)


def remove(tx: TableContext, number: int) -> bool:
    """Take one away; whether it was there."""
    there = tx.table("dead_letters").read((number,), ("id",)) is not None
    tx.table("dead_letters").delete((number,))
    return there


def note_attempt(tx: TableContext, number: int, refusal: Refusal, now: int) -> None:
    """It was tried again and failed again."""
    row = tx.table("dead_letters").read((number,), ("attempts", "kind"))
    if row is not None:
        problem = compact(codecs.REFUSAL.write(refusal))
        change = {"id": number, "attempts": row["attempts"] + 1, "failed": now, "problem": problem}
        tx.table("dead_letters").upsert(change)
        if row["kind"] != EVENTS:
            _announce(tx, number)


def page(
    tx: TableContext, actor: str | None, before: int | None, limit: int, fits: Callable[[str], bool]
) -> tuple[list[DeadLetter], bool]:
    """Return the newest letters (of one user) below a number whose kind fits, and whether there may be more.

    The page ends after so many, or after PAGE_BYTES_MAX.
    """
    within = Range() if before is None else Range(end=(before,), end_inclusive=False)
    filters = [] if actor is None else [Field("actor", actor)]
    found: list[DeadLetter] = []
    size = 0
    for row in tx.table("dead_letters").scan(within, order="desc", filters=filters):
        if len(found) == limit or size > PAGE_BYTES_MAX:
            return found, True
        if fits(row["kind"]):
            found.append(_letter(row))
            size += len(row["proposals"]) + len(row["document"] or "")
    return found, False


def count(tx: TableContext) -> int:
    """How many there are."""
    return tx.table("dead_letters").count()


def _letter(row: Row) -> DeadLetter:
    return DeadLetter(
        id=row["id"],
        kind=row["kind"],
        sender=codecs.PRINCIPAL.read(stored(row["principal"])),
        run=row["run"],
        time=row["time"],
        failed=row["failed"],
        attempts=row["attempts"],
        refusal=codecs.REFUSAL.read(stored(row["problem"])),
        proposals=codecs.PROPOSALS.read(stored(row["proposals"])),
        seq=row["seq"],
        document=row["document"],
    )
