"""The columns that a function of a row uses, read from its bytecode.

`df.apply(lambda row: row["a"] + row.b, axis=1)` uses `a` and `b`. A function that does anything else with its row than to
look up constant names uses columns that are not known.
"""

import dis
import sys
from types import FunctionType
from typing import Any, Final

import pandas as pd

_LOAD: Final = "LOAD_FAST"
#: Instructions without an effect between the load of a row and that of the name.
_NOTHING: Final = frozenset({"CACHE", "NOP", "RESUME", "COPY_FREE_VARS", "MAKE_CELL", "EXTENDED_ARG"})
_CONSTANTS: Final = frozenset({"LOAD_CONST", "LOAD_SMALL_INT"})


def list_used_columns(function: Any, labels: Any) -> list[str] | None:
    """Return the names of the columns that a function uses of its first argument; None if they are not known."""
    if not isinstance(function, FunctionType) or function.__code__.co_argcount != 1 or function.__code__.co_cellvars:
        return None
    row = function.__code__.co_varnames[0]
    used: dict[str, None] = {}
    instructions = [each for each in dis.get_instructions(function.__code__) if each.opname not in _NOTHING]
    for at, each in enumerate(instructions):
        if row not in _list_variables(each):
            continue
        # Several variables in one instruction: the row must be the last, which the next instruction uses.
        if (
            not each.opname.startswith(_LOAD)
            or _list_variables(each)[-1] != row
            or _list_variables(each).count(row) > 1
        ):
            return None
        name = _find_name(instructions[at + 1 : at + 3])
        if name is None or name not in labels:
            return None
        used[str(name)] = None
    return list(used)


def _list_variables(instruction: dis.Instruction) -> tuple[Any, ...]:
    if "_FAST" not in instruction.opname:
        return ()
    value = instruction.argval
    return value if isinstance(value, tuple) else (value,)


def _find_name(following: list[dis.Instruction]) -> Any:
    """Return the name of a look-up `row["a"]` or `row.a`; None for anything else."""
    first = following[0]
    if first.opname == "LOAD_ATTR" and not _is_method(first):
        # A column cannot be looked up by the name of an attribute of every series, such as `name`.
        return None if hasattr(pd.Series, first.argval) else first.argval
    is_lookup = first.opname in _CONSTANTS and len(following) > 1 and _is_subscript(following[1])
    return first.argval if is_lookup else None


def _is_method(instruction: dis.Instruction) -> bool:
    """Return whether the attribute is called as a method, which since Python 3.12 is a bit of the instruction."""
    return sys.version_info >= (3, 12) and bool((instruction.arg or 0) & 1)


def _is_subscript(instruction: dis.Instruction) -> bool:
    return instruction.opname == "BINARY_SUBSCR" or (instruction.opname == "BINARY_OP" and instruction.argrepr == "[]")
