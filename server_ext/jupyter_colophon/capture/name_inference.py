"""Origins of values that no library call connects: the names that the code of a cell uses and defines.

`predictions = model.predict(features.values)` computes a value in ways that nothing observes. Its statement uses `model` and
`features`, so what these came from is what the predictions came from, and so is what a call in the statement reads. This is an
inference: it is marked as such, and where names are ambiguous nothing is inferred. A name is ambiguous in a cell that assigns it
in a loop or a branch and elsewhere, or after its use there. The same holds for an array or a list that is put into a frame,
`frame["p"] = model.predict(features)`.
"""

import ast
import itertools
import linecache
import sys
import types
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import PurePath
from typing import Any, Final

from jupyter_colophon.capture.observation import Inference
from jupyter_colophon.capture.origins import MAX_SOURCES, Origin, OriginRegistry, derive_origin

#: Methods that put their arguments into the object that they are called on.
_FILLING: Final = frozenset(
    {"add", "append", "extend", "fit", "insert", "load_state_dict", "partial_fit", "put", "setdefault", "update"}
)
#: Those of them that replace what was in the object.
_REPLACING: Final = frozenset({"fit", "load_state_dict"})
#: Values that control a computation: nothing is computed from their content.
_NOT_DATA: Final = (
    *(str, bytes, int, float, complex, bool, types.NoneType, PurePath),
    *(types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, type),
)
#: Attributes that depend on the size or the type of data.
_MEASURES: Final = frozenset({"columns", "dtype", "dtypes", "empty", "ndim", "schema", "shape", "size"})
#: Code that is longer is not examined: it would delay the end of the cell.
_MAX_SOURCE_CHARS: Final = 200_000
_SIMPLE: Final = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Expr, ast.Return, ast.Delete)


class NameInference:
    """Infers the origins of values of one program by names; `registry` has those that are known by calls."""

    def __init__(self, registry: OriginRegistry) -> None:
        """Create an inference that knows no names yet."""
        self._registry = registry
        #: Origins of values that cannot be referenced weakly, such as lists, by the name and the identity of the value.
        self._by_name: dict[str, tuple[int, Origin]] = {}
        #: The origins of variables when the cell began.
        self._before: dict[str, Origin] = {}
        self._reads = _CellReads()

    @property
    def has_origins(self) -> bool:
        """Return whether anything was read whose values may be inferred."""
        return bool(len(self._registry) or self._before or self._reads.filename)

    def add_read(self, origin: Origin) -> None:
        """Note what the running statement of the cell reads: the value need not be one that can be followed."""
        # The three innermost frames are those of the report at least; to get each of them as an object would cost more.
        frame = _find_top_level_frame(4)
        if frame is not None:
            self._reads.add_read(frame, origin)

    def remember_variables(self, origins: Mapping[str, Origin]) -> None:
        """Remember the origins of the variables at the end of a cell, and forget what it read."""
        self._before, self._reads = dict(origins), _CellReads()

    def find_current_origins(self, function: str, *, is_first: bool) -> list[Origin]:
        """Return the origins of what the running statement of the program uses: it calls `function` with a value of unknown origin.

        The value is the first argument (`is_first`), so that of a method it is the receiver, or one of the others.
        """
        return self._list_running_origins(
            lambda statement, variables: _find_written(statement, function, variables, is_first),
        )

    def find_assigned_origins(self) -> list[Origin]:
        """Return the origins of what the running statement uses: it puts a value of unknown origin into another one."""
        return self._list_running_origins(lambda statement, _: None)

    def _list_running_origins(self, find_part: Callable[[ast.stmt, Mapping[str, Any]], ast.AST | None]) -> list[Origin]:
        """Return the origins of the values that a part of the running statement uses; all of it if `find_part` returns None."""
        frame = _find_top_level_frame() if self.has_origins else None
        names = None if frame is None else _read_names(frame.f_code.co_filename)
        if frame is None or names is None:
            return []
        inferred = _InferredNames(self, names, frame.f_globals, frame.f_code.co_filename)
        # The end of the line, if the place in it is unknown.
        place = _find_place(frame.f_code, frame.f_lasti) or (frame.f_lineno, sys.maxsize)
        for statement in names.statements:
            if _get_end(statement) <= place:
                inferred.add_statement(statement)
        running = [each for each in names.statements if (each.lineno, each.col_offset) <= place < _get_end(each)]
        parts = [(each, find_part(each, frame.f_globals)) for each in running]
        return [origin for each, part in parts for origin in inferred.list_origins(each, part)]

    def record_origins_at_end(self, source: str, variables: Mapping[str, Any], execution: object, time_ms: int) -> None:
        """Give origins to the values that a cell with this source assigned and whose origins no call recorded."""
        tree = _parse(source) if self.has_origins else None
        if tree is None:
            return
        names = _CellNames(tree)
        for name in names.assigned:
            self._by_name.pop(name, None)
        inferred = _InferredNames(self, names, variables, self._reads.filename)
        for statement in names.statements:
            inferred.add_statement(statement)
        for name, origins in inferred.origins.items():
            value = variables.get(name)
            if not origins or not _is_data(value):
                continue
            known = self.find_origin(name, value)
            is_filled_again = name in inferred.filled and known is not None and _is_older(known, execution)
            if known is None or is_filled_again:
                origin = derive_origin(origins, execution, time_ms, None, Inference.NAME)
                if origin is not None:
                    self._keep(name, value, origin)

    def find_origin(self, name: str, value: object) -> Origin | None:
        """Return the origin of the value that a variable has; None if it is unknown."""
        known = self._by_name.get(name)
        return self._registry.find_origin(value) or (known[1] if known is not None and known[0] == id(value) else None)

    def find_origin_before(self, name: str) -> Origin | None:
        """Return the origin of the value that a variable had when the cell began; None if it is unknown."""
        return self._before.get(name)

    def list_reads(self, part: ast.AST, filename: str) -> list[Origin]:
        """Return what the calls in a part of the code of a file read."""
        return self._reads.list_reads(part) if filename == self._reads.filename else []

    def _keep(self, name: str, value: object, origin: Origin) -> None:
        origin.name = name
        self._registry.set_origin(value, origin)
        if self._registry.find_origin(value) is None:
            self._by_name[name] = (id(value), origin)


