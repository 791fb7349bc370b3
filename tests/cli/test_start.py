"""The start of a command, its progress line, and its output."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from jupyter_colophon.cli.app import COMMANDS
from support.packages import build_python_path
from support.process import run_script

#: What a command may have loaded at its end. A server, its loop and jsonschema are not among it.
_HEAVY = """
from jupyter_colophon.cli.app import main
sys.argv = ["jupyter-colophon", *sys.argv[1:]]
try:
    main()
except SystemExit as ended:
    assert ended.code == 0
heavy = {"jsonschema", "tornado", "jupyter_server", "jupyter_client", "psycopg", "referencing", "sqlite3", "watchfiles", "mcp", "pydantic", "cattrs"}
print()
print(sorted(heavy & {name.partition(".")[0] for name in sys.modules}))
"""
#: What a list of instances in files needs no part of.
_OTHER_PARTS = """
parts = ["composition", "operations.native.api", "storage.spi", "service.write_path", "client.transport"]
parts += ["cli.instances.create_update", "cli.instances.recover"]
print([part for part in parts if f"jupyter_colophon.{part}" in sys.modules])
"""
_THREADS = """
import threading
print([thread.name for thread in threading.enumerate()])
"""


@pytest.mark.parametrize("words", [["--help"], ["search", "--help"], ["completion", "bash"]], ids=" ".join)
def test_help_loads_no_server_and_no_store(words: list[str]) -> None:
    assert run_script(_HEAVY, *words).splitlines()[-1] == "[]"


def test_doctor_loads_no_server(database: Path) -> None:
    # It lists the applications that a server would load, as documents.
    assert run_script(_HEAVY, "doctor", "--json", f"--database={database}").splitlines()[-1] == "['cattrs', 'sqlite3']"


def test_metadata_list_loads_no_server_and_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("JUPYTER_DATA_DIR", "JUPYTER_PATH", "JUPYTER_CONFIG_DIR", "ELYRA_METADATA_PATH"):
        monkeypatch.delenv(name, raising=False)
    heavy, loaded, threads = run_script(_HEAVY + _OTHER_PARTS + _THREADS, "metadata", "list", "runtimes").splitlines()[
        -3:
    ]
    assert (heavy, loaded) == ("[]", "[]")
    # Only a server records external edits in its catalog, which it creates.
    assert "colophon-outside" not in threads
    assert list(tmp_path.rglob("*.db")) == []


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_each_command_prints_help(tmp_path: Path, command: str) -> None:
    environment = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "PYTHONPATH": build_python_path()}
    called = [sys.executable, "-m", "jupyter_colophon.cli", command, "--help"]
    done = subprocess.run(called, capture_output=True, text=True, timeout=300, env=environment, cwd=tmp_path)
    # Elyra's command ends so.
    assert (done.returncode, done.stderr) == (1 if command == "metadata" else 0, "")
    assert done.stdout


def test_progress_is_shown_on_terminal(database: Path) -> None:
    watcher, terminal = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-m", "jupyter_colophon.cli", "verify", f"--database={database}"],
        stdout=subprocess.PIPE,
        stderr=terminal,
        timeout=300,
    )
    os.close(terminal)
    shown = os.read(watcher, 100_000)
    os.close(watcher)
    assert (done.returncode, done.stdout) == (0, b"no problems found\n")
    assert b"store" in shown
    assert shown.endswith(b"\r\x1b[K")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", [["metadata", "list", "code-snippets"], ["metadata", "list", "--help"], ["doctor"]])
def test_closed_output_pipe_is_no_error(tmp_path: Path, words: list[str], unbuffered: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "jupyter_colophon.cli", *words],
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        timeout=300,
        env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "PYTHONUNBUFFERED": unbuffered},
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


def test_unencodable_characters_are_escaped(database: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "jupyter_colophon.cli", "lineage", "sales.orders", f"--database={database}"],
        capture_output=True,
        timeout=300,
        env={
            "HOME": str(database.parent),
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": build_python_path(),
            "PYTHONIOENCODING": "ascii",
        },
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\nupstream\n\\u2514\\u2500 " in done.stdout
