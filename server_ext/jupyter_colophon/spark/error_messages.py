"""What went wrong in Spark, in words for people: of what Java raised, its own, where Python knows only that a call failed."""

from typing import Any

from jupyter_colophon.core.credentials import mask_text


def root(java: Any) -> Any:
    """Java's object of an exception that caused it all."""
    while (cause := java.getCause()) is not None:
        java = cause
    return java


def kind(error: BaseException) -> str:
    """The class of an exception."""
    java = getattr(error, "java_exception", None)
    return type(error).__name__ if java is None else str(root(java).getClass().getSimpleName())


def in_a_line(error: BaseException) -> str:
    """Return the class of an exception and the first line of its message that is not empty, without credentials."""
    java = getattr(error, "java_exception", None)
    said = str(error) if java is None else str(root(java).getMessage() or "")
    first = next((line.strip() for line in said.splitlines() if line.strip()), "")
    return f"{kind(error)}: {mask_text(first)}" if first else kind(error)
