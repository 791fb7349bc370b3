"""The magics `%metadata` and `%%metadata`."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class
from IPython.display import display

from jupyter_colophon.client.problems import ClientError, Refused, ServerAway
from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.kernel.arguments import parse_cell, parse_line
from jupyter_colophon.kernel.body import run_body
from jupyter_colophon.kernel.cells import now_ms
from jupyter_colophon.kernel.commands import NoServer, catalog_of, run_command
from jupyter_colophon.kernel.counts import counted
from jupyter_colophon.kernel.display.blocks import Line
from jupyter_colophon.kernel.display.page import Page
from jupyter_colophon.kernel.edits import BUSINESS, with_words
from jupyter_colophon.kernel.synopsis import SYNOPSIS
from jupyter_colophon.kernel.urns import shown

if TYPE_CHECKING:
    from argparse import Namespace

    from IPython.core.interactiveshell import InteractiveShell

    from jupyter_colophon.kernel.companion import Companion

#: Commands that need nothing of what cells did.
_AT_ONCE = {"help", "connect", "health", "status"}


#: A cell with `%%metadata` waits longer: what is not known to be written gets no tag.
BODY_S = 5.0


@magics_class
class MetadataMagics(Magics):
    """Both magics of one shell."""

    def __init__(self, shell: "InteractiveShell", companion: "Companion") -> None:
        super().__init__(shell)
        self._shell = shell
        self._companion = companion

    @line_cell_magic
    def metadata(self, line: str, cell: str | None = None) -> None:
        """Replaced below: the help of the magic is its synopsis."""
        __tracebackhide__ = True
        if cell is not None:
            self._run_cell(parse_cell(line), cell)
            return
        asked = parse_line(line)
        waiting = 0 if asked.command in _AT_ONCE else self._companion.settle()
        _show(_spoken(lambda: run_command(self._companion, asked)))
        self._mention(waiting)

    metadata.__doc__ = SYNOPSIS

    def _run_cell(self, asked: "Namespace", body: str) -> None:
        """Runs the body, then puts tags and properties on what it wrote. A body that fails leaves nothing of them."""
        __tracebackhide__ = True
        since_ms = now_ms()
        run_body(self._shell, body)
        waiting = self._companion.settle(BODY_S, BODY_S)
        _show(_spoken(lambda: self._describe(asked, since_ms)))
        self._mention(waiting)

    def _describe(self, asked: "Namespace", since_ms: int) -> Page:
        catalog = catalog_of(self._companion)
        recorder, execution = self._companion.recorder, self._companion.provenance.current
        written = recorder.written_by(execution, since_ms) if recorder and execution else []
        if not written:
            return Page((Line("This cell wrote no data that was noticed: nothing to tag."),))
        for urn in written:
            catalog.edit_aspect(urn, BUSINESS, with_words(asked.tags, asked.properties))
        words = ", ".join([*asked.tags, *(f"{key}={value}" for key, value in asked.properties)])
        return Page(tuple(Line(f"{shown(urn)}: {words}") for urn in written))

    def _mention(self, waiting: int) -> None:
        """What the server does not know yet may be missing from the answer: says so."""
        if waiting:
            reports = f"{counted(waiting, 'report')} of earlier cells {'has' if waiting == 1 else 'have'}"
            _show(Page((Line(f"{reports} not reached the server yet.", quiet=True),)))
        self._companion.say()


def _show(page: Page) -> None:
    display(page)  # type: ignore[no-untyped-call]


def _spoken(answer: Callable[[], Page]) -> Page:
    """The page; where the server is away a line that says so, since the notebook runs on.

    Raises:
        UsageError: what was asked cannot be done; IPython prints its text without a traceback.
    """
    try:
        return answer()
    except (ServerAway, NoServer) as reason:
        return Page((Line(f"Not done: {reason}."),))
    except (ClientError, MetadataError, ValueError) as reason:
        if isinstance(reason, Refused) and reason.passing:
            return Page((Line(f"Not done: {reason}."),))
        msg = f"%metadata: {reason}"
        raise UsageError(msg) from None
