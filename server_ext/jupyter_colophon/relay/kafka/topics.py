"""The records for each topic."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from jupyter_colophon.core.changes.change_formatter import ChangeFormatter, Document
from jupyter_colophon.core.changes.inbox import DeadLetter
from jupyter_colophon.core.datahub.mcl import build_failed_proposals_of_letter, build_metadata_change_log, is_timeseries
from jupyter_colophon.core.documents.json_parsing import encode_canonical_json
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.errors import InvalidConfiguration, quote_and_truncate_text

#: The kinds of records, and their default topics (spec DH-10).
TOPICS: Final = {
    "versioned": "MetadataChangeLog_Versioned_v1",
    "timeseries": "MetadataChangeLog_Timeseries_v1",
    "failed": "FailedMetadataChangeProposal_v1",
    "records": "cdap-metadata-updates",
    "audit": "audit",
}


@dataclass(frozen=True, slots=True)
class KafkaRecord:
    """A Kafka record. An event has the same id whenever it is sent."""

    topic: str
    key: bytes
    value: bytes
    event: str

    @property
    def headers(self) -> list[tuple[str, bytes]]:
        """Return the headers."""
        return [("event-id", self.event.encode()), ("content-type", b"application/json")]

    @property
    def size(self) -> int:
        """Return an upper estimate of the size in bytes, with headers and overhead."""
        return len(self.key) + len(self.value) + len(self.event) + 128


@dataclass(frozen=True, slots=True)
class RecordBuilder:
    """Build records for changes and failures. `topics` lacks disabled topics; `origin` is the id of the catalog."""

    formatter: ChangeFormatter
    topics: Mapping[str, str]
    origin: str

    def build_change_records(self, change: Change) -> Iterator[KafkaRecord]:
        """Yield the records for a change; none for formats that do not represent it."""
        # A store that was restored to an earlier state assigns numbers again: the time distinguishes such changes.
        event = f"{self.origin}-{change.seq}-{change.time}"
        for what, document in self._build_documents(change):
            if document is not None:
                yield self._build_record(what, change.urn, document, event)

    def build_failure_records(self, letter: DeadLetter, failure_number: int) -> Iterator[KafkaRecord]:
        """Yield a failed proposal for each proposal of a dead letter."""
        if "failed" not in self.topics:
            return
        for number, (urn, document) in enumerate(build_failed_proposals_of_letter(letter)):
            yield self._build_record("failed", urn, document, f"{self.origin}-failed-{failure_number}-{number}")

    def _build_documents(self, change: Change) -> Iterator[tuple[str, Document | None]]:
        log = "timeseries" if is_timeseries(change, self.formatter.registry) else "versioned"
        if log in self.topics:
            yield log, build_metadata_change_log(change, self.formatter.registry)
        if "records" in self.topics:
            yield "records", self.formatter.build_metadata_change_record(change)
        if "audit" in self.topics:
            yield "audit", self.formatter.build_audit_message(change)

    def _build_record(self, topic_name: str, urn: str, document: Document, event: str) -> KafkaRecord:
        return KafkaRecord(self.topics[topic_name], urn.encode(), encode_canonical_json(document).encode(), event)


def read_topics(option: object) -> dict[str, str]:
    """Return the topics of the option `topics`: an empty name or None disables one. Raises InvalidConfiguration."""
    if option is None:
        return dict(TOPICS)
    if not isinstance(option, Mapping):
        raise InvalidConfiguration(
            f"the option topics must be a dict from kinds ({', '.join(TOPICS)}) to names of topics"
        )
    for name, topic in option.items():
        if name not in TOPICS:
            raise InvalidConfiguration(
                f"unknown topic {quote_and_truncate_text(str(name))}; available: {', '.join(TOPICS)}"
            )
        if topic is not None and not isinstance(topic, str):
            raise InvalidConfiguration(f"the topic {name} must be a name, or None")
    return {name: topic for name, topic in (TOPICS | dict(option)).items() if topic}
