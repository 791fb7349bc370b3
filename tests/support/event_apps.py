"""A package whose listeners record events, and fail as a test demands."""

#: `events` has each event once, `counts` how many of each dataset were handled; `copies` has a row of each dataset by
#: namespace. The sets of the module name the entities whose events fail, hang or write too much.
WATCHER = '''
"""Watches what happens in the catalog."""

import threading

from jupyter_colophon.apps import (
    EntityCreated, EntityDeleted, EventListener, MetadataChanged, NamespaceDeleted, ProgramStatusChanged, Range,
    SystemApp, TableSpec,
)

FAILING, HANGING, HUGE, LATE = set(), set(), set(), []
RUNS, CALLS = [], []
FAILING_SCHEDULE = []
RELEASE, HELD = threading.Event(), threading.Semaphore(0)


class Recorder(EventListener):
    def on_event(self, context, event):
        CALLS.append(event.name)
        if event.name in FAILING:
            raise ValueError(f"no {event.name} please")
        if event.name in HANGING:
            HELD.release()
            RELEASE.wait(120)
        row = {"number": event.number, "type": type(event).__name__, "kind": event.kind, "name": event.name}
        if event.name in HUGE:
            row["name"] = object()

        def write(tables):
            tables.get_table("events").upsert(row)
            tables.get_table("counts").increment((event.name,), "count", 1)

        try:
            context.execute(write)
        except Exception as error:
            LATE.append(type(error).__name__)
            raise


class Copier(EventListener):
    def on_event(self, context, event):
        row = {"context": event.namespace, "name": event.name, "number": event.number}
        context.execute(lambda tables: tables.get_table("copies").upsert(row))


class NamespaceDeleteListener(EventListener):
    def on_event(self, context, event):
        context.execute(lambda tables: tables.get_table("copies").delete_range(Range.prefix(event.namespace)))


class Quiet(EventListener):
    def on_event(self, context, event):
        pass


def tick(context):
    RUNS.append(context.namespace)
    if FAILING_SCHEDULE:
        raise ValueError("no tick")

    def write(tables):
        tables.get_table("counts").increment(("ticks",), "count", 1)

    context.execute(write)


def list_rows(context, request):
    table = request.path["table"]
    return context.execute(lambda tables: list(tables.get_table(table).scan(Range())), read_only=True)


class Watcher(SystemApp):
    def configure(self, configurer):
        fields = {"number": "long", "type": "string", "kind": "string", "name": "string"}
        configurer.create_table(TableSpec("events", fields, ("number",)))
        configurer.create_table(TableSpec("counts", {"name": "string", "count": "long"}, ("name",)))
        configurer.create_table(
            TableSpec("copies", {"context": "string", "name": "string", "number": "long"}, ("context", "name"))
        )
        configurer.add_handler("GET", "/rows/{table}", list_rows)
        configurer.add_event_listener(Recorder(), kinds=["dataset", "dataJob"], timeout_s=TIMEOUT_S)
        configurer.add_event_listener(Copier(), types=[EntityCreated], kinds=["dataset"], start="beginning")
        configurer.add_event_listener(NamespaceDeleteListener(), types=[NamespaceDeleted])
        configurer.add_event_listener(Quiet())
        configurer.schedule("PT1S", tick, name="tick")


TIMEOUT_S = 30.0
'''
