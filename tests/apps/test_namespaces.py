"""Rows of applications end with their namespace, and a namespace that is created again has none of them (spec WRITE-15)."""

import time
from collections.abc import Callable
from contextlib import suppress
from itertools import combinations
from typing import Any

import pytest
from jupyter_colophon.apps.context import ServiceContext
from jupyter_colophon.apps.service import ServiceRequest
from jupyter_colophon.apps.system_apps import ReceivedAppCall, SystemApps
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import INTERNAL
from jupyter_colophon.core.errors import NamespaceDeleting, NotEmpty, NotFound
from jupyter_colophon.core.identity.names import make_namespace_urn
from jupyter_colophon.core.model.proposal import Proposal
from jupyter_colophon.service import write_path
from support.catalog import ADA
from support.system_apps import call_app, open_apps
from support.waiting import wait_for

SALES, OPS = "/v2/contexts/sales/connections", "/v2/contexts/ops/connections"
#: What may happen between the deletion of a namespace and the end of the test, besides steps of the deletion.
EVENTS = ("create", "write")
STEPS = 5
WAIT_S = 120


def put(apps: SystemApps, path: str, name: str) -> None:
    call_app(apps, "PUT", f"{path}/{name}", {"url": "a"})


def prepare_sales_context(apps: SystemApps) -> ServiceContext:
    segments = SALES.split("/")[1:]
    return apps.prepare_call(ReceivedAppCall("dataprep", "service", segments, ServiceRequest("GET"), ADA)).context


def count_rows(apps: SystemApps) -> Any:
    return call_app(apps, "GET", "/v2/report", service="reports")


def test_rows_are_hidden_at_once_and_deleted_in_slices(
    apps: SystemApps, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_path, "_CLEAR_BATCH", 2)
    for at in range(5):
        put(apps, SALES, f"c{at}")
    put(apps, OPS, "lake")
    catalog.write_path.start_namespace_deletion("sales", ADA)
    for path, method in ((SALES, "GET"), (f"{SALES}/new", "PUT"), (f"{SALES}/c0", "DELETE")):
        with pytest.raises(NotFound, match="Namespace 'sales' not found"):
            call_app(apps, method, path, {"url": "a"})
    with pytest.raises(NotFound, match="Namespace 'sales' not found"):
        call_app(apps, "POST", "/v2/copies/sales")
    left = [count_rows(apps).get("sales", 0)]
    while not catalog.write_path.delete_next_content_of_namespace("sales", INTERNAL):
        left.append(count_rows(apps).get("sales", 0))
    assert sorted(set(left), reverse=True) == [5, 3, 1, 0]
    catalog.deployer.create_or_update_namespace("sales", {}, ADA)
    assert call_app(apps, "GET", SALES) == {"connections": []}
    assert call_app(apps, "GET", OPS) == {"connections": ["lake"]}


@pytest.mark.parametrize(("method", "path"), [("GET", ""), ("POST", "/lake/use"), ("DELETE", "/lake")])
def test_authorized_call_notices_a_deletion(apps: SystemApps, catalog: Catalog, method: str, path: str) -> None:
    put(apps, SALES, "lake")
    segments = f"{SALES}{path}".split("/")[1:]
    call = apps.prepare_call(ReceivedAppCall("dataprep", "service", segments, ServiceRequest(method), ADA))
    catalog.write_path.start_namespace_deletion("sales", ADA)
    with pytest.raises(NotFound, match="Namespace 'sales' not found"):
        apps.submit_call(call, lambda encoded: encoded).result(WAIT_S)
    assert count_rows(apps) == {"sales": 1}


def test_rows_are_deleted_without_the_application(apps: SystemApps, catalog: Catalog) -> None:
    put(apps, SALES, "lake")
    apps.set_enabled("dataprep", enabled=False)
    catalog.namespaces.delete_namespace_and_content_in_background("sales", ADA)
    catalog.namespaces.delete_remaining_content_now("sales")
    apps.set_enabled("dataprep", enabled=True)
    assert count_rows(apps) == {}


def test_namespace_with_rows_is_not_empty(apps: SystemApps, catalog: Catalog) -> None:
    put(apps, SALES, "lake")
    deletion = Proposal(make_namespace_urn("sales"), None, "delete")
    with pytest.raises(NotEmpty, match="still contains rows of system applications"):
        catalog.write_path.apply_proposals_atomically([deletion], ADA)
    call_app(apps, "DELETE", f"{SALES}/lake")
    catalog.write_path.apply_proposals_atomically([deletion], ADA)


@pytest.mark.parametrize("use", ["tables", "files"])
def test_call_uses_no_later_namespace_of_the_same_name(use: str, apps: SystemApps, catalog: Catalog) -> None:
    """A call that has used a namespace continues after it was deleted and created again."""
    row = {"context": "sales", "name": "late", "url": "a"}
    uses: dict[str, Callable[[ServiceContext], object]] = {
        "tables": lambda context: context.execute(lambda tables: tables.get_table("connections").upsert(row)),
        "files": lambda context: context.files.put("late", b"a"),
    }
    context = prepare_sales_context(apps)
    context.execute(lambda tables: tables.get_table("connections").count(), read_only=True)
    catalog.write_path.start_namespace_deletion("sales", ADA)
    catalog.namespaces.delete_remaining_content_now("sales")
    # The generation of a namespace is the millisecond of its creation.
    deleted = time.time_ns()
    wait_for(time.time_ns, lambda now: now > deleted + 2_000_000)
    catalog.deployer.create_or_update_namespace("sales", {}, ADA)
    for continued in (context, context.run_as(ADA), context.in_namespace("ops").in_namespace("sales")):
        with pytest.raises(NotFound, match="Namespace 'sales' not found"):
            uses[use](continued)
    new = prepare_sales_context(apps)
    uses[use](new)
    assert call_app(apps, "GET", SALES) == {"connections": ["late"] if use == "tables" else []}
    assert [file.name for file in new.files.list()] == (["late"] if use == "files" else [])


@pytest.mark.parametrize("places", [*combinations(range(STEPS), len(EVENTS))], ids=str)
def test_recreated_namespace_shows_no_old_and_loses_no_new_row(
    places: tuple[int, int], apps: SystemApps, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Create the namespace again and write a row at each two of the steps of a deletion, by another process."""
    monkeypatch.setattr(write_path, "_CLEAR_BATCH", 1)
    other = open_apps(catalog)
    for name in ("a", "b"):
        put(apps, SALES, name)
    catalog.write_path.start_namespace_deletion("sales", ADA)
    at, written = dict(zip(places, EVENTS, strict=True)), False
    for step in range(STEPS):
        if at.get(step) == "create":
            with suppress(NamespaceDeleting):
                catalog.deployer.create_or_update_namespace("sales", {}, ADA)
        elif at.get(step) == "write":
            with suppress(NotFound):
                put(other, SALES, "new")
                written = True
        else:
            catalog.write_path.delete_next_content_of_namespace("sales", INTERNAL)
    expected = ["new"] if written else []
    assert count_rows(apps).get("sales", 0) in ((len(expected),) if written else (0, 1, 2))
    catalog.namespaces.delete_remaining_content_now("sales")
    catalog.deployer.create_or_update_namespace("sales", {}, ADA)
    assert call_app(apps, "GET", SALES) == {"connections": expected}
    other.close()
