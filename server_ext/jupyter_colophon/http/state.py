"""What every handler reaches through the server's settings: the catalog, opened late, and the kernels' tokens."""

import getpass
import logging
import threading
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
    AccessDenied,
    InvalidConfiguration,
    InvalidField,
    MetadataError,
    Problem,
    StoreUnavailable,
)
from jupyter_colophon.core.identity.names import Identity
from jupyter_colophon.core.store import StoreChoice
from jupyter_colophon.http.changes.change_hub import Board
from jupyter_colophon.http.changes.ws_ping import Pulse
from jupyter_colophon.http.kernels.kernel_registry import KernelRegistry
from jupyter_colophon.http.kernels.tokens import KernelTokens
from jupyter_colophon.http.question_pool import QuestionPool
from jupyter_colophon.http.request_schemas import ApiSchemas
from jupyter_colophon.http.schemaspace_pools import Crews
from jupyter_colophon.settings import Settings

# The catalog's modules are loaded with the first request: nobody should wait for them at the start of a server.
if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog
    from jupyter_colophon.pipelines.scheduler.process_launcher import Signed
    from jupyter_colophon.pipelines.scheduler.scheduler import Scheduler
    from jupyter_colophon.relay.relay import Relay
    from jupyter_colophon.relay.sink_protocol import Bus
    from jupyter_colophon.service.changes.lineage_listeners import Consumers, ConsumerState
    from jupyter_colophon.service.instances.instances import Instances
    from jupyter_colophon.service.schemaspaces.spaces import Spaces
    from jupyter_colophon.service.schemaspaces.stored_schemas import WrittenSchemas

#: The key in the server's settings.
SETTING = "colophon"
#: How many requests work on the store at once. More would wait for each other's locks.
THREADS = 8
#: Providers that make up a name for whoever knows the server's token.
_ANONYMOUS_PROVIDERS = (IdentityProvider, PasswordIdentityProvider)
_logger = logging.getLogger("jupyter_colophon.http")


