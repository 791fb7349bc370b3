"""Packages with system applications: one that works, and one whose code fails in every possible way."""

import json
import threading
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from jupyter_colophon.apps.context import ServiceContext
from jupyter_colophon.apps.service import ServiceKind, ServiceRequest
from jupyter_colophon.apps.system_app import GROUP
from jupyter_colophon.apps.system_apps import ReceivedAppCall, SystemApps
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.system_app_log import AppLogRecord
from jupyter_colophon.service.schemaspaces.registrations import BuiltinEntryPoint, list_registrations
from support.catalog import ADA
from support.packages import install_package

WAIT_S = 120
_ROOT = Path(__file__).parents[2]

#: Connections to data, as those of CDAP's Data Prep: one application for all namespaces.
DATAPREP = '''
"""Connections to data."""

from jupyter_colophon.apps import (
    AlreadyExists,
    BadRequest,
    FieldValue,
    NotFound,
    Range,
    ServiceResponse,
    SystemApp,
    TableSpec,
)

CONNECTIONS = TableSpec(
    "connections",
    {"context": "string", "name": "string", "url": "string", "owner": "string", "created_by": "string", "uses": "int"},
    ("context", "name"),
    ("owner",),
)
SETTINGS = TableSpec("settings", {"name": "string", "value": "string"}, ("name",))


def list_connections(context, request):
    owners = request.query.get("owner", ())

    def read(tables):
        rows = tables.get_indexed_table("connections").scan_filtered(
            Range.prefix(context.namespace), [FieldValue("owner", owner) for owner in owners]
        )
        return [row["name"] for row in rows]

    return {"connections": context.execute(read, read_only=True)}


def get_connection(context, request):
    key = (context.namespace, request.path["name"])
    row = context.execute(lambda tables: tables.get_table("connections").read(key), read_only=True)
    if row is None:
        raise NotFound("connection", request.path["name"])
    return row


def put_connection(context, request):
    body = request.parse_json_body()
    if not isinstance(body, dict) or not isinstance(body.get("url"), str):
        raise BadRequest("a connection needs the url")

    def write(tables):
        table = tables.get_table("connections")
        key = (context.namespace, request.path["name"])
        if table.read(key) is not None:
            raise AlreadyExists("connection", request.path["name"])
        table.upsert(dict(zip(("context", "name"), key), url=body["url"], owner=context.principal.user, created_by=context.principal.user))

    context.execute(write)
    return ServiceResponse({"name": request.path["name"]}, 201)


def use_connection(context, request):
    key = (context.namespace, request.path["name"])
    return {"uses": context.execute(lambda tables: tables.get_table("connections").increment(key, "uses", 1))}


def delete_connection(context, request):
    key = (context.namespace, request.path["name"])
    context.execute(lambda tables: tables.get_table("connections").delete(key))


def report(context, request):
    def count(tables):
        counts = {}
        for row in tables.get_table("connections").scan(Range()):
            counts[row["context"]] = counts.get(row["context"], 0) + 1
        return counts

    return context.execute(count, read_only=True)


def copy_connection(context, request):
    row = {"context": request.path["target"], "name": "copy", "url": "file:/"}
    context.execute(lambda tables: tables.get_table("connections").upsert(row))


def describe_namespace(context, request):
    admin = (context.run_as(context.principal) if "caller" in request.query else context).admin
    details = admin.get_namespace(context.namespace)
    return {
        "name": details.name,
        "description": details.description,
        "hasTime": details.created_ms > 0,
        "datasets": [dataset.name for dataset in admin.list_datasets(context.namespace)],
        "other": admin.namespace_exists("nowhere"),
        "namespaces": sorted(admin.list_namespaces()),
        "query": sorted(request.query),
    }


class Dataprep(SystemApp):
    def configure(self, configurer):
        configurer.create_table(CONNECTIONS)
        configurer.create_table(SETTINGS)
        configurer.create_table(SETTINGS)
        one = "/v2/contexts/{context}/connections/{name}"
        configurer.add_handler("GET", "/v2/contexts/{context}/connections", list_connections)
        configurer.add_handler("GET", one, get_connection)
        configurer.add_handler("PUT", one, put_connection, max_body_bytes=1000)
        configurer.add_handler("POST", one + "/use", use_connection, permission="read")
        configurer.add_handler("DELETE", one, delete_connection)
        configurer.add_handler("GET", "/v2/contexts/{context}", describe_namespace)
        configurer.add_handler("GET", "/v2/report", report, service="reports")
        configurer.add_handler("POST", "/v2/copies/{target}", copy_connection)
'''
#: Its handlers do what broken code does. `RELEASE` ends those that hang.
ROGUE = '''
"""An application that does everything wrong."""

import threading

from jupyter_colophon.apps import Proposal, Range, ServiceResponse, SystemApp, TableSpec, make_home_dataset_urn

RELEASE = threading.Event()
HANGING = threading.Semaphore(0)
LATE = []


def hang(context, request):
    HANGING.release()
    RELEASE.wait(120)
    try:
        context.execute(lambda tables: tables.get_table("rows").upsert({"name": "late"}))
    except Exception as error:
        LATE.append(type(error).__name__)
        raise


def hang_in_transaction(context, request):
    def work(tables):
        tables.get_table("rows").upsert({"name": "hanging"})
        HANGING.release()
        RELEASE.wait(120)
        tables.get_table("rows").upsert({"name": "after"})

    context.execute(work)


NESTED = {
    "execute": lambda context: context.execute(lambda tables: None),
    "files": lambda context: context.files.put("a", b""),
    "fetch": lambda context: context.fetch("changes"),
    "namespaces": lambda context: list(context.admin.list_namespaces()),
    "proposals": lambda context: context.admin.apply_proposals([]),
    "plugins": lambda context: context.admin.list_plugins("default"),
    "exists": lambda context: context.admin.namespace_exists("default"),
}


def nest(context, request):
    def work(tables):
        tables.get_table("rows").upsert({"name": "outer"})
        NESTED.get(request.path["member"], lambda context: None)(context)

    context.execute(work)


def use_table(work):
    return lambda context: context.execute(lambda tables: work(tables.get_table("rows")))


URN = make_home_dataset_urn("default", "orders")
WRONG = {
    "field": use_table(lambda table: table.upsert({"name": "a", "nme": "b"})),
    "type": use_table(lambda table: table.upsert({"name": 1})),
    "key": use_table(lambda table: table.read(())),
    "table": lambda context: context.execute(lambda tables: tables.get_table("row")),
    "index": lambda context: context.execute(lambda tables: tables.get_indexed_table("rows")),
    "file": lambda context: context.files.put("../x", b""),
    "topic": lambda context: context.fetch("changed"),
    "proposal": lambda context: context.admin.apply_proposals([Proposal(URN, "businessMetadata", "upsert", {"tags": 1})]),
    "caller": lambda context: context.admin.get_namespace("a b"),
}
WRONG_ERRORS = dict.fromkeys(("field", "type", "key", "table", "index"), "InvalidField") | {
    "file": "InvalidName",
    "topic": "InvalidQuery",
    "proposal": "InvalidInstance",
}


def use_wrongly(context, request):
    return WRONG[request.path["name"]](context)


def end_process_in_transaction(context, request):
    def work(tables):
        raise SystemExit(3)

    context.execute(work)


def leak_rows(context, request):
    return list(context.execute(lambda tables: tables.get_table("rows").scan(Range())))


def read_rows(context, request):
    rows = context.execute(lambda tables: list(tables.get_table("rows").scan(Range())), read_only=True)
    return [row["name"] for row in rows]


def raise_error(context, request):
    raise ValueError("CANARY")


def end_process(context, request):
    raise SystemExit(3)


class Rogue(SystemApp):
    def configure(self, configurer):
        configurer.create_table(TableSpec("rows", {"name": "string"}, ("name",)))
        configurer.add_handler("GET", "/rows", read_rows)
        configurer.add_handler("GET", "/raise", raise_error)
        configurer.add_handler("GET", "/exit", end_process)
        configurer.add_handler("GET", "/leak", leak_rows)
        configurer.add_handler("POST", "/nest/{member}", nest)
        configurer.add_handler("POST", "/wrong/{name}", use_wrongly)
        configurer.add_handler("POST", "/exit", end_process_in_transaction)
        configurer.add_handler("POST", "/hang", hang, timeout_s=1)
        configurer.add_handler("POST", "/hang-in-transaction", hang_in_transaction)
        configurer.add_handler("GET", "/object", lambda context, request: object())
        configurer.add_handler("GET", "/nan", lambda context, request: {"value": float("nan")})
        configurer.add_handler("GET", "/status", lambda context, request: ServiceResponse({}, 302))
'''


