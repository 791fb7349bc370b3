"""Messages of Spark errors for users: those of the Java exception, if Python only reports a failed call."""

from typing import Any, Final

from jupyter_colophon.core.credentials import mask_secrets_in_text

_TRACEBACK: Final = "Traceback (most recent call last)"


def find_root_cause(java: Any) -> Any:
    """Return the root cause of a Java exception."""
    while (cause := java.getCause()) is not None:
        java = cause
    return java


def get_error_class(error: BaseException) -> str:
    """Return the class name of an exception, or of its root cause in Java."""
    java = getattr(error, "java_exception", None)
    return type(error).__name__ if java is None else str(find_root_cause(java).getClass().getSimpleName())


def format_spark_error(error: BaseException) -> str:
    """Return the class of an exception and the first non-empty line of its message, without credentials.

    For an exception in a Python worker of Spark, that is the last line of its traceback.
    """
    java = getattr(error, "java_exception", None)
    message = str(error) if java is None else str(find_root_cause(java).getMessage() or "")
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    line = "" if not lines else lines[-1 if any(line.startswith(_TRACEBACK) for line in lines) else 0]
    return f"{get_error_class(error)}: {mask_secrets_in_text(line)}" if line else get_error_class(error)
