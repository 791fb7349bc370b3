"""A namespace with many rows of applications is deleted while another one is used (spec WRITE-15, S18).

500 connections and experiments; 100,000 with COLOPHON_TEST_SIZE=full (`make long-apps`), which prints how long calls in
the other namespace take at rest and during the deletion.
"""

import sys
import time
from statistics import quantiles
from typing import Any

import pytest
from faults.size import IS_FULL, sized
from jupyter_colophon.apps.system_apps import SystemApps
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.errors import NotFound
from jupyter_colophon.storage.entities.deleting_namespaces import list_namespaces_being_deleted
from support.catalog import ADA
from support.system_apps import call_app, open_apps

#: Connections, and experiments: two tables of one application.
EXPLORER = """
from jupyter_colophon.apps import Range, SystemApp, TableSpec

FIELDS = {"context": "string", "name": "string", "text": "string"}
TABLES = "connections", "experiments"


def add(context, request):
    first, count = (int(request.query[name][0]) for name in ("first", "count"))

    def write(tables):
        for table in TABLES:
            tables.get_table(table).upsert_many(
                [
                    {"context": context.namespace, "name": f"n{number:06}", "text": 100 * "x"}
                    for number in range(first, first + count)
                ]
            )

    context.execute(write)


def list_names(context, request):
    def read(tables):
        return [row["name"] for table in TABLES for row in tables.get_table(table).scan(Range.prefix(context.namespace), 10)]

    return context.execute(read, read_only=True)


def count_rows(context, request):
    return context.execute(lambda tables: sum(tables.get_table(table).count() for table in TABLES), read_only=True)


class Explorer(SystemApp):
    def configure(self, configurer):
        for table in TABLES:
            configurer.create_table(TableSpec(table, FIELDS, ("context", "name")))
        configurer.add_handler("GET", "/v1/contexts/{context}/names", list_names)
        configurer.add_handler("POST", "/v1/contexts/{context}/names", add)
        configurer.add_handler("GET", "/v1/count", count_rows)
"""
ROWS_OF_TABLE = sized(250, 50_000)
ROWS_OF_CALL = 1_000
CALLS_AT_REST = sized(5, 1_000)


def call_explorer(apps: SystemApps, method: str, path: str, **query: int) -> Any:
    values = {name: [str(value)] for name, value in query.items()}
    return call_app(apps, method, f"/v1/{path}", app="explorer", query=values)


class OtherNamespace:
    """Writes and reads in another namespace, and measures how long that takes."""

    def __init__(self, apps: SystemApps) -> None:
        self._apps, self._next = apps, 0

    def use(self) -> float:
        """Add a row to each table, read them, and return the seconds."""
        started = time.perf_counter()
        call_explorer(self._apps, "POST", "contexts/ops/names", first=self._next, count=1)
        names = call_explorer(self._apps, "GET", "contexts/ops/names")
        self._next += 1
        assert names == 2 * [f"n{number:06}" for number in range(min(self._next, 10))]
        return time.perf_counter() - started

    @property
    def rows(self) -> int:
        return 2 * self._next


def test_deletion_of_many_rows_leaves_other_namespaces_usable(install: Any, catalog: Catalog) -> None:
    install(EXPLORER, "explorer", "Explorer")
    apps = open_apps(catalog)
    for first in range(0, ROWS_OF_TABLE, ROWS_OF_CALL):
        call_explorer(apps, "POST", "contexts/sales/names", first=first, count=min(ROWS_OF_CALL, ROWS_OF_TABLE))
    assert call_explorer(apps, "GET", "count") == 2 * ROWS_OF_TABLE
    other = OtherNamespace(apps)
    at_rest = [other.use() for _ in range(CALLS_AT_REST)]
    catalog.namespaces.delete_namespace_and_content_in_background("sales", ADA)
    with pytest.raises(NotFound, match="Namespace 'sales' not found"):
        call_explorer(apps, "GET", "contexts/sales/names")
    meanwhile = [other.use()]
    while catalog.provider.tx_runner.run(list_namespaces_being_deleted, read_only=True):
        meanwhile.append(other.use())
    assert call_explorer(apps, "GET", "count") == other.rows
    catalog.deployer.create_or_update_namespace("sales", {}, ADA)
    assert call_explorer(apps, "GET", "contexts/sales/names") == []
    call_explorer(apps, "POST", "contexts/sales/names", first=7, count=1)
    assert call_explorer(apps, "GET", "contexts/sales/names") == 2 * ["n000007"]
    if IS_FULL:
        rest, busy = (1000 * quantiles(seconds, n=100)[98] for seconds in (at_rest, meanwhile))
        sys.stdout.write(
            f"{type(catalog.provider).__name__}: p99 {rest:.1f} ms at rest, {busy:.1f} ms during the deletion "
            f"({busy / rest:.2f}x, {len(meanwhile)} calls, {sum(meanwhile):.0f} s)\n"
        )
    apps.close()
