"""Parse options of Elyra's commands, `--name=value` or `--name value`, in any order."""

import argparse
from collections.abc import Iterable
from typing import Any, NoReturn

from jupyter_colophon.cli.instances.errors import InstanceCommandError
from jupyter_colophon.cli.instances.option import Option
from jupyter_colophon.cli.parser import StoreOnceAction


class OptionParser(argparse.ArgumentParser):
    """Parse options into a namespace; its member `help` is true if help is requested."""

    def __init__(self, options: Iterable[Option]) -> None:
        super().__init__(add_help=False, allow_abbrev=False)
        self.register("action", None, StoreOnceAction)
        self.add_argument("-h", "--help", action="store_true", help="Show the options and exit with 1, as Elyra does.")
        for option in options:
            option.add_to_parser(self)

    def error(self, message: str) -> NoReturn:
        """Raise InstanceCommandError."""
        raise InstanceCommandError(message, shows_help=True)

    def _parse_optional(self, arg_string: str) -> Any:
        """Treat a word that begins with a single dash as a value, as Elyra does."""
        return super()._parse_optional(arg_string) if arg_string.startswith("--") or arg_string == "-h" else None
