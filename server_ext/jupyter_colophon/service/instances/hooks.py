"""Calling what the schema's own class does at each step, and telling how it failed."""

import logging
from typing import Any

from jupyter_colophon.core.errors import HookDenied, HookFailed, MetadataError
from jupyter_colophon.service.instances.class_adapter import Shaped

#: Errors by which a class tells people something: in its own words. Elyra's are known by their names.
_TELLING = {"MetadataExistsError", "MetadataNotFoundError", "SchemaNotFoundError", "ValidationError"}
_logger = logging.getLogger(__name__)


def call(instance: Shaped, hook: str, name: str, **options: Any) -> None:
    """Call one hook. Raises HookFailed from whatever it raises, but our own errors as they are."""
    try:
        getattr(instance, hook)(**options)
    except (MetadataError, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        # Also SystemExit: a package may refuse an instance, and not end the server.
        if not is_telling(error):
            _logger.exception("%s of instance %s failed", hook, name)
        raise failure(hook, name, error) from error


def failure(hook: str, name: str, error: BaseException, *, undone: bool = False) -> HookFailed:
    """Return the error of ours for what a class raised."""
    kind = HookDenied if _is_denial(error) else HookFailed
    return kind(hook, name, told(error), undone=undone)


def told(error: BaseException) -> str:
    """What may be said of an error: its words where it is meant to be read, else its kind."""
    if isinstance(error, MetadataError):
        return error.detail
    if is_telling(error):
        return str(getattr(error, "message", "") or error) or type(error).__name__
    return f"{type(error).__name__} (the server's log tells more)"


def is_telling(error: BaseException) -> bool:
    """Whether an error is meant to be read by who asked."""
    return (
        isinstance(error, ValueError)
        or _is_denial(error)
        or any(kind.__name__ in _TELLING for kind in type(error).__mro__)
    )


def _is_denial(error: BaseException) -> bool:
    """Whether a class raised PermissionError in its own words; the operating system's has a number, and maybe a path."""
    return isinstance(error, PermissionError) and error.errno is None
