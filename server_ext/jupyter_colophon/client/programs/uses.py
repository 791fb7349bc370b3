"""Declare which data a program uses, and how (spec CAPTURE-10)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from jupyter_colophon.core.lineage.run import AccessMode

UseAccess = Literal["in", "out", "both", "unknown"]
MODES: dict[UseAccess, AccessMode] = {"in": "read", "out": "write", "both": "both", "unknown": "unknown"}
_DECLARED = "__colophon_uses__"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Use:
    """A dataset, as named in a program, and how the program uses it."""

    name: str
    access: UseAccess = "unknown"
    component: str = ""


def uses(name: str, access: UseAccess = "unknown", component: str = "") -> Callable[[T], T]:
    """Declare that a function or a class uses a dataset; `@uses` can be repeated. Raises ValueError.

    A name in braces, `@uses("{source}")`, refers to an argument of the run.
    """
    use = Use(name, validate_access_mode(access), component)

    def declare(code: T) -> T:
        setattr(code, _DECLARED, (use, *get_declared_uses(code)))
        return code

    return declare


def get_declared_uses(function_or_class: Any) -> tuple[Use, ...]:
    """Return the uses that a function or a class declares; a class inherits those of its bases."""
    uses: tuple[Use, ...] = getattr(function_or_class, _DECLARED, ())
    return uses


def validate_access_mode(access: UseAccess) -> UseAccess:
    """Return a valid access. Raises ValueError."""
    if access not in MODES:
        msg = f"invalid access {access!r}: use one of {', '.join(MODES)}"
        raise ValueError(msg)
    return access


def combine_access_modes(item: AccessMode, other: AccessMode) -> AccessMode:
    """Combine two modes: read and write give both, and a known mode replaces an unknown one."""
    if "unknown" in (item, other):
        return other if item == "unknown" else item
    return item if item == other else "both"
