"""Store OpenLineage events. An invalid event is rejected, and stored as a dead letter."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.inbox import DeadLetter, Rejection
from jupyter_colophon.core.documents.json_parsing import parse_json
from jupyter_colophon.core.documents.json_schema import Schema
from jupyter_colophon.core.errors import AccessDenied, MetadataError, NotFound, StorageError
from jupyter_colophon.core.identity.names import IdentityRules, make_namespace_urn
from jupyter_colophon.core.openlineage.event import SUBJECT, Event, parse_openlineage_event
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage.changes import dead_letters
from jupyter_colophon.storage.spi import StorageProvider, TableContext

#: The largest body of an invalid event that is stored; of larger ones only the reason is.
_STORED_BYTES_MAX = 1_048_576


@dataclass(frozen=True, slots=True)
class OpenLineageCollector:
    """Stores events, each in its own transaction."""

    provider: StorageProvider
    write_path: WritePath
    identity: IdentityRules
    schema: Schema
    now: Callable[[], int]

    def parse_and_store_event(self, body: bytes, principal: Principal) -> None:
        """Store an event. Raises MalformedBody, InvalidInstance, AlreadyExists; and NotFound, AccessDenied."""
        try:
            self.write_path.record_openlineage_event(self.parse_event(parse_json(body)), principal)
        except (StorageError, AccessDenied, NotFound):
            raise
        except MetadataError as error:
            # A caller without the right to emit gets no details, and adds no dead letter.
            self.write_path.require_may_act_on_entity(
                principal, "emit", make_namespace_urn(self.identity.notebook_namespace)
            )
            refusal = Rejection.from_error(error)
            self.provider.tx_runner.run(lambda tx: self._store_rejected_event(tx, body, principal, refusal))
            raise

    def retry_letter_and_delete_it(self, letter: DeadLetter) -> None:
        """Store the event of a dead letter on behalf of its sender, and delete the letter. Raises as `parse_and_store_event` does."""

        def remove_letter(tx: TableContext) -> None:
            if not dead_letters.delete_letter(tx, letter.id):
                raise NotFound("dead letter", str(letter.id))

        event = self.parse_event(parse_json((letter.document or "").encode()))
        self.write_path.record_openlineage_event(event, letter.sender, remove_letter)

    def parse_event(self, document: Any) -> Event:
        """Return an event. Raises InvalidInstance."""
        self.schema.require_valid(document, SUBJECT)
        return parse_openlineage_event(document, self.identity)

    def _store_rejected_event(self, tx: TableContext, body: bytes, principal: Principal, refusal: Rejection) -> None:
        text = body.decode(errors="replace").replace("\x00", "\ufffd") if len(body) <= _STORED_BYTES_MAX else None
        dead_letters.add_letter_of_event_and_trim_sender(tx, text, principal, refusal, self.now())
