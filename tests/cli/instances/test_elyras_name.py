"""The command line under the name that Elyra's users import."""

import subprocess
import sys

from support.shell import Shell


def test_elyras_application_does_the_same(shell: Shell) -> None:
    script = "from jupyter_colophon.elyra.metadata_app import MetadataApp; MetadataApp.main()"
    for words, status, told in (
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
        assert done.stdout.startswith(told)


def test_it_can_be_started_with_words_of_ones_own(shell: Shell) -> None:
    script = "from jupyter_colophon.elyra.metadata_app import MetadataApp; MetadataApp(argv=['list', 'things']).start()"
    done = subprocess.run(
        [sys.executable, "-c", script, "ignored"],
        capture_output=True,
        text=True,
        timeout=300,
        env=shell.commands.whole_environment,
    )
    assert (done.returncode, done.stdout) == (0, "No metadata instances found for things\n")


def test_the_script_of_jupyter_has_the_command(shell: Shell) -> None:
    done = shell.commands.bare("metadata", "list", "things", "--json")
    assert (done.status, done.answer) == (0, [])
    before = shell.commands.bare("--Colophon.default_fabric=DEV", "metadata", "list", "things")
    assert before.out == "No metadata instances found for things\n"
    assert "metadata" in shell.commands.bare("--help").out
