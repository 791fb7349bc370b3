"""Options of commands on instances, and settings among them."""

import pytest
from jupyter_colophon.cli.instances.errors import InstanceCommandError
from jupyter_colophon.cli.instances.option import Option, create_flag_option
from jupyter_colophon.cli.instances.option_parser import OptionParser
from support.shell import InstanceShell

OPTIONS = (Option("name"), create_flag_option("json", "Answer in JSON"), Option("other"))


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
def test_option_value_follows_equals_sign_or_space(words: list[str], value: str | None, unexpected: list[str]) -> None:
    args, rest = OptionParser(OPTIONS).parse_known_args(words)
    assert args.name == value
    assert rest == unexpected


@pytest.mark.parametrize(
    ("words", "given"), [([], False), (["--json"], True), (["--json=true"], True), (["--json=False"], False)]
)
def test_flag_accepts_no_value_or_boolean(words: list[str], given: bool) -> None:
    args, rest = OptionParser(OPTIONS).parse_known_args(words)
    assert args.json is given
    assert rest == []


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--json=no"], "--json: must have no value, or true or false"),
        (["--name=one", "--name=two"], "--name: given more than once"),
    ],
)
def test_invalid_option_is_rejected(words: list[str], reason: str) -> None:
    with pytest.raises(InstanceCommandError, match=reason):
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
def test_settings_are_accepted_where_schema_has_no_options(shell: InstanceShell, words: list[str]) -> None:
    done = shell(*words)
    assert (done.status, done.out, done.err) == (2, "", "jupyter colophon: config file none.py not found\n")


def test_create_options_after_schemaspace_belong_to_schema(shell: InstanceShell) -> None:
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
def test_log_level_is_accepted_anywhere(shell: InstanceShell, words: list[str]) -> None:
    done = shell(*words)
    assert (done.status, done.out, done.err) == (1, "", "jupyter colophon: unknown log level 'LOUD'\n")
