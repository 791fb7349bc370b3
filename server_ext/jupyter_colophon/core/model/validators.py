"""Validators of other packages for proposals, each for some operations, entities and aspects."""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.core.errors import InvalidInstance, Problem, quote_and_truncate_text
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.proposal import Operation

#: Stands for every entity type, or for every aspect.
ANY: Final = "*"
#: Our operations by their names in DataHub.
OPERATIONS: Final[dict[str, tuple[Operation, ...]]] = {
    "UPSERT": ("upsert",),
    "CREATE": ("create",),
    "CREATE_ENTITY": ("create-entity",),
    "UPDATE": ("update",),
    "PATCH": ("patch", "annotate"),
    "DELETE": ("delete",),
}
#: A check takes URN, aspect, operation (DataHub's name) and the proposed value, None after a deletion. It returns pairs
#: of a JSON Pointer into the value and a message, none if the value is valid.
Check = Callable[[str, str, str, Any], Iterable[tuple[str, str]]]

_WORDS: Final = {ours: word for word, all_ in OPERATIONS.items() for ours in all_}
_log = logging.getLogger("jupyter_colophon.rules")


@dataclass(frozen=True, slots=True)
class AspectValidator:
    """A check and its scope: no operations means all of them. `entity_aspects` are pairs of an entity type and an aspect."""

    name: str
    check: Check
    operations: frozenset[str] = frozenset()
    entity_aspects: tuple[tuple[str, str], ...] = ((ANY, ANY),)

    def applies_to_proposal(self, operation: Operation, entity_type: str, aspect: str) -> bool:
        """Return whether the check applies to such a proposal."""
        fits = any(kind in (ANY, entity_type) and name in (ANY, aspect) for kind, name in self.entity_aspects)
        return fits and (not self.operations or _WORDS[operation] in self.operations)

    def require_valid_value(self, operation: Operation, urn: Urn, aspect: str, value: Any) -> None:
        """Raise InvalidInstance if the check rejects the value or fails: a value is not accepted unchecked."""
        try:
            problems = tuple(
                Problem(str(pointer), str(message)[:300])
                for pointer, message in self.check(str(urn), aspect, _WORDS[operation], value)
            )
        except Exception as error:  # noqa: BLE001  another package's code may raise anything
            _log.warning(
                "the validator %s failed on %s of %s: %s",
                quote_and_truncate_text(self.name),
                aspect,
                urn,
                type(error).__name__,
            )
            problems = (
                Problem("", f"the validator {quote_and_truncate_text(self.name)} failed ({type(error).__name__})"),
            )
        if problems:
            raise InvalidInstance(aspect, problems)
