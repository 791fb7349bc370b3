"""The rows of the dead letters."""

from collections.abc import Callable

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.inbox import EVENTS, PROPOSALS, DeadLetter, Refusal
from jupyter_colophon.core.jsontext import compact, stored
from jupyter_colophon.storage import forms
from jupyter_colophon.storage.spi import Field, Range, Row, TableContext


def bury(tx: TableContext, parcel: Row, refusal: Refusal, now: int) -> None:
    """Keep a row of the inbox that could not be applied, under its number."""
    kept = {name: parcel[name] for name in ("id", "actor", "sender", "run", "time", "proposals")}
    more = {"kind": PROPOSALS, "failed": now, "attempts": 1, "problem": compact(forms.REFUSAL.write(refusal))}
    tx.table("dead_letters").upsert(kept | more)


def bury_event(tx: TableContext, event: str | None, sender: Principal, refusal: Refusal, now: int) -> None:
    """Keep what was sent for an event of OpenLineage and is none."""
    kept = {"id": free_number(tx, now), "kind": EVENTS, "actor": sender.user, "run": None, "event": event}
    told = {"sender": compact(forms.PRINCIPAL.write(sender)), "problem": compact(forms.REFUSAL.write(refusal))}
    times = {"time": now, "failed": now, "attempts": 1}
    tx.table("dead_letters").upsert(kept | told | times | {"proposals": "[]"})


def free_number(tx: TableContext, now: int) -> int:
    """A number for a letter that was no batch: the inbox numbers its own by the same clock, from the other end."""
    number = now * 1_000 + 999
    while tx.table("dead_letters").read((number,), ("id",)) is not None:
        number += 1_000
    return number


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
    row = tx.table("dead_letters").read((number,), ("attempts",))
    if row is not None:
        problem = compact(forms.REFUSAL.write(refusal))
        change = {"id": number, "attempts": row["attempts"] + 1, "failed": now, "problem": problem}
        tx.table("dead_letters").upsert(change)


def page(
    tx: TableContext, actor: str | None, before: int | None, limit: int, fits: Callable[[str], bool]
) -> list[DeadLetter]:
    """The newest letters (of one user) below a number whose kind fits."""
    within = Range() if before is None else Range(end=(before,), end_inclusive=False)
    filters = [] if actor is None else [Field("actor", actor)]
    found: list[DeadLetter] = []
    for row in tx.table("dead_letters").scan(within, order="desc", filters=filters):
        if len(found) == limit:
            break
        if fits(row["kind"]):
            found.append(_letter(row))
    return found


def count(tx: TableContext) -> int:
    """How many there are."""
    return tx.table("dead_letters").count()


def _letter(row: Row) -> DeadLetter:
    return DeadLetter(
        id=row["id"],
        kind=row["kind"],
        sender=forms.PRINCIPAL.read(stored(row["sender"])),
        run=row["run"],
        time=row["time"],
        failed=row["failed"],
        attempts=row["attempts"],
        refusal=forms.REFUSAL.read(stored(row["problem"])),
        proposals=forms.PROPOSALS.read(stored(row["proposals"])),
        seq=row["seq"],
        event=row["event"],
    )
