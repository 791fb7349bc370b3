"""Offsets up to which proposals were consumed from topics: each is consumed once, however often it is delivered."""

from dataclasses import dataclass

from jupyter_colophon.storage.spi import TableContext


@dataclass(frozen=True, slots=True)
class MessagePosition:
    """The position of a message. A topic that is created again under the same name has another id."""

    topic: str
    partition: int
    offset: int


def is_consumed(tx: TableContext, partition_key: MessagePosition) -> bool:
    """Return whether this message, or a later one, was consumed."""
    row = tx.get_table("consumed_offsets").read((partition_key.topic, partition_key.partition))
    return row is not None and partition_key.offset < row["next_offset"]


def record_consumed_offset(tx: TableContext, partition_key: MessagePosition) -> None:
    """Record that this message was consumed."""
    tx.get_table("consumed_offsets").upsert(
        {"topic": partition_key.topic, "partition": partition_key.partition, "next_offset": partition_key.offset + 1}
    )
