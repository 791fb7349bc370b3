"""Offsets up to which proposals were consumed from topics: each is consumed once, however often it is delivered."""

from dataclasses import dataclass

from jupyter_colophon.storage.spi import TableContext


@dataclass(frozen=True, slots=True)
class PartitionKey:
    """The position of a message. A topic that is created again under the same name has another id."""

    topic: str
    partition: int
    offset: int


def is_taken(tx: TableContext, place: PartitionKey) -> bool:
    """Return whether this message, or a later one, was consumed."""
    row = tx.get_table("consumed_offsets").read((place.topic, place.partition))
    return row is not None and place.offset < row["next_offset"]


def record_offset(tx: TableContext, place: PartitionKey) -> None:
    """Record that this message was consumed."""
    tx.get_table("consumed_offsets").upsert(
        {"topic": place.topic, "partition": place.partition, "next_offset": place.offset + 1}
    )