@dataclass(slots=True)
class Door:
    """The extension's state in one server."""

    settings: Settings
    store: StoreChoice
    identity: Identity
    max_body_bytes: int
    version: str
    #: Why the settings cannot be used; empty where they can.
    wrong: str = ""
    #: Whether `/elyra/…` is served.
    elyra_api: bool = False
    tokens: KernelTokens = field(default_factory=KernelTokens)
    schemas: ApiSchemas = field(default_factory=ApiSchemas)
    threads: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(THREADS, thread_name_prefix="colophon")
    )
    crews: Crews = field(default_factory=Crews)
    questions: QuestionPool = field(default_factory=QuestionPool)
    #: Who follows the change log, and over how many connections each user does.
    board: Board = field(default_factory=Board)
    pulse: Pulse = field(default_factory=Pulse)
    sockets: Counter[str] = field(default_factory=Counter)
    #: What delivers changes to sinks; None where the settings name none.
    relay: "Relay | None" = None
    #: What starts pipelines by themselves; None where the settings have this server start none.
    scheduler: "Scheduler | None" = None
    closed: bool = False
    #: Which kernels this server has, for the server after it.
    kernel_registry: KernelRegistry = field(init=False)
    _catalog: "Catalog | None" = None
    _consumers: "Consumers | None" = None
    _registry_faults: tuple[Problem, ...] | None = None
    _opening: threading.Lock = field(default_factory=threading.Lock)
    _instances: "Instances | None" = None
    _composing: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.kernel_registry = KernelRegistry(self.store)

    def catalog(self) -> "Catalog":
        """The catalog; the first call opens it, on the thread of its request. Raises StorageError."""
        with self._opening:
            if self.wrong:
                raise InvalidConfiguration(self.wrong)
            if self._catalog is None:
                self._catalog = self._opened()
                self._catalog.namespaces.remove_beside = self._remove_instances
                self._consumers = self._consuming(self._catalog)
                # What others did to the files of instances is recorded from now on, whoever asks for it.
                if not self.closed:
                    self.threads.submit(self._follow_instances)
                    self.threads.submit(self._end_left)
            return self._catalog

    def _opened(self) -> "Catalog":
        from jupyter_colophon.composition import open_catalog

        try:
            return open_catalog(
                self.store,
                self.identity,
                self.settings.system_filter(),
                snapshots_system=self.settings.run_snapshots_include_system_metadata,
                retained=self.settings.retained(),
                always_log=self.settings.always_emit_change_log,
                letters_days=self.settings.dead_letter_retention_days,
                events=self.settings.events(),
                overlay=self.settings.overlay(),
                authorizer=self.settings.authorizer(),
                audit=self.settings.audit(),
            )
        except InvalidField as error:
            # It is not the request that names a field which there is not, but the settings: they stay until a restart.
            self.wrong = error.detail
            _logger.error("serves no catalog: %s (c.Colophon.storage_provider, storage_options)", error.detail)
            raise InvalidConfiguration(self.wrong) from error

    def _consuming(self, catalog: "Catalog") -> "Consumers":
        from jupyter_colophon.service.changes.lineage_listeners import Consumers

        consumers = Consumers(catalog.provider, catalog.feed, self.settings.lineage_listeners)
        if not self.closed:
            consumers.start()
        return consumers

    def registry_faults(self) -> tuple[Problem, ...]:
        """Return what is wrong with the entity-registry.yml. It is read once: a changed file counts after a restart."""
        if self._registry_faults is None:
            from jupyter_colophon.service.registry_files import load_overlay

            file = self.settings.overlay()
            self._registry_faults = () if file is None else tuple(load_overlay(file).faults)
        return self._registry_faults

    def consumers(self) -> "list[ConsumerState]":
        """How the consumers of lineage do; none before the catalog is open."""
        return self._consumers.states() if self._consumers is not None else []

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

    def deliver(self, told: Mapping[str, Mapping[str, Any]], bus: "Bus") -> None:
        """Deliver changes to these sinks from now on: what other processes write, too, before anybody asks us."""
        from jupyter_colophon.relay.relay import Relay

        self.relay = Relay(told, self.catalog, bus)
        self.relay.start()

    def schedule(self, signed: "Signed") -> None:
        """Start pipelines at their times and by changes from now on."""
        from jupyter_colophon.pipelines.scheduler.scheduler import Scheduler

        self.scheduler = Scheduler(self.catalog, self.instances, signed, self.settings.max_scheduled_runs)
        self.scheduler.start()

    def spaces(self) -> "Spaces":
        """The schemaspaces; the first question loads them, on the thread of its request."""
        from jupyter_colophon.schemaspaces.schema import SchemaManager

        # Before anything is loaded.
        SchemaManager.allow(self.settings.schemaspace_packages)
        found: Spaces = SchemaManager.instance().spaces
        return found

    def stored_schemas(self) -> "WrittenSchemas":
        """The schemas that are stored here. Raises AccessDenied where the settings do not let them be changed."""
        from jupyter_colophon.schemaspaces.shipped.stored_schemas import stored

        if not self.settings.allow_schema_writes:
            raise AccessDenied("store", "schemas: the setting c.Colophon.allow_schema_writes is off")
        return stored()

    def instances(self) -> "Instances":
        """The instances of schemaspaces, also while the catalog is away. Raises InvalidConfiguration."""
        with self._composing:
            if self.wrong:
                raise InvalidConfiguration(self.wrong)
            if self.closed:
                raise StoreUnavailable("the server is stopping")
            if self._instances is None:
                from jupyter_colophon.schemaspaces.instances import serve

                self._instances = serve(self.settings, self.catalog)
            return self._instances

    def _remove_instances(self, namespace: str, principal: "Principal") -> None:
        self.instances().clear_namespace(namespace, principal)

    def _follow_instances(self) -> None:
        # A request that asks for instances is told what is wrong.
        with suppress(MetadataError):
            self.instances()

    def close(self) -> None:
        """Let go of everything."""
        self.closed = True
        self.board.close()
        if self.scheduler is not None:
            self.scheduler.close()
        if self.relay is not None:
            self.relay.close()
        self.threads.shutdown(wait=True, cancel_futures=True)
        self.questions.close()
        self.crews.close()
        with self._composing:
            if self._instances is not None:
                self._instances.close()
                self._instances = None
        with self._opening:
            if self._consumers is not None:
                self._consumers.close()
            if self._catalog is not None:
                self._catalog.close()
                self._catalog = None
        self.kernel_registry.close()


def require_admin(door: Door, principal: Principal, action: str, subject: str) -> None:
    """Raise AccessDenied for who may not change what all share, InvalidConfiguration where nobody can say who may."""
    if not door.settings.authorizer().may(principal, "admin", ""):
        raise AccessDenied(action, subject)


def actor(provider: object, user: User) -> str:
    """The name under which a user's changes are kept.

    Jupyter's own providers invent a name for whoever holds the server's token; it means nothing the day after,
    so there the name is that of the account which runs the server.
    """
    if type(provider) in _ANONYMOUS_PROVIDERS:
        return _account()
    return user.username


@cache
def _account() -> str:
    # Looking it up anew for each request costs a tenth of answering one.
    return getpass.getuser()
