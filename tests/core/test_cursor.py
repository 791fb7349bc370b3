"""Cursors are signed, and valid for one list only."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.core.cursor import CursorCodec
from jupyter_colophon.core.errors import InvalidQuery

CURSORS = CursorCodec(b"key")
PLACES = st.recursive(st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3), max_leaves=6)


@given(PLACES)
def test_cursor_round_trips(place: object) -> None:
    text = CURSORS.encode_cursor("list", place)
    assert text.isascii()
    assert CursorCodec(b"key").decode_cursor("list", text) == place


@given(st.text(max_size=80))
def test_unsigned_cursor_raises_invalid_query(text: str) -> None:
    with pytest.raises(InvalidQuery):
        CURSORS.decode_cursor("list", text)


@given(st.integers(), st.data())
def test_changed_bit_invalidates_cursor(place: int, data: st.DataObject) -> None:
    raw = bytearray(base64.urlsafe_b64decode(CURSORS.encode_cursor("list", place) + "=="))
    at = data.draw(st.integers(0, len(raw) * 8 - 1))
    raw[at // 8] ^= 1 << at % 8
    with pytest.raises(InvalidQuery):
        CURSORS.decode_cursor("list", base64.urlsafe_b64encode(raw).decode())


def test_cursor_of_other_list_or_store_is_rejected() -> None:
    text = CURSORS.encode_cursor("list", 3)
    with pytest.raises(InvalidQuery):
        CURSORS.decode_cursor("other", text)
    with pytest.raises(InvalidQuery):
        CursorCodec(b"another key").decode_cursor("list", text)
