"""The one place where metadata changes: aspect version, change log, search and entity rows, together.

Only `service/write_path.py` may import this module (spec WRITE-1).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.datahub.scope_union import PEOPLE, UNITED
from jupyter_colophon.core.documents.json_parsing import compact, stored
from jupyter_colophon.core.entities.change import ChangeOperation
from jupyter_colophon.core.entities.containment import UNDECLARED, held_prefix, holder_of
from jupyter_colophon.core.errors import NamespaceDeleting, NotFound
from jupyter_colophon.core.identity.names import NO_NAMESPACE, Identity, Urn, field, namespace
from jupyter_colophon.core.model import column_metadata, system_metadata
from jupyter_colophon.core.model.key_aspect import key_aspect
from jupyter_colophon.core.model.proposal import ABSENT, CREATING, Proposal, Written
from jupyter_colophon.core.model.registry import AspectSpec, Registry
from jupyter_colophon.core.model.retention import KEEP_ALL, Retention, RetentionRule
from jupyter_colophon.core.model.system_filter import EVERYTHING, SystemFilter
from jupyter_colophon.core.model.system_metadata import SystemMetadata
from jupyter_colophon.storage import codecs
from jupyter_colophon.storage.entities import retention, scope_union, sources_of_truth
from jupyter_colophon.storage.entities.deleting_namespaces import is_ending
from jupyter_colophon.storage.entities.entity_state import Working
from jupyter_colophon.storage.entities.ingestion import Ingesting, run_in
from jupyter_colophon.storage.lineage import assertions, relationships
from jupyter_colophon.storage.search import index, past_values
from jupyter_colophon.storage.spi import Range, Row, StructuredTable, TableContext


class Commit:
    """Collect the changes of one principal in one transaction. `finish` must be called last."""

    def __init__(
        self,
        tx: TableContext,
        registry: Registry,
        identity: Identity,
        principal: Principal,
        now: int,
        facts: SystemFilter = EVERYTHING,
        retained: Retention = KEEP_ALL,
        *,
        always_log: bool = False,
    ) -> None:
        self.tx, self.registry, self.identity, self.principal, self.now = tx, registry, identity, principal, now
        self.facts, self._retained, self._always_log = facts, retained, always_log
        #: Aspects with a version more than before, of those that may not have all of them.
        self._grown: list[tuple[Working, AspectSpec, RetentionRule]] = []
        self._entities: dict[str, Working] = {}
        #: Namespaces of which this transaction knows that nobody is deleting them.
        self._lasting: set[str] = set()
        #: The changes so far, under their numbers; how far the log is numbered, once that is known.
        self.changes: list[Row] = []
        self._head: int | None = None
        #: Rows that nobody reads before the end, by table: they are written at once.
        self._last: dict[str, list[Row]] = defaultdict(list)
        self._pending_names: list[Row] = []  # of entities that came, until somebody reads names
        self.ingesting = Ingesting()

    def names(self) -> StructuredTable:
        """Return the table of existing entities' names, as this transaction sees it."""
        (table := self.tx.table("entity_names")).upsert_all(self._pending_names)
        self._pending_names.clear()
        return table

    def expect(self, urns: Iterable[Urn]) -> None:
        """Load all these entities at once; any other is loaded on first use."""
        new = {str(urn): urn for urn in urns if str(urn) not in self._entities}
        rows = {row["urn"]: row for row in self.tx.table("entities").multi_read([(text,) for text in new])}
        aspects: dict[str, dict[str, Row]] = {text: {} for text in new}
        # What has no row never was, and has no aspects.
        for found in self.tx.table("aspects").multi_scan([Range.prefix(text) for text in rows]):
            aspects[found["urn"]][found["aspect"]] = found
        for text, urn in new.items():
            row = rows.get(text)
            has, exists = aspects[text], row is not None and not row["deleted"]
            self._entities[text] = Working(urn, row or self._new_row(urn), has, dict(has), exists, exists)

    def standing(self, urn: Urn, aspect: str) -> tuple[int, int | None]:
        """Return (version or -1, time in ms) of an aspect as this transaction sees it."""
        row = self._load(urn).aspects.get(aspect)
        return (ABSENT, None) if row is None or row["value"] is None else (row["version"], row["time"])

    def standing_united(self, urn: Urn, aspect: str) -> tuple[int, int | None]:
        """Return (version or -1, time in ms) of an aspect as DataHub's clients read it."""
        if aspect not in UNITED:
            return self.standing(urn, aspect)
        rows = self._load(urn).aspects
        return scope_union.standing(aspect, rows.get(aspect), rows.get(PEOPLE))

    def current(self, urn: Urn, aspect: str) -> Any | None:
        """Return the value of an aspect as this transaction sees it, None if it has none."""
        row = self._load(urn).aspects.get(aspect)
        return None if row is None or row["value"] is None else stored(row["value"])

    def check(self, proposal: Proposal) -> None:
        """Raise ConditionFailed unless the proposal's condition holds."""
        aspect = proposal.aspect or self.registry.type(proposal.urn.type).key_aspect
        version, time = (self.standing_united if proposal.united else self.standing)(proposal.urn, aspect)
        condition = proposal.condition
        if proposal.operation == "update":
            condition = replace(condition, exists=True)
        condition.check(f"{aspect} of this entity", ABSENT if proposal.operation in CREATING else version, time)

    def existed(self, urn: Urn) -> bool:
        """Return whether the entity existed before this transaction."""
        return self._load(urn).existed

    def is_implied(self, urn: Urn, aspect: str) -> bool:
        """Return whether this transaction created an aspect only because its entity needs it."""
        return aspect in self._load(urn).made

    def is_by_platform(self, urn: Urn, aspect: str) -> bool:
        """Return whether only the platform has written an aspect so far."""
        row = self._load(urn).aspects.get(aspect)
        return row is not None and bool(row.get("implied"))

    def spell(self, urn: Urn, spelling: str) -> None:
        """Store how DataHub's clients spell an entity's URN, if that differs from ours."""
        row = self._load(urn).row
        if spelling and row.get("spelling") != spelling:
            row["spelling"] = spelling
            self._last["entities"].append(row)

    def claim(self, urn: Urn, aspect: str) -> None:
        """Mark an aspect that the platform wrote as requested by a client."""
        if self.is_by_platform(urn, aspect):
            row = self._load(urn).aspects[aspect]
            row["implied"] = False
            self._last["aspects"].append(row)

    def refuse_ending(self, urn: Urn) -> None:
        """Raise NotFound for an entity of a namespace that is being deleted, NamespaceDeleting for the namespace itself."""
        name = self._load(urn).row["namespace"]
        if name not in self._lasting:
            if is_ending(self.tx, name):
                raise NamespaceDeleting(name) if urn.type == "namespace" else NotFound("namespace", name)
            self._lasting.add(name)

    def end_namespace(self, name: str) -> None:
        """Delete a namespace: its content becomes invisible at once, and `clear_namespace` deletes it."""
        self.remove_entity(namespace(name))
        ends = {"namespace": name, "actor": self.principal.user, "time": self.now}
        self.tx.table("deleting_namespaces").upsert(ends)

    def clear_namespace(self, name: str, limit: int) -> bool:
        """Delete some of the content of a deleted namespace; return True if nothing is left."""
        if not is_ending(self.tx, name):
            return True
        rows = list(self.names().scan(Range.prefix(name), limit))
        for row in rows:
            if self._load(urn := Urn.parse(row["urn"])).exists:
                self.remove_entity(urn)
        if not rows:
            self.tx.table("deleting_namespaces").delete((name,))
        return not rows

    def require(self, urn: Urn) -> None:
        """Raise NotFound unless the entity exists; an implicit entity exists with its parent."""
        if self._load(urn).exists:
            return
        holder = holder_of(urn, self.identity) if urn.type in UNDECLARED else urn
        if holder is not None and not self._load(holder).exists:
            raise NotFound("entity", str(holder))

    def ensure(self, urn: Urn, *, create_namespace: bool, system: SystemMetadata | None = None) -> None:
        """Make the entity exist, with its key aspect and `status`, of which its maker says the same as of itself.

        Raises NotFound when its namespace (for a namespace, itself) does not exist and may not be created.
        """
        self.refuse_ending(urn)
        entity = self._load(urn)
        if entity.exists:
            return
        if urn.type != "namespace":
            self._ensure_namespace(entity.row["namespace"], create_namespace)
        elif not create_namespace:
            raise NotFound("namespace", urn.parts[0])
        self._recreate(entity)
        if urn.type == "custom" and (holder := holder_of(urn, self.identity)) is not None:
            self.tx.table("containment").upsert({"parent": str(holder), "urn": str(urn)})
        kind = self.registry.type(urn.type)
        key = self.registry.aspect(urn.type, kind.key_aspect)
        entity.made[key.name] = self._write(entity, key, compact(key_aspect(urn, kind)), "create", None, system)
        status = self.registry.aspect(urn.type, "status")
        entity.made["status"] = self._write(entity, status, compact({"removed": False}), "create", None, system)
        for name in entity.made:
            entity.aspects[name]["implied"] = True

    def create_entity(self, urn: Urn, *, create_namespace: bool, system: SystemMetadata | None = None) -> Written:
        """Create the entity, as `ensure` does; one that this transaction has created is left unchanged."""
        new = not self._load(urn).exists
        self.ensure(urn, create_namespace=create_namespace, system=system)
        entity, key = self._load(urn), self.registry.type(urn.type).key_aspect
        self.claim(urn, key)
        return Written(urn, None, entity.aspects[key]["version"], entity.made[key] if new else None)

    def put(
        self,
        urn: Urn,
        spec: AspectSpec,
        value: Mapping[str, Any],
        run: str | None = None,
        system: SystemMetadata | None = None,
        *,
        implied: bool = False,
    ) -> Written:
        """Make a value the newest version of an aspect; an equal value changes no more than when it was observed.

        With `implied`, the platform writes it: an aspect that nobody else wrote stays one that can be created.
        """
        entity = self._load(urn)
        row = entity.aspects.get(spec.name)
        there = row is not None and row["value"] is not None
        if spec.name == _SCHEMA and row is not None and row["value"] is not None:
            value = self._keep_columns(urn, stored(row["value"]), value, run)
        text = compact(value)
        made = entity.made.pop(spec.name, None)
        if not implied:
            self.claim(urn, spec.name)
        is_new = row is None or row["value"] is None or bool(row.get("implied"))
        if row is not None and row["value"] == text:
            before = row["system"]
            if system is not None and made is None:
                self.observe(row, system_metadata.observe_again(codecs.system(row["system"]), system))
            if self._always_log and made is None:
                values = (text, text, before, row["system"])
                made = self.log(entity.row, spec.name, "update", row["version"], spec.scope, run, *values)
            return Written(urn, spec.name, row["version"], made)
        seq = self._write(entity, spec, text, "update" if there else "create", run, system)
        entity.aspects[spec.name]["implied"] = implied and is_new
        return Written(urn, spec.name, entity.aspects[spec.name]["version"], seq)

    def remove(
        self, urn: Urn, spec: AspectSpec, run: str | None = None, system: SystemMetadata | None = None
    ) -> Written:
        """Delete an aspect by a version without a value; an absent aspect is left unchanged."""
        entity = self._load(urn)
        row = entity.aspects.get(spec.name)
        if row is None or row["value"] is None:
            return Written(urn, spec.name, ABSENT, None)
        seq = self._write(entity, spec, None, "delete", run, system)
        return Written(urn, spec.name, ABSENT, seq)

    def remove_entity(self, urn: Urn) -> Written:
        """Delete an entity with its aspects and the entities it contains. Its accesses are kept (spec WRITE-14)."""
        entity = self._load(urn)
        if not entity.exists:
            raise NotFound("entity", str(urn))
        for held in list(self.held(urn)):
            self.remove_entity(held)
        for name, row in list(entity.aspects.items()):
            if row["value"] is not None:
                self._write(entity, self.registry.stored_aspect(urn.type, name), None, "delete", None)
        if self.tx.table("timeseries").delete_all(Range.prefix(str(urn))):
            self.ingesting.forget_moments(self.tx, str(urn))
        entity.row["deleted"] = True
        entity.exists = False
        self.names().delete((entity.row["namespace"], urn.type, entity.row["name"], str(urn)))
        seq = self.log(entity.row, None, "delete", ABSENT, "USER", None, None, None)
        return Written(urn, None, ABSENT, seq)

    def held(self, urn: Urn) -> Iterator[Urn]:
        """Yield the existing entities that this one directly contains; there may be thousands."""
        rows = self.tx.table("containment").scan(Range.prefix(str(urn)))
        prefix = held_prefix(urn)
        if prefix is not None:
            # "-" is the character after ",", so this takes every URN that begins so and no other.
            within = Range((prefix,), (prefix[:-1] + "-",), end_inclusive=False)
            rows = chain(rows, self.tx.table("entities").scan(within))
        return (one for row in rows if self._load(one := Urn.parse(row["urn"])).exists)

    def finish(self) -> None:
        """Write the changes and the entity rows, and update search once for each changed entity."""
        self.tx.log.append(self.changes)
        changed = [entity for entity in self._entities.values() if entity.changed]
        for entity in changed:
            removed = index.is_removed(self._searchable(entity.urn, entity.aspects))
            entity.row |= {"updated": self.now, "updated_by": self.principal.user, "removed": removed or None}
            self._last["entities"].append(entity.row)
        for table, rows in self._last.items():
            self.tx.table(table).upsert_all(rows)
        self.names()
        self.ingesting.finish(self.tx, self.now)
        for entity, spec, kept in self._grown:
            retention.trim(self.tx, entity.row, spec, kept, entity.aspects[spec.name], self.now)
        index.update_search_rows(self.tx, map(self._entity_change, changed))
        for one in changed:
            assertions.follow(self.tx, one.row, one.before, one.aspects)
            relationships.follow(self.tx, self.registry, one.row["urn"], one.urn.type, one.before, one.aspects)

    def log(
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
        # Nobody else's change comes between what a transaction reads and its end, so it counts on by itself.
        self._head = self.head() + 1
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
                "actor": self.principal.user,
                "via": self.principal.via,
                "run": run,
                "previous": previous,
                "value": value,
                "previous_system": previous_system,
                "system": system,
            }
        )
        return self._head

    def head(self) -> int:
        """Return the number of the newest change, also of this transaction."""
        return self.tx.log.head() if self._head is None else self._head

    def entity(self, urn: Urn) -> Row:
        """Return the entity's row as this transaction sees it."""
        return self._load(urn).row

    def _load(self, urn: Urn) -> Working:
        text = str(urn)
        if text not in self._entities:
            self.expect([urn])
        return self._entities[text]

    def _new_row(self, urn: Urn) -> Row:
        return {
            "urn": str(urn),
            "type": urn.type,
            "namespace": self.identity.namespace_of(urn),
            "name": self.identity.short_name(urn),
            "platform": self.identity.platform_of(urn),
            "deleted": True,
        }

    def _ensure_namespace(self, name: str, may_create: bool) -> None:
        if name == NO_NAMESPACE:
            return
        place = namespace(name)
        if self._load(place).exists:
            return
        if not may_create:
            raise NotFound("namespace", name)
        self.ensure(place, create_namespace=True)
        captured = self.facts.of_aspect("technicalMetadata", _CAPTURED, place, name)
        if captured is not None:
            self.put(place, self.registry.aspect("namespace", "technicalMetadata"), captured, implied=True)

    def _recreate(self, entity: Working) -> None:
        """Create an entity that was deleted before; its former values are not part of its history (spec ID-20)."""
        entity.row |= {"deleted": False, "created": self.now, "created_by": self.principal.user}
        entity.exists = True
        for row in entity.aspects.values():
            row["base"] = row["version"]
            self._last["aspects"].append(row)
        self._pending_names.append({name: entity.row[name] for name in ("namespace", "type", "name", "urn")})

    def _write(
        self,
        entity: Working,
        spec: AspectSpec,
        value: str | None,
        what: ChangeOperation,
        run: str | None,
        system: SystemMetadata | None = None,
    ) -> int:
        old = entity.aspects.get(spec.name, {})
        version = old.get("version", 0) + 1
        system_text = None if system is None else system.kept
        row = {
            "urn": entity.row["urn"],
            "aspect": spec.name,
            "version": version,
            "value": value,
            "actor": self.principal.user,
            "via": self.principal.via,
            "time": self.now,
            "system": system_text,
        }
        was = None if old.get("value") is None else run_in(old["system"])
        self.ingesting.follow(row["urn"], spec.name, was, system.run if system and value is not None else None)
        entity.aspects[spec.name] = row | {"base": old.get("base", 0), "floor": old.get("floor"), "implied": False}
        self._last["aspect_versions"].append(row)
        if old.get("value") is not None:
            self._last[past_values.TABLE] += past_values.lost(entity.row, spec, old, value, self.now)
        self._last["aspects"].append(entity.aspects[spec.name])
        entity.changed = True
        if version > 1 and (kept := self._retained.of(entity.urn.type, spec)) is not None:
            self._grown.append((entity, spec, kept))
        shown = ABSENT if value is None else version
        before = old.get("value"), value, old.get("system"), system_text
        return self.log(entity.row, spec.name, what, shown, spec.scope, run, *before)

    def observe(self, row: Row, system: SystemMetadata | None) -> None:
        """Write the system metadata of a present value without a new version or change; its run may differ now."""
        self.ingesting.follow(row["urn"], row["aspect"], run_in(row["system"]), system.run if system else None)
        row["system"] = None if system is None else compact(system.document)
        self._last["aspects"].append(row)
        self._last["aspect_versions"].append({name: row[name] for name in _OF_VERSION})

    def aspect(self, urn: Urn, name: str) -> Row | None:
        """Return an aspect's row as this transaction sees it."""
        return self._load(urn).aspects.get(name)

    def _keep_columns(self, urn: Urn, old: Any, new: Mapping[str, Any], run: str | None) -> Mapping[str, Any]:
        """Keep column metadata of the old schema that a new one does not mention; return the schema to write."""
        if urn.type == "dataset":
            for path, aspect, items in column_metadata.left_out(old, new):
                column = field(urn, path)
                value = column_metadata.united(aspect, self.current(column, aspect), items)
                if value is not None:
                    self.ensure(column, create_namespace=False)
                    self.put(column, self.registry.aspect(column.type, aspect), value, run)
        return column_metadata.with_descriptions(old, new)

    def _entity_change(self, one: Working) -> index.EntityChange:
        """Return the entity's change as the search index takes it."""
        before, now = (self._searchable(one.urn, aspects) for aspects in (one.before, one.aspects))
        return index.EntityChange(
            one.row, before, now, sources_of_truth.search_words(self.registry, one.row, one.aspects)
        )

    def _searchable(self, urn: Urn, aspects: Mapping[str, Row]) -> index.Aspects:
        """Return those of these aspects that search reads."""
        return index.searchable_aspects(self.registry.stored_type(urn.type), aspects)


_SCHEMA = "schemaMetadata"
#: The fields of a row of an aspect that its newest version has as well.
_OF_VERSION = ("urn", "aspect", "version", "value", "actor", "via", "time", "system")
#: What the product writes about a namespace that a recorder met (spec ID-15).
_CAPTURED = {"properties": {"origin": "captured"}, "tags": []}
