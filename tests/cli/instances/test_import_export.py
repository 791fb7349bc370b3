"""`export`, `import`, `move` and `recover`."""

import json
import stat
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.core.access import Principal
from support.catalog import open_catalog_file
from support.shell import InstanceShell, build_snippet_document

THING = {"display_name": "It", "schema_name": "thing", "metadata": {"size": 1, "password": "hunter2"}}
INVALID = {"display_name": "I", "schema_name": "code-snippet", "metadata": {}}


def _read(path: Path) -> Any:
    return json.loads(path.read_text())


def test_export_writes_one_file_per_instance(shell: InstanceShell) -> None:
    for name in ("one", "two"):
        shell.write_instance_file("code-snippets", name, build_snippet_document(name))
    done = shell("export", "code-snippets", "--directory=out")
    assert (done.status, done.out.splitlines()) == (
        0,
        [
            "Creating directory structure for 'out/code-snippets'",
            "Exporting metadata instances for schemaspace 'code-snippets' (valid only) to 'out/code-snippets'",
            "Exported 2 instances (0 of which are invalid)",
        ],
    )
    folder = shell.home / "out" / "code-snippets"
    path = str(shell.get_instance_path("code-snippets", "one"))
    assert _read(folder / "one.json") == {"name": "one", **build_snippet_document("one"), "resource": path}
    assert (folder / "one.json").read_text().startswith('{\n    "name": "one",\n')
    (folder / "stale.json").write_text("{}")
    shell.write_instance_file("code-snippets", "inv", INVALID)
    shell.write_instance_file("code-snippets", "torn", "{")
    done = shell("export", "code-snippets", "--directory", "out", "--include-invalid", "--clean")
    assert done.out.splitlines() == [
        "Cleaning out all files in 'out/code-snippets'",
        "Exporting metadata instances for schemaspace 'code-snippets' (includes invalid) to 'out/code-snippets'",
        "Exported 3 instances (1 of which is invalid)",
    ]
    assert sorted(one.stem for one in folder.iterdir()) == ["inv", "one", "two"]
    assert _read(folder / "inv.json")["reason"] == "ValidationError"
    assert "'torn' of code-snippets is unreadable and was not exported" in done.err


def test_export_is_filtered_by_schema(shell: InstanceShell) -> None:
    shell.write_instance_file("things", "it", THING)
    shell.write_instance_file(
        "things", "that", {"display_name": "T", "schema_name": "other", "metadata": {"kind": "a"}}
    )
    done = shell("export", "things", "--directory=out", "--schema_name=other", "--json")
    folder = "out/things"
    assert done.answer == {"schemaspace": "things", "directory": folder, "exported": ["that"], "invalid": []}
    done = shell("export", "things", "--directory=out", "--schema_name=bogus")
    result = "Schema name 'bogus' is invalid. For the 'things' schemaspace, the schema name must be one of ['other', 'thing']"
    assert (done.status, done.out) == (1, result + "\n")
    done = shell("export", "runtimes", "--directory=none", "--schema_name=kfp")
    result = "No metadata instances found for schemaspace 'runtimes' and schema 'kfp'\nNothing exported to 'none'\n"
    assert (done.status, done.out) == (0, result)
    assert not (shell.home / "none").exists()
    (shell.home / "file").write_text("")
    done = shell("export", "things", "--directory=file")
    assert (done.status, done.out.partition(":")[0]) == (1, "Error creating directory structure for 'file/things'")


def test_secrets_are_exported_only_on_request(shell: InstanceShell) -> None:
    shell.write_instance_file("things", "it", THING)
    done = shell("export", "things", "--directory=out")
    warning = "1 instance exported without secrets; use --include-secrets to include them"
    assert (done.status, done.err.count(warning)) == (0, 1)
    path = shell.home / "out" / "things" / "it.json"
    assert _read(path)["metadata"]["password"] == {"$secret": True}
    done = shell("export", "things", "--directory=out", "--include-secrets")
    assert (done.status, "without secrets" in done.err) == (0, False)
    assert _read(path)["metadata"]["password"] == "hunter2"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_export_does_not_follow_symlinks(shell: InstanceShell) -> None:
    shell.write_instance_file("code-snippets", "one", build_snippet_document())
    folder, victim = shell.home / "out" / "code-snippets", shell.home / "victim"
    folder.mkdir(parents=True)
    victim.write_text("mine")
    (folder / "one.json").symlink_to(victim)
    assert shell("export", "code-snippets", "--directory=out").status == 1
    assert victim.read_text() == "mine"


def _folder(shell: InstanceShell, **files: str) -> None:
    folder = shell.home / "in"
    folder.mkdir()
    for name, content in files.items():
        (folder / f"{name}.json").write_text(content)


