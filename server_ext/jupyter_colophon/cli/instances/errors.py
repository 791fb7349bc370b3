"""What these commands cannot do, as they say it: on stdout, with exit code 1 (spec INST-12)."""

from jupyter_colophon.client.caller import Document
from jupyter_colophon.client.problems import ClientError, RequestFailed
from jupyter_colophon.core.errors import HookFailed, MetadataError
from jupyter_colophon.service.instances import hooks


class Refusal(Exception):
    """Ends a command. Where it `shows_help`, the text comes after `ERROR: ` and before the command's help."""

    def __init__(self, text: str, *, shows_help: bool = False) -> None:
        super().__init__(text)
        self.text, self.shows_help = text, shows_help


class HelpAsked(Exception):
    """Somebody wants the help; it ends a command with exit code 1, as in Elyra."""


def sentence(error: ClientError | MetadataError) -> str:
    """Return the error in a sentence.

    Of what a class raised in this process these are also the words that a server keeps in its log: they are the account's own.
    """
    if not isinstance(error, RequestFailed):
        return error.detail if isinstance(error, MetadataError) else str(error)
    detail, failed = str(error.problem.get("detail") or error), error.__cause__
    cause = failed.__cause__ if isinstance(failed, HookFailed) else None
    if not isinstance(cause, Exception) or hooks.is_telling(cause):
        return detail
    return detail.replace(hooks.user_message(cause), f"{type(cause).__name__}: {cause}")


def problems_of(error: ClientError) -> list[Document]:
    """Return what is wrong at each place, by the problem document of a refusal."""
    return list(error.problem.get("errors") or ()) if isinstance(error, RequestFailed) else []
