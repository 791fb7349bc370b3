"""The only place where metadata change: aspect version, change log, search and entity rows, together.

Only `service/write_path.py` may import this module (spec WRITE-1).
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any, Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.artifacts.artifact import ArtifactKey
from jupyter_colophon.core.datahub.scope_union import UNION_RULES, USER_ASPECT
from jupyter_colophon.core.documents.json_parsing import encode_canonical_json, parse_stored_json
from jupyter_colophon.core.entities.change import ChangeOperation
from jupyter_colophon.core.entities.containment import IMPLICIT_TYPES, get_parent_urn, get_urn_prefix_of_children
from jupyter_colophon.core.entities.entity import Aspect
from jupyter_colophon.core.entities.lock_names import get_lock_name
from jupyter_colophon.core.errors import NamespaceDeleting, NotFound, create_missing_namespace_error
from jupyter_colophon.core.identity.names import NO_NAMESPACE, IdentityRules, Urn, make_field_urn, make_namespace_urn
from jupyter_colophon.core.model import column_metadata, system_metadata
from jupyter_colophon.core.model.key_aspect import build_key_aspect
from jupyter_colophon.core.model.proposal import ABSENT, CREATING, Proposal, ProposalResult, format_reviewer
from jupyter_colophon.core.model.registry import AspectSpec, Registry, Scope
from jupyter_colophon.core.model.retention import KEEP_ALL, Retention, RetentionRule
from jupyter_colophon.core.model.system_filter import INCLUDE_ALL, SystemFilter
from jupyter_colophon.core.model.system_metadata import SystemMetadata
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.artifacts import delete_artifact
from jupyter_colophon.storage.entities import retention, scope_union, sources_of_truth
from jupyter_colophon.storage.entities.aspects import parse_present_aspects
from jupyter_colophon.storage.entities.deleting_namespaces import is_namespace_being_deleted
from jupyter_colophon.storage.entities.entity_state import NO_VERSION, EntityState, NotLocked
from jupyter_colophon.storage.entities.ingestion import IngestionIndexWriter, get_run_of_system_metadata
from jupyter_colophon.storage.lineage import assertions, relationships
from jupyter_colophon.storage.search import index, past_values
from jupyter_colophon.storage.sensitive_entities import has_mark
from jupyter_colophon.storage.spi import Locks, Range, Row, StructuredTable, TableContext
from jupyter_colophon.storage.system_apps import delete_next_rows_of_context


class CommitBuilder:
    """Collect the changes of one principal in one transaction. `finish` must be called last."""

    def __init__(
        self,
        tx: TableContext,
        registry: Registry,
        identity: IdentityRules,
        principal: Principal,
        read_time_ms: Callable[[], int],
        system_filter: SystemFilter = INCLUDE_ALL,
        retained: Retention = KEEP_ALL,
        *,
        always_log: bool = False,
        author: str = "",
        locks: Locks | None = None,
    ) -> None:
        """`locks` are the locks of the transaction, None if it excludes all other writers. Those of an entity have the
        name `get_lock_name`; with a shared one, the entity can be read and its accesses can be logged.
        """
        self.tx, self.registry, self.identity, self.principal = tx, registry, identity, principal
        self._read_time_ms, self._locks = read_time_ms, locks
        #: Who made the changes, and by what: another user than the principal if the principal applied a proposal.
        self.actor = author or principal.user
        self.via = format_reviewer(principal.user) if author else principal.via
        self.facts, self._retention, self._always_log = system_filter, retained, always_log
        #: Aspects with a new version whose older versions may have to be deleted.
        self._to_trim: list[tuple[EntityState, AspectSpec, RetentionRule]] = []
        self._entities: dict[str, EntityState] = {}
        #: Namespaces that are known not to be deleted, and the URNs of those that exist and were not loaded.
        self._not_deleting: set[str] = set()
        self._existing_namespaces: set[str] = set()
        #: The changes so far with their numbers, and the newest number in the log once it is known. With locks, numbers
        #: are counted from 1 until the end, so that other writers wait only then.
        self.changes: list[Row] = []
        self._head: int | None = None if locks is None else 0
        #: Returns the newest number before the changes with locks, once they were appended.
        self._read_newest_before: Callable[[], int] = lambda: 0
        #: Rows that are not read before the end, by table: they are written together.
        self._pending_rows: dict[str, list[Row]] = defaultdict(list)
        self._pending_names: list[Row] = []  # of new entities, until the table of names is read
        self.ingestion = IngestionIndexWriter()

    @cached_property
    def now(self) -> int:
        """The time of the changes in ms, read when it is first used: after the first read, and so after the locks."""
        return self._read_time_ms()

    def get_names_table(self) -> StructuredTable:
        """Return the table of existing entities' names, as this transaction sees it."""
        (table := self.tx.get_table("entity_names")).upsert_many(self._pending_names)
        self._pending_names.clear()
        return table

    def load_entities_at_once(self, urns: Iterable[Urn]) -> None:
        """Load all these entities at once; any other is loaded on first use."""
        new = {str(urn): urn for urn in urns if str(urn) not in self._entities}
        for urn in new.values():
            self._require_lock_to_read(urn)
        # Scans whose rows are read after the entities, so that a store can send all statements together.
        namespaces = {text: self.identity.get_namespace(urn) for text, urn in new.items()}
        unchecked = set(namespaces.values()) - self._not_deleting
        deleting = self.tx.get_table("deleting_namespaces").scan_ranges([Range.prefix(name) for name in unchecked])
        scan = self.tx.get_table("aspects").scan_ranges
        # Of many entities, most may be new: only an entity with a row has aspects.
        aspect_rows = scan([Range.prefix(text) for text in new]) if len(new) <= _FEW else None
        rows = {row["urn"]: row for row in self.tx.get_table("entities").read_many([(text,) for text in new])}
        self._not_deleting |= unchecked - {row["namespace"] for row in deleting}
        aspects: dict[str, dict[str, Row]] = {text: {} for text in new}
        for aspect_row in aspect_rows or scan([Range.prefix(text) for text in rows]):
            aspects[aspect_row["urn"]][aspect_row["aspect"]] = aspect_row
        for text, urn in new.items():
            row = rows.get(text) or self._create_entity_row(urn, namespaces[text])
            has, exists = aspects[text], not row["deleted"]
            self._entities[text] = EntityState(urn, row, has, dict(has), exists, exists)

    def get_aspect_version(self, urn: Urn, aspect: str) -> tuple[int, int | None]:
        """Return (version or -1, time in ms) of an aspect as this transaction sees it."""
        row = self._load_entity_state(urn).aspects.get(aspect)
        return (ABSENT, None) if row is None or row["value"] is None else (row["version"], row["time"])

    def get_version_for_datahub(self, urn: Urn, aspect: str) -> tuple[int, int | None]:
        """Return (version or -1, time in ms) of an aspect as DataHub's clients read it."""
        if aspect not in UNION_RULES:
            return self.get_aspect_version(urn, aspect)
        rows = self._load_entity_state(urn).aspects
        return scope_union.get_newest_version_of_union(aspect, rows.get(aspect), rows.get(USER_ASPECT))

    def get_aspect_value(self, urn: Urn, aspect: str) -> Any | None:
        """Return the value of an aspect as this transaction sees it, None if it has none."""
        row = self._load_entity_state(urn).aspects.get(aspect)
        return None if row is None or row["value"] is None else parse_stored_json(row["value"])

    def list_aspects_before(self, urn: Urn, scope: Scope) -> dict[str, Aspect]:
        """Return the aspects of a scope that had a value before this transaction, by name."""
        rows = self._load_entity_state(urn).original_aspects.values()
        return parse_present_aspects(self.registry, urn.type, rows, scope=scope)

    def require_condition(self, proposal: Proposal) -> None:
        """Raise ConditionFailed unless the proposal's condition holds."""
        aspect = proposal.aspect or self.registry.get_type(proposal.urn.type).key_aspect
        version, time = (self.get_version_for_datahub if proposal.united else self.get_aspect_version)(
            proposal.urn, aspect
        )
        condition = proposal.condition
        if proposal.operation == "update":
            condition = replace(condition, exists=True)
        condition.require_met(f"{aspect} of this entity", ABSENT if proposal.operation in CREATING else version, time)

    def has_existed_before(self, urn: Urn) -> bool:
        """Return whether the entity existed before this transaction."""
        return self._load_entity_state(urn).existed

    def is_created_implicitly(self, urn: Urn, aspect: str) -> bool:
        """Return whether this transaction created an aspect only because its entity needs it."""
        return aspect in self._load_entity_state(urn).created_aspects

    def is_written_by_platform_only(self, urn: Urn, aspect: str) -> bool:
        """Return whether only the platform has written an aspect so far."""
        row = self._load_entity_state(urn).aspects.get(aspect)
        return row is not None and bool(row.get("implied"))

    def store_original_spelling(self, urn: Urn, spelling: str) -> None:
        """Store how DataHub's clients spell an entity's URN, if that differs from ours."""
        row = self._load_entity_state(urn).row
        if spelling and row.get("spelling") != spelling:
            self.require_lock(urn)
            row["spelling"] = spelling
            self._pending_rows["entities"].append(row)

    def mark_as_requested_by_client(self, urn: Urn, aspect: str) -> None:
        """Mark an aspect that the platform wrote as requested by a client."""
        if self.is_written_by_platform_only(urn, aspect):
            self.require_lock(urn)
            row = self._load_entity_state(urn).aspects[aspect]
            row["implied"] = False
            self._pending_rows["aspects"].append(row)

    def require_not_deleting(self, urn: Urn) -> None:
        """Raise NotFound for an entity of a namespace that is being deleted, NamespaceDeleting for the namespace itself."""
        name = self._load_entity_state(urn).row["namespace"]
        if name not in self._not_deleting:
            if is_namespace_being_deleted(self.tx, name):
                raise NamespaceDeleting(name) if urn.type == "namespace" else NotFound("namespace", name)
            self._not_deleting.add(name)

    def hide_and_mark_namespace_for_deletion(self, name: str) -> None:
        """Delete a namespace: its content becomes invisible at once, and `clear_namespace` deletes it."""
        self.delete_entity_and_children(make_namespace_urn(name))
        ends = {"namespace": name, "actor": self.actor, "time": self.now}
        self.tx.get_table("deleting_namespaces").upsert(ends)
        self._not_deleting.discard(name)

    def delete_next_content_of_namespace(self, name: str, limit: int) -> bool:
        """Delete some of the content of a deleted namespace; return True if nothing is left."""
        if not is_namespace_being_deleted(self.tx, name):
            return True
        rows = list(self.get_names_table().scan(Range.prefix(name), limit))
        for row in rows:
            if self._load_entity_state(urn := Urn.parse(row["urn"])).exists:
                self.delete_entity_and_children(urn)
        is_empty = not rows and not delete_next_rows_of_context(self.tx, name, limit)
        if is_empty:
            self.tx.get_table("deleting_namespaces").delete((name,))
        return is_empty

    def require_entity(self, urn: Urn) -> None:
        """Raise NotFound unless the entity exists; an implicit entity exists with its parent."""
        if self._load_entity_state(urn).exists:
            return
        holder = get_parent_urn(urn, self.identity) if urn.type in IMPLICIT_TYPES else urn
        if holder is not None and not self._load_entity_state(holder).exists:
            raise NotFound("entity", str(holder))

    def create_entity_if_missing(
        self, urn: Urn, *, create_namespace: bool, system: SystemMetadata | None = None
    ) -> None:
        """Create the entity if it does not exist, with its key aspect and `status`, both with these system metadata.

        Raises NotFound if its namespace (for a namespace, itself) does not exist and may not be created.
        """
        self.require_not_deleting(urn)
        entity = self._load_entity_state(urn)
        if entity.exists:
            return
        if urn.type != "namespace":
            self._create_namespace_if_allowed(entity.row["namespace"], create_namespace)
        elif not create_namespace:
            raise NotFound("namespace", urn.parts[0])
        self.require_lock(urn)
        self._recreate_deleted_entity(entity)
        if urn.type == "custom" and (holder := get_parent_urn(urn, self.identity)) is not None:
            self.tx.get_table("containment").upsert({"parent": str(holder), "urn": str(urn)})
        kind = self.registry.get_type(urn.type)
        key = self.registry.get_aspect(urn.type, kind.key_aspect)
        entity.created_aspects[key.name] = self._write_aspect_version_and_log(
            entity, key, encode_canonical_json(build_key_aspect(urn, kind)), "create", None, system
        )
        status = self.registry.get_aspect(urn.type, "status")
        entity.created_aspects["status"] = self._write_aspect_version_and_log(
            entity, status, _NOT_REMOVED, "create", None, system
        )
        for name in entity.created_aspects:
            entity.aspects[name]["implied"] = True

    def create_entity(
        self, urn: Urn, *, create_namespace: bool, system: SystemMetadata | None = None
    ) -> ProposalResult:
        """Create the entity, as `create_entity_if_missing` does; one that this transaction has created is left unchanged."""
        new = not self._load_entity_state(urn).exists
        self.create_entity_if_missing(urn, create_namespace=create_namespace, system=system)
        entity, key = self._load_entity_state(urn), self.registry.get_type(urn.type).key_aspect
        self.mark_as_requested_by_client(urn, key)
        return ProposalResult(urn, None, entity.aspects[key]["version"], entity.created_aspects[key] if new else None)

    def write_aspect(
        self,
        urn: Urn,
        spec: AspectSpec,
        value: Mapping[str, Any],
        run: str | None = None,
        system: SystemMetadata | None = None,
        *,
        implied: bool = False,
    ) -> ProposalResult:
        """Write a value as the newest version of an aspect; an equal value only updates the time of observation.

        With `implied`, the platform writes it: an aspect that only the platform wrote can still be created.
        """
        entity = self._load_entity_state(urn)
        self.require_lock(urn)
        row = entity.aspects.get(spec.name)
        had_value = row is not None and row["value"] is not None
        if spec.name == _SCHEMA and row is not None and row["value"] is not None:
            value = self._keep_omitted_column_metadata(urn, parse_stored_json(row["value"]), value, run)
        text = encode_canonical_json(value)
        seq_of_creation = entity.created_aspects.pop(spec.name, None)
        if not implied:
            self.mark_as_requested_by_client(urn, spec.name)
        is_new = row is None or row["value"] is None or bool(row.get("implied"))
        if row is not None and row["value"] == text:
            before = row["system"]
            if system is not None and seq_of_creation is None:
                self.update_system_metadata_in_place(
                    row, system_metadata.merge_repeated_write(codecs.parse_system_metadata(row["system"]), system)
                )
            if self._always_log and seq_of_creation is None:
                values = (text, text, before, row["system"])
                seq_of_creation = self.append_to_change_log(
                    entity.row, spec.name, "update", row["version"], spec.scope, run, *values
                )
            return ProposalResult(urn, spec.name, row["version"], seq_of_creation)
        seq = self._write_aspect_version_and_log(entity, spec, text, "update" if had_value else "create", run, system)
        entity.aspects[spec.name]["implied"] = implied and is_new
        return ProposalResult(urn, spec.name, entity.aspects[spec.name]["version"], seq)

    def delete_aspect(
        self, urn: Urn, spec: AspectSpec, run: str | None = None, system: SystemMetadata | None = None
    ) -> ProposalResult:
        """Delete an aspect by a version without a value; an absent aspect is left unchanged."""
        entity = self._load_entity_state(urn)
        row = entity.aspects.get(spec.name)
        if row is None or row["value"] is None:
            return ProposalResult(urn, spec.name, ABSENT, None)
        self.require_lock(urn)
        seq = self._write_aspect_version_and_log(entity, spec, None, "delete", run, system)
        return ProposalResult(urn, spec.name, ABSENT, seq)

    def delete_entity_and_children(self, urn: Urn) -> ProposalResult:
        """Delete an entity with its aspects and the entities it contains. Its accesses are kept (spec WRITE-14)."""
        entity = self._load_entity_state(urn)
        if not entity.exists:
            raise NotFound("entity", str(urn))
        self.require_lock(urn)
        for child in list(self.iterate_child_urns(urn)):
            self.delete_entity_and_children(child)
        for name, row in list(entity.aspects.items()):
            if row["value"] is not None:
                self._write_aspect_version_and_log(
                    entity, self.registry.get_aspect_or_unregistered(urn.type, name), None, "delete", None
                )
        if self.tx.get_table("timeseries").delete_range(Range.prefix(str(urn))):
            self.ingestion.record_timeseries_deletion(self.tx, str(urn))
        if (artifact := ArtifactKey.from_urn(urn)) is not None:
            delete_artifact(self.tx, artifact)
        entity.row["deleted"] = True
        entity.exists = False
        self.get_names_table().delete((entity.row["namespace"], urn.type, entity.row["name"], str(urn)))
        seq = self.append_to_change_log(entity.row, None, "delete", ABSENT, "USER", None, None, None)
        return ProposalResult(urn, None, ABSENT, seq)

    def iterate_child_urns(self, urn: Urn) -> Iterator[Urn]:
        """Yield the existing entities that this one directly contains; there may be thousands."""
        rows = self.tx.get_table("containment").scan(Range.prefix(str(urn)))
        prefix = get_urn_prefix_of_children(urn)
        if prefix is not None:
            # "-" is the character after ",", so this range has exactly the URNs with the prefix.
            within = Range((prefix,), (prefix[:-1] + "-",), end_inclusive=False)
            rows = chain(rows, self.tx.get_table("entities").scan(within))
        return (child for row in rows if self._load_entity_state(child := Urn.parse(row["urn"])).exists)

    def write_changes_and_update_indexes(self) -> None:
        """Write the changes and the entity rows, and update search once for each changed entity.

        What many entities share is written last, after the changes got their numbers.
        """
        changed = [entity for entity in self._entities.values() if entity.changed]
        changes = [self._build_search_change(entity) for entity in changed]
        for row, _, aspects, _ in changes:
            row |= {"updated": self.now, "updated_by": self.actor}
            row["removed"] = index.is_left_out_of_lists(row["urn"], aspects) or None
            self._pending_rows["entities"].append(row)
        for table, rows in self._pending_rows.items():
            self.tx.get_table(table).upsert_many(rows)
        self.get_names_table()
        counts = index.update_search_rows(self.tx, changes)
        for state in changed:
            before, now = state.original_aspects, state.aspects
            relationships.update_relationships(self.tx, self.registry, state.row["urn"], state.urn.type, before, now)
        if self.changes or self._pending_rows:
            if self._locks is None:
                self.tx.log.append_changes(self.changes)
            else:
                self._read_newest_before = self.tx.log.lock_and_append_changes(self.changes)
        self.ingestion.write_collected_changes(self.tx, self.now)
        for entity, spec, rule in self._to_trim:
            retention.delete_expired_versions(self.tx, entity.row, spec, rule, entity.aspects[spec.name], self.now)
        index.add_to_counters(self.tx, counts)
        for state in changed:
            assertions.update_declared_lineage(self.tx, state.row, state.original_aspects, state.aspects)

    def add_numbers_to_results(self, results: list[ProposalResult], *, at_once: bool) -> None:
        """Add the numbers that the changes got at the end: at once, or after the commit, which needs no round trip."""

        def add_numbers() -> None:
            if newest := self._read_newest_before():
                results[:] = [
                    result if result.seq is None else replace(result, seq=result.seq + newest) for result in results
                ]

        if at_once:
            add_numbers()
        else:
            self.tx.on_commit(add_numbers)

    def require_lock(self, urn: Urn) -> None:
        """Raise NotLocked unless no other transaction can read or change the entity."""
        self.require_lock_of_name(get_lock_name(urn))

    def require_lock_of_name(self, name: str) -> None:
        """Raise NotLocked unless no other transaction has a lock of this name."""
        if self._locks is not None and name not in self._locks.exclusive:
            raise NotLocked(name)

    def require_no_other_writer(self) -> None:
        """Raise NotLocked unless the transaction excludes all other writers."""
        if self._locks is not None:
            raise NotLocked("everything")

    def _require_lock_to_read(self, urn: Urn) -> None:
        # Namespaces are created and deleted by transactions without locks only.
        if self._locks is not None and urn.type != "namespace":
            name = get_lock_name(urn)
            if name not in self._locks.exclusive and name not in self._locks.shared:
                raise NotLocked(name)

    def find_marked_entities(self) -> set[str]:
        """Return the changed entities that were or are marked as sensitive, or a column in one of their aspects."""
        changes = [self._build_search_change(entity) for entity in self._entities.values() if entity.changed]
        return {
            row["urn"]
            for row, before, now, _ in changes
            if has_mark(index.collect_aspect_value_rows(before)) or has_mark(index.collect_aspect_value_rows(now))
        }

    def append_to_change_log(
        self,
        entity: Row,
        aspect: str | None,
        operation: ChangeOperation,
        version: int,
        scope: str,
        run: str | None,
        previous: str | None,
        value: str | None,
        previous_system: str | None = None,
        system: str | None = None,
    ) -> int:
        """Add a row about an entity to the change log; return its number."""
        if entity["urn"] not in self._entities:
            self._require_lock_to_read(Urn.parse(entity["urn"]))
        # No other change gets a number before this transaction ends.
        self._head = self.get_newest_change_number() + 1
        self.changes.append(
            {
                "seq": self._head,
                "time": self.now,
                "urn": entity["urn"],
                "type": entity["type"],
                "namespace": entity["namespace"],
                "name": entity["name"],
                "aspect": aspect,
                "operation": operation,
                "version": version,
                "scope": scope,
                "actor": self.actor,
                "via": self.via,
                "run": run,
                "previous": previous,
                "value": value,
                "previous_system": previous_system,
                "system": system,
                "token": self.principal.token,
            }
        )
        return self._head

    def get_newest_change_number(self) -> int:
        """Return the number of the newest change, also of this transaction."""
        return self.tx.log.get_newest_number() if self._head is None else self._head

    def get_entity_row(self, urn: Urn) -> Row:
        """Return the entity's row as this transaction sees it."""
        return self._load_entity_state(urn).row

    def _load_entity_state(self, urn: Urn) -> EntityState:
        if urn.text not in self._entities:
            self.load_entities_at_once([urn])
        return self._entities[urn.text]

    def _create_entity_row(self, urn: Urn, namespace: str) -> Row:
        return {
            "urn": str(urn),
            "type": urn.type,
            "namespace": namespace,
            "name": self.identity.get_short_name(urn),
            "platform": self.identity.get_platform(urn),
            "deleted": True,
        }

    def _create_namespace_if_allowed(self, name: str, may_create: bool) -> None:
        if name == NO_NAMESPACE:
            return
        place = make_namespace_urn(name)
        if self._has_namespace(place):
            return
        if not may_create:
            raise create_missing_namespace_error(name)
        self.create_entity_if_missing(place, create_namespace=True)
        captured = self.facts.filter_aspect_keys("technicalMetadata", _CAPTURED, place, name)
        if captured is not None:
            self.write_aspect(place, self.registry.get_aspect("namespace", "technicalMetadata"), captured, implied=True)

    def _has_namespace(self, urn: Urn) -> bool:
        """Return whether a namespace exists as this transaction sees it, without reading its aspects."""
        text = str(urn)
        if text in self._entities:
            return self._entities[text].exists
        if text not in self._existing_namespaces:
            row = self.tx.get_table("entities").read((text,))
            if row is None or row["deleted"]:
                return False
            self._existing_namespaces.add(text)
        return True

    def _recreate_deleted_entity(self, entity: EntityState) -> None:
        """Create an entity that was deleted before; its former values are not part of its history (spec ID-20)."""
        entity.row |= {"deleted": False, "created": self.now, "created_by": self.actor}
        entity.exists = True
        for row in entity.aspects.values():
            row["base"] = row["version"]
            self._pending_rows["aspects"].append(row)
        self._pending_names.append({name: entity.row[name] for name in ("namespace", "type", "name", "urn")})

    def _write_aspect_version_and_log(
        self,
        entity: EntityState,
        spec: AspectSpec,
        value: str | None,
        operation: ChangeOperation,
        run: str | None,
        system: SystemMetadata | None = None,
    ) -> int:
        old = entity.aspects.get(spec.name, NO_VERSION)
        old_value, version = old["value"], old["version"] + 1
        row = {
            "urn": entity.row["urn"],
            "aspect": spec.name,
            "version": version,
            "value": value,
            "actor": self.actor,
            "via": self.via,
            "time": self.now,
            "system": None if system is None else system.stored_text,
        }
        was = None if old_value is None else get_run_of_system_metadata(old["system"])
        now = system.run if system and value is not None else None
        self.ingestion.record_run_of_aspect(row["urn"], spec.name, was, now)
        entity.aspects[spec.name] = row | {"base": old["base"], "floor": old["floor"], "implied": False}
        self._pending_rows["aspect_versions"].append(row)
        if old_value is not None:
            past_rows = past_values.derive_past_value_rows_of_version(entity.row, spec, old, value, self.now)
            self._pending_rows[past_values.TABLE] += past_rows
        self._pending_rows["aspects"].append(entity.aspects[spec.name])
        entity.changed = True
        rule = self._retention.find_rule(entity.row["namespace"], entity.urn.type, spec) if version > 1 else None
        if rule is not None:
            self._to_trim.append((entity, spec, rule))
        logged_version = ABSENT if value is None else version
        before = old_value, value, old["system"], row["system"]
        return self.append_to_change_log(entity.row, spec.name, operation, logged_version, spec.scope, run, *before)

    def update_system_metadata_in_place(self, row: Row, system: SystemMetadata | None) -> None:
        """Write the system metadata of a present value without a new version or change; its run may differ now."""
        self.ingestion.record_run_of_aspect(
            row["urn"], row["aspect"], get_run_of_system_metadata(row["system"]), system.run if system else None
        )
        row["system"] = None if system is None else encode_canonical_json(system.document)
        self._pending_rows["aspects"].append(row)
        self._pending_rows["aspect_versions"].append({name: row[name] for name in _OF_VERSION})

    def get_aspect_row(self, urn: Urn, name: str) -> Row | None:
        """Return an aspect's row as this transaction sees it."""
        return self._load_entity_state(urn).aspects.get(name)

    def _keep_omitted_column_metadata(
        self, urn: Urn, old: Any, new: Mapping[str, Any], run: str | None
    ) -> Mapping[str, Any]:
        """Keep column metadata of the old schema that a new one does not mention; return the schema to write."""
        if urn.type == "dataset":
            for path, aspect, items in column_metadata.list_items_of_omitted_columns(old, new):
                column = make_field_urn(urn, path)
                value = column_metadata.add_missing_items(aspect, self.get_aspect_value(column, aspect), items)
                if value is not None:
                    self.create_entity_if_missing(column, create_namespace=False)
                    self.write_aspect(column, self.registry.get_aspect(column.type, aspect), value, run)
        return column_metadata.keep_old_column_descriptions(old, new)

    def _build_search_change(self, entity: EntityState) -> index.EntityChange:
        """Return the entity's change as the search index takes it."""
        kind = self.registry.get_type_or_unregistered(entity.urn.type)
        before, now = (
            index.select_searchable_aspects(kind, aspects) for aspects in (entity.original_aspects, entity.aspects)
        )
        marked = sources_of_truth.collect_marked_search_words(self.registry, entity.row, entity.aspects)
        return index.EntityChange(entity.row, before, now, marked)


#: The number of entities up to which their aspects are read at once, whether or not they exist.
_FEW: Final = 8
_SCHEMA = "schemaMetadata"
#: The first value of the aspect `status`.
_NOT_REMOVED = encode_canonical_json({"removed": False})
#: The fields that an aspect's row and its newest version share.
_OF_VERSION = ("urn", "aspect", "version", "value", "actor", "via", "time", "system")
#: What the platform writes about a namespace that a kernel's report names first (spec ID-15).
_CAPTURED = {"properties": {"origin": "captured"}, "tags": []}
