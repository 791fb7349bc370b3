"""What these commands cannot do, as they say it: on stdout, with exit code 1 (spec INST-12)."""

from jupyter_colophon.core.errors import HookFailed, MetadataError
from jupyter_colophon.service.instances import hooks


class Refusal(Exception):
    """Ends a command. Where it `shows_help`, the text comes after `ERROR: ` and before the command's help."""

    def __init__(self, text: str, *, shows_help: bool = False) -> None:
        super().__init__(text)
        self.text, self.shows_help = text, shows_help


class HelpAsked(Exception):
    """Somebody wants the help; it ends a command with exit code 1, as in Elyra."""


def sentence(error: MetadataError) -> str:
    """The error; of what a class raised here also the words that a server keeps in its log: they are the account's own."""
    cause = error.__cause__
    if not isinstance(error, HookFailed) or not isinstance(cause, Exception) or hooks.is_telling(cause):
        return error.detail
    return error.detail.replace(hooks.told(cause), f"{type(cause).__name__}: {cause}")
