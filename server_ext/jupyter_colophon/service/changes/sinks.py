"""The state of sinks, as the store has it: for health and the doctor."""

from collections.abc import Iterable

from jupyter_colophon.core.changes.sink_status import SinkState
from jupyter_colophon.storage.changes import sinks
from jupyter_colophon.storage.spi import StorageProvider


def read_sink_states(provider: StorageProvider, names: Iterable[str]) -> list[SinkState]:
    """Return the states of these sinks. Raises StorageError."""
    return provider.tx_runner.run(
        lambda tx: [sinks.read_sink_state(tx, name) for name in sorted(names)], read_only=True
    )
