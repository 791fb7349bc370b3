"""Read edited documents, replacing masks by the secrets of the old document."""

from collections.abc import Mapping
from typing import Any

from jupyter_colophon.core.errors import InstanceInvalid, Problem, RenameNotSupported
from jupyter_colophon.core.instances.instance import Held
from jupyter_colophon.service.instances.masking import (
    MASK,
    Masks,
    Words,
    at,
    filled,
    is_mask,
    masks_in,
    problems_at,
    reference,
    references_in,
    replaced,
    without,
)
from jupyter_colophon.service.instances.secrets.service import Secrets

#: Members of responses that clients may send back, but that are not stored.
IGNORED = ("name", "resource", "reason")
_ANEW = "no secret is stored here: enter it again"
_OPEN = "a masked value is allowed only where the schema has a secret"


class Drafts:
    """Reads documents of clients. All methods raise InstanceInvalid."""

    def __init__(self, masks: Masks, secrets: Secrets) -> None:
        self._masks, self._secrets = masks, secrets

    def kept(self, space: str, name: str, document: Mapping[str, Any], old: Held | None) -> Mapping[str, Any]:
        """Return the document to store, with references for secrets in other stores.

        A mask stands for the old document's secret at the same location. It is allowed only where the new schema has a
        secret; otherwise changing the schema would reveal it.
        """
        draft = {key: value for key, value in document.items() if key not in IGNORED}
        draft.setdefault("metadata", {})
        before = (old.document if old is not None else None) or {}
        full: Mapping[str, Any] = draft
        if masks := list(masks_in(draft)):
            full, missing = filled(draft, before, self._masks.masked(space, before) if before else before)
            secret = set(self._masks.pointers(space, full))
            self._refuse(name, full, missing, _ANEW)
            self._refuse(name, full, [words for words in masks if words not in secret], _OPEN)
        self._check_references(space, name, full, before)
        return self._secrets.named(space, name, full)

    def loose(
        self, space: str, document: Mapping[str, Any], old: Mapping[str, Any]
    ) -> tuple[dict[str, Any], tuple[Problem, ...]]:
        """Return the same for imported and earlier documents, with problems: masks without a secret are removed and reported.

        References in them are treated as masks, since they refer to other instances' or deleted secrets.
        """
        draft = {key: value for key, value in document.items() if key not in IGNORED and not key.startswith("$")}
        strange = [words for words, key in references_in(draft) if self._secrets.refusal(key)]
        draft = replaced(draft, dict.fromkeys(strange, MASK))
        full, missing = filled(draft, old, self._masks.masked(space, old))
        secret = set(self._masks.pointers(space, full))
        open_ = [words for words in masks_in(draft) if words not in secret and words not in missing]
        lost = [*missing, *open_]
        told = (*problems_at(missing, _ANEW), *problems_at(open_, _OPEN))
        return (without(full, lost) if lost else full), told

    def in_place(self, space: str, name: str, kept: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the stored document with the values of its secrets. Raises InstanceInvalid if one is unavailable."""
        if gone := self._secrets.missing(space, kept):
            raise InstanceInvalid(name, str(kept.get("schema_name")), gone[0].message, gone)
        return self._secrets.in_place(space, kept)

    def _check_references(self, space: str, name: str, full: Mapping[str, Any], old: Mapping[str, Any]) -> None:
        """Refuse references to other secrets; `{"$secret": "env:NAME"}` is accepted if the settings allow the name."""
        known = set(self._secrets.references(space, old).values())
        for words in self._masks.pointers(space, full):
            key = reference(at(full, words))
            if key is not None and key not in known and (why := self._secrets.refusal(key)):
                self._refuse(name, full, [words], why)

    def _refuse(self, name: str, full: Mapping[str, Any], places: list[Words], why: str) -> None:
        if places:
            raise InstanceInvalid(name, str(full.get("schema_name")), why, problems_at(places, why))


def require_name(name: str, document: Mapping[str, Any]) -> None:
    """Raise RenameNotSupported if the document has another name."""
    told = document.get("name")
    if told not in (None, name):
        raise RenameNotSupported(name, str(told))


def require_members(name: str, document: Mapping[str, Any]) -> None:
    """Raise InstanceInvalid unless `metadata` is an object and `schema_name` a string."""
    if not isinstance(schema := document.get("schema_name"), str):
        first = "'schema_name' is a required property" if schema is None else "'schema_name' is not of type 'string'"
        raise InstanceInvalid(name, "{unknown}", first, (Problem("/schema_name", first),))
    if not isinstance(document.get("metadata", {}), Mapping) or is_mask(document.get("metadata")):
        problem = Problem("/metadata", "must be an object")
        raise InstanceInvalid(name, str(document.get("schema_name")), "'metadata' is not of type 'object'", (problem,))
