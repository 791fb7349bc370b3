"""A package with an application that records which process has done what, on whichever server of a store."""

#: `handled` has a row for each event, and `runs` one for each run of the schedule, with how often it was written.
JOURNAL = '''
"""Records events, runs and notes."""

import os

from jupyter_colophon.apps import EntityCreated, EventListener, NamespaceDeleted, Range, ServiceResponse, SystemApp, TableSpec


def count_once_more(context, table, name):
    def write(tables):
        found = tables.get_table(table)
        found.increment((name,), "times", 1)
        found.upsert({"name": name, "process": os.getpid()})

    context.execute(write)


class Recorder(EventListener):
    def on_event(self, context, event):
        count_once_more(context, "handled", f"{event.kind}:{event.name}")


class NamespaceDeleteListener(EventListener):
    def on_event(self, context, event):
        count_once_more(context, "handled", f"deleted:{event.name}")


def run_hourly(context):
    count_once_more(context, "runs", "hourly")


def put_note(context, request):
    row = {"context": context.namespace, "name": request.path["name"], "writer": context.principal.user}
    context.execute(lambda tables: tables.get_table("notes").upsert(row))
    context.files.put(request.path["name"], request.body)
    return ServiceResponse(row, 201)


def list_notes(context, request):
    def read(tables):
        return [row["name"] for row in tables.get_table("notes").scan(Range.prefix(context.namespace))]

    return {"notes": {name: context.files.get(name).size for name in context.execute(read)}, "process": os.getpid()}


class Journal(SystemApp):
    def configure(self, configurer):
        for table in ("handled", "runs"):
            fields = {"name": "string", "times": "long", "process": "long"}
            configurer.create_table(TableSpec(table, fields, ("name",)))
        notes = {"context": "string", "name": "string", "writer": "string"}
        configurer.create_table(TableSpec("notes", notes, ("context", "name")))
        configurer.add_handler("PUT", "/contexts/{context}/notes/{name}", put_note)
        configurer.add_handler("GET", "/contexts/{context}/notes", list_notes)
        configurer.add_event_listener(Recorder(), types=[EntityCreated], kinds=["dataset"])
        configurer.add_event_listener(NamespaceDeleteListener(), types=[NamespaceDeleted])
        configurer.schedule("PT1H", run_hourly, name="hourly")
'''
