"""`jupyter colophon relay`: deliver changes to sinks in a separate process, until stopped."""

import logging
import signal
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from jupyter_colophon.cli.command import CliCommand
from jupyter_colophon.cli.exit_status import EXIT_OK
from jupyter_colophon.cli.maintenance.sink_checks import find_sink_problems
from jupyter_colophon.core.errors import InvalidConfiguration

if TYPE_CHECKING:
    from jupyter_colophon.composition import Catalog
    from jupyter_colophon.relay.kafka.proposal_consumer import ProposalSource

#: How long deliveries in progress may take when the process is stopped, in seconds.
_CLOSE_TIMEOUT_S: Final = 20.0


class RelayCommand(CliCommand):
    """Deliver changes to the configured sinks."""

    description = (
        "Deliver changes to the configured sinks (c.Colophon.sinks) and read proposals from Kafka"
        " (c.Colophon.kafka_proposals), until stopped by SIGTERM or Ctrl+C."
        " Among several relays and servers on a store, only one delivers to a sink; if it stops, another takes over."
    )
    examples = ("", "--config=/etc/jupyter/relay_config.py")

    def run(self) -> int:
        """Deliver until a signal is received."""
        source = self._check_settings_and_read_source()
        stopped = threading.Event()
        for signal_number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(signal_number, lambda number, frame: stopped.set())
        logging.basicConfig(stream=sys.stderr, format="%(asctime)s %(levelname)s %(message)s", level=logging.WARNING)
        catalog = self._open_catalog()
        try:
            with (
                _run_consumer(catalog, source, strict=self.settings.datahub_strict),
                _run_relay(catalog, self.settings.sinks),
            ):
                self._print_started(source)
                stopped.wait()
        finally:
            catalog.close()
        return EXIT_OK

    def _check_settings_and_read_source(self) -> "ProposalSource | None":
        """Check the settings; return the source of proposals, if one is set. Raises InvalidConfiguration."""
        if not self.settings.sinks and not self.settings.kafka_proposals:
            raise InvalidConfiguration(
                "nothing to relay: set c.Colophon.sinks or c.Colophon.kafka_proposals (docs/kafka.md)"
            )
        for name, problem in find_sink_problems(self.settings).items():
            raise InvalidConfiguration(f"sink {name}: {problem} (c.Colophon.sinks)")
        if not self.settings.kafka_proposals:
            return None
        from jupyter_colophon.relay.kafka.proposal_consumer import read_proposal_source

        try:
            return read_proposal_source(self.settings.kafka_proposals)
        except InvalidConfiguration as error:
            raise InvalidConfiguration(f"proposals: {error.detail} (c.Colophon.kafka_proposals)") from None

    def _print_started(self, source: "ProposalSource | None") -> None:
        sinks, topic = sorted(self.settings.sinks), source.topic if source is not None else None
        targets = [f"to {name}" for name in sinks] + ([f"from {topic}"] if topic else [])
        self.print_result({"sinks": sinks, "proposals": topic}, f"relaying {', '.join(targets)}")
        sys.stdout.flush()

    def _open_catalog(self) -> "Catalog":
        from jupyter_colophon.composition import open_or_create_catalog

        with self.open_maintenance():
            # The catalog must exist: only a server creates it.
            pass
        settings: Any = self.settings
        return open_or_create_catalog(
            settings.choose_store(),
            settings.build_identity(),
            settings.build_system_filter(),
            snapshot_system_metadata=settings.run_snapshots_include_system_metadata,
            retention=settings.build_retention(),
            always_log=settings.always_emit_change_log,
            letters_days=settings.dead_letter_retention_days,
            events=settings.get_event_folder(),
            registry_extension=settings.get_registry_extension(),
            authorizer=settings.load_authorizer(),
        )


@contextmanager
def _run_relay(catalog: "Catalog", sinks: Mapping[str, Mapping[str, Any]]) -> Iterator[None]:
    from jupyter_colophon.relay.relay import SinkRelay as Relaying

    relay = Relaying(sinks, lambda: catalog, None)
    relay.start()
    try:
        yield
    finally:
        relay.close(_CLOSE_TIMEOUT_S)


@contextmanager
def _run_consumer(catalog: "Catalog", source: "ProposalSource | None", *, strict: bool) -> Iterator[None]:
    if source is None:
        yield
        return
    from jupyter_colophon.relay.kafka.proposal_consumer import ProposalConsumer

    consumer = ProposalConsumer(source, catalog, strict)
    consumer.start()
    try:
        yield
    finally:
        consumer.close(_CLOSE_TIMEOUT_S)
