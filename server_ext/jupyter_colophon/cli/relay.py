"""`jupyter colophon relay`: delivers changes to sinks, in a process of its own, until it is told to stop."""

import logging
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any, Final

from jupyter_colophon.cli.command import FINE, Command
from jupyter_colophon.cli.sink_checks import faults
from jupyter_colophon.core.errors import Misconfigured

if TYPE_CHECKING:
    from jupyter_colophon.relay.relay import Relay as Relaying
    from jupyter_colophon.wiring import Catalog

#: How long what is under way has to be taken, at the end, in seconds.
_PATIENCE_S: Final = 20.0


class Relay(Command):
    """Delivers to the sinks of the settings."""

    name = "jupyter-colophon-relay"
    description = (
        "Deliver changes to the sinks of the settings (c.Colophon.sinks) until stopped by SIGTERM or Ctrl+C."
        " Of several relays and servers on one store, one delivers to a sink; another takes over."
    )

    def work(self) -> int:
        """Deliver until a signal comes."""
        self._look()
        ended = threading.Event()
        for which in (signal.SIGTERM, signal.SIGINT):
            signal.signal(which, lambda number, frame: ended.set())
        logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(levelname)s %(message)s", level=logging.WARNING)
        catalog = self._opened()
        try:
            relay = self._begun(catalog)
            self.answer({"sinks": sorted(self.asked.sinks)}, f"relaying to {', '.join(sorted(self.asked.sinks))}")
            sys.stdout.flush()
            ended.wait()
            relay.close(_PATIENCE_S)
        finally:
            catalog.close()
        return FINE

    def _look(self) -> None:
        """Raise Misconfigured where there is nothing to do, or it cannot be done."""
        if not self.asked.sinks:
            raise Misconfigured("there is nothing to deliver to: set c.Colophon.sinks (docs/kafka.md)")
        for name, wrong in faults(self.asked).items():
            raise Misconfigured(f"the sink {name}: {wrong} (c.Colophon.sinks)")

    def _opened(self) -> "Catalog":
        from jupyter_colophon.wiring import open_catalog

        with self.keeper():
            # It has to be there already: only a server makes one.
            pass
        asked: Any = self.asked
        return open_catalog(
            asked.store(),
            asked.identity(),
            asked.system_filter(),
            snapshots_system=asked.snapshot_system_metadata,
            events=asked.events(),
        )

    def _begun(self, catalog: "Catalog") -> "Relaying":
        from jupyter_colophon.relay.relay import Relay as Relaying

        relay = Relaying(self.asked.sinks, lambda: catalog, None)
        relay.start()
        return relay
