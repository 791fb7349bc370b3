"""Rank documents: BM25 for documents in which each word occurs once (spec SEARCH-12)."""

from collections.abc import Sequence
from math import log

#: BM25's constants, and the length of a document that neither raises nor lowers its score, in words.
_SATURATION, _WEIGHT_OF_LENGTH, _USUAL_LENGTH = 1.2, 0.75, 40
#: The number up to which matches of a word are counted; a more common word has hardly less weight.
COMMON = 10_000


def compute_rarity(matching: int, everything: int) -> float:
    """Return the inverse document frequency of a word with `matching` of all documents."""
    return log(1 + (max(matching, everything) - matching + 0.5) / (matching + 0.5))


def compute_weight(length: int) -> float:
    """Return the weight of a word that a document of this length has once."""
    weighed = 1 - _WEIGHT_OF_LENGTH + _WEIGHT_OF_LENGTH * length / _USUAL_LENGTH
    return (_SATURATION + 1) / (1 + _SATURATION * weighed)


def compute_scores(lengths: Sequence[int], rarity: float) -> list[float]:
    """Return the scores of documents of these lengths for a word of this rarity."""
    scores = {length: rarity * compute_weight(length) for length in set(lengths)}
    return list(map(scores.__getitem__, lengths))
