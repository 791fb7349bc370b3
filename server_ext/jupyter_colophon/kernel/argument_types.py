"""Argument types of `%metadata`: each parses a word, or raises ArgumentTypeError with the reason."""

import re
from argparse import ArgumentTypeError
from collections.abc import Callable

#: Keys and tags (spec MODEL-7); `tags` itself is reserved.
WORD = re.compile(r"[A-Za-z0-9_-]{1,50}")

#: The longest name of a step.
STEP_MAX = 100

#: Maximum number of digits of a numeric option.
DIGITS_MAX = 9


def parse_tag(word: str) -> str:
    """Return a valid tag."""
    if not WORD.fullmatch(word):
        msg = f"{word!r} is not a valid tag: use the letters A to Z and a to z, digits, _ and -, at most 50"
        raise ArgumentTypeError(msg)
    return word


def parse_key(word: str) -> str:
    """Return a valid key of a property."""
    if not WORD.fullmatch(word) or word == "tags":
        msg = f"{word!r} is not a valid key: use the letters A to Z and a to z, digits, _ and -, at most 50, and not the word tags"
        raise ArgumentTypeError(msg)
    return word


def parse_key_value(word: str) -> tuple[str, str]:
    """Parse `KEY=VALUE`."""
    name, value = _split_at_equals(word, "KEY=VALUE")
    return parse_key(name), value


def parse_name_value(word: str) -> tuple[str, str]:
    """Parse `NAME=VALUE` with any name."""
    name, value = _split_at_equals(word, "NAME=VALUE")
    if not name:
        msg = f"{word!r} is not NAME=VALUE"
        raise ArgumentTypeError(msg)
    return name, value


def parse_step_name(word: str) -> str:
    """Return the name of a step: one line of text."""
    name = " ".join(word.split())
    if not 0 < len(name) <= STEP_MAX:
        msg = f"a step's name has 1 to {STEP_MAX} characters"
        raise ArgumentTypeError(msg)
    return name


def create_integer_parser(least: int, most: int) -> Callable[[str], int]:
    """Return a parser of integers from `least` to `most`."""

    def parse_integer(word: str) -> int:
        if not (word.isdecimal() and len(word) <= DIGITS_MAX and least <= int(word) <= most):
            msg = f"{word!r} is not a number from {least} to {most}"
            raise ArgumentTypeError(msg)
        return int(word)

    return parse_integer


def _split_at_equals(word: str, form: str) -> tuple[str, str]:
    name, equals, value = word.partition("=")
    if not equals:
        msg = f"{word!r} is not {form}"
        raise ArgumentTypeError(msg)
    return name, value
