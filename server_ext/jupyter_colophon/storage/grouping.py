"""Found documents that are alike, counted together: what facets are made of (native.md, rules)."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from jupyter_colophon.core.search import Group

#: Between the tags of a document where they are one text; no tag holds it.
TAGS_APART = "\x1f"


def grouped(found: Iterable[tuple[str, str, str]]) -> list[Group]:
    """Groups of documents, of which each is told as its namespace, its type and its tags as one text.

    Ten thousand documents are some hundred groups: tags are taken apart all at once, not one document at a time.
    """
    tags: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for namespace, kind, text in found:
        tags[namespace, kind].append(text)
    return [Group(*alike, len(texts), _counted(texts)) for alike, texts in tags.items()]


def _counted(texts: list[str]) -> Counter[str]:
    counter = Counter(TAGS_APART.join(texts).split(TAGS_APART))
    # A document without tags is an empty text.
    counter.pop("", None)
    return counter
