"""What somebody wants an instance to become: read, with the secrets of the old one where masks stand for them."""

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

#: What clients may send of an answer, and what is never kept.
IGNORED = ("name", "resource", "reason")
_ANEW = "no secret is kept here: write it anew"
_OPEN = "only where the schema has a secret can one be left as it is"


class Drafts:
    """Reads documents that people send. All raise InstanceInvalid."""

    def __init__(self, masks: Masks, secrets: Secrets) -> None:
        self._masks, self._secrets = masks, secrets

    def kept(self, space: str, name: str, document: Mapping[str, Any], old: Held | None) -> Mapping[str, Any]:
        """The document as it would be kept, with references where secrets are kept elsewhere.

        A mask stands for the secret of the old one that was there. It may stand only where the new schema says that
        there is a secret: else who changes the schema would read it.
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
        """The same for documents of an import or of the past: a mask for which there is no secret goes, and is told.

        References there are masks: what they refer to is another instance's secret, or forgotten.
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
        """The kept document with its secrets' values. Raises InstanceInvalid where one cannot be had."""
        if gone := self._secrets.missing(space, kept):
            raise InstanceInvalid(name, str(kept.get("schema_name")), gone[0].message, gone)
        return self._secrets.in_place(space, kept)

    def _check_references(self, space: str, name: str, full: Mapping[str, Any], old: Mapping[str, Any]) -> None:
        """Refuse references to others' secrets; `{"$secret": "env:NAME"}` is taken where the settings allow the name."""
        known = set(self._secrets.references(space, old).values())
        for words in self._masks.pointers(space, full):
            key = reference(at(full, words))
            if key is not None and key not in known and (why := self._secrets.refusal(key)):
                self._refuse(name, full, [words], why)

    def _refuse(self, name: str, full: Mapping[str, Any], places: list[Words], why: str) -> None:
        if places:
            raise InstanceInvalid(name, str(full.get("schema_name")), why, problems_at(places, why))


def require_name(name: str, document: Mapping[str, Any]) -> None:
    """Raise RenameNotSupported where the document has another name."""
    told = document.get("name")
    if told not in (None, name):
        raise RenameNotSupported(name, str(told))


def require_members(name: str, document: Mapping[str, Any]) -> None:
    """Raise InstanceInvalid where `metadata` is no object or `schema_name` no text: nothing could look into it."""
    if not isinstance(schema := document.get("schema_name"), str):
        first = "'schema_name' is a required property" if schema is None else "'schema_name' is not of type 'string'"
        raise InstanceInvalid(name, "{unknown}", first, (Problem("/schema_name", first),))
    if not isinstance(document.get("metadata", {}), Mapping) or is_mask(document.get("metadata")):
        problem = Problem("/metadata", "is an object")
        raise InstanceInvalid(name, str(document.get("schema_name")), "'metadata' is not of type 'object'", (problem,))
