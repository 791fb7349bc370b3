"""Errors of commands on instances: printed on stdout, with exit code 1 (spec INST-12)."""

from jupyter_colophon.client.caller import Document
from jupyter_colophon.client.problems import ClientError, RequestFailed
from jupyter_colophon.core.errors import HookFailed, MetadataError
from jupyter_colophon.service.instances import hooks


class InstanceCommandError(Exception):
    """A command failed. If it `shows_help`, the text is printed after `ERROR: ` and before the command's help."""

    def __init__(self, text: str, *, shows_help: bool = False) -> None:
        super().__init__(text)
        self.text, self.shows_help = text, shows_help


class HelpRequested(Exception):
    """Help is requested. The exit code is 1, as in Elyra."""


def format_error(error: ClientError | MetadataError) -> str:
    """Return the error's message.

    For an exception that a schema's class raised in this process, its own message is included: a server only logs that.
    """
    if not isinstance(error, RequestFailed):
        return error.detail if isinstance(error, MetadataError) else str(error)
    detail, failed = str(error.problem.get("detail") or error), error.__cause__
    cause = failed.__cause__ if isinstance(failed, HookFailed) else None
    if not isinstance(cause, Exception) or hooks.has_user_message(cause):
        return detail
    return detail.replace(hooks.get_user_message_or_type(cause), f"{type(cause).__name__}: {cause}")


def list_problems(error: ClientError) -> list[Document]:
    """Return the validation problems of a failed request, each with a JSON pointer."""
    return list(error.problem.get("errors") or ()) if isinstance(error, RequestFailed) else []
