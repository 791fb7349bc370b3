"""What every handler reaches through the server's settings: the catalog, opened late, and the kernels' tokens."""

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
from jupyter_colophon.http.changes.change_hub import Board
from jupyter_colophon.http.changes.ws_ping import Pulse
from jupyter_colophon.http.kernels.kernel_registry import KernelRegistry
from jupyter_colophon.http.kernels.tokens import KernelTokens
from jupyter_colophon.http.query_pool import QueryPool
from jupyter_colophon.http.schemaspace_pools import SchemaspacePools
from jupyter_colophon.operations.services import Services

# The catalog's modules are loaded with the first request: nobody should wait for them at the start of a server.
if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog
    from jupyter_colophon.pipelines.scheduler.process_launcher import Signed
    from jupyter_colophon.pipelines.scheduler.scheduler import Scheduler
    from jupyter_colophon.relay.relay import Relay
    from jupyter_colophon.relay.sink_protocol import EventBus
    from jupyter_colophon.service.changes.lineage_listeners import LineageListeners, ListenerState

#: The key in the server's settings.
SETTING = "colophon"
#: How many requests work on the store at once. More would wait for each other's locks.
THREADS = 8
#: Providers that make up a name for whoever knows the server's token.
_ANONYMOUS_PROVIDERS = (IdentityProvider, PasswordIdentityProvider)
_logger = logging.getLogger("jupyter_colophon.http")


@dataclass(slots=True)
class ServerState(Services):
    """The extension's state in one server: the services, and what HTTP and kernels need beside them."""

    tokens: KernelTokens = field(default_factory=KernelTokens)
    threads: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(THREADS, thread_name_prefix="colophon")
    )
    schemaspace_pools: SchemaspacePools = field(default_factory=SchemaspacePools)
    query_pool: QueryPool = field(default_factory=QueryPool)
    #: Who follows the change log, and over how many connections each user does.
    board: Board = field(default_factory=Board)
    pulse: Pulse = field(default_factory=Pulse)
    sockets: Counter[str] = field(default_factory=Counter)
    #: What delivers changes to sinks; None where the settings name none.
    relay: "Relay | None" = None
    #: What starts pipelines by themselves; None where the settings have this server start none.
    scheduler: "Scheduler | None" = None
    #: Which kernels this server has, for the server after it.
    kernel_registry: KernelRegistry = field(init=False)
    _lineage_listeners: "LineageListeners | None" = None

    def __post_init__(self) -> None:
        self.kernel_registry = KernelRegistry(self.store)

    def _use_catalog(self, catalog: "Catalog") -> None:
        """Start the lineage listeners, and what records changes that others made."""
        from jupyter_colophon.service.changes.lineage_listeners import LineageListeners

        self._lineage_listeners = LineageListeners(catalog.provider, catalog.feed, self.settings.lineage_listeners)
        if not self.closed:
            self._lineage_listeners.start()
            # What others did to the files of instances is recorded from now on, whoever reads them.
            self.threads.submit(self._follow_instances)
            self.threads.submit(self._end_left)

    def lineage_listeners(self) -> "list[ListenerState]":
        """Return the states of the lineage listeners; none before the catalog is open."""
        return self._lineage_listeners.states() if self._lineage_listeners is not None else []

    def counts(self) -> Mapping[str, int | None]:
        """Return how many `kernelTokens` are valid, and how many `subscribers` follow the change log."""
        return {"kernelTokens": len(self.tokens), "subscribers": self.board.count}

    def sink_problems(self) -> Mapping[str, str]:
        """Return why sinks of this server do not deliver, by their names."""
        return self.relay.problems if self.relay is not None else {}

    @property
    def is_scheduling(self) -> bool:
        """Whether this server starts pipelines at their times."""
        return self.scheduler is not None

    def begin_kernel(self, kernel: str, user: User, actor: str) -> str:
        """A kernel is about to be: its token, the one that it had before is no longer good."""
        try:
            self.kernel_registry.add(kernel, actor)
        except OSError as error:
            _logger.warning(
                "if this server is killed, runs of the kernel %s go on for ever: %s", kernel, error.strerror
            )
        return self.tokens.issue(kernel, user, actor)

    def end_kernel(self, kernel: str) -> None:
        """A kernel is gone, in whatever way: nobody else can tell how the runs ended that it left. Waits for nothing."""
        principal = self.tokens.principal_of(kernel)
        # Where the catalog was never opened, no kernel has told us anything.
        if principal is None or self._catalog is None:
            self.kernel_registry.remove(kernel)
        elif not self.closed:
            self.threads.submit(self._end_runs, kernel, principal)

    def _end_runs(self, kernel: str, principal: Principal) -> None:
        try:
            self.catalog().write_path.end_kernel(kernel, principal, "the kernel ended")
        except MetadataError as error:
            _logger.warning("cannot record that the runs of a kernel ended: %s", error.detail)
        else:
            self.kernel_registry.remove(kernel)

    def _end_left(self) -> None:
        """Record that runs of kernels ended whose servers were killed."""

        def end(kernel: str, actor: str) -> None:
            principal = Principal(actor, kernel, KERNEL_ACTIONS)
            self.catalog().write_path.end_kernel(kernel, principal, "the kernel's server ended without a word")

        try:
            self.kernel_registry.reclaim_orphans(end)
        except MetadataError as error:
            _logger.warning("cannot record that runs of a server which was killed ended: %s", error.detail)

    def deliver(self, told: Mapping[str, Mapping[str, Any]], bus: "EventBus") -> None:
        """Deliver changes to these sinks from now on: what other processes write, too, before anybody asks us."""
        from jupyter_colophon.relay.relay import Relay

        self.relay = Relay(told, self.catalog, bus)
        self.relay.start()

    def schedule(self, signed: "Signed") -> None:
        """Start pipelines at their times and by changes from now on."""
        from jupyter_colophon.pipelines.scheduler.scheduler import Scheduler

        self.scheduler = Scheduler(self.catalog, self.instances, signed, self.settings.max_scheduled_runs)
        self.scheduler.start()

    def _follow_instances(self) -> None:
        # A request that asks for instances is told what is wrong.
        with suppress(MetadataError):
            self.instances()

    def close(self) -> None:
        """Close everything."""
        self.closed = True
        self.board.close()
        if self.scheduler is not None:
            self.scheduler.close()
        if self.relay is not None:
            self.relay.close()
        self.threads.shutdown(wait=True, cancel_futures=True)
        self.query_pool.close()
        self.schemaspace_pools.close()
        if self._lineage_listeners is not None:
            self._lineage_listeners.close()
        # No super() without arguments: a dataclass with slots is made twice.
        Services.close(self)
        self.kernel_registry.close()


def actor(provider: object, user: User) -> str:
    """The name under which a user's changes are kept.

    Jupyter's own providers invent a name for whoever holds the server's token; it means nothing the day after,
    so there the name is that of the account which runs the server.
    """
    if type(provider) in _ANONYMOUS_PROVIDERS:
        return account()
    return user.username


@cache
def account() -> str:
    """Return the name of the account that runs the server."""
    # To look it up for each request costs a tenth of answering one.
    return getpass.getuser()
