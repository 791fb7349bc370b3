"""What is said on which topic, and how."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from jupyter_colophon.core.changes.change_formatter import ChangeFormatter, Document
from jupyter_colophon.core.changes.inbox import DeadLetter
from jupyter_colophon.core.datahub.mcl import failed_proposals, is_timeseries, log_entry
from jupyter_colophon.core.documents.json_parsing import compact
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.errors import InvalidConfiguration, shown

#: What can be said, and the topic on which it is unless the settings name another one (spec DH-10).
TOPICS: Final = {
    "versioned": "MetadataChangeLog_Versioned_v1",
    "timeseries": "MetadataChangeLog_Timeseries_v1",
    "failed": "FailedMetadataChangeProposal_v1",
    "records": "cdap-metadata-updates",
    "audit": "audit",
}


@dataclass(frozen=True, slots=True)
class Record:
    """A record of Kafka. The same event has the same id whenever it is sent."""

    topic: str
    key: bytes
    value: bytes
    event: str

    @property
    def headers(self) -> list[tuple[str, bytes]]:
        """What stands beside the value."""
        return [("event-id", self.event.encode()), ("content-type", b"application/json")]

    @property
    def size(self) -> int:
        """Its bytes, a little more than less: with headers and what Kafka puts round them."""
        return len(self.key) + len(self.value) + len(self.event) + 128


@dataclass(frozen=True, slots=True)
class Speaker:
    """Says changes and failures. `topics` has no place for what is switched off; `origin` is the catalog's own id."""

    formatter: ChangeFormatter
    topics: Mapping[str, str]
    origin: str

    def change(self, change: Change) -> Iterator[Record]:
        """All that is said of a change; nothing of a kind for which there are no words."""
        # A store that was restored to an earlier time numbers on from there: the time tells such changes apart.
        event = f"{self.origin}-{change.seq}-{change.time}"
        for what, document in self._documents(change):
            if document is not None:
                yield self._record(what, change.urn, document, event)

    def failure(self, letter: DeadLetter, turn: int) -> Iterator[Record]:
        """What is said of a dead letter: one failed proposal for each that it holds."""
        if "failed" not in self.topics:
            return
        for number, (urn, told) in enumerate(failed_proposals(letter)):
            yield self._record("failed", urn, told, f"{self.origin}-failed-{turn}-{number}")

    def _documents(self, change: Change) -> Iterator[tuple[str, Document | None]]:
        log = "timeseries" if is_timeseries(change, self.formatter.registry) else "versioned"
        if log in self.topics:
            yield log, log_entry(change, self.formatter.registry)
        if "records" in self.topics:
            yield "records", self.formatter.record(change)
        if "audit" in self.topics:
            yield "audit", self.formatter.audit(change)

    def _record(self, what: str, urn: str, told: Document, event: str) -> Record:
        return Record(self.topics[what], urn.encode(), compact(told).encode(), event)


def topics(told: object) -> dict[str, str]:
    """The topics of the option `topics`: an empty name or None switches one off. Raises InvalidConfiguration."""
    if told is None:
        return dict(TOPICS)
    if not isinstance(told, Mapping):
        raise InvalidConfiguration("the option topics must be a dict of names")
    for name, topic in told.items():
        if name not in TOPICS:
            raise InvalidConfiguration(f"there is no topic {shown(str(name))} to be named: {', '.join(TOPICS)}")
        if topic is not None and not isinstance(topic, str):
            raise InvalidConfiguration(f"its topic {name} must be a name, or None")
    return {name: topic for name, topic in (TOPICS | dict(told)).items() if topic}
