"""The search terms of aspects, and their encoding for SQLite's full-text engine (spec SEARCH-7)."""

import sqlite3
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.core.model import search_index_terms
from jupyter_colophon.core.model.search_index_terms import (
    ValueRow,
    build_value_rows,
    collect_name_index_words,
    encode_index_word,
    encode_words_of_value,
    split_search_tokens,
)

anything = st.text(min_size=1, max_size=20)


@pytest.fixture
def index() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5 (w, tokenize = 'unicode61 remove_diacritics 0')")
    connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab (t, 'row')")
    yield connection
    connection.close()


def found(index: sqlite3.Connection, text: str, match: str) -> bool:
    index.execute("DELETE FROM t")
    index.execute("INSERT INTO t VALUES (?)", (" ".join(map(encode_index_word, split_search_tokens(text))),))
    return len(index.execute("SELECT rowid FROM t WHERE t MATCH ?", (match,)).fetchall()) == 1


def exactly(word: str) -> str:
    return f'"{encode_index_word(search_index_terms.fold_text_for_comparison(word))}"'


def test_value_is_found_by_words_and_whole_text() -> None:
    assert split_search_tokens("Wow-WOW1") == ["wow", "wow1", "wow-wow1"]
    assert split_search_tokens("a_b, c;d.e  f") == ["a", "b", "c", "d", "e", "f", "a_b, c;d.e  f"]
    assert split_search_tokens("ops") == ["ops"]
    assert split_search_tokens(" -- ") == ["--"]
    assert split_search_tokens("  ") == []


@given(anything)
def test_folding_is_idempotent(text: str) -> None:
    assert search_index_terms.fold_text_for_comparison(
        search_index_terms.fold_text_for_comparison(text)
    ) == search_index_terms.fold_text_for_comparison(text)


def test_folding_ignores_case_and_composition() -> None:
    assert (
        search_index_terms.fold_text_for_comparison("ÉTÉ")
        == search_index_terms.fold_text_for_comparison("e\u0301te\u0301")
        == "\u00e9t\u00e9"
    )
    assert search_index_terms.fold_text_for_comparison("Straße") == search_index_terms.fold_text_for_comparison(
        "STRASSE"
    )
    assert search_index_terms.fold_text_for_comparison("resume") != search_index_terms.fold_text_for_comparison(
        "résumé"
    )


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Wow-WOW1", "wow"),
        ("Wow-WOW1", "wow1"),
        ("Wow-WOW1", "wow-wow1"),
        ("every morning", "every morning"),
        ("body:string", "body:string"),
        ("漢字 かな", "漢字"),
        ("naïve", "NAÏVE"),
        ("ok \U0001f600", "\U0001f600"),
        ("C++", "c++"),
        ('say "x"', '"x"'),
        ("a* OR b", "a*"),
        ("NEAR(a b)", "near(a"),
    ],
)
def test_encoded_word_is_found_by_word_and_prefix(index: sqlite3.Connection, text: str, query: str) -> None:
    assert found(index, text, exactly(query))
    folded = search_index_terms.fold_text_for_comparison(query)
    for length in range(1, len(folded) + 1):
        assert found(index, text, f"{exactly(folded[:length])}*")


@pytest.mark.parametrize(
    ("text", "query"),
    [("Wow-WOW1", "wo"), ("Wow-WOW1", "ow"), ("résumé", "resume"), ("C++", "c"), ("a:b", "a"), ("ab", "a b")],
)
def test_other_queries_do_not_match(index: sqlite3.Connection, text: str, query: str) -> None:
    assert not found(index, text, exactly(query))


def test_utf_16_units_stay_in_one_distinct_word(index: sqlite3.Connection) -> None:
    units = [chr(unit) for unit in range(0x10000) if not 0xD800 <= unit < 0xE000]
    texts = [f"a{unit}b" for unit in units] + [f"a{chr(0x10000 + 0x401 * low)}b" for low in range(0x3FF)]
    words = [encode_index_word(text) for text in texts]
    index.executemany("INSERT INTO t VALUES (?)", [(word,) for word in words])
    indexed = {row[0] for row in index.execute("SELECT term FROM v")}
    # The engine folds ASCII capitals, which a folded token does not have.
    assert indexed == {word.lower() if word.isascii() else word for word in words}


@given(st.lists(anything.map(search_index_terms.fold_text_for_comparison).filter(bool), min_size=1, max_size=5))
def test_any_token_is_one_encoded_word(words: list[str]) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5 (w, tokenize = 'unicode61 remove_diacritics 0')")
    connection.execute("CREATE VIRTUAL TABLE v USING fts5vocab (t, 'row')")
    connection.execute("INSERT INTO t VALUES (?)", (" ".join(map(encode_index_word, words)),))
    assert {row[0] for row in connection.execute("SELECT term FROM v")} == {encode_index_word(word) for word in words}
    connection.close()


@given(anything, anything)
def test_common_prefixes_are_encoded_as_common_prefixes(beginning: str, rest: str) -> None:
    assert encode_index_word(beginning + rest).startswith(encode_index_word(beginning))


def test_business_metadata_contributes_properties_and_tags() -> None:
    value = {"properties": {"Owner": "Ops Team"}, "tags": ["FAA", "raw-data"]}
    assert build_value_rows("businessMetadata", "USER", value) == [
        ValueRow("Owner", "ops team", "Ops Team", "property", "USER"),
        ValueRow("tags", "faa", "FAA", "tag", "USER", "tag"),
        ValueRow("tags", "raw-data", "raw-data", "tag", "USER", "tag"),
    ]


def fields(rows: list[ValueRow]) -> set[str]:
    assert all(row.key == "schema" and row.kind == "field" for row in rows)
    return {row.shown for row in rows}


