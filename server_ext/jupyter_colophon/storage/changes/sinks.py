"""What is stored of each sink beside its cursor (storage/changes/cursors.py): failed attempts, failures it was notified of, redeliveries."""

from jupyter_colophon.core.changes.inbox import Refusal
from jupyter_colophon.core.changes.sink_status import DELIVERY, SinkState, sender_of
from jupyter_colophon.core.documents.json_parsing import compact
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.changes import cursors, dead_letters, leases, log
from jupyter_colophon.storage.spi import Field, Range, Row, TableContext

_TABLE = "sink_states"


def follower(sink: str) -> str:
    """Return the name of a sink's lease and cursor."""
    return f"sink:{sink}"


def begin(tx: TableContext, sink: str) -> Row:
    """Have a new sink begin with what comes from now on; return the state of any sink."""
    cursors.begin(tx, follower(sink))
    row = tx.table(_TABLE).read((sink,))
    if row is None:
        row = {"sink": sink, "attempts": 0, "problem": "", "failed": dead_letters.newest_turn(tx)}
        tx.table(_TABLE).upsert(row)
    return row


def forget(tx: TableContext, sink: str) -> None:
    """Keep no position of a sink to which no process delivers."""
    if leases.is_free(tx, follower(sink)):
        cursors.forget(tx, follower(sink))
        tx.table(_TABLE).delete((sink,))


def note(tx: TableContext, sink: str, **changes: object) -> None:
    """Record how delivery goes: `attempts` and `problem` of the change that is tried, the last failure in `failed`."""
    tx.table(_TABLE).update({"sink": sink, **changes})


def bury(tx: TableContext, sink: str, change: Change, refusal: Refusal, attempts: int, now: int) -> None:
    """Keep a change that the sink would not take as a dead letter: which one it was, and no value."""
    tx.table("dead_letters").upsert(
        {
            "id": dead_letters.free_number(tx, now),
            "kind": DELIVERY,
            "actor": sender_of(sink),
            "principal": compact([sender_of(sink), None, []]),
            "run": change.run,
            "time": change.time,
            "failed": now,
            "attempts": attempts,
            "problem": compact(codecs.REFUSAL.write(refusal)),
            "proposals": compact(codecs.PROPOSALS.write(_about(change))),
            "seq": change.seq,
        }
    )


def _about(change: Change) -> tuple[Proposal, ...]:
    """Which aspect of which entity a change was about; nothing where the log is damaged there."""
    try:
        return (Proposal(Urn.parse(change.urn), change.aspect, "delete" if change.value is None else "upsert"),)
    except InvalidName:
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
    letters = tx.table("dead_letters").count(filters=[Field("actor", sender_of(sink))])
    row, cursor = tx.table(_TABLE).read((sink,)), cursors.read(tx, follower(sink))
    if row is None or cursor is None:
        return SinkState(sink, 0, None, 0, "", 0, letters)
    oldest = next((change.time for change in log.changes(tx, cursor["seq"], 1, {})), None)
    behind = max(0, tx.log.head() - cursor["seq"])
    return SinkState(sink, behind, oldest, row["attempts"], row["problem"] or "", cursor["skipped"], letters)
