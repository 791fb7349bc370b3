"""`export` and `import` of a namespace, on a local store and on a server."""

import json
from pathlib import Path

from live import LiveServer
from support.catalog import build_metadata_value, open_catalog_file, write_metadata
from support.commands import Commands
from support.urns import ORDERS

HEAD = '{"format":"jupyter-colophon-namespace","namespace":"sales","version":1}\n'


def test_export_is_sorted_and_repeatable(colophon: Commands, tmp_path: Path) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    assert colophon("export", "sales", str(one)).status == 0
    assert colophon("export", "sales", str(two), "--json").answer["lines"] > 2
    assert one.read_bytes() == two.read_bytes()
    head, *lines = [json.loads(line) for line in one.read_text().splitlines()]
    assert head == json.loads(HEAD)
    keys = [(line["urn"].split(":")[2], line["urn"], line["aspect"]) for line in lines]
    assert keys == sorted(keys)
    assert {aspect for _, _, aspect in keys} == {"status", "technicalMetadata"}


def test_export_error_names_requested_file(colophon: Commands, tmp_path: Path) -> None:
    for file, reason in ((tmp_path / "nope" / "x", "No such file or directory"), (tmp_path, "Is a directory")):
        done = colophon("export", "sales", str(file))
        assert (done.status, done.err) == (1, f"jupyter colophon: {file}: {reason}\n")


def test_export_is_imported_into_another_catalog(colophon: Commands, database: Path, tmp_path: Path) -> None:
    file, other = tmp_path / "sales.jsonl", tmp_path / "other.db"
    colophon("tag", "sales.orders", "gold")
    colophon("export", "sales", str(file))
    open_catalog_file(other).close()
    dry = colophon("import", str(file), "--dry-run", "--json", database=other).answer
    assert dry["counts"] == {"created": len(file.read_text().splitlines()) - 1}
    assert colophon("export", "sales", str(tmp_path / "x"), database=other).status == 1
    assert colophon("import", str(file), database=other).status == 0
    again = tmp_path / "again.jsonl"
    colophon("export", "sales", str(again), database=other)
    assert again.read_bytes() == file.read_bytes()
    same = colophon("import", str(file), "--json", database=other).answer
    assert set(same["counts"]) == {"unchanged"}


def test_export_is_imported_into_server_and_back(
    colophon: Commands, database: Path, served: LiveServer, tmp_path: Path
) -> None:
    file, again = tmp_path / "sales.jsonl", tmp_path / "again.jsonl"
    commands = Commands(colophon.home, database, environment={"COLOPHON_TOKEN": served.token})
    url = f"--url={served.url}"
    colophon("tag", "sales.orders", "gold")
    colophon("export", "sales", str(file))
    lines = len(file.read_text().splitlines()) - 1
    assert commands.run("import", str(file), "--dry-run", "--json", url).answer["counts"] == {"created": lines}
    absent = commands.run("export", "sales", str(again), url)
    assert (absent.status, "not found" in absent.err, again.exists()) == (1, True, False)
    taken = commands.run("import", str(file), "--json", url).answer["counts"]
    assert (sum(taken.values()), set(taken) <= {"created", "unchanged"}) == (lines, True)
    assert commands.run("export", "sales", str(again), "--json", url).answer["lines"] == lines
    assert again.read_bytes() == file.read_bytes()
    file.write_text(
        HEAD + json.dumps({"urn": ORDERS, "aspect": "technicalMetadata", "value": build_metadata_value({"a": "b"})})
    )
    differs = commands.run("import", str(file), url)
    assert (differs.status, f"technicalMetadata of {ORDERS}" in differs.out) == (1, True)
    assert commands.run("import", str(file), "--overwrite", "--json", url).answer["counts"] == {"overwritten": 1}
    file.write_text("{}\n")
    wrong = commands.run("import", str(file), url)
    assert (wrong.status, "line 1" in wrong.err, wrong.err.count("\n")) == (1, True, 1)


