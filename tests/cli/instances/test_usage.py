"""Help and wrong usage: printed on stdout, with exit code 1, as by Elyra."""

import pytest
from support.shell import InstanceShell

COMMANDS = "['list', 'create', 'update', 'remove', 'migrate', 'export', 'import', 'move', 'recover']"


@pytest.mark.parametrize(
    ("words", "first", "message"),
    [
        ([], f"No subcommand specified.  One of: {COMMANDS} must be specified.", "migrate  Migrate"),
        (["--help"], "", "Manage the instances of schemaspaces"),
        (["-h"], "", "Manage the instances of schemaspaces"),
        (["bogus"], f"Subcommand 'bogus' is invalid.  One of: {COMMANDS} must be specified.", "list "),
        (["list"], "No subcommand specified.  One of: ['code-snippets',", "things "),
        (["list", "--help"], "", "List metadata instances for a given schemaspace."),
        (["list", "bogus"], "Subcommand 'bogus' is invalid.  One of: ['code-snippets',", "things "),
        (["create", "old-things"], "Subcommand 'old-things' is invalid.", "things "),
        (
            ["list", "things", "--help"],
            "",
            "--include-invalid\n\tInclude invalid instances (default displays only valid instances)",
        ),
        (["list", "things", "-h"], "", "Options\n-------"),
        (["list", "things", "--bogus=1"], "ERROR: The following arguments were unexpected: ['--bogus=1']", "--json"),
        (["list", "things", "more"], "ERROR: The following arguments were unexpected: ['more']", "--json"),
        (["list", "things", "--valid-only", "--include-invalid"], "ERROR: At most one of", "--valid-only"),
        (
            ["create", "things", "--help"],
            "",
            "--schema_name=<string> (Required. Format: must be one of: ['thing', 'other'])",
        ),
        (
            ["create", "things", "--help", "--schema_name=other"],
            "",
            "--kind=<string> (Required. Format: must be one of: ['a', 'b'])",
        ),
        (
            ["create", "code-snippets", "--help"],
            "",
            "--code=<array> (Required. Format: \"['item1', 'item2']\" or \"item1,item2\")",
        ),
        (
            ["create", "things"],
            "ERROR: '--schema_name' is a required parameter and must be one of the following values: ['thing', 'other'].",
            "Create a metadata instance in schemaspace 'things'.",
        ),
        (
            ["create", "things", "--schema_name=bogus"],
            "ERROR: Parameter '--schema_name' requires one of the following values: ['thing', 'other']",
            "--file=",
        ),
        (["create", "things", "--schema_name="], "ERROR: Parameter '--schema_name' requires a value.", "--file="),
        (["create", "code-snippets"], "ERROR: '--display_name' is a required parameter.", "--code="),
        (["create", "code-snippets", "--display_name="], "ERROR: Parameter '--display_name' requires a value.", ""),
        (
            ["create", "things", "--schema_name=other", "--display_name=X"],
            "ERROR: '--kind' is a required parameter and must be one of the following values: ['a', 'b'].",
            "--kind=",
        ),
        (
            ["create", "things", "--schema_name=thing", "--display_name=X", "--size=big"],
            "ERROR: Parameter '--size' requires an integer with format: 'n' where 'n' is an integer and \"big\" was given.",
            "--size=",
        ),
        (
            ["create", "code-snippets", "--display_name=X", "--language=R", "--code=a", "--bogus", "1"],
            "ERROR: The following arguments were unexpected: ['--bogus', '1']",
            "",
        ),
        (["create", "code-snippets", "--json={}", "--file=x"], "ERROR: At most one of '--json' or '--file' can be", ""),
        (["create", "code-snippets", "--file=none"], "ERROR: Parameter '--file' requires a file with format JSON", ""),
        (["update", "code-snippets", "--language=R"], "The following exception occurred saving metadata instance", ""),
        (
            ["remove", "things"],
            "ERROR: '--name' is a required parameter.",
            "Remove a metadata instance from schemaspace 'things'.",
        ),
        (["remove", "things", "--name"], "ERROR: Parameter '--name' requires a value.", ""),
        (["export", "things"], "ERROR: '--directory' is a required parameter.", "--include-secrets"),
        (["import", "things"], "ERROR: '--directory' is a required parameter.", "--overwrite"),
        (["move", "things", "--to=catalog"], "ERROR: '--from' is a required parameter.", "--dry-run"),
        (["migrate", "things", "--bogus"], "ERROR: The following arguments were unexpected: ['--bogus']", "--dry-run"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage_and_help_exit_with_1(shell: InstanceShell, words: list[str], first: str, message: str) -> None:
    done = shell(*words)
    assert done.status == 1
    assert done.out.startswith(first if first else "\n")
    assert message in done.out
    assert not (shell.home / "data" / "colophon").exists()


def test_schemaspace_is_found_by_name_or_id(shell: InstanceShell) -> None:
    for name in ("things", "THINGS", "b7a5c9a0-3a5e-4d6f-8f0e-5a1f6c1d2e3f"):
        done = shell("list", name)
        assert (done.status, done.out) == (0, "No metadata instances found for things\n")


def test_json_error_is_document(shell: InstanceShell) -> None:
    done = shell("remove", "things", "--name=absent", "--json")
    result = "No such instance named 'absent' was found in the things schemaspace."
    assert (done.status, done.answer) == (1, {"error": result})
    assert shell("remove", "things", "--json").answer == {"error": "'--name' is a required parameter."}


def test_invalid_setting_prints_one_line(shell: InstanceShell) -> None:
    for words, error in (
        (["--config=none.py", "list", "things"], "config file none.py not found"),
        (["list", "things", "--Colophon.nothing=1"], "unknown option --Colophon.nothing"),
    ):
        done = shell(*words)
        assert (done.status, done.out) == (2, "")
        assert done.err == f"jupyter colophon: {error}\n"
    done = shell("list", "things", "--log-level=LOUD")
    assert (done.status, done.out, done.err) == (1, "", "jupyter colophon: unknown log level 'LOUD'\n")


def test_provider_failure_is_logged_on_stderr(shell: InstanceShell) -> None:
    done = shell("list", "things", "--json")
    assert done.answer == []
    assert "[E " in done.err
    assert "'broken-things' - RuntimeError: the provider is out of order" in done.err
    assert shell("list", "things", "--log-level=CRITICAL").err == ""
