"""A catalog as the command line sees it."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from jupyter_colophon.core.entities.annotation import Annotation
from jupyter_colophon.core.lineage.graph import Lineage, LineageQuestion, RunListing
from jupyter_colophon.core.lineage.run import Run, Touched


@dataclass(frozen=True, slots=True)
class Statement:
    """A value of the vocabulary (core/model/vocabulary.py): a reference by the name of what it refers to."""

    kind: str
    key: str
    name: str
    scope: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Event:
    """When something happened (ISO 8601), and who did it."""

    time: str
    actor: str


@dataclass(frozen=True, slots=True)
class Shown:
    """An entity, with its metadata by scope as `/v3` has it, and with every value that its aspects contribute."""

    urn: str
    type: str
    namespace: str
    name: str
    user: Mapping[str, str]
    user_tags: Sequence[str]
    system: Mapping[str, str]
    system_tags: Sequence[str]
    statements: Sequence[Statement]
    created: Event
    updated: Event


@dataclass(frozen=True, slots=True)
class Line:
    """An entity in a list."""

    urn: str
    type: str
    namespace: str
    name: str
    description: str = ""
    tags: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Results:
    """What a search found: its first hits, and how many there are."""

    lines: Sequence[Line]
    total: int


@dataclass(frozen=True, slots=True)
class Count:
    """A key, or a value of one, and how many entities have it. The kind is `property`, `tag` or `field`."""

    text: str
    entities: int
    kind: str = ""
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Taken:
    """What came of lines that were taken in: how many of each outcome, and entity and aspect of each conflict."""

    counts: Counter[str] = field(default_factory=Counter)
    conflicts: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ChangesAsked:
    """Which changes, in which form (core/changes/announcement.py); all of them where the namespace is empty."""

    after: int | None
    namespace: str = ""
    form: str = "change"


class CatalogSource(Protocol):
    """What the commands do. All raise MetadataError for what is refused."""

    def show(self, urn: str) -> Shown:
        """One entity. Raises NotFound."""

    def annotate(self, urn: str, change: Annotation) -> bool:
        """Change what people say of an entity that is there; returns whether anything changed."""

    def search(self, query: str, filters: Mapping[str, str], limit: int, *, removed: bool = False) -> Results:
        """The best hits; what was softly deleted only with `removed`."""

    def keys(self, prefix: str) -> Sequence[Count]:
        """Keys that begin so."""

    def values(self, key: str, prefix: str) -> Sequence[Count]:
        """Values of a key that begin so."""

    def listed(self, type_: str, namespace: str) -> Sequence[Line]:
        """Entities of a type, in a namespace or in all."""

    def begun(self, type_: str, namespace: str, prefix: str) -> Sequence[Line]:
        """The first entities of a type in a namespace whose names begin so; of all namespaces where it is empty."""

    def deploy(self, urn: str, told: Mapping[str, Any]) -> bool:
        """Make a dataset or an application, told as in `/v3` (docs/v3.md); returns whether anything changed."""

    def make_namespace(self, name: str) -> bool:
        """Make a namespace; one that is there stays as it is. Returns whether it was made."""

    def delete(self, urn: str) -> None:
        """Delete an entity, and what it holds; a namespace only where it holds nothing. Raises NotFound, NotEmpty."""

    def changes(self, asked: ChangesAsked, wait_s: int) -> tuple[Sequence[Mapping[str, Any]], int]:
        """Changes after a number, and from which number to read on; where there are none, after so many seconds none.

        Without a number none, and the present one. Raises LogCompacted.
        """

    def exported(self, namespace: str) -> Iterator[bytes]:
        """The lines of a namespace. Raises NotFound."""

    def imported(self, lines: Callable[[], Iterable[bytes]], *, overwrite: bool, dry_run: bool) -> Iterator[Taken]:
        """Take lines in, a part at a time; nothing where one of them cannot be. Raises MalformedBody."""

    def runs(self, listing: RunListing) -> list[Run]:
        """Runs, newest first."""

    def run(self, urn: str) -> tuple[Run, list[Touched]]:
        """One run, and what it had to do with. Raises NotFound."""

    def lineage(self, question: LineageQuestion) -> Lineage:
        """The graph around data or a program. Raises NotFound."""

    def close(self) -> None:
        """Let go of it."""
