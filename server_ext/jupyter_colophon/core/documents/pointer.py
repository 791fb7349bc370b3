"""JSON Pointers (RFC 6901)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_BAD_ESCAPE = re.compile(r"~(?![01])")
_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")


@dataclass(frozen=True, slots=True)
class JsonPointer:
    """A location in a JSON document: the names and indices of its path, none for the whole document."""

    tokens: tuple[str, ...]

    @classmethod
    def parse_or_none(cls, text: str) -> "JsonPointer | None":
        """Parse a pointer; return None if the text is not a valid pointer."""
        if not text:
            return cls(())
        if not text.startswith("/") or _BAD_ESCAPE.search(text):
            return None
        return cls(tuple(word.replace("~1", "/").replace("~0", "~") for word in text[1:].split("/")))

    def __str__(self) -> str:
        return format_pointer(self.tokens)

    @property
    def is_root(self) -> bool:
        """Return whether this is the whole document."""
        return not self.tokens

    @property
    def parent(self) -> "JsonPointer":
        """Return the location that contains this one."""
        return JsonPointer(self.tokens[:-1])

    @property
    def last(self) -> str:
        """Return the last name or index."""
        return self.tokens[-1]

    @property
    def last_index(self) -> int | None:
        """Return the last token as a list index, None if it is not one."""
        return int(self.last) if _INDEX.fullmatch(self.last) else None

    def get_prefix(self, depth: int) -> "JsonPointer":
        """Return the first tokens of the pointer."""
        return JsonPointer(self.tokens[:depth])

    def contains(self, other: "JsonPointer") -> bool:
        """Return whether the other location is inside this one."""
        return len(other.tokens) > len(self.tokens) and other.tokens[: len(self.tokens)] == self.tokens


def format_pointer(words: Iterable[str]) -> str:
    """Return the text of a pointer with these names and indices."""
    return "".join("/" + word.replace("~", "~0").replace("/", "~1") for word in words)
