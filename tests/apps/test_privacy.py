"""Erasures and exports of people include the tables of applications."""

import json
import threading
from typing import Any

from jupyter_colophon.apps.system_apps import SystemApps
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import Principal
from support.catalog import ADA
from support.system_apps import CONTEXTS, call_app, open_apps, prepare_context

SALES = "/v2/contexts/sales/connections"
GRACE = Principal("grace")
WAIT_S = 300


def wait_for_end(catalog: Catalog, pseudonym: str) -> None:
    for _ in range(100 * WAIT_S):
        if catalog.eraser.read_erasure(pseudonym).finished is not None:
            return
        threading.Event().wait(0.01)
    raise AssertionError("the erasure has not ended")


def test_person_is_erased_and_exported_in_tables_of_applications(apps: SystemApps, catalog: Catalog) -> None:
    call_app(apps, "PUT", f"{SALES}/lake", {"url": "a"}, principal=GRACE)
    call_app(apps, "PUT", f"{SALES}/shop", {"url": "b"})
    lines = [json.loads(line) for line in catalog.person_exporter.export_lines("grace")]
    (exported,) = [line for line in lines if line.get("kind") == "app_dataprep_connections"]
    assert (exported["record"]["name"], exported["record"]["created_by"]) == ("lake", "grace")
    pseudonym = catalog.eraser.start("grace", ADA).pseudonym
    wait_for_end(catalog, pseudonym)
    assert catalog.eraser.read_erasure(pseudonym).changed["system applications"] == 1
    lake, shop = (call_app(apps, "GET", f"{SALES}/{name}") for name in ("lake", "shop"))
    assert (lake["created_by"], lake["url"], shop["created_by"]) == (pseudonym, "a", "ada")
    # A field whose name means nothing to the platform stays.
    assert lake["owner"] == "grace"


def test_person_is_erased_from_the_files_of_applications(catalog: Catalog, install: Any) -> None:
    install(CONTEXTS, "contexts", "Contexts")
    apps = open_apps(catalog)
    prepare_context(apps, "sales", principal=GRACE).files.put("a", b"a", metadata={"owner": "grace", "stage": "grace"})
    pseudonym = catalog.eraser.start("grace", ADA).pseudonym
    wait_for_end(catalog, pseudonym)
    erased = prepare_context(apps, "sales").files.get("a")
    assert (erased.created_by, erased.metadata) == (pseudonym, {"owner": pseudonym, "stage": "grace"})
    apps.close()
