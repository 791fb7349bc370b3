"""Generate the contents of the stores: entities with Zipf-distributed words, and programs that read and write them.

Everything is derived from the number of an entity, so that all sides have the same contents.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from jupyter_colophon.core.identity.names import Urn

VOCABULARY, WORDS, NAMESPACES, TAGS, DAYS = 50_000, 10, 20, 200, 180
DAY_MS, RUN_MS = 86_400_000, 60_000
_SYLLABLES = [first + second for first in "bcdfghjklmnprstvwxz" for second in "aeiou"]
_BLOCK = 10_000


@dataclass(frozen=True, slots=True)
class CorpusEntity:
    """One entity; every fifth is a program."""

    number: int
    words: tuple[str, ...]
    tags: tuple[str, ...]

    @property
    def namespace(self) -> str:
        """The namespace of the entity."""
        return f"ns{self.number % NAMESPACES:02}"

    @property
    def value(self) -> dict[str, Any]:
        """The metadata of the entity."""
        return {
            "properties": {
                "description": " ".join(self.words),
                "owner": f"team{self.number % 50}",
                "source": f"feed{self.number % 5_000}",
                "ticket": f"t{self.number:07}",
            },
            "tags": list(self.tags),
        }


@dataclass(frozen=True, slots=True)
class CorpusAccess:
    """One access: a run of a program read or wrote a dataset; times in ms."""

    data: int
    program: int
    mode: str
    run: int
    start: int


def build_urn(number: int) -> str:
    """Return the URN of an entity. Formatted directly, because building a million URN objects takes a minute."""
    space = f"ns{number % NAMESPACES:02}"
    if number % 5 == 4:
        return f"urn:li:dataJob:(urn:li:dataFlow:(colophon,bench,{space}),jobs.{build_short_name(number)})"
    return f"urn:li:dataset:(urn:li:dataPlatform:spark,{space}.{build_short_name(number)},PROD)"


def build_short_name(number: int) -> str:
    """The short name of an entity."""
    return f"job{number:07}" if number % 5 == 4 else f"table{number:07}"


def parse_entity_urn(number: int) -> Urn:
    """Return the URN object of an entity."""
    return Urn.parse(build_urn(number))


@cache
def get_word(rank: int) -> str:
    """Return the word of a rank; 0 is the most frequent one."""
    return "".join(_SYLLABLES[rank // 95**place % 95] for place in range(3))


def generate_entities(count: int, first: int = 0) -> Iterator[CorpusEntity]:
    """Yield the first `count` entities, from the number `first`."""
    words = np.cumsum(1 / np.arange(1, VOCABULARY + 1))
    words /= words[-1]
    for begin in range(first // _BLOCK * _BLOCK, count, _BLOCK):
        random = np.random.default_rng(begin)
        size = min(_BLOCK, count - begin)
        ranks = np.searchsorted(words, random.random((size, WORDS)))
        tags = (random.random((size, 2)) ** 2 * TAGS).astype(int)
        for at in range(max(0, first - begin), size):
            values = tuple(get_word(rank) for rank in ranks[at].tolist())
            yield CorpusEntity(begin + at, values, tuple(f"tag{tag}" for tag in sorted(set(tags[at].tolist()))))


def generate_accesses(count: int) -> Iterator[CorpusAccess]:
    """Yield `count` accesses, by a fifth as many programs, of as many datasets; some datasets are hubs."""
    random = np.random.default_rng(11)
    fifth = max(1, count // 5)
    programs = random.integers(0, fifth, count) * 5 + 4
    places = np.where(random.random(count) < 0.02, random.integers(0, max(1, fifth // 1000), count), -1)
    datasets = np.where(places >= 0, places, random.integers(0, fifth, count))
    writes = random.random(count) < 0.4
    starts = random.integers(0, DAYS * DAY_MS, count)
    columns = zip(datasets.tolist(), programs.tolist(), writes.tolist(), starts.tolist(), strict=True)
    for run, (data, maker, written, start) in enumerate(columns):
        yield CorpusAccess(data // 4 * 5 + data % 4, maker, "write" if written else "read", run, start)
