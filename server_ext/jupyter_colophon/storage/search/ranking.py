"""Rank documents: BM25 for documents in which each word occurs once (spec SEARCH-12)."""

from math import log

#: BM25's constants, and how many words a document has when its length is no reason for or against it.
_SATURATION, _WEIGHT_OF_LENGTH, _USUAL_LENGTH = 1.2, 0.75, 40
#: A word in so many documents says little, however many more there are: matches are counted no further.
COMMON = 10_000


def rarity(matching: int, everything: int) -> float:
    """The inverse document frequency of what so many of all documents match."""
    return log(1 + (max(matching, everything) - matching + 0.5) / (matching + 0.5))


def weight(length: int) -> float:
    """The weight of a word that a document of this many words says once."""
    weighed = 1 - _WEIGHT_OF_LENGTH + _WEIGHT_OF_LENGTH * length / _USUAL_LENGTH
    return (_SATURATION + 1) / (1 + _SATURATION * weighed)
