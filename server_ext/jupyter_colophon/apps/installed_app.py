"""An application in this process: its state, from loading on, and its threads."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal

from jupyter_colophon.apps.app_log import get_app_logger
from jupyter_colophon.apps.call_threads import CallThreads
from jupyter_colophon.apps.deployment import (
    Deployment,
    create_tables_of_app,
    format_deployment_error,
    load_and_configure_app,
)
from jupyter_colophon.apps.schedules.schedule_details import ScheduleDetails
from jupyter_colophon.apps.workers.service_details import ServiceDetails
from jupyter_colophon.apps.workers.service_workers import WorkerState
from jupyter_colophon.core.errors import StoreUnavailable, SystemAppUnavailable
from jupyter_colophon.service.schemaspaces.registrations import PackageRegistration
from jupyter_colophon.storage.spi import StorageProvider

#: How long an application may take to load and to be configured, in seconds (spec SEC-17).
LOADING_S: Final = 5.0
#: How many requests may wait for an application that loads: others are refused, so that they occupy no thread.
_WAITING: Final = 2
_TOO_LATE: Final = "it did not load within {:g} s"

#: `installed`: it can be loaded, in a process that serves no applications. `uninstalled`: it left tables in the store.
State = Literal["starting", "running", "installed", "failed", "disabled", "uninstalled"]


@dataclass(frozen=True, slots=True)
class AppState:
    """The state of an application. `deployed_version` is the version that the store had last; "" if it never had one."""

    name: str
    package: str
    version: str
    state: State
    tables: tuple[str, ...]
    problem: str = ""
    deployed_version: str = ""
    workers: tuple[WorkerState, ...] = ()
    #: Its failing schedules, and the events that its listeners cannot handle.
    warnings: tuple[str, ...] = ()
    #: Empty until it has been deployed.
    services: tuple[ServiceDetails, ...] = ()
    schedules: tuple[ScheduleDetails, ...] = ()


@dataclass(slots=True)
class InstalledApp:
    """Loads the application on a thread of its own; one that fails or hangs concerns only itself.

    With `serves`, its tables are created, too: at its first use if it `is_lazy`, unless it was used before.
    """

    registration: PackageRegistration
    provider: StorageProvider
    serves: bool
    #: Called after tables were created or changed.
    on_tables_changed: Callable[[], None] = lambda: None
    #: Called with the deployment when the tables exist, before the first call; may raise StorageError.
    on_deployed: Callable[[Deployment], None] = lambda deployment: None
    is_lazy: bool = False
    threads: CallThreads = field(init=False)
    #: The services whose handlers have run on these threads.
    services_of_threads: set[str] = field(default_factory=set)
    _started: float | None = None
    _deployment: Deployment | None = None
    #: Whether it is deployed after loading.
    _deploys: bool = False
    _problem: str = ""
    _is_retried: bool = False
    #: Whether it was logged that the application did not load in time.
    _is_late: bool = False
    _done: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _waiting: threading.BoundedSemaphore = field(default_factory=lambda: threading.BoundedSemaphore(_WAITING))

    def __post_init__(self) -> None:
        """Prepare the threads; none is started yet."""
        self.threads = CallThreads(self.registration.name)

    @property
    def is_deployed(self) -> bool:
        """Return whether this process has deployed the application."""
        return self._deploys and self._done.is_set() and self._deployment is not None

    def start(self, *, deploys: bool = True) -> None:
        """Load the application in the background, and deploy it with `deploys`, unless that was begun before."""
        with self._lock:
            is_new_use = deploys and self.serves and not self._deploys
            self._deploys = self._deploys or is_new_use
            has_failed = self._done.is_set() and self._deployment is None
            is_begun = self._started is not None and not (has_failed and self._is_retried)
            # A thread that loads it deploys it as well; one that has ended does not.
            if is_begun and not (is_new_use and self._done.is_set()):
                return
            self._started, self._is_retried = time.monotonic(), False
            self._done.clear()
            self._is_late = False
        threading.Thread(
            target=self._load_and_deploy, name=f"colophon-app-{self.registration.name}-start", daemon=True
        ).start()

    def retry_failed_start(self) -> None:
        """Load the application once more if that has failed."""
        self._is_retried = True
        self.start()

    def wait_for_deployment(self) -> Deployment:
        """Return the tables and routes, after the application has started. Raises SystemAppUnavailable."""
        self.start()
        if not self._done.is_set():
            if not self._waiting.acquire(blocking=False):
                raise SystemAppUnavailable(self.registration.name, "it is starting: try again in some seconds")
            try:
                self.wait_until_loaded()
            finally:
                self._waiting.release()
        deployment = self._deployment if self._done.is_set() else None
        if deployment is None:
            raise SystemAppUnavailable(
                self.registration.name, "it could not be deployed (see jupyter colophon apps list)"
            )
        return deployment

    def find_deployment(self) -> Deployment | None:
        """Return the tables, routes and panels; None while the application loads, or if it has failed."""
        return self._deployment

    def wait_until_loaded(self) -> None:
        """Wait until the application has loaded or failed, at most until the time limit of loading."""
        self._done.wait(self._get_loading_time_left())

    def get_state(
        self,
        *,
        disabled: bool,
        deployed_version: str,
        workers: tuple[WorkerState, ...],
        warnings: tuple[str, ...] = (),
    ) -> AppState:
        """Return the state, given whether the application is disabled, and warnings about its background work."""
        deployment, problem = self._deployment, self._problem
        if not problem and deployment is None and self._started is not None and not self._get_loading_time_left():
            problem = _TOO_LATE.format(LOADING_S)
        state: State = "disabled"
        if not disabled and problem:
            state = "failed"
        elif not disabled and deployment is None:
            state = "starting"
        elif not disabled:
            state = "running" if self._deploys else "installed"
        return AppState(
            self.registration.name,
            self.registration.distribution,
            self.registration.version,
            state,
            () if deployment is None else tuple(sorted(spec.id for spec in deployment.specs.values())),
            "" if disabled else problem,
            deployed_version,
            workers,
            warnings,
        )

    def _get_loading_time_left(self) -> float:
        return 0.0 if self._started is None else max(0.0, self._started + LOADING_S - time.monotonic())

    def _load_and_deploy(self) -> None:
        timer = threading.Timer(LOADING_S, self._report_late_start)
        timer.daemon = True
        timer.start()
        try:
            deployment = load_and_configure_app(self.registration)
            if self._ends_without_deploying(deployment):
                timer.cancel()
                return
            now = time.time_ns() // 1_000_000
            if create_tables_of_app(self.provider, self.registration, deployment, now):
                self.on_tables_changed()
            self.on_deployed(deployment)
        except BaseException as error:
            self._deployment = None
            # The store may be available at the next call.
            self._problem, self._is_retried = format_deployment_error(error), isinstance(error, StoreUnavailable)
            logger = get_app_logger(self.registration.name)
            logger.error(
                "the system application %s of the package %s cannot be deployed: %s",
                self.registration.name,
                self.registration.distribution,
                self._problem,
                exc_info=error,
            )
        else:
            self._deployment, self._problem = deployment, ""
        timer.cancel()
        with self._lock:
            self._done.set()
        if self._is_late and self._deployment is not None:
            get_app_logger(self.registration.name).warning(
                "the system application %s has loaded late: it is running now", self.registration.name
            )

    def _ends_without_deploying(self, deployment: Deployment) -> bool:
        """Return whether the application is only loaded; a use that begins from now on starts another thread."""
        with self._lock:
            if not self._deploys:
                self._deployment, self._problem = deployment, ""
                self._done.set()
            return not self._deploys

    def _report_late_start(self) -> None:
        with self._lock:
            if self._done.is_set():
                return
            self._is_late = True
        get_app_logger(self.registration.name).error(
            "the system application %s of the package %s cannot be deployed: %s",
            self.registration.name,
            self.registration.distribution,
            _TOO_LATE.format(LOADING_S),
        )
