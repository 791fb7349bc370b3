"""The sink of kind `kafka`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from jupyter_colophon.core.changes.inbox import DeadLetter
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.errors import DeliveryRejected, InvalidConfiguration, shown
from jupyter_colophon.relay.kafka.config import checked, connection
from jupyter_colophon.relay.kafka.producer import Sender, producing
from jupyter_colophon.relay.kafka.topics import Record, Speaker, topics
from jupyter_colophon.relay.sink_protocol import SinkContext

_OPTIONS: Final = ("properties_file", "servers", "topics")


def create(context: SinkContext) -> "Kafka":
    """The sink of these options. Raises InvalidConfiguration, which shows no value."""
    for name in context.options:
        if name not in _OPTIONS:
            raise InvalidConfiguration(f"unknown option {shown(str(name))}")
    named = topics(context.options.get("topics"))
    properties = producing(connection(context.options), context.timeout_s)
    checked(properties, "Producer")
    return Kafka(Speaker(context.formatter, named, context.origin), Sender(properties, context.timeout_s))


@dataclass(slots=True)
class Kafka:
    """Sends changes to topics. Whoever sees a repr of it sees no password."""

    speaker: Speaker
    sender: Sender = field(repr=False)

    @property
    def is_local(self) -> bool:
        """No: it is one for all processes."""
        return False

    def deliver(self, changes: Sequence[Change]) -> None:
        """Send all that is said of them. Raises DeliveryRejected, SinkUnavailable."""
        self.sender.send(self._made(lambda: [record for change in changes for record in self.speaker.change(change)]))

    def deliver_failure(self, letter: DeadLetter, turn: int) -> None:
        """Send what is said of a dead letter. Raises DeliveryRejected, SinkUnavailable."""
        self.sender.send(self._made(lambda: list(self.speaker.failure(letter, turn))))

    def close(self) -> None:
        """Let go of the connections."""
        self.sender.close()

    def _made(self, say: Callable[[], list[Record]]) -> list[Record]:
        try:
            return say()
        except Exception as error:
            # Whatever is wrong with one of them, it is so each time.
            raise DeliveryRejected(f"it cannot be told ({type(error).__name__})") from error
