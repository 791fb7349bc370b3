"""The extension's state in the server's settings: the catalog, opened on first use, and the tokens."""

import getpass
import logging
import threading
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from jupyter_server.auth.identity import IdentityProvider, PasswordIdentityProvider, User

from jupyter_colophon.core.access import KERNEL_ACTIONS, Principal
from jupyter_colophon.core.errors import AccessDenied, InvalidConfiguration, MetadataError, Overloaded
from jupyter_colophon.core.identity.user_namespace import make_user_namespace
from jupyter_colophon.core.server_load import RequestKind, ServerLoad
from jupyter_colophon.core.time_format import format_ms_as_iso_time
from jupyter_colophon.http.admission import Admission
from jupyter_colophon.http.changes.change_hub import ChangeHub
from jupyter_colophon.http.changes.ws_ping import PingScheduler
from jupyter_colophon.http.fair_pool import QUERIES_WAITING_MAX, QUERY_THREADS, FairPool
from jupyter_colophon.http.kernels.kernel_notebooks import KernelNotebooks
from jupyter_colophon.http.kernels.kernel_registry import KernelRegistry
from jupyter_colophon.http.kernels.tokens import KernelTokenRegistry
from jupyter_colophon.http.load_shedding import LoadShedder
from jupyter_colophon.http.rate_limits import RateLimits
from jupyter_colophon.http.request_log import RequestLog
from jupyter_colophon.http.request_metrics import RequestMetrics
from jupyter_colophon.http.schemaspace_pools import SchemaspacePools
from jupyter_colophon.http.service_tokens import ServiceTokenRegistry
from jupyter_colophon.operations.services import ProcessServices

# The catalog's modules are loaded by the first request, to keep the start of the server fast.
if TYPE_CHECKING:
    from jupyter_colophon.apps.system_apps import SystemApps
    from jupyter_colophon.composition import Catalog
    from jupyter_colophon.core.artifacts.artifact import Artifact
    from jupyter_colophon.core.lineage.run import RunStatus
    from jupyter_colophon.http.forwarding.service_client import ServiceClient, ServiceReports
    from jupyter_colophon.http.forwarding.shared_catalog import SharedCatalog
    from jupyter_colophon.http.notebook_follower import NotebookFollower
    from jupyter_colophon.pipelines.launcher import PipelineLauncher
    from jupyter_colophon.pipelines.pipeline_process import TokenIssuer
    from jupyter_colophon.pipelines.scheduler.scheduler import Scheduler
    from jupyter_colophon.relay.relay import SinkRelay
    from jupyter_colophon.relay.sink_protocol import EventBus
    from jupyter_colophon.service.admin.archiving import Archiver
    from jupyter_colophon.service.changes.lineage_listeners import LineageListenerManager, ListenerState
    from jupyter_colophon.service.privacy.retention import DailyRetention

#: The key in the server's settings.
SETTING = "colophon"
#: How many requests use the store at once. More would wait for each other's locks.
THREADS = 8
#: Threads for work of the server itself.
BACKGROUND_THREADS = 4
#: Providers that generate a name for users who know the server's token.
_ANONYMOUS_PROVIDERS = (IdentityProvider, PasswordIdentityProvider)
_logger = logging.getLogger("jupyter_colophon.http")


