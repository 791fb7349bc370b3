"""Export and import instances of a schemaspace, and move them between kinds of store."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_values import equals_json
from jupyter_colophon.core.errors import (
    InstanceExists,
    InstanceInvalid,
    InstanceNotFound,
    InvalidInstance,
    InvalidName,
    MetadataError,
    SchemaNotFound,
)
from jupyter_colophon.core.identity.instance_names import generate_instance_name, require_instance_name
from jupyter_colophon.core.instances.instance import StoredInstance
from jupyter_colophon.core.instances.instance_query import ExportSelection, InstanceOutcome
from jupyter_colophon.core.model.proposal import ABSENT, WriteCondition
from jupyter_colophon.service.instances.edits import IGNORED, EditedDocumentReader
from jupyter_colophon.service.instances.import_conflicts import Both, create_import_conflict_error
from jupyter_colophon.service.instances.presentation import InstancePresenter
from jupyter_colophon.service.instances.saving import InstanceSaver
from jupyter_colophon.service.instances.secrets.service import SecretService
from jupyter_colophon.service.instances.stores.catalog_store import CatalogInstanceStore
from jupyter_colophon.service.instances.stores.file_store import FileInstanceStore
from jupyter_colophon.service.instances.stores.protocol import InstanceStore

#: Raises a MetadataError unless an instance may be changed from the old to the new document.
Permit = Callable[[str, Mapping[str, Any], Mapping[str, Any] | None], None]
_INVALID = (InvalidInstance, SchemaNotFound, InvalidName)


class InstanceTransfer:
    """Export, import and move for one store."""

    def __init__(
        self,
        store: InstanceStore,
        saver: InstanceSaver,
        presenter: InstancePresenter,
        edits: EditedDocumentReader,
        secrets: SecretService,
    ) -> None:
        self._store, self._saver, self._presenter = store, saver, presenter
        self._edits, self._secrets = edits, secrets

    def export_instances(self, selection: ExportSelection) -> list[dict[str, Any]]:
        """Return instances in Elyra's format, with their names. Raises InstanceNotFound for an unknown requested name."""
        space = self._store.space
        by_name = {
            stored.name: stored
            for stored in self._store.read_existing_instances(selection.names or self._store.list_instance_names())
        }
        if missing := next((name for name in selection.names if name not in by_name), None):
            raise InstanceNotFound(space, missing)
        return [
            self._create_exported_document(stored, selection)
            for stored in by_name.values()
            if self._is_selected(stored, selection)
        ]

    def import_instances(
        self,
        documents: Sequence[Mapping[str, Any]],
        principal: Principal,
        permit: Permit,
        *,
        overwrite: bool,
        dry_run: bool,
    ) -> list[InstanceOutcome]:
        """Import instances independently; a dry run returns the expected outcomes, without running hooks."""
        return [
            self._import_instance(document, principal, permit, overwrite=overwrite, dry_run=dry_run)
            for document in documents
        ]

    def _is_selected(self, stored: StoredInstance, selection: ExportSelection) -> bool:
        if stored.document is None or selection.schema not in ("", stored.document.get("schema_name")):
            return False
        return (
            selection.include_invalid or not self._presenter.build_presented_instance(self._store.space, stored).reason
        )

    def _create_exported_document(self, stored: StoredInstance, selection: ExportSelection) -> dict[str, Any]:
        document = stored.document or {}
        if selection.include_secrets:
            return {"name": stored.name, **self._secrets.fill_available_secrets(self._store.space, document)}
        return {"name": stored.name, **self._presenter.mask_document(self._store.space, document)}

    def _import_instance(
        self, document: Mapping[str, Any], principal: Principal, permit: Permit, *, overwrite: bool, dry_run: bool
    ) -> InstanceOutcome:
        name = str(document.get("name") or "")
        try:
            name = require_instance_name(name or generate_instance_name(str(document.get("display_name") or "")))
            stored = self._store.find_instance(name)
            permit(name, document, stored.document if stored is not None else None)
            return self._import_and_merge_secrets(name, document, principal, overwrite=overwrite, dry_run=dry_run)
        except InstanceExists as error:
            return InstanceOutcome(name, "conflict", error.detail, error.problems)
        except _INVALID as error:
            return InstanceOutcome(name, "invalid", error.detail, error.problems)
        except MetadataError as error:
            return InstanceOutcome(name, "failed", error.detail, error.problems)

    def _import_and_merge_secrets(
        self, name: str, document: Mapping[str, Any], principal: Principal, *, overwrite: bool, dry_run: bool
    ) -> InstanceOutcome:
        space, stored = self._store.space, self._store.find_instance(name)
        old = stored.document if stored is not None and stored.document is not None else {}
        draft, missing = self._edits.replace_masks_and_references_of_import(space, document, old)
        stored_document = self._secrets.replace_secret_names_by_references(space, name, draft)
        if stored is not None and not missing and equals_json(stored_document, _drop_ignored_members(old)):
            return InstanceOutcome(name, "unchanged")
        if stored is not None and not overwrite:
            existing = self._get_stored_and_masked(stored.document) if stored.document is not None else None
            raise create_import_conflict_error(space, name, existing, self._get_stored_and_masked(stored_document))
        if missing:
            # Do not drop a password silently: that would be noticed only when it is needed.
            where = ", ".join(problem.pointer for problem in missing)
            raise InstanceInvalid(name, str(draft.get("schema_name")), f"{where}: {missing[0].message}", missing)
        instance = self._presenter.create_object_of_schema_class(
            space, name, self._edits.fill_secrets_or_raise(space, name, stored_document)
        )
        done = InstanceOutcome(name, "created" if stored is None else "updated")
        if dry_run:
            self._saver.apply_defaults_and_validate(name, instance)
            return done
        condition = WriteCondition(version=ABSENT) if stored is None else WriteCondition()
        self._saver.run_hooks_and_save(
            name, instance, condition, principal, old=stored_document, for_update=stored is not None
        )
        return done

    def _get_stored_and_masked(self, document: Mapping[str, Any]) -> Both:
        """Return the document as stored, and as shown with masked secrets."""
        own = _drop_ignored_members(document)
        return own, self._presenter.mask_document(self._store.space, own)


