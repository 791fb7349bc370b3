"""The columns that a function of a row or a batch uses and returns, read from its source.

`dataset.map(lambda row: {"half": row["price"] / 2})` computes `half` from `price`. A function is understood if all it does is to
return an expression, and if it uses its row only to look up constant names.
"""

import ast
import linecache
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import FunctionType
from typing import Any

#: Code that is longer is not examined.
_MAX_LINES = 20_000


@dataclass(frozen=True, slots=True)
class UsedColumns:
    """The columns that an expression uses, None if unknown; `is_copy` if it is one of them and nothing else."""

    names: frozenset[str] | None
    is_copy: bool = False


def find_condition(function: Any, given: Sequence[str] | None) -> frozenset[str] | None:
    """Return the columns that a function uses; `given` are the columns that are its arguments, None if a row is. None if unknown."""
    found = _find_expression(function)
    return None if found is None else _find_used(found[1], found[0], given).names


def find_returned(function: Any, given: Sequence[str] | None) -> Mapping[str, UsedColumns] | None:
    """Return the columns that a function returns, with those that each is computed from; None if unknown."""
    found = _find_expression(function)
    if found is None:
        return None
    parameters, returned = found
    if not isinstance(returned, ast.Dict):
        return None
    columns: dict[str, UsedColumns] = {}
    for key, value in zip(returned.keys, returned.values, strict=True):
        if not isinstance(key, ast.Constant) or not isinstance(key.value, str):
            return None
        columns[key.value] = _find_used(value, parameters, given)
    return columns


def _find_expression(function: Any) -> tuple[list[str], ast.expr] | None:
    """Return the parameters of a function and the expression that it returns; None for other functions."""
    if not isinstance(function, FunctionType):
        return None
    node = _find_node(function.__code__.co_filename, function.__code__.co_firstlineno)
    if node is None:
        return None
    parameters = [each.arg for each in (*node.args.posonlyargs, *node.args.args)]
    if isinstance(node, ast.Lambda):
        return parameters, node.body
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    if node.decorator_list or len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is None:
        return None
    return parameters, body[0].value


@lru_cache(maxsize=256)
def _find_node(filename: str, line: int) -> ast.Lambda | ast.FunctionDef | None:
    """Return the only function that begins on a line of a file or a cell."""
    lines = linecache.getlines(filename)
    if not lines or len(lines) > _MAX_LINES:
        return None
    try:
        tree = ast.parse("".join(lines))
    except (SyntaxError, ValueError):
        return None
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Lambda | ast.FunctionDef) and node.lineno == line]
    return found[0] if len(found) == 1 else None


def _find_used(expression: ast.expr, parameters: Sequence[str], given: Sequence[str] | None) -> UsedColumns:
    if given is not None:
        columns = dict(zip(parameters, given, strict=False))
        loaded = [node.id for node in ast.walk(expression) if isinstance(node, ast.Name) and node.id in columns]
        return UsedColumns(
            frozenset(columns[name] for name in loaded), isinstance(expression, ast.Name) and bool(loaded)
        )
    row = parameters[0] if parameters else ""
    names = [name for node in ast.walk(expression) if (name := _find_looked_up(node, row)) is not None]
    uses = [node for node in ast.walk(expression) if isinstance(node, ast.Name) and node.id == row]
    if len(uses) != len(names):
        return UsedColumns(None)
    return UsedColumns(frozenset(names), is_copy=_find_looked_up(expression, row) is not None)


def _find_looked_up(node: ast.AST, row: str) -> str | None:
    """Return the constant name that an expression looks up in a row; None for another expression."""
    if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and isinstance(node.slice, ast.Constant):
        name = node.slice.value
        return name if node.value.id == row and isinstance(name, str) else None
    return None
