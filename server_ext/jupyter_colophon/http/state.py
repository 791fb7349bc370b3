"""The extension's state in the server's settings: the catalog, opened on first use, and the kernel tokens."""

import getpass
import logging
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from jupyter_server.auth.identity import IdentityProvider, PasswordIdentityProvider, User

from jupyter_colophon.core.access import KERNEL_ACTIONS, Principal
from jupyter_colophon.core.errors import (
    MetadataError,
)
from jupyter_colophon.http.changes.change_hub import ChangeHub
from jupyter_colophon.http.changes.ws_ping import PingScheduler
from jupyter_colophon.http.kernels.kernel_registry import KernelRegistry
from jupyter_colophon.http.kernels.tokens import KernelTokens
from jupyter_colophon.http.query_pool import QueryPool
from jupyter_colophon.http.schemaspace_pools import SchemaspacePools
from jupyter_colophon.operations.services import Services

# The catalog's modules are loaded by the first request, to keep the start of the server fast.
if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog
    from jupyter_colophon.pipelines.scheduler.process_launcher import TokenIssuer
    from jupyter_colophon.pipelines.scheduler.scheduler import Scheduler
    from jupyter_colophon.relay.relay import SinkRelay
    from jupyter_colophon.relay.sink_protocol import EventBus
    from jupyter_colophon.service.changes.lineage_listeners import LineageListeners, ListenerState

#: The key in the server's settings.
SETTING = "colophon"
#: How many requests use the store at once. More would wait for each other's locks.
THREADS = 8
#: Providers that generate a name for users who know the server's token.
_ANONYMOUS_PROVIDERS = (IdentityProvider, PasswordIdentityProvider)
_logger = logging.getLogger("jupyter_colophon.http")


@dataclass(slots=True)
class ServerState(Services):
    """The extension's state in one server: the services, and the additional state of HTTP and kernels."""

    tokens: KernelTokens = field(default_factory=KernelTokens)
    threads: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(THREADS, thread_name_prefix="colophon")
    )
    schemaspace_pools: SchemaspacePools = field(default_factory=SchemaspacePools)
    query_pool: QueryPool = field(default_factory=QueryPool)
    #: The subscribers of the change log, and the number of connections of each user.
    change_hub: ChangeHub = field(default_factory=ChangeHub)
    ping_scheduler: PingScheduler = field(default_factory=PingScheduler)
    sockets: Counter[str] = field(default_factory=Counter)
    #: Delivers changes to sinks; None if none are configured.
    relay: "SinkRelay | None" = None
    #: Starts scheduled pipelines; None if this server runs no schedules.
    scheduler: "Scheduler | None" = None
    #: The kernels of this server, recorded for the next server.
    kernel_registry: KernelRegistry = field(init=False)
    _lineage_listeners: "LineageListeners | None" = None

    def __post_init__(self) -> None:
        self.kernel_registry = KernelRegistry(self.store)

    def _use_catalog(self, catalog: "Catalog") -> None:
        """Start the lineage listeners, and record changes made outside this server."""
        from jupyter_colophon.service.changes.lineage_listeners import LineageListeners

        self._lineage_listeners = LineageListeners(catalog.provider, catalog.feed, self.settings.lineage_listeners)
        if not self.closed:
            self._lineage_listeners.start()
            # Record external edits of instance files from now on.
            self.threads.submit(self._follow_instances)
            self.threads.submit(self._end_orphaned_runs)

    def list_lineage_listeners(self) -> "list[ListenerState]":
        """Return the states of the lineage listeners; none before the catalog is open."""
        return self._lineage_listeners.get_states() if self._lineage_listeners is not None else []

    def count_clients(self) -> Mapping[str, int | None]:
        """Return how many `kernelTokens` are valid, and how many `subscribers` follow the change log."""
        return {"kernelTokens": len(self.tokens), "subscribers": self.change_hub.count}

    def list_sink_problems(self) -> Mapping[str, str]:
        """Return why sinks of this server do not deliver, by their names."""
        return self.relay.problems if self.relay is not None else {}

    @property
    def is_scheduling(self) -> bool:
        """Whether this server starts pipelines at their times."""
        return self.scheduler is not None

    def begin_kernel(self, kernel: str, user: User, actor: str) -> str:
        """Register a starting kernel and return its new token; an earlier token is revoked."""
        try:
            self.kernel_registry.add(kernel, actor)
        except OSError as error:
            _logger.warning(
                "if this server is killed, runs of the kernel %s stay in the state running: %s", kernel, error.strerror
            )
        return self.tokens.issue(kernel, user, actor)

    def end_kernel(self, kernel: str) -> None:
        """Record, in the background, that the unfinished runs of a kernel ended with it."""
        principal = self.tokens.find_principal(kernel)
        # If the catalog was never opened, no kernel has reported a run.
        if principal is None or self._catalog is None:
            self.kernel_registry.remove(kernel)
        elif not self.closed:
            self.threads.submit(self._end_runs, kernel, principal)

    def _end_runs(self, kernel: str, principal: Principal) -> None:
        try:
            self.get_catalog().write_path.end_kernel(kernel, principal, "the kernel ended")
        except MetadataError as error:
            _logger.warning("cannot record the end of a kernel's runs: %s", error.detail)
        else:
            self.kernel_registry.remove(kernel)

    def _end_orphaned_runs(self) -> None:
        """Record the end of runs of kernels whose servers were killed."""

        def end(kernel: str, actor: str) -> None:
            principal = Principal(actor, kernel, KERNEL_ACTIONS)
            self.get_catalog().write_path.end_kernel(kernel, principal, "the kernel's server was killed")

        try:
            self.kernel_registry.reclaim_orphans(end)
        except MetadataError as error:
            _logger.warning("cannot record the end of runs of a killed server: %s", error.detail)

    def deliver(self, sinks: Mapping[str, Mapping[str, Any]], bus: "EventBus") -> None:
        """Deliver changes of all processes to these sinks from now on, without waiting for a request."""
        from jupyter_colophon.relay.relay import SinkRelay

        self.relay = SinkRelay(sinks, self.get_catalog, bus)
        self.relay.start()

    def schedule(self, token_issuer: "TokenIssuer") -> None:
        """Start scheduled pipelines, by time and by change, from now on."""
        from jupyter_colophon.pipelines.scheduler.scheduler import Scheduler

        self.scheduler = Scheduler(self.get_catalog, self.get_instances, token_issuer, self.settings.max_scheduled_runs)
        self.scheduler.start()

    def _follow_instances(self) -> None:
        # Requests for instances report the error.
        with suppress(MetadataError):
            self.get_instances()

    def close(self) -> None:
        """Close all services and threads."""
        self.closed = True
        self.change_hub.close()
        if self.scheduler is not None:
            self.scheduler.close()
        if self.relay is not None:
            self.relay.close()
        self.threads.shutdown(wait=True, cancel_futures=True)
        self.query_pool.close()
        self.schemaspace_pools.close()
        if self._lineage_listeners is not None:
            self._lineage_listeners.close()
        # super() without arguments fails in a dataclass with slots.
        Services.close(self)
        self.kernel_registry.close()


def find_actor(provider: object, user: User) -> str:
    """Return the name under which a user's changes are recorded.

    Jupyter's own providers generate a random name for holders of the server's token, so the name of the account that
    runs the server is used instead.
    """
    if type(provider) in _ANONYMOUS_PROVIDERS:
        return get_account()
    return user.username


@cache
def get_account() -> str:
    """Return the name of the account that runs the server."""
    # Cached: the lookup takes a tenth of the time of a request.
    return getpass.getuser()
