"""The sinks of one process: made of the settings, in the background, each in a thread of its own."""

import logging
import threading
from collections.abc import Callable, Mapping
from typing import Any, Final

from jupyter_colophon.core.errors import MetadataError, Misconfigured, StorageError
from jupyter_colophon.relay.courier import Courier
from jupyter_colophon.relay.loading import handling, made
from jupyter_colophon.relay.seam import Bus, Sink
from jupyter_colophon.storage import sinks
from jupyter_colophon.storage.spi import TableContext
from jupyter_colophon.wiring import Catalog

#: How long a store that is away is waited for before it is tried again, in seconds.
_PAUSE_S: Final = 5.0
_logger = logging.getLogger("jupyter_colophon.relay")


class Relay:
    """Delivers changes to every sink that the settings name. What is wrong with one harms no other.

    Without a `bus` it is a process of its own: it delivers to sinks that servers leave alone, and to none that is a
    server's own.
    """

    def __init__(self, told: Mapping[str, Mapping[str, Any]], catalog: Callable[[], Catalog], bus: Bus | None) -> None:
        self._told, self._open, self._bus = told, catalog, bus
        #: Why a sink is not delivered to, by its name.
        self.problems: dict[str, str] = {}
        self._couriers: list[Courier] = []
        self._local: list[Sink] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._begin, name="colophon-relay", daemon=True)

    def start(self) -> None:
        """Deliver from now on; the catalog is opened in the background."""
        self._thread.start()

    def close(self, patience_s: float = 5.0) -> None:
        """Deliver no more; what is under way has so long to be taken."""
        self._ended.set()
        self._thread.join(timeout=5)
        for courier in self._couriers:
            courier.end()
        for courier in self._couriers:
            courier.close(patience_s)
        for sink in self._local:
            sink.close()

    def _begin(self) -> None:
        catalog = opened(self._open, self._ended, "the sinks")
        if catalog is None:
            return
        for name, options in self._told.items():
            try:
                self._add(catalog, name, options)
            except MetadataError as error:
                self.problems[name] = error.detail
                _logger.error("nothing goes to the sink %s: %s (c.Colophon.sinks)", name, error.detail)
                # What is written until it is set right is for it, too.
                _place(catalog, name, sinks.begin)

    def _add(self, catalog: Catalog, name: str, options: Mapping[str, Any]) -> None:
        how = handling(options)
        sink = made(name, options, catalog.announcer, self._bus or _nowhere, catalog.origin())
        if self._bus is None and sink.local:
            sink.close()
            return
        if self._bus is not None and not how.server:
            _place(catalog, name, sinks.begin)
            return
        if sink.local:
            self._local.append(sink)
            _place(catalog, name, sinks.forget)
            catalog.feed.listen(sink.deliver)
            return
        courier = Courier(name, sink, how, catalog)
        self._couriers.append(courier)
        catalog.feed.listen(lambda changes: courier.wake())
        courier.start()


def opened(catalog: Callable[[], Catalog], ended: threading.Event, who: str) -> Catalog | None:
    """The catalog, when it can be opened; None where it never can, or we are ended before."""
    while not ended.is_set():
        try:
            return catalog()
        except Misconfigured:
            # It is told where it is found out.
            return None
        except StorageError as error:
            _logger.warning("%s wait for the store: %s", who, error.detail)
            ended.wait(_PAUSE_S)
    return None


def _place(catalog: Catalog, name: str, work: Callable[[TableContext, str], None]) -> None:
    try:
        catalog.provider.tx_runner.run(lambda tx: work(tx, name))
    except StorageError as error:
        _logger.warning("the place of the sink %s in the change log cannot be kept: %s", name, error.detail)


def _nowhere(schema: str, data: Mapping[str, Any]) -> None:
    """The bus of a process that has none."""
