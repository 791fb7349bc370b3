"""The command line as Elyra's `MetadataApp`."""

import subprocess
import sys

from support.shell import InstanceShell


def test_elyra_application_runs_command(shell: InstanceShell) -> None:
    script = "from jupyter_colophon.elyra.metadata_app import MetadataApp; MetadataApp.main()"
    for words, status, result in (
        (["list", "code-snippets"], 0, "No metadata instances found for code-snippets\n"),
        (["bogus"], 1, "Subcommand 'bogus' is invalid.  One of: ['list', 'create',"),
    ):
        done = subprocess.run(
            [sys.executable, "-c", script, *words],
            capture_output=True,
            text=True,
            timeout=300,
            env=shell.commands.whole_environment,
            cwd=shell.home,
        )
        assert done.returncode == status
        assert done.stdout.startswith(result)


def test_elyra_application_accepts_arguments(shell: InstanceShell) -> None:
    script = "from jupyter_colophon.elyra.metadata_app import MetadataApp; MetadataApp(argv=['list', 'things']).start()"
    done = subprocess.run(
        [sys.executable, "-c", script, "ignored"],
        capture_output=True,
        text=True,
        timeout=300,
        env=shell.commands.whole_environment,
    )
    assert (done.returncode, done.stdout) == (0, "No metadata instances found for things\n")


def test_jupyter_script_has_command(shell: InstanceShell) -> None:
    done = shell.commands.run("metadata", "list", "things", "--json")
    assert (done.status, done.answer) == (0, [])
    before = shell.commands.run("--Colophon.default_fabric=DEV", "metadata", "list", "things")
    assert before.out == "No metadata instances found for things\n"
    assert "metadata" in shell.commands.run("--help").out
