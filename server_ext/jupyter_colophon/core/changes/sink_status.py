"""The progress of a sink, as shown by health and the doctor."""

from dataclasses import dataclass

#: The kind of the dead letters of changes that a sink did not accept.
DELIVERY = "delivery"


def make_sender_name_of_sink(sink: str) -> str:
    """Return the sender of a sink's dead letters: no user can have this name, so only admins see them."""
    return f"sink:{sink}"


@dataclass(frozen=True, slots=True)
class SinkState:
    """The progress of a sink. `undelivered` is the number of undelivered changes, `oldest` the time of the first of them
    (ms), `attempts` the number of attempts to deliver it. `lost` is the number of changes removed from the log before
    their delivery.
    """

    name: str
    undelivered: int
    oldest: int | None
    attempts: int
    problem: str
    lost: int
    dead_letters: int
