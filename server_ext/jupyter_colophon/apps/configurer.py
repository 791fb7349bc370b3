"""The tables, handlers and panels that an application declares."""

import re
from dataclasses import dataclass, field, replace
from typing import Final

from jupyter_colophon.apps.panel import Panel, create_panel
from jupyter_colophon.apps.routes import Route, RouteTable, parse_path_template, require_valid_service_name
from jupyter_colophon.apps.service import METHODS, Handler, Method, ServiceKind
from jupyter_colophon.core.access import Permission
from jupyter_colophon.storage.specs import require_valid_spec
from jupyter_colophon.storage.spi import TableSpec
from jupyter_colophon.storage.system_apps import CONTEXT, TABLE_PREFIX, is_context_table

#: Letters and digits, so that the tables of two applications never have the same name.
_APP_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9]{0,23}")
#: The default time limit of a handler, and the longest one, in seconds.
TIMEOUT_S, TIMEOUT_MAX_S = 30.0, 300.0


def require_valid_app_name(name: str) -> None:
    """Raise ValueError unless this is a valid name of an application."""
    if not _APP_NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not a valid name of a system application: use at most 24 letters and digits")


@dataclass(slots=True)
class SystemAppConfigurer:
    """Collects what an application declares while it is configured."""

    app: str
    _tables: dict[str, TableSpec] = field(default_factory=dict)
    _routes: list[Route] = field(default_factory=list)
    _panels: dict[str, Panel] = field(default_factory=dict)
    _app_aliases: list[str] = field(default_factory=list)
    _service_aliases: dict[str, str] = field(default_factory=dict)
    _is_closed: bool = False

    def create_table(self, spec: TableSpec) -> None:
        """Declare a table, which is created when the application is deployed, as `app_<application>_<id>`.

        An existing table may get fields, indexes and wider fields (int to long, float to double); with any other
        difference the deployment fails, and nothing is changed. If the first part of the key is `context`, each row
        belongs to the namespace of that name, and is deleted with it.

        Raises ValueError for a table that was declared differently, and InvalidField for an invalid spec.
        """
        self._require_configuring("table")
        stored = replace(spec, id=f"{TABLE_PREFIX}{self.app}_{spec.id}")
        require_valid_spec(stored)
        if is_context_table(stored) and stored.fields[CONTEXT] != "string":
            raise ValueError(f"the field {CONTEXT} of the table {spec.id} must be a string: the name of a namespace")
        if self._tables.setdefault(spec.id, stored) != stored:
            raise ValueError(f"the table {spec.id} is declared twice, with different fields")

    def add_handler(
        self,
        method: Method,
        path: str,
        handler: Handler,
        *,
        service: str = "service",
        kind: ServiceKind = "service",
        permission: Permission | None = None,
        timeout_s: float = TIMEOUT_S,
        max_body_bytes: int | None = None,
    ) -> None:
        """Declare the handler of a method and a path such as `/v2/contexts/{context}/connections/{name}`.

        A path with `{context}` is only served for an existing namespace, in which the caller has the permission; other
        paths require it in the namespace `system`. By default, GET needs `read` and everything else `edit`. The methods
        of a service of the kind `spark` are below `…/spark/{service}/methods`, and run in worker processes.

        Raises ValueError for an invalid path or limit, or a repeated route.
        """
        self._require_configuring("handler")
        require_valid_service_name(service)
        if method not in METHODS:
            raise ValueError(f"{method!r} is not supported: use one of {', '.join(METHODS)}")
        if not callable(handler):
            raise ValueError(f"the handler of {method} {path} is not callable")
        if not 0 < timeout_s <= TIMEOUT_MAX_S:
            raise ValueError(f"the time limit of {method} {path} must be above 0 and at most {TIMEOUT_MAX_S:g} s")
        if any(other.service == service and other.kind != kind for other in self._routes):
            raise ValueError(f"the service {service} has handlers of both kinds, service and spark")
        right = permission or ("read" if method == "GET" else "edit")
        route = Route(service, method, parse_path_template(path), handler, right, timeout_s, max_body_bytes, kind)
        if any((other.service, other.method, other.shape) == (service, method, route.shape) for other in self._routes):
            raise ValueError(f"{method} {path} of the service {service} is declared twice")
        self._routes.append(route)

    def add_panel(
        self,
        id: str,
        title: str,
        module: str,
        *,
        icon: str = "",
        contexts: bool = False,
        permission: Permission | None = None,
    ) -> None:
        """Declare a tab in JupyterLab: a web module such as `shop_bookmarks/web/panel.js`, in a folder of a package.

        All files of the folder that a browser uses are served to those who may use the panel. `icon` is the name of an
        icon in JupyterLab. With `contexts`, users choose a namespace in the tab. A caller needs the permission in the
        namespace `system`: by default `read`, and with `contexts` none.

        Raises ValueError for an invalid or repeated panel, and for a module that the package does not have.
        """
        self._require_configuring("panel")
        if id in self._panels:
            raise ValueError(f"the panel {id} is declared twice")
        self._panels[id] = create_panel(id, title, module, icon, permission, contexts=contexts)

    def add_alias(self, name: str, *, service: str = "") -> None:
        """Declare another name of the application, or of one of its services, in URLs.

        The name of an installed application precedes the same alias of another one. Raises ValueError for an invalid
        or repeated name.
        """
        self._require_configuring("alias")
        if not service:
            require_valid_app_name(name)
            self._app_aliases.append(name)
            return
        require_valid_service_name(name)
        if self._service_aliases.setdefault(name, service) != service:
            raise ValueError(f"the alias {name} is declared for two services")

    def finish(self) -> tuple[dict[str, TableSpec], RouteTable, dict[str, Panel], tuple[str, ...]]:
        """Return the declared tables, the routes, the panels and the aliases; nothing can be declared later.

        Raises ValueError for an alias of a service that has no handler.
        """
        self._is_closed = True
        routes = RouteTable.from_routes(self._routes, self._service_aliases)
        for alias, service in self._service_aliases.items():
            if service not in routes.services:
                raise ValueError(f"the alias {alias} is for the service {service}, which has no handler")
        return dict(self._tables), routes, dict(self._panels), tuple(self._app_aliases)

    def _require_configuring(self, what: str) -> None:
        if self._is_closed:
            raise RuntimeError(f"a {what} can only be declared in configure()")
