"""Full text: any of the words, all of the terms, the newest documents."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jupyter_colophon.core.model.search_index_terms import encode_filter_term, encode_index_word
from jupyter_colophon.core.store import StorageChoice
from jupyter_colophon.storage.spi import (
    AbsentTerm,
    Document,
    Match,
    MatchColumns,
    StorageProvider,
    TableContext,
    TermCondition,
    TermFilter,
    TextQuery,
)
from support.postgres import spread_entries_over_blocks

#: Words that a tokenizer would split, treat as operators, fold or stem.
AWKWARD = [
    "and",
    "or",
    "not",
    "near",
    "a-b",
    "a",
    "b",
    "ab",
    "abc",
    "a*",
    '"a"',
    "a:b",
    "ä",
    "a\u0308",
    "straße",
    "strasse",
    "日本",
    "日",
    "\U0001f600",
    "x_y",
    "run",
    "running",
    "1",
    "1.5",
    "\x00",
    "'",
    "the",
]
EVERY = encode_filter_term("entity", "any")


@pytest.fixture
def index(choice: StorageChoice, store: StorageProvider) -> StorageProvider:
    """Open a store with its own or portable search index."""
    store.table_admin.create_or_update()
    if choice.provider == "postgresql":
        spread_entries_over_blocks(choice)
    return store


def document(urn: str, words: Iterable[str], *terms: str, tags: Iterable[str] = (), owner: str = "") -> Document:
    values = frozenset({("tag", tag) for tag in tags} | ({("owner", owner)} if owner else set()))
    return Document(
        urn, "sales", "dataset", values, frozenset(map(encode_index_word, words)), frozenset({EVERY, *terms})
    )


def put(store: StorageProvider, *documents: Document) -> None:
    def work(tx: TableContext) -> None:
        for item in documents:
            tx.search.put_documents(item)

    store.tx_runner.run(work)


def words(*exact: str, prefixes: Iterable[str] = (), terms: Iterable[TermCondition] = ()) -> TextQuery:
    return TextQuery(tuple(map(encode_index_word, exact)), tuple(map(encode_index_word, prefixes)), tuple(terms))


def match(store: StorageProvider, query: TextQuery, cap: int = 100) -> list[str]:
    matches = store.tx_runner.run(lambda tx: tx.search.find_matches(query, cap), read_only=True)
    assert [hit.score for hit in matches] == sorted((hit.score for hit in matches), reverse=True)
    assert len({hit.urn for hit in matches}) == len(matches)
    return sorted(hit.urn for hit in matches)


def count(store: StorageProvider, query: TextQuery, cap: int = 100) -> int:
    columns = store.tx_runner.run(lambda tx: tx.search.find_match_columns(query, 0, cap), read_only=True)
    assert not [*columns.urns, *columns.scores]
    return len(columns.counted.numbers)


@pytest.mark.parametrize("word", AWKWARD, ids=ascii)
def test_word_finds_only_itself(index: StorageProvider, word: str) -> None:
    put(index, *(document(f"urn:{at}", [other]) for at, other in enumerate(AWKWARD)))
    assert match(index, words(word)) == [f"urn:{AWKWARD.index(word)}"]
    begin = sorted(f"urn:{at}" for at, other in enumerate(AWKWARD) if other.startswith(word))
    assert match(index, words(prefixes=[word])) == begin
    assert count(index, words(word, prefixes=[word])) == len(begin)


def test_any_word_and_all_terms_match(index: StorageProvider) -> None:
    red, blue = encode_filter_term("tag", "red"), encode_filter_term("tag", "blue")
    put(
        index,
        document("urn:1", ["orders", "daily"], red),
        document("urn:2", ["orders"], red, blue),
        document("urn:3", ["reports"], blue),
        document("urn:4", ["ordinary"]),
    )
    assert match(index, words("orders", "reports")) == ["urn:1", "urn:2", "urn:3"]
    assert match(index, words("reports", prefixes=["ord"])) == ["urn:1", "urn:2", "urn:3", "urn:4"]
    assert match(index, words("orders", "reports", terms=[blue])) == ["urn:2", "urn:3"]
    assert match(index, words(prefixes=["ord"], terms=[red, blue])) == ["urn:2"]
    assert match(index, words(terms=[EVERY])) == ["urn:1", "urn:2", "urn:3", "urn:4"]
    assert match(index, words(terms=[red, blue])) == ["urn:2"]
    assert match(index, words(terms=[(red, blue)])) == ["urn:1", "urn:2", "urn:3"]
    assert match(index, words("orders", terms=[("absent", blue), EVERY])) == ["urn:2"]
    assert match(index, words(terms=[EVERY, ()])) == []
    assert match(index, words("orders", "ordinary", terms=[AbsentTerm(blue), EVERY])) == ["urn:1", "urn:4"]
    assert match(index, words(terms=[EVERY, AbsentTerm(red), AbsentTerm("none"), AbsentTerm(blue)])) == ["urn:4"]
    assert match(index, words("none")) == match(index, words("orders", terms=[encode_filter_term("tag", "none")])) == []


def test_filter_admits_any_clause_and_no_excluded_one(index: StorageProvider) -> None:
    red, blue, old, column = (encode_filter_term("tag", tag) for tag in ("red", "blue", "old", "column"))
    put(
        index,
        document("urn:1", ["same"], red),
        document("urn:2", ["same"], red, old),
        document("urn:3", ["same"], blue),
        document("urn:4", ["same"], old, column),
        document("urn:5", ["other"], red),
    )

    def filtered(filter_: TermFilter) -> list[str]:
        # A query by terms alone is evaluated in another way.
        by_word, by_term = (replace(query, filter=filter_) for query in (words("same"), words(terms=[EVERY])))
        found = match(index, by_word)
        assert count(index, by_word) == len(found)
        assert [urn for urn in match(index, by_term) if urn != "urn:5"] == found
        return found

    assert filtered(TermFilter()) == ["urn:1", "urn:2", "urn:3", "urn:4"]
    assert filtered(TermFilter(any_of=())) == []
    assert filtered(TermFilter(any_of=(), exempt=(column,))) == ["urn:4"]
    assert filtered(TermFilter(any_of=(((red,), (old,)), ((blue, "absent"),)))) == ["urn:2", "urn:3"]
    assert filtered(TermFilter(none_of=((old,),))) == ["urn:1", "urn:3"]
    assert filtered(TermFilter(none_of=((old,), (blue,)), exempt=(column,))) == ["urn:1", "urn:4"]
    assert filtered(TermFilter(((red,), (blue,)), ((red, old),), (column,))) == ["urn:1", "urn:3", "urn:4"]


def test_words_and_terms_are_separate(index: StorageProvider) -> None:
    term = encode_filter_term("tag", "red")
    put(index, document("urn:1", ["tag:red"]), document("urn:2", [], term))
    assert match(index, words("tag:red")) == ["urn:1"]
    assert match(index, words(prefixes=["tag"])) == ["urn:1"]
    assert match(index, words(terms=[term])) == ["urn:2"]


def test_only_the_newest_are_ranked_and_counted(index: StorageProvider) -> None:
    put(index, *(document(f"urn:{number}", ["same", f"only{number}"]) for number in range(8)))
    put(index, document("urn:0", ["same", "changed"]))
    for query in (words("same"), words(prefixes=["sam"]), words(terms=[EVERY]), words("same", terms=[EVERY])):
        assert match(index, query, 3) == ["urn:5", "urn:6", "urn:7"]
        assert (count(index, query, 3), count(index, query, 8), count(index, query, 99)) == (3, 8, 8)
        assert count(index, query, 0) == 0


def test_counted_matches_have_namespace_and_type(index: StorageProvider) -> None:
    put(index, *(document(f"urn:{at}", ["same"]) for at in range(5)))
    put(index, Document("urn:9", "zoo", "dataJob", frozenset(), frozenset({"same"}), frozenset({EVERY})))
    columns = index.tx_runner.run(lambda tx: tx.search.find_match_columns(words("same"), 0, 99), read_only=True)
    assert Counter(columns.counted.groups) == {("sales", "dataset"): 5, ("zoo", "dataJob"): 1}


def count_facets(store: StorageProvider, word: str, *facets: str) -> dict[str, dict[str, int]]:
    """Count the facet values of the documents with this word."""

    def work(tx: TableContext) -> dict[str, dict[str, int]]:
        numbers = [item.number for item in tx.search.find_matches(words(word), 99)]
        return {name: dict(counts) for name, counts in tx.search.count_facets(numbers, facets).items()}

    return store.tx_runner.run(work, read_only=True)


def test_documents_are_counted_by_facet_values(index: StorageProvider) -> None:
    put(index, *(document(f"urn:{at}", ["same"], tags=("a",) if at % 2 else ("a", "b")) for at in range(5)))
    put(index, document("urn:7", ["same", "other"], tags=("b",), owner="b"), document("urn:8", ["other"], owner="ops"))
    assert count_facets(index, "same", "tag") == {"tag": {"a": 5, "b": 4}}
    assert count_facets(index, "same", "tag", "owner", "term") == {"tag": {"a": 5, "b": 4}, "owner": {"b": 1}}
    assert count_facets(index, "other", "owner", "tag") == {"tag": {"b": 1}, "owner": {"b": 1, "ops": 1}}
    assert count_facets(index, "same") == count_facets(index, "none", "tag") == {}


def test_facet_values_follow_their_document(index: StorageProvider) -> None:
    odd = ("\x00\x01", "\x1e", "\x1f", "a'b\\", "ä\U0001f600")
    put(index, document("urn:1", ["same"], tags=("old", "both")), document("urn:2", ["same"], tags=odd))
    put(index, document("urn:1", ["same"], tags=("both", "new"), owner="ops"))
    counts = {"tag": dict.fromkeys(("both", "new", *odd), 1), "owner": {"ops": 1}}
    assert count_facets(index, "same", "tag", "owner") == counts
    # The words are equal, only the facet values differ.
    put(index, document("urn:1", ["same"]))
    assert count_facets(index, "same", "tag", "owner") == {"tag": dict.fromkeys(odd, 1)}
    index.tx_runner.run(lambda tx: tx.search.remove_document("urn:2"))
    put(index, document("urn:3", ["same"]))
    assert count_facets(index, "same", "tag", "owner") == {}
    assert index.find_store_problems() == []


def test_facet_values_written_after_a_search_are_counted(index: StorageProvider) -> None:
    put(index, *(document(f"urn:{at}", ["same"], tags=("old",)) for at in range(3)))

    def work(tx: TableContext) -> Mapping[str, Mapping[str, int]]:
        numbers = tx.search.find_match_columns(words("same"), 1, 9).counted.numbers
        tx.search.put_documents(document("urn:0", ["same"], tags=("new",)))
        return tx.search.count_facets(numbers, ["tag"])

    assert index.tx_runner.run(work) == {"tag": {"new": 1, "old": 2}}


def test_facet_values_of_many_documents_are_counted(index: StorageProvider) -> None:
    put(
        index,
        *(document(f"urn:{at}", ["even" if at % 2 == 0 else "odd"], tags=("a", f"t{at % 3}")) for at in range(90)),
    )
    assert count_facets(index, "even", "tag") == {"tag": {"a": 45, "t0": 15, "t1": 15, "t2": 15}}


def test_matches_beyond_the_ranked_are_counted(index: StorageProvider) -> None:
    """The newest come first, and each has its own score, number, namespace and type."""
    put(index, *(document(f"urn:{at}", ["same", *("abcd"[:at])]) for at in range(4)))
    put(index, Document("urn:4", "zoo", "dataJob", frozenset(), frozenset({"same"}), frozenset({EVERY})))
    newest = [(f"urn:{at}", "zoo" if at == 4 else "sales") for at in reversed(range(5))]
    for cap, ranked, counted in ((2, 2, 4), (4, 4, 4), (5, 5, 5), (9, 5, 5)):

        def work(tx: TableContext, cap: int = cap) -> tuple[MatchColumns, dict[str, Match]]:
            columns = tx.search.find_match_columns(words("same"), cap, 4)
            return columns, {match.urn: match for match in tx.search.find_matches(words("same"), 9)}

        (urns, scores, (numbers, groups)), by_urn = index.tx_runner.run(work, read_only=True)
        assert [*urns] == [urn for urn, _ in newest[:ranked]]
        assert [*numbers] == [by_urn[urn].number for urn, _ in newest[:counted]]
        assert [namespace for namespace, _ in groups] == [namespace for _, namespace in newest[:counted]]
        assert sorted(urns, key=dict(zip(urns, scores, strict=True)).__getitem__) == sorted(
            urns, key=lambda urn: by_urn[urn].score
        )
    none = index.tx_runner.run(lambda tx: tx.search.find_match_columns(words("none"), 2, 4), read_only=True)
    assert not any((none.urns, none.scores, none.counted.numbers, none.counted.groups))


def test_shorter_document_ranks_higher(index: StorageProvider) -> None:
    put(
        index,
        document("urn:long", ["same", *(f"w{number}" for number in range(90))]),
        document("urn:short", ["same"]),
        document("urn:mid", ["same", *(f"w{number}" for number in range(30))]),
    )
    matches = index.tx_runner.run(lambda tx: tx.search.find_matches(words("same"), 9))
    assert [item.urn for item in matches] == ["urn:short", "urn:mid", "urn:long"]


def test_replaced_document_has_only_new_words(index: StorageProvider) -> None:
    put(index, document("urn:1", ["old", "both"], "t1"))
    put(index, document("urn:1", ["both", "new"], "t2", tags=("b", "a")))
    assert [match(index, words(word)) for word in ("old", "both", "new")] == [[], ["urn:1"], ["urn:1"]]
    assert match(index, words(terms=["t1"])) == []
    matches = index.tx_runner.run(lambda tx: tx.search.find_matches(words("new"), 9))
    assert [(item.urn, item.namespace, item.type) for item in matches] == [("urn:1", "sales", "dataset")]


def test_removed_document_is_found_again_after_put(index: StorageProvider) -> None:
    put(index, document("urn:1", ["old"]), document("urn:2", ["old"]))
    index.tx_runner.run(lambda tx: (tx.search.remove_document("urn:1"), tx.search.remove_document("urn:none")))
    assert match(index, words("old")) == match(index, words(terms=[EVERY])) == ["urn:2"]
    put(index, document("urn:1", ["old"]))
    assert match(index, words("old")) == ["urn:1", "urn:2"]


def test_documents_are_read_by_urn_with_their_terms(index: StorageProvider) -> None:
    put(index, document("urn:1", ["a"], "t1", tags=("x",)), document("urn:2", []))
    matches = index.tx_runner.run(lambda tx: tx.search.read_matches(["urn:2", "urn:none", "urn:1", "urn:1"]))
    assert {(item.urn, item.terms) for item in matches} == {
        ("urn:1", frozenset({EVERY, "t1"})),
        ("urn:2", frozenset({EVERY})),
    }
    assert len(matches) == 2
    numbers = [item.number for item in matches]
    assert index.tx_runner.run(lambda tx: tx.search.count_facets(numbers, ["tag"])) == {"tag": {"x": 1}}
    assert index.tx_runner.run(lambda tx: tx.search.read_matches([])) == []


def test_putting_many_documents_equals_one_by_one(index: StorageProvider) -> None:
    put(index, document("urn:old", ["old", "both"], "t1"))
    many = [document(f"urn:{at}", ["both", f"only{at}"], "t2") for at in range(5)]
    index.tx_runner.run(
        lambda tx: tx.search.put_documents(*many[:3], document("urn:old", ["new", "both"], "t2"), *many[3:])
    )
    index.tx_runner.run(lambda tx: tx.search.put_documents())
    assert match(index, words("old")) == []
    assert match(index, words("both"), cap=3) == ["urn:2", "urn:3", "urn:4"]
    assert match(index, words("both", terms=["t2"])) == [*(f"urn:{at}" for at in range(5)), "urn:old"]
    assert match(index, words("only3")) == ["urn:3"]
    assert index.find_store_problems() == []


def test_all_documents_are_listed_by_urn(index: StorageProvider) -> None:
    documents = [
        document(urn, ["a", urn], "t", tags=("x", urn)) for urn in ("urn:1", "urn:10", "urn:2", "urn:\U0001f600")
    ]
    put(index, *reversed(documents))
    assert index.tx_runner.run(lambda tx: tx.search.read_documents_after("", 3)) == documents[:3]
    assert index.tx_runner.run(lambda tx: tx.search.read_documents_after("urn:10", 9)) == documents[2:]
    assert index.tx_runner.run(lambda tx: tx.search.read_documents_after("urn:\U0001f600", 9)) == []


_WORD = st.text(st.sampled_from("ab-é\U0001f600"), min_size=1, max_size=3)
_TERM = st.sampled_from(["t1", "t2", "t3"])
_CHANGE = st.tuples(
    st.sampled_from(["urn:1", "urn:2", "urn:3", "urn:4"]),
    st.none() | st.tuples(st.sets(_WORD, max_size=4), st.sets(_TERM)),
)
_CLAUSES = st.lists(st.lists(_TERM, min_size=1, max_size=2).map(tuple), max_size=2).map(tuple)
_FILTER = st.builds(TermFilter, st.none() | _CLAUSES, _CLAUSES, st.lists(_TERM, max_size=1).map(tuple))
_QUESTION = st.tuples(
    st.lists(_WORD, max_size=2), st.lists(_WORD, max_size=2), st.sets(_TERM), st.sets(_TERM, max_size=1), _FILTER
)


def _is_admitted(filter_: TermFilter, terms: set[str]) -> bool:
    return bool(terms & set(filter_.exempt)) or (
        (filter_.any_of is None or any(terms.issuperset(clause) for clause in filter_.any_of))
        and not any(terms.issuperset(clause) for clause in filter_.none_of)
    )


def count_tags_of_newest(store: StorageProvider, query: TextQuery, cap: int) -> list[Mapping[str, int]]:
    """Count the tags of the newest matches, given as matches and as columns."""

    def work(tx: TableContext) -> list[Mapping[str, int]]:
        matches = tx.search.find_matches(query, cap)
        columns = tx.search.find_match_columns(query, min(1, cap - 1), cap)
        both = ([item.number for item in matches], columns.counted.numbers)
        counts = (tx.search.count_facets(numbers, ["tag"]) for numbers in both)
        return [counted.get("tag", {}) for counted in counts]

    return store.tx_runner.run(work, read_only=True)


@settings(max_examples=60)
@given(st.lists(_CHANGE, max_size=12), st.lists(_QUESTION, max_size=4), st.integers(1, 5))
def test_any_history_equals_a_dictionary(
    shared: StorageProvider, history: list[Any], questions: list[Any], cap: int
) -> None:
    model: dict[str, tuple[set[str], set[str]]] = {}

    def work(tx: TableContext) -> None:
        for urn in ("urn:1", "urn:2", "urn:3", "urn:4"):
            tx.search.remove_document(urn)
        for urn, content in history:
            if content is None:
                model.pop(urn, None)
                tx.search.remove_document(urn)
            else:
                model[urn] = content
                tx.search.put_documents(document(urn, content[0], *content[1], tags=content[1]))

    shared.tx_runner.run(work)
    for exact, prefixes, terms, absent, filter_ in questions:
        fitting = [
            urn
            for urn, (its_words, its_terms) in model.items()
            if its_terms >= terms
            and its_terms.isdisjoint(absent)
            and _is_admitted(filter_, its_terms)
            and (
                not (exact or prefixes)
                or its_words & set(exact)
                or any(word.startswith(prefix) for word in its_words for prefix in prefixes)
            )
        ]
        conditions = [EVERY, *sorted(terms), *map(AbsentTerm, sorted(absent))]
        query = replace(words(*exact, prefixes=prefixes, terms=conditions), filter=filter_)
        assert match(shared, query, cap) == sorted(fitting[-cap:])
        assert count(shared, query, cap) == min(cap, len(fitting))
        tags = Counter(tag for urn in fitting[-cap:] for tag in model[urn][1])
        assert count_tags_of_newest(shared, query, cap) == [tags, tags]
