"""Completion of `%metadata …` and `%%metadata …`: commands, options, and what the server knows. What fits is told by the parser."""

import argparse
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, cast

from IPython.core.completer import SimpleCompletion, context_matcher

from jupyter_colophon.client.problems import ClientError
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.kernel.arguments import CELL_PARSER, PARSERS
from jupyter_colophon.kernel.completion_values import CANDIDATES, Asked

if TYPE_CHECKING:
    from IPython.core.completer import CompletionContext, SimpleMatcherResult

    from jupyter_colophon.kernel.session import Companion

#: After a server did not answer, it is not asked for that long: who types does not wait at every key.
REST_S = 10.0

_MAGICS = {"%metadata", "%%metadata"}


def matcher(companion: "Companion") -> "Callable[[CompletionContext], SimpleMatcherResult]":
    """A matcher for IPython's completer (its matcher API, version 2), to be put among its `custom_matchers`."""
    completer = Completer(companion)

    @context_matcher(identifier="colophon_metadata")  # type: ignore[untyped-decorator]
    def metadata_matcher(context: "CompletionContext") -> "SimpleMatcherResult":
        return completer.matches(context)

    return cast("Callable[[CompletionContext], SimpleMatcherResult]", metadata_matcher)


class Completer:
    """Completes the lines of our magics, and no others."""

    def __init__(self, companion: "Companion") -> None:
        self._companion = companion
        self._rests_until = 0.0

    def matches(self, context: "CompletionContext") -> "SimpleMatcherResult":
        """What may stand where the cursor is; Python's own names are kept out then."""
        line = context.text_until_cursor
        words = line.split()
        typed = words.pop() if words and not line[-1].isspace() else ""
        # `found = %metadata search …` is one of our lines too.
        if words[1:2] == ["="]:
            del words[:2]
        if not words or words[0] not in _MAGICS:
            return {"completions": []}
        fitting = sorted({word for word in self._candidates(words, typed) if word.startswith(typed)})
        return {
            "completions": [SimpleCompletion(text=word, type="metadata") for word in fitting],
            "matched_fragment": typed,
            "suppress": True,
        }

    def _candidates(self, words: list[str], typed: str) -> Iterable[str]:
        if words[0] == "%%metadata":
            parser, given = CELL_PARSER, words[1:]
        elif len(words) == 1:
            return PARSERS
        elif words[1] in PARSERS:
            parser, given = PARSERS[words[1]], words[2:]
        else:
            return ()
        action, before = _stands(parser, given)
        if action is None or (typed.startswith("-") and not action.option_strings):
            return parser._option_string_actions
        if action.choices is not None:
            return action.choices
        return self._known(action.dest, Asked(typed, before, words[1] if words[1:] else ""))

    def _known(self, kind: str, asked: Asked) -> Iterable[str]:
        """What the server knows; nothing where it is away, or was a moment ago."""
        ask, catalog = CANDIDATES.get(kind), self._companion.catalog
        if ask is None or catalog is None or time.monotonic() < self._rests_until:
            return ()
        try:
            return ask(catalog, asked)
        except InvalidName:
            return ()
        except ClientError:
            self._rests_until = time.monotonic() + REST_S
            return ()


def _stands(parser: argparse.ArgumentParser, given: list[str]) -> tuple[argparse.Action | None, list[str]]:
    """The argument whose turn it is behind these words (None: only options are left), and the operands before it."""
    operands: list[str] = []
    waits: argparse.Action | None = None
    for word in given:
        if waits is not None:
            waits = None
        elif (option := parser._option_string_actions.get(word)) is not None:
            waits = option if option.nargs != 0 else None
        else:
            operands.append(word)
    if waits is not None:
        return waits, operands
    places = [action for action in parser._actions if not action.option_strings]
    last = places[-1] if places and places[-1].nargs in {"+", "*"} else None
    return (places[len(operands)] if len(operands) < len(places) else last), operands
