"""Rules of other packages for what is proposed, each for some operations, entities and aspects."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.core.errors import InvalidInstance, Problem, shown
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Operation

#: What stands for every type of entity, and for every aspect.
ANY: Final = "*"
#: DataHub's words for what is proposed, and ours.
OPERATIONS: Final[dict[str, tuple[Operation, ...]]] = {
    "UPSERT": ("upsert",),
    "CREATE": ("create",),
    "CREATE_ENTITY": ("create-entity",),
    "UPDATE": ("update",),
    "PATCH": ("patch", "annotate"),
    "DELETE": ("delete",),
}
#: Given URN, aspect, operation (DataHub's word) and the value that would be there, None after a deletion; it returns
#: pairs of a JSON Pointer into the value and a message, none where nothing is wrong.
Check = Callable[[str, str, str, Any], Iterable[tuple[str, str]]]

_WORDS: Final = {ours: word for word, all_ in OPERATIONS.items() for ours in all_}
_log = logging.getLogger("jupyter_colophon.rules")


@dataclass(frozen=True, slots=True)
class Rule:
    """A check and what it is for: without operations for all of them. `places` are pairs of an entity type and an aspect."""

    name: str
    check: Check
    operations: frozenset[str] = frozenset()
    places: tuple[tuple[str, str], ...] = ((ANY, ANY),)

    def is_for(self, operation: Operation, entity_type: str, aspect: str) -> bool:
        """Whether it is asked about such a proposal."""
        fits = any(kind in (ANY, entity_type) and name in (ANY, aspect) for kind, name in self.places)
        return fits and (not self.operations or _WORDS[operation] in self.operations)

    def hold(self, operation: Operation, urn: Urn, aspect: str, value: Any) -> None:
        """Raise InvalidInstance if the rule rejects the value or fails, since a failed rule proves nothing."""
        try:
            found = tuple(
                Problem(str(pointer), str(message)[:300])
                for pointer, message in self.check(str(urn), aspect, _WORDS[operation], value)
            )
        except Exception as error:  # noqa: BLE001  another package's code may raise anything
            _log.warning("the rule %s failed on %s of %s: %s", shown(self.name), aspect, urn, type(error).__name__)
            found = (Problem("", f"the rule {shown(self.name)} failed ({type(error).__name__})"),)
        if found:
            raise InvalidInstance(aspect, found)
