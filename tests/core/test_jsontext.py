"""Untrusted JSON (spec SEC-6)."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.core.documents.json_parsing import (
    MAX_DEPTH,
    MAX_KEYS,
    encode_canonical_json,
    encode_json_in_pieces,
    parse_json,
)
from jupyter_colophon.core.errors import MalformedBody, MetadataError, TooLarge

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=10)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)


@given(VALUES)
def test_json_round_trips(value: Any) -> None:
    assert parse_json(json.dumps(value).encode()) == value
    assert parse_json(encode_canonical_json(value).encode()) == value


@given(st.binary(max_size=60))
def test_any_bytes_parse_or_raise_malformed_body(body: bytes) -> None:
    try:
        parse_json(body)
    except MetadataError:
        return
    json.loads(body)


@given(st.dictionaries(TEXT, st.integers(), max_size=5))
def test_equal_values_have_the_same_compact_text(value: dict[str, int]) -> None:
    turned = dict(reversed(value.items()))
    assert encode_canonical_json(value) == encode_canonical_json(turned)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"{",
        b"[1,]",
        b"{'a': 1}",
        b"NaN",
        b"[Infinity]",
        b"-Infinity",
        b"1e999",
        b"[-1e999]",
        b'{"a": 1, "a": 1}',
        b'{"a": {"b": 1, "b": 2}}',
        b'"\\ud800"',
        b'{"\\udfff": 1}',
        b'"\\u0000"',
        b'{"a\\u0000": 1}',
        b'"\x00"',
        b'"\xff"',
        b"\xff\xfe[\x00]\x00",
        b"9" * 5_000,
        b"1 2",
    ],
)
def test_unsupported_json_raises_malformed_body(body: bytes) -> None:
    with pytest.raises(MalformedBody):
        parse_json(body)


def test_surrogate_pair_is_one_character() -> None:
    assert parse_json(b'"\\ud83d\\ude00"') == "\U0001f600"


def test_depth_and_member_limits_are_exact() -> None:
    assert parse_json(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    for depth in (MAX_DEPTH + 1, 1_000, 100_000):
        with pytest.raises(TooLarge):
            parse_json(b"[" * depth + b"]" * depth)
        with pytest.raises(TooLarge):
            parse_json(b'{"a":' * depth + b"1" + b"}" * depth)
    assert len(parse_json(json.dumps([0] * MAX_KEYS).encode())) == MAX_KEYS
    with pytest.raises(TooLarge):
        parse_json(json.dumps([0] * (MAX_KEYS + 1)).encode())
    with pytest.raises(TooLarge):
        parse_json(json.dumps([[0] * (MAX_KEYS // 2)] * 2).encode())


@pytest.mark.parametrize(
    "document",
    [{}, [], None, "x", {"many": []}, {"many": [1, "é\n", None] * 70, "object": {"é": [{}]}, "number": 2.5}],
)
def test_pieces_are_the_text_of_the_whole(document: Any) -> None:
    assert encode_json_in_pieces(document, 10_000) == json.dumps(document, ensure_ascii=False)


@pytest.mark.parametrize("document", [{"many": ["x" * 10] * 100}, {"object": {"text": "x" * 1_001}}, ["x" * 1_001]])
def test_a_text_that_is_too_large_is_not_encoded_to_its_end(document: Any) -> None:
    with pytest.raises(TooLarge, match="1000 bytes"):
        encode_json_in_pieces(document, 1_000)
