"""JSON Pointers (RFC 6901)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_BAD_ESCAPE = re.compile(r"~(?![01])")
_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")


@dataclass(frozen=True, slots=True)
class Pointer:
    """A place in a JSON document: the names and indices on the way to it, none for the whole."""

    words: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> "Pointer | None":
        """Read a pointer; None for a text that is none."""
        if not text:
            return cls(())
        if not text.startswith("/") or _BAD_ESCAPE.search(text):
            return None
        return cls(tuple(word.replace("~1", "/").replace("~0", "~") for word in text[1:].split("/")))

    def __str__(self) -> str:
        return written(self.words)

    @property
    def is_root(self) -> bool:
        """Whether this is the whole document."""
        return not self.words

    @property
    def parent(self) -> "Pointer":
        """The place that holds this one."""
        return Pointer(self.words[:-1])

    @property
    def last(self) -> str:
        """The last name or index."""
        return self.words[-1]

    @property
    def last_index(self) -> int | None:
        """The last word as an index into a list; None where it is none."""
        return int(self.last) if _INDEX.fullmatch(self.last) else None

    def until(self, depth: int) -> "Pointer":
        """The place after that many words."""
        return Pointer(self.words[:depth])

    def holds(self, other: "Pointer") -> bool:
        """Whether the other place is inside this one."""
        return len(other.words) > len(self.words) and other.words[: len(self.words)] == self.words


def written(words: Iterable[str]) -> str:
    """The pointer made of these names and indices."""
    return "".join("/" + word.replace("~", "~0").replace("/", "~1") for word in words)
