"""What background work of an application uses of its process."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jupyter_colophon.apps.context import ServiceContext
from jupyter_colophon.apps.deployment import Deployment
from jupyter_colophon.apps.transactions import AppTransactions
from jupyter_colophon.core.entities.change import Change
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.storage.spi import StorageProvider


@dataclass(frozen=True, slots=True)
class BackgroundHost:
    """The store, and how a context is created for a deployed application."""

    app: str
    provider: StorageProvider
    registry: Registry
    deployment: Deployment
    create_context: Callable[[AppTransactions], ServiceContext]
    #: Whether the application is enabled now; raises StorageError.
    is_enabled: Callable[[], bool]
    remove_confidential_values: Callable[[Sequence[Change]], Sequence[Change]]


def read_time_ms() -> int:
    """Return the present time in milliseconds since 1970, UTC."""
    return time.time_ns() // 1_000_000
