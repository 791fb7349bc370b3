"""Loads and unloads the IPython extension. Nothing here asks the server, nor imports PySpark."""

import os
from typing import TYPE_CHECKING, Any

from jupyter_colophon.client.api.answer import Result
from jupyter_colophon.kernel.completion import matcher
from jupyter_colophon.kernel.magic import MetadataMagics
from jupyter_colophon.kernel.session import Companion
from jupyter_colophon.kernel.settings import Settings
from jupyter_colophon.rendering.renderers import render

if TYPE_CHECKING:
    from collections.abc import Callable

    from IPython.core.completer import CompletionContext, SimpleMatcherResult
    from IPython.core.interactiveshell import InteractiveShell

_loaded: "dict[int, tuple[Companion, Callable[[CompletionContext], SimpleMatcherResult]]]" = {}


def load(shell: "InteractiveShell") -> Companion:
    """Registers the magics and follows the cells of an `InteractiveShell`; loaded again, it begins anew.

    Raises:
        ValueError: COLOPHON_URL is not the URL of a server.
    """
    unload(shell)
    companion = Companion(Settings.of(os.environ), shell)
    if shell.display_formatter is not None:
        shell.display_formatter.mimebundle_formatter.for_type(Result, _bundle)
    shell.register_magics(MetadataMagics(shell, companion))
    matches = matcher(companion)
    shell.Completer.custom_matchers.append(matches)
    companion.start()
    _loaded[id(shell)] = companion, matches
    return companion


def _bundle(answer: Result, include: object = None, exclude: object = None) -> dict[str, Any]:
    """How an answer of `metadata.search(…)` and the like is shown: as the magic shows it."""
    return render(answer.kind, answer.document)._repr_mimebundle_()


def unload(shell: "InteractiveShell") -> None:
    """Ends what `load` began; the magics stay defined until the shell ends, as IPython has no way to take them back."""
    if id(shell) in _loaded:
        companion, matches = _loaded.pop(id(shell))
        companion.stop()
        shell.Completer.custom_matchers.remove(matches)
