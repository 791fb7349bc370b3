"""Calls of methods that change their receiver, without a reference to it.

pandas warns of a change that is lost because the frame is a temporary one (`df["a"].fillna(0, inplace=True)`): it counts the
references to it. A wrapper that keeps a reference would suppress the warning.
"""

import functools
import keyword
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType
from typing import Any, TypeAlias

from jupyter_colophon.capture.places import set_place

Function: TypeAlias = Callable[..., Any]


@functools.lru_cache(maxsize=256)
def create_call(
    original: Function, count: int, names: tuple[str, ...]
) -> Callable[[list[Any], tuple[Any, ...], Mapping[str, Any]], Any]:
    """Return a function that calls a method with the only element of a list as its receiver, which it removes there.

    The method gets `count` further arguments of a tuple, and those of a mapping that have these names. Only it has a reference
    to the receiver then.
    """
    if any(not name.isidentifier() or keyword.iskeyword(name) for name in names):
        return set_place(lambda holder, args, kwargs: original(holder.pop(), *args, **kwargs), original)
    return set_place(FunctionType(_compile_call(count, names), {"original": original, "__name__": __name__}), original)


@functools.lru_cache(maxsize=256)
def _compile_call(count: int, names: tuple[str, ...]) -> CodeType:
    """Return code that calls a method with arguments by position and by name: `f(*args)` would keep a tuple with references."""
    given = [f"args[{at}]" for at in range(count)] + [f"{name}=kwargs[{name!r}]" for name in names]
    source = f"lambda holder, args, kwargs: original({', '.join(['holder.pop()', *given])})"
    code: CodeType = eval(source).__code__  # noqa: S307  the names are identifiers
    return code