def test_import_merges_edits_of_file_and_catalog(colophon: Commands, database: Path, tmp_path: Path) -> None:
    file = tmp_path / "sales.jsonl"
    colophon("set", "sales.orders", "team=ops", "note=old")
    colophon("export", "sales", str(file))
    stored = file.read_text()
    file.write_text(stored.replace('"note":"old"', '"note":"edited"'))
    assert colophon("import", str(file), "--json").answer["counts"]["updated"] == 1
    # A line that was not edited changes nothing.
    file.write_text(stored)
    assert colophon("import", str(file), "--json").answer["counts"]["kept"] == 1
    # Both changed, at different JSON paths.
    colophon("set", "sales.orders", "team=us")
    file.write_text(stored.replace('"note":"old"', '"note":"again"').replace('"team":"ops"', '"team":"ops","x":"y"'))
    clash = colophon("import", str(file))
    assert (clash.status, clash.out.splitlines()[0]) == (
        1,
        f"conflict: businessMetadata of {ORDERS} has another value in the catalog",
    )
    file.write_text(stored.replace('"team":"ops"', '"team":"ops","x":"y"').replace('"tags":[]', '"tags":["mine"]', 1))
    colophon("tag", "sales.orders", "theirs")
    assert colophon("import", str(file), "--dry-run", "--json").answer["counts"]["merged"] == 1
    assert colophon("import", str(file), "--json").answer["counts"]["merged"] == 1
    shown = colophon("show", "sales.orders", "--json").answer
    assert shown["user"] == {"team": "us", "note": "edited", "x": "y"}
    assert shown["user_tags"] == ["mine", "theirs"]


def test_import_reports_conflicts_unless_overwritten(colophon: Commands, database: Path, tmp_path: Path) -> None:
    file, other = tmp_path / "sales.jsonl", tmp_path / "other.db"
    colophon("export", "sales", str(file))
    catalog = open_catalog_file(other)
    write_metadata(catalog, ORDERS, {"owner": "another user"})
    catalog.close()
    result = colophon("import", str(file), database=other)
    assert result.status == 1
    assert result.out.splitlines()[0] == f"conflict: technicalMetadata of {ORDERS} has another value in the catalog"
    assert colophon("search", "owner:ops", "--json", database=other).answer["total"] == 1
    assert "1 overwritten" in colophon("import", str(file), "--overwrite", database=other).out
    assert colophon("search", "owner:ops", "--json", database=other).answer["total"] == 2


def test_import_rejects_file_with_invalid_line(colophon: Commands, tmp_path: Path) -> None:
    file = tmp_path / "wrong.jsonl"
    good = (
        json.dumps({"urn": ORDERS, "aspect": "technicalMetadata", "value": build_metadata_value({"owner": "new"})})
        + "\n"
    )
    elsewhere = "urn:li:dataset:(urn:li:dataPlatform:spark,nowhere.orders,PROD)"
    for text, message in (
        ("", "line 1"),
        ("{}\n", "line 1"),
        (HEAD.replace("sales", "a-b"), "line 1"),
        (HEAD + good + "{\n", "line 3"),
        (HEAD + good + "[]\n", "line 3"),
        (HEAD + good + '{"urn":1,"aspect":"a","value":{}}\n', "line 3"),
        (HEAD + good + '{"urn":"orders","aspect":"status","value":{}}\n', "line 3: 'orders' is not a valid URN"),
        (
            HEAD + good + json.dumps({"urn": ORDERS, "aspect": "nothing", "value": {}}) + "\n",
            "line 3: dataset aspect",
        ),
        (HEAD + good + json.dumps({"urn": ORDERS, "aspect": "technicalMetadata", "value": {}}) + "\n", "line 3: "),
        (HEAD + good + json.dumps({"urn": ORDERS, "aspect": "datasetKey", "value": {}}) + "\n", "line 3: "),
        (
            HEAD + good + json.dumps({"urn": elsewhere, "aspect": "status", "value": {"removed": False}}),
            "namespace 'nowhere'",
        ),
    ):
        file.write_text(text)
        done = colophon("import", str(file), "--overwrite")
        assert (done.status, message in done.err) == (1, True), (text, done)
    file.write_bytes(b"\xff\n")
    assert "UTF-8" in colophon("import", str(file)).err
    assert colophon("import", str(tmp_path / "none.jsonl")).status == 1
    assert colophon("export", "nothing", str(tmp_path / "x")).status == 1
    assert not (tmp_path / "x").exists()
    assert colophon("export", "sales", str(tmp_path / "no" / "x")).status == 1
    assert colophon("search", "owner:ops", "--json").answer["total"] == 2


def test_artifacts_of_dbt_are_ingested_into_server(colophon: Commands, served: LiveServer) -> None:
    commands = Commands(colophon.home, colophon.database, environment={"COLOPHON_TOKEN": served.token})
    target = Path(__file__).parents[1] / "dbt" / "recorded"
    words = ("ingest", "dbt", str(target), "--connection=duckdb:///data/shop.duckdb", f"--url={served.url}", "--json")
    first, again = commands.run(*words), commands.run(*words)
    assert (first.status, first.err) == (0, "")
    assert (first.answer["runs"]["written"], first.answer["tests"]["written"], first.answer["problems"]) == (8, 8, [])
    written = [again.answer[part]["written"] for part in ("aspects", "runs", "tests")]
    assert (again.status, written) == (0, [0, 0, 0])