def test_import_lists_failed_files(shell: InstanceShell) -> None:
    shell.write_instance_file("code-snippets", "there", build_snippet_document("Old", tags=["kept"]))
    _folder(
        shell,
        new=json.dumps({"name": "x", "resource": "/x", **build_snippet_document("New")}),
        there=json.dumps(build_snippet_document("Newer")),
        inv=json.dumps(INVALID),
        torn="{",
        poor=json.dumps({"display_name": "P"}),
        odd=json.dumps({"display_name": "O", "schema_name": "odd", "metadata": {}}),
    )
    dry = shell("import", "code-snippets", "--directory=in", "--dry-run")
    assert dry.out.splitlines()[:2] == ["Would import 1 instance", "5 instances could not be imported"]
    assert not shell.get_instance_path("code-snippets", "new").exists()
    done = shell("import", "code-snippets", "--directory=in")
    lines = done.out.splitlines()
    assert (done.status, lines[:4]) == (
        0,
        ["Imported 1 instance", "5 instances could not be imported", "", "The following files could not be imported: "],
    )
    assert lines[4].split() == ["File", "Reason"]
    rows = {line.split()[0]: line.split(maxsplit=1)[1].strip() for line in lines[6:]}
    assert list(rows) == ["inv.json", "odd.json", "poor.json", "there.json", "torn.json"]
    assert rows["there.json"] == (
        "An instance named 'there' already exists in the code-snippets schemaspace. Use '--overwrite' to update."
        " (differs: /display_name, /metadata/tags)"
    )
    assert rows["poor.json"] == "Could not find 'schema_name' key in the import file 'in/poor.json'"
    assert rows["odd.json"] == "No such schema named 'odd' was found in the code-snippets schemaspace."
    assert rows["inv.json"].startswith("Validation failed for instance 'inv' using the code-snippet schema with error:")
    assert shell.read_instance_file("code-snippets", "new") == build_snippet_document("New")
    again = shell("import", "code-snippets", "--directory=in", "--overwrite", "--json")
    outcomes = {one["name"]: one["outcome"] for one in again.answer["imported"]}
    assert (again.status, outcomes) == (0, {"new": "unchanged", "there": "updated"})
    assert [one["file"] for one in again.answer["failed"]] == ["inv.json", "odd.json", "poor.json", "torn.json"]
    assert shell.read_instance_file("code-snippets", "there") == build_snippet_document("Newer")


def test_import_of_empty_folder_is_reported(shell: InstanceShell) -> None:
    shell.write_instance_file("code-snippets", "one", build_snippet_document())
    assert shell("export", "code-snippets", "--directory=out").status == 0
    done = shell("import", "code-snippets", "--directory=out")
    assert (done.status, done.out) == (0, "No instances for import found in the 'out' directory\n")
    assert "the folder out/code-snippets contains instances: import from that folder" in done.err
    done = shell("import", "code-snippets", "--directory=none")
    result = "Unable to reach the 'none' directory: No such file or directory: 'none'\n"
    assert (done.status, done.out) == (1, result)


def test_export_with_secrets_round_trips(shell: InstanceShell) -> None:
    path = shell.write_instance_file("things", "it", THING)
    assert shell("export", "things", "--directory=out", "--include-secrets").status == 0
    path.unlink()
    assert shell("import", "things", "--directory=out/things").out == "Imported 1 instance\n"
    assert shell.read_instance_file("things", "it")["metadata"]["password"] == "hunter2"
    assert shell("export", "things", "--directory=masked").status == 0
    shell("update", "things", "--name=it", "--size=7")
    assert shell("import", "things", "--directory=masked/things", "--overwrite").out == "Imported 1 instance\n"
    assert shell.read_instance_file("things", "it")["metadata"]["password"] == "hunter2"
    assert shell.read_instance_file("things", "it")["metadata"]["size"] == 1
    path.unlink()
    for words in (["--dry-run"], []):
        done = shell("import", "things", "--directory=masked/things", *words)
        assert "1 instance could not be imported" in done.out
        assert "/metadata/password: no secret is stored here: enter it again" in done.out
        assert (done.status, done.out.splitlines()[-1].split()) == (1, ["it.json", "/metadata/password"])
    assert not path.exists()
    done = shell("import", "things", "--directory=masked/things", "--json")
    missing = [{"file": "it.json", "pointer": "/metadata/password"}]
    assert (done.status, done.answer["missing_secrets"]) == (1, missing)


@pytest.fixture
def with_catalog(shell: InstanceShell) -> InstanceShell:
    database = shell.commands.database
    database.parent.mkdir(parents=True)
    open_catalog_file(database).close()
    return shell


