"""Up to where proposals were taken from topics elsewhere: each is taken once, however often it is handed to us."""

from dataclasses import dataclass

from jupyter_colophon.storage.spi import TableContext


@dataclass(frozen=True, slots=True)
class Place:
    """The position of a message. A topic created again under the same name has another id."""

    topic: str
    partition: int
    offset: int


def is_taken(tx: TableContext, place: Place) -> bool:
    """Whether the message there, or one behind it, was taken."""
    row = tx.table("consumed_offsets").read((place.topic, place.partition))
    return row is not None and place.offset < row["next_offset"]


def note(tx: TableContext, place: Place) -> None:
    """The message there was taken."""
    tx.table("consumed_offsets").upsert(
        {"topic": place.topic, "partition": place.partition, "next_offset": place.offset + 1}
    )
