"""What stands for a word in the grammar of `%metadata`: each takes what was typed, or says what is wrong with it."""

import re
from argparse import ArgumentTypeError
from collections.abc import Callable

#: Keys and tags (spec MODEL-7); `tags` itself is reserved.
WORD = re.compile(r"[A-Za-z0-9_-]{1,50}")

#: The longest name of a step.
STEP_MAX = 100

#: Longer numbers are no option's.
DIGITS_MAX = 9


def tag(word: str) -> str:
    """A tag."""
    if not WORD.fullmatch(word):
        msg = f"{word!r} is no tag: use the letters A to Z and a to z, digits, _ and -, at most 50"
        raise ArgumentTypeError(msg)
    return word


def key(word: str) -> str:
    """The key of a property."""
    if not WORD.fullmatch(word) or word == "tags":
        msg = (
            f"{word!r} is no key: use the letters A to Z and a to z, digits, _ and -, at most 50, and not the word tags"
        )
        raise ArgumentTypeError(msg)
    return word


def pair(word: str) -> tuple[str, str]:
    """A key and its value."""
    name, value = _halves(word, "KEY=VALUE")
    return key(name), value


def argument(word: str) -> tuple[str, str]:
    """The name of anything, and its value."""
    name, value = _halves(word, "NAME=VALUE")
    if not name:
        msg = f"{word!r} is no NAME=VALUE"
        raise ArgumentTypeError(msg)
    return name, value


def step(word: str) -> str:
    """What people call a step: a line of text."""
    name = " ".join(word.split())
    if not 0 < len(name) <= STEP_MAX:
        msg = f"a step's name has 1 to {STEP_MAX} characters"
        raise ArgumentTypeError(msg)
    return name


def whole(least: int, most: int) -> Callable[[str], int]:
    """A number between these."""

    def number(word: str) -> int:
        if not (word.isdecimal() and len(word) <= DIGITS_MAX and least <= int(word) <= most):
            msg = f"{word!r} is not a number from {least} to {most}"
            raise ArgumentTypeError(msg)
        return int(word)

    return number


def _halves(word: str, form: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not equals:
        msg = f"{word!r} is no {form}"
        raise ArgumentTypeError(msg)
    return name, value
