"""`jupyter colophon spark conf`: the settings of OpenLineage's agent."""

import json
import shlex
from typing import Any

import pytest
from support.commands import Commands

URL = "https://hub.example:8443/user/bob/?token=secret"
TRANSPORT = "spark.openlineage.transport"


def test_the_path_stands_by_itself_and_no_token_is_printed(colophon: Commands) -> None:
    said = json.loads(colophon("spark", "conf", f"--url={URL}", "--json").out)
    assert said[f"{TRANSPORT}.url"] == "https://hub.example:8443"
    assert said[f"{TRANSPORT}.endpoint"] == "/user/bob/colophon/openlineage/api/v1/lineage"
    assert said[f"{TRANSPORT}.auth.type"] == "api_key"
    assert said[f"{TRANSPORT}.auth.apiKey"] == "<token>"


@pytest.mark.parametrize("form", ["properties", "conf", "code"])
def test_each_format_says_the_same_settings(colophon: Commands, form: str) -> None:
    settings = json.loads(colophon("spark", "conf", f"--url={URL}", "--json", "--namespace=night's work").out)
    text = colophon("spark", "conf", f"--url={URL}", f"--format={form}", "--namespace=night's work").out
    assert read(form, text) == settings


def read(form: str, text: str) -> dict[str, str]:
    """The settings as Spark, a shell or Python read them."""
    if form == "properties":
        lines = [line for line in text.splitlines() if not line.startswith("#")]
        return dict(line.split(" ", 1) for line in lines)
    if form == "conf":
        words = shlex.split(text.replace("\\\n", " "))
        return dict(word.split("=", 1) for word in words if word != "--conf")
    builder = Builder()
    exec(f"made = {text}", {"SparkSession": type("Session", (), {"builder": builder})})
    return builder.said


class Builder:
    """Takes what a builder of sessions takes."""

    def __init__(self) -> None:
        self.said: dict[str, str] = {}

    def config(self, key: str, value: str) -> Any:
        self.said[key] = value
        return self

    def getOrCreate(self) -> Any:
        return self


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["conf"], "which server? Say --url=, or set COLOPHON_URL"),
        (["conf", "--url=ftp://x"], "--url:"),
        (["conf", "--url=http://x", "--format=toml"], "format"),
        (["configure", "--url=http://x"], "invalid choice: 'configure'"),
    ],
)
def test_a_mistake_is_one_line(colophon: Commands, words: list[str], told: str) -> None:
    done = colophon("spark", *words)
    assert (done.status, done.out) == (2, "")
    assert told in done.err
    assert done.err.count("\n") == 1
