"""Replace functions of libraries by wrappers, and restore them.

A wrapper keeps name, module, signature and documentation of the function, and takes its place wherever the library refers to
it, so that it can be pickled by its name, inspected, and inherited.
"""

import functools
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from jupyter_colophon.capture.places import set_place

Function = Callable[..., Any]


class Patches:
    """The functions that one adapter replaced."""

    def __init__(self) -> None:
        """Create an empty list of replacements."""
        self._originals: list[tuple[Any, str, Any, Any]] = []
        self._undo: list[Callable[[], object]] = []
        self._modules: dict[str, list[ModuleType]] = {}

    def replace_method(self, owner: type, name: str, wrap: Callable[[Function], Function]) -> bool:
        """Replace the method `name` that the class itself defines; return whether it defines it.

        A class method and a static method stay what they are; of a property, the function that returns its value is replaced.
        """
        original = owner.__dict__.get(name)
        if original is None:
            return False
        if isinstance(original, classmethod | staticmethod):
            replacement: Any = type(original)(_wrap(original.__func__, wrap))
        elif type(original) is property and original.fget is not None:
            replacement = property(_wrap(original.fget, wrap), original.fset, original.fdel, original.__doc__)
        elif callable(original):
            replacement = _wrap(original, wrap)
        else:
            return False
        return self._set(owner, name, original, replacement)

    def extend_class(self, owner: type, name: str, wrap: Callable[[Function], Function]) -> None:
        """Define a method of a class by what `wrap` returns for the one that the class inherits from a class that cannot be changed."""
        setattr(owner, name, _wrap(getattr(owner, name), wrap))
        self._undo.append(lambda: delattr(owner, name))

    def replace_function(
        self, module: ModuleType, name: str, wrap: Callable[[Function], Function], *, is_internal: bool = True
    ) -> bool:
        """Replace the function `name` of a module, and every reference to it in the loaded modules of the same package.

        Without `is_internal` only the references in `module` and in the module that defines the function are replaced: the library
        itself goes on calling the function. Return whether the module has such a function.
        """
        original = getattr(module, name, None)
        if not callable(original):
            return False
        replacement, is_set = _wrap(original, wrap), False
        if is_internal:
            modules = self._list_modules(module.__name__.partition(".")[0])
        else:
            defining = sys.modules.get(getattr(original, "__module__", None) or "", module)
            modules = [module] if defining is module else [module, defining]
        for other in modules:
            if other.__dict__.get(name) is original:
                is_set |= self._set(other, name, original, replacement)
        return is_set or self._set(module, name, original, replacement)

    def replace_global(self, module: ModuleType, name: str, value: object) -> None:
        """Replace the value of a global variable of a module, if it has one of this name."""
        if name in module.__dict__:
            self._set(module, name, module.__dict__[name], value)

    def call_when_restored(self, function: Callable[[], object]) -> None:
        """Call a function when the originals are restored."""
        self._undo.append(function)

    def _list_modules(self, package: str) -> list[ModuleType]:
        """Return the modules of a package that are loaded when it is first asked for: searching all of them takes a millisecond."""
        if package not in self._modules:
            prefix = f"{package}."
            self._modules[package] = [
                module
                for name, module in tuple(sys.modules.items())
                if module is not None and (name == package or name.startswith(prefix))
            ]
        return self._modules[package]

    def restore(self) -> None:
        """Restore the originals, also in modules that were imported meanwhile, unless someone else replaced them."""
        while self._undo:
            self._undo.pop()()
        self._modules.clear()
        while self._originals:
            owner, name, original, replacement = self._originals.pop()
            owners = self._list_modules(owner.__name__.partition(".")[0]) if isinstance(owner, ModuleType) else [owner]
            for each in owners:
                if each.__dict__.get(name) is replacement:
                    setattr(each, name, original)

    def _set(self, owner: Any, name: str, original: Any, replacement: Any) -> bool:
        try:
            setattr(owner, name, replacement)
        except (AttributeError, TypeError):
            # A class of an extension module cannot be changed.
            return False
        self._originals.append((owner, name, original, replacement))
        return True


def _wrap(original: Function, wrap: Callable[[Function], Function]) -> Function:
    return functools.update_wrapper(set_place(wrap(original), original), original)
