"""Parsing queries (spec SEARCH-1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.search.query_language import SearchPattern, SearchQuery, SearchTerm, parse_search_query


def only(text: str) -> SearchTerm:
    (term,) = parse_search_query(text).terms
    return term


@pytest.mark.parametrize(
    ("typed", "key", "pattern"),
    [
        ("ops", None, SearchPattern("ops", "exact")),
        ("Wow-WOW1", None, SearchPattern("wow-wow1", "exact")),
        ("ops*", None, SearchPattern("ops", "prefix")),
        ("*", None, SearchPattern("", "any")),
        ("owner:op*", "owner", SearchPattern("op", "prefix")),
        ("owner=ops", "owner", SearchPattern("ops", "exact")),
        ("Owner:OPS", "owner", SearchPattern("ops", "exact")),
        ("owner:*", "owner", SearchPattern("", "any")),
        ("a=b:c", "a", SearchPattern("b:c", "exact")),
        ("a:b=c", "a", SearchPattern("b=c", "exact")),
        ('"every morning"', None, SearchPattern("every morning", "exact")),
        ('refresh:"every morning"', "refresh", SearchPattern("every morning", "exact")),
        ('"refresh : every mor*"', "refresh", SearchPattern("every mor", "prefix")),
        (":x", None, SearchPattern(":x", "exact")),
        ("STRASSE", None, SearchPattern("strasse", "exact")),
        ("straße", None, SearchPattern("strasse", "exact")),
        ("e\u0301t\u00e9", None, SearchPattern("\u00e9t\u00e9", "exact")),
        ("dataset:sal*", "dataset", SearchPattern("sal", "prefix")),
    ],
)
def test_term_is_pattern_or_key_with_pattern(typed: str, key: str | None, pattern: SearchPattern) -> None:
    term = only(typed)
    assert (term.key, term.pattern, term.raw) == (key, pattern, typed)


def test_terms_keep_their_order() -> None:
    query = parse_search_query('  owner:ops\t"every morning" \u3000 faa ')
    assert [term.raw for term in query.terms] == ["owner:ops", '"every morning"', "faa"]
    assert [term.phrase for term in query.terms] == [False, True, False]


@pytest.mark.parametrize(
    ("typed", "plain"),
    [
        ("body:string", SearchPattern("body:string", "exact")),
        ("Body:Str*", SearchPattern("body:str", "prefix")),
        ("body:*", SearchPattern("body:", "prefix")),
        ("faa", SearchPattern("faa", "exact")),
    ],
)
def test_term_is_also_plain_text(typed: str, plain: SearchPattern) -> None:
    assert only(typed).plain == plain


def test_unclosed_quote_ends_with_the_query() -> None:
    assert only('"every mor').pattern == SearchPattern("every mor", "exact")


def test_lone_star_matches_everything() -> None:
    assert parse_search_query("faa *").matches_all
    assert not parse_search_query("owner:* faa").matches_all


@pytest.mark.parametrize(
    "typed",
    ["", "  \t", '""', '" "', "a*b", "*a", "a?", "a*b:c", "**", "a:b*c", "owner:", "owner: ", "a\x00", "a\ud800"],
)
def test_invalid_query_raises_with_reason(typed: str) -> None:
    with pytest.raises(InvalidQuery) as caught:
        parse_search_query(typed)
    assert caught.value.parameter == "query"
    assert caught.value.reason


def test_query_size_is_limited() -> None:
    assert len(parse_search_query("a " * 50).terms) == 50
    with pytest.raises(InvalidQuery):
        parse_search_query("a " * 51)
    with pytest.raises(InvalidQuery):
        parse_search_query("a" * 4001)


@pytest.mark.parametrize(
    ("pattern", "value", "fits"),
    [
        (SearchPattern("ops", "exact"), "ops", True),
        (SearchPattern("ops", "exact"), "ops2", False),
        (SearchPattern("op", "prefix"), "ops", True),
        (SearchPattern("op", "prefix"), "xop", False),
        (SearchPattern("", "any"), "ops", True),
    ],
)
def test_pattern_matches_value_prefix_or_everything(pattern: SearchPattern, value: str, fits: bool) -> None:
    assert pattern.matches_folded_text(value) is fits


@given(st.text(alphabet='ab*?:=" \t"\'()[]-é漢\U0001f600\u0345', max_size=30) | st.text(max_size=30))
def test_any_text_parses_or_raises_invalid_query(typed: str) -> None:
    try:
        query = parse_search_query(typed)
    except InvalidQuery:
        return
    assert isinstance(query, SearchQuery)
    assert 1 <= len(query.terms) <= 50
    for term in query.terms:
        assert "*" not in term.pattern.text
        assert (term.pattern.kind == "any") == (term.pattern.text == "")
