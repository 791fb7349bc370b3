"""How far a sink has come: what health and the doctor tell of it."""

from dataclasses import dataclass

#: The kind of the dead letters of changes that a sink would not take.
DELIVERY = "delivery"


def sender_of(sink: str) -> str:
    """Whose its dead letters are: nobody's but an admin's. No user is called so."""
    return f"sink:{sink}"


@dataclass(frozen=True, slots=True)
class SinkState:
    """`behind` is how many changes it lacks, `oldest` the time of the first of them (ms), `attempts` how often that was tried.

    `lost` is how many changes were compacted away before it had them.
    """

    name: str
    behind: int
    oldest: int | None
    attempts: int
    problem: str
    lost: int
    dead_letters: int
