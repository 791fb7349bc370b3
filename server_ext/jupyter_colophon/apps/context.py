"""What a handler may use."""

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from jupyter_colophon.apps.admin import SystemAdmin
from jupyter_colophon.apps.files.app_files import AppFiles
from jupyter_colophon.apps.tables import AppTables
from jupyter_colophon.apps.topics import FetchedMessages, TopicReader
from jupyter_colophon.apps.transactions import AppTransactions
from jupyter_colophon.core.access import Principal
from jupyter_colophon.storage.app_files.folder import AppFileFolder

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
    _file_folder: AppFileFolder | None = None

    @property
    def namespace(self) -> str:
        """Return the namespace that the path names by `{context}`; empty if it names none."""
        return self._transactions.context

    @property
    def files(self) -> AppFiles:
        """Return the files of the application in the namespace of the call. They are stored in the caller's name."""
        return AppFiles(self._transactions, self.principal, self._file_folder)

    def execute(self, work: Callable[[AppTables], T], *, read_only: bool = False) -> T:
        """Run a callable in one serializable transaction over the tables of the application, and return its result.

        It may be called several times, on another thread, so it must use nothing but tables, and not wait for anything.
        An exception rolls back and is raised unchanged. Raises NotFound if the namespace of the call no longer exists,
        TransactionTimeout for a callable that takes more than five seconds, and StorageError for failures of the store.
        """
        return self._transactions.run(work, read_only=read_only)

    def fetch(
        self, topic: str, after: int | None = None, limit: int = 100, *, namespace: str | None = None
    ) -> FetchedMessages:
        """Return the messages of a topic after a number, oldest first, that the principal of `admin` may read.

        `admin.list_topics()` lists the topics. Without a number, returns no message, and the number to begin after. By
        default, the messages are those of the namespace of the call; the namespace "" is all.

        Raises NotFound for an unknown topic, InvalidQuery for a limit that is not from 1 to 1,000, and LogCompacted if
        changes after the number are no longer kept.
        """
        of = self.namespace if namespace is None else namespace
        return self._topics.read_messages(topic, after, limit, of, self.admin.principal)

    def run_as(self, principal: Principal) -> "ServiceContext":
        """Return a context that acts for a principal, such as the caller: its `admin` has the rights of that principal."""
        return replace(self, principal=principal, admin=replace(self.admin, principal=principal))

    def get_remaining_seconds(self) -> float:
        """Return the time that is left before the time limit of the route."""
        return max(0.0, self._transactions.deadline - time.monotonic())
