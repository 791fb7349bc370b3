"""Patterns of SQL's LIKE, matched without backtracking: the time grows with the text times the pattern, never faster."""

import re
from dataclasses import dataclass
from typing import Final

from jupyter_colophon.core.errors import InvalidQuery

#: How long a pattern may be: as long as a URN.
LENGTH_MAX: Final = 2_048
_SIGNS: Final = re.compile(r"\\.|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class LikePattern:
    """A pattern as the pieces between its `%` signs.

    Each piece matches texts of one length only, so an expression for it has nothing to try again. The leftmost place of
    each piece leaves the most room for the next one: no choice is ever taken back.
    """

    pieces: tuple[re.Pattern[str], ...]
    last_length: int

    @classmethod
    def parse(cls, pattern: str, pointer: str) -> "LikePattern":
        r"""Read a pattern: `%` is any text, `_` any character, `\` takes the next character literally.

        `pointer` names the pattern in the request. Raises InvalidQuery for a pattern that is too long.
        """
        if len(pattern) > LENGTH_MAX:
            raise InvalidQuery(f"has at most {LENGTH_MAX} characters", pointer=pointer)
        pieces: list[list[str]] = [[]]
        for sign in _SIGNS.findall(pattern):
            if sign == "%":
                pieces.append([])
            else:
                pieces[-1].append("." if sign == "_" else re.escape(sign[-1]))
        inner = [piece for piece in pieces[1:-1] if piece]
        kept = [pieces[0], *inner, *pieces[-1:]] if len(pieces) > 1 else pieces
        return cls(tuple(re.compile("".join(piece), re.DOTALL) for piece in kept), len(kept[-1]))

    def matches(self, text: str) -> bool:
        """Return whether the whole text matches."""
        first, *rest = self.pieces
        if not rest:
            return first.fullmatch(text) is not None
        found = first.match(text)
        for piece in rest[:-1]:
            if found is None:
                return False
            found = piece.search(text, found.end())
        start = len(text) - self.last_length
        return found is not None and start >= found.end() and rest[-1].match(text, start) is not None
