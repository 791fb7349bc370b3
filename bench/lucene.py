"""The reference for search: the same entities in tantivy, a Lucene-like engine, queried directly."""

import shutil
from functools import cache
from pathlib import Path
from typing import Any

import corpus
import tantivy

_HEAP_BYTES = 200_000_000
_FACETS = {name: {"terms": {"field": name, "size": 20}} for name in ("type", "namespace", "tag")}


def index_entities(folder: Path, count: int) -> None:
    """Index `count` entities."""
    part = folder.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    writer = tantivy.Index(_create_schema(), path=str(part)).writer(_HEAP_BYTES, 1)
    for thing in corpus.generate_entities(count):
        urn = corpus.build_urn(thing.number)
        values = thing.value["properties"]
        writer.add_document(
            tantivy.Document(
                urn=urn,
                body=build_searchable_text(thing),
                pair=[f"{thing.namespace}:{key}:{value}" for key, value in values.items()],
                type="dataset" if urn.startswith("urn:li:dataset:") else "dataJob",
                namespace=thing.namespace,
                tag=list(thing.tags),
            )
        )
    writer.commit()
    writer.wait_merging_threads()
    part.rename(folder)


def build_searchable_text(thing: corpus.CorpusEntity) -> str:
    """Return all words of an entity."""
    return " ".join([*thing.value["properties"].values(), *thing.tags, corpus.build_short_name(thing.number)])


class LuceneSearch:
    """An index, open for queries."""

    def __init__(self, folder: Path) -> None:
        self._index = tantivy.Index.open(str(folder))
        self._searcher = self._index.searcher()

    def search_word(self, text: str) -> list[str]:
        """Return the URNs of the best 20 matches of a word."""
        return self._list_best_urns(tantivy.Query.term_query(self._index.schema, "body", text))

    def search_pairs(self, namespace: str, key: str, prefix: str) -> list[str]:
        """Return the URNs of 20 entities with a value with this prefix."""
        return self._list_best_urns(
            tantivy.Query.regex_query(self._index.schema, "pair", f"{namespace}:{key}:{prefix}.*")
        )

    def search_with_facets(self, text: str) -> Any:
        """Return the best 20 matches of a word, and the numbers of matches by type, namespace and tag."""
        result = self.search_word(text)
        return result, self._searcher.aggregate(tantivy.Query.term_query(self._index.schema, "body", text), _FACETS)

    def _list_best_urns(self, query: Any) -> list[str]:
        hits = self._searcher.search(query, 20).hits
        return [self._searcher.doc(address)["urn"][0] for _, address in hits]


@cache
def open_index(folder: Path) -> LuceneSearch:
    """Open the index in a folder."""
    return LuceneSearch(folder)


def _create_schema() -> Any:
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("urn", stored=True, tokenizer_name="raw", index_option="basic")
    schema.add_text_field("body")
    for name in ("pair", "type", "namespace", "tag"):
        schema.add_text_field(name, fast=name != "pair", tokenizer_name="raw", index_option="basic")
    return schema.build()