#: Has a path with a namespace and one without. Tests use the contexts of its calls as a handler does.
CONTEXTS = """
from jupyter_colophon.apps import SystemApp


class Contexts(SystemApp):
    def configure(self, configurer):
        configurer.add_handler("GET", "/v1/contexts/{context}", lambda context, request: None)
        configurer.add_handler("GET", "/v1/all", lambda context, request: None)
"""


def install_app(folder: Path, source: str, name: str, class_name: str, version: str = "1.0", package: str = "") -> str:
    """Write a package with one application into a folder of `sys.path`, and return the name of its module.

    A package with the same name in a folder further back is hidden, as if pip had replaced it.
    """
    module = f"{package or name}_{folder.parent.name}".replace("-", "_").lower()
    folder.mkdir()
    install_package(folder, module, source, f"[{GROUP}]\n{name} = {module}:{class_name}\n", version)
    return module


def install_panel_package(folder: Path, name: str, files: Mapping[str, bytes | str]) -> str:
    """Write a package with files into a folder of `sys.path`, which panels can name, and return its name."""
    package = folder / name
    for path, content in {"__init__.py": "", **files}.items():
        file = package / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    return name


def open_apps(catalog: Catalog, **settings: Any) -> SystemApps:
    """Return the installed applications, on a catalog."""
    return SystemApps(
        catalog.reader,
        catalog.metadata,
        catalog.write_path,
        catalog.topics,
        file_folder=catalog.namespaces.app_files,
        secrets=catalog.secrets,
        feed=catalog.feed,
        **settings,
    )


