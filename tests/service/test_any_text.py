"""Any text of a user is stored unchanged and found, or refused."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.errors import InvalidInstance, InvalidQuery
from jupyter_colophon.core.identity.names import Urn, make_dataset_urn
from jupyter_colophon.core.search.search import ValuesRequest
from support.catalog import ADA, delete_entity_or_aspect, search_catalog, write_metadata
from support.stores import open_new_catalog
from support.urns import ORDERS

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=40)
#: Operators of the query language.
GRAMMAR = '"*?'


@pytest.fixture(scope="module")
def shared(store_name: str, tmp_path_factory: Any) -> Iterator[Catalog]:
    with open_new_catalog(store_name, tmp_path_factory.mktemp("any")) as catalog:
        write_metadata(catalog, ORDERS)
        yield catalog


@settings(max_examples=80, deadline=None)
@given(TEXT)
@example("ß")
@example("\u0130")
@example("a" * 300)
@example(" padded ")
@example("\U0001f600" + "x" * 200)
@example("x" * 10_000)
@example(" " + "long " * 200)
def test_any_value_is_stored_and_found_by_key(shared: Catalog, text: str) -> None:
    write_metadata(shared, ORDERS, {"note": text}, aspect="businessMetadata")
    found = shared.reader.read_current_aspect(Urn.parse(ORDERS), "businessMetadata", ADA)
    assert found.value["properties"] == {"note": text}
    if text.strip() and len(text) < 4_000 and not any(sign in text for sign in GRAMMAR):
        start = text.strip()[:20].strip()
        for query in (f'note:"{text}"', f'note="{text}"', f'note:"{start}"*', f'NOTE:"{text}"'):
            assert [hit.summary.urn for hit in search_catalog(shared, query).hits] == [ORDERS], query
    assert (text, 1) in shared.keys.list_values_with_counts(ValuesRequest("note"), 50, ADA)[0]


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=60))
@example("\x00")
@example("\ud800")
@example("a:" * 60)
@example('"' * 60)
def test_any_query_is_answered_or_refused(shared: Catalog, text: str) -> None:
    for query in (text, f"owner:{text}", f"{text}*", f'"{text}"'):
        with suppress(InvalidQuery):
            search_catalog(shared, query)


@settings(max_examples=50, deadline=None)
@given(TEXT)
@example("tags")
@example("a-b_C9")
@example("line\n")
def test_any_key_and_tag_is_stored_unchanged_or_refused(shared: Catalog, text: str) -> None:
    for properties, tags in (({text: "x"}, []), ({}, [text])):
        try:
            write_metadata(shared, ORDERS, properties, tags, aspect="businessMetadata")
        except InvalidInstance:
            continue
        found = shared.reader.read_current_aspect(Urn.parse(ORDERS), "businessMetadata", ADA).value
        assert (found["properties"], found["tags"]) == (properties, tags)
        assert ORDERS in {hit.summary.urn for hit in search_catalog(shared, text).hits}


@settings(max_examples=50, deadline=None)
@given(TEXT.filter(lambda text: text and text.isprintable()))
@example("a,b(c)%d")
@example("Ünï/cödé.csv")
@example("blank ")
def test_any_dataset_name_is_stored_found_and_deleted(shared: Catalog, text: str) -> None:
    urn = str(make_dataset_urn("file", text))
    write_metadata(shared, urn)
    assert shared.reader.read_entity(Urn.parse(urn), None, ADA).summary.name == text
    if text.strip() and not any(sign in text for sign in GRAMMAR):
        assert urn in {hit.summary.urn for hit in search_catalog(shared, f'dataset:"{text}"').hits}
    delete_entity_or_aspect(shared, urn)
    assert urn not in {hit.summary.urn for hit in search_catalog(shared, "*", limit=500).hits}
