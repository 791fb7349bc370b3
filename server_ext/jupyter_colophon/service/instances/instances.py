"""Read and change the instances of schemaspaces; every API uses this service."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from jupyter_colophon.core.access import Action, Authorizer, Principal
from jupyter_colophon.core.cursor import CursorCodec
from jupyter_colophon.core.documents.json_values import measure_json_bytes
from jupyter_colophon.core.documents.patch import apply_merge_patch
from jupyter_colophon.core.errors import (
    ConditionFailed,
    InstanceNotFound,
    InstanceUnreadable,
    InvalidQuery,
    NotFound,
    RemovalNotPermitted,
    StoreUnavailable,
)
from jupyter_colophon.core.identity.instance_names import generate_instance_name, require_instance_name
from jupyter_colophon.core.identity.names import make_instance_urn as instance_urn
from jupyter_colophon.core.instances.instance import Instance, StoredInstance
from jupyter_colophon.core.instances.instance_namespaces import NAMESPACED
from jupyter_colophon.core.instances.instance_query import (
    ExportSelection,
    InstanceOutcome,
    InstancePage,
    InstanceQuery,
    RemovalResult,
    ValueCounts,
)
from jupyter_colophon.core.integrity_issue import IntegrityIssue
from jupyter_colophon.core.model.proposal import ABSENT, WriteCondition
from jupyter_colophon.core.read_budget import PAGE_BYTES_MAX
from jupyter_colophon.service.access_control import create_access_control
from jupyter_colophon.service.instances import bundles
from jupyter_colophon.service.instances.access import InstanceAccess, get_namespace_of_instance
from jupyter_colophon.service.instances.bundles import InstanceTransfer
from jupyter_colophon.service.instances.deleted_secrets import RecentlyRemovedInstances
from jupyter_colophon.service.instances.edits import (
    EditedDocumentReader,
    require_metadata_and_schema_name,
    require_unchanged_name,
)
from jupyter_colophon.service.instances.issues import iterate_instance_issues
from jupyter_colophon.service.instances.object_api import InstanceObjects
from jupyter_colophon.service.instances.pages import FilteredInstances, count_values_of_entries
from jupyter_colophon.service.instances.presentation import InstancePresenter, ListEntry
from jupyter_colophon.service.instances.recovery import InstanceFileRecovery
from jupyter_colophon.service.instances.saving import InstanceSaver
from jupyter_colophon.service.instances.schemas import SchemaLookup
from jupyter_colophon.service.instances.secrets.service import SecretService
from jupyter_colophon.service.instances.stores.file_store import FileInstanceStore
from jupyter_colophon.service.instances.stores.instance_stores import InstanceStores
from jupyter_colophon.service.instances.stores.protocol import InstanceStore
from jupyter_colophon.service.instances.stores.records import PROBLEM, InstanceRecordsSource
from jupyter_colophon.service.read_audit import audit_reads_of_method

if TYPE_CHECKING:
    from jupyter_colophon.service.audit.recorder import AuditRecorder


def _get_audit(instances: "InstanceService") -> "AuditRecorder | None":
    return create_access_control(instances.authorizer).audit


def _build_instance_urn(instance: Instance) -> str:
    return str(instance_urn(instance.space, instance.name))


#: A list of instances; inside the class, `list` is a method.
InstanceList = list[Instance]
#: A document of an instance, including members that its class adds.
Document = Mapping[str, Any]
#: How often a patch is retried after concurrent changes.
_PATCH_TRIES = 10


@dataclass(frozen=True, slots=True)
class InstanceService:
    """The instances of all schemaspaces. All methods are thread-safe.

    A schemaspace is given by its name or id; all methods raise SchemaspaceNotFound for an unknown one. Reads require the
    action `read`, changes `admin`: code in a kernel may read, but not change. A document has `display_name`,
    `schema_name`, `metadata` and the members that the schema's class adds (at the top level, as in Elyra). Returned
    objects are shared and must not be changed.
    """

    schemas: SchemaLookup
    stores: InstanceStores
    secrets: SecretService
    presenter: InstancePresenter
    edits: EditedDocumentReader
    records: InstanceRecordsSource
    authorizer: Authorizer
    cursors: CursorCodec
    #: The author of changes by objects of classes.
    account: Principal
    removed: RecentlyRemovedInstances = field(default_factory=RecentlyRemovedInstances)
    #: Called when this is closed.
    on_close: Callable[[], None] = lambda: None

    @audit_reads_of_method("list", lambda instances: map(_build_instance_urn, instances), _get_audit)
    def list_visible_instances(
        self, space: str, principal: Principal | None = None, *, invalid: bool = False, of_schema: str | None = None
    ) -> InstanceList:
        """Return the visible instances by name, with masked secrets and without versions; invalid ones only if `invalid`."""
        instances = (entry.instance for entry in self._list_visible_entries(space, principal))
        return [
            instance
            for instance in instances
            if (invalid or not instance.reason) and of_schema in (None, "", instance.schema_name)
        ]

    @audit_reads_of_method("list", lambda page: map(_build_instance_urn, page.instances), _get_audit)
    def list_matching_page(self, space: str, query: InstanceQuery, principal: Principal) -> InstancePage:
        """Return a page of instances, valid or not, with versions. Raises InvalidQuery."""
        self._require_schemaspace_access(principal, "read", space)
        key = self._get_schemaspace_key(space)
        sifted = FilteredInstances(key, self._list_visible_entries(space, principal), query)
        page, cursor = sifted.get_sorted_page(self.cursors)
        stored = list(self.get_store(space).read_existing_instances([entry.instance.name for entry in page]))
        versions = self.get_store(space).record_and_read_versions(stored)
        instances = tuple(
            self.presenter.build_presented_instance(key, stored_instance, versions.get(stored_instance.name))
            for stored_instance in stored
        )
        return InstancePage(instances, len(sifted.matches), sifted.tags, sifted.schemas, cursor)

    @audit_reads_of_method("list", lambda page: map(_build_instance_urn, page[0]), _get_audit)
    def list_next_instances(
        self, space: str, limit: int, cursor: str, principal: Principal, *, invalid: bool = False, of_schema: str = ""
    ) -> tuple[Sequence[Instance], str | None]:
        """Return the next instances by name, and the next cursor; only the names of the others are read.

        Without versions. Raises InvalidQuery.
        """
        self._require_schemaspace_access(principal, "read", space)
        key, store = self._get_schemaspace_key(space), self.get_store(space)
        request_key = [key, invalid, of_schema]
        after = ""
        if cursor:
            *same, after = self.cursors.decode_cursor("slice", cursor)
            if same != request_key:
                raise InvalidQuery("does not belong to this list: repeat the request without a cursor", "cursor")
        instances: list[Instance] = []
        size = 0
        for stored in store.read_existing_instances(name for name in store.list_instance_names() if name > after):
            instance = self.presenter.build_presented_instance(key, stored)
            seen = self._access.may_see_instance(principal, key, stored.name, instance.metadata)
            if seen and (invalid or not instance.reason) and of_schema in ("", instance.schema_name):
                if len(instances) == limit or size > PAGE_BYTES_MAX:
                    return instances, self.cursors.encode_cursor("slice", [*request_key, instances[-1].name])
                instances.append(instance)
                size += measure_json_bytes((instance.metadata, instance.extra))
        return instances, None

    def count_values_at_pointer(self, space: str, schema: str, pointer: str, principal: Principal) -> ValueCounts:
        """Return the values at a location of `metadata`, the most frequent first; elements of a list are counted separately.

        An empty `schema` means all. Secrets are not included. Raises InvalidQuery for an invalid pointer.
        """
        self._require_schemaspace_access(principal, "read", space)
        return count_values_of_entries(self._list_visible_entries(space, principal), schema, pointer)

    @audit_reads_of_method("read", lambda instance: [_build_instance_urn(instance)], _get_audit)
    def get_valid_instance(self, space: str, name: str, principal: Principal) -> Instance:
        """Return one instance. Raises InstanceNotFound, InstanceUnreadable, InstanceInvalid, SchemaNotFound, HookFailed."""
        self._require_schemaspace_access(principal, "read", space)
        stored, instance = self._read_and_migrate_on_load(space, name)
        self._access.require_instance_access(principal, "read", self._get_schemaspace_key(space), name, stored.document)
        self.presenter.raise_if_invalid(self._get_schemaspace_key(space), stored, instance)
        return instance

    @audit_reads_of_method("read", lambda instance: [_build_instance_urn(instance)], _get_audit)
    def get_valid_or_invalid_instance(self, space: str, name: str, principal: Principal) -> Instance:
        """Return one instance, valid or not. Raises InstanceNotFound."""
        self._require_schemaspace_access(principal, "read", space)
        stored, instance = self._read_and_migrate_on_load(space, name)
        self._access.require_instance_access(principal, "read", self._get_schemaspace_key(space), name, stored.document)
        return instance

    def create_instance(
        self, space: str, name: str | None, document: Mapping[str, Any], principal: Principal
    ) -> Instance:
        """Create an instance; the default name is derived from `display_name`.

        Raises InvalidName, SchemaNotFound, InstanceInvalid, InstanceExists, HookFailed.
        """
        self._require_schemaspace_access(principal, "admin", space)
        name = require_instance_name(name or generate_instance_name(_get_text_or_empty(document.get("display_name"))))
        return self._fill_secrets_and_save(space, name, document, None, WriteCondition(version=ABSENT), principal)

    def replace_instance(
        self, space: str, name: str, document: Mapping[str, Any], condition: WriteCondition, principal: Principal
    ) -> Instance:
        """Replace an existing instance, valid or not. A mask keeps the secret.

        Raises InstanceNotFound, RenameNotSupported, ConditionFailed, and what `create` raises.
        """
        self._require_schemaspace_access(principal, "admin", space)
        stored = self._read_with_access_and_condition(space, name, condition, principal)
        require_unchanged_name(name, document)
        return self._fill_secrets_and_save(space, name, document, stored, condition, principal)

    def merge_patch_instance(
        self, space: str, name: str, changes: Mapping[str, Any], condition: WriteCondition, principal: Principal
    ) -> Instance:
        """Apply a merge patch (RFC 7396) to `display_name`, `schema_name`, `metadata` and extra members.

        Raises the errors of `change`.
        """
        require_unchanged_name(name, changes)
        return self.edit_instance_under_lock(
            space, name, partial(apply_merge_patch, patch=changes), condition, principal
        )

    def edit_instance_under_lock(
        self,
        space: str,
        name: str,
        edit: Callable[[Document], Document],
        condition: WriteCondition,
        principal: Principal,
    ) -> Instance:
        """Replace an instance by the result of `edit` on its document with masked secrets.

        Edits of one instance are serialised, also across processes. Raises
        InstanceUnreadable, and the errors of `edit` and of `update`.
        """
        self._require_schemaspace_access(principal, "admin", space)
        store = self.get_store(space)
        with store.files.lock_instance_for_merge(name) if isinstance(store, FileInstanceStore) else nullcontext():
            for _ in range(_PATCH_TRIES):
                stored, version = self._read_with_version(space, name)
                self._access.require_instance_access(
                    principal, "edit", self._get_schemaspace_key(space), name, stored.document
                )
                if stored.document is None:
                    raise InstanceUnreadable(space, name, stored.problem)
                _require_condition_before_hooks(name, condition, stored, version)
                document = edit(self.presenter.mask_document(self._get_schemaspace_key(space), stored.document))
                require_unchanged_name(name, document)
                try:
                    # Without a condition, the edit must still apply to the version that it has read.
                    seen = (
                        condition
                        if condition != WriteCondition() or version is None
                        else WriteCondition(version=version)
                    )
                    return self._fill_secrets_and_save(space, name, document, stored, seen, principal)
                except ConditionFailed:
                    if condition != WriteCondition():
                        raise
        raise StoreUnavailable(f"instance {name} was changed concurrently too often: try again")

    def remove_instance(self, space: str, name: str, condition: WriteCondition, principal: Principal) -> RemovalResult:
        """Remove an instance, valid or not. Raises InstanceNotFound, RemovalNotPermitted, ConditionFailed, HookFailed."""
        self._require_schemaspace_access(principal, "admin", space)
        key = self._get_schemaspace_key(space)
        stored, version = self._read_with_version_if_required(space, name, condition)
        self._access.require_instance_access(principal, "delete", key, name, stored.document)
        if not stored.is_removable:
            raise RemovalNotPermitted(space, name)
        _require_condition_before_hooks(name, condition, stored, version)
        saving = self._create_instance_saver(self.get_store(space))
        full = self.secrets.fill_deletable_secrets(key, stored.document) if stored.document is not None else None
        result = saving.run_hooks_and_remove(stored, condition, principal)
        if full is not None:
            self.removed.store_removed_document(key, name, full)
        saving.delete_secrets_of_removed(result)
        return RemovalResult(name, result.removed_version, result.stored is not None)

    def restore_version(
        self, space: str, name: str, version: int, condition: WriteCondition, principal: Principal
    ) -> Instance:
        """Restore an earlier version, also of a removed instance. Raises NotFound, and the errors of `update`.

        Secrets are the current ones, or those that this process removed within the last hour. Others must be entered
        again: `problems` names each, even if the instance is valid without it.
        """
        self._require_schemaspace_access(principal, "admin", space)
        key = self._get_schemaspace_key(space)
        records = self.records.get_records_or_none()
        if records is None:
            raise StoreUnavailable("earlier versions are in the catalog, which is unavailable")
        earlier = records.read_value_of_version(key, name, version)
        if PROBLEM in earlier:
            raise NotFound(f"readable version of instance {name}", str(version))
        stored, present = self.get_store(space).read_and_record_current(name)
        self._access.require_instance_access(
            principal, "edit", key, name, earlier, stored.document if stored is not None else None
        )
        if stored is not None:
            _require_condition_before_hooks(name, condition, stored, present)
        old = (stored.document if stored is not None else None) or self.removed.find_recently_removed(key, name) or {}
        document, missing_secrets = self.edits.replace_masks_and_references_of_import(key, earlier, old)
        effective_condition = condition if stored is not None else WriteCondition(version=ABSENT)
        done = self._save_result_of_edit(space, name, document, stored, effective_condition, principal)
        return replace(done, problems=(*missing_secrets, *done.problems))

    def export_instances(
        self, space: str, selection: ExportSelection, principal: Principal
    ) -> Sequence[dict[str, Any]]:
        """Return instances in Elyra's format, with their names. Raises InstanceNotFound; AccessDenied for secrets."""
        secrets = selection.include_secrets
        self._require_schemaspace_access(principal, "admin" if secrets else "read", space, to_all=secrets)
        key, documents = (
            self._get_schemaspace_key(space),
            self._create_instance_transfer(space).export_instances(selection),
        )
        visible = [
            document
            for document in documents
            if self._access.may_see_instance(principal, key, str(document["name"]), document.get("metadata"))
        ]
        if (audit := _get_audit(self)) is not None:
            audit.record_reads(principal, "list", (str(instance_urn(key, document["name"])) for document in visible))
        return visible

    def import_instances(
        self,
        space: str,
        documents: Sequence[Mapping[str, Any]],
        principal: Principal,
        *,
        overwrite: bool = False,
        dry_run: bool = False,
    ) -> Sequence[InstanceOutcome]:
        """Import instances independently; return the outcome of each."""
        self._require_schemaspace_access(principal, "admin", space)
        permit = partial(self._access.require_instance_access, principal, "edit", self._get_schemaspace_key(space))
        return self._create_instance_transfer(space).import_instances(
            documents, principal, permit, overwrite=overwrite, dry_run=dry_run
        )

    def remove_instances_of_namespace(self, name: str, principal: Principal) -> None:
        """Remove the instances of a namespace before its deletion. Raises the errors of `remove`."""
        for key in NAMESPACED:
            for instance in self.list_visible_instances(key, invalid=True):
                if get_namespace_of_instance(key, instance.metadata) == name and instance.is_removable:
                    self.remove_instance(key, instance.name, WriteCondition(), principal)

    def move_to_other_store(
        self, space: str, from_: str, to: str, principal: Principal, *, dry_run: bool = False
    ) -> Sequence[InstanceOutcome]:
        """Move all instances of a schemaspace to another kind of store (`file`, `catalog`, or an entry point's name).

        Instances move unchanged, with their secrets and without hooks; nothing is overwritten. In a dry run, equal ones
        are `unchanged`. An original is removed after its copy was read back. Raises InvalidQuery.
        """
        self._require_schemaspace_access(principal, "admin", space, to_all=True)
        key = self._get_schemaspace_key(space)
        if from_ == to:
            raise InvalidQuery(f"source and target are the same kind of store: {from_!r}", "to")
        source, target = self.stores.get_or_create_store(key, from_), self.stores.get_or_create_store(key, to)
        return bundles.move_instances_between_stores(source, target, self.secrets, principal, dry_run=dry_run)

    def create_object_api(self, space: str, store: InstanceStore | None = None) -> InstanceObjects:
        """Return the instances as objects of their schemas' classes, with secrets, of this store or of the configured one."""
        store = store or self.get_store(space)
        return InstanceObjects(store, self._create_instance_saver(store), self.presenter, self.account)

    def get_store(self, space: str) -> InstanceStore:
        """Return the store of a schemaspace."""
        return self.stores.get_or_create_store(self._get_schemaspace_key(space))

    def create_file_recovery(self, space: str, principal: Principal, action: Action) -> InstanceFileRecovery:
        """Return the files that interrupted saves left in a schemaspace, to list (`read`) or change (`admin`) them."""
        self._require_schemaspace_access(principal, action, space, to_all=True)
        return InstanceFileRecovery.from_store(
            self.stores.get_or_create_store(self._get_schemaspace_key(space), "file"), principal
        )

    def find_instance_issues(self) -> Sequence[IntegrityIssue]:
        """Return unreadable and invalid instances and files of interrupted saves, without content."""
        return [*iterate_instance_issues(self.schemas, self.stores, self.presenter)]

    def stop_watching_and_close_stores(self) -> None:
        """Stop watching files, and close all stores."""
        self.on_close()
        self.stores.close_all_stores()

    def _fill_secrets_and_save(
        self,
        space: str,
        name: str,
        document: Mapping[str, Any],
        stored: StoredInstance | None,
        condition: WriteCondition,
        principal: Principal,
    ) -> Instance:
        require_metadata_and_schema_name(name, document)
        self._access.require_instance_access(principal, "edit", self._get_schemaspace_key(space), name, document)
        self._require_known_schema(space, document)
        draft = self.edits.replace_masks_and_references_of_edit(
            self._get_schemaspace_key(space), name, document, stored
        )
        return self._save_result_of_edit(space, name, draft, stored, condition, principal)

    def _save_result_of_edit(
        self,
        space: str,
        name: str,
        result: Mapping[str, Any],
        stored: StoredInstance | None,
        condition: WriteCondition,
        principal: Principal,
    ) -> Instance:
        key = self._get_schemaspace_key(space)
        self._require_known_schema(space, result)
        instance = self.presenter.create_object_of_schema_class(
            key, name, self.edits.fill_secrets_or_raise(key, name, result)
        )
        saving = self._create_instance_saver(self.get_store(space))
        # The instance must still exist, so that a concurrent removal is not undone.
        effective_condition = condition if stored is None else replace(condition, exists=True)
        done = saving.run_hooks_and_save(
            name, instance, effective_condition, principal, old=result, for_update=stored is not None
        )
        if done.stored is not None and done.version is not None and not self.presenter.has_class(key, done.stored):
            return self.presenter.build_presented_instance(key, done.stored, done.version)
        return self.get_valid_or_invalid_instance(
            space, name, replace(self.account, user=principal.user, groups=principal.groups)
        )

    def _require_known_schema(self, space: str, document: Mapping[str, Any]) -> None:
        """Raise SchemaNotFound if the schema is unknown; a missing schema name is left to validation."""
        if isinstance(name := document.get("schema_name"), str):
            self.schemas.get_schema(self._get_schemaspace_key(space), name)

    def _read_with_access_and_condition(
        self, space: str, name: str, condition: WriteCondition, principal: Principal
    ) -> StoredInstance:
        """Return the stored instance after checking access and condition."""
        stored, version = self._read_with_version_if_required(space, name, condition)
        self._access.require_instance_access(principal, "edit", self._get_schemaspace_key(space), name, stored.document)
        _require_condition_before_hooks(name, condition, stored, version)
        return stored

    def _read_with_version_if_required(
        self, space: str, name: str, condition: WriteCondition
    ) -> tuple[StoredInstance, int | None]:
        """Return the stored instance, with its version if there is a condition: otherwise the catalog is not read."""
        if condition != WriteCondition():
            return self._read_with_version(space, name)
        stored = self.get_store(space).find_instance(name)
        if stored is None:
            raise InstanceNotFound(self._get_schemaspace_key(space), name)
        return stored, None

    def _read_with_version(self, space: str, name: str) -> tuple[StoredInstance, int | None]:
        stored, version = self.get_store(space).read_and_record_current(name)
        if stored is None:
            raise InstanceNotFound(self._get_schemaspace_key(space), name)
        return stored, version

    def _read_and_migrate_on_load(self, space: str, name: str) -> tuple[StoredInstance, Instance]:
        """Return an instance; if its class migrates it on load, the migrated one."""
        stored, version = self._read_with_version(space, name)
        instance = self.presenter.build_presented_instance(self._get_schemaspace_key(space), stored, version)
        if self.presenter.has_class(self._get_schemaspace_key(space), stored):
            now, version = self._read_with_version(space, name)
            if now.content_hash != stored.content_hash:
                stored, instance = (
                    now,
                    self.presenter.build_presented_instance(self._get_schemaspace_key(space), now, version),
                )
        return stored, instance

    def _list_all_entries(self, space: str) -> Sequence[ListEntry]:
        key, store = self._get_schemaspace_key(space), self.get_store(space)
        return [*self.presenter.iterate_entries(key, store.read_existing_instances(store.list_instance_names()))]

    def _list_visible_entries(self, space: str, principal: Principal | None) -> Sequence[ListEntry]:
        key = self._get_schemaspace_key(space)
        return [
            entry
            for entry in self._list_all_entries(space)
            if self._access.may_see_instance(principal, key, entry.instance.name, entry.instance.metadata)
        ]

    def _create_instance_saver(self, store: InstanceStore) -> InstanceSaver:
        return InstanceSaver(store, self.schemas, self.secrets, self.presenter, self.records.may_have_namespace)

    def _create_instance_transfer(self, space: str) -> InstanceTransfer:
        store = self.get_store(space)
        return InstanceTransfer(store, self._create_instance_saver(store), self.presenter, self.edits, self.secrets)

    def _get_schemaspace_key(self, space: str) -> str:
        return self.schemas.get_space(space).key

    def _require_schemaspace_access(
        self, principal: Principal, action: Action, space: str, *, to_all: bool = False
    ) -> None:
        self._access.require_schemaspace_access(principal, action, self._get_schemaspace_key(space), to_all=to_all)

    @property
    def _access(self) -> InstanceAccess:
        return InstanceAccess(self.authorizer)


def _require_condition_before_hooks(
    name: str, condition: WriteCondition, stored: StoredInstance, version: int | None
) -> None:
    """Check the condition before any hook runs, as far as the version is known; the store checks it again."""
    if version is not None or condition.version is None:
        condition.require_met(f"instance {name}", version if version is not None else 0, stored.time)


def _get_text_or_empty(value: Any) -> str:
    return value if isinstance(value, str) else ""
