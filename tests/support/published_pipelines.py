"""Pipelines that the application dataprep publishes, for tests that run them on Spark."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_colophon.apps.system_apps import SystemApps
from jupyter_colophon.composition import Catalog
from support.catalog import ADA
from support.stores import open_new_catalog
from support.system_apps import call_app, open_shipped_apps

NAMESPACE = "shop"


@dataclass(frozen=True, slots=True)
class Workspaces:
    """The application in the namespace `shop` of a catalog of its own."""

    catalog: Catalog
    apps: SystemApps

    def publish(
        self, connection: Mapping[str, Any], path: str, directives: list[str], sink: Path, **query: str
    ) -> dict[str, Any]:
        """Return the pipeline of a workspace with a sample of a path of a connection, and a recipe."""
        self._call("PUT", "connections/orders", connection)
        body = {"name": "Orders", "connection": "orders", "path": path}
        workspace = f"workspaces/{self._call('POST', 'workspaces', body)['id']}"
        self._call("POST", f"{workspace}/directives", {"directives": directives})
        pipeline: dict[str, Any] = self._call("GET", f"{workspace}/pipeline", sink=str(sink), **query)
        return pipeline

    def _call(self, method: str, path: str, body: Any = None, /, **query: str) -> Any:
        values = {name: [value] for name, value in query.items()}
        return call_app(self.apps, method, f"/v2/contexts/{NAMESPACE}/{path}", body, query=values)


@contextmanager
def open_workspaces(folder: Path) -> Iterator[Workspaces]:
    """Open the application, whose catalog is in a folder."""
    with open_new_catalog("sqlite", folder) as catalog:
        catalog.deployer.create_or_update_namespace(NAMESPACE, {}, ADA)
        apps = open_shipped_apps(catalog, ["dataprep"])
        yield Workspaces(catalog, apps)
        apps.close()
