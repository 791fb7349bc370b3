"""`jupyter colophon spark conf`: the settings of OpenLineage's agent."""

import json
import shlex
from typing import Any

import pytest
from support.commands import Commands

URL = "https://hub.example:8443/user/bob/?token=secret"
TRANSPORT = "spark.openlineage.transport"


def test_conf_separates_path_and_omits_token(colophon: Commands) -> None:
    text = json.loads(colophon("spark", "conf", f"--url={URL}", "--json").out)
    assert text[f"{TRANSPORT}.url"] == "https://hub.example:8443"
    assert text[f"{TRANSPORT}.endpoint"] == "/user/bob/colophon/openlineage/api/v1/lineage"
    assert text[f"{TRANSPORT}.auth.type"] == "api_key"
    assert text[f"{TRANSPORT}.auth.apiKey"] == "<token>"


@pytest.mark.parametrize("form", ["properties", "conf", "code"])
def test_conf_formats_have_same_settings(colophon: Commands, form: str) -> None:
    settings = json.loads(colophon("spark", "conf", f"--url={URL}", "--json", "--namespace=night's work").out)
    text = colophon("spark", "conf", f"--url={URL}", f"--format={form}", "--namespace=night's work").out
    assert read(form, text) == settings


def read(form: str, text: str) -> dict[str, str]:
    """Parse settings as Spark, a shell or Python does."""
    if form == "properties":
        lines = [line for line in text.splitlines() if not line.startswith("#")]
        return dict(line.split(" ", 1) for line in lines)
    if form == "conf":
        words = shlex.split(text.replace("\\\n", " "))
        return dict(word.split("=", 1) for word in words if word != "--conf")
    builder = Builder()
    exec(f"session = {text}", {"SparkSession": type("Session", (), {"builder": builder})})
    return builder.settings


class Builder:
    """Record the settings of a session builder."""

    def __init__(self) -> None:
        self.settings: dict[str, str] = {}

    def config(self, key: str, value: str) -> Any:
        self.settings[key] = value
        return self

    def getOrCreate(self) -> Any:
        return self


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["conf"], "no server given: use --url=, or set COLOPHON_URL"),
        (["conf", "--url=ftp://x"], "--url:"),
        (["conf", "--url=http://x", "--format=toml"], "format"),
        (["configure", "--url=http://x"], "unknown subcommand 'configure'"),
    ],
)
def test_invalid_usage_prints_one_line(colophon: Commands, words: list[str], message: str) -> None:
    done = colophon("spark", *words)
    assert (done.status, done.out) == (2, "")
    assert message in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["verify", "--database=nowhere.db"], 1, "nowhere.db' not found"),
        (["import", "proposals"], 2, "no server given: use --url=, or set COLOPHON_URL"),
        (["export", "folder", "--format=csv"], 2, "--format: invalid value 'csv'"),
        (["statistics", "--partitions=0"], 2, "must be an integer from 1 to 10000"),
        (["count"], 2, "unknown subcommand 'count'"),
    ],
)
def test_wrong_job_fails_before_spark_starts(colophon: Commands, words: list[str], status: int, message: str) -> None:
    done = colophon.run("jobs", *words)
    assert (done.status, message in done.err, "Traceback" in done.err) == (status, True, False), done.err
