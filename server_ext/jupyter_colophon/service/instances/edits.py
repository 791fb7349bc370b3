"""Read edited documents, replacing masks by the secrets of the old document."""

from collections.abc import Mapping
from typing import Any

from jupyter_colophon.core.errors import InstanceInvalid, Problem, RenameNotSupported
from jupyter_colophon.core.instances.instance import StoredInstance
from jupyter_colophon.service.instances.masking import (
    MASK,
    SecretMasker,
    ValuePath,
    copy_with_values_at_paths,
    copy_without_members,
    create_problem_for_each_path,
    find_mask_paths,
    find_reference_paths,
    get_secret_reference,
    get_value_at_path,
    is_mask,
    replace_masks_by_old_secrets,
)
from jupyter_colophon.service.instances.secrets.service import SecretService

#: Members of responses that clients may send back, but that are not stored.
IGNORED = ("name", "resource", "reason")
_NOT_STORED = "no secret is stored here: enter it again"
_MASK_NOT_ALLOWED = "a masked value is allowed only where the schema has a secret"


class EditedDocumentReader:
    """Reads documents of clients. All methods raise InstanceInvalid."""

    def __init__(self, masks: SecretMasker, secrets: SecretService) -> None:
        self._masks, self._secrets = masks, secrets

    def replace_masks_and_references_of_edit(
        self, space: str, name: str, document: Mapping[str, Any], old: StoredInstance | None
    ) -> Mapping[str, Any]:
        """Return the document to store, with references for secrets in other stores.

        A mask stands for the old document's secret at the same location. It is allowed only where the new schema has a
        secret; otherwise changing the schema would reveal it.
        """
        draft = {key: value for key, value in document.items() if key not in IGNORED}
        draft.setdefault("metadata", {})
        before = (old.document if old is not None else None) or {}
        full: Mapping[str, Any] = draft
        if masks := list(find_mask_paths(draft)):
            full, missing = replace_masks_by_old_secrets(
                draft, before, self._masks.mask_secrets_in_document(space, before) if before else before
            )
            secret = set(self._masks.find_secret_paths(space, full))
            self._refuse_references(name, full, missing, _NOT_STORED)
            self._refuse_references(name, full, [words for words in masks if words not in secret], _MASK_NOT_ALLOWED)
        self._require_own_or_allowed_references(space, name, full, before)
        return self._secrets.replace_secret_names_by_references(space, name, full)

    def replace_masks_and_references_of_import(
        self, space: str, document: Mapping[str, Any], old: Mapping[str, Any]
    ) -> tuple[dict[str, Any], tuple[Problem, ...]]:
        """Return the same for imported and earlier documents, with problems: masks without a secret are removed and reported.

        References in them are treated as masks, since they refer to other instances' or deleted secrets.
        """
        draft = {key: value for key, value in document.items() if key not in IGNORED and not key.startswith("$")}
        strange = [words for words, key in find_reference_paths(draft) if self._secrets.explain_refused_reference(key)]
        draft = copy_with_values_at_paths(draft, dict.fromkeys(strange, MASK))
        full, missing = replace_masks_by_old_secrets(draft, old, self._masks.mask_secrets_in_document(space, old))
        secret = set(self._masks.find_secret_paths(space, full))
        open_ = [words for words in find_mask_paths(draft) if words not in secret and words not in missing]
        removed = [*missing, *open_]
        problems = (
            *create_problem_for_each_path(missing, _NOT_STORED),
            *create_problem_for_each_path(open_, _MASK_NOT_ALLOWED),
        )
        return (copy_without_members(full, removed) if removed else full), problems

    def fill_secrets_or_raise(self, space: str, name: str, document: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the stored document with the values of its secrets. Raises InstanceInvalid if one is unavailable."""
        if problems := self._secrets.find_unavailable_secrets(space, document):
            raise InstanceInvalid(name, str(document.get("schema_name")), problems[0].message, problems)
        return self._secrets.fill_available_secrets(space, document)

    def _require_own_or_allowed_references(
        self, space: str, name: str, full: Mapping[str, Any], old: Mapping[str, Any]
    ) -> None:
        """Refuse references to other secrets; `{"$secret": "env:NAME"}` is accepted if the settings allow the name."""
        old_keys = set(self._secrets.find_secret_references(space, old).values())
        for words in self._masks.find_secret_paths(space, full):
            key = get_secret_reference(get_value_at_path(full, words))
            if key is not None and key not in old_keys and (why := self._secrets.explain_refused_reference(key)):
                self._refuse_references(name, full, [words], why)

    def _refuse_references(self, name: str, full: Mapping[str, Any], paths: list[ValuePath], reason: str) -> None:
        if paths:
            raise InstanceInvalid(
                name, str(full.get("schema_name")), reason, create_problem_for_each_path(paths, reason)
            )


def require_unchanged_name(name: str, document: Mapping[str, Any]) -> None:
    """Raise RenameNotSupported if the document has another name."""
    requested = document.get("name")
    if requested not in (None, name):
        raise RenameNotSupported(name, str(requested))


def require_metadata_and_schema_name(name: str, document: Mapping[str, Any]) -> None:
    """Raise InstanceInvalid unless `metadata` is an object and `schema_name` a string."""
    if not isinstance(schema := document.get("schema_name"), str):
        first = "'schema_name' is a required property" if schema is None else "'schema_name' is not of type 'string'"
        raise InstanceInvalid(name, "{unknown}", first, (Problem("/schema_name", first),))
    if not isinstance(document.get("metadata", {}), Mapping) or is_mask(document.get("metadata")):
        problem = Problem("/metadata", "must be an object")
        raise InstanceInvalid(name, str(document.get("schema_name")), "'metadata' is not of type 'object'", (problem,))
