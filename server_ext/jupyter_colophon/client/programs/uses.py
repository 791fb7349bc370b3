"""Which data a program says that it uses, and how (spec CAPTURE-10)."""

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
    """A dataset as a program names it, and what the program does with it."""

    name: str
    access: UseAccess = "unknown"
    component: str = ""


def uses(name: str, access: UseAccess = "unknown", component: str = "") -> Callable[[T], T]:
    """Declares that a function or a class uses a dataset; `@uses` may stand several times. Raises ValueError.

    A name in braces, `@uses("{source}")`, is that of an argument of the run.
    """
    use = Use(name, checked(access), component)

    def declare(code: T) -> T:
        setattr(code, _DECLARED, (use, *declared(code)))
        return code

    return declare


def declared(code: Any) -> tuple[Use, ...]:
    """What a function or a class declares; a class also what those above it do."""
    found: tuple[Use, ...] = getattr(code, _DECLARED, ())
    return found


def checked(access: UseAccess) -> UseAccess:
    """The access, if it is one. Raises ValueError."""
    if access not in MODES:
        msg = f"the access {access!r} is none of {', '.join(MODES)}"
        raise ValueError(msg)
    return access


def joined(one: AccessMode, other: AccessMode) -> AccessMode:
    """Both together: reading and writing is both, and what is known takes the place of what is not."""
    if "unknown" in (one, other):
        return other if one == "unknown" else one
    return one if one == other else "both"
