"""Words of a command line: options in either spelling, settings apart from what the command is told."""

import pytest
from jupyter_colophon.cli.instances.arguments import Arguments
from jupyter_colophon.cli.instances.argv_split import parted


def test_an_option_has_its_value_after_an_equals_sign_or_in_the_next_word() -> None:
    for words in (["--name=x=y", "--other=1"], ["--name", "x=y", "--other=1"]):
        arguments = Arguments(words)
        assert arguments.value("name") == "x=y"
        assert arguments.rest == ["--other=1"]


@pytest.mark.parametrize(
    ("words", "value", "rest"),
    [
        ([], None, []),
        (["--name"], "", []),
        (["--name="], "", []),
        (["--name", "--other"], "", ["--other"]),
        (["--name", "-5"], "-5", []),
        (["--name", ""], "", []),
        (["--names=x"], None, ["--names=x"]),
        (["--name=one", "--name=two"], "two", ["--name=one"]),
        (["name=x"], None, ["name=x"]),
    ],
)
def test_what_is_not_taken_stays(words: list[str], value: str | None, rest: list[str]) -> None:
    arguments = Arguments(words)
    assert arguments.value("name") == value
    assert arguments.rest == rest


@pytest.mark.parametrize(
    ("words", "given", "rest"),
    [
        ([], False, []),
        (["--json", "word"], True, ["word"]),
        (["--json=true"], True, []),
        (["--json=False"], False, []),
        (["--json=no"], False, ["--json=no"]),
    ],
)
def test_a_flag_takes_no_word(words: list[str], given: bool, rest: list[str]) -> None:
    arguments = Arguments(words)
    assert arguments.flag("json") is given
    assert arguments.rest == rest


def test_settings_come_before_the_schemaspace_or_by_their_long_names() -> None:
    found = parted(["--config", "c.py", "create", "--database=a.db", "runtimes", "--database=mine", "--Colophon.x=1"])
    assert found.settings == ["--config=c.py", "--database=a.db", "--Colophon.x=1"]
    assert found.words == ["create", "runtimes", "--database=mine"]


def test_where_no_schema_makes_options_settings_may_come_anywhere() -> None:
    found = parted(["list", "runtimes", "--json", "--storage-provider=postgresql", "--url", "http://x/"])
    assert found.settings == ["--storage-provider=postgresql"]
    assert found.words == ["list", "runtimes", "--json"]
    assert found.url == "http://x/"


@pytest.mark.parametrize(
    ("argv", "level"),
    [
        (["list", "x"], "WARNING"),
        (["--debug", "list", "x"], "DEBUG"),
        (["list", "x", "--log-level", "ERROR"], "ERROR"),
        (["create", "x", "--log-level=INFO"], "INFO"),
    ],
)
def test_the_log_level_is_taken_from_anywhere(argv: list[str], level: str) -> None:
    found = parted(argv)
    assert (found.log_level, found.words[1:], found.url) == (level, ["x"], None)
