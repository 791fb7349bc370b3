"""What a handler may use."""

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from jupyter_colophon.apps.admin import SystemAdmin
from jupyter_colophon.apps.app_log import get_app_logger
from jupyter_colophon.apps.files.app_files import AppFiles
from jupyter_colophon.apps.jobs import JOB_S, AppJobs, JobName
from jupyter_colophon.apps.plugins.call_plugins import CallPlugins, RequestedPlugin
from jupyter_colophon.apps.plugins.plugin_details import PluginDetails
from jupyter_colophon.apps.plugins.plugin_instance import PluginInstance
from jupyter_colophon.apps.tables import AppTables
from jupyter_colophon.apps.topics import FetchedMessages, TopicReader
from jupyter_colophon.apps.transactions import AppTransactions
from jupyter_colophon.core.access import Principal
from jupyter_colophon.storage.app_files.folder import AppFileFolder
from jupyter_colophon.system.limited_process import ProcessLimits

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ServiceContext:
    """The context of one call of a handler."""

    #: The caller.
    principal: Principal
    #: Reads the catalog with the rights of the platform.
    admin: SystemAdmin
    _transactions: AppTransactions
    _topics: TopicReader
    _jobs: AppJobs
    #: The folders with data that the setting `app_data_folders` permits applications to read and write.
    data_folders: Sequence[str] = ()
    _file_folder: AppFileFolder | None = None
    _plugins: CallPlugins = field(default_factory=CallPlugins)
    #: Returns the Spark session of this process; None for services without Spark.
    _start_spark: Callable[[], Any] | None = None

    @property
    def spark(self) -> Any:
        """Return the Spark session of this worker process, which the first use starts.

        Raises RuntimeError unless the service is of the kind `spark`, and ValueError if no session can be started.
        """
        if self._start_spark is None:
            msg = 'only handlers of a service of the kind "spark" have a Spark session'
            raise RuntimeError(msg)
        return self._start_spark()

    @property
    def namespace(self) -> str:
        """Return the namespace that the path names by `{context}`, or that of the event; empty if there is none."""
        return self._transactions.context

    @property
    def logger(self) -> logging.Logger:
        """Return the logger of the application, whose records `jupyter colophon apps logs` shows, from INFO on."""
        return get_app_logger(self._transactions.app)

    @property
    def files(self) -> AppFiles:
        """Return the files of the application in the namespace of the call. They are stored in the caller's name."""
        return AppFiles(self._transactions, self.principal, self._file_folder)

    def execute(self, work: Callable[[AppTables], T], *, read_only: bool = False) -> T:
        """Run a callable in one serializable transaction over the tables of the application, and return its result.

        It may be called several times, on another thread, so it must use nothing but tables, and not wait for anything.
        An exception rolls back and is raised unchanged. Raises NotFound if the namespace of the call no longer exists, or
        was created again since the call used it first,
        TransactionTimeout for a callable that takes more than five seconds, StorageError for failures of the store, and
        TransactionMisused inside another callable.
        """
        return self._transactions.run(work, read_only=read_only)

    def fetch(
        self, topic: str, after: int | None = None, limit: int = 100, *, namespace: str | None = None
    ) -> FetchedMessages:
        """Return the messages of a topic after a number, oldest first, that the principal of `admin` may read.

        `admin.list_topics()` lists the topics. Without a number, returns no message, and the number to begin after. By
        default, the messages are those of the namespace of the call; the namespace "" is all.

        Raises InvalidQuery for an unknown topic or a limit that is not from 1 to 1,000, NotFound for a name that no
        namespace can have, and LogCompacted if changes after the number are no longer kept.
        """
        of = self.namespace if namespace is None else namespace
        return self._topics.read_messages(topic, after, limit, of, self.admin.principal)

    def instantiate_plugin(
        self,
        namespace: str,
        plugin: str | PluginDetails,
        properties: Mapping[str, Any],
        limits: ProcessLimits | None = None,
    ) -> PluginInstance:
        """Return a plugin of a namespace (`admin.list_plugins`), whose code runs in a process of its own.

        `plugin` is its name: `artifact/plugin`, or `artifact/version/plugin`. The process has no credentials, and ends
        with this call. Raises NotFound, and BadRequest for properties that do not match the schema of the plugin.
        """
        return self.instantiate_plugins(namespace, [(plugin, properties)], limits)[0]

    def instantiate_plugins(
        self,
        namespace: str,
        plugins: Sequence[tuple[str | PluginDetails, Mapping[str, Any]]],
        limits: ProcessLimits | None = None,
    ) -> list[PluginInstance]:
        """Return several plugins of a namespace, each with its properties, which share one process and its limits.

        If a call ends the process, the next one starts another, in which each plugin is created again. Raises as
        `instantiate_plugin`.
        """
        named = [(plugin if isinstance(plugin, str) else plugin.name, properties) for plugin, properties in plugins]
        found = {name: self.admin.read_plugin_with_content(namespace, name) for name, _ in named}
        requested = [RequestedPlugin(*found[name], properties) for name, properties in named]
        return self._plugins.create_instances(requested, limits or ProcessLimits(), self._transactions.deadline)

    def close_plugins(self) -> None:
        """End the processes of plugins. Called at the end of the call."""
        self._plugins.close()

    def start_job(self, name: str, work: Callable[["ServiceContext"], None]) -> None:
        """Run `work(context)` in this process after the call, for at most a day, in the caller's name.

        The context has the namespace of the call. What `work` raises is logged. If the process ends, the job ends too:
        record its state in a table, and compare it with `is_job_running`. In a worker process of a service with Spark,
        it may use `context.spark`.

        Raises AlreadyExists if a job of this name runs in the namespace, and SystemAppUnavailable if too many wait.
        """
        transactions = replace(self._transactions, timeout_s=JOB_S, deadline=time.monotonic() + JOB_S)
        context = replace(self, _transactions=transactions, _plugins=CallPlugins())

        def run() -> None:
            try:
                work(context)
            finally:
                context.close_plugins()

        self._jobs.start_job(self._get_job_name(name), run)

    def is_job_running(self, name: str) -> bool:
        """Return whether a job runs or waits in any process. Up to 30 s after its process was killed, it seems to."""
        return self._jobs.is_job_running(self._get_job_name(name))

    def _get_job_name(self, name: str) -> JobName:
        return JobName(self._transactions.app, self.namespace, name)

    def in_namespace(self, name: str) -> "ServiceContext":
        """Return the context of the same call in another namespace. Its `execute` and `files` raise NotFound without it."""
        return replace(self, _transactions=self._transactions.in_namespace(name))

    def run_as(self, principal: Principal) -> "ServiceContext":
        """Return a context that acts for a principal, such as the caller: its `admin` has the rights of that principal."""
        return replace(self, principal=principal, admin=replace(self.admin, principal=principal))

    def get_remaining_seconds(self) -> float:
        """Return the time that is left before the time limit of the route."""
        return max(0.0, self._transactions.deadline - time.monotonic())
