"""Connections to files: what may be browsed and sampled, and what may not."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jupyter_colophon.apps.system_apps import SystemApps
from jupyter_colophon.core.errors import BadRequest, NotFound

Call = Callable[..., Any]


def test_connection_is_created_changed_and_deleted(call: Call, data: Path) -> None:
    created = call("PUT", "connections/files", {"type": "file", "folder": str(data), "description": "Orders"})
    assert (created["folder"], created["createdBy"]) == (str(data), "ada")
    call("PUT", "connections/files", {"folder": str(data / "shop")})
    assert call("GET", "connections/files")["folder"] == str(data / "shop")
    assert [row["name"] for row in call("GET", "connections")["connections"]] == ["files"]
    assert call("GET", "connections", context="ops") == {"connections": []}
    call("DELETE", "connections/files")
    for method in ("GET", "DELETE"):
        with pytest.raises(NotFound, match="connection 'files' not found"):
            call(method, "connections/files")


def test_only_permitted_folders_are_connected(call: Call, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (data / "out").symlink_to(data.parent / "private")
    (data / ".ssh").mkdir()
    for folder in (
        data.parent,
        data.parent / "private",
        data / "missing",
        data / ".." / "private",
        data / "out",
        data / ".ssh",
        "missing",
        "../private",
    ):
        with pytest.raises(BadRequest, match="is not a folder inside a permitted one") as refused:
            call("PUT", "connections/files", {"folder": str(folder)})
        assert f": {data} (" in str(refused.value)
    # A relative path is below the permitted folder.
    (data / "shop").mkdir(exist_ok=True)
    call("PUT", "connections/files", {"folder": "shop"})
    assert call("GET", "connections/files")["folder"] == str(data / "shop")
    assert call("POST", "connections/test", {"type": "file", "folder": "."})["message"] == "the folder has 1 entry"
    call("PUT", "connections/files", {"folder": str(data)})
    # The operator permits it no more.
    monkeypatch.delenv("COLOPHON_DATAPREP_FOLDERS")
    with pytest.raises(BadRequest, match=r"no folder is permitted: set c\.Colophon\.app_data_folders"):
        call("GET", "connections/files/browse")


def test_environment_replaces_the_folders_of_the_setting(
    call: Call, apps: SystemApps, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    private = str(data.parent / "private")
    apps.data_folders = (private,)
    with pytest.raises(BadRequest, match="is not a folder inside a permitted one"):
        call("PUT", "connections/files", {"folder": private})
    monkeypatch.setenv("COLOPHON_DATAPREP_FOLDERS", "")
    with pytest.raises(BadRequest, match="no folder is permitted"):
        call("PUT", "connections/files", {"folder": private})
    monkeypatch.delenv("COLOPHON_DATAPREP_FOLDERS")
    call("PUT", "connections/files", {"folder": private})
    assert [entry["name"] for entry in call("GET", "connections/files/browse")["entries"]] == ["secret.txt"]
    with pytest.raises(BadRequest, match="is not a folder inside a permitted one"):
        call("PUT", "connections/files", {"folder": str(data)})


def test_folders_and_files_are_listed_without_hidden_and_foreign_ones(call: Call, files: str, data: Path) -> None:
    (data / ".hidden").mkdir()
    (data / "link.txt").symlink_to(data.parent / "private" / "secret.txt")
    (data / "inside.csv").symlink_to(data / "shop" / "orders.csv")
    (data / os.fsdecode(b"not-unicode-\xff.csv")).touch()
    os.mkfifo(data / "pipe")
    size = (data / "shop" / "orders.csv").stat().st_size
    assert call("GET", "connections/files/browse")["entries"] == [
        {"name": "shop", "type": "folder", "path": "shop", "canBrowse": True, "canSample": False},
        {
            "name": "inside.csv",
            "type": "file",
            "bytes": size,
            "path": "inside.csv",
            "canBrowse": False,
            "canSample": True,
        },
    ]
    listed = call("GET", "connections/files/browse", path="shop")
    (entry,) = listed["entries"]
    assert (listed["path"], entry["path"], entry["bytes"]) == ("shop", "shop/orders.csv", size)


@pytest.mark.parametrize(
    "path",
    [
        "../private/secret.txt",
        "shop/../../private/secret.txt",
        "/etc/passwd",
        "link.txt",
        "pipe",
        "..",
        "shop",
        ".x",
    ],
)
def test_files_outside_are_not_found(call: Call, files: str, data: Path, path: str) -> None:
    (data / "link.txt").symlink_to(data.parent / "private" / "secret.txt")
    (data / ".x").write_text("CANARY")
    os.mkfifo(data / "pipe")
    with pytest.raises(NotFound):
        call("POST", "connections/files/sample", {"path": path})


@pytest.mark.parametrize(
    ("name", "content", "options", "columns", "rows"),
    [
        (
            "a.csv",
            "id,id,\n1,2,3,4\n5\n",
            {},
            ["id", "id_2", "column_3", "column_4"],
            [["1", "2", "3", "4"], ["5", None, None, None]],
        ),
        ("a.csv", "1,x\n", {"header": False}, ["column_1", "column_2"], [["1", "x"]]),
        ("a.csv", "a;b\n1,5;2\n", {"delimiter": ";"}, ["a", "b"], [["1,5", "2"]]),
        ("a.csv", '\ufeffa\n"x\ny"\n', {}, ["a"], [["x\ny"]]),
        ("a.tsv", "a\tb\n1\t2\n", {}, ["a", "b"], [["1", "2"]]),
        ("a.jsonl", '{"a": 1}\n\n{"b": [1]}\n', {}, ["a", "b"], [[1, None], [None, "[1]"]]),
        ("a.json", '[{"a": 1.5}, {"a": true}]', {}, ["a"], [[1.5], [True]]),
        ("a.log", "one\ntwo\n", {}, ["value"], [["one"], ["two"]]),
        ("a.log", "é\n", {"encoding": "utf-16"}, ["value"], [["é"]]),
    ],
)
def test_formats_are_read(
    call: Call, files: str, data: Path, name: str, content: str, options: dict[str, Any], columns: list[str], rows: Any
) -> None:
    (data / name).write_bytes(content.encode(options.get("encoding", "utf-8")))
    page = call("POST", "connections/files/sample", {"path": name, **options})
    assert [column["name"] for column in page["columns"]] == columns
    assert page["rows"] == rows


def test_values_that_no_encoding_or_column_has_are_replaced(call: Call, files: str, data: Path) -> None:
    content = """[{"text": "\\ud800", "name\\udfff": 1, "number": NaN, "whole": -1%s, "more": {"$date": "x"}, "one": {"$mapping": 1}}]"""
    (data / "a.json").write_text(content % ("0" * 400))
    names, row = ["text", "name?", "number", "whole", "more", "one"], ["?", 1, "nan", "-inf", '{"$date": "x"}']
    page = call("POST", "connections/files/sample", {"path": "a.json"})
    assert ([column["name"] for column in page["columns"]], page["rows"]) == (names, [[*row, '{"$mapping": 1}']])
    workspace = call("POST", "workspaces", {"name": "a", "connection": "files", "path": "a.json"})["id"]
    assert call("GET", f"workspaces/{workspace}/rows")["rows"] == page["rows"]
    assert len(call("GET", f"workspaces/{workspace}/columns")["columns"]) == len(names)
    # A recipe can create them, too.
    parsed = call("POST", "workspaces", {"name": "b", "rows": [{"a": '"\\ud800"', "b": "9" * 399}]})["id"]
    call(
        "POST", f"workspaces/{parsed}/directives", {"directives": ["parse-as-json :a", "set-column :b exp:{number(b)}"]}
    )
    assert call("GET", f"workspaces/{parsed}/rows")["rows"][0][0] == "?"
    with pytest.raises(BadRequest, match="a number of the result is too large"):
        call("GET", f"workspaces/{parsed}/columns")


def test_connection_has_the_format_of_its_files(call: Call, data: Path) -> None:
    reading = {"format": "csv", "header": False, "delimiter": ";", "encoding": "latin-1"}
    created = call("PUT", "connections/files", {"folder": str(data), **reading})
    assert reading.items() <= created.items()
    (data / "a.txt").write_bytes("Zoé;1\n".encode("latin-1"))
    assert call("POST", "connections/files/sample", {"path": "a.txt"})["rows"] == [["Zoé", "1"]]
    # A sample may differ, and a pipeline reads the file as the sample.
    body = {"path": "a.txt", "header": True, "name": "a", "connection": "files"}
    source = call("POST", "workspaces", body)["source"]
    assert {**reading, "header": True}.items() <= source.items()
    for wrong in ({"format": "avro"}, {"header": "no"}, {"delimiter": ";;"}, {"encoding": "rot13"}):
        with pytest.raises(BadRequest, match=f"the member {next(iter(wrong))} must be"):
            call("PUT", "connections/files", {"folder": str(data), **wrong})


def test_parquet_keeps_its_types(call: Call, files: str, data: Path) -> None:
    from datetime import date

    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"day": [date(2026, 11, 27)], "n": [2**40]}), data / "a.parquet")
    page = call("POST", "connections/files/sample", {"path": "a.parquet"})
    assert page["columns"] == [{"name": "day", "type": "date"}, {"name": "n", "type": "integer"}]
    assert page["rows"] == [["2026-11-27", 2**40]]


def test_random_sample_is_determined_by_its_seed(call: Call, files: str, data: Path) -> None:
    (data / "n.jsonl").write_text("".join(json.dumps({"n": number}) + "\n" for number in range(500)))

    def sample(seed: int) -> list[int]:
        body = {"path": "n.jsonl", "sampling": "random", "limit": 20, "seed": seed}
        return [row[0] for row in call("POST", "connections/files/sample", body)["rows"]]

    assert sample(1) == sample(1) == sorted(sample(1)) != sample(2)
    assert max(sample(1)) > 100
    first = call("POST", "connections/files/sample", {"path": "n.jsonl", "limit": 3})["rows"]
    assert first == [[0], [1], [2]]


def test_values_of_parquet_that_python_lacks_are_refused(call: Call, files: str, data: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    for number, type_ in (
        (2**30, pyarrow.date32()),
        (2**62, pyarrow.timestamp("us")),
        (1, pyarrow.timestamp("us", tz="Nowhere/City")),
    ):
        parquet.write_table(pyarrow.table({"a": pyarrow.array([number], type_)}), data / "a.parquet")
        with pytest.raises(BadRequest, match=r"a\.parquet cannot be read as parquet: "):
            call("POST", "connections/files/sample", {"path": "a.parquet"})


@pytest.mark.parametrize(
    ("name", "content", "body", "reason"),
    [
        ("a.txt", b"\xff", {}, "is not a text in utf-8: choose another encoding"),
        ("a.json", b"[1]", {}, "each row must be a JSON object"),
        ("a.jsonl", b"{", {}, "cannot be read as jsonl"),
        ("a.parquet", b"no", {}, "cannot be read as parquet"),
        ("a.txt", b"x" * 2**20, {}, "a line of more than 1048576 characters"),
        ("a.txt", (b"x" * 2**19 + b"\n") * 9, {}, "more than 4194304 characters: use a smaller limit than 8 rows"),
        ("a.txt", b"", {"limit": 10_001}, "limit must be a whole number from 1 to 10000"),
        ("a.txt", b"", {"sampling": "all"}, "sampling must be one of first, random"),
        ("a.txt", b"", {"more": 1}, "unknown member 'more'"),
        ("a.csv", b"", {"delimiter": "ab"}, "delimiter must be a comma, a semicolon, a tab or a vertical bar"),
        ("a.avro", b"", {}, "a.avro cannot be sampled: avro is not one of the formats csv, .* Convert it to Parquet"),
    ],
)
def test_unreadable_files_are_refused(
    call: Call, files: str, data: Path, name: str, content: bytes, body: dict[str, Any], reason: str
) -> None:
    (data / name).write_bytes(content)
    with pytest.raises(BadRequest, match=reason):
        call("POST", "connections/files/sample", {"path": name, **body})