class _CellReads:
    """What the calls of a cell read, by their places in its code."""

    def __init__(self) -> None:
        self.filename = ""
        self._reads: list[tuple[tuple[int, int], Origin]] = []
        #: Reads whose places were not needed yet, by the code and the instruction of the call.
        self._unplaced: list[tuple[types.CodeType, int, Origin]] = []

    def add_read(self, frame: types.FrameType, origin: Origin) -> None:
        """Add what the call reads that a frame of the cell is in."""
        code = frame.f_code
        if code.co_filename != self.filename:
            self.filename, self._reads, self._unplaced = code.co_filename, [], []
        if len(self._reads) + len(self._unplaced) < MAX_SOURCES:
            self._unplaced.append((code, frame.f_lasti, origin))

    def list_reads(self, part: ast.AST) -> list[Origin]:
        """Return what the calls read that are in a part of the code."""
        self._resolve_places()
        first, end = (getattr(part, "lineno", 0), getattr(part, "col_offset", 0)), _get_end(part)
        return [origin for place, origin in self._reads if first <= place < end]

    def _resolve_places(self) -> None:
        """Find the places of the calls: this takes longer than many calls do, and those in a loop have the same place."""
        unplaced, self._unplaced = self._unplaced, []
        places: dict[tuple[int, int], tuple[int, int] | None] = {}
        for code, instruction, origin in unplaced:
            key = id(code), instruction
            if key not in places:
                places[key] = _find_place(code, instruction)
            place = places[key]
            if place is not None:
                self._reads.append((place, origin))


