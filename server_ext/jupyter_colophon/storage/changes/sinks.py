"""Store the state of each sink besides its cursor (storage/changes/cursors.py): failed attempts, reported failures,
redeliveries.
"""

from jupyter_colophon.core.changes.inbox import Rejection
from jupyter_colophon.core.changes.sink_status import DELIVERY, SinkState, make_sender_name_of_sink
from jupyter_colophon.core.documents.json_parsing import encode_canonical_json
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.changes import cursors, dead_letters, leases, log
from jupyter_colophon.storage.spi import FieldValue, Range, Row, TableContext

_TABLE = "sink_states"


def get_follower_name_of_sink(sink: str) -> str:
    """Return the name of a sink's lease and cursor."""
    return f"sink:{sink}"


def get_or_create_sink_state(tx: TableContext, sink: str) -> Row:
    """Start a new sink after the newest change; return the state of any sink."""
    cursors.get_or_create_position(tx, get_follower_name_of_sink(sink))
    row = tx.get_table(_TABLE).read((sink,))
    if row is None:
        row = {"sink": sink, "attempts": 0, "problem": "", "failed": dead_letters.get_newest_failure_position(tx)}
        tx.get_table(_TABLE).upsert(row)
    return row


def delete_sink_state(tx: TableContext, sink: str) -> None:
    """Delete the state of a sink to which no process delivers."""
    if leases.is_lease_free(tx, get_follower_name_of_sink(sink)):
        cursors.delete_position(tx, get_follower_name_of_sink(sink))
        tx.get_table(_TABLE).delete((sink,))


def update_delivery_state(tx: TableContext, sink: str, **changes: object) -> None:
    """Record the state of delivery: `attempts` and `problem` of the current change, and the last reported failure in
    `failed`.
    """
    tx.get_table(_TABLE).update({"sink": sink, **changes})


def add_dead_letter_of_change(
    tx: TableContext, sink: str, change: Change, refusal: Rejection, attempts: int, now: int
) -> None:
    """Store a change that the sink did not accept as a dead letter, without its values."""
    tx.get_table("dead_letters").upsert(
        {
            "id": dead_letters.find_free_letter_number(tx, now),
            "kind": DELIVERY,
            "actor": make_sender_name_of_sink(sink),
            "principal": encode_canonical_json([make_sender_name_of_sink(sink), None, []]),
            "run": change.run,
            "time": change.time,
            "failed": now,
            "attempts": attempts,
            "problem": encode_canonical_json(codecs.REFUSAL.write(refusal)),
            "proposals": encode_canonical_json(codecs.PROPOSALS.write(_build_proposals_naming_change(change))),
            "seq": change.seq,
        }
    )


def _build_proposals_naming_change(change: Change) -> tuple[Proposal, ...]:
    """Return the entity and the aspect of a change as a proposal; nothing if the log is damaged there."""
    try:
        return (Proposal(Urn.parse(change.urn), change.aspect, "delete" if change.value is None else "upsert"),)
    except InvalidName:
        return ()


def record_redelivery_request(tx: TableContext, sender: str, seq: int) -> None:
    """Request that a change of a dead letter be delivered to its sink again."""
    tx.get_table("redeliveries").upsert({"sink": sender.partition(":")[2], "seq": seq})


def find_first_redelivery(tx: TableContext, sink: str) -> int | None:
    """Return the first change that is to be delivered to the sink again."""
    return next((int(row["seq"]) for row in tx.get_table("redeliveries").scan(Range.prefix(sink), 1)), None)


def delete_redelivery_request(tx: TableContext, sink: str, seq: int) -> None:
    """Record that the change was delivered again."""
    tx.get_table("redeliveries").delete((sink, seq))


def read_sink_state(tx: TableContext, sink: str) -> SinkState:
    """Return how far a sink has come."""
    letters = tx.get_table("dead_letters").count(filters=[FieldValue("actor", make_sender_name_of_sink(sink))])
    row, cursor = tx.get_table(_TABLE).read((sink,)), cursors.find_follower_row(tx, get_follower_name_of_sink(sink))
    if row is None or cursor is None:
        return SinkState(sink, 0, None, 0, "", 0, letters)
    oldest = next((change.time for change in log.list_changes_after(tx, cursor["seq"], 1, {})), None)
    lag = max(0, tx.log.get_newest_number() - cursor["seq"])
    return SinkState(sink, lag, oldest, row["attempts"], row["problem"] or "", cursor["skipped"], letters)
