"""Compile the grammar of IRIs at its first use; Python imports this module at its start in the environment of `make`.

`jsonschema` imports `rfc3987_syntax`, which compiles its grammar then: more than a second in each server that a test
starts. Hardly one of them checks an IRI.
"""

import sys
from types import ModuleType

NAME = "rfc3987_syntax"


class LazyGrammar(ModuleType):
    """Takes the place of the package until it is used."""

    def is_valid_syntax(self, term: str, value: str) -> bool:
        """Return whether the value is one of the grammar's term."""
        return bool(_import_package().is_valid_syntax(term, value))

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(_import_package(), name)


def _import_package() -> ModuleType:
    # Another thread may already be importing the package.
    if isinstance(sys.modules.get(NAME), LazyGrammar):
        del sys.modules[NAME]
    from importlib import import_module

    return import_module(NAME)


sys.modules.setdefault(NAME, LazyGrammar(NAME))
