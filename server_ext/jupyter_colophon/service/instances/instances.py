"""All that can be done with the instances of schemaspaces, from whatever door."""

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
from jupyter_colophon.core.identity.instance_names import normalized, require_instance_name
from jupyter_colophon.core.identity.names import instance as instance_urn
from jupyter_colophon.core.instances.instance import Held, Instance
from jupyter_colophon.core.instances.instance_namespaces import NAMESPACED
from jupyter_colophon.core.instances.instance_query import (
    ExportChoice,
    InstancePage,
    InstanceQuery,
    Outcome,
    Removed,
    ValueCounts,
)
from jupyter_colophon.core.integrity_issue import Finding
from jupyter_colophon.core.model.proposal import ABSENT, Condition
from jupyter_colophon.core.read_budget import PAGE_BYTES_MAX
from jupyter_colophon.service.instances import bundles
from jupyter_colophon.service.instances.bundles import Bundles
from jupyter_colophon.service.instances.deleted_secrets import Undoing
from jupyter_colophon.service.instances.edits import Drafts, require_members, require_name
from jupyter_colophon.service.instances.file_store import FileInstances
from jupyter_colophon.service.instances.findings import findings
from jupyter_colophon.service.instances.gate import InstanceGate, namespace_of
from jupyter_colophon.service.instances.object_api import InstanceObjects
from jupyter_colophon.service.instances.pages import Sifted, values_at
from jupyter_colophon.service.instances.presentation import Entry, Shown
from jupyter_colophon.service.instances.records import PROBLEM, RecordsSource
from jupyter_colophon.service.instances.recovery import Recovery
from jupyter_colophon.service.instances.saving import Saving
from jupyter_colophon.service.instances.schemas import Schemas
from jupyter_colophon.service.instances.secrets.service import Secrets
from jupyter_colophon.service.instances.store_protocol import InstanceStore
from jupyter_colophon.service.instances.stores import Stores
from jupyter_colophon.service.read_audit import audited
from jupyter_colophon.storage.changes.read_audit import ReadAudit


def _audit(instances: "Instances") -> ReadAudit | None:
    return instances.audit


def _urn(one: Instance) -> str:
    return str(instance_urn(one.space, one.name))


#: A list of instances: the class has a method of that name.
Listed = list[Instance]
#: A document of an instance, with the members of its class beside the others.
Document = Mapping[str, Any]
#: How often a patch is tried again that others' changes were in the way of.
_PATCH_TRIES = 10


