"""The parser of every command: common options, one-line errors, types of arguments."""

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn

from traitlets import Container, Dict

from jupyter_colophon.cli.exit_status import EXIT_OK, EXIT_USAGE, print_error
from jupyter_colophon.settings import Settings

#: Finds the words that can complete an argument (argcomplete's protocol).
Completer = Callable[..., Iterable[str]]


class StoreOnce(argparse.Action):
    """Stores one value; an option that is given again is an error."""

    _is_given = False

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        """Store the value."""
        if self._is_given and option_string:
            raise argparse.ArgumentError(self, "given more than once")
        self._is_given = True
        setattr(namespace, self.dest, values)


class ShowVersion(argparse.Action):
    """Prints the version and exits. It is looked up only then."""

    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        """Print it."""
        print(version("jupyter-colophon"))
        sys.exit(EXIT_OK)


class Parser(argparse.ArgumentParser):
    """Parses the arguments of a command. Its name is the default of the argument `parser`."""

    def __init__(self, *, has_common_options: bool = True, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)
        self._is_mixing = False
        self.register("action", None, StoreOnce)
        self.register("action", "store", StoreOnce)
        self.set_defaults(parser=self)
        if has_common_options:
            add_common_options(self)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse arguments; a list of words may have options between its words."""
        is_mixed = self._has_list and not self._is_mixing and "_ARGCOMPLETE" not in os.environ
        if not is_mixed:
            return super().parse_known_args(args, namespace)
        self._is_mixing = True
        return self.parse_known_intermixed_args(args, namespace)

    @property
    def _has_list(self) -> bool:
        return any(action.nargs in ("*", "+") and not action.option_strings for action in self._actions)

    def error(self, message: str) -> NoReturn:
        """Print what is wrong in one line, and exit."""
        print_error(f"{message} (see {self.prog} --help)")
        sys.exit(EXIT_USAGE)


def add_common_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that every command has. None has a default: they may come before and after the command's name."""
    group = parser.add_argument_group("common options", "Any setting is an option too: --Colophon.SETTING=VALUE.")
    absent = argparse.SUPPRESS
    group.add_argument("--json", action="store_true", default=absent, help="Print JSON.")
    add_short_settings(group)
    group.add_argument("--debug", action="store_true", default=absent, help="Log everything, and print tracebacks.")
    add_long_settings(group)


def add_short_settings(group: argparse._ActionsContainer) -> None:
    """Add the settings that have an option of their own, and the choice of the config file."""
    absent = argparse.SUPPRESS
    group.add_argument("--config", metavar="FILE", default=absent, help="Read settings from this config file only.")
    group.add_argument(
        "--database", dest="Colophon.database", metavar="FILE", default=absent, help="The catalog's file."
    )
    group.add_argument(
        "--storage-provider",
        dest="Colophon.storage_provider",
        metavar="NAME",
        default=absent,
        help="The store: sqlite, postgresql, or another one that is installed.",
    )


def add_long_settings(group: argparse._ActionsContainer) -> None:
    """Add `--Colophon.SETTING` for each setting; help does not list them."""
    for name, trait in Settings.class_traits(config=True).items():
        action = "append" if isinstance(trait, Container | Dict) else "store"
        long = f"Colophon.{name}"
        group.add_argument(f"--{long}", dest=long, action=action, default=argparse.SUPPRESS, help=argparse.SUPPRESS)


def complete_with(action: argparse.Action, completer: Completer) -> None:
    """Complete an argument with what `completer` finds."""
    action.completer = completer  # type: ignore[attr-defined]  # argcomplete's protocol


def whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
    """Return the type of whole numbers in a range."""
    described = f"a whole number from {least}" + ("" if most is None else f" to {most}")

    def convert(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least or (most is not None and number > most):
            raise argparse.ArgumentTypeError(f"must be {described}")
        return number

    return convert


def ignoring_case(choices: Sequence[str]) -> Callable[[str], str]:
    """Return the type that writes a choice as it is declared."""
    return lambda text: next((one for one in choices if one.lower() == text.lower()), text)


def key_value(text: str) -> tuple[str, str]:
    """Split `KEY=VALUE`."""
    key, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"must be KEY=VALUE, not {text!r}")
    return key, value


def file_path(text: str) -> Path:
    """Return the path of a file."""
    if not text:
        raise argparse.ArgumentTypeError("the name of the file is empty")
    return Path(text).expanduser()
