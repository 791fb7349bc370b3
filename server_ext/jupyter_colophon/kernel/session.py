"""What accompanies a shell: its link to the server, its record, its captures, and what there is to say."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from jupyter_colophon.client.api.current_connection import Tell, at_terminal, present
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.programs.outbox_sender import shipper_for
from jupyter_colophon.client.progress_line import Line
from jupyter_colophon.client.transport import Transport
from jupyter_colophon.kernel.messages import Notices
from jupyter_colophon.kernel.provenance import Provenance
from jupyter_colophon.kernel.recorder import Recorder
from jupyter_colophon.kernel.shutdown import at_farewell
from jupyter_colophon.kernel.spark_sessions import Captures
from jupyter_colophon.kernel.sync_status import Pending, is_done

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from jupyter_colophon.client.transport import Server
    from jupyter_colophon.kernel.settings import Settings
    from jupyter_colophon.spark.plans.observation import Observation

#: How long a `%metadata` command waits for what earlier cells did to reach the server.
SETTLE_S = 2.0

#: The part of it that Spark may take to tell what it did.
HEAR_S = 1.0

#: How long a kernel that ends waits for its last words.
FAREWELL_S = 2.0


class Companion:
    """One per shell. Without a server (`catalog` and `recorder` are None) cells run as if it were not there."""

    def __init__(self, settings: "Settings", shell: "InteractiveShell") -> None:
        self.settings = settings
        self.notices = Notices()
        self.captures = Captures(self._observe, self.notices)
        self.provenance = Provenance(self, shell)
        self.catalog: Operations | None = None
        self._server: Server | None = None
        self.recorder: Recorder | None = None
        self._shell = shell
        #: The entry of the server's inbox that is known to be done.
        self._done = ""
        self._cancel_farewell: Callable[[], None] | None = None

    def start(self) -> None:
        """Follows the shell from now on, and connects if the environment named a server. Sends nothing yet."""
        if self.settings.server is not None:
            self.connect(self.settings.server)
            # What programs said while no server answered.
            shipper_for(self.settings.server).look()
        present.follow, present.settle, present.working = self.connect, self._settled, self._working
        self.provenance.attach()
        if self.settings.capture:
            self.captures.start()
        else:
            self.captures.turn_off()
        self._cancel_farewell = at_farewell(self._shell, self._farewell)

    def stop(self) -> None:
        """Undoes `start`: tells the last things and lets go of shell and server."""
        if self._cancel_farewell is not None:
            self._cancel_farewell()
        self._change_to(None, None)
        self.captures.stop()
        self.provenance.detach()
        present.follow, present.settle, present.working = None, None, at_terminal
        present.use(None)

    def connect(self, server: "Server") -> None:
        """Uses this server from now on; what is still to be told goes to the one before."""
        # A connection of its own: a command never waits behind a report.
        told = self.settings
        recorder = Recorder(
            Operations(Transport(server)),
            told.notebook,
            told.kernel,
            self.notices,
            told.namespace,
            with_source=told.record_cell_source,
        )
        self._server = server
        self._change_to(Operations(Transport(server)), recorder)
        present.use(server)

    def settle(self, timeout_s: float = SETTLE_S, hear_s: float = HEAR_S) -> Pending:
        """Lets everything that cells and their programs did so far be known to the catalog; answers what still waits.

        Waits at most `hear_s` for Spark, which counts as one report where it has not told all by then, and `timeout_s` for all.
        """
        deadline = time.monotonic() + timeout_s
        unheard = 0 if self.captures.drain(int(hear_s * 1000)) else 1
        if self.recorder is None or self.catalog is None:
            return Pending(unheard)
        reports = unheard + self.recorder.flush(max(deadline - time.monotonic(), 0.1))
        shipper = shipper_for(self._server)
        words = shipper.flush(max(deadline - time.monotonic(), 0.1))
        entry = shipper.entry
        if entry != self._done and is_done(self.catalog, entry, deadline):
            self._done = entry
        return Pending(reports, words, entry != self._done)

    def say(self) -> None:
        """Shows what there is to say, on standard error, a line each."""
        for line in self.notices.take():
            sys.stderr.write(line + "\n")

    def _settled(self) -> None:
        """Before a function of `metadata` asks."""
        if words := str(self.settle()):
            sys.stderr.write(words + "\n")

    @contextmanager
    def _working(self) -> Iterator[Tell]:
        """A work of ours: what it reads is no news of the cell, and how far it is stands in one line that is gone at its end."""
        with Line(sys.stdout, watched=True) as line, self.captures.reads_aside():
            yield lambda what: line.show(what, 0)

    def _observe(self, observation: "Observation") -> None:
        if self.recorder is not None:
            self.recorder.observe(observation)

    def _change_to(self, catalog: Operations | None, recorder: Recorder | None) -> None:
        """What Spark did so far is the recorder's that was; what it tells while that says its last words is the new one's."""
        deadline = time.monotonic() + FAREWELL_S
        if self.recorder is not None:
            self.captures.drain()
        catalog_before, recorder_before = self.catalog, self.recorder
        self.catalog, self.recorder = catalog, recorder
        if recorder_before is not None:
            recorder_before.close(max(deadline - time.monotonic(), 0.1))
        if catalog_before is not None:
            catalog_before.close()

    def _farewell(self) -> None:
        # Whatever goes wrong here must not keep a kernel from ending.
        with suppress(Exception):
            self._change_to(None, None)
