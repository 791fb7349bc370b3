"""Help with examples, and suggestions for unknown commands, options and values."""

import argparse
import re
import shlex
from collections.abc import Iterator

import pytest
from jupyter_colophon.cli.app import COMMANDS, build_parser
from jupyter_colophon.cli.instances.option_parser import OptionParser
from jupyter_colophon.cli.instances.run import load_commands
from jupyter_colophon.cli.parser import CommandParser
from support.commands import Commands


def _list_parsers(parser: argparse.ArgumentParser) -> Iterator[CommandParser]:
    """Yield the parsers of all commands without subcommands."""
    subparsers = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not subparsers:
        assert isinstance(parser, CommandParser)
        yield parser
    for action in subparsers:
        for each in action.choices.values():
            yield from _list_parsers(each)


PARSERS = [parser for parser in _list_parsers(build_parser(COMMANDS)) if not parser.prog.endswith(" metadata")]


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.prog.removeprefix("jupyter colophon "))
def test_help_has_valid_examples(parser: CommandParser) -> None:
    assert parser.examples
    help_ = parser.format_help()
    for example in parser.examples:
        assert f"  {parser.prog} {example}".rstrip() in help_
        words = shlex.split(f"{parser.prog} {example}")[2:]
        args, unknown = build_parser(words).parse_known_args(words)
        assert (args.parser.prog, unknown) == (parser.prog, [])


@pytest.mark.parametrize("name", sorted(load_commands()))
def test_instance_commands_have_valid_examples(name: str) -> None:
    kind = load_commands()[name]
    *command, space = shlex.split(kind.format_example("things"))[:5]
    assert (command, space) == (["jupyter", "colophon", "metadata", name], "things")
    options = [option for option in shlex.split(kind.example) if not option.startswith("--display_name")]
    assert OptionParser(kind.declared).parse_known_args(options)[1] == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["serch", "x"], "unknown command 'serch'; did you mean 'search'? (see jupyter colophon --help)"),
        (["xyzzy"], "unknown command 'xyzzy' (see jupyter colophon --help)"),
        (
            ["dataset", "lst"],
            "unknown subcommand 'lst'; did you mean 'list'? (see jupyter colophon dataset --help)",
        ),
        (["search", "--tga=x"], "unknown option --tga; did you mean --tag? (see jupyter colophon search --help)"),
        (["verify", "--nonsense"], "unknown option --nonsense (see jupyter colophon verify --help)"),
        (
            ["runs", "x", "--status=fail"],
            "argument --status: invalid value 'fail'; did you mean 'failed'? (see jupyter colophon runs --help)",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_unknown_words_get_a_suggestion(colophon: Commands, words: list[str], message: str) -> None:
    done = colophon.run(*words)
    assert (done.status, done.out, done.err) == (2, "", f"jupyter colophon: {message}\n")


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        ([], ["usage: jupyter colophon ", "search and describe:", "manage entities:", "  search  ", "  restore  "]),
        (["--json", "dataset"], ["usage: jupyter colophon dataset ", "    list  ", "    delete  "]),
        (["spark"], ["usage: jupyter colophon spark ", "    conf  "]),
    ],
    ids=lambda value: " ".join(value),
)
def test_missing_command_prints_help_as_an_error(colophon: Commands, words: list[str], lines: list[str]) -> None:
    done = colophon.run(*words)
    assert (done.status, done.out) == (2, "")
    for line in lines:
        assert f"\n{line}" in f"\n{done.err}"


def test_help_lists_each_command_once() -> None:
    help_ = build_parser(()).format_help()
    for name in COMMANDS:
        assert len(re.findall(rf"^  {name} ", help_, re.MULTILINE)) == 1, name


def test_unknown_entity_type_is_explained(colophon: Commands) -> None:
    similar = colophon("search", "--type=datset")
    assert (similar.status, similar.out) == (2, "")
    assert similar.err == "jupyter colophon: --type: unknown entity type 'datset'; did you mean 'dataset'?\n"
    other = colophon("search", "--type=table")
    assert (other.status, other.out) == (2, "")
    assert "unknown entity type 'table'; choose from dataset, dataFlow, " in other.err
    assert colophon("search", "--type=chart").status == 0