@dataclass(slots=True)
class ServerState(ProcessServices):
    """The extension's state in one server: the services, and the additional state of HTTP and kernels."""

    #: Whether this server is the shared service, to which single-user servers forward requests.
    is_shared_service: bool = False
    #: The service to which this server forwards requests; None if it has a catalog of its own.
    shared_catalog: "SharedCatalog | None" = None
    #: What this server reports to that service; None without one.
    service_reports: "ServiceReports | None" = None
    #: Asks that service; None without one.
    service_client: "ServiceClient | None" = None
    tokens: KernelTokenRegistry = field(default_factory=KernelTokenRegistry)
    service_tokens: ServiceTokenRegistry = field(init=False)
    kernel_notebooks: KernelNotebooks = field(default_factory=KernelNotebooks)
    threads: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(BACKGROUND_THREADS, thread_name_prefix="colophon")
    )
    #: None unless the setting names a file.
    request_log: RequestLog | None = None
    request_metrics: RequestMetrics = field(default_factory=RequestMetrics)
    schemaspace_pools: SchemaspacePools = field(default_factory=SchemaspacePools)
    request_pool: FairPool = field(default_factory=lambda: FairPool("colophon-request", THREADS))
    query_pool: FairPool = field(default_factory=lambda: FairPool("colophon-query", QUERY_THREADS, QUERIES_WAITING_MAX))
    rate_limits: RateLimits = field(init=False)
    admission: Admission = field(default_factory=Admission)
    load_shedder: LoadShedder = field(init=False)
    #: The subscribers of the change log, and the number of connections of each user.
    change_hub: ChangeHub = field(default_factory=ChangeHub)
    ping_scheduler: PingScheduler = field(default_factory=PingScheduler)
    sockets: Counter[str] = field(default_factory=Counter)
    #: Delivers changes to sinks; None if none are configured.
    relay: "SinkRelay | None" = None
    #: Starts scheduled pipelines; None if this server runs no schedules.
    scheduler: "Scheduler | None" = None
    #: Follows renames and saves of notebooks; None before the server has started.
    notebook_follower: "NotebookFollower | None" = None
    #: Issues tokens to processes of pipelines; None outside of a Jupyter server.
    token_issuer: "TokenIssuer | None" = None
    _pipeline_launcher: "PipelineLauncher | None" = None
    #: The kernels of this server, recorded for the next server.
    kernel_registry: KernelRegistry = field(init=False)
    _lineage_listeners: "LineageListenerManager | None" = None
    _retention: "DailyRetention | None" = None
    #: Moves archived changes to files; None if the settings name no folder.
    _archiver: "Archiver | None" = None
    _archiving: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.kernel_registry = KernelRegistry(self.store)
        self.service_tokens = ServiceTokenRegistry(self.get_or_open_catalog)
        self.rate_limits = RateLimits(self.settings)
        pools = (self.request_pool, self.query_pool)
        self.load_shedder = LoadShedder(self.settings, lambda: max(pool.measure_wait_for_turn_s() for pool in pools))
        self.request_metrics.observe_load(self.load_shedder.measure_load)

    def _start_background_work(self, catalog: "Catalog") -> None:
        """Start the lineage listeners, and record changes made outside this server."""
        from jupyter_colophon.service.changes.lineage_listeners import LineageListenerManager
        from jupyter_colophon.service.privacy.retention import DailyRetention

        self._start_or_stop_archive(catalog)
        self._lineage_listeners = LineageListenerManager(
            catalog.provider, catalog.feed, self.settings.lineage_listeners
        )
        self._retention = DailyRetention(catalog.retention, catalog.sealer.key, self.settings.change_log_retention_days)
        if not self.closed:
            self._lineage_listeners.load_and_start()
            self._retention.start()
            self.threads.submit(self._start_system_apps)
            catalog.sealer.start_sealing_in_background()
            # Record external edits of instance files from now on.
            self.threads.submit(self._record_instance_changes)
            self.threads.submit(self._mark_orphaned_runs_killed)

    def _create_system_apps(self, catalog: "Catalog") -> "SystemApps":
        """Return the system applications, which this server serves."""
        from jupyter_colophon.apps.system_apps import SystemApps
        from jupyter_colophon.apps.workers.worker_process import HAS_WORKERS, WorkerLauncher

        launcher = WorkerLauncher(
            "jupyter_colophon.operations.app_worker",
            self.settings.collect_catalog_settings(),
            self.settings.system_app_memory_mib,
        )
        return SystemApps(
            catalog.reader,
            catalog.metadata,
            catalog.write_path,
            catalog.topics,
            self.settings.disabled_system_apps,
            self.settings.shipped_system_apps,
            on_tables_changed=self._start_archive_again,
            file_folder=catalog.namespaces.app_files,
            data_folders=tuple(self.settings.app_data_folders),
            secrets=catalog.secrets,
            launcher=launcher if HAS_WORKERS else None,
            feed=catalog.feed,
        )

    def _start_system_apps(self) -> None:
        """Deploy the system applications; each that cannot be deployed is logged."""
        # A call of an application starts it if the store is unavailable now.
        with suppress(MetadataError):
            self.get_system_apps().start_all()
            self.get_system_apps().remove_temporary_files()

    def _start_or_stop_archive(self, catalog: "Catalog") -> None:
        """Archive the changes of the catalog if the settings name a folder. Requests are served if that fails."""
        from jupyter_colophon.service.admin.archiving import start_archive, stop_archive_if_started

        folder = self.settings.get_archive_folder()
        try:
            if folder is None:
                stop_archive_if_started(catalog.provider)
                # Erasures wait while a store archives its changes in a folder that the process does not know.
                catalog.eraser.start_or_resume()
            else:
                self._archiver = start_archive(catalog.provider, folder)
        except (MetadataError, OSError) as error:
            _logger.error("changes are not archived in %s: %s", folder, error)

    def _start_archive_again(self) -> None:
        """Archive the changes of new and changed tables, too."""
        with self._archiving:
            if self._archiver is not None and self._catalog is not None and not self.closed:
                self._archiver.close()
                self._start_or_stop_archive(self._catalog)

    def render_request_metrics(self) -> str:
        """Return the metrics of requests in the text format of Prometheus."""
        return self.request_metrics.render()

    def _load_access_policies(self) -> None:
        """Open the catalog, which has access policies; while it is unavailable, those of the settings decide."""
        with suppress(MetadataError):
            self.get_or_open_catalog()

    def list_lineage_listeners(self) -> "list[ListenerState]":
        """Return the states of the lineage listeners; none before the catalog is open."""
        return self._lineage_listeners.get_listener_states() if self._lineage_listeners is not None else []

    def count_clients(self) -> Mapping[str, int | None]:
        """Return how many `kernelTokens` are valid, and how many `subscribers` follow the change log."""
        return {"kernelTokens": len(self.tokens), "subscribers": self.change_hub.count}

    def require_capacity(self, kind: RequestKind) -> None:
        """Raise Overloaded if the server refuses requests of this kind now, and count the refusal. Used on the event loop."""
        try:
            self.load_shedder.require_capacity(kind)
        except Overloaded:
            self.request_metrics.record_shed_request(kind)
            raise

    def measure_load(self) -> ServerLoad:
        """Return the load of this server."""
        return self.load_shedder.measure_load()

    def list_sink_problems(self) -> Mapping[str, str]:
        """Return why sinks of this server do not deliver, by their names."""
        return self.relay.problems if self.relay is not None else {}

    @property
    def is_scheduling(self) -> bool:
        """Whether this server starts pipelines at their times."""
        return self.scheduler is not None

    def register_kernel_and_issue_token(self, kernel: str, user: User, actor: str) -> str:
        """Register a starting kernel and return its new token; an earlier token is revoked."""
        try:
            self.kernel_registry.record_started_kernel(kernel, actor)
        except OSError as error:
            _logger.warning(
                "if this server is killed, runs of the kernel %s stay in the state running: %s", kernel, error.strerror
            )
        return self.tokens.issue_token_and_revoke_earlier(kernel, user, actor, find_group_names(user))

    def use_shared_catalog(self, shared: "SharedCatalog") -> None:
        """Forward requests to a service from now on, and report to it."""
        from jupyter_colophon.http.forwarding.service_client import ServiceClient, ServiceReports

        self.shared_catalog = shared
        self.service_client, self.service_reports = ServiceClient(shared.address), ServiceReports(shared.address)
        self.service_reports.send_orphaned()
        self.threads.submit(self.kernel_registry.end_kernels_of_killed_servers, self._report_kernel_end)

    def _report_kernel_end(self, kernel: str, _actor: str = "") -> None:
        """Report the end of a kernel to the shared service."""
        assert self.service_reports is not None  # noqa: S101  `use_shared_catalog` has set it
        self.service_reports.report_kernel_end(kernel, format_ms_as_iso_time(int(1000 * time.time())))

    def get_shared_catalog(self) -> "SharedCatalog":
        """Return the service to which requests are forwarded. Raises InvalidConfiguration if its settings are invalid."""
        if self.shared_catalog is None:
            raise InvalidConfiguration(self.configuration_error)
        return self.shared_catalog

    def require_owner_of_shared_catalog(self, principal: Principal) -> "SharedCatalog":
        """Return the service for a request of this server's user, or of a kernel. Raises AccessDenied, InvalidConfiguration."""
        shared = self.get_shared_catalog()
        if principal.via is None:
            shared.require_owner(principal.user)
        return shared

    def find_notebook_namespace(self, principal: Principal) -> str:
        """Return the namespace of the notebooks of a principal: in a shared service, each user has one."""
        return make_user_namespace(principal.user) if self.is_shared_service else self.notebook_namespace

    @property
    def notebook_namespace(self) -> str:
        """The namespace of the notebooks of this server."""
        shared = self.shared_catalog
        return (shared.notebook_namespace if shared is not None else "") or self.identity.notebook_namespace

    def find_present_notebook_path(self, principal: Principal, path: str) -> str:
        """Return the present path of the notebook of a kernel, given its path when the kernel started."""
        return self.kernel_notebooks.find_present_path(principal.via, path)

    def record_kernel_end_in_background(self, kernel: str) -> "Future[None] | None":
        """Record, in the background, that the unfinished runs of a kernel ended with it; return None if there is nothing to wait for."""
        if self.service_reports is not None:
            self._report_kernel_end(kernel)
            self.kernel_registry.remove_ended_kernel(kernel)
            return None
        principal = self.tokens.find_principal_of_kernel(kernel)
        # If the catalog was never opened, no kernel has reported a run.
        if principal is None or self._catalog is None:
            self.kernel_registry.remove_ended_kernel(kernel)
        elif not self.closed:
            return self.threads.submit(self._mark_kernel_runs_killed, kernel, principal)
        return None

    def _mark_kernel_runs_killed(self, kernel: str, principal: Principal) -> None:
        try:
            self.get_or_open_catalog().write_path.mark_kernel_runs_killed(kernel, principal, "the kernel ended")
        except MetadataError as error:
            _logger.warning("cannot record the end of a kernel's runs: %s", error.detail)
        else:
            self.kernel_registry.remove_ended_kernel(kernel)

    def _mark_orphaned_runs_killed(self) -> None:
        """Record the end of runs of kernels whose servers were killed."""

        def end(kernel: str, actor: str) -> None:
            principal = Principal(actor, kernel, KERNEL_ACTIONS, internal=True)
            self.get_or_open_catalog().write_path.mark_kernel_runs_killed(
                kernel, principal, "the kernel's server was killed"
            )

        try:
            self.kernel_registry.end_kernels_of_killed_servers(end)
        except MetadataError as error:
            _logger.warning("cannot record the end of runs of a killed server: %s", error.detail)

    def start_sink_delivery(self, sinks: Mapping[str, Mapping[str, Any]], bus: "EventBus") -> None:
        """Deliver changes of all processes to these sinks from now on, without waiting for a request."""
        from jupyter_colophon.relay.relay import SinkRelay

        self.relay = SinkRelay(sinks, self.get_or_open_catalog, bus)
        self.relay.start()

    def start_pipeline_scheduler(self, token_issuer: "TokenIssuer") -> None:
        """Start scheduled pipelines, by time and by change, from now on."""
        from jupyter_colophon.pipelines.scheduler.scheduler import Scheduler

        self.scheduler = Scheduler(
            self.get_or_open_catalog, self.get_or_create_instances, token_issuer, self.settings.max_scheduled_runs
        )
        self.scheduler.start()

    def get_pipeline_launcher(self) -> "PipelineLauncher":
        """Return the previews and runs of pipelines that users started. Raises AccessDenied if the settings disable them."""
        from jupyter_colophon.pipelines.launcher import PipelineLauncher

        if self.is_shared_service:
            raise AccessDenied(
                "start", "pipelines in the shared service: run them on your own server, or on the command line"
            )
        most = self.settings.max_pipeline_executions
        if most == 0:
            raise AccessDenied("start", "pipelines: the setting c.Colophon.max_pipeline_executions is 0")
        if self.token_issuer is None:
            raise AccessDenied("start", "pipelines: only a Jupyter server can start them")
        with self._composing:
            if self._pipeline_launcher is None:
                self._pipeline_launcher = PipelineLauncher(self._record_final_status, self.token_issuer, most)
            return self._pipeline_launcher

    def _record_final_status(self, run: str, process_status: "RunStatus") -> "RunStatus | None":
        """Return the final status of a run whose process has ended; None if it never started. Raises StorageError."""
        if self.service_client is not None:
            return self.service_client.determine_and_record_final_status(run, process_status)
        from jupyter_colophon.pipelines.final_status import determine_and_record_final_status

        return determine_and_record_final_status(self.get_or_open_catalog(), run, process_status)

    def read_pipeline_document(self, name: str, principal: Principal) -> Mapping[str, Any]:
        """Return the document of a stored pipeline, in this server or in the shared service. Raises InstanceNotFound."""
        if self.service_client is None:
            # super() without arguments fails in a dataclass with slots.
            return ProcessServices.read_pipeline_document(self, name, principal)
        self.require_owner_of_shared_catalog(principal)
        return self.service_client.read_pipeline_document(name)

    def list_artifacts(self, namespace: str, principal: Principal) -> "list[Artifact]":
        """Return the artifacts of a namespace, in this server or in the shared service; none if it does not exist."""
        if self.service_client is None:
            return ProcessServices.list_artifacts(self, namespace, principal)
        self.require_owner_of_shared_catalog(principal)
        return self.service_client.list_artifacts(namespace)

    def read_artifact_content(self, artifact: "Artifact", principal: Principal) -> bytes:
        """Return the content of an artifact, in this server or in the shared service. Raises NotFound."""
        if self.service_client is None:
            return ProcessServices.read_artifact_content(self, artifact, principal)
        self.require_owner_of_shared_catalog(principal)
        return self.service_client.read_artifact_content(artifact)

    def require_may_run_pipelines(self, namespace: str, principal: Principal) -> None:
        """Require that the caller may run pipelines of a namespace. Raises NotFound, AccessDenied.

        In a server that uses the shared service, they run on the owner's machine as any code of theirs, and the service
        decides on everything that they read and record there.
        """
        if self.service_client is None:
            ProcessServices.require_may_run_pipelines(self, namespace, principal)
            return
        self.require_owner_of_shared_catalog(principal)
        if not self.service_client.may_emit_in_namespace(namespace):
            raise AccessDenied("run", f"pipelines of the namespace {namespace}")

    def close_pipelines(self) -> None:
        """Start no more pipelines, and stop active ones, which report their end."""
        if self.scheduler is not None:
            self.scheduler.close()
        if self._pipeline_launcher is not None:
            self._pipeline_launcher.close()

    def _record_instance_changes(self) -> None:
        # Requests for instances report the error.
        with suppress(MetadataError):
            self.get_or_create_instances()

    def close(self) -> None:
        """Close all services and threads."""
        self.closed = True
        self.load_shedder.stop()
        self.change_hub.remove_all_and_stop_listening()
        self.close_pipelines()
        for part in (
            self.relay,
            self.notebook_follower,
            self.service_reports,
            self.service_client,
            self._system_apps,
        ):
            if part is not None:
                part.close()
        self.service_tokens.close()
        self.threads.shutdown(wait=True, cancel_futures=True)
        for pool in (self.request_pool, self.query_pool):
            pool.refuse_new_and_wait()
        self.schemaspace_pools.cancel_waiting_and_wait()
        if self._lineage_listeners is not None:
            self._lineage_listeners.stop_listeners()
        if self._retention is not None:
            self._retention.stop_thread()
        if self._archiver is not None:
            self._archiver.close()
        # super() without arguments fails in a dataclass with slots.
        ProcessServices.close(self)
        if self.request_log is not None:
            self.request_log.close()
        self.kernel_registry.keep_kernel_file_for_next_server()


