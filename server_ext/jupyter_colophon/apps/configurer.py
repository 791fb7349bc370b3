"""The tables, handlers, panels, listeners and schedules that an application declares."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from jupyter_colophon.apps.events.event import CatalogEvent
from jupyter_colophon.apps.events.event_listener import EventListener, ListenerDeclaration, Start, declare_listener
from jupyter_colophon.apps.panel import Panel, create_panel
from jupyter_colophon.apps.routes import Route, RouteTable, parse_path_template, require_valid_service_name
from jupyter_colophon.apps.schedules.schedule import ScheduleDeclaration, ScheduledWork, declare_schedule
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


class Declarations(NamedTuple):
    """What an application has declared: its tables by their ids, and the rest."""

    specs: dict[str, TableSpec]
    routes: RouteTable
    panels: dict[str, Panel]
    aliases: tuple[str, ...]
    listeners: tuple[ListenerDeclaration, ...]
    schedules: tuple[ScheduleDeclaration, ...]


@dataclass(slots=True)
class SystemAppConfigurer:
    """Collects what an application declares while it is configured."""

    app: str
    _tables: dict[str, TableSpec] = field(default_factory=dict)
    _routes: list[Route] = field(default_factory=list)
    _panels: dict[str, Panel] = field(default_factory=dict)
    _app_aliases: list[str] = field(default_factory=list)
    _service_aliases: dict[str, str] = field(default_factory=dict)
    _listeners: dict[str, ListenerDeclaration] = field(default_factory=dict)
    _schedules: dict[str, ScheduleDeclaration] = field(default_factory=dict)
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
        _require_valid_timeout(timeout_s, f"{method} {path}")
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

    def add_event_listener(
        self,
        listener: EventListener,
        *,
        types: Collection[type[CatalogEvent]] = (CatalogEvent,),
        kinds: Collection[str] = (),
        start: Start = "now",
        name: str = "",
        version: int = 1,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        """Declare a listener of events of these types, and of these kinds of entities (by default all).

        It continues after the last event that it handled, also after a restart; the first time, with the next event, or
        with the oldest one in the change log. Its name, by default that of its class, must stay the same. With a higher
        version it begins again. One process of a store runs it at a time.

        Raises ValueError for an invalid argument, or a repeated name.
        """
        self._require_configuring("listener")
        declaration = declare_listener(listener, types, kinds, start, name, version, timeout_s)
        _require_valid_timeout(timeout_s, f"the listener {declaration.name}")
        if self._listeners.setdefault(declaration.name, declaration) is not declaration:
            raise ValueError(f"the listener {declaration.name} is declared twice")

    def schedule(self, spec: str, work: ScheduledWork, *, name: str, timeout_s: float = TIMEOUT_S) -> None:
        """Declare that `work(context)` is due at an interval (`PT15M`) or by a cron expression (`0 5 * * *`), in UTC.

        One process of a store runs it at a time. Times that were missed while no process ran are made up for by one run.

        Raises ValueError for an invalid argument, or a repeated name.
        """
        self._require_configuring("schedule")
        declaration = declare_schedule(spec, work, name, timeout_s)
        _require_valid_timeout(timeout_s, f"the schedule {name}")
        if self._schedules.setdefault(name, declaration) is not declaration:
            raise ValueError(f"the schedule {name} is declared twice")

    def finish(self) -> Declarations:
        """Return what was declared; nothing can be declared later. Raises ValueError for an alias of a service without handlers."""
        self._is_closed = True
        routes = RouteTable.from_routes(self._routes, self._service_aliases)
        for alias, service in self._service_aliases.items():
            if service not in routes.services:
                raise ValueError(f"the alias {alias} is for the service {service}, which has no handler")
        return Declarations(
            dict(self._tables),
            routes,
            dict(self._panels),
            tuple(self._app_aliases),
            tuple(self._listeners.values()),
            tuple(self._schedules.values()),
        )

    def _require_configuring(self, what: str) -> None:
        if self._is_closed:
            raise RuntimeError(f"a {what} can only be declared in configure()")


def _require_valid_timeout(timeout_s: float, subject: str) -> None:
    if not 0 < timeout_s <= TIMEOUT_MAX_S:
        raise ValueError(f"the time limit of {subject} must be above 0 and at most {TIMEOUT_MAX_S:g} s")
