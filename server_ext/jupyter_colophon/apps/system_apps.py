"""The system applications of installed packages in this process (docs/how-to/write-an-application.md)."""

import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from jupyter_colophon.apps.admin import SystemAdmin
from jupyter_colophon.apps.background import BackgroundWork
from jupyter_colophon.apps.background_host import BackgroundHost
from jupyter_colophon.apps.background_warnings import list_warnings
from jupyter_colophon.apps.context import ServiceContext
from jupyter_colophon.apps.data_removal import AppDataRemoval
from jupyter_colophon.apps.deployment import Deployment
from jupyter_colophon.apps.handler_call import EncodedResponse, HandlerCall
from jupyter_colophon.apps.installed_app import AppState, InstalledApp
from jupyter_colophon.apps.installed_apps import TABLES_DELETED, InstalledApps, Records, find_registered_apps
from jupyter_colophon.apps.jobs import AppJobs
from jupyter_colophon.apps.routes import Route
from jupyter_colophon.apps.schedules.schedule_details import list_schedules
from jupyter_colophon.apps.service import ServiceKind, ServiceRequest
from jupyter_colophon.apps.tables import create_no_namespace_error
from jupyter_colophon.apps.topics import TopicReader
from jupyter_colophon.apps.transactions import AppTransactions
from jupyter_colophon.apps.workers.service_details import list_services
from jupyter_colophon.apps.workers.service_instances import (
    ServiceInstances,
    list_requested_instances,
    read_instances,
    request_instances,
)
from jupyter_colophon.apps.workers.service_workers import ServiceKey, ServiceWorkers
from jupyter_colophon.apps.workers.worker_counts import WorkerCounts
from jupyter_colophon.apps.workers.worker_pool import PendingCall, PoolClosed
from jupyter_colophon.apps.workers.worker_process import WorkerLauncher
from jupyter_colophon.core.access import INTERNAL, Principal
from jupyter_colophon.core.changes.dead_event import DeadEvent
from jupyter_colophon.core.errors import AccessDenied, SystemAppTimeout, SystemAppUnavailable, TooLarge
from jupyter_colophon.core.identity.names import SYSTEM_NAMESPACE, make_namespace_urn
from jupyter_colophon.core.system_app_log import ALL_RECORDS, AppLogFilter, AppLogRecord
from jupyter_colophon.service.changes.feed import ChangeFeed
from jupyter_colophon.service.entities.entities import EntityReader
from jupyter_colophon.service.entities.metadata import MetadataReader
from jupyter_colophon.service.namespace_secrets import NamespaceSecretService
from jupyter_colophon.service.schemaspaces.registrations import PackageRegistration
from jupyter_colophon.service.write_path import WritePath
from jupyter_colophon.storage.app_files.folder import AppFileFolder
from jupyter_colophon.storage.dead_events import drop_event, list_events_of_app, request_retry
from jupyter_colophon.storage.entities.aspects import find_entity_summary
from jupyter_colophon.storage.spi import StorageProvider, TableContext
from jupyter_colophon.storage.system_app_logs import list_log_records
from jupyter_colophon.storage.system_app_workers import count_running_workers
from jupyter_colophon.storage.system_apps import SystemAppRecord, set_disabled, start_dropping

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ReceivedAppCall:
    """A request for a handler: the segments of its path are decoded."""

    app: str
    service: str
    segments: Sequence[str]
    request: ServiceRequest
    principal: Principal
    kind: ServiceKind = "service"