def _find_place(code: types.CodeType, instruction: int) -> tuple[int, int] | None:
    """Return the line and the column of the call that an instruction makes; None if Python does not keep them."""
    places = itertools.islice(code.co_positions(), instruction // 2, None)
    line, _, column, _ = next(places, (None, None, None, None))
    return None if line is None or column is None else (line, column)


def _get_end(part: ast.AST) -> tuple[int, int]:
    return getattr(part, "end_lineno", None) or 0, getattr(part, "end_col_offset", None) or 0


class _CellNames:
    """The simple statements of a cell in their order, and which of its names are ambiguous."""

    def __init__(self, tree: ast.Module) -> None:
        self.statements = list(_iterate_statements(tree.body))
        self.assigned = Counter(name for each in self.statements for name in _list_assigned(each))
        self._first = {name: each.lineno for each in reversed(self.statements) for name in _list_assigned(each)}
        certain = list(_iterate_certain(tree.body))
        self._once = {id(each) for each in certain}
        self._iterated = {id(each.iter) for each in certain if isinstance(each, ast.For | ast.AsyncFor)}
        repeated = (each for each in self.statements if id(each) not in self._once)
        self._unclear = {name for each in repeated for name in _list_assigned(each)}

    def is_certain(self, name: str, line: int) -> bool:
        """Return whether a name has, at a line of the cell, the value that it has at the end of the cell."""
        return self.assigned[name] == 0 or (self.assigned[name] == 1 and self._first[name] < line)

    def is_run_once(self, statement: ast.stmt) -> bool:
        """Return whether a statement runs exactly once, and after those above it."""
        return id(statement) in self._once

    def find_iterated(self, statement: ast.stmt) -> ast.expr | None:
        """Return what a loop goes through, given the assignment of its variable, if that is computed exactly once."""
        value = statement.value if isinstance(statement, ast.Assign) else None
        return value if id(value) in self._iterated else None

    def is_ordered(self, name: str) -> bool:
        """Return whether each assignment of a name runs exactly once, in the order of the code."""
        return name not in self._unclear


class _InferredNames:
    """The origins of names, statement by statement."""

    def __init__(
        self, inference: NameInference, names: _CellNames, variables: Mapping[str, Any], filename: str
    ) -> None:
        self._inference, self._names, self._variables, self._filename = inference, names, variables, filename
        self.origins: dict[str, list[Origin]] = {}
        #: The names of objects that the statements put something into.
        self.filled = set[str]()
        self._assigned = Counter[str]()

    def add_statement(self, statement: ast.stmt) -> None:
        """Add what a statement assigns and fills."""
        origins, assigned = self.list_origins(statement), _list_assigned(statement)
        for name in assigned:
            self._assigned[name] += 1
            if self._names.is_ordered(name):
                self.origins[name] = []
        for name in assigned:
            self.origins.setdefault(name, []).extend(origins)
        for name, call in _list_filled(statement):
            if call is not None and self._names.is_run_once(statement):
                # What an object was trained with before counts no more.
                self.origins[name] = self.list_origins(statement, _list_arguments(call))
            else:
                self.origins.setdefault(name, []).extend(origins)
            self.filled.add(name)

    def list_origins(self, statement: ast.stmt, part: ast.AST | None = None) -> list[Origin]:
        """Return the origins of the values that a statement uses, or a part of it."""
        code = part or statement
        found = [origin for name in self._list_used(code) for origin in self._list_origins_of_name(name, statement)]
        if self._names.is_run_once(statement):
            found += self._inference.list_reads(code, self._filename)
        elif (iterated := self._names.find_iterated(statement)) is not None:
            found += self._inference.list_reads(iterated, self._filename)
        return list(dict.fromkeys(found))

    def _list_origins_of_name(self, name: str, statement: ast.stmt) -> list[Origin]:
        value = self._variables.get(name)
        if self._names.is_certain(name, statement.lineno):
            if not _is_data(value):
                return []
            known = self._inference.find_origin(name, value)
            return [known] if known is not None else self.origins.get(name, [])
        if not (self._names.is_ordered(name) and self._names.is_run_once(statement)):
            return []
        if self._assigned[name]:
            return self.origins.get(name, [])
        before = self._inference.find_origin_before(name)
        return [] if before is None else [before]

    def _list_used(self, statement: ast.AST) -> list[str]:
        """Return the names that code reads, also within the program's own functions that it calls."""
        waiting, found = [*_list_loaded(statement)], dict[str, None]()
        while waiting:
            name = waiting.pop()
            if name in found:
                continue
            found[name] = None
            value = self._variables.get(name)
            if isinstance(value, types.FunctionType) and value.__globals__ is self._variables:
                waiting += value.__code__.co_names
        return list(found)


def _find_top_level_frame(depth: int = 1) -> types.FrameType | None:
    """Return the frame of the program's own top-level code: the cell, or the script. It is at this depth at least."""
    frame: types.FrameType | None = sys._getframe(depth)
    while frame is not None and frame.f_code.co_name != "<module>":
        frame = frame.f_back
    return frame


@lru_cache(maxsize=64)
def _read_names(filename: str) -> "_CellNames | None":
    """Return the names of the code of a file, or of a cell, which IPython registers under a file name of its own."""
    tree = _parse("".join(linecache.getlines(filename)))
    return None if tree is None else _CellNames(tree)


def _find_written(statement: ast.stmt, function: str, variables: Mapping[str, Any], is_first: bool) -> ast.AST | None:
    """Return the part of a statement with what `function` writes: the receiver of a method if `is_first`, else the arguments."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Attribute) and called.attr == function:
                is_module = isinstance(called.value, ast.Name) and isinstance(
                    variables.get(called.value.id), types.ModuleType
                )
                return called.value if is_first and not is_module else _list_arguments(node)
            if isinstance(called, ast.Name) and called.id == function:
                return _list_arguments(node)
    return None


def _list_arguments(call: ast.Call) -> ast.Tuple:
    arguments = ast.Tuple([*call.args, *(each.value for each in call.keywords)])
    if arguments.elts:
        first, last = arguments.elts[0], arguments.elts[-1]
        arguments.lineno, arguments.col_offset = first.lineno, first.col_offset
        arguments.end_lineno, arguments.end_col_offset = last.end_lineno, last.end_col_offset
    return arguments


def _parse(source: str) -> ast.Module | None:
    if not source or len(source) > _MAX_SOURCE_CHARS:
        return None
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError):
        return None


def _iterate_statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of code that run in this cell: those of loops and branches too, not those of functions and classes."""
    for statement in body:
        if isinstance(statement, _SIMPLE):
            yield statement
        elif not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if isinstance(statement, ast.For | ast.AsyncFor):
                loop = ast.Assign([statement.target], statement.iter)
                yield ast.copy_location(loop, statement.target)
            for name in ("body", "orelse", "handlers", "finalbody"):
                for part in getattr(statement, name, []):
                    yield from _iterate_statements(part.body if isinstance(part, ast.ExceptHandler) else [part])


def _iterate_certain(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the simple statements of code that run exactly once, and its loops: not those of loops, branches and handlers."""
    for statement in body:
        if isinstance(statement, (*_SIMPLE, ast.For, ast.AsyncFor)):
            yield statement
        elif isinstance(statement, ast.With | ast.AsyncWith):
            yield from _iterate_certain(statement.body)


def _list_loaded(statement: ast.AST) -> list[str]:
    """Return the names that code reads, except those of which it only uses the size or the type."""
    waiting, found = [statement], list[str]()
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            found.append(node.id)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            found.append(node.target.id)
        if not _is_measure(node):
            waiting += ast.iter_child_nodes(node)
    return found


def _is_measure(node: ast.AST) -> bool:
    """Return whether an expression depends on the size or the type of data: `len(rows)`, `frame.shape`."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "len"
    return isinstance(node, ast.Attribute) and node.attr in _MEASURES


def _list_assigned(statement: ast.stmt) -> list[str]:
    return [node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]


def _list_filled(statement: ast.stmt) -> list[tuple[str, ast.Call | None]]:
    """Return the names of objects that a statement puts something into, `rows.append(…)`, `parts["a"] = …`.

    With a name comes the call that replaces what was in the object: `model.fit(…)`.
    """
    filled: list[tuple[ast.expr, ast.Call | None]] = []
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _FILLING:
            filled.append((node.func.value, node if node.func.attr in _REPLACING else None))
        elif isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store):
            filled.append((node.value, None))
    return [(node.id, call) for node, call in filled if isinstance(node, ast.Name)]


def _is_older(origin: Origin, execution: object) -> bool:
    """Return whether an origin was inferred in another cell, so that what this cell puts into the value is not in it."""
    return origin.inference is Inference.NAME and origin.execution is not execution


def _is_data(value: object) -> bool:
    return not isinstance(value, _NOT_DATA)
