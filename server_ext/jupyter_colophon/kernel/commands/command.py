"""One word after `%metadata`."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jupyter_colophon.client.api.answer import Result

if TYPE_CHECKING:
    from jupyter_colophon.kernel.session import Companion


@dataclass(frozen=True, slots=True)
class Command:
    """How it is asked (`arguments` fills its parser), what it does, and the paragraph of its help.

    What it takes is completed by the names of its arguments (completion.py). `at_once`: it needs nothing of what cells did, or waits for that itself.
    Where `run` cannot do it, it raises ClientError, MetadataError, ValueError or OSError, whose text is one line.
    """

    name: str
    help: str
    arguments: Callable[[ArgumentParser], None]
    run: "Callable[[Companion, Namespace], Result]"
    at_once: bool = False
