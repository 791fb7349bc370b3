"""Load and unload the IPython extension, without requests to the server and without importing PySpark."""

import os
from typing import TYPE_CHECKING, Any

from jupyter_colophon.capture.executed_notebook import claim_environ
from jupyter_colophon.client.api.answer import Result
from jupyter_colophon.kernel.completion import create_matcher
from jupyter_colophon.kernel.magic import MetadataMagics
from jupyter_colophon.kernel.session import KernelSession
from jupyter_colophon.kernel.settings import KernelSettings
from jupyter_colophon.rendering.renderers import render_document_page

if TYPE_CHECKING:
    from collections.abc import Callable

    from IPython.core.completer import CompletionContext, SimpleMatcherResult
    from IPython.core.interactiveshell import InteractiveShell

_loaded: "dict[int, tuple[KernelSession, Callable[[CompletionContext], SimpleMatcherResult]]]" = {}


def load_extension(shell: "InteractiveShell") -> KernelSession:
    """Register the magics and track the cells of an `InteractiveShell`; loading it again restarts it.

    Raises:
        ValueError: COLOPHON_URL is not a valid URL of a server.
    """
    unload_extension(shell)
    claim_environ(os.environ)
    session = KernelSession(KernelSettings.from_environ(os.environ), shell)
    if shell.display_formatter is not None:
        shell.display_formatter.mimebundle_formatter.for_type(Result, _build_mime_bundle)
    shell.register_magics(MetadataMagics(shell, session))
    matches = create_matcher(session)
    shell.Completer.custom_matchers.append(matches)
    session.start()
    _loaded[id(shell)] = session, matches
    return session


def _build_mime_bundle(answer: Result, include: object = None, exclude: object = None) -> dict[str, Any]:
    """Return the display of a `Result` of `metadata.search(…)` etc.: the same as that of the magic."""
    return render_document_page(answer.kind, answer.document)._repr_mimebundle_()


def unload_extension(shell: "InteractiveShell") -> None:
    """Undo `load`; the magics stay defined until the shell ends, since IPython cannot unregister them."""
    if id(shell) in _loaded:
        session, matches = _loaded.pop(id(shell))
        session.stop()
        shell.Completer.custom_matchers.remove(matches)
