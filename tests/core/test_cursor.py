"""Cursors are signed, and valid for one list only."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.core.cursor import Cursors
from jupyter_colophon.core.errors import InvalidQuery

CURSORS = Cursors(b"key")
PLACES = st.recursive(st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3), max_leaves=6)


@given(PLACES)
def test_cursor_round_trips(place: object) -> None:
    text = CURSORS.write("list", place)
    assert text.isascii()
    assert Cursors(b"key").read("list", text) == place


@given(st.text(max_size=80))
def test_unsigned_cursor_raises_invalid_query(text: str) -> None:
    with pytest.raises(InvalidQuery):
        CURSORS.read("list", text)


@given(st.integers(), st.data())
def test_changed_bit_invalidates_cursor(place: int, data: st.DataObject) -> None:
    raw = bytearray(base64.urlsafe_b64decode(CURSORS.write("list", place) + "=="))
    at = data.draw(st.integers(0, len(raw) * 8 - 1))
    raw[at // 8] ^= 1 << at % 8
    with pytest.raises(InvalidQuery):
        CURSORS.read("list", base64.urlsafe_b64encode(raw).decode())


def test_cursor_of_other_list_or_store_is_rejected() -> None:
    text = CURSORS.write("list", 3)
    with pytest.raises(InvalidQuery):
        CURSORS.read("other", text)
    with pytest.raises(InvalidQuery):
        Cursors(b"another key").read("list", text)
