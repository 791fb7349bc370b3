"""Completion of commands, options and names from a catalog."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from support.commands import Commands


def _completions(colophon: Commands, line: str, tmp_path: Path) -> list[str]:
    """Complete a command line as a shell's script does."""
    result = tmp_path / "found"
    start = "1" if line.startswith("jupyter-colophon") else "2"
    environment = {
        "_ARGCOMPLETE": start,
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(result),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
    }
    done = replace(colophon, environment=environment).run()
    assert (done.status, done.out, done.err) == (0, "", "")
    return sorted(word.strip() for word in result.read_text().splitlines())


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("jupyter colophon dat", ["dataset"]),
        ("jupyter-colophon name", ["namespace"]),
        ("jupyter colophon dataset ", ["create", "delete", "list", "show"]),
        ("jupyter colophon dataset show DATABASE s", ["sales.", "system."]),
        ("jupyter colophon dataset DATABASE show sales.or", ["sales.orders"]),
        ("jupyter colophon DATABASE tag sales.orders f", ["faa"]),
        ("jupyter colophon DATABASE tag sales.orders x f", ["faa"]),
        ("jupyter colophon DATABASE set sales.orders ow", ["owner="]),
        ("jupyter colophon unset sales.orders DATABASE ow", ["owner"]),
        ("jupyter colophon DATABASE export sal", ["sales"]),
        ("jupyter colophon search x --names", ["--namespace"]),
        ("jupyter colophon DATABASE search x --namespace=sa", ["--namespace=sales"]),
        ("jupyter colophon DATABASE search x --namespace sa", ["sales"]),
        ("jupyter colophon lineage x --direction u", ["undirected", "upstream"]),
        ("jupyter colophon completion ", ["bash", "fish", "zsh"]),
        ("jupyter colophon DATABASE show 'sales.or", ["sales.orders"]),
        ("jupyter colophon --database=/nowhere/x.db show sales.", []),
    ],
)
def test_completer_returns_matching_words(colophon: Commands, tmp_path: Path, line: str, expected: list[str]) -> None:
    typed = line.replace("DATABASE", f"--database={colophon.database}")
    assert _completions(colophon, typed, tmp_path) == expected


def test_bash_completes_and_quotes_names(colophon: Commands, tmp_path: Path) -> None:
    evil = "sales.a$(touch${IFS}hacked)"
    assert colophon("dataset", "create", evil).status == 0
    script = tmp_path / "completion.bash"
    script.write_text(colophon("completion", "bash").out)
    bash = shutil.which("bash")
    assert bash is not None
    ask = """
jupyter-colophon() { "$PYTHON" -m jupyter_colophon.cli "$@"; }
. "$SCRIPT"
try() { COMP_LINE="$1"; COMP_POINT=${#1}; COMP_TYPE=9; _python_argcomplete jupyter-colophon; printf '%s|' "${COMPREPLY[@]}"; echo; }
try "jupyter-colophon dataset sh"
try "jupyter-colophon search x --database=$DATABASE --namespace=sa"
try "jupyter-colophon --database=$DATABASE show sales.a"
complete -p jupyter-colophon jupyter
"""
    result = subprocess.run(
        [bash, "-c", ask],
        env=colophon.whole_environment
        | {"PYTHON": sys.executable, "SCRIPT": str(script), "DATABASE": str(colophon.database)},
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    show, namespace, name, *registered = result.stdout.splitlines()
    assert (show.replace(" ", ""), namespace.replace(" ", "")) == ("show|", "sales|"), result
    assert name == r"sales.a\$\(touch\$\{IFS\}hacked\) |", result
    assert [line.split()[-1] for line in registered] == ["jupyter-colophon", "jupyter"]
    assert not (tmp_path / "hacked").exists()


def test_completion_prints_script_of_each_shell(colophon: Commands) -> None:
    for shell, word in (("bash", "complete "), ("zsh", "compdef "), ("fish", "complete --command jupyter ")):
        assert word in colophon("completion", shell).out
    assert colophon("completion", "tcsh").status == 2