def find_actor_name(provider: object, user: User) -> str:
    """Return the name under which a user's changes are recorded.

    Jupyter's own providers generate a random name for holders of the server's token, so the name of the account that
    runs the server is used instead.
    """
    return get_account_name() if has_generated_user_names(provider) else user.username


def has_generated_user_names(provider: object) -> bool:
    """Return whether an identity provider generates the names of users, as Jupyter's own providers do."""
    return type(provider) in _ANONYMOUS_PROVIDERS


def find_group_names(user: object) -> frozenset[str]:
    """Return the groups of a user: its own member `groups`, or that of JupyterHub's model of it."""
    hub_model = getattr(user, "hub_user", None)
    groups = getattr(user, "groups", None) or (hub_model.get("groups") if isinstance(hub_model, Mapping) else None)
    names = groups if isinstance(groups, list | tuple | set | frozenset) else ()
    return frozenset(name for name in names if isinstance(name, str) and name)


def create_user_principal(provider: object, user: User) -> Principal:
    """Return a user that the identity provider has authenticated, with its groups."""
    return Principal(find_actor_name(provider, user), groups=find_group_names(user))


@cache
def get_account_name() -> str:
    """Return the name of the account that runs the server."""
    # Cached: the lookup takes a tenth of the time of a request.
    return getpass.getuser()