@dataclass(slots=True)
class SystemApps:
    """All system applications of a process. `disabled_names` are those that its settings disable.

    A process that `serves` them deploys them; others only list them.
    """

    reader: EntityReader
    metadata: MetadataReader
    write_path: WritePath
    topics: TopicReader
    disabled_names: Collection[str] = ()
    #: The applications of this package that are loaded.
    shipped_names: Collection[str] = ()
    serves: bool = True
    #: Called after tables of an application were created or changed.
    on_tables_changed: Callable[[], None] = lambda: None
    #: The folder of their files; None in a process without one.
    file_folder: AppFileFolder | None = None
    #: The folders with data that applications may use.
    data_folders: Sequence[str] = ()
    #: The secrets of namespaces; None in a process without them.
    secrets: NamespaceSecretService | None = None
    #: Returns the applications of installed packages.
    find_registrations: Callable[[], Iterable[PackageRegistration]] = find_registered_apps
    #: Starts worker processes; None in a process that starts none.
    launcher: WorkerLauncher | None = None
    #: Starts the Spark session of a worker process.
    start_spark: Callable[[], Any] | None = None
    workers: ServiceWorkers | None = field(init=False, default=None)
    #: The jobs that run in this process.
    jobs: AppJobs = field(init=False)
    #: Wakes the listeners of applications in a process that serves them.
    feed: ChangeFeed | None = None
    _installed: InstalledApps = field(init=False)
    _removal: AppDataRemoval = field(init=False)
    _background: BackgroundWork | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        """Prepare the applications and the worker processes; none is started yet."""
        self._installed = InstalledApps(
            self.provider,
            self.disabled_names,
            self.shipped_names,
            self.serves,
            self.on_tables_changed,
            self._start_background_work,
            self.find_registrations,
        )
        self.jobs = AppJobs(self.provider)
        self._removal = AppDataRemoval(self.provider, self.file_folder, self.on_tables_changed)
        if self.launcher is not None:
            self.workers = ServiceWorkers(
                self.provider, self.launcher, lambda: list_requested_instances(self._installed), self._run_on_threads
            )

    @property
    def provider(self) -> StorageProvider:
        """The store of the tables."""
        return self.reader.provider

    def start_all(self) -> None:
        """Load all applications that are not disabled in the background, without shipped ones that were never used."""
        records = self._installed.read_records()
        self._installed.start_used(records)
        if self.serves and any(record.is_dropping for record in records.values()):
            self._removal.start_or_resume_deletion()

    def remove_temporary_files(self) -> None:
        """Remove incomplete files that processes left that were killed. Raises StorageError."""
        if self.file_folder is not None:
            self.file_folder.remove_temporary_files()

    def list_states(self) -> list[AppState]:
        """Return the state of each application by name, after those that are starting have loaded or failed.

        Those that left tables, and are not installed, are among them.
        """
        self._load_all()
        for app in self._installed.list_enabled(self._installed.read_records()):
            app.wait_until_loaded()
        apps, records = self._installed.list_apps(), self._installed.read_records()
        states = [*self._installed.conflicts, *(self._get_state_of_app(app, records) for app in apps)]
        states += [_describe_left_app(record) for record in self._installed.list_left_records(records)]
        return sorted(states, key=lambda state: state.name)

    def set_enabled(self, name: str, *, enabled: bool) -> AppState:
        """Enable or disable an application in all processes. Raises NotFound, and AccessDenied if the settings disable it."""
        app = self._installed.find_app(name)
        if enabled and self._installed.is_disabled_by_settings(app):
            raise AccessDenied("enable", f"the system application {name}: c.Colophon.disabled_system_apps has it")
        self.provider.tx_runner.run(lambda tx: set_disabled(tx, app.registration.name, disabled=not enabled))
        if enabled:
            app.retry_failed_start()
        if self.workers is not None:
            self.workers.wake()
            self._wake_background_work()
        return self.get_state(name)

    def drop_tables(self, name: str, principal: Principal) -> AppState:
        """Delete the tables, files, cursors, schedules and events of an application that is disabled or not installed.

        The state has the tables that are still to be deleted, in the background. Raises NotFound, SystemAppEnabled.
        """
        record = self._installed.find_record_of_unused_app(name)
        audit = self.write_path.access_control.audit

        def start(tx: TableContext) -> None:
            start_dropping(tx, record.name)
            if audit is not None:
                urn = str(make_namespace_urn(SYSTEM_NAMESPACE))
                audit.record_act(tx, urn, principal, f"delete the tables of the system application {record.name}")

        self.provider.tx_runner.run(start)
        if self.serves:
            self._removal.delete_some_and_continue(record.name)
        else:
            self._removal.delete_now(record.name)
        left = self._installed.read_records(record.name).get(record.name, SystemAppRecord(record.name))
        if self._installed.is_installed(record.name):
            return self.get_state(record.name)
        return replace(_describe_left_app(left), version=record.version, deployed_version=record.version)

    def get_state(self, name: str) -> AppState:
        """Return the state of an application. Raises NotFound."""
        app = self._installed.find_app(name)
        return self._get_state_of_app(app, self._installed.read_records(app.registration.name))

    def list_running_deployments(self) -> Iterator[tuple[str, Deployment]]:
        """Yield the applications that this process serves, by name, after those that are starting have loaded or failed."""
        if not self.serves:
            return
        self._load_all()
        deployed = self._installed.iterate_loaded(self._installed.read_records())
        yield from sorted(
            ((app.registration.name, deployment) for app, deployment in deployed), key=lambda pair: pair[0].casefold()
        )

    def get_running_deployment(self, name: str) -> tuple[str, Deployment]:
        """Return the name of an application as it is installed, and its deployment. Raises NotFound, SystemAppUnavailable."""
        app, _ = self._installed.find_enabled_app(name)
        return app.registration.name, app.wait_for_deployment()

    def list_log_records(
        self, name: str, after: int | None, limit: int, filter_: AppLogFilter = ALL_RECORDS
    ) -> list[AppLogRecord]:
        """Return the next matching log records of an application after a number, or the newest; oldest first.

        Raises NotFound.
        """
        app = self._installed.find_app(name).registration.name
        return self.provider.tx_runner.run(lambda tx: list_log_records(tx, app, after, limit, filter_), read_only=True)

    def list_events(self, name: str) -> list[DeadEvent]:
        """Return the events that listeners of an application have not handled. Raises NotFound."""
        app = self._installed.find_app(name).registration.name
        return self.provider.tx_runner.run(lambda tx: list_events_of_app(tx, app), read_only=True)

    def retry_event(self, name: str, listener: str, number: int) -> DeadEvent:
        """Let a listener handle an event once more, now. Raises NotFound."""
        app = self._installed.find_app(name).registration.name
        event = self.provider.tx_runner.run(lambda tx: request_retry(tx, app, listener, number))
        self._wake_background_work()
        return event

    def drop_event(self, name: str, listener: str, number: int) -> DeadEvent:
        """Drop an event, and let the listener handle later ones of its entity. Raises NotFound."""
        app = self._installed.find_app(name).registration.name
        event = self.provider.tx_runner.run(lambda tx: drop_event(tx, app, listener, number))
        self._wake_background_work()
        return event

    def prepare_call(self, received: ReceivedAppCall) -> HandlerCall:
        """Find the handler of a request, and authorize it.

        Raises NotFound, MethodNotAllowed, AccessDenied, TooLarge, and SystemAppUnavailable if the application is disabled
        or not deployed.
        """
        app, record = self._installed.find_enabled_app(received.app)
        routes = app.wait_for_deployment().routes
        route, parameters = routes.find_route(
            received.service, received.request.method, received.segments, received.kind
        )
        context = parameters["context"] if route.has_context else ""
        self._authorize_call(route, context, received.principal)
        if route.max_body_bytes is not None and len(received.request.body) > route.max_body_bytes:
            raise TooLarge(f"a body may have at most {route.max_body_bytes} bytes")
        request = ServiceRequest(
            received.request.method,
            parameters,
            received.request.query,
            received.request.content_type,
            received.request.body,
            received.request.accept,
        )
        deadline = time.monotonic() + route.timeout_s
        call = self.build_call(app.registration.name, route, request, received.principal, deadline)
        return replace(call, in_worker=route.kind == "spark" or route.service in record.instances)

    def build_call(
        self, name: str, route: Route, request: ServiceRequest, principal: Principal, deadline: float
    ) -> HandlerCall:
        """Return an authorized call with the context of its handler. Raises SystemAppUnavailable."""
        specs = self._installed.find_app(name).wait_for_deployment().specs
        context = request.path["context"] if route.has_context else ""
        transactions = AppTransactions(name, self.provider, specs, context, route.timeout_s, deadline)
        start_spark = self.start_spark if route.kind == "spark" else None
        context_of_call = replace(self._create_context(principal, transactions), _start_spark=start_spark)
        return HandlerCall(name, route, request, context_of_call)

    def load_for_worker(self, name: str, version: str, service: str) -> Mapping[tuple[str, tuple[str, ...]], Route]:
        """Load an application in a worker process; return the routes of a service by method and template.

        Raises SystemAppUnavailable, also if another version than that of the server is installed.
        """
        app = self._installed.find_app(name)
        if app.registration.version != version:
            raise SystemAppUnavailable(
                name, f"the version {app.registration.version} was installed after this server started: restart it"
            )
        self._installed.open_log(name)
        routes = app.wait_for_deployment().routes.routes
        return {(route.method, route.segments): route for route in routes if route.service == service}

    def submit_call(self, call: HandlerCall, convert: Callable[[EncodedResponse], T]) -> "Future[T]":
        """Run a handler in a worker process of its service, or on a thread of its application.

        Raises SystemAppUnavailable if too many of its calls wait.
        """
        app, service = self._installed.find_app(call.app), call.route.service
        if call.in_worker:
            if self.workers is None:
                raise SystemAppUnavailable(call.app, f"this process runs no processes of its service {service}")
            pool = self.workers.get_or_create_pool(
                ServiceKey(call.app, service), app.registration.version, has_spark=call.route.kind == "spark"
            )
            # Until the first process is ready, a service stays where its calls have run, so that none is refused.
            if pool.was_ready or service not in app.services_of_threads:
                try:
                    return _log_timeout(call, pool.submit_call(call, convert))
                except PoolClosed:
                    # The service runs on threads again since the call was prepared.
                    if call.route.kind == "spark":
                        raise
        app.services_of_threads.add(service)
        return _log_timeout(call, app.threads.submit_call(lambda: convert(call.run_handler())))

    def read_instances(self, name: str, service: str) -> ServiceInstances:
        """Return how many processes of a service are requested, and run, in all servers. Raises NotFound,
        SystemAppUnavailable.
        """
        return read_instances(self._installed, self.workers, name, service)

    def set_instances(self, name: str, service: str, instances: int) -> ServiceInstances:
        """Request processes of a service, in all servers together; with 0, it runs on threads of each server again.

        Raises NotFound, SystemAppUnavailable.
        """
        request_instances(self._installed, name, service, instances)
        if self.workers is not None:
            self.workers.wake()
        return self.read_instances(name, service)

    def count_hanging_calls(self) -> int:
        """Return how many calls of listeners and schedules of this process did not return in time, and still run."""
        return 0 if self._background is None else self._background.count_hanging_calls()

    def count_workers(self) -> WorkerCounts:
        """Return how many worker processes this server runs."""
        return WorkerCounts() if self.workers is None else self.workers.count_workers()

    def close(self) -> None:
        """Start no further calls, end the worker processes, and stop listeners and schedules."""
        if self._background is not None:
            self._background.close()
        self._installed.close()
        self._removal.close()
        self.jobs.close()
        if self.workers is not None:
            self.workers.close()
        self._installed.close_logs()

    def _load_all(self) -> None:
        """Load all applications that are not disabled in the background; those that were never used are not deployed."""
        self.start_all()
        self._installed.load_unused(self._installed.read_records())

    def _get_state_of_app(self, app: InstalledApp, records: Records) -> AppState:
        record = records.get(app.registration.name, SystemAppRecord(app.registration.name))
        is_disabled = self._installed.is_disabled(app, records)
        if not is_disabled:
            app.wait_until_loaded()
        workers = () if self.workers is None else self.workers.list_states(record.name)
        count_running = count_running_workers if self.workers is None else self.workers.count_running
        deployment = app.find_deployment()
        if not is_disabled and self._installed.has_lost_tables(app):
            return replace(
                app.get_state(disabled=False, deployed_version="", workers=workers),
                state="failed",
                problem=TABLES_DELETED,
            )

        def read(tx: TableContext) -> AppState:
            state = app.get_state(
                disabled=is_disabled,
                deployed_version=record.version,
                workers=workers,
                warnings=list_warnings(tx, record.name),
            )
            if is_disabled:
                state = replace(state, tables=tuple(table.id for table in record.tables))
            if deployment is None:
                return state
            kinds = deployment.routes.services
            return replace(
                state,
                services=list_services(
                    kinds, record.instances, lambda service: count_running(tx, record.name, service)
                ),
                schedules=list_schedules(tx, record.name, deployment.schedules, is_enabled=not is_disabled),
            )

        return self.provider.tx_runner.run(read, read_only=True)

    def _run_on_threads(self, item: PendingCall) -> None:
        """Run a call that waited for a process, on a thread of its application."""

        def run() -> None:
            if item.future.set_running_or_notify_cancel():
                try:
                    item.future.set_result(item.convert(item.call.run_handler()))
                except BaseException as error:  # noqa: BLE001  the caller of the future handles it
                    item.future.set_exception(error)

        try:
            self._installed.find_app(item.call.app).threads.submit_call(run)
        except SystemAppUnavailable as error:
            item.future.set_exception(error)

    def _wake_background_work(self) -> None:
        if self._background is not None:
            self._background.wake()

    def _start_background_work(self, app: str, deployment: Deployment) -> None:
        """Start the processes, listeners and schedules of a deployed application. Raises StorageError."""
        if self.workers is not None:
            self.workers.start()
        if self.feed is None:
            return
        with self._lock:
            self._background = self._background or BackgroundWork(self.feed)
        host = BackgroundHost(
            app,
            self.provider,
            self.reader.registry,
            deployment,
            lambda transactions: self._create_context(INTERNAL, transactions),
            lambda: self._installed.is_enabled(app),
            self.feed.remove_confidential_values,
        )
        self._background.start_app(host)

    def _create_context(self, principal: Principal, transactions: AppTransactions) -> ServiceContext:
        """Return the context of a call, a listener or a schedule."""
        admin = SystemAdmin(self.reader, self.metadata, INTERNAL, self.write_path, self.secrets)
        return ServiceContext(
            principal, admin, transactions, self.topics, self.jobs, self.data_folders, self.file_folder
        )

    def _authorize_call(self, route: Route, context: str, principal: Principal) -> None:
        """Raise NotFound unless the namespace exists and may be read, AccessDenied if only a part of it, or without the permission."""
        control, namespace = self.reader.read_policy.access_control, context or SYSTEM_NAMESPACE
        urn = str(make_namespace_urn(namespace))
        if control.decide_all(principal, "read", namespace) is not True:
            control.record_denial(principal, "read", urn)
            if self._is_listed(principal, namespace):
                raise AccessDenied("read", f"everything in the namespace {namespace}, as applications require")
            raise create_no_namespace_error(namespace)
        if control.decide_all(principal, route.permission, namespace) is not True:
            control.record_denial(principal, route.permission, urn)
            raise AccessDenied(route.permission, f"everything in the namespace {namespace}")
        if context and self.provider.tx_runner.run(lambda tx: find_entity_summary(tx, urn), read_only=True) is None:
            raise create_no_namespace_error(namespace)

    def _is_listed(self, principal: Principal, namespace: str) -> bool:
        """Return whether the namespace exists and the caller may read its entity."""
        urn, policy = make_namespace_urn(namespace), self.reader.read_policy
        return self.provider.tx_runner.run(
            lambda tx: find_entity_summary(tx, str(urn)) is not None and policy.may_see_entity(tx, principal, urn),
            read_only=True,
        )


def _describe_left_app(record: SystemAppRecord) -> AppState:
    """Return the state of an application that is not installed, from what it left."""
    warnings = ("its tables are being deleted",) if record.is_dropping else ()
    tables = tuple(table.id for table in record.tables)
    return AppState(record.name, "", record.version, "uninstalled", tables, "", record.version, warnings=warnings)


def _log_timeout(call: HandlerCall, future: "Future[T]") -> "Future[T]":
    """Log it if the call ends after its time limit, and return the future."""

    def log_if_late(done: "Future[T]") -> None:
        if not done.cancelled() and isinstance(done.exception(), SystemAppTimeout):
            call.log_and_create_timeout()

    future.add_done_callback(log_if_late)
    return future
