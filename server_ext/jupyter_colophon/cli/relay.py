"""`jupyter colophon relay`: delivers changes to sinks, in a process of its own, until it is stopped."""

import logging
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from jupyter_colophon.cli.checks.sink_checks import faults
from jupyter_colophon.cli.command import Command
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.core.errors import InvalidConfiguration

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog
    from jupyter_colophon.relay.kafka.proposal_consumer import Source

#: How long what is under way has to be taken, at the end, in seconds.
_PATIENCE_S: Final = 20.0


class Relay(Command):
    """Delivers to the sinks of the settings."""

    description = (
        "Deliver changes to the sinks of the settings (c.Colophon.sinks), and take proposals from Kafka"
        " (c.Colophon.kafka_proposals), until stopped by SIGTERM or Ctrl+C."
        " Of several relays and servers on one store, one delivers to a sink; another takes over."
    )

    def run(self) -> int:
        """Deliver until a signal comes."""
        source = self._look()
        ended = threading.Event()
        for which in (signal.SIGTERM, signal.SIGINT):
            signal.signal(which, lambda number, frame: ended.set())
        logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(levelname)s %(message)s", level=logging.WARNING)
        catalog = self._opened()
        try:
            with (
                _taking(catalog, source, strict=self.settings.datahub_strict),
                _delivering(catalog, self.settings.sinks),
            ):
                self._say(source)
                ended.wait()
        finally:
            catalog.close()
        return EXIT_OK

    def _look(self) -> "Source | None":
        """Where proposals come from, if from anywhere. Raises InvalidConfiguration where nothing, or not all, can be done."""
        if not self.settings.sinks and not self.settings.kafka_proposals:
            raise InvalidConfiguration(
                "there is nothing to relay: set c.Colophon.sinks or kafka_proposals (docs/kafka.md)"
            )
        for name, wrong in faults(self.settings).items():
            raise InvalidConfiguration(f"the sink {name}: {wrong} (c.Colophon.sinks)")
        if not self.settings.kafka_proposals:
            return None
        from jupyter_colophon.relay.kafka.proposal_consumer import source

        try:
            return source(self.settings.kafka_proposals)
        except InvalidConfiguration as error:
            raise InvalidConfiguration(f"proposals: {error.detail} (c.Colophon.kafka_proposals)") from None

    def _say(self, source: "Source | None") -> None:
        sinks, topic = sorted(self.settings.sinks), source.topic if source is not None else None
        words = [f"to {name}" for name in sinks] + ([f"from {topic}"] if topic else [])
        self.answer({"sinks": sinks, "proposals": topic}, f"relaying {', '.join(words)}")
        sys.stdout.flush()

    def _opened(self) -> "Catalog":
        from jupyter_colophon.composition import open_catalog

        with self.keeper():
            # It has to be there already: only a server makes one.
            pass
        asked: Any = self.settings
        return open_catalog(
            asked.store(),
            asked.identity(),
            asked.system_filter(),
            snapshots_system=asked.run_snapshots_include_system_metadata,
            retained=asked.retained(),
            always_log=asked.always_emit_change_log,
            letters_days=asked.dead_letter_retention_days,
            events=asked.events(),
            overlay=asked.overlay(),
            authorizer=asked.authorizer(),
        )


@contextmanager
def _delivering(catalog: "Catalog", sinks: Mapping[str, Mapping[str, Any]]) -> Iterator[None]:
    from jupyter_colophon.relay.relay import Relay as Relaying

    relay = Relaying(sinks, lambda: catalog, None)
    relay.start()
    try:
        yield
    finally:
        relay.close(_PATIENCE_S)


@contextmanager
def _taking(catalog: "Catalog", source: "Source | None", *, strict: bool) -> Iterator[None]:
    if source is None:
        yield
        return
    from jupyter_colophon.relay.kafka.proposal_consumer import ProposalConsumer

    consumer = ProposalConsumer(source, catalog, strict)
    consumer.start()
    try:
        yield
    finally:
        consumer.close(_PATIENCE_S)