def open_shipped_apps(catalog: Catalog, names: Collection[str]) -> SystemApps:
    """Return the applications of this package, as pyproject.toml registers them, that a setting names."""
    groups = tomllib.loads((_ROOT / "pyproject.toml").read_text())["project"]["entry-points"]
    points = [BuiltinEntryPoint(name, value) for name, value in groups["jupyter_colophon.system_apps"].items()]
    return open_apps(catalog, shipped_names=names, find_registrations=lambda: list_registrations(points, ()))


def call_app(
    apps: SystemApps,
    method: str,
    path: str,
    body: Any = None,
    *,
    app: str = "dataprep",
    service: str = "service",
    query: Mapping[str, list[str]] | None = None,
    principal: Principal = ADA,
    kind: ServiceKind = "service",
) -> Any:
    """Call a method of an application, and return its document; None if it has none. Without worker processes, methods with
    Spark run in this one.
    """
    raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    request = ServiceRequest(method, {}, query or {}, "application/json", raw)
    call = apps.prepare_call(ReceivedAppCall(app, service, path.split("/")[1:], request, principal, kind))
    response = apps.submit_call(
        replace(call, in_worker=call.in_worker and apps.workers is not None), lambda encoded: encoded
    ).result(120)
    return json.loads(response.body) if response.body else None


def wait_for_records(apps: SystemApps, name: str, count: int) -> list[AppLogRecord]:
    """Wait until a log has this many records."""
    for _ in range(100 * WAIT_S):
        if len(records := apps.list_log_records(name, None, 500)) >= count:
            return records
        threading.Event().wait(0.01)
    raise AssertionError(records)


def prepare_context(
    apps: SystemApps, namespace: str = "", *, app: str = "contexts", principal: Principal = ADA
) -> ServiceContext:
    """Return the context that a handler of `CONTEXTS` would get."""
    path = ["v1", "contexts", namespace] if namespace else ["v1", "all"]
    received = ReceivedAppCall(app, "service", path, ServiceRequest("GET"), principal)
    return apps.prepare_call(received).context


def install_example(folder: Path) -> Path:
    """Write the metadata of the package in examples/shop-bookmarks, and return the folder with its code."""
    code = Path(__file__).parents[2] / "examples/shop-bookmarks"
    project = tomllib.loads((code / "pyproject.toml").read_text())["project"]
    about = folder / f"shop_bookmarks-{project['version']}.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    lines = [f"{name} = {value}" for name, value in project["entry-points"][GROUP].items()]
    (about / "entry_points.txt").write_text("\n".join([f"[{GROUP}]", *lines, ""]))
    return code
