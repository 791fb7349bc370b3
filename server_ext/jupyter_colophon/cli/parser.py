"""The parser of every command: common options, one-line errors, examples in help, types of arguments."""

import argparse
import os
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn

import traitlets

from jupyter_colophon.cli.exit_status import EXIT_OK, EXIT_USAGE, print_error
from jupyter_colophon.settings import Settings

#: Finds the words that can complete an argument (argcomplete's protocol).
Completer = Callable[..., Iterable[str]]
#: An error lists the commands or subcommands if there are at most this many.
_LISTED_COMMANDS_MAX = 12


class StoreOnceAction(argparse.Action):
    """Store one value; an option that is given again is an error."""

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


class ShowVersionAction(argparse.Action):
    """Print the version and exit. The version is looked up only then."""

    def __call__(self, *_: Any, **__: Any) -> NoReturn:
        """Print the version."""
        print(version("jupyter-colophon"))
        sys.exit(EXIT_OK)


class CommandParser(argparse.ArgumentParser):
    """Parse the arguments of a command.

    The parser is the default of the argument `parser`. `examples` are the arguments of calls that help shows.
    """

    def __init__(self, *, has_common_options: bool = True, examples: Sequence[str] = (), **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)
        self.examples = examples
        self._is_intermixed = False
        self.register("action", None, StoreOnceAction)
        self.register("action", "store", StoreOnceAction)
        self.set_defaults(parser=self)
        if has_common_options:
            add_common_options(self)

    def add_group_of_subcommands(self) -> "argparse._SubParsersAction[CommandParser]":
        """Return the action that parsers of subcommands are added to.

        The argument `verb` is the name of the one that is called, and None if none is.
        """
        return self.add_subparsers(title="subcommands", dest="verb", metavar="SUBCOMMAND")

    def add_subcommands(self, subcommands: Iterable[tuple[str, str, str]]) -> Iterator[tuple[str, "CommandParser"]]:
        """Declare subcommands by name, help and example; yield the name and the parser of each."""
        parsers = self.add_group_of_subcommands()
        for name, help_, example in subcommands:
            yield name, parsers.add_parser(name, help=help_, description=help_, examples=(example,))

    def group_help(self, commands: Any, groups: Mapping[str, Container[str]]) -> None:
        """List the commands of `add_subparsers` in groups in the help, each below its title."""
        self._positionals._group_actions.remove(commands)
        for title, names in groups.items():
            section = self.add_argument_group(title)
            section._group_actions += [action for action in commands._get_subactions() if action.dest in names]

    def exit_without_command(self, unknown: Sequence[str]) -> NoReturn:
        """Print the help, which lists the commands, as an error and exit; unknown options are the error instead."""
        if unknown:
            self.exit_for_unknown_arguments(unknown)
        self.print_help(sys.stderr)
        sys.exit(EXIT_USAGE)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse arguments; options may stand between the values of an argument that takes several."""
        is_intermixed = self._has_multi_value_argument and not self._is_intermixed and "_ARGCOMPLETE" not in os.environ
        if not is_intermixed:
            return super().parse_known_args(args, namespace)
        self._is_intermixed = True
        return self.parse_known_intermixed_args(args, namespace)

    def format_help(self) -> str:
        """Return the help, with the examples at its end."""
        lines = [f"  {self.prog} {example}".rstrip() for example in self.examples]
        return super().format_help() + ("\n".join(["", "examples:", *lines, ""]) if lines else "")

    def error(self, message: str) -> NoReturn:
        """Print the error in one line, and exit."""
        print_error(f"{message} (see {self.prog} --help)")
        sys.exit(EXIT_USAGE)

    def exit_for_unknown_arguments(self, words: Sequence[str]) -> NoReturn:
        """Exit with an error that names unknown options or arguments, and the most similar option."""
        options = [word.partition("=")[0] for word in words if word.startswith("-")]
        if not options:
            self.error(f"unexpected arguments: {' '.join(words)}")
        self.error(
            f"unknown option {options[0]}{format_suggestion(options[0], self._option_string_actions, quotes='')}"
        )

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is not among the choices, with the most similar one."""
        if action.choices is None or value in action.choices:
            return
        choices = [str(choice) for choice in action.choices]
        suggestion = format_suggestion(str(value), choices)
        if isinstance(action, argparse._SubParsersAction):
            kind = str(action.metavar).lower()
            choice_list = format_choices(choices) if len(choices) <= _LISTED_COMMANDS_MAX else ""
            raise argparse.ArgumentError(None, f"unknown {kind} {value!r}{suggestion or choice_list}")
        raise argparse.ArgumentError(action, f"invalid value {value!r}{suggestion or format_choices(choices)}")

    @property
    def _has_multi_value_argument(self) -> bool:
        return any(action.nargs in ("*", "+") and not action.option_strings for action in self._actions)


