"""Calls of handlers: transactions over the application's own tables, what it learns of the catalog, and what is refused."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from jupyter_colophon.apps.system_apps import SystemApps
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import KERNEL_ACTIONS, Principal
from jupyter_colophon.core.errors import (
    AccessDenied,
    AlreadyExists,
    BadRequest,
    MalformedBody,
    MethodNotAllowed,
    NotFound,
    TooLarge,
)
from support.catalog import write_metadata
from support.system_apps import call_app
from support.urns import build_table_urn

SALES, OPS = "/v2/contexts/sales/connections", "/v2/contexts/ops/connections"
KERNEL = Principal("ada", "kernel-1", KERNEL_ACTIONS)


def test_one_application_serves_all_namespaces_separately(apps: SystemApps) -> None:
    for path, url in ((SALES, "s3://sales"), (OPS, "s3://ops")):
        assert call_app(apps, "PUT", f"{path}/lake", {"url": url}) == {"name": "lake"}
    call_app(apps, "PUT", f"{SALES}/shop", {"url": "jdbc:shop"}, principal=Principal("grace"))
    assert call_app(apps, "GET", SALES) == {"connections": ["lake", "shop"]}
    assert call_app(apps, "GET", OPS) == {"connections": ["lake"]}
    assert call_app(apps, "GET", f"{OPS}/lake")["url"] == "s3://ops"
    assert call_app(apps, "GET", SALES, query={"owner": ["grace"]}) == {"connections": ["shop"]}
    assert call_app(apps, "GET", "/v2/report", service="reports") == {"ops": 1, "sales": 2}
    assert call_app(apps, "DELETE", f"{SALES}/lake") is None
    assert call_app(apps, "GET", SALES) == {"connections": ["shop"]}
    assert call_app(apps, "GET", OPS) == {"connections": ["lake"]}


def test_unknown_namespace_is_not_found(apps: SystemApps) -> None:
    for method, path in (("GET", "/v2/contexts/nowhere/connections"), ("PUT", "/v2/contexts/nowhere/connections/a")):
        with pytest.raises(NotFound, match="Namespace 'nowhere' not found"):
            call_app(apps, method, path, {"url": "a"})
    # A path without {context}: the row itself names the namespace.
    with pytest.raises(NotFound, match="Namespace 'nowhere' not found"):
        call_app(apps, "POST", "/v2/copies/nowhere")
    assert call_app(apps, "POST", "/v2/copies/ops") is None
    assert call_app(apps, "GET", "/v2/report", service="reports") == {"ops": 1}


def test_errors_of_handlers_roll_back(apps: SystemApps) -> None:
    call_app(apps, "PUT", f"{SALES}/lake", {"url": "first"})
    with pytest.raises(AlreadyExists):
        call_app(apps, "PUT", f"{SALES}/lake", {"url": "second"})
    assert call_app(apps, "GET", f"{SALES}/lake")["url"] == "first"
    with pytest.raises(BadRequest, match="needs the url"):
        call_app(apps, "PUT", f"{SALES}/other", {})
    with pytest.raises(MalformedBody):
        call_app(apps, "PUT", f"{SALES}/other")
    with pytest.raises(TooLarge):
        call_app(apps, "PUT", f"{SALES}/other", {"url": 1000 * "a"})
    with pytest.raises(NotFound, match="connection 'other' not found"):
        call_app(apps, "GET", f"{SALES}/other")


def test_transactions_of_concurrent_calls_are_serializable(apps: SystemApps) -> None:
    call_app(apps, "PUT", f"{SALES}/lake", {"url": "a"})
    with ThreadPoolExecutor(4) as threads:
        uses = [*threads.map(lambda _: call_app(apps, "POST", f"{SALES}/lake/use")["uses"], range(20))]
    assert sorted(uses) == [*range(1, 21)]


def test_routes_are_matched_by_method_and_path(apps: SystemApps) -> None:
    with pytest.raises(MethodNotAllowed, match="supports only GET, PUT, DELETE"):
        call_app(apps, "POST", f"{SALES}/lake")
    for path in ("/v2/contexts/sales/other", "/v2", f"{SALES}/"):
        with pytest.raises(NotFound, match=r"path .* not found"):
            call_app(apps, "GET", path)
    with pytest.raises(NotFound, match="service 'other' not found"):
        call_app(apps, "GET", SALES, service="other")
    with pytest.raises(NotFound, match="system application 'other' not found"):
        call_app(apps, "GET", SALES, app="other")


def test_permissions_are_those_of_the_route_in_the_namespace(apps: SystemApps) -> None:
    call_app(apps, "PUT", f"{SALES}/lake", {"url": "a"})
    # The default of a PUT is `edit`, which tokens of kernels do not permit; using a connection needs only `read`.
    with pytest.raises(AccessDenied, match="edit"):
        call_app(apps, "PUT", f"{SALES}/other", {"url": "a"}, principal=KERNEL)
    assert call_app(apps, "POST", f"{SALES}/lake/use", principal=KERNEL) == {"uses": 1}
    only_ops = Principal("ada", namespaces=frozenset({"ops"}))
    with pytest.raises(NotFound, match="Namespace 'sales' not found"):
        call_app(apps, "GET", SALES, principal=only_ops)
    assert call_app(apps, "GET", OPS, principal=only_ops) == {"connections": []}
    with pytest.raises(NotFound, match="Namespace 'system' not found"):
        call_app(apps, "GET", "/v2/report", service="reports", principal=only_ops)


def test_admin_has_the_rights_of_the_platform_or_of_a_principal(apps: SystemApps, catalog: Catalog) -> None:
    for name in ("orders", "returns"):
        write_metadata(catalog, build_table_urn(name, "sales"))
    limited = Principal("ada", namespaces=frozenset({"sales"}))
    described = call_app(apps, "GET", "/v2/contexts/sales", principal=limited)
    assert described == {
        "name": "sales",
        "description": "About sales",
        "hasTime": True,
        "datasets": ["orders", "returns"],
        "other": False,
        "namespaces": ["default", "ops", "sales", "system"],
        "query": [],
    }
    as_caller = call_app(apps, "GET", "/v2/contexts/sales", principal=limited, query={"caller": [""]})
    assert as_caller["namespaces"] == ["sales"]
