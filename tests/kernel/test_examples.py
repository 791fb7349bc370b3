"""The examples of docs/magic.md, line by line in a real kernel."""

import re
from pathlib import Path

import pytest
from jupyter_colophon.kernel.commands.command_table import COMMANDS

ROWS = re.findall(
    r"^\| `%metadata ([^`]+)` \| (.*) \|$", (Path(__file__).parents[2] / "docs/magic.md").read_text(), re.M
)


def test_every_command_has_an_example():
    shown = {line.split()[0] for line, _ in ROWS}
    assert set(COMMANDS) - shown == {"connect", "status"}


@pytest.fixture(scope="module")
def sales(catalog):
    """The tables of the examples."""
    value = {"properties": {"format": "parquet"}}
    for name in ("orders", "copy"):
        urn = f"urn:li:dataset:(urn:li:dataPlatform:spark,sales.{name},PROD)"
        catalog.submit_proposals(
            {"proposals": [{"urn": urn, "aspect": "technicalMetadata", "operation": "patch", "value": value}]}
        )


def test_every_example_works_as_magic_and_as_function(kernel, sales):
    kernel.run("import pandas\nfrom jupyter_colophon import metadata\norders = pandas.DataFrame({'id': [1, 2]})", "c")
    # A crawl wants Spark and data: tests/spark tries it.
    for line, reported in (row for row in ROWS if not row[0].startswith("crawl")):
        outcome = kernel.run(f"%metadata {line}", "c")
        assert outcome.succeeded, (line, outcome.text)
        assert "Not done" not in outcome.text, line
        function = re.match(r"`(metadata\..*?|help\(.*?)`", reported)
        if function:
            outcome = kernel.run(function[1], "c")
            assert outcome.succeeded, (function[1], outcome.text)
