"""The file and line that the code of a wrapper belongs to.

Libraries name the line of the program that a warning is about in two ways: they skip all frames whose files are their own, or
they count frames (`stacklevel=2`). So a wrapper is in the folder of the library, and its file is one that `warnings` does not
count.
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any, Final, TypeAlias

Function: TypeAlias = Callable[..., Any]

#: What follows the name of the file: `warnings` does not count frames with these two words in it, as of the machinery of imports.
HIDDEN: Final = " <importlib _bootstrap>"

#: The kind of an entry of a table of lines.
_NO_COLUMNS = 13


def set_place(wrapper: Function, original: Function) -> Function:
    """Move the code of a wrapper to the original's folder and line, if that is not one of an extension module, and return the wrapper."""
    code, place = getattr(wrapper, "__code__", None), getattr(inspect.unwrap(original), "__code__", None)
    if code is None:
        return wrapper
    if place is None:
        wrapper.__code__ = code.replace(co_filename=f"<colophon>{HIDDEN}")
    else:
        wrapper.__code__ = code.replace(
            co_filename=f"{place.co_filename.removesuffix(HIDDEN)}{HIDDEN}",
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
