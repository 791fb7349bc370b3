"""Group found documents by namespace and type."""

from collections import defaultdict
from collections.abc import Iterable

from jupyter_colophon.core.search.search import Group


def group_documents_by_namespace_and_type(documents: Iterable[tuple[int, str, str]]) -> list[Group]:
    """Group documents, each given as its number, namespace and type."""
    numbers: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for number, namespace, kind in documents:
        numbers[namespace, kind].append(number)
    return [Group(*groups, some) for groups, some in numbers.items()]
