"""The sinks of one process, created from the settings in the background, each with its own thread."""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.errors import InvalidConfiguration, MetadataError, StorageError
from jupyter_colophon.relay.sink_factory import create_sink, read_delivery_options
from jupyter_colophon.relay.sink_protocol import EventBus, Sink
from jupyter_colophon.relay.sink_worker import SinkWorker, select_changes_of_sink
from jupyter_colophon.storage.changes import sinks
from jupyter_colophon.storage.spi import TableContext
from jupyter_colophon.system.worker import Backoff, Worker

_logger = logging.getLogger("jupyter_colophon.relay")


class SinkRelay:
    """Deliver changes to every sink in the settings. An invalid sink does not affect others.

    Without a `bus` this is the process `jupyter colophon relay`: it also delivers to sinks with `server` set to False, and not
    to sinks that are local to a server.
    """

    def __init__(
        self, options_by_name: Mapping[str, Mapping[str, Any]], catalog: Callable[[], Catalog], bus: EventBus | None
    ) -> None:
        self._options_by_name, self._open, self._bus = options_by_name, catalog, bus
        #: Why sinks do not receive changes, by name.
        self.problems: dict[str, str] = {}
        self._workers: list[SinkWorker] = []
        self._local: list[Sink] = []
        self._worker = Worker(
            "colophon-relay",
            self._open_catalog_and_start_sinks,
            _logger,
            "the sinks",
            backoff=Backoff(0.5, 5.0),
            unavailable=(StorageError,),
        )

    def start(self) -> None:
        """Start delivering; the catalog is opened in the background."""
        self._worker.start()

    def close(self, timeout_s: float = 5.0) -> None:
        """Stop delivering; deliveries that have begun have this long to finish."""
        self._worker.close()
        for worker in self._workers:
            worker.stop()
        for worker in self._workers:
            worker.close(timeout_s)
        for sink in self._local:
            sink.close()

    def _open_catalog_and_start_sinks(self) -> float:
        try:
            catalog = self._open()
        except InvalidConfiguration:
            # Opening the catalog has reported it.
            return Worker.DONE
        for name, options in self._options_by_name.items():
            try:
                self._start_sink(catalog, name, options)
            except MetadataError as error:
                self.problems[name] = error.detail
                _logger.error("sink %s: not started: %s (c.Colophon.sinks)", name, error.detail)
                # Register its position, so that it receives the changes until the settings are corrected.
                _update_position(catalog, name, sinks.get_or_create_sink_state)
        return Worker.DONE

    def _start_sink(self, catalog: Catalog, name: str, options: Mapping[str, Any]) -> None:
        how = read_delivery_options(options)
        sink = create_sink(
            name, options, catalog.formatter, self._bus or _discard_event, catalog.derive_catalog_id_in_events()
        )
        if self._bus is None and sink.is_local:
            sink.close()
            return
        if self._bus is not None and not how.server:
            _update_position(catalog, name, sinks.get_or_create_sink_state)
            return
        if sink.is_local:
            self._local.append(sink)
            _update_position(catalog, name, sinks.delete_sink_state)
            catalog.feed.register_listener(lambda changes: sink.deliver(select_changes_of_sink(catalog, how, changes)))
            return
        worker = SinkWorker(name, sink, how, catalog)
        self._workers.append(worker)
        catalog.feed.register_listener(lambda changes: worker.wake())
        worker.start()


def _update_position(catalog: Catalog, name: str, work: Callable[[TableContext, str], object]) -> None:
    try:
        catalog.provider.tx_runner.run(lambda tx: work(tx, name))
    except StorageError as error:
        _logger.warning("sink %s: its position in the change log was not updated: %s", name, error.detail)


def _discard_event(schema: str, data: Mapping[str, Any]) -> None:
    """Discard an event in a process without an event bus."""
