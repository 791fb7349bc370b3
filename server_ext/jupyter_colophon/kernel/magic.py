"""The magics `%metadata` and `%%metadata`."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class
from IPython.display import display

from jupyter_colophon.client.api.answer import Result
from jupyter_colophon.client.api.current_connection import present
from jupyter_colophon.client.problems import ClientError, NotConnected, NotFound, RequestFailed, ServerUnavailable
from jupyter_colophon.core.entities.annotation import Annotation
from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.core.identity.short_names import short_name
from jupyter_colophon.kernel.arguments import parse_cell, parse_line
from jupyter_colophon.kernel.cells import now_ms
from jupyter_colophon.kernel.commands.command_table import COMMANDS
from jupyter_colophon.kernel.help_text import help_on
from jupyter_colophon.kernel.run_cell import run_body
from jupyter_colophon.kernel.sync_status import Pending
from jupyter_colophon.rendering.elements import Line
from jupyter_colophon.rendering.page import Page, document_page
from jupyter_colophon.rendering.renderers import render

if TYPE_CHECKING:
    from argparse import Namespace

    from IPython.core.interactiveshell import InteractiveShell

    from jupyter_colophon.kernel.session import Companion

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
    def metadata(self, line: str, cell: str | None = None) -> Any:
        """Replaced below: the help of the magic is its synopsis."""
        __tracebackhide__ = True
        if cell is not None:
            self._run_cell(parse_cell(line), cell)
            return None
        asked = parse_line(line)
        command = COMMANDS[asked.command]
        waiting = Pending() if command.at_once else self._companion.settle()
        answer = _spoken(lambda: command.run(self._companion, asked))
        found = answer if isinstance(answer, Page) else _spoken(lambda: _formed(answer, asked.form))
        if isinstance(found, Page):
            _show(found)
            found = None
        self._mention(waiting)
        if isinstance(answer, Result) and answer.failure:
            # What follows in the notebook may rely on it.
            raise UsageError(f"%metadata: {' '.join(answer.failure.split())}")
        return found

    metadata.__doc__ = help_on(None, {name: command.help for name, command in COMMANDS.items()})

    def _run_cell(self, asked: "Namespace", body: str) -> None:
        """Runs the body, then puts tags and properties on what it wrote. A body that fails leaves nothing of them."""
        __tracebackhide__ = True
        since_ms = now_ms()
        if asked.name and (running := self._companion.provenance.current) is not None:
            running.step = asked.name
        run_body(self._shell, body)
        waiting = self._companion.settle(BODY_S, BODY_S)
        _show(_spoken(lambda: self._describe(asked, since_ms)))
        self._mention(waiting)

    def _describe(self, asked: "Namespace", since_ms: int) -> Page:
        verbs, change = present.verbs(), Annotation(properties=dict(asked.pairs), tags=tuple(asked.tags))
        recorder, execution = self._companion.recorder, self._companion.provenance.current
        written = recorder.written_by(execution, since_ms) if recorder and execution else []
        if not written:
            return Page((Line("This cell wrote no data that was noticed: nothing to tag."),))
        if change.document:
            for urn in written:
                verbs.annotate(urn, change)
        words = [*asked.tags, *(f"{key}={value}" for key, value in asked.pairs)]
        step = (Line(f"step {asked.name}", quiet=True),) if asked.name else ()
        return Page((*step, *(Line(f"{short_name(urn)}: {', '.join(words) or 'written'}") for urn in written)))

    def _mention(self, waiting: Pending) -> None:
        """What the catalog does not know yet may be missing from the answer: says so."""
        if words := str(waiting):
            _show(Page((Line(words, quiet=True),)))
        self._companion.say()


def _show(page: Page) -> None:
    display(page)  # type: ignore[no-untyped-call]


def _formed(answer: Result, form: str | None) -> Any:
    """What is shown, or, as a DataFrame, given back."""
    if form == "dataframe":
        return answer.to_pandas()
    return document_page(answer.document) if form == "json" else render(answer.kind, answer.document)


def _spoken(answer: Callable[[], Any]) -> Any:
    """The page or value; where the server is away a line that says so, since the notebook runs on.

    Raises:
        UsageError: what was asked cannot be done; IPython prints its text without a traceback.
    """
    try:
        return answer()
    except (ServerUnavailable, NotConnected) as reason:
        return Page((Line(f"Not done: {reason}."),))
    except NotFound as absence:
        return Page((Line(str(absence)),))
    except (ClientError, MetadataError, ValueError, TypeError) as reason:
        if isinstance(reason, RequestFailed) and reason.is_temporary:
            return Page((Line(f"Not done: {reason}."),))
        msg = f"%metadata: {' '.join(str(reason).split())}"
        raise UsageError(msg) from None
    except OSError as reason:
        raise UsageError(f"%metadata: {reason.filename or 'the file'}: {reason.strerror}") from None
