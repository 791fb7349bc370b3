"""How far each sink has come, and which process delivers to it now.

A process that delivers counts its beats. Who sees the same beat for long takes the sink over: no clocks are compared,
and whoever was too slow finds out in the transaction in which it would note how far it came.
"""

from jupyter_colophon.core.change import Change
from jupyter_colophon.core.errors import IllegalName
from jupyter_colophon.core.inbox import Refusal
from jupyter_colophon.core.jsontext import compact
from jupyter_colophon.core.names import Urn
from jupyter_colophon.core.proposal import Proposal
from jupyter_colophon.core.sinks import DELIVERY, SinkState, sender_of
from jupyter_colophon.storage import chain, dead_letters, forms, log
from jupyter_colophon.storage.spi import Field, Range, Row, TableContext

_NOBODY = ""


def read(tx: TableContext, sink: str) -> Row | None:
    """The sink's row; None before it was first set."""
    return tx.table("sinks").read((sink,))


def begin(tx: TableContext, sink: str) -> None:
    """Have a sink begin with what comes from now on, where it has not begun; nobody delivers to it yet."""
    if read(tx, sink) is None:
        tx.table("sinks").upsert(_new(tx, sink))


def forget(tx: TableContext, sink: str) -> None:
    """Keep no place in the log for a sink to which nobody delivers."""
    row = read(tx, sink)
    if row is not None and row["holder"] == _NOBODY:
        tx.table("sinks").delete((sink,))


def claim(tx: TableContext, sink: str, holder: str, stale: int | None) -> Row | None:
    """Take a sink that nobody delivers to, or whose beat is still the `stale` one; None where another process has it.

    A new sink begins with what comes. One whose changes were compacted away goes on after them.
    """
    row = read(tx, sink) or _new(tx, sink)
    if row["holder"] not in (_NOBODY, holder) and row["beat"] != stale:
        return None
    if row["holder"] != holder:
        # It may have other settings now: what was wrong before shows again at the next try.
        row["problem"] = ""
    floor = chain.floor(tx)
    if row["seq"] < floor:
        row |= {"seq": floor, "lost": row["lost"] + floor - row["seq"], "attempts": 0}
    # The store may have been restored to an earlier time.
    row |= {"holder": holder, "beat": row["beat"] + 1, "seq": min(row["seq"], tx.log.head())}
    tx.table("sinks").upsert(row)
    return row


def _new(tx: TableContext, sink: str) -> Row:
    return {"sink": sink, "holder": _NOBODY, "seq": tx.log.head(), "beat": 0, "attempts": 0, "lost": 0} | {
        "failed": dead_letters.newest_turn(tx)
    }


def note(tx: TableContext, sink: str, me: str, **changes: object) -> bool:
    """Count a beat, and note how far it came; False where another process has taken the sink."""
    row = read(tx, sink)
    if row is None or row["holder"] != me:
        return False
    tx.table("sinks").update({"sink": sink, "beat": row["beat"] + 1, **changes})
    return True


def release(tx: TableContext, sink: str, me: str) -> None:
    """Let another process deliver."""
    note(tx, sink, me, holder=_NOBODY)


def bury(tx: TableContext, sink: str, change: Change, refusal: Refusal, attempts: int, now: int) -> None:
    """Keep a change that the sink would not take as a dead letter: which one it was, and no value."""
    tx.table("dead_letters").upsert(
        {
            "id": dead_letters.free_number(tx, now),
            "kind": DELIVERY,
            "actor": sender_of(sink),
            "sender": compact([sender_of(sink), None, []]),
            "run": change.run,
            "time": change.time,
            "failed": now,
            "attempts": attempts,
            "problem": compact(forms.REFUSAL.write(refusal)),
            "proposals": compact(forms.PROPOSALS.write(_about(change))),
            "seq": change.seq,
        }
    )


def _about(change: Change) -> tuple[Proposal, ...]:
    """Which aspect of which entity a change was about; nothing where the log is damaged there."""
    try:
        return (Proposal(Urn.parse(change.urn), change.aspect, "delete" if change.value is None else "upsert"),)
    except IllegalName:
        return ()


def deliver_again(tx: TableContext, sender: str, seq: int) -> None:
    """Have the sink of a dead letter be given its change once more."""
    tx.table("redeliveries").upsert({"sink": sender.partition(":")[2], "seq": seq})


def again(tx: TableContext, sink: str) -> int | None:
    """The first change that the sink is to be given once more."""
    return next((int(row["seq"]) for row in tx.table("redeliveries").scan(Range.prefix(sink), 1)), None)


def done_again(tx: TableContext, sink: str, seq: int) -> None:
    """It was given that change."""
    tx.table("redeliveries").delete((sink, seq))


def state(tx: TableContext, sink: str) -> SinkState:
    """How far a sink has come."""
    held = tx.table("dead_letters").count(filters=[Field("actor", sender_of(sink))])
    row = read(tx, sink)
    if row is None:
        return SinkState(sink, 0, None, 0, "", 0, held)
    oldest = next((one.time for one in log.changes(tx, row["seq"], 1, {})), None)
    behind = max(0, tx.log.head() - row["seq"])
    return SinkState(sink, behind, oldest, row["attempts"], row["problem"] or "", row["lost"], held)
