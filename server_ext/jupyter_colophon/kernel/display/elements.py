"""The blocks that a page is made of. Their texts are as users wrote them: the renderers escape."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Title:
    """What the page is about, and a word on it."""

    text: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence. A `quiet` one stands back."""

    text: str
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under column names, with a caption; each row has as many cells as there are columns."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Chips:
    """A labelled list of short words: tags."""

    label: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Preformatted:
    """Text whose lines and spaces matter: a tree, a synopsis."""

    text: str


Block: TypeAlias = Title | Line | Table | Chips | Preformatted
