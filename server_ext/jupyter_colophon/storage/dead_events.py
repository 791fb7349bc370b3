"""Store the events that listeners of system applications could not handle, and later ones of the same entities.

An event has a row from its first failure until it is handled or dropped. It is retried until it is `parked`. Later events of
its entity wait in rows with no attempts, so that a listener always receives the events of an entity in their order.
"""

from dataclasses import asdict, replace
from typing import Any, Final

from jupyter_colophon.core.changes.dead_event import DeadEvent
from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.storage.spi import FieldValue, Range, TableContext, TableSpec

DEAD_EVENTS: Final = TableSpec(
    "dead_events",
    {
        "app": "string",
        "listener": "string",
        "version": "int",
        "urn": "string",
        "seq": "long",
        "attempts": "int",
        "due": "long",
        "parked": "bool",
        "problem": "string",
        "failed": "long",
    },
    ("app", "listener", "version", "urn", "seq"),
    ("parked",),
)


def list_all_events(tx: TableContext) -> list[DeadEvent]:
    """Return the events of all applications, in their order, and that of listeners, entities and events."""
    return _scan(tx, ())


def list_events_of_app(tx: TableContext, app: str) -> list[DeadEvent]:
    """Return the events of all listeners of an application, in the order of listeners, entities and events."""
    return _scan(tx, (app,))


def list_events_of_listener(tx: TableContext, app: str, listener: str, version: int) -> list[DeadEvent]:
    """Return the events of a listener, in the order of entities and events."""
    return _scan(tx, (app, listener, version))


def find_event(tx: TableContext, event: DeadEvent) -> DeadEvent | None:
    """Return an event as it is stored now; None if it was handled or dropped."""
    row = tx.get_table(DEAD_EVENTS.id).read(event.key)
    return None if row is None else DeadEvent(**row)


def write_event(tx: TableContext, event: DeadEvent) -> None:
    """Store an event."""
    tx.get_table(DEAD_EVENTS.id).upsert(asdict(event))


def delete_event(tx: TableContext, event: DeadEvent) -> None:
    """Delete an event that is handled or dropped."""
    tx.get_table(DEAD_EVENTS.id).delete(event.key)


def request_retry(tx: TableContext, app: str, listener: str, seq: int) -> DeadEvent:
    """Make an event due now, as if it had not been tried. Raises NotFound."""
    event = _require_event(tx, app, listener, seq)
    retried = replace(event, attempts=0, due=0, parked=False)
    write_event(tx, retried)
    return retried


def drop_event(tx: TableContext, app: str, listener: str, seq: int) -> DeadEvent:
    """Delete an event that will never be handled, and return it. Raises NotFound."""
    event = _require_event(tx, app, listener, seq)
    delete_event(tx, event)
    return event


def delete_events_of_listener_before_version(tx: TableContext, app: str, listener: str, version: int) -> None:
    """Delete the events of earlier versions of a listener."""
    tx.get_table(DEAD_EVENTS.id).delete_range(Range((app, listener), end=(app, listener, version), end_inclusive=False))


def count_parked_events(tx: TableContext) -> int:
    """Return the number of parked events of all applications."""
    return tx.get_table(DEAD_EVENTS.id).count(filters=[FieldValue("parked", True)])


def _require_event(tx: TableContext, app: str, listener: str, seq: int) -> DeadEvent:
    for event in _scan(tx, (app, listener)):
        if event.seq == seq:
            return event
    raise NotFound("event", str(seq))


def _scan(tx: TableContext, prefix: tuple[Any, ...]) -> list[DeadEvent]:
    return [DeadEvent(**row) for row in tx.get_table(DEAD_EVENTS.id).scan(Range.prefix(*prefix))]
