"""Patterns of LIKE match what SQLite matches."""

import sqlite3

from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.core.search.like_pattern import LikePattern

LETTERS = "ab%_é\n"


@given(
    pattern=st.lists(st.sampled_from(["a", "b", "%", "%", "_", "\\%", "\\_", "\\\\", "é", "\n"])).map("".join),
    text=st.text(st.sampled_from(LETTERS + "\\")),
)
def test_pattern_matches_as_sqlite_does(pattern: str, text: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("PRAGMA case_sensitive_like = ON")
    (expected,) = connection.execute("SELECT ? LIKE ? ESCAPE '\\'", (text, pattern)).fetchone()
    connection.close()
    assert LikePattern.parse(pattern, "/urnLike").matches(text) is bool(expected)
