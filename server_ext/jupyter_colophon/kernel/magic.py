"""The magics `%metadata` and `%%metadata`."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class
from IPython.display import display

from jupyter_colophon.client.api.answer import Result
from jupyter_colophon.client.api.current_connection import current
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

    from jupyter_colophon.kernel.session import KernelSession

#: A cell with `%%metadata` waits longer: only writes that have been reported get tags.
BODY_S = 5.0


@magics_class
class MetadataMagics(Magics):
    """Both magics of one shell."""

    def __init__(self, shell: "InteractiveShell", session: "KernelSession") -> None:
        super().__init__(shell)
        self._shell = shell
        self._session = session

    @line_cell_magic
    def metadata(self, line: str, cell: str | None = None) -> Any:
        """Run a command; the help below replaces this docstring."""
        __tracebackhide__ = True
        if cell is not None:
            self._run_cell(parse_cell(line), cell)
            return None
        args = parse_line(line)
        command = COMMANDS[args.command]
        pending = Pending() if command.at_once else self._session.sync()
        answer = _catch_errors(lambda: command.run(self._session, args))
        value = answer if isinstance(answer, Page) else _catch_errors(lambda: _format(answer, args.form))
        if isinstance(value, Page):
            _show(value)
            value = None
        self._print_pending(pending)
        if isinstance(answer, Result) and answer.failure:
            # Later cells may rely on the result: stop "Run all" here.
            raise UsageError(f"%metadata: {' '.join(answer.failure.split())}")
        return value

    metadata.__doc__ = help_on(None, {name: command.help for name, command in COMMANDS.items()})

    def _run_cell(self, args: "Namespace", body: str) -> None:
        """Run the body, then set tags and properties on the data that it wrote; nothing is set if the body fails."""
        __tracebackhide__ = True
        since_ms = now_ms()
        if args.name and (running := self._session.provenance.current) is not None:
            running.step = args.name
        run_body(self._shell, body)
        pending = self._session.sync(BODY_S, BODY_S)
        _show(_catch_errors(lambda: self._describe(args, since_ms)))
        self._print_pending(pending)

    def _describe(self, args: "Namespace", since_ms: int) -> Page:
        api, change = current.api(), Annotation(properties=dict(args.pairs), tags=tuple(args.tags))
        recorder, execution = self._session.recorder, self._session.provenance.current
        written = recorder.written_by(execution, since_ms) if recorder and execution else []
        if not written:
            return Page((Line("No data written by this cell was captured: nothing to tag."),))
        if change.document:
            for urn in written:
                api.annotate(urn, change)
        words = [*args.tags, *(f"{key}={value}" for key, value in args.pairs)]
        step = (Line(f"step {args.name}", quiet=True),) if args.name else ()
        return Page((*step, *(Line(f"{short_name(urn)}: {', '.join(words) or 'written'}") for urn in written)))

    def _print_pending(self, pending: Pending) -> None:
        """Show what the catalog has not received yet, since the answer may lack it."""
        if text := str(pending):
            _show(Page((Line(text, quiet=True),)))
        self._session.print_messages()


def _show(page: Page) -> None:
    display(page)  # type: ignore[no-untyped-call]


def _format(answer: Result, form: str | None) -> Any:
    """Return the page to show, or the DataFrame to return."""
    if form == "dataframe":
        return answer.to_pandas()
    return document_page(answer.document) if form == "json" else render(answer.kind, answer.document)


def _catch_errors(answer: Callable[[], Any]) -> Any:
    """Return the result of a call; a page with one line if the server is unavailable, so that the notebook continues.

    Raises:
        UsageError: the command failed;  IPython prints its text without a traceback.
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
