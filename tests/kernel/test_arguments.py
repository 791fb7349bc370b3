"""The grammar of the magics."""

import pytest
from IPython.core.error import UsageError
from jupyter_colophon.kernel.arguments import PARSERS, parse_cell, parse_line
from jupyter_colophon.kernel.commands.command_table import COMMANDS
from jupyter_colophon.kernel.help_text import build_help_text
from jupyter_colophon.kernel.magic import MetadataMagics

ENTRIES = {name: command.help for name, command in COMMANDS.items()}


def test_the_lines_of_the_tour_are_understood():
    assert parse_line("tag flights.flights faa raw-data").tags == ["faa", "raw-data"]
    setting = parse_line('set flights.daily_delays owner=ops "refresh=every morning"')
    assert (setting.name, setting.pairs) == (
        "flights.daily_delays",
        [("owner", "ops"), ("refresh", "every morning")],
    )
    assert parse_line("show flights.daily_delays").name == "flights.daily_delays"
    assert parse_line("search owner:op* faa").query == ["owner:op*", "faa"]
    assert parse_line("lineage flights.carrier_report --levels 5").levels == 5
    assert parse_cell("--tag reviewed --tag b --set k=v=w").pairs == [("k", "v=w")]


def test_options_may_precede_names():
    requested = parse_line("lineage --levels 2 --direction upstream --start now-1d a.b")
    assert (requested.name, requested.levels, requested.direction, requested.start, requested.end) == (
        "a.b",
        2,
        "upstream",
        "now-1d",
        None,
    )


def test_a_urn_needs_no_quotes():
    urn = "urn:li:dataset:(urn:li:dataPlatform:file,/data/x.csv,PROD)"
    assert parse_line(f"show {urn}").name == urn


def test_empty_line_shows_help():
    assert parse_line("").command == "help"


@pytest.mark.parametrize(
    "line",
    [
        "frobnicate",
        "tag",
        "tag a.b",
        "tag a.b 'two words'",
        f"tag a.b {'x' * 51}",
        "set a.b owner",
        "set a.b tags=x",
        "set a.b 'o k=v'",
        "unset a.b ü",
        "show",
        "show a.b c.d",
        "show 'a.b",
        "lineage a.b --levels 0",
        "lineage a.b --levels 21",
        "lineage a.b --levels x",
        "lineage a.b --direction sideways",
        "lineage a.b --lev 2",
        "search x --scope both",
        "search x --limit 501",
        "frobnicate --help",
        "help frobnicate",
        "help tag set",
    ],
)
def test_a_mistake_is_one_line_that_names_the_magic(line):
    with pytest.raises(UsageError) as caught:
        parse_line(line)
    message = str(caught.value)
    assert message.startswith("%metadata")
    assert "\n" not in message


@pytest.mark.parametrize(
    ("line", "most"),
    [
        (f"{line} {number}", most)
        for line, most in (("lineage a.b --levels", 20), ("search x --limit", 500))
        for number in ("0", str(most + 1), "x", "-1", "1.5", "9" * 5000)
    ],
)
def test_number_out_of_range_names_the_range(line, most):
    with pytest.raises(UsageError, match=f"is not a number from 1 to {most}$"):
        parse_line(line)


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("serch x", "%metadata: unknown command 'serch'; did you mean 'search'?"),
        ("Lineage x", "%metadata: unknown command 'Lineage'; did you mean 'lineage'?"),
        ("frobnicate", "%metadata: unknown command 'frobnicate'; see %metadata help"),
        (
            "lineage x --direction upstraem",
            "%metadata lineage: argument --direction: invalid value 'upstraem'; did you mean 'upstream'?",
        ),
    ],
)
def test_unknown_word_suggests_a_similar_one(line, sentence):
    with pytest.raises(UsageError) as raised:
        parse_line(line)
    assert str(raised.value) == sentence


@pytest.mark.parametrize("line", ["", "--tag", "--set k", "--tag 'a b'", "--frob x", "stray", "--help", "--tag a -h"])
def test_a_mistake_in_a_cell_magic_is_one_line_too(line):
    with pytest.raises(UsageError) as caught:
        parse_cell(line)
    assert str(caught.value).startswith("%%metadata")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("line", "topic"),
    [
        ("--help", None),
        ("-h", None),
        ("lineage --help", "lineage"),
        ("tag -h", "tag"),
        ("tag a.b --help x", "tag"),
        ("help set", "set"),
        ("help", None),
    ],
)
def test_help_is_requested_in_several_ways(line, topic):
    requested = parse_line(line)
    assert (requested.command, requested.topic) == ("help", topic)


def test_every_command_has_its_help():
    assert build_help_text("status", ENTRIES) == build_help_text("health", ENTRIES)
    assert all(build_help_text(name, ENTRIES).startswith(f"%metadata {name}") for name in COMMANDS if name != "status")


def test_synopsis_lists_every_command_and_is_the_docstring():
    synopsis = build_help_text(None, ENTRIES)
    assert all(f"%metadata {name}" in synopsis or f"also: {name}" in synopsis for name in COMMANDS)
    assert MetadataMagics.metadata.__doc__ == synopsis


def test_help_describes_every_option():
    for name, parser in PARSERS.items():
        reported = build_help_text(name, ENTRIES)
        options = [word for word in parser._option_string_actions if word not in {"--json", "--dataframe"}]
        assert [word for word in options if word not in reported] == [], name
