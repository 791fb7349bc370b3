"""Call the hooks of a schema's class, and convert their errors."""

import logging
from typing import Any

from jupyter_colophon.core.errors import HookDenied, HookFailed, MetadataError
from jupyter_colophon.service.instances.class_adapter import InstanceObject

#: Errors whose messages are meant for users; Elyra's are recognised by name.
_USER_ERRORS = {"MetadataExistsError", "MetadataNotFoundError", "SchemaNotFoundError", "ValidationError"}
_logger = logging.getLogger(__name__)


def call_hook(instance: InstanceObject, hook: str, name: str, **options: Any) -> None:
    """Call one hook. Raises HookFailed for its errors, except our own, which are raised unchanged."""
    try:
        getattr(instance, hook)(**options)
    except (MetadataError, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as error:
        # Including SystemExit: a package must not end the server.
        if not has_user_message(error):
            _logger.exception("the hook %s of the class of instance %s raised an exception", hook, name)
        raise create_hook_failure(hook, name, error) from error


def create_hook_failure(hook: str, name: str, error: BaseException, *, undone: bool = False) -> HookFailed:
    """Return our error for an error of a class."""
    kind = HookDenied if _is_permission_error_of_class(error) else HookFailed
    return kind(hook, name, get_user_message_or_type(error), undone=undone)


def get_user_message_or_type(error: BaseException) -> str:
    """Return the message of an error if it is meant for users, else its type."""
    if isinstance(error, MetadataError):
        return error.detail
    if has_user_message(error):
        return str(getattr(error, "message", "") or error) or type(error).__name__
    return f"{type(error).__name__} (see the server's log)"


def has_user_message(error: BaseException) -> bool:
    """Return whether the message of an error is meant for users."""
    return (
        isinstance(error, ValueError)
        or _is_permission_error_of_class(error)
        or any(kind.__name__ in _USER_ERRORS for kind in type(error).__mro__)
    )


def _is_permission_error_of_class(error: BaseException) -> bool:
    """Return whether a class raised PermissionError itself; one of the operating system has an errno, and maybe a path."""
    return isinstance(error, PermissionError) and error.errno is None
