"""Completion of `%metadata …` and `%%metadata …`: commands, options, and values from the server, following the parsers."""

import argparse
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, cast

from IPython.core.completer import SimpleCompletion, context_matcher

from jupyter_colophon.client.problems import ClientError
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.kernel.arguments import CELL_PARSER, PARSERS
from jupyter_colophon.kernel.completion_values import CANDIDATES, CompletionRequest

if TYPE_CHECKING:
    from IPython.core.completer import CompletionContext, SimpleMatcherResult

    from jupyter_colophon.kernel.session import KernelSession

#: How long completion sends no request after a server did not respond, so that typing is not slowed down.
RETRY_AFTER_S = 10.0

_MAGICS = {"%metadata", "%%metadata"}


def create_matcher(session: "KernelSession") -> "Callable[[CompletionContext], SimpleMatcherResult]":
    """Create a matcher for the `custom_matchers` of IPython's completer (matcher API, version 2)."""
    completer = Completer(session)

    @context_matcher(identifier="colophon_metadata")  # type: ignore[untyped-decorator]
    def match_metadata(context: "CompletionContext") -> "SimpleMatcherResult":
        return completer.complete(context)

    return cast("Callable[[CompletionContext], SimpleMatcherResult]", match_metadata)


class Completer:
    """Completes the lines of our magics only."""

    def __init__(self, session: "KernelSession") -> None:
        self._session = session
        self._paused_until = 0.0

    def complete(self, context: "CompletionContext") -> "SimpleMatcherResult":
        """Return the completions at the cursor, without Python's own names."""
        line = context.text_until_cursor
        words = line.split()
        typed = words.pop() if words and not line[-1].isspace() else ""
        # `found = %metadata search …` is one of our lines too.
        if words[1:2] == ["="]:
            del words[:2]
        if not words or words[0] not in _MAGICS:
            return {"completions": []}
        matching = sorted({word for word in self._list_candidates(words, typed) if word.startswith(typed)})
        return {
            "completions": [SimpleCompletion(text=word, type="metadata") for word in matching],
            "matched_fragment": typed,
            "suppress": True,
        }

    def _list_candidates(self, words: list[str], typed: str) -> Iterable[str]:
        if words[0] == "%%metadata":
            parser, arguments = CELL_PARSER, words[1:]
        elif len(words) == 1:
            return PARSERS
        elif words[1] in PARSERS:
            parser, arguments = PARSERS[words[1]], words[2:]
        else:
            return ()
        action, before = _find_current_argument(parser, arguments)
        if action is None or (typed.startswith("-") and not action.option_strings):
            return parser._option_string_actions
        if action.choices is not None:
            return action.choices
        return self._fetch_values_if_available(
            action.dest, CompletionRequest(typed, before, words[1] if words[1:] else "")
        )

    def _fetch_values_if_available(self, kind: str, request: CompletionRequest) -> Iterable[str]:
        """Return values from the server; none if it is unavailable or was a moment ago."""
        find_candidates, catalog = CANDIDATES.get(kind), self._session.catalog
        if find_candidates is None or catalog is None or time.monotonic() < self._paused_until:
            return ()
        try:
            return find_candidates(catalog, request)
        except InvalidName:
            return ()
        except ClientError:
            self._paused_until = time.monotonic() + RETRY_AFTER_S
            return ()


def _find_current_argument(
    parser: argparse.ArgumentParser, arguments: list[str]
) -> tuple[argparse.Action | None, list[str]]:
    """Return the argument that follows these words (None: only options are left), and the operands before it."""
    operands: list[str] = []
    pending: argparse.Action | None = None
    for word in arguments:
        if pending is not None:
            pending = None
        elif (option := parser._option_string_actions.get(word)) is not None:
            pending = option if option.nargs != 0 else None
        else:
            operands.append(word)
    if pending is not None:
        return pending, operands
    positionals = [action for action in parser._actions if not action.option_strings]
    last = positionals[-1] if positionals and positionals[-1].nargs in {"+", "*"} else None
    return (positionals[len(operands)] if len(operands) < len(positionals) else last), operands
