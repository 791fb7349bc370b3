"""The file and line that the code of a wrapper belongs to."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeAlias

Function: TypeAlias = Callable[..., Any]

#: The kind of an entry of a table of lines.
_NO_COLUMNS = 13


def set_place(wrapper: Function, original: Function) -> Function:
    """Move the code of a wrapper to the original's file and line, and return it.

    Libraries skip their own files to find the line of the program that a warning is about.
    """
    code, place = getattr(wrapper, "__code__", None), getattr(inspect.unwrap(original), "__code__", None)
    if code is not None and place is not None:
        wrapper.__code__ = code.replace(
            co_filename=place.co_filename,
            co_name=place.co_name,
            co_qualname=place.co_qualname,
            co_firstlineno=place.co_firstlineno,
            co_linetable=_build_line_table(len(code.co_code) // 2),
        )
    return wrapper


@functools.cache
def _build_line_table(size: int) -> bytes:
    """Return the table by which all instructions belong to the first line: entries without columns, of at most eight each."""
    counts = [8] * (size // 8) + [size % 8] * (size % 8 > 0)
    return b"".join(bytes((0x80 | _NO_COLUMNS << 3 | (count - 1), 0)) for count in counts)
