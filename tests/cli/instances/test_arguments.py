"""Words of a command line: options in either spelling, settings apart from the options of a command."""

import pytest
from jupyter_colophon.cli.instances.errors import Refusal
from jupyter_colophon.cli.instances.option import Option, flag
from jupyter_colophon.cli.instances.option_parser import OptionParser
from support.shell import Shell

OPTIONS = (Option("name"), flag("json", "Answer in JSON"), Option("other"))


@pytest.mark.parametrize(
    ("words", "value", "unexpected"),
    [
        (["--name=x=y", "--other=1"], "x=y", []),
        (["--name", "x=y", "--other=1"], "x=y", []),
        ([], None, []),
        (["--name"], "", []),
        (["--name="], "", []),
        (["--name", "--other"], "", []),
        (["--name", "-5"], "-5", []),
        (["--name", "-x"], "-x", []),
        (["--name", ""], "", []),
        (["--names=x"], None, ["--names=x"]),
        (["--nam=x"], None, ["--nam=x"]),
        (["name=x"], None, ["name=x"]),
        (["--bogus", "1", "more"], None, ["--bogus", "1", "more"]),
    ],
)
def test_an_option_has_its_value_after_an_equals_sign_or_in_the_next_word(
    words: list[str], value: str | None, unexpected: list[str]
) -> None:
    args, rest = OptionParser(OPTIONS).parse_known_args(words)
    assert args.name == value
    assert rest == unexpected


@pytest.mark.parametrize(
    ("words", "given"), [([], False), (["--json"], True), (["--json=true"], True), (["--json=False"], False)]
)
def test_a_flag_takes_no_value_or_a_boolean(words: list[str], given: bool) -> None:
    args, rest = OptionParser(OPTIONS).parse_known_args(words)
    assert args.json is given
    assert rest == []


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--json=no"], "--json: takes no value, or true or false"),
        (["--name=one", "--name=two"], "--name: given more than once"),
    ],
)
def test_a_wrong_use_of_an_option_is_refused(words: list[str], reason: str) -> None:
    with pytest.raises(Refusal, match=reason):
        OptionParser(OPTIONS).parse_known_args(words)


@pytest.mark.parametrize(
    "words",
    [
        ["--config", "none.py", "list", "things"],
        ["list", "things", "--json", "--config=none.py"],
        ["create", "--config=none.py", "things"],
        ["update", "--config", "none.py", "things", "--name=x"],
    ],
    ids=" ".join,
)
def test_settings_come_before_the_schemaspace_or_anywhere_where_no_schema_makes_options(
    shell: Shell, words: list[str]
) -> None:
    done = shell(*words)
    assert (done.status, done.out, done.err) == (2, "", "jupyter colophon: there is no config file none.py\n")


def test_after_the_schemaspace_an_option_of_create_is_the_schemas_unless_its_name_is_long(shell: Shell) -> None:
    (shell.home / "c.py").write_text("1 / 0")
    words = ["--schema_name=thing", "--display_name=X", "--size=1", "--config=c.py"]
    assert "unexpected: ['--config=c.py']" in shell("create", "things", *words).out
    done = shell("create", "things", *words[:-1], "--Colophon.metadata_store=nosuch")
    assert done.status in (1, 2)
    assert "nosuch" in done.out + done.err


@pytest.mark.parametrize(
    "words",
    [
        ["--log-level=LOUD", "list", "things"],
        ["list", "--log-level", "LOUD", "things"],
        ["create", "things", "--log-level=LOUD"],
    ],
    ids=" ".join,
)
def test_the_log_level_is_taken_from_anywhere(shell: Shell, words: list[str]) -> None:
    done = shell(*words)
    assert (done.status, done.out, done.err) == (1, "", "jupyter colophon: there is no log level 'LOUD'\n")