def test_schema_contributes_fields_with_and_without_type() -> None:
    value = {"fields": [{"fieldPath": "Body", "nativeDataType": "string"}, {"fieldPath": "n", "nativeDataType": "int"}]}
    assert fields(build_value_rows("schemaMetadata", "SYSTEM", value)) == {"Body", "Body:string", "n", "n:int"}
    assert build_value_rows("schemaMetadata", "SYSTEM", value)[1].value == "body:string"


def test_nested_fields_are_found_by_path_and_name() -> None:
    columns = [
        {"fieldPath": "a", "nativeDataType": "struct<b:int,`c`:array<struct<d:decimal(10,2)>>>"},
        {"fieldPath": "m", "nativeDataType": "map<string,struct<e:date>>"},
        {"fieldPath": "x.y", "nativeDataType": "long"},
        {"fieldPath": "[version=2.0].[type=struct].[type=int].z", "nativeDataType": "int"},
    ]
    got = fields(build_value_rows("schemaMetadata", "SYSTEM", {"fields": columns}))
    assert {"a:struct", "a.b:int", "b:int", "b", "a.c:array", "a.c.d:decimal", "d:decimal(10,2)"} <= got
    assert {"m:map", "m.e:date", "e", "x.y:long", "y:long", "y", "z:int"} <= got
    assert not any("[" in name for name in got)


AVRO = """{"type": "record", "name": "r", "fields": [
    {"name": "id", "type": "long"},
    {"name": "who", "type": ["null", "string"]},
    {"name": "either", "type": ["null", "int", {"type": "record", "name": "s", "fields": [{"name": "deep", "type": "int"}]}]},
    {"name": "list", "type": {"type": "array", "items": {"type": "record", "name": "t",
        "fields": [{"name": "item", "type": "bytes"}]}}},
    {"name": "kv", "type": {"type": "map", "values": "float"}},
    {"name": "day", "type": {"type": "int", "logicalType": "date"}}]}"""


def test_avro_schema_in_system_properties_contributes_fields() -> None:
    rows = build_value_rows("technicalMetadata", "SYSTEM", {"properties": {"schema": AVRO}, "tags": []})
    got = fields(rows[1:])
    assert {"id:long", "who", "who:string", "either:int", "either:record", "either.deep:int", "deep:int"} <= got
    assert {"list:array", "list.item:bytes", "item:bytes", "kv:map", "day:int"} <= got
    assert not any("null" in name for name in got)


@pytest.mark.parametrize(
    "text", ["", "{", "plain words", "[" * 5000, "5", "null", '{"fields": [1, {"name": 2}, {"name": ""}, {}]}']
)
def test_unreadable_schema_is_plain_text(text: str) -> None:
    rows = build_value_rows("technicalMetadata", "SYSTEM", {"properties": {"schema": text}, "tags": []})
    assert [row.kind for row in rows] == ["property"]


@pytest.mark.parametrize("type_", ["struct<", "struct<>", "struct<a>", "struct<a:int,>", "<>", ">", "struct<" * 999])
def test_unreadable_type_still_contributes_the_column(type_: str) -> None:
    value = {"fields": [{"fieldPath": "a", "nativeDataType": type_}]}
    assert "a" in fields(build_value_rows("schemaMetadata", "SYSTEM", value))


def test_dataset_properties_contribute_name_description_and_properties() -> None:
    value = {"name": "Flights", "description": "of 2013", "customProperties": {"rows": "336776"}, "tags": ["no"]}
    assert [(row.key, row.shown) for row in build_value_rows("datasetProperties", "SYSTEM", value)] == [
        ("name", "Flights"),
        ("description", "of 2013"),
        ("rows", "336776"),
    ]


@pytest.mark.parametrize(("aspect", "value"), [("status", {"removed": False}), ("businessMetadata", None)])
def test_other_and_absent_aspects_contribute_nothing(aspect: str, value: object) -> None:
    assert build_value_rows(aspect, "USER", value) == []


def test_entity_is_found_by_values_keys_name_and_type() -> None:
    rows = build_value_rows(
        "businessMetadata", "USER", {"properties": {"data-owner": "Ops Team"}, "tags": ["raw-data"]}
    )
    rows += build_value_rows(
        "schemaMetadata", "SYSTEM", {"fields": [{"fieldPath": "origin", "nativeDataType": "string"}]}
    )
    keyed = {
        "data-owner": ["ops", "team", "ops team"],
        "properties": ["owner", "data-owner", "data"],
        "tags": ["raw", "data", "raw-data"],
        "schema": ["origin", "origin:string"],
    }
    found = [word for key, values in keyed.items() for value in values for word in (value, f"{key}:{value}")]
    assert frozenset().union(*map(encode_words_of_value, rows)) == {encode_index_word(word) for word in found}
    named = ["daily", "delays", "daily_delays", "flights.daily_delays", "dataset"]
    words = collect_name_index_words("daily_delays", "flights", "dataset")
    assert words == {encode_index_word(word) for word in named}


def test_application_is_found_by_type_names_of_other_apis() -> None:
    assert {"application", "app", "dataflow"} <= collect_name_index_words("shop", "sales", "dataFlow")


def test_long_values_are_stored_but_not_in_full_text() -> None:
    text = "word " + "é" * 300
    (row,) = build_value_rows("businessMetadata", "USER", {"properties": {"k": text}, "tags": []})
    assert row.shown == text
    words = encode_words_of_value(row)
    assert encode_index_word("word") in words
    assert max(map(len, words)) <= 256


def test_filter_is_one_encoded_word() -> None:
    assert search_index_terms.encode_filter_term("tag", "Raw-Data") == encode_index_word("tag:raw-data")
