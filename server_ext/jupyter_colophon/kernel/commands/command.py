"""A command of `%metadata`."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jupyter_colophon.client.api.answer import Result

if TYPE_CHECKING:
    from jupyter_colophon.kernel.session import KernelSession


@dataclass(frozen=True, slots=True)
class MagicCommand:
    """The name of a command, its help paragraph, its arguments (`arguments` fills the parser), and its function.

    Arguments are completed by their names (completion.py). `at_once`: the command does not need the reports of earlier
    cells, or waits for them itself. `run` raises ClientError, MetadataError, ValueError or OSError with one line of text.
    """

    name: str
    help: str
    arguments: Callable[[ArgumentParser], None]
    run: "Callable[[KernelSession, Namespace], Result]"
    at_once: bool = False
