"""Takes events of OpenLineage in. What is no event is refused, and kept as a dead letter."""

from collections.abc import Callable
from dataclasses import dataclass

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.changes.inbox import DeadLetter, Refusal
from jupyter_colophon.core.documents.json_parsing import parse
from jupyter_colophon.core.documents.json_schema import Schema
from jupyter_colophon.core.errors import AccessDenied, MetadataError, NotFound, StorageError
from jupyter_colophon.core.identity.names import Identity, namespace
from jupyter_colophon.core.openlineage.event import SUBJECT, Event, parse_event
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage.changes import dead_letters
from jupyter_colophon.storage.spi import StorageProvider, TableContext

#: Of a longer body that is no event, nothing is kept but why it was refused.
_KEPT_BYTES = 1_048_576


@dataclass(frozen=True, slots=True)
class Collector:
    """Takes events in, each in a transaction of its own."""

    provider: StorageProvider
    write_path: WritePath
    identity: Identity
    schema: Schema
    now: Callable[[], int]

    def take(self, body: bytes, principal: Principal) -> None:
        """Take an event in. Raises MalformedBody, InvalidInstance, AlreadyExists; and NotFound, AccessDenied."""
        try:
            self.write_path.take_event(self._read(body), principal)
        except (StorageError, AccessDenied, NotFound):
            raise
        except MetadataError as error:
            # Who may not emit at all learns nothing, and fills nothing.
            self.write_path.require(principal, "emit", namespace(self.identity.notebook_namespace))
            refusal = Refusal.of(error)
            self.provider.tx_runner.run(lambda tx: self._bury(tx, body, principal, refusal))
            raise

    def replay(self, letter: DeadLetter) -> None:
        """Take the event of a dead letter in, as who sent it, and take the letter away. Raises as `take` does."""

        def removing(tx: TableContext) -> None:
            if not dead_letters.remove(tx, letter.id):
                raise NotFound("dead letter", str(letter.id))

        event = self._read((letter.document or "").encode())
        self.write_path.take_event(event, letter.sender, removing)

    def _read(self, body: bytes) -> Event:
        document = parse(body)
        self.schema.validate(document, SUBJECT)
        return parse_event(document, self.identity)

    def _bury(self, tx: TableContext, body: bytes, principal: Principal, refusal: Refusal) -> None:
        kept = body.decode(errors="replace").replace("\x00", "\ufffd") if len(body) <= _KEPT_BYTES else None
        dead_letters.bury_event(tx, kept, principal, refusal, self.now())