def format_suggestion(text: str, choices: Iterable[str], *, quotes: str = "'") -> str:
    """Return `; did you mean 'x'?` for the choice that is most similar to a text; "" if none is."""
    similar = get_close_matches(text, list(choices), n=1, cutoff=0.7)
    return f"; did you mean {quotes}{similar[0]}{quotes}?" if similar else ""


def format_choices(choices: Iterable[str]) -> str:
    """Return the end of an error that lists all choices."""
    return f"; choose from {', '.join(choices)}"


def add_common_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of every command. None has a default: they may come before and after the command's name."""
    group = parser.add_argument_group("common options", "Any setting is an option too: --Colophon.SETTING=VALUE.")
    absent = argparse.SUPPRESS
    group.add_argument("--json", action="store_true", default=absent, help="Print JSON.")
    add_short_setting_options(group)
    group.add_argument("--debug", action="store_true", default=absent, help="Log everything, and print tracebacks.")
    add_long_setting_options(group)


def add_short_setting_options(group: argparse._ActionsContainer) -> None:
    """Add the option `--config`, and settings that have a short option."""
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
        help="The store: sqlite, postgresql, or another installed provider.",
    )


def add_long_setting_options(group: argparse._ActionsContainer) -> None:
    """Add `--Colophon.SETTING` for each setting; help does not list them."""
    for name, trait in Settings.class_traits(config=True).items():
        action = "append" if isinstance(trait, traitlets.Container | traitlets.Dict) else "store"
        long = f"Colophon.{name}"
        group.add_argument(f"--{long}", dest=long, action=action, default=argparse.SUPPRESS, help=argparse.SUPPRESS)


def set_completer(action: argparse.Action, completer: Completer) -> None:
    """Complete an argument with the words that `completer` finds."""
    action.completer = completer  # type: ignore[attr-defined]  # argcomplete's protocol


def build_integer_type(minimum: int, maximum: int | None = None) -> Callable[[str], int]:
    """Return the argument type of integers in a range."""
    allowed = f"an integer of at least {minimum}" if maximum is None else f"an integer from {minimum} to {maximum}"

    def convert(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = minimum - 1
        if number < minimum or (maximum is not None and number > maximum):
            raise argparse.ArgumentTypeError(f"must be {allowed}")
        return number

    return convert


def build_choice_type(choices: Sequence[str]) -> Callable[[str], str]:
    """Return the argument type that accepts a choice in upper or lower case."""
    return lambda text: next((choice for choice in choices if choice.lower() == text.lower()), text)


def parse_key_value(text: str) -> tuple[str, str]:
    """Split `KEY=VALUE`."""
    key, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"must be KEY=VALUE, not {text!r}")
    return key, value


def parse_path(text: str) -> Path:
    """Return the path of a file; `~` is the home directory."""
    if not text:
        raise argparse.ArgumentTypeError("the file name is empty")
    return Path(text).expanduser()
