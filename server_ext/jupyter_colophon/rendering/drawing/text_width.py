"""Estimate the width of texts in pixels, generously, since the fonts of a reader are not known."""

from collections.abc import Callable

_NARROW, _BROAD = frozenset("fijlrt .,:;'|!()[]/-I1"), frozenset("mwMW@%&#…—")
#: From this character on, letters may be wide.
_WIDE = "\u1100"

ELLIPSIS = "…"


def estimate_width(text: str, size: float) -> float:
    """Return the width of a text in a font of a size."""
    return sum(map(_estimate_letter, text)) * size


def truncate_to_width(text: str, room: float, size: float, shorten: Callable[[str, int], str] | None = None) -> str:
    """Return the text, or its longest beginning with an ellipsis that fits; `shorten` chooses other letters of it."""
    if estimate_width(text, size) <= room:
        return text
    shortened = ((shorten or _drop_end)(text, count) for count in range(len(text) - 1, -1, -1))
    return next(filter(lambda part: estimate_width(part, size) <= room, shortened), ELLIPSIS)


def _drop_end(text: str, count: int) -> str:
    return text[:count] + ELLIPSIS


def _estimate_letter(letter: str) -> float:
    """Return the width as a part of the size."""
    if letter in _NARROW:
        return 0.4
    if letter in _BROAD or letter >= _WIDE:
        return 1.0
    return 0.75 if letter.isupper() else 0.6
