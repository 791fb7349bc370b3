"""A namespace goes to a file and back: sorted, compared, never overwritten silently."""

import json
from pathlib import Path

from support.catalog import opened, say
from support.commands import Commands
from support.urns import ORDERS


def test_an_export_is_sorted_and_the_same_each_time(colophon: Commands, tmp_path: Path) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    assert colophon("export", "sales", str(one)).status == 0
    assert colophon("export", "sales", str(two), "--json").answer["lines"] > 2
    assert one.read_bytes() == two.read_bytes()
    head, *lines = [json.loads(line) for line in one.read_text().splitlines()]
    assert head == {"format": "jupyter-colophon-namespace", "namespace": "sales", "version": 1}
    keys = [(line["urn"], line["aspect"]) for line in lines]
    assert keys == sorted(keys)
    assert {aspect for _, aspect in keys} == {"status", "technicalMetadata"}


def test_what_was_exported_comes_into_another_catalog(colophon: Commands, database: Path, tmp_path: Path) -> None:
    file, other = tmp_path / "sales.jsonl", tmp_path / "other.db"
    colophon("export", "sales", str(file))
    opened(other).close()
    dry = colophon("import", str(file), "--dry-run", "--json", database=other).answer
    assert dry["counts"] == {"created": len(file.read_text().splitlines()) - 1}
    assert colophon("export", "sales", str(tmp_path / "x"), database=other).status == 1
    assert colophon("import", str(file), database=other).status == 0
    again = tmp_path / "again.jsonl"
    colophon("export", "sales", str(again), database=other)
    assert again.read_bytes() == file.read_bytes()
    same = colophon("import", str(file), "--json", database=other).answer
    assert set(same["counts"]) == {"unchanged"}


def test_what_differs_is_told_and_left_unless_it_may_be_overwritten(
    colophon: Commands, database: Path, tmp_path: Path
) -> None:
    file = tmp_path / "sales.jsonl"
    colophon("export", "sales", str(file))
    catalog = opened(database)
    say(catalog, ORDERS, {"owner": "somebody else"})
    catalog.close()
    told = colophon("import", str(file))
    assert told.status == 1
    assert told.out.splitlines()[0] == f"technicalMetadata of {ORDERS} is there with another value"
    assert colophon("search", "owner:ops", "--json").answer["total"] == 1
    assert "1 overwritten" in colophon("import", str(file), "--overwrite").out
    assert colophon("search", "owner:ops", "--json").answer["total"] == 2


def test_what_cannot_be_taken_in_is_told_with_its_line_and_changes_nothing(colophon: Commands, tmp_path: Path) -> None:
    head = '{"format":"jupyter-colophon-namespace","namespace":"sales","version":1}\n'
    file = tmp_path / "wrong.jsonl"
    for text, told in (
        ("", "nothing to take in"),
        ("{}\n", "line 1"),
        (head + "{\n", "line 2"),
        (head + "[]\n", "line 2"),
        (head + '{"urn":1,"aspect":"a","value":{}}\n', "line 2"),
        (head + '{"urn":"orders","aspect":"status","value":{}}\n', "is no URN"),
        (head + json.dumps({"urn": ORDERS, "aspect": "nothing", "value": {}}) + "\n", "there is no aspect"),
        (head + json.dumps({"urn": ORDERS, "aspect": "technicalMetadata", "value": {}}) + "\n", "lines 2 and 2"),
    ):
        file.write_text(text)
        done = colophon("import", str(file), "--overwrite")
        assert told in done.out + done.err, (text, done)
    assert colophon("import", str(tmp_path / "none.jsonl")).status == 1
    assert colophon("export", "nothing", str(tmp_path / "x")).status == 1
    assert not (tmp_path / "x").exists()
    assert colophon("export", "sales", str(tmp_path / "no" / "x")).status == 1
    assert colophon("search", "owner:ops", "--json").answer["total"] == 2
