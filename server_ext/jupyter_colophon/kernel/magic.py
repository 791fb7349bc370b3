"""The magics `%metadata` and `%%metadata`."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, line_cell_magic, magics_class
from IPython.display import display

from jupyter_colophon.capture.declarations import resolve_declared_name
from jupyter_colophon.capture.origins import Dataset
from jupyter_colophon.client.api.answer import Result
from jupyter_colophon.client.api.current_connection import current
from jupyter_colophon.client.problems import ClientError, EntityNotFound, NotConnected, RequestFailed, ServerUnavailable
from jupyter_colophon.core.entities.annotation import MetadataAnnotation
from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.core.identity.short_names import shorten_urn
from jupyter_colophon.kernel.arguments import parse_cell, parse_line
from jupyter_colophon.kernel.cells import read_time_ms
from jupyter_colophon.kernel.commands.command_table import COMMANDS
from jupyter_colophon.kernel.help_text import build_help_text
from jupyter_colophon.kernel.run_cell import run_cell_body
from jupyter_colophon.kernel.sync_status import Pending
from jupyter_colophon.rendering.elements import TextLine
from jupyter_colophon.rendering.page import Page, build_document_page
from jupyter_colophon.rendering.renderers import render_document_page

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
            self._run_cell_and_annotate_outputs(parse_cell(line), cell)
            return None
        args = parse_line(line)
        command = COMMANDS[args.command]
        pending = Pending() if command.at_once else self._session.flush_pending()
        answer = _call_and_show_errors(lambda: command.run(self._session, args))
        value = (
            answer
            if isinstance(answer, Page)
            else _call_and_show_errors(lambda: _build_page_or_dataframe(answer, args.form))
        )
        if isinstance(value, Page):
            _display_page(value)
            value = None
        self._print_pending(pending)
        if isinstance(answer, Result) and answer.failure:
            # Later cells may rely on the result: stop "Run all" here.
            raise UsageError(f"%metadata: {' '.join(answer.failure.split())}")
        return value

    metadata.__doc__ = build_help_text(None, {name: command.help for name, command in COMMANDS.items()})

    def _run_cell_and_annotate_outputs(self, args: "Namespace", body: str) -> None:
        """Run the body, then set tags and properties on the data that it wrote; nothing is set if the body fails."""
        __tracebackhide__ = True
        since_ms = read_time_ms()
        # An invalid name is an error before the cell runs; a file may exist only afterwards.
        _call_and_show_errors(lambda: _resolve_names(args.reads, args.writes))
        if args.name and (running := self._session.provenance.current) is not None:
            running.step = args.name
        run_cell_body(self._shell, body)
        self._session.declare_accesses(*_resolve_names(args.reads, args.writes))
        pending = self._session.flush_pending(BODY_S, BODY_S)
        _display_page(_call_and_show_errors(lambda: self._annotate_written_data(args, since_ms)))
        self._print_pending(pending)

    def _annotate_written_data(self, args: "Namespace", since_ms: int) -> Page:
        api, change = current.get_api(), MetadataAnnotation(properties=dict(args.pairs), tags=tuple(args.tags))
        recorder, execution = self._session.recorder, self._session.provenance.current
        written = recorder.list_written_urns(execution, since_ms) if recorder and execution else []
        if not written:
            return Page((TextLine("No data written by this cell was captured: nothing to tag."),))
        if change.document:
            for urn in written:
                api.annotate(urn, change)
        words = [*args.tags, *(f"{key}={value}" for key, value in args.pairs)]
        step = (TextLine(f"step {args.name}", quiet=True),) if args.name else ()
        return Page((*step, *(TextLine(f"{shorten_urn(urn)}: {', '.join(words) or 'written'}") for urn in written)))

    def _print_pending(self, pending: Pending) -> None:
        """Show the number of pending reports, since the answer may lack their data."""
        if text := str(pending):
            _display_page(Page((TextLine(text, quiet=True),)))
        self._session.print_messages()


def _resolve_names(reads: list[str], writes: list[str]) -> tuple[list[Dataset], list[Dataset]]:
    """Return the data that a cell declares to read and write. Raises InvalidName."""
    return list(map(resolve_declared_name, reads)), list(map(resolve_declared_name, writes))


def _display_page(page: Page) -> None:
    display(page)  # type: ignore[no-untyped-call]


def _build_page_or_dataframe(answer: Result, form: str | None) -> Any:
    """Return the page to show, or the DataFrame to return."""
    if form == "dataframe":
        return answer.to_pandas()
    return (
        build_document_page(answer.document) if form == "json" else render_document_page(answer.kind, answer.document)
    )


def _call_and_show_errors(answer: Callable[[], Any]) -> Any:
    """Return the result of a call; a page with one line if the server is unavailable, so that the notebook continues.

    Raises:
        UsageError: the command failed;  IPython prints its text without a traceback.
    """
    try:
        return answer()
    except (ServerUnavailable, NotConnected) as reason:
        return Page((TextLine(f"Not done: {reason}."),))
    except EntityNotFound as absence:
        return Page((TextLine(str(absence)),))
    except (ClientError, MetadataError, ValueError, TypeError) as reason:
        if isinstance(reason, RequestFailed) and reason.is_temporary:
            return Page((TextLine(f"Not done: {reason}."),))
        msg = f"%metadata: {' '.join(str(reason).split())}"
        raise UsageError(msg) from None
    except OSError as reason:
        raise UsageError(f"%metadata: {reason.filename or 'the file'}: {reason.strerror}") from None