@dataclass(frozen=True, slots=True)
class Instances:
    """The instances of all schemaspaces. Each call is safe from any thread.

    A schemaspace is named or given by its id; every call raises SchemaspaceNotFound for another. Reading needs the
    action `read`, changing `admin`: code in a kernel may read, and not change. A document has `display_name`,
    `schema_name`, `metadata` and what the schema's class reads besides (flat, as Elyra has it). What is returned is
    shared, not copied: nobody may change it.
    """

    schemas: Schemas
    stores: Stores
    secrets: Secrets
    shown: Shown
    drafts: Drafts
    records: RecordsSource
    authorizer: Authorizer
    cursors: Cursors
    #: Whose changes those of objects are.
    account: Principal
    #: Records what programs read.
    audit: ReadAudit | None = None
    undoing: Undoing = field(default_factory=Undoing)
    #: What else ends with this.
    on_close: Callable[[], None] = lambda: None

    def exists(self, space: str) -> bool:
        """Whether anything was ever kept for this schemaspace."""
        return self.store(space).exists()

    @audited("list", lambda found: map(_urn, found), _audit)
    def list(
        self, space: str, principal: Principal | None = None, *, invalid: bool = False, of_schema: str | None = None
    ) -> Listed:
        """All instances that somebody may see, by name, secrets masked, without version; invalid ones too if asked for."""
        found = (one.instance for one in self._visible(space, principal))
        return [one for one in found if (invalid or not one.reason) and of_schema in (None, "", one.schema_name)]

    @audited("list", lambda page: map(_urn, page.instances), _audit)
    def page(self, space: str, query: InstanceQuery, principal: Principal) -> InstancePage:
        """A page of instances, valid or not, with versions. Raises InvalidQuery."""
        self._may(principal, "read", space)
        key = self._key(space)
        sifted = Sifted(key, self._visible(space, principal), query)
        page, cursor = sifted.page(self.cursors)
        held = list(self.store(space).read_many([one.instance.name for one in page]))
        versions = self.store(space).versions(held)
        shown = tuple(self.shown.instance(key, one, versions.get(one.name)) for one in held)
        return InstancePage(shown, len(sifted.found), sifted.tags, sifted.schemas, cursor)

    @audited("list", lambda page: map(_urn, page[0]), _audit)
    def slice(
        self, space: str, limit: int, cursor: str, principal: Principal, *, invalid: bool = False, of_schema: str = ""
    ) -> tuple[Sequence[Instance], str | None]:
        """Instances by name, from the cursor on, and where to read on: of the others no more than the names is read.

        Without versions. Raises InvalidQuery.
        """
        self._may(principal, "read", space)
        key, store = self._key(space), self.store(space)
        asked = [key, invalid, of_schema]
        after = ""
        if cursor:
            *same, after = self.cursors.read("slice", cursor)
            if same != asked:
                raise InvalidQuery("is no cursor of this list", "cursor")
        found: list[Instance] = []
        size = 0
        for held in store.read_many(name for name in store.names() if name > after):
            one = self.shown.instance(key, held)
            seen = self._gate.shows(principal, key, one.metadata)
            if seen and (invalid or not one.reason) and of_schema in ("", one.schema_name):
                if len(found) == limit or size > PAGE_BYTES_MAX:
                    return found, self.cursors.write("slice", [*asked, found[-1].name])
                found.append(one)
                size += measure((one.metadata, one.extra))
        return found, None

    @audited("values", audit=_audit)
    def values(self, space: str, schema: str, pointer: str, principal: Principal) -> ValueCounts:
        """Return what instances say at a place of `metadata`, the most frequent first; the items of a list each by itself.

        `schema` may be empty: of all. No secret is ever told. Raises InvalidQuery for what is no pointer.
        """
        self._may(principal, "read", space)
        return values_at(self._visible(space, principal), schema, pointer)

    @audited("read", lambda found: [_urn(found)], _audit)
    def get(self, space: str, name: str, principal: Principal) -> Instance:
        """One instance. Raises InstanceNotFound, InstanceUnreadable, InstanceInvalid, SchemaNotFound, HookFailed."""
        self._may(principal, "read", space)
        held, found = self._shown(space, name)
        self._gate.require_one(principal, "read", self._key(space), name, held.document)
        self.shown.require_valid(self._key(space), held, found)
        return found

    @audited("read", lambda found: [_urn(found)], _audit)
    def get_any(self, space: str, name: str, principal: Principal) -> Instance:
        """One instance, whatever is wrong with it. Raises InstanceNotFound."""
        self._may(principal, "read", space)
        held, found = self._shown(space, name)
        self._gate.require_one(principal, "read", self._key(space), name, held.document)
        return found

    def create(self, space: str, name: str | None, document: Mapping[str, Any], principal: Principal) -> Instance:
        """Make an instance; its name is made of `display_name` where none is given.

        Raises InvalidName, SchemaNotFound, InstanceInvalid, InstanceExists, HookFailed.
        """
        self._may(principal, "admin", space)
        name = require_instance_name(name or normalized(_text(document.get("display_name"))))
        return self._save(space, name, document, None, Condition(version=ABSENT), principal)

    def update(
        self, space: str, name: str, document: Mapping[str, Any], condition: Condition, principal: Principal
    ) -> Instance:
        """Replace an instance that is there, also a broken one. A placeholder leaves a secret as it is.

        Raises InstanceNotFound, RenameNotSupported, ConditionFailed, and what `create` raises.
        """
        self._may(principal, "admin", space)
        held = self._checked(space, name, condition, principal)
        require_name(name, document)
        return self._save(space, name, document, held, condition, principal)

    def patch(
        self, space: str, name: str, changes: Mapping[str, Any], condition: Condition, principal: Principal
    ) -> Instance:
        """Apply a merge patch (RFC 7396) to `display_name`, `schema_name`, `metadata` and extra members.

        Raises what `change` raises.
        """
        require_name(name, changes)
        return self.change(space, name, partial(apply_merge_patch, patch=changes), condition, principal)

    def change(
        self, space: str, name: str, edit: Callable[[Document], Document], condition: Condition, principal: Principal
    ) -> Instance:
        """Replace an instance by what `edit` makes of its document, in which secrets are masked.

        Edits of one instance are applied one after the other, also those of other processes. Raises
        InstanceUnreadable, what `edit` raises, and what `update` raises.
        """
        self._may(principal, "admin", space)
        store = self.store(space)
        with store.files.merging(name) if isinstance(store, FileInstances) else nullcontext():
            for _ in range(_PATCH_TRIES):
                held, version = self._current(space, name)
                self._gate.require_one(principal, "admin", self._key(space), name, held.document)
                if held.document is None:
                    raise InstanceUnreadable(space, name, held.problem)
                _check(name, condition, held, version)
                document = edit(self.shown.masked(self._key(space), held.document))
                require_name(name, document)
                try:
                    # Without a condition of its own it applies to whatever is there, but never to what it has not seen.
                    seen = condition if condition != Condition() or version is None else Condition(version=version)
                    return self._save(space, name, document, held, seen, principal)
                except ConditionFailed:
                    if condition != Condition():
                        raise
        raise StoreUnavailable(f"instance {name} is changed all the time: try again")

    def remove(self, space: str, name: str, condition: Condition, principal: Principal) -> Removed:
        """Remove an instance, also a broken one. Raises InstanceNotFound, RemovalNotPermitted, ConditionFailed, HookFailed."""
        self._may(principal, "admin", space)
        key = self._key(space)
        held, version = self._current(space, name)
        self._gate.require_one(principal, "admin", key, name, held.document)
        if not held.own:
            raise RemovalNotPermitted(space, name)
        _check(name, condition, held, version)
        saving = self._saving(self.store(space))
        full = self.secrets.before_forgetting(key, held.document) if held.document is not None else None
        kept = saving.remove(held, condition, principal)
        if full is not None:
            self.undoing.remember(key, name, full)
        saving.forget_secrets(kept)
        return Removed(name, version, kept.held is not None)

    def restore(self, space: str, name: str, version: int, condition: Condition, principal: Principal) -> Instance:
        """Make an earlier version the present one; this undoes a removal too. Raises NotFound, and what `update` raises.

        Secrets are those that are there now, or that this process removed within the hour. Others have to be written
        anew: `problems` names each, also where the instance is valid without.
        """
        self._may(principal, "admin", space)
        key = self._key(space)
        records = self.records.ask()
        if records is None:
            raise StoreUnavailable("earlier versions are in the catalog, which is away")
        earlier = records.earlier(key, name, version)
        if PROBLEM in earlier:
            raise NotFound(f"readable version of instance {name}", str(version))
        held, present = self.store(space).current(name)
        self._gate.require_one(principal, "admin", key, name, earlier, held.document if held is not None else None)
        if held is not None:
            _check(name, condition, held, present)
        old = (held.document if held is not None else None) or self.undoing.removed(key, name) or {}
        document, lost = self.drafts.loose(key, earlier, old)
        wanted = condition if held is not None else Condition(version=ABSENT)
        done = self._keep(space, name, document, held, wanted, principal)
        return replace(done, problems=(*lost, *done.problems))

    @audited("export", audit=_audit)
    def exported(self, space: str, choice: ExportChoice, principal: Principal) -> Sequence[dict[str, Any]]:
        """Instances as Elyra writes them, each with its name. Raises InstanceNotFound; AccessDenied for secrets."""
        self._may(principal, "admin" if choice.include_secrets else "read", space)
        key, found = self._key(space), self._bundles(space).exported(choice)
        return [one for one in found if self._gate.shows(principal, key, one.get("metadata"))]

    def imported(
        self,
        space: str,
        documents: Sequence[Mapping[str, Any]],
        principal: Principal,
        *,
        overwrite: bool = False,
        dry_run: bool = False,
    ) -> Sequence[Outcome]:
        """Take instances in, each by itself: one that cannot be taken in harms no other."""
        self._may(principal, "admin", space)
        permit = partial(self._gate.require_one, principal, "admin", self._key(space))
        return self._bundles(space).imported(documents, principal, permit, overwrite=overwrite, dry_run=dry_run)

    def clear_namespace(self, name: str, principal: Principal) -> None:
        """Remove what belongs to a namespace that is to be deleted. Raises what `remove` raises."""
        for key in NAMESPACED:
            for one in self.list(key, invalid=True):
                if namespace_of(key, one.metadata) == name and one.own:
                    self.remove(key, one.name, Condition(), principal)

    def move(
        self, space: str, from_: str, to: str, principal: Principal, *, dry_run: bool = False
    ) -> Sequence[Outcome]:
        """Take all instances of a space from one kind of store to another (`file`, `catalog`, or an entry point's name).

        Secrets and all move as they are, without hooks; nothing is overwritten. What is there the same already is
        `unchanged` in a dry run. The old ones go once their copies were read back. Raises InvalidQuery.
        """
        self._may(principal, "admin", space)
        key = self._key(space)
        if from_ == to:
            raise InvalidQuery(
                f"instances move from one kind of store to another, and not from {from_!r} to itself", "to"
            )
        source, target = self.stores.of(key, from_), self.stores.of(key, to)
        return bundles.move(source, target, self.secrets, principal, dry_run=dry_run)

    def objects(self, space: str, store: InstanceStore | None = None) -> InstanceObjects:
        """The same as objects of the schemas' classes, secrets in place, of this store or of the one that is set."""
        store = store or self.store(space)
        return InstanceObjects(store, self._saving(store), self.shown, self.account)

    def store(self, space: str) -> InstanceStore:
        """The store of a schemaspace."""
        return self.stores.of(self._key(space))

    def recovery(self, space: str, principal: Principal, action: Action) -> Recovery:
        """What killed saves left behind among its files, to be looked at (`read`) or changed (`admin`)."""
        self._may(principal, action, space)
        return Recovery.of(self.stores.of(self._key(space), "file"), principal)

    def findings(self) -> Sequence[Finding]:
        """What is wrong with what is kept: broken and invalid instances, leftovers of torn saves; no content of any."""
        return [*findings(self.schemas, self.stores, self.shown)]

    def close(self) -> None:
        """Watch no more, and let go of all stores."""
        self.on_close()
        self.stores.close()

    def _save(
        self,
        space: str,
        name: str,
        document: Mapping[str, Any],
        held: Held | None,
        condition: Condition,
        principal: Principal,
    ) -> Instance:
        require_members(name, document)
        self._gate.require_one(principal, "admin", self._key(space), name, document)
        self._require_schema(space, document)
        draft = self.drafts.kept(self._key(space), name, document, held)
        return self._keep(space, name, draft, held, condition, principal)

    def _keep(
        self,
        space: str,
        name: str,
        kept: Mapping[str, Any],
        held: Held | None,
        condition: Condition,
        principal: Principal,
    ) -> Instance:
        key = self._key(space)
        self._require_schema(space, kept)
        instance = self.shown.made(key, name, self.drafts.in_place(key, name, kept))
        saving = self._saving(self.store(space))
        # What is replaced must still be there: else a removal by somebody else were undone.
        wanted = condition if held is None else replace(condition, exists=True)
        done = saving.save(name, instance, wanted, principal, old=kept, for_update=held is not None)
        if done.held is not None and done.version is not None and not self.shown.has_class(key, done.held):
            return self.shown.instance(key, done.held, done.version)
        return self.get_any(space, name, replace(self.account, user=principal.user))

    def _require_schema(self, space: str, document: Mapping[str, Any]) -> None:
        """Raise SchemaNotFound before anything else where the schema is unknown; without any, validation tells it."""
        if isinstance(name := document.get("schema_name"), str):
            self.schemas.schema(self._key(space), name)

    def _checked(self, space: str, name: str, condition: Condition, principal: Principal) -> Held:
        """What is there and may be changed, where the condition holds; without one nobody asks the catalog."""
        if condition == Condition():
            held = self.store(space).read(name)
            if held is None:
                raise InstanceNotFound(self._key(space), name)
            self._gate.require_one(principal, "admin", self._key(space), name, held.document)
            return held
        held, version = self._current(space, name)
        self._gate.require_one(principal, "admin", self._key(space), name, held.document)
        _check(name, condition, held, version)
        return held

    def _current(self, space: str, name: str) -> tuple[Held, int | None]:
        held, version = self.store(space).current(name)
        if held is None:
            raise InstanceNotFound(self._key(space), name)
        return held, version

    def _shown(self, space: str, name: str) -> tuple[Held, Instance]:
        """One as it is now. A class may migrate it while it is loaded: then what came of that is shown."""
        held, version = self._current(space, name)
        found = self.shown.instance(self._key(space), held, version)
        if self.shown.has_class(self._key(space), held):
            now, version = self._current(space, name)
            if now.mark != held.mark:
                held, found = now, self.shown.instance(self._key(space), now, version)
        return held, found

    def _entries(self, space: str) -> Sequence[Entry]:
        key, store = self._key(space), self.store(space)
        return [*self.shown.entries(key, store.read_many(store.names()))]

    def _visible(self, space: str, principal: Principal | None) -> Sequence[Entry]:
        key = self._key(space)
        return [one for one in self._entries(space) if self._gate.shows(principal, key, one.instance.metadata)]

    def _saving(self, store: InstanceStore) -> Saving:
        return Saving(store, self.schemas, self.secrets, self.shown, self.records.may_have_namespace)

    def _bundles(self, space: str) -> Bundles:
        store = self.store(space)
        return Bundles(store, self._saving(store), self.shown, self.drafts, self.secrets)

    def _key(self, space: str) -> str:
        return self.schemas.space(space).key

    def _may(self, principal: Principal, action: Action, space: str) -> None:
        self._gate.require(principal, action, self._key(space))

    @property
    def _gate(self) -> InstanceGate:
        return InstanceGate(self.authorizer)


def _check(name: str, condition: Condition, held: Held, version: int | None) -> None:
    """Refuse at once what the store would refuse, before any hook; what cannot be known here is for the store."""
    if version is not None or condition.version is None:
        condition.check(f"instance {name}", version if version is not None else 0, held.time)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
