"""A package whose listener waits in the middle of an event until a test lets it continue."""

#: `rows` has rows of handlers and of events by namespace, `counts` how often each event was counted. `Copier` waits
#: before it uses the namespace of its event. `RAISING` names the events after whose writes it fails.
RACING = '''
"""Uses namespaces while they are deleted and created again."""

import threading
from contextlib import suppress

from jupyter_colophon.apps import EntityCreated, EventListener, NotFound, SystemApp, TableSpec

HELD, RELEASED, RETURNED = threading.Semaphore(0), threading.Semaphore(0), threading.Semaphore(0)
RAISING = set()


class Copier(EventListener):
    def on_event(self, context, event):
        HELD.release()
        RELEASED.acquire(timeout=120)
        try:
            with suppress(NotFound):
                context.files.put(event.name, event.name.encode())
            key = (event.namespace, event.name)
            context.execute(lambda tables: tables.get_table("rows").increment(key, "count", 1))
        finally:
            RETURNED.release()
        if event.name in RAISING:
            raise ValueError(f"{event.name} fails after its writes")


class Counter(EventListener):
    def on_event(self, context, event):
        context.execute(lambda tables: tables.get_table("counts").increment((event.name,), "count", 1))


class Racing(SystemApp):
    def configure(self, configurer):
        configurer.create_table(
            TableSpec("rows", {"context": "string", "name": "string", "count": "long"}, ("context", "name"))
        )
        configurer.create_table(TableSpec("counts", {"name": "string", "count": "long"}, ("name",)))
        configurer.add_handler("GET", "/v1/all", lambda context, request: None)
        configurer.add_event_listener(Copier(), types=[EntityCreated], kinds=["dataset"], timeout_s=TIMEOUT_S)
        configurer.add_event_listener(Counter(), types=[EntityCreated], kinds=["dataset"])


TIMEOUT_S = 120.0
'''
