"""The other side of search: the same entities in tantivy, a Lucene-like engine, asked without anything in between."""

import shutil
from functools import cache
from pathlib import Path
from typing import Any

import corpus
import tantivy

_HEAP_BYTES = 200_000_000
_FACETS = {name: {"terms": {"field": name, "size": 20}} for name in ("type", "namespace", "tag")}


def fill(folder: Path, count: int) -> None:
    """Index `count` entities."""
    part = folder.with_suffix(".part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    writer = tantivy.Index(_schema(), path=str(part)).writer(_HEAP_BYTES, 1)
    for thing in corpus.things(count):
        urn = corpus.urn_of(thing.number)
        said = thing.value["properties"]
        writer.add_document(
            tantivy.Document(
                urn=urn,
                body=body(thing),
                pair=[f"{thing.namespace}:{key}:{value}" for key, value in said.items()],
                type="dataset" if urn.startswith("urn:li:dataset:") else "dataJob",
                namespace=thing.namespace,
                tag=list(thing.tags),
            )
        )
    writer.commit()
    writer.wait_merging_threads()
    part.rename(folder)


def body(thing: corpus.Thing) -> str:
    """All the words of an entity."""
    return " ".join([*thing.value["properties"].values(), *thing.tags, corpus.name_of(thing.number)])


class Lucene:
    """One index, open for questions."""

    def __init__(self, folder: Path) -> None:
        self._index = tantivy.Index.open(str(folder))
        self._searcher = self._index.searcher()

    def word(self, text: str) -> list[str]:
        """The URNs of the best 20 for a word."""
        return self._best(tantivy.Query.term_query(self._index.schema, "body", text))

    def pairs(self, namespace: str, key: str, prefix: str) -> list[str]:
        """The URNs of 20 that say a value with this prefix."""
        return self._best(tantivy.Query.regex_query(self._index.schema, "pair", f"{namespace}:{key}:{prefix}.*"))

    def facets(self, text: str) -> Any:
        """The best 20 for a word, and how many of each type, namespace and tag match."""
        found = self.word(text)
        return found, self._searcher.aggregate(tantivy.Query.term_query(self._index.schema, "body", text), _FACETS)

    def _best(self, query: Any) -> list[str]:
        hits = self._searcher.search(query, 20).hits
        return [self._searcher.doc(address)["urn"][0] for _, address in hits]


@cache
def opened(folder: Path) -> Lucene:
    """The index in this folder."""
    return Lucene(folder)


def _schema() -> Any:
    schema = tantivy.SchemaBuilder()
    schema.add_text_field("urn", stored=True, tokenizer_name="raw", index_option="basic")
    schema.add_text_field("body")
    for name in ("pair", "type", "namespace", "tag"):
        schema.add_text_field(name, fast=name != "pair", tokenizer_name="raw", index_option="basic")
    return schema.build()