def move_instances_between_stores(
    source: InstanceStore, target: InstanceStore, secrets: SecretService, principal: Principal, *, dry_run: bool
) -> list[InstanceOutcome]:
    """Move each own instance to another store: copy it, read it back, and then remove it here; without hooks."""
    return [
        _move_instance_between_stores(stored, source, target, secrets, principal, dry_run=dry_run)
        for stored in source.read_existing_instances(source.list_instance_names())
    ]


def _move_instance_between_stores(
    stored: StoredInstance,
    source: InstanceStore,
    target: InstanceStore,
    secrets: SecretService,
    principal: Principal,
    *,
    dry_run: bool,
) -> InstanceOutcome:
    name = stored.name
    if not stored.is_removable:
        return InstanceOutcome(name, "unchanged", "not moved, because it is in a shared or factory folder")
    if stored.document is None:
        return InstanceOutcome(name, "failed", stored.problem)
    try:
        existing, version = target.find_instance(name), source.record_and_read_versions([stored]).get(name)
        full = secrets.fill_available_secrets(source.space, stored.document)
        if existing is not None and not _is_same_document_with_secrets(existing, full, secrets, source.space):
            return InstanceOutcome(
                name, "conflict", "the target store has a different instance of this name: rename or remove one of them"
            )
        if dry_run:
            return InstanceOutcome(name, "created" if existing is None else "unchanged")
        if existing is None:
            existing = _copy_with_secrets_and_read_back(stored, target, secrets, principal)
        if existing is None or not _is_same_document_with_secrets(existing, full, secrets, source.space):
            return InstanceOutcome(
                name, "failed", "the copy in the target store differs from the original, which was kept"
            )
        _remove_original_and_adopt_record(name, version, source, target, principal)
        still_used = set(secrets.find_secret_references(target.space, existing.document).values())
        secrets.delete_secrets(
            key
            for key in secrets.find_secret_references(source.space, stored.document).values()
            if key not in still_used
        )
    except MetadataError as error:
        return InstanceOutcome(name, "failed", error.detail, error.problems)
    return InstanceOutcome(name, "created")


def _remove_original_and_adopt_record(
    name: str, version: int | None, source: InstanceStore, target: InstanceStore, principal: Principal
) -> None:
    """Remove the original, after the copy was verified."""
    if isinstance(source, CatalogInstanceStore) and isinstance(target, FileInstanceStore):
        # Both have the same record, whose metadata a removal would delete: the file adopts it.
        target.adopt_catalog_record_of_file(name, version, principal)
    else:
        source.remove_instance(name, WriteCondition(), principal)


def _copy_with_secrets_and_read_back(
    stored: StoredInstance, target: InstanceStore, secrets: SecretService, principal: Principal
) -> StoredInstance | None:
    """Copy an instance; its secrets move to the target's secret store, references to other stores stay."""
    full = secrets.fill_available_secrets(target.space, stored.document or {})
    document, new_references = secrets.replace_secrets_by_references(target, stored.name, full, stored.document)
    try:
        target.save_instance(stored.name, document, WriteCondition(version=ABSENT), principal)
    except BaseException:
        secrets.delete_secrets(new_references)
        raise
    return target.find_instance(stored.name)


def _is_same_document_with_secrets(
    existing: StoredInstance, full: Mapping[str, Any], secrets: SecretService, space: str
) -> bool:
    return existing.document is not None and equals_json(secrets.fill_available_secrets(space, existing.document), full)


def _drop_ignored_members(document: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key not in IGNORED}
