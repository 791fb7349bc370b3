"""How wide a text stands on a terminal."""

import unicodedata

_WIDE = frozenset("WF")


def width(text: str) -> int:
    """Its places: two for what East Asia writes wide, none for what stands over another character."""
    if text.isascii():
        return len(text)
    return sum(_places(character) for character in text)


def padded(text: str, places: int) -> str:
    """The text with blanks, up to so many places."""
    return text + " " * (places - width(text))


def _places(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1
