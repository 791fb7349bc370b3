"""Parsing queries (spec SEARCH-1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.search.query_language import Pattern, Query, Term, parse_query


def only(text: str) -> Term:
    (term,) = parse_query(text).terms
    return term


@pytest.mark.parametrize(
    ("typed", "key", "pattern"),
    [
        ("ops", None, Pattern("ops", "exact")),
        ("Wow-WOW1", None, Pattern("wow-wow1", "exact")),
        ("ops*", None, Pattern("ops", "prefix")),
        ("*", None, Pattern("", "any")),
        ("owner:op*", "owner", Pattern("op", "prefix")),
        ("owner=ops", "owner", Pattern("ops", "exact")),
        ("Owner:OPS", "owner", Pattern("ops", "exact")),
        ("owner:*", "owner", Pattern("", "any")),
        ("a=b:c", "a", Pattern("b:c", "exact")),
        ("a:b=c", "a", Pattern("b=c", "exact")),
        ('"every morning"', None, Pattern("every morning", "exact")),
        ('refresh:"every morning"', "refresh", Pattern("every morning", "exact")),
        ('"refresh : every mor*"', "refresh", Pattern("every mor", "prefix")),
        (":x", None, Pattern(":x", "exact")),
        ("STRASSE", None, Pattern("strasse", "exact")),
        ("straße", None, Pattern("strasse", "exact")),
        ("e\u0301t\u00e9", None, Pattern("\u00e9t\u00e9", "exact")),
        ("dataset:sal*", "dataset", Pattern("sal", "prefix")),
    ],
)
def test_term_is_pattern_or_key_with_pattern(typed: str, key: str | None, pattern: Pattern) -> None:
    term = only(typed)
    assert (term.key, term.pattern, term.raw) == (key, pattern, typed)


def test_terms_keep_their_order() -> None:
    query = parse_query('  owner:ops\t"every morning" \u3000 faa ')
    assert [term.raw for term in query.terms] == ["owner:ops", '"every morning"', "faa"]
    assert [term.phrase for term in query.terms] == [False, True, False]


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        ("body:string", Pattern("body:string", "exact")),
        ("Body:Str*", Pattern("body:str", "prefix")),
        ("body:*", Pattern("body:", "prefix")),
        ("faa", Pattern("faa", "exact")),
    ],
)
def test_term_is_also_plain_text(typed: str, plain: Pattern) -> None:
    assert only(typed).plain == plain


def test_unclosed_quote_ends_with_the_query() -> None:
    assert only('"every mor').pattern == Pattern("every mor", "exact")


def test_lone_star_matches_everything() -> None:
    assert parse_query("faa *").matches_all
    assert not parse_query("owner:* faa").matches_all


@pytest.mark.parametrize(
    "typed",
    ["", "  \t", '""', '" "', "a*b", "*a", "a?", "a*b:c", "**", "a:b*c", "owner:", "owner: ", "a\x00", "a\ud800"],
)
def test_invalid_query_raises_with_reason(typed: str) -> None:
    with pytest.raises(InvalidQuery) as caught:
        parse_query(typed)
    assert caught.value.parameter == "query"
    assert caught.value.reason


def test_query_size_is_limited() -> None:
    assert len(parse_query("a " * 50).terms) == 50
    with pytest.raises(InvalidQuery):
        parse_query("a " * 51)
    with pytest.raises(InvalidQuery):
        parse_query("a" * 4001)


@pytest.mark.parametrize(
    ("pattern", "value", "fits"),
    [
        (Pattern("ops", "exact"), "ops", True),
        (Pattern("ops", "exact"), "ops2", False),
        (Pattern("op", "prefix"), "ops", True),
        (Pattern("op", "prefix"), "xop", False),
        (Pattern("", "any"), "ops", True),
    ],
)
def test_pattern_matches_value_prefix_or_everything(pattern: Pattern, value: str, fits: bool) -> None:
    assert pattern.matches(value) is fits


@given(st.text(alphabet='ab*?:=" \t"\'()[]-é漢\U0001f600\u0345', max_size=30) | st.text(max_size=30))
def test_any_text_parses_or_raises_invalid_query(typed: str) -> None:
    try:
        query = parse_query(typed)
    except InvalidQuery:
        return
    assert isinstance(query, Query)
    assert 1 <= len(query.terms) <= 50
    for term in query.terms:
        assert "*" not in term.pattern.text
        assert (term.pattern.kind == "any") == (term.pattern.text == "")
