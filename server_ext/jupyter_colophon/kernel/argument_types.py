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


def parse_tag(text: str) -> str:
    """Return a valid tag."""
    if not WORD.fullmatch(text):
        msg = f"{text!r} is not a valid tag: use the letters A to Z and a to z, digits, _ and -, at most 50"
        raise ArgumentTypeError(msg)
    return text


def parse_key(text: str) -> str:
    """Return a valid key of a property."""
    if not WORD.fullmatch(text) or text == "tags":
        msg = f"{text!r} is not a valid key: use the letters A to Z and a to z, digits, _ and -, at most 50, and not the word tags"
        raise ArgumentTypeError(msg)
    return text


def parse_key_value(text: str) -> tuple[str, str]:
    """Parse `KEY=VALUE`."""
    name, value = _split_at_equals(text, "KEY=VALUE")
    return parse_key(name), value


def parse_name_value(text: str) -> tuple[str, str]:
    """Parse `NAME=VALUE` with any name."""
    name, value = _split_at_equals(text, "NAME=VALUE")
    if not name:
        msg = f"{text!r} is not NAME=VALUE"
        raise ArgumentTypeError(msg)
    return name, value


def parse_step_name(text: str) -> str:
    """Return the name of a step: one line of text."""
    name = " ".join(text.split())
    if not 0 < len(name) <= STEP_MAX:
        msg = f"a step's name has 1 to {STEP_MAX} characters"
        raise ArgumentTypeError(msg)
    return name


def create_integer_parser(minimum: int, maximum: int) -> Callable[[str], int]:
    """Return a parser of integers from `minimum` to `maximum`."""

    def parse_integer(text: str) -> int:
        if not (text.isdecimal() and len(text) <= DIGITS_MAX and minimum <= int(text) <= maximum):
            msg = f"{text!r} is not a number from {minimum} to {maximum}"
            raise ArgumentTypeError(msg)
        return int(text)

    return parse_integer


def _split_at_equals(text: str, form: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        msg = f"{text!r} is not {form}"
        raise ArgumentTypeError(msg)
    return name, value
