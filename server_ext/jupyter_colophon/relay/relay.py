"""The sinks of one process: made of the settings, in the background, each in a thread of its own."""

import logging
from collections.abc import Callable, Mapping
from typing import Any

from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.errors import InvalidConfiguration, MetadataError, StorageError
from jupyter_colophon.relay.sink_factory import create_sink, read_delivery_options
from jupyter_colophon.relay.sink_protocol import EventBus, Sink
from jupyter_colophon.relay.sink_worker import SinkWorker
from jupyter_colophon.storage.changes import sinks
from jupyter_colophon.storage.spi import TableContext
from jupyter_colophon.system.worker import Backoff, Worker

_logger = logging.getLogger("jupyter_colophon.relay")


class Relay:
    """Delivers changes to every sink that the settings name. What is wrong with one harms no other.

    Without a `bus` it is a process of its own: it delivers to sinks that servers leave alone, and to none that is a
    server's own.
    """

    def __init__(
        self, options_by_name: Mapping[str, Mapping[str, Any]], catalog: Callable[[], Catalog], bus: EventBus | None
    ) -> None:
        self._options_by_name, self._open, self._bus = options_by_name, catalog, bus
        #: Why a sink is not delivered to, by its name.
        self.problems: dict[str, str] = {}
        self._workers: list[SinkWorker] = []
        self._local: list[Sink] = []
        self._worker = Worker(
            "colophon-relay", self._begin, _logger, "the sinks", backoff=Backoff(0.5, 5.0), unavailable=(StorageError,)
        )

    def start(self) -> None:
        """Deliver from now on; the catalog is opened in the background."""
        self._worker.start()

    def close(self, patience_s: float = 5.0) -> None:
        """Deliver no more; what is under way has so long to be taken."""
        self._worker.close()
        for worker in self._workers:
            worker.stop()
        for worker in self._workers:
            worker.close(patience_s)
        for sink in self._local:
            sink.close()

    def _begin(self) -> float:
        try:
            catalog = self._open()
        except InvalidConfiguration:
            # It is reported where it is found.
            return Worker.DONE
        for name, options in self._options_by_name.items():
            try:
                self._add(catalog, name, options)
            except MetadataError as error:
                self.problems[name] = error.detail
                _logger.error("nothing goes to the sink %s: %s (c.Colophon.sinks)", name, error.detail)
                # What is written until it is set right is for it, too.
                _place(catalog, name, sinks.begin)
        return Worker.DONE

    def _add(self, catalog: Catalog, name: str, options: Mapping[str, Any]) -> None:
        how = read_delivery_options(options)
        sink = create_sink(name, options, catalog.formatter, self._bus or _nowhere, catalog.origin())
        if self._bus is None and sink.is_local:
            sink.close()
            return
        if self._bus is not None and not how.server:
            _place(catalog, name, sinks.begin)
            return
        if sink.is_local:
            self._local.append(sink)
            _place(catalog, name, sinks.forget)
            catalog.feed.listen(sink.deliver)
            return
        worker = SinkWorker(name, sink, how, catalog)
        self._workers.append(worker)
        catalog.feed.listen(lambda changes: worker.wake())
        worker.start()


def _place(catalog: Catalog, name: str, work: Callable[[TableContext, str], object]) -> None:
    try:
        catalog.provider.tx_runner.run(lambda tx: work(tx, name))
    except StorageError as error:
        _logger.warning("the place of the sink %s in the change log cannot be kept: %s", name, error.detail)


def _nowhere(schema: str, data: Mapping[str, Any]) -> None:
    """The bus of a process that has none."""
