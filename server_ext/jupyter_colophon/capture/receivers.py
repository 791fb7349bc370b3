"""Calls of methods that change their receiver, as if the program called them.

pandas warns of a change that is lost because the frame is a temporary one (`df["a"].fillna(0, inplace=True)`): it counts the
references to it, and names the line of the caller. A wrapper that keeps a reference would suppress the warning, and it would
be the caller.
"""

import functools
import keyword
from collections.abc import Callable, Mapping
from types import CodeType, FrameType, FunctionType
from typing import Any


def create_call(
    args: tuple[Any, ...], kwargs: Mapping[str, Any], program: FrameType
) -> Callable[[Callable[..., Any], list[Any], tuple[Any, ...], Mapping[str, Any]], Any]:
    """Return a function that calls a function with the element of a list as its first argument, and further arguments.

    Only the called function has a reference to the element then. Its caller has the file, the line and the globals of `program`.
    """
    if any(not name.isidentifier() or keyword.iskeyword(name) for name in kwargs):
        return lambda function, holder, args, kwargs: function(holder.pop(), *args, **kwargs)
    code = _compile_caller(len(args), tuple(kwargs)).replace(
        co_filename=program.f_code.co_filename, co_firstlineno=program.f_lineno or 1, co_name=program.f_code.co_name
    )
    return FunctionType(code, program.f_globals)


@functools.lru_cache(maxsize=256)
def _compile_caller(count: int, names: tuple[str, ...]) -> CodeType:
    """Return code that calls a function with arguments by position and by name: `f(*args)` would keep a tuple with references."""
    given = [f"args[{at}]" for at in range(count)] + [f"{name}=kwargs[{name!r}]" for name in names]
    source = f"lambda function, holder, args, kwargs: function({', '.join(['holder.pop()', *given])})"
    code: CodeType = eval(source).__code__  # noqa: S307  the names are identifiers
    return code