def test_instances_are_moved_to_catalog_and_back(with_catalog: InstanceShell) -> None:
    shell, before = with_catalog, THING
    shell.write_instance_file("things", "it", before)
    shell.write_instance_file("things", "torn", "{")
    dry = shell("move", "things", "--from=file", "--to=catalog", "--dry-run")
    assert (dry.status, dry.out.splitlines()[0]) == (1, "Would move 1 instance of things from file to catalog")
    assert shell.get_instance_path("things", "it").exists()
    done = shell("move", "things", "--from=file", "--to=catalog", "--json")
    assert {one["name"]: one["outcome"] for one in done.answer["results"]} == {"it": "created", "torn": "failed"}
    assert not shell.get_instance_path("things", "it").exists()
    assert shell.get_instance_path("things", "torn").exists()
    listed = shell("list", "things", "--json", "--Colophon.metadata_store=catalog").answer
    assert [one["resource"] for one in listed] == ["urn:li:instance:(things,it)"]
    back = shell("move", "things", "--from=catalog", "--to=file")
    assert (back.status, back.out) == (0, "Moved 1 instance of things from catalog to file\n")
    assert shell.read_instance_file("things", "it") == before
    odd = shell("move", "things", "--from=file", "--to=nowhere")
    assert odd.status != 0
    assert "nowhere" in odd.out + odd.err


def test_saved_instance_is_recorded_in_catalog(with_catalog: InstanceShell) -> None:
    shell = with_catalog
    words = ["--display_name=Hello", "--language=R", "--code=a"]
    assert shell("create", "code-snippets", *words).status == 0
    assert shell("update", "code-snippets", "--name=hello", "--language=S").status == 0
    assert shell("remove", "code-snippets", "--name=hello").status == 0
    catalog = open_catalog_file(shell.commands.database)
    changes = catalog.feed.read_visible_changes(0, 1_000, {"type": "instance"}, Principal("ada"))
    catalog.close()
    done = [one.operation for one in changes if one.aspect == "instance"]
    assert done == ["create", "update", "delete"]


def test_recovery_file_is_recovered_on_request(with_catalog: InstanceShell) -> None:
    shell = with_catalog
    assert shell("recover", "code-snippets").out == "No recovery files found for code-snippets\n"
    shell.write_instance_file("code-snippets", "torn", '{"display')
    shell.write_instance_file("code-snippets", "sound", build_snippet_document("Sound"))
    folder = shell.get_instance_path("code-snippets", "torn").parent
    for name, old in (
        ("torn.json1700000000.5", "Older"),
        ("torn.json1700000100.5", "Old"),
        ("sound.json1700000000.0", "X"),
    ):
        (folder / name).write_text(json.dumps(build_snippet_document(old)))
    listed = shell("recover", "code-snippets")
    rows = [line.split(maxsplit=3) for line in listed.out.splitlines()[2:]]
    assert [row[:2] for row in rows] == [
        ["sound", "sound.json1700000000.0"],
        ["torn", "torn.json1700000100.5"],
        ["torn", "torn.json1700000000.5"],
    ]
    assert rows[1][2:] == ["2023-11-14T22:15:00Z", "the instance is missing or unreadable"]
    refused = shell("recover", "code-snippets", "--name=sound")
    assert (refused.status, shell.read_instance_file("code-snippets", "sound")) == (1, build_snippet_document("Sound"))
    done = shell("recover", "code-snippets", "--name=torn")
    path = shell.get_instance_path("code-snippets", "torn")
    message = f"Metadata instance 'torn' has been recovered from torn.json1700000100.5 to: {path}\n"
    assert (done.status, done.out, shell.read_instance_file("code-snippets", "torn")) == (
        0,
        message,
        build_snippet_document("Old"),
    )
    assert shell("recover", "code-snippets", "--name=sound", "--file=sound.json1700000000.0", "--discard").status == 0
    left = shell("recover", "code-snippets", "--json").answer["recoveryFiles"]
    assert [one["file"] for one in left] == ["torn.json1700000000.5"]
    for words in (["--name=absent"], ["--name=torn", "--file=../torn.json1"], ["--name=torn", "--discard"]):
        assert shell("recover", "code-snippets", *words).status == 1
    catalog = open_catalog_file(shell.commands.database)
    changes = catalog.feed.read_visible_changes(0, 1_000, {"type": "instance"}, Principal("ada"))
    catalog.close()
    recovered = [one for one in changes if one.aspect == "instance" and "torn" in str(one.urn)]
    assert len(recovered) >= 1


def test_import_continues_after_malformed_file(shell: InstanceShell) -> None:
    folder = shell.commands.home / "in"
    folder.mkdir()
    good = {"display_name": "Good", "schema_name": "code-snippet", "metadata": {"language": "R", "code": ["a"]}}
    for name, changed in {
        "good": {},
        "list": {"metadata": []},
        "number": {"schema_name": 1},
        "null": {"display_name": None},
    }.items():
        (folder / f"{name}.json").write_text(json.dumps(good | changed))
    done = shell("import", "code-snippets", "--directory=in", "--json")
    assert (done.status, [one["name"] for one in done.answer["imported"]]) == (0, ["good"])
    assert [one["file"] for one in done.answer["failed"]] == ["list.json", "null.json", "number.json"]
