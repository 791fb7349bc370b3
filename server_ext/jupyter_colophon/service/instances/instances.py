"""Read and change the instances of schemaspaces; every API uses this service."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from jupyter_colophon.core.access import Action, Authorizer, Principal
from jupyter_colophon.core.cursor import Cursors
from jupyter_colophon.core.documents.json_values import measure
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
from jupyter_colophon.core.identity.instance_names import normalize_name, require_instance_name
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
from jupyter_colophon.core.model.proposal import ABSENT, Condition
from jupyter_colophon.core.read_budget import PAGE_BYTES_MAX
from jupyter_colophon.service.instances import bundles
from jupyter_colophon.service.instances.access import InstanceAccess, get_namespace
from jupyter_colophon.service.instances.bundles import InstanceTransfer
from jupyter_colophon.service.instances.deleted_secrets import RemovedInstances
from jupyter_colophon.service.instances.edits import EditReader, require_members, require_name
from jupyter_colophon.service.instances.issues import find_issues
from jupyter_colophon.service.instances.object_api import InstanceObjects
from jupyter_colophon.service.instances.pages import FilteredInstances, count_values
from jupyter_colophon.service.instances.presentation import InstancePresenter, ListEntry
from jupyter_colophon.service.instances.recovery import Recovery
from jupyter_colophon.service.instances.saving import InstanceSaver
from jupyter_colophon.service.instances.schemas import SchemaLookup
from jupyter_colophon.service.instances.secrets.service import Secrets
from jupyter_colophon.service.instances.stores.file_store import FileInstanceStore
from jupyter_colophon.service.instances.stores.instance_stores import InstanceStores
from jupyter_colophon.service.instances.stores.protocol import InstanceStore
from jupyter_colophon.service.instances.stores.records import PROBLEM, RecordsSource
from jupyter_colophon.service.read_audit import audit_reads
from jupyter_colophon.storage.changes.read_audit import ProgramReadAudit


def _get_audit(instances: "Instances") -> ProgramReadAudit | None:
    return instances.audit


def _build_urn(instance: Instance) -> str:
    return str(instance_urn(instance.space, instance.name))


#: A list of instances; inside the class, `list` is a method.
InstanceList = list[Instance]
#: A document of an instance, including members that its class adds.
Document = Mapping[str, Any]
#: How often a patch is retried after concurrent changes.
_PATCH_TRIES = 10


@dataclass(frozen=True, slots=True)
class Instances:
    """The instances of all schemaspaces. All methods are thread-safe.

    A schemaspace is given by its name or id; all methods raise SchemaspaceNotFound for an unknown one. Reads require the
    action `read`, changes `admin`: code in a kernel may read, but not change. A document has `display_name`,
    `schema_name`, `metadata` and the members that the schema's class adds (at the top level, as in Elyra). Returned
    objects are shared and must not be changed.
    """

    schemas: SchemaLookup
    stores: InstanceStores
    secrets: Secrets
    presenter: InstancePresenter
    edits: EditReader
    records: RecordsSource
    authorizer: Authorizer
    cursors: Cursors
    #: The author of changes by objects of classes.
    account: Principal
    #: Records reads of programs; None if reads are not audited.
    audit: ProgramReadAudit | None = None
    removed: RemovedInstances = field(default_factory=RemovedInstances)
    #: Called when this is closed.
    on_close: Callable[[], None] = lambda: None

    def exists(self, space: str) -> bool:
        """Return whether anything was ever stored for this schemaspace."""
        return self.get_store(space).exists()

    @audit_reads("list", lambda instances: map(_build_urn, instances), _get_audit)
    def list(
        self, space: str, principal: Principal | None = None, *, invalid: bool = False, of_schema: str | None = None
    ) -> InstanceList:
        """Return the visible instances by name, with masked secrets and without versions; invalid ones only if `invalid`."""
        instances = (entry.instance for entry in self._list_visible(space, principal))
        return [
            instance
            for instance in instances
            if (invalid or not instance.reason) and of_schema in (None, "", instance.schema_name)
        ]

    @audit_reads("list", lambda page: map(_build_urn, page.instances), _get_audit)
    def list_page(self, space: str, query: InstanceQuery, principal: Principal) -> InstancePage:
        """Return a page of instances, valid or not, with versions. Raises InvalidQuery."""
        self._require(principal, "read", space)
        key = self._get_key(space)
        sifted = FilteredInstances(key, self._list_visible(space, principal), query)
        page, cursor = sifted.get_page(self.cursors)
        stored = list(self.get_store(space).read_many([entry.instance.name for entry in page]))
        versions = self.get_store(space).read_versions(stored)
        instances = tuple(
            self.presenter.present(key, stored_instance, versions.get(stored_instance.name))
            for stored_instance in stored
        )
        return InstancePage(instances, len(sifted.matches), sifted.tags, sifted.schemas, cursor)

    @audit_reads("list", lambda page: map(_build_urn, page[0]), _get_audit)
    def list_slice(
        self, space: str, limit: int, cursor: str, principal: Principal, *, invalid: bool = False, of_schema: str = ""
    ) -> tuple[Sequence[Instance], str | None]:
        """Return the next instances by name, and the next cursor; only the names of the others are read.

        Without versions. Raises InvalidQuery.
        """
        self._require(principal, "read", space)
        key, store = self._get_key(space), self.get_store(space)
        request_key = [key, invalid, of_schema]
        after = ""
        if cursor:
            *same, after = self.cursors.read("slice", cursor)
            if same != request_key:
                raise InvalidQuery("is not a cursor of this list", "cursor")
        instances: list[Instance] = []
        size = 0
        for stored in store.read_many(name for name in store.list_names() if name > after):
            instance = self.presenter.present(key, stored)
            seen = self._access.may_see(principal, key, instance.metadata)
            if seen and (invalid or not instance.reason) and of_schema in ("", instance.schema_name):
                if len(instances) == limit or size > PAGE_BYTES_MAX:
                    return instances, self.cursors.write("slice", [*request_key, instances[-1].name])
                instances.append(instance)
                size += measure((instance.metadata, instance.extra))
        return instances, None

    @audit_reads("values", audit=_get_audit)
    def count_values(self, space: str, schema: str, pointer: str, principal: Principal) -> ValueCounts:
        """Return the values at a location of `metadata`, the most frequent first; elements of a list are counted separately.

        An empty `schema` means all. Secrets are not included. Raises InvalidQuery for an invalid pointer.
        """
        self._require(principal, "read", space)
        return count_values(self._list_visible(space, principal), schema, pointer)

    @audit_reads("read", lambda instance: [_build_urn(instance)], _get_audit)
    def get(self, space: str, name: str, principal: Principal) -> Instance:
        """Return one instance. Raises InstanceNotFound, InstanceUnreadable, InstanceInvalid, SchemaNotFound, HookFailed."""
        self._require(principal, "read", space)
        stored, instance = self._read_presented(space, name)
        self._access.require_one(principal, "read", self._get_key(space), name, stored.document)
        self.presenter.require_valid(self._get_key(space), stored, instance)
        return instance

    @audit_reads("read", lambda instance: [_build_urn(instance)], _get_audit)
    def get_any(self, space: str, name: str, principal: Principal) -> Instance:
        """Return one instance, valid or not. Raises InstanceNotFound."""
        self._require(principal, "read", space)
        stored, instance = self._read_presented(space, name)
        self._access.require_one(principal, "read", self._get_key(space), name, stored.document)
        return instance

    def create(self, space: str, name: str | None, document: Mapping[str, Any], principal: Principal) -> Instance:
        """Create an instance; the default name is derived from `display_name`.

        Raises InvalidName, SchemaNotFound, InstanceInvalid, InstanceExists, HookFailed.
        """
        self._require(principal, "admin", space)
        name = require_instance_name(name or normalize_name(_get_text(document.get("display_name"))))
        return self._save(space, name, document, None, Condition(version=ABSENT), principal)

    def update(
        self, space: str, name: str, document: Mapping[str, Any], condition: Condition, principal: Principal
    ) -> Instance:
        """Replace an existing instance, valid or not. A mask keeps the secret.

        Raises InstanceNotFound, RenameNotSupported, ConditionFailed, and what `create` raises.
        """
        self._require(principal, "admin", space)
        stored = self._read_checked(space, name, condition, principal)
        require_name(name, document)
        return self._save(space, name, document, stored, condition, principal)

    def patch(
        self, space: str, name: str, changes: Mapping[str, Any], condition: Condition, principal: Principal
    ) -> Instance:
        """Apply a merge patch (RFC 7396) to `display_name`, `schema_name`, `metadata` and extra members.

        Raises the errors of `change`.
        """
        require_name(name, changes)
        return self.change(space, name, partial(apply_merge_patch, patch=changes), condition, principal)

    def change(
        self, space: str, name: str, edit: Callable[[Document], Document], condition: Condition, principal: Principal
    ) -> Instance:
        """Replace an instance by the result of `edit` on its document with masked secrets.

        Edits of one instance are serialised, also across processes. Raises
        InstanceUnreadable, and the errors of `edit` and of `update`.
        """
        self._require(principal, "admin", space)
        store = self.get_store(space)
        with store.files.lock_merge(name) if isinstance(store, FileInstanceStore) else nullcontext():
            for _ in range(_PATCH_TRIES):
                stored, version = self._read_current(space, name)
                self._access.require_one(principal, "admin", self._get_key(space), name, stored.document)
                if stored.document is None:
                    raise InstanceUnreadable(space, name, stored.problem)
                _check(name, condition, stored, version)
                document = edit(self.presenter.mask(self._get_key(space), stored.document))
                require_name(name, document)
                try:
                    # Without a condition, the edit must still apply to the version that it has read.
                    seen = condition if condition != Condition() or version is None else Condition(version=version)
                    return self._save(space, name, document, stored, seen, principal)
                except ConditionFailed:
                    if condition != Condition():
                        raise
        raise StoreUnavailable(f"instance {name} was changed concurrently too often: try again")

    def remove(self, space: str, name: str, condition: Condition, principal: Principal) -> RemovalResult:
        """Remove an instance, valid or not. Raises InstanceNotFound, RemovalNotPermitted, ConditionFailed, HookFailed."""
        self._require(principal, "admin", space)
        key = self._get_key(space)
        stored, version = self._read_current(space, name)
        self._access.require_one(principal, "admin", key, name, stored.document)
        if not stored.own:
            raise RemovalNotPermitted(space, name)
        _check(name, condition, stored, version)
        saving = self._create_saver(self.get_store(space))
        full = self.secrets.fill_deletable(key, stored.document) if stored.document is not None else None
        result = saving.remove(stored, condition, principal)
        if full is not None:
            self.removed.remember(key, name, full)
        saving.forget_secrets(result)
        return RemovalResult(name, version, result.stored is not None)

    def restore(self, space: str, name: str, version: int, condition: Condition, principal: Principal) -> Instance:
        """Restore an earlier version, also of a removed instance. Raises NotFound, and the errors of `update`.

        Secrets are the current ones, or those that this process removed within the last hour. Others must be entered
        again: `problems` names each, even if the instance is valid without it.
        """
        self._require(principal, "admin", space)
        key = self._get_key(space)
        records = self.records.get_records()
        if records is None:
            raise StoreUnavailable("earlier versions are in the catalog, which is unavailable")
        earlier = records.read_earlier(key, name, version)
        if PROBLEM in earlier:
            raise NotFound(f"readable version of instance {name}", str(version))
        stored, present = self.get_store(space).read_current(name)
        self._access.require_one(
            principal, "admin", key, name, earlier, stored.document if stored is not None else None
        )
        if stored is not None:
            _check(name, condition, stored, present)
        old = (stored.document if stored is not None else None) or self.removed.find(key, name) or {}
        document, missing_secrets = self.edits.read_import(key, earlier, old)
        effective_condition = condition if stored is not None else Condition(version=ABSENT)
        done = self._save_draft(space, name, document, stored, effective_condition, principal)
        return replace(done, problems=(*missing_secrets, *done.problems))

    @audit_reads("export", audit=_get_audit)
    def export(self, space: str, choice: ExportSelection, principal: Principal) -> Sequence[dict[str, Any]]:
        """Return instances in Elyra's format, with their names. Raises InstanceNotFound; AccessDenied for secrets."""
        self._require(principal, "admin" if choice.include_secrets else "read", space)
        key, documents = self._get_key(space), self._create_transfer(space).export(choice)
        return [document for document in documents if self._access.may_see(principal, key, document.get("metadata"))]

    def import_all(
        self,
        space: str,
        documents: Sequence[Mapping[str, Any]],
        principal: Principal,
        *,
        overwrite: bool = False,
        dry_run: bool = False,
    ) -> Sequence[InstanceOutcome]:
        """Import instances independently; return the outcome of each."""
        self._require(principal, "admin", space)
        permit = partial(self._access.require_one, principal, "admin", self._get_key(space))
        return self._create_transfer(space).import_all(
            documents, principal, permit, overwrite=overwrite, dry_run=dry_run
        )

    def clear_namespace(self, name: str, principal: Principal) -> None:
        """Remove the instances of a namespace before its deletion. Raises the errors of `remove`."""
        for key in NAMESPACED:
            for instance in self.list(key, invalid=True):
                if get_namespace(key, instance.metadata) == name and instance.own:
                    self.remove(key, instance.name, Condition(), principal)

    def move(
        self, space: str, from_: str, to: str, principal: Principal, *, dry_run: bool = False
    ) -> Sequence[InstanceOutcome]:
        """Move all instances of a schemaspace to another kind of store (`file`, `catalog`, or an entry point's name).

        Instances move unchanged, with their secrets and without hooks; nothing is overwritten. In a dry run, equal ones
        are `unchanged`. An original is removed after its copy was read back. Raises InvalidQuery.
        """
        self._require(principal, "admin", space)
        key = self._get_key(space)
        if from_ == to:
            raise InvalidQuery(f"source and target are the same kind of store: {from_!r}", "to")
        source, target = self.stores.get(key, from_), self.stores.get(key, to)
        return bundles.move(source, target, self.secrets, principal, dry_run=dry_run)

    def create_objects(self, space: str, store: InstanceStore | None = None) -> InstanceObjects:
        """Return the instances as objects of their schemas' classes, with secrets, of this store or of the configured one."""
        store = store or self.get_store(space)
        return InstanceObjects(store, self._create_saver(store), self.presenter, self.account)

    def get_store(self, space: str) -> InstanceStore:
        """Return the store of a schemaspace."""
        return self.stores.get(self._get_key(space))

    def create_recovery(self, space: str, principal: Principal, action: Action) -> Recovery:
        """Return the files that interrupted saves left in a schemaspace, to list (`read`) or change (`admin`) them."""
        self._require(principal, action, space)
        return Recovery.from_store(self.stores.get(self._get_key(space), "file"), principal)

    def find_issues(self) -> Sequence[IntegrityIssue]:
        """Return unreadable and invalid instances and files of interrupted saves, without content."""
        return [*find_issues(self.schemas, self.stores, self.presenter)]

    def close(self) -> None:
        """Stop watching files, and close all stores."""
        self.on_close()
        self.stores.close()

    def _save(
        self,
        space: str,
        name: str,
        document: Mapping[str, Any],
        stored: StoredInstance | None,
        condition: Condition,
        principal: Principal,
    ) -> Instance:
        require_members(name, document)
        self._access.require_one(principal, "admin", self._get_key(space), name, document)
        self._require_schema(space, document)
        draft = self.edits.read_edit(self._get_key(space), name, document, stored)
        return self._save_draft(space, name, draft, stored, condition, principal)

    def _save_draft(
        self,
        space: str,
        name: str,
        result: Mapping[str, Any],
        stored: StoredInstance | None,
        condition: Condition,
        principal: Principal,
    ) -> Instance:
        key = self._get_key(space)
        self._require_schema(space, result)
        instance = self.presenter.create_object(key, name, self.edits.fill_secrets(key, name, result))
        saving = self._create_saver(self.get_store(space))
        # The instance must still exist, so that a concurrent removal is not undone.
        effective_condition = condition if stored is None else replace(condition, exists=True)
        done = saving.save(name, instance, effective_condition, principal, old=result, for_update=stored is not None)
        if done.stored is not None and done.version is not None and not self.presenter.has_class(key, done.stored):
            return self.presenter.present(key, done.stored, done.version)
        return self.get_any(space, name, replace(self.account, user=principal.user))

    def _require_schema(self, space: str, document: Mapping[str, Any]) -> None:
        """Raise SchemaNotFound if the schema is unknown; a missing schema name is left to validation."""
        if isinstance(name := document.get("schema_name"), str):
            self.schemas.get_schema(self._get_key(space), name)

    def _read_checked(self, space: str, name: str, condition: Condition, principal: Principal) -> StoredInstance:
        """Return the stored instance after checking access and condition; without a condition, the catalog is not read."""
        if condition == Condition():
            stored = self.get_store(space).read(name)
            if stored is None:
                raise InstanceNotFound(self._get_key(space), name)
            self._access.require_one(principal, "admin", self._get_key(space), name, stored.document)
            return stored
        stored, version = self._read_current(space, name)
        self._access.require_one(principal, "admin", self._get_key(space), name, stored.document)
        _check(name, condition, stored, version)
        return stored

    def _read_current(self, space: str, name: str) -> tuple[StoredInstance, int | None]:
        stored, version = self.get_store(space).read_current(name)
        if stored is None:
            raise InstanceNotFound(self._get_key(space), name)
        return stored, version

    def _read_presented(self, space: str, name: str) -> tuple[StoredInstance, Instance]:
        """Return an instance; if its class migrates it on load, the migrated one."""
        stored, version = self._read_current(space, name)
        instance = self.presenter.present(self._get_key(space), stored, version)
        if self.presenter.has_class(self._get_key(space), stored):
            now, version = self._read_current(space, name)
            if now.mark != stored.mark:
                stored, instance = now, self.presenter.present(self._get_key(space), now, version)
        return stored, instance

    def _list_entries(self, space: str) -> Sequence[ListEntry]:
        key, store = self._get_key(space), self.get_store(space)
        return [*self.presenter.list_entries(key, store.read_many(store.list_names()))]

    def _list_visible(self, space: str, principal: Principal | None) -> Sequence[ListEntry]:
        key = self._get_key(space)
        return [
            entry
            for entry in self._list_entries(space)
            if self._access.may_see(principal, key, entry.instance.metadata)
        ]

    def _create_saver(self, store: InstanceStore) -> InstanceSaver:
        return InstanceSaver(store, self.schemas, self.secrets, self.presenter, self.records.may_have_namespace)

    def _create_transfer(self, space: str) -> InstanceTransfer:
        store = self.get_store(space)
        return InstanceTransfer(store, self._create_saver(store), self.presenter, self.edits, self.secrets)

    def _get_key(self, space: str) -> str:
        return self.schemas.get_space(space).key

    def _require(self, principal: Principal, action: Action, space: str) -> None:
        self._access.require(principal, action, self._get_key(space))

    @property
    def _access(self) -> InstanceAccess:
        return InstanceAccess(self.authorizer)


def _check(name: str, condition: Condition, stored: StoredInstance, version: int | None) -> None:
    """Check the condition before any hook runs, as far as the version is known; the store checks it again."""
    if version is not None or condition.version is None:
        condition.check(f"instance {name}", version if version is not None else 0, stored.time)


def _get_text(value: Any) -> str:
    return value if isinstance(value, str) else ""
