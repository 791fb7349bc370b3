"""Expressions over the columns of a row: a small part of Python's syntax, evaluated without Python's `eval`."""

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.wrangling.errors import ArgumentError
from jupyter_colophon.wrangling.functions import FUNCTIONS

_CHARACTERS_MAX: Final = 1_000
_Evaluate = Callable[[Mapping[str, Any]], Any]
_ARITHMETIC: Final[Mapping[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_ORDER: Final[Mapping[type[ast.cmpop], Callable[[Any, Any], bool]]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_NAMES: Final = {"null": None, "true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed expression."""

    text: str
    _evaluate: _Evaluate

    def evaluate(self, row: Mapping[str, Any]) -> Any:
        """Return the value for a row. Raises TypeError, ValueError, ArithmeticError, LookupError."""
        return self._evaluate(row)


def parse_expression(text: str) -> Expression:
    """Parse an expression. Raises ArgumentError with the offset of the mistake."""
    if len(text) > _CHARACTERS_MAX:
        raise ArgumentError(f"an expression may have at most {_CHARACTERS_MAX} characters")
    indent = len(text) - len(text.lstrip())
    try:
        tree = ast.parse(text.strip(), mode="eval")
    except SyntaxError as error:
        raise ArgumentError(
            f"it is not a valid expression: {error.msg}", indent + max((error.offset or 1) - 1, 0)
        ) from None
    except (ValueError, RecursionError, MemoryError):
        raise ArgumentError("it is not a valid expression") from None
    try:
        return Expression(text.strip(), _compile(tree.body))
    except ArgumentError as error:
        raise ArgumentError(error.reason, indent + error.offset) from None
    except RecursionError:
        raise ArgumentError("the expression is nested too deeply") from None


def _compile(node: ast.expr) -> _Evaluate:
    compile_node = _COMPILERS.get(type(node))
    if compile_node is None:
        raise ArgumentError(f"{type(node).__name__} is not supported in expressions", node.col_offset)
    return compile_node(node)


def _compile_constant(node: Any) -> _Evaluate:
    value = node.value
    if not isinstance(value, (str, int, float, bool, type(None))):
        raise ArgumentError(f"{value!r} is not supported in expressions", node.col_offset)
    return lambda row: value


def _compile_name(node: Any) -> _Evaluate:
    name = node.id
    if name in _NAMES:
        value = _NAMES[name]
        return lambda row: value
    return lambda row: row[name]


def _compile_arithmetic(node: Any) -> _Evaluate:
    combine = _ARITHMETIC.get(type(node.op))
    if combine is None:
        raise ArgumentError(f"the operator {type(node.op).__name__} is not supported", node.col_offset)
    left, right = _compile(node.left), _compile(node.right)

    def evaluate(row: Mapping[str, Any]) -> Any:
        values = left(row), right(row)
        if None in values:
            return None
        if combine is not operator.add and any(isinstance(value, (str, list)) for value in values):
            raise TypeError("only numbers can be subtracted, multiplied and divided")
        return combine(*values)

    return evaluate


def _compile_unary(node: Any) -> _Evaluate:
    value = _compile(node.operand)
    if isinstance(node.op, ast.Not):
        return lambda row: not value(row)
    if isinstance(node.op, ast.USub):
        return lambda row: None if (number := value(row)) is None else -number
    raise ArgumentError(f"the operator {type(node.op).__name__} is not supported", node.col_offset)


def _compile_boolean(node: Any) -> _Evaluate:
    values = [_compile(value) for value in node.values]
    if isinstance(node.op, ast.And):
        return lambda row: all(value(row) for value in values)
    return lambda row: any(value(row) for value in values)


def _compile_comparison(node: Any) -> _Evaluate:
    operands = [_compile(operand) for operand in (node.left, *node.comparators)]
    comparisons = [_get_comparison(op, node) for op in node.ops]

    def evaluate(row: Mapping[str, Any]) -> bool:
        values = [operand(row) for operand in operands]
        return all(compare(values[at], values[at + 1]) for at, compare in enumerate(comparisons))

    return evaluate


def _get_comparison(op: ast.cmpop, node: ast.expr) -> Callable[[Any, Any], bool]:
    if isinstance(op, (ast.Eq, ast.Is)):
        return operator.eq
    if isinstance(op, (ast.NotEq, ast.IsNot)):
        return operator.ne
    if isinstance(op, ast.In):
        return lambda value, values: value in values
    if isinstance(op, ast.NotIn):
        return lambda value, values: value not in values
    order = _ORDER.get(type(op))
    if order is None:
        raise ArgumentError(f"the operator {type(op).__name__} is not supported", node.col_offset)
    return lambda left, right: left is not None and right is not None and order(left, right)


def _compile_condition(node: Any) -> _Evaluate:
    test, then, otherwise = _compile(node.test), _compile(node.body), _compile(node.orelse)
    return lambda row: then(row) if test(row) else otherwise(row)


def _compile_sequence(node: Any) -> _Evaluate:
    values = [_compile(value) for value in node.elts]
    return lambda row: [value(row) for value in values]


def _compile_call(node: Any) -> _Evaluate:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    if name == "column" and len(node.args) == 1 and isinstance(node.args[0], ast.Constant) and not node.keywords:
        column = str(node.args[0].value)
        return lambda row: row[column]
    function = FUNCTIONS.get(name)
    if function is None:
        raise ArgumentError(
            f"unknown function {name or 'here'}: use one of {', '.join(sorted(FUNCTIONS))}", node.col_offset
        )
    if node.keywords or not function.least <= len(node.args) <= function.most:
        raise ArgumentError(f"wrong number of arguments for {function.usage}", node.col_offset)
    arguments = [_compile(argument) for argument in node.args]
    return lambda row: function.call([argument(row) for argument in arguments])


_COMPILERS: Final[Mapping[type[ast.expr], Callable[[Any], _Evaluate]]] = {
    ast.Constant: _compile_constant,
    ast.Name: _compile_name,
    ast.BinOp: _compile_arithmetic,
    ast.UnaryOp: _compile_unary,
    ast.BoolOp: _compile_boolean,
    ast.Compare: _compile_comparison,
    ast.IfExp: _compile_condition,
    ast.List: _compile_sequence,
    ast.Tuple: _compile_sequence,
    ast.Call: _compile_call,
}
