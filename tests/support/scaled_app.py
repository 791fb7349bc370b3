"""A package with an application whose handlers do what shows that they run in processes of their own."""

#: `service` works and fails in processes; `jobs` is a service of the kind `spark`.
SCALED = '''
"""An application that is scaled."""

import os
import time
from pathlib import Path

from jupyter_colophon.apps import AlreadyExists, Range, ServiceResponse, SystemApp, TableSpec

KEPT = []


def get_process(context, request):
    return {"process": os.getpid(), "user": context.principal.user}


def wait(context, request):
    time.sleep(float(request.query["seconds"][0]))
    return get_process(context, request)


def wait_for_file(context, request):
    folder = Path(request.query["folder"][0])
    (folder / str(os.getpid())).touch()
    while not (folder / "go-on").exists():
        time.sleep(0.02)


def count(context, request):
    key = (context.namespace, request.path["name"])
    uses = context.execute(lambda tables: tables.get_table("uses").increment(key, "uses", 1))
    return ServiceResponse({"uses": uses, "body": len(request.body), "query": request.query["a"]}, 201)


def list_uses(context, request):
    admin = context.run_as(context.principal).admin
    rows = context.execute(lambda tables: list(tables.get_table("uses").scan(Range())), read_only=True)
    return {"uses": sum(row["uses"] for row in rows), "namespaces": sorted(admin.list_namespaces())}


def refuse(context, request):
    raise AlreadyExists("connection", "lake")


def fail(context, request):
    raise ValueError("CANARY")


def hang(context, request):
    while True:
        pass


def leak(context, request):
    while True:
        KEPT.append(bytearray(8 * 1024 * 1024))


def end(context, request):
    os._exit(7)


def flood(context, request):
    for number in range(20_000):
        print("flood", number, "x" * 200)
    return get_process(context, request)


def use_spark(context, request):
    return {"rows": context.spark.range(5).count(), "process": os.getpid()}


class Scaled(SystemApp):
    def configure(self, configurer):
        configurer.create_table(TableSpec("uses", {"context": "string", "name": "string", "uses": "long"}, ("context", "name")))
        configurer.add_alias("short")
        configurer.add_alias("main", service="service")
        configurer.add_handler("GET", "/process", get_process)
        configurer.add_handler("GET", "/wait", wait)
        configurer.add_handler("GET", "/wait-for-file", wait_for_file, timeout_s=120)
        configurer.add_handler("POST", "/contexts/{context}/{name}", count, permission="read")
        configurer.add_handler("GET", "/contexts/{context}", list_uses)
        configurer.add_handler("GET", "/refuse", refuse)
        configurer.add_handler("GET", "/fail", fail)
        configurer.add_handler("GET", "/hang", hang, timeout_s=1)
        configurer.add_handler("GET", "/leak", leak)
        configurer.add_handler("GET", "/end", end)
        configurer.add_handler("GET", "/flood", flood)
        configurer.add_handler("GET", "/rows", use_spark, service="jobs", kind="spark", timeout_s=300)
        configurer.add_handler("GET", "/process", get_process, service="jobs", kind="spark")
        configurer.add_handler("GET", "/no-spark", use_spark)
'''
