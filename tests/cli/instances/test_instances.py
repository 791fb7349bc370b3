"""`create`, `update`, `list`, `remove` and `migrate`: output, exit codes and files."""

import json
import stat
from typing import Any

import pytest
from support.shell import InstanceShell, build_snippet_document

HEAD = ("Schema         Instance  Resource", "------         --------  --------")


def _created(shell: InstanceShell, *words: str) -> dict[str, Any]:
    """Create a thing, and return the document in its file."""
    done = shell("create", "things", "--schema_name=thing", "--display_name=A thing", "--name=it", *words)
    assert (done.status, done.out) == (
        0,
        f"Metadata instance 'it' for schema 'thing' has been written to: {shell.get_instance_path('things', 'it')}\n",
    )
    return dict(shell.read_instance_file("things", "it"))


def test_create_names_instance_after_display_name(shell: InstanceShell) -> None:
    words = ["--display_name=1 teste 'rápido'", "--language", "Python", "--code=['a','b']", "--tags=x,y"]
    done = shell("create", "code-snippets", *words)
    path = shell.get_instance_path("code-snippets", "a_1_teste_rpido")
    result = f"Metadata instance 'a_1_teste_rpido' for schema 'code-snippet' has been written to: {path}\n"
    assert (done.status, done.out) == (0, result)
    assert shell.read_instance_file("code-snippets", "a_1_teste_rpido") == {
        "display_name": "1 teste 'rápido'",
        "metadata": {"language": "Python", "code": ["a", "b"], "tags": ["x", "y"]},
        "schema_name": "code-snippet",
    }
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    listed = shell("list", "code-snippets")
    lines = listed.out.splitlines()
    assert (listed.status, lines[0], lines[1]) == (0, "Available metadata instances for code-snippets:", "")
    assert lines[4].split() == ["code-snippet", "a_1_teste_rpido", str(path)]


def test_create_saves_values_and_defaults(shell: InstanceShell) -> None:
    saved = _created(shell, "--size=0", "--is_new=false", "--more={'a': [1, None]}", "--either=5", "--database=mine.db")
    assert saved["metadata"] == {
        "size": 0,
        "is_new": False,
        "more": {"a": [1, None]},
        "either": 5,
        "database": "mine.db",
        "ratio": 1.5,
    }
    assert not (shell.home / "mine.db").exists()


def test_options_override_document(shell: InstanceShell) -> None:
    (shell.home / "from-file.json").write_text(
        json.dumps(build_snippet_document("By file") | {"resource": "/x", "reason": "y"})
    )
    assert shell("create", "code-snippets", "--file=from-file.json", "--language=Java").status == 0
    saved = shell.read_instance_file("code-snippets", "from-file")
    assert saved == build_snippet_document("By file", language="Java")
    bare = "{'language': 'R', 'code': ['q']}"
    assert shell("create", "code-snippets", "--json", bare, "--display_name=By json").status == 0
    assert shell.read_instance_file("code-snippets", "by_json")["metadata"] == {"language": "R", "code": ["q"]}
    assert shell("install", "code-snippets", f"--json={json.dumps(build_snippet_document('Whole'))}").status == 0
    assert shell.read_instance_file("code-snippets", "whole") == build_snippet_document("Whole")
    # As in Elyra, the display name makes the name of what --json brings, also where it has a name.
    named = json.dumps({"name": "other", **build_snippet_document("Whole", tags=["new"])})
    done = shell("update", "code-snippets", f"--json={named}")
    assert (done.status, shell.read_instance_file("code-snippets", "whole")["metadata"]["tags"]) == (0, ["new"]), (
        done.out
    )
    done = shell(
        "create", "code-snippets", f"--json={json.dumps({'name': 'other', **build_snippet_document('A Third')})}"
    )
    assert (done.status, "instance 'a_third'" in done.out) == (0, True)
    untitled = json.dumps({"name": "whole", "metadata": {"tags": ["newer"]}})
    assert shell("update", "code-snippets", f"--json={untitled}").status == 0
    assert shell.read_instance_file("code-snippets", "whole")["metadata"]["tags"] == ["newer"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--display_name=Hello", "--name=hello"],
            "An instance named 'hello' already exists in the code-snippets schemaspace.",
        ),
        (["--display_name=X", "--name=UPPER"], "Name of metadata must be lowercase alphanumeric"),
        (
            ["--display_name=X", "--name=x", "--json={}"],
            "Validation failed for instance 'x' using the code-snippet schema with error: 'code' is a required property.",
        ),
    ],
    ids=["taken", "illegal", "invalid"],
)
def test_save_error_is_printed_without_help(shell: InstanceShell, words: list[str], message: str) -> None:
    shell.write_instance_file("code-snippets", "hello", build_snippet_document())
    more = [] if "--json={}" in words else ["--code=a"]
    done = shell("create", "code-snippets", "--language=R", *more, *words)
    text = "The following exception occurred saving metadata instance for schema 'code-snippet': "
    assert (done.status, done.out.count("\n")) == (1, 1)
    assert done.out.startswith(text + message)
    assert [one.name for one in shell.get_instance_path("code-snippets", "hello").parent.glob("[!.]*")] == [
        "hello.json"
    ]


