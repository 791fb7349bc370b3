"""Read classes and their literal attributes from the source of Python modules, without executing it."""

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

#: How many imports and base classes are followed.
_DEPTH_MAX: Final = 10


class NotLiteral(Exception):
    """A value that is known only when the code runs."""


class UnknownClass(Exception):
    """A class that the source does not define."""


@dataclass(frozen=True, slots=True)
class SourceModule:
    """The classes, literal constants and imported names of a module. Raises SyntaxError, ValueError, RecursionError."""

    name: str
    is_package: bool
    classes: Mapping[str, ast.ClassDef]
    constants: Mapping[str, ast.expr]
    #: The module and the name that each imported name refers to.
    imports: Mapping[str, tuple[str, str]]

    @classmethod
    def parse(cls, name: str, source: bytes, *, is_package: bool = False) -> "SourceModule":
        """Parse and compile the source of a module."""
        tree = ast.parse(source)
        compile(tree, f"{name}.py", "exec", dont_inherit=True)
        classes: dict[str, ast.ClassDef] = {}
        constants: dict[str, ast.expr] = {}
        imports: dict[str, tuple[str, str]] = {}
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                classes[node.name] = node
            elif isinstance(node, ast.ImportFrom):
                module = _resolve_module(name, is_package, node)
                imports |= {item.asname or item.name: (module, item.name) for item in node.names}
            else:
                constants |= dict(_iterate_assignments(node))
        return cls(name, is_package, classes, constants, imports)


@dataclass(frozen=True, slots=True)
class SourceClass:
    """A class, and the module that defines it."""

    module: SourceModule
    node: ast.ClassDef


@dataclass(slots=True)
class SourceTree:
    """The modules of an artifact, which are parsed when they are needed."""

    #: Returns the module with a name, None for one that the artifact does not have.
    load: Callable[[str], SourceModule | None]
    _modules: dict[str, SourceModule | None] = field(default_factory=dict)

    def find_class(self, module: str, name: str, depth: int = 0) -> SourceClass:
        """Return a class by its module and name; imports from other modules of the artifact are followed.

        Raises UnknownClass.
        """
        source = self._get_module(module)
        if source is None or depth > _DEPTH_MAX:
            raise UnknownClass(f"{module}:{name}")
        if name in source.classes:
            return SourceClass(source, source.classes[name])
        if name in source.imports:
            return self.find_class(*source.imports[name], depth + 1)
        raise UnknownClass(f"{module}:{name}")

    def find_base_named(self, class_: SourceClass, names: Mapping[str, Any], depth: int = 0) -> str:
        """Return which of these names, of classes outside the artifact, is a base class; empty if none is."""
        if depth > _DEPTH_MAX:
            return ""
        for base in class_.node.bases:
            name = base.id if isinstance(base, ast.Name) else base.attr if isinstance(base, ast.Attribute) else ""
            try:
                inner = self.find_class(class_.module.name, name)
            except UnknownClass:
                name = class_.module.imports.get(name, ("", name))[1]
                if name in names:
                    return name
                continue
            if found := self.find_base_named(inner, names, depth + 1):
                return found
        return ""

    def read_attribute(self, class_: SourceClass, name: str, default: Any, depth: int = 0) -> Any:
        """Return the value of a class attribute, which a base class may define. Raises NotLiteral."""
        for node in class_.node.body:
            for target, value in _iterate_assignments(node):
                if target == name:
                    return self._evaluate(value, class_.module)
        for base in class_.node.bases if depth <= _DEPTH_MAX else ():
            if isinstance(base, ast.Name):
                try:
                    inner = self.find_class(class_.module.name, base.id)
                except UnknownClass:
                    continue
                value = self.read_attribute(inner, name, None, depth + 1)
                if value is not None:
                    return value
        return default

    def read_constant(self, module: SourceModule, name: str) -> Any:
        """Return the value of a constant of a module; None if it has none, or not a literal one."""
        try:
            return self._evaluate(module.constants[name], module)
        except (KeyError, NotLiteral):
            return None

    def _get_module(self, name: str) -> SourceModule | None:
        if name not in self._modules:
            self._modules[name] = self.load(name)
        return self._modules[name]

    def _evaluate(self, node: ast.expr, module: SourceModule, depth: int = 0) -> Any:
        """Return the value of a literal, which may refer to constants of its module."""
        if depth > 100:
            raise NotLiteral
        if isinstance(node, ast.Constant) and isinstance(node.value, str | int | float | bool | None):
            return node.value
        if isinstance(node, ast.List | ast.Tuple):
            return [self._evaluate(item, module, depth + 1) for item in node.elts]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            value = self._evaluate(node.operand, module, depth + 1)
            if isinstance(value, int | float):
                return -value
        if isinstance(node, ast.Dict):
            return self._evaluate_dict(node, module, depth + 1)
        if isinstance(node, ast.Name) and node.id in module.constants:
            return self._evaluate(module.constants[node.id], module, depth + 1)
        raise NotLiteral

    def _evaluate_dict(self, node: ast.Dict, module: SourceModule, depth: int) -> dict[str, Any]:
        document: dict[str, Any] = {}
        for key, item in zip(node.keys, node.values, strict=True):
            value = self._evaluate(item, module, depth)
            if key is None and isinstance(value, dict):
                document |= value
                continue
            name = None if key is None else self._evaluate(key, module, depth)
            if not isinstance(name, str):
                raise NotLiteral
            document[name] = value
        return document


def _iterate_assignments(node: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that a statement assigns, each with its expression."""
    if isinstance(node, ast.Assign):
        yield from ((target.id, node.value) for target in node.targets if isinstance(target, ast.Name))
    elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
        yield node.target.id, node.value


def _resolve_module(name: str, is_package: bool, node: ast.ImportFrom) -> str:
    """Return the absolute name of the module of an import."""
    if not node.level:
        return node.module or ""
    parents = name.split(".")
    kept = len(parents) - node.level + (1 if is_package else 0)
    return ".".join([*parents[: max(0, kept)], *([node.module] if node.module else [])])
