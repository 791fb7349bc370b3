"""Suggest an existing name for an unknown one."""

from collections.abc import Iterable
from difflib import get_close_matches

#: Longer names are not compared, since the time grows with the square of the length.
_LENGTH_MAX = 100


def format_did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return `; did you mean 'x'?` for the name that is most similar to `name`; "" if none is similar."""
    similar = find_similar_name(name, names)
    return "" if similar is None else f"; did you mean {similar!r}?"


def find_similar_name(name: str, names: Iterable[str]) -> str | None:
    """Return the name that is most similar to `name`, in any letter case; None if none is similar."""
    return next(iter(find_similar_names(name, names, 1)), None)


def find_similar_names(name: str, names: Iterable[str], count: int, *, similarity: float = 0.6) -> list[str]:
    """Return the names that are most similar to `name`, in any letter case, the most similar first.

    `similarity` is the least ratio of common letters, up to 1.
    """
    if len(name) > _LENGTH_MAX:
        return []
    by_folded = {candidate.casefold(): candidate for candidate in names if len(candidate) <= _LENGTH_MAX}
    return [by_folded[match] for match in get_close_matches(name.casefold(), by_folded, n=count, cutoff=similarity)]