def test_all_validation_errors_are_logged(shell: InstanceShell) -> None:
    done = shell("create", "things", "--schema_name=thing", "--display_name=X", "--json={'is_new': 'maybe'}")
    assert done.status == 1
    assert "/metadata" in done.err
    # The first is logged as well, as Elyra logs it.
    assert "Validation failed for instance 'x' using the thing schema with error: " in done.out
    assert "Validation failed for instance 'x' using the thing schema with error: " in done.err


def test_update_merges_and_create_does_not_replace(shell: InstanceShell) -> None:
    _created(shell, "--size=1", "--tags=a,b", "--password=hunter2")
    done = shell("update", "things", "--name=it", "--size=2", "--tags=")
    assert (done.status, done.out.split(" has been written")[0]) == (0, "Metadata instance 'it' for schema 'thing'")
    saved = shell.read_instance_file("things", "it")["metadata"]
    assert (saved["size"], saved["tags"], saved["password"], saved["ratio"]) == (2, [], "hunter2", 1.5)
    assert shell("install", "things", "--replace", "--name=it", "--display_name=Another", "--size=3").status == 0
    saved = shell.read_instance_file("things", "it")
    assert (saved["display_name"], saved["metadata"]["size"], saved["metadata"]["password"]) == (
        "Another",
        3,
        "hunter2",
    )
    assert shell("install", "things", "--schema_name=thing", "--name=it", "--display_name=X", "--size=3").status == 1
    absent = shell("update", "code-snippets", "--name=absent", "--language=R")
    assert "No such instance named 'absent' was found in the code-snippets schemaspace." in absent.out


def test_update_repairs_invalid_instance(shell: InstanceShell) -> None:
    shell.write_instance_file("code-snippets", "torn", '{"display_name":')
    shell.write_instance_file(
        "code-snippets", "wrong", {"display_name": "W", "schema_name": "code-snippet", "metadata": {"language": 5}}
    )
    assert shell("update", "code-snippets", "--name=wrong", "--language=R", "--code=a").status == 0
    assert shell.read_instance_file("code-snippets", "wrong")["metadata"] == {"language": "R", "code": ["a"]}
    words = ["--name=torn", "--display_name=Whole again", "--language=R", "--code=a"]
    assert shell("update", "code-snippets", *words).status == 0
    assert shell.read_instance_file("code-snippets", "torn")["display_name"] == "Whole again"


def test_create_prints_json_on_request(shell: InstanceShell) -> None:
    done = shell("create", "code-snippets", f"--json={json.dumps(build_snippet_document())}", "--output=json")
    path = str(shell.get_instance_path("code-snippets", "hello"))
    whole = {"name": "hello", **build_snippet_document(), "resource": path}
    assert (done.status, done.answer) == (0, whole)
    assert shell("list", "code-snippets", "--json").answer == [whole]
    assert shell("list", "code-snippets", "--json", "--schema_name=another").answer == []
    removed = shell("remove", "code-snippets", "--name=hello", "--json")
    assert (removed.status, removed.answer) == (0, {"schemaspace": "code-snippets", "removed": "hello"})


def test_secret_is_saved_and_masked(shell: InstanceShell) -> None:
    assert _created(shell, "--size=1", "--password=hunter2")["metadata"]["password"] == "hunter2"
    for words in (["list", "things", "--json"], ["list", "things"], ["update", "things", "--name=it", "--size=x"]):
        done = shell(*words)
        assert "hunter2" not in done.out + done.err
    assert shell("list", "things", "--json").answer[0]["metadata"]["password"] == {"$secret": True}


