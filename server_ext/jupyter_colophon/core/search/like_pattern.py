"""Match patterns of SQL's LIKE without backtracking: the time grows with the length of the text times the pattern."""

import re
from dataclasses import dataclass
from typing import Final

from jupyter_colophon.core.errors import InvalidQuery

#: The longest pattern: as long as a URN.
LENGTH_MAX: Final = 2_048
_SIGNS: Final = re.compile(r"\\.|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class LikePattern:
    """A pattern as the pieces between its `%` signs.

    Each piece matches texts of one length only, so its expression never backtracks. The leftmost match of each piece
    leaves the most room for the next one, so no choice is revised.
    """

    pieces: tuple[re.Pattern[str], ...]
    last_length: int

    @classmethod
    def parse(cls, pattern: str, pointer: str) -> "LikePattern":
        r"""Parse a pattern: `%` is any text, `_` any character, and `\` escapes the next character.

        `pointer` names the pattern in the request. Raises InvalidQuery for a pattern that is too long.
        """
        if len(pattern) > LENGTH_MAX:
            raise InvalidQuery(f"must have at most {LENGTH_MAX} characters", pointer=pointer)
        pieces: list[list[str]] = [[]]
        for sign in _SIGNS.findall(pattern):
            if sign == "%":
                pieces.append([])
            else:
                pieces[-1].append("." if sign == "_" else re.escape(sign[-1]))
        inner = [piece for piece in pieces[1:-1] if piece]
        parts = [pieces[0], *inner, *pieces[-1:]] if len(pieces) > 1 else pieces
        return cls(tuple(re.compile("".join(piece), re.DOTALL) for piece in parts), len(parts[-1]))

    def matches(self, text: str) -> bool:
        """Return whether the whole text matches."""
        first, *rest = self.pieces
        if not rest:
            return first.fullmatch(text) is not None
        match = first.match(text)
        for piece in rest[:-1]:
            if match is None:
                return False
            match = piece.search(text, match.end())
        start = len(text) - self.last_length
        return match is not None and start >= match.end() and rest[-1].match(text, start) is not None
