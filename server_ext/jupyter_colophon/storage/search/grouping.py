"""Found documents that are alike, counted together: what facets are made of."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from jupyter_colophon.core.search.facet_labels import APART
from jupyter_colophon.core.search.search import Group
from jupyter_colophon.storage.spi import Match, SearchIndex, Words


def grouped(found: Iterable[tuple[str, str, str]]) -> list[Group]:
    """Groups of documents, of which each is told as its namespace, its type and its labels as one text.

    Ten thousand documents are some hundred groups: labels are taken apart all at once, not one document at a time.
    """
    labels: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for namespace, kind, text in found:
        labels[namespace, kind].append(text)
    return [Group(*alike, len(texts), _counted(texts)) for alike, texts in labels.items()]


def surveyed(index: SearchIndex, words: Words, cap: int, counted: int) -> tuple[list[Match], list[Group]]:
    """Both at once for a store that asks for one after the other."""
    matches = index.match(words, cap)
    groups = index.groups(words, counted) if len(matches) == cap else []
    return matches, groups if sum(one.size for one in groups) > cap else []


def _counted(texts: list[str]) -> Counter[str]:
    counter = Counter(APART.join(texts).split(APART))
    # A document without labels is an empty text.
    counter.pop("", None)
    return counter