def _damaged(shell: InstanceShell) -> None:
    shell.write_instance_file("code-snippets", "good", build_snippet_document())
    shell.write_instance_file(
        "code-snippets", "inv", {"display_name": "I", "schema_name": "code-snippet", "metadata": {}}
    )
    shell.write_instance_file("code-snippets", "broken", '{"display_name":')
    shell.write_instance_file("code-snippets", "odd", {"display_name": "O", "schema_name": "odd", "metadata": {}})


def test_invalid_instances_are_listed_on_request(shell: InstanceShell) -> None:
    _damaged(shell)
    done = shell("list", "code-snippets", "--include-invalid")
    lines = done.out.splitlines()
    assert lines[0] == "Available metadata instances for code-snippets (includes invalid):"
    rows = [(line.split()[0], line.split()[1], line.partition(".json")[2].strip()) for line in lines[4:]]
    assert rows == [
        ("code-snippet", "good", ""),
        ("code-snippet", "inv", "**INVALID** (ValidationError)"),
        ("odd", "odd", "**INVALID** (SchemaNotFoundError)"),
        ("{unknown}", "broken", "**INVALID** (ValueError)"),
    ]
    usual = shell("list", "code-snippets")
    assert [line.split()[1] for line in usual.out.splitlines()[4:]] == ["good"]
    assert [name for name in ("good", "inv", "broken", "odd") if f"'{name}'" in usual.err] == ["inv", "broken", "odd"]
    assert shell("list", "code-snippets", "--valid-only").out == usual.out
    reasons = [one.get("reason") for one in shell("list", "code-snippets", "--json", "--include-invalid").answer]
    assert reasons == ["ValueError", None, "ValidationError", "SchemaNotFoundError"]


def test_remove_deletes_any_existing_instance(shell: InstanceShell) -> None:
    _damaged(shell)
    for name in ("good", "inv", "broken", "odd"):
        done = shell("remove", "code-snippets", f"--name={name}")
        result = f"Metadata instance '{name}' removed from schemaspace 'code-snippets'.\n"
        assert (done.status, done.out) == (0, result)
        assert not shell.get_instance_path("code-snippets", name).exists()
    done = shell("remove", "code-snippets", "--name=good")
    result = "No such instance named 'good' was found in the code-snippets schemaspace.\n"
    assert (done.status, done.out) == (1, result)


def test_control_characters_are_escaped(shell: InstanceShell) -> None:
    shell.write_instance_file(
        "code-snippets", "esc", '{"display_name": "x", "schema_name": "\\u001b[31mred", "metadata": {}}'
    )
    done = shell("list", "code-snippets", "--include-invalid")
    assert "\x1b" not in done.out + done.err
    assert "\\x1b[31mred" in done.out


def test_migrate_reports_successes_and_failures(shell: InstanceShell) -> None:
    done = shell("migrate", "code-snippets")
    assert (done.status, done.out) == (0, "No instances of schemaspace code-snippets were migrated.\n")
    done = shell("migrate", "things")
    first, second = done.out.splitlines()
    assert (done.status, first) == (1, "The following things instances were migrated: ['one', 'two']")
    assert second == "Migration of schema other failed: RuntimeError: there is no way from here"
    dry = shell("migrate", "things", "--dry-run", "--json")
    assert (dry.status, dry.answer["dry_run"], dry.answer["migrated"]) == (1, True, ["one", "two"])
    assert dry.answer["failed"] == [{"schema": "other", "reason": "RuntimeError: there is no way from here"}]


def test_component_registries_are_migrated_to_catalogs(shell: InstanceShell) -> None:
    old = {
        "display_name": "Mine",
        "schema_name": "component-registry",
        "metadata": {
            "location_type": "URL",
            "paths": ["https://example.org/a.yaml"],
            "runtime": "kfp",
            "categories": ["x"],
        },
    }
    shell.write_instance_file("component-registries", "mine", old)
    done = shell("migrate", "component-registries")
    result = "The following component-registries instances were migrated: ['mine']\n"
    assert (done.status, done.out) == (0, result)
    assert shell.read_instance_file("component-catalogs", "mine")["schema_name"] == "url-catalog"
    assert shell("migrate", "component-registries").out.startswith("No instances of schemaspace component-registries")


def test_invalid_unicode_prints_one_line(shell: InstanceShell) -> None:
    done = shell("create", "code-snippets", "--display_name=X", "--language=\udcff", "--code=a")
    assert (done.status, done.out.count("\n"), "Traceback" in done.err) == (1, 1, False)
    assert not shell.get_instance_path("code-snippets", "x").exists()
