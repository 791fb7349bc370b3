"""Jobs: work that continues after its call, on each store."""

import threading
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import pytest
from jupyter_colophon.apps import AlreadyExists
from jupyter_colophon.apps.system_apps import SystemApps
from jupyter_colophon.composition import Catalog
from support.system_apps import call_app, open_apps, wait_for_records

WAIT_S = 60
#: An application whose jobs wait until the test releases them.
JOBS = '''
"""An application with jobs."""

import threading

from jupyter_colophon.apps import ServiceResponse, SystemApp, TableSpec

RELEASE = threading.Event()


def start(context, request):
    key = (context.namespace, request.path["name"])

    def work(job):
        RELEASE.wait(60)
        if key[1] == "broken":
            raise ValueError("CANARY")
        row = {"context": key[0], "name": key[1], "user": job.principal.user}
        job.execute(lambda tables: tables.get_table("done").upsert(row))
        job.files.put(key[1], b"content")

    context.start_job(key[1], work)
    return ServiceResponse({"name": key[1]}, 202)


def read(context, request):
    key = (context.namespace, request.path["name"])
    is_running = context.is_job_running(key[1])
    row = context.execute(lambda tables: tables.get_table("done").read(key), read_only=True)
    return {"running": is_running, "done": row}


class Jobs(SystemApp):
    def configure(self, configurer):
        fields = {"context": "string", "name": "string", "user": "string"}
        configurer.create_table(TableSpec("done", fields, ("context", "name")))
        configurer.add_handler("POST", "/contexts/{context}/{name}", start)
        configurer.add_handler("POST", "/contexts/{context}/briefly/{name}", start, timeout_s=3)
        configurer.add_handler("GET", "/contexts/{context}/{name}", read)
'''


@pytest.fixture
def release(install: Callable[..., str]) -> Iterator[threading.Event]:
    """The event that ends the jobs."""
    event: threading.Event = import_module(install(JOBS, "jobs", "Jobs")).RELEASE
    event.clear()
    yield event
    event.set()


@pytest.fixture
def apps(catalog: Catalog, release: threading.Event) -> Iterator[SystemApps]:
    opened = open_apps(catalog)
    yield opened
    opened.close()


def call(apps: SystemApps, method: str, path: str) -> Any:
    return call_app(apps, method, f"/contexts/sales/{path}", app="jobs")


def wait_until_ended(apps: SystemApps, name: str) -> Any:
    for _ in range(WAIT_S * 50):
        state = call(apps, "GET", name)
        if not state["running"]:
            return state["done"]
        threading.Event().wait(0.02)
    raise AssertionError(name)


def test_job_continues_after_its_call_and_is_known_to_all_processes(
    catalog: Catalog, apps: SystemApps, release: threading.Event
) -> None:
    other = open_apps(catalog)
    call(apps, "POST", "briefly/long")
    assert [call(one, "GET", "long") for one in (apps, other)] == 2 * [{"running": True, "done": None}]
    assert not call(apps, "GET", "unknown")["running"]
    for one in (apps, other):
        with pytest.raises(AlreadyExists, match="job 'long' already exists"):
            call(one, "POST", "long")
    # Its time limit is not that of the handler, which is three seconds.
    threading.Event().wait(3.2)
    release.set()
    assert wait_until_ended(other, "long") == {"context": "sales", "name": "long", "user": "ada"}
    call(apps, "POST", "long")
    wait_until_ended(apps, "long")
    other.close()


def test_what_a_job_raises_is_logged(apps: SystemApps, release: threading.Event) -> None:
    release.set()
    call(apps, "POST", "broken")
    assert wait_until_ended(apps, "broken") is None
    assert "the job broken" in wait_for_records(apps, "jobs", 1)[0].message


def test_job_of_a_process_that_stops_has_ended(catalog: Catalog, apps: SystemApps) -> None:
    other = open_apps(catalog)
    call(other, "POST", "long")
    other.close()
    assert call(apps, "GET", "long") == {"running": False, "done": None}


def test_job_of_a_killed_process_ends_when_its_lease_is_not_renewed(
    catalog: Catalog, apps: SystemApps, monkeypatch: pytest.MonkeyPatch
) -> None:
    call(apps, "POST", "long")
    # Another process that observes for a shorter time than this one renews.
    monkeypatch.setattr("jupyter_colophon.apps.jobs.LEASE_S", 0.2)
    other = open_apps(catalog)
    assert wait_until_ended(other, "long") is None
    other.close()
