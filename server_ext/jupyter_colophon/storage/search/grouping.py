"""Group found documents by namespace and type."""

from collections import defaultdict
from collections.abc import Iterable

from jupyter_colophon.core.search.search import Group


def grouped(found: Iterable[tuple[int, str, str]]) -> list[Group]:
    """Group documents, each given as its number, namespace and type."""
    numbers: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for number, namespace, kind in found:
        numbers[namespace, kind].append(number)
    return [Group(*alike, some) for alike, some in numbers.items()]
