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
from jupyter_colophon.core.model.retention import ALL_KEPT, Kept, Retention
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
    """What one principal changes in one transaction. `finish` must be called last."""

    def __init__(
        self,
        tx: TableContext,
        registry: Registry,
        identity: Identity,
        principal: Principal,
        now: int,
        facts: SystemFilter = EVERYTHING,
        retained: Retention = ALL_KEPT,
        *,
        always_log: bool = False,
    ) -> None:
        self.tx, self.registry, self.identity, self.principal, self.now = tx, registry, identity, principal, now
        self.facts, self._retained, self._always_log = facts, retained, always_log
        #: Aspects with a version more than before, of those that may not have all of them.
        self._grown: list[tuple[Working, AspectSpec, Kept]] = []
        self._entities: dict[str, Working] = {}
        #: Namespaces of which this transaction knows that nobody is deleting them.
        self._lasting: set[str] = set()
        #: The changes so far, under their numbers; how far the log is numbered, once that is known.
        self.changes: list[Row] = []
        self._head: int | None = None
        #: Rows that nobody reads before the end, by table: they are written at once.
        self._last: dict[str, list[Row]] = defaultdict(list)
        self._named: list[Row] = []  # of entities that came, until somebody reads names
        self.ingesting = Ingesting()

    def names(self) -> StructuredTable:
        """The table of the living entities' names, as this transaction sees it."""
        (table := self.tx.table("entity_names")).upsert_all(self._named)
        self._named.clear()
        return table

    def expect(self, urns: Iterable[Urn]) -> None:
        """Look at all these entities at once; any other is looked at when it is asked for."""
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
        """(version or -1, time in ms) of an aspect as this transaction sees it."""
        row = self._open(urn).aspects.get(aspect)
        return (ABSENT, None) if row is None or row["value"] is None else (row["version"], row["time"])

    def standing_united(self, urn: Urn, aspect: str) -> tuple[int, int | None]:
        """Return (version or -1, time in ms) of an aspect as DataHub's clients read it."""
        if aspect not in UNITED:
            return self.standing(urn, aspect)
        rows = self._open(urn).aspects
        return scope_union.standing(aspect, rows.get(aspect), rows.get(PEOPLE))

    def current(self, urn: Urn, aspect: str) -> Any | None:
        """The value of an aspect as this transaction sees it."""
        row = self._open(urn).aspects.get(aspect)
        return None if row is None or row["value"] is None else stored(row["value"])

    def check(self, proposal: Proposal) -> None:
        """Raise ConditionFailed unless the proposal's condition holds now."""
        aspect = proposal.aspect or self.registry.type(proposal.urn.type).key_aspect
        version, time = (self.standing_united if proposal.united else self.standing)(proposal.urn, aspect)
        condition = proposal.condition
        if proposal.operation == "update":
            condition = replace(condition, exists=True)
        condition.check(f"{aspect} of this entity", ABSENT if proposal.operation in CREATING else version, time)

    def was_there(self, urn: Urn) -> bool:
        """Whether the entity existed before this transaction."""
        return self._open(urn).existed

    def is_implied(self, urn: Urn, aspect: str) -> bool:
        """Whether this transaction made an aspect with its entity, and nobody has asked for it."""
        return aspect in self._open(urn).made

    def is_by_platform(self, urn: Urn, aspect: str) -> bool:
        """Whether the platform alone wrote an aspect: nobody has created it yet."""
        row = self._open(urn).aspects.get(aspect)
        return row is not None and bool(row.get("implied"))

    def spell(self, urn: Urn, spelling: str) -> None:
        """Remember how DataHub's clients spell the URN of an entity; nothing where they spell it as we do."""
        row = self._open(urn).row
        if spelling and row.get("spelling") != spelling:
            row["spelling"] = spelling
            self._last["entities"].append(row)

    def claim(self, urn: Urn, aspect: str) -> None:
        """Make an aspect that the platform wrote one that somebody has asked for."""
        if self.is_by_platform(urn, aspect):
            row = self._open(urn).aspects[aspect]
            row["implied"] = False
            self._last["aspects"].append(row)

    def refuse_ending(self, urn: Urn) -> None:
        """Raise NotFound for an entity of a namespace that is being deleted, NamespaceDeleting for the namespace itself."""
        name = self._open(urn).row["namespace"]
        if name not in self._lasting:
            if is_ending(self.tx, name):
                raise NamespaceDeleting(name) if urn.type == "namespace" else NotFound("namespace", name)
            self._lasting.add(name)

    def end_namespace(self, name: str) -> None:
        """Take a namespace away: what it holds is gone for everybody, and `clear_namespace` takes it away."""
        self.remove_entity(namespace(name))
        ends = {"namespace": name, "actor": self.principal.user, "time": self.now}
        self.tx.table("deleting_namespaces").upsert(ends)

    def clear_namespace(self, name: str, limit: int) -> bool:
        """Take away some of what a deleted namespace holds; True when nothing was left."""
        if not is_ending(self.tx, name):
            return True
        rows = list(self.names().scan(Range.prefix(name), limit))
        for row in rows:
            if self._open(urn := Urn.parse(row["urn"])).exists:
                self.remove_entity(urn)
        if not rows:
            self.tx.table("deleting_namespaces").delete((name,))
        return not rows

    def require(self, urn: Urn) -> None:
        """Raise NotFound unless the entity exists; one that need not be made known exists with its holder."""
        if self._open(urn).exists:
            return
        holder = holder_of(urn, self.identity) if urn.type in UNDECLARED else urn
        if holder is not None and not self._open(holder).exists:
            raise NotFound("entity", str(holder))

    def ensure(self, urn: Urn, *, create_namespace: bool, system: SystemMetadata | None = None) -> None:
        """Make the entity exist, with its key aspect and `status`, of which its maker says the same as of itself.

        Raises NotFound when its namespace (for a namespace, itself) does not exist and may not be created.
        """
        self.refuse_ending(urn)
        entity = self._open(urn)
        if entity.exists:
            return
        if urn.type != "namespace":
            self._ensure_namespace(entity.row["namespace"], create_namespace)
        elif not create_namespace:
            raise NotFound("namespace", urn.parts[0])
        self._revive(entity)
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
        """Make the entity exist, as `ensure` does; one that this transaction made already stays as it is."""
        new = not self._open(urn).exists
        self.ensure(urn, create_namespace=create_namespace, system=system)
        entity, key = self._open(urn), self.registry.type(urn.type).key_aspect
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
        entity = self._open(urn)
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
                self.observe(row, system_metadata.observed(codecs.system(row["system"]), system))
            if self._always_log and made is None:
                told = (text, text, before, row["system"])
                made = self.log(entity.row, spec.name, "update", row["version"], spec.scope, run, *told)
            return Written(urn, spec.name, row["version"], made)
        seq = self._write(entity, spec, text, "update" if there else "create", run, system)
        entity.aspects[spec.name]["implied"] = implied and is_new
        return Written(urn, spec.name, entity.aspects[spec.name]["version"], seq)

    def remove(
        self, urn: Urn, spec: AspectSpec, run: str | None = None, system: SystemMetadata | None = None
    ) -> Written:
        """Take an aspect away: a version without a value. An absent one stays so."""
        entity = self._open(urn)
        row = entity.aspects.get(spec.name)
        if row is None or row["value"] is None:
            return Written(urn, spec.name, ABSENT, None)
        seq = self._write(entity, spec, None, "delete", run, system)
        return Written(urn, spec.name, ABSENT, seq)

    def remove_entity(self, urn: Urn) -> Written:
        """Take an entity away with all its aspects, and what it holds. Its accesses stay (spec WRITE-14)."""
        entity = self._open(urn)
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
        """The living entities that this one holds itself, looked at one by one: there may be thousands."""
        rows = self.tx.table("containment").scan(Range.prefix(str(urn)))
        prefix = held_prefix(urn)
        if prefix is not None:
            # "-" is the character after ",", so this takes every URN that begins so and no other.
            within = Range((prefix,), (prefix[:-1] + "-",), end_inclusive=False)
            rows = chain(rows, self.tx.table("entities").scan(within))
        return (one for row in rows if self._open(one := Urn.parse(row["urn"])).exists)

    def finish(self) -> None:
        """Write the changes and the entity rows, and bring search up to date, once for each entity that changed."""
        self.tx.log.append(self.changes)
        changed = [entity for entity in self._entities.values() if entity.changed]
        for entity in changed:
            removed = index.is_removed(self._said(entity.urn, entity.aspects))
            entity.row |= {"updated": self.now, "updated_by": self.principal.user, "removed": removed or None}
            self._last["entities"].append(entity.row)
        for table, rows in self._last.items():
            self.tx.table(table).upsert_all(rows)
        self.names()
        self.ingesting.finish(self.tx, self.now)
        for entity, spec, kept in self._grown:
            retention.trim(self.tx, entity.row, spec, kept, entity.aspects[spec.name], self.now)
        index.refresh(self.tx, map(self._becoming, changed))
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
        """Add a row to the change log about an entity; returns its number."""
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
        """The entity's row as this transaction sees it."""
        return self._open(urn).row

    def _open(self, urn: Urn) -> Working:
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
        if self._open(place).exists:
            return
        if not may_create:
            raise NotFound("namespace", name)
        self.ensure(place, create_namespace=True)
        said = self.facts.of_aspect("technicalMetadata", _CAPTURED, place, name)
        if said is not None:
            self.put(place, self.registry.aspect("namespace", "technicalMetadata"), said, implied=True)

    def _revive(self, entity: Working) -> None:
        """A new life: what was there before is no part of its history (spec ID-20)."""
        entity.row |= {"deleted": False, "created": self.now, "created_by": self.principal.user}
        entity.exists = True
        for row in entity.aspects.values():
            row["base"] = row["version"]
            self._last["aspects"].append(row)
        self._named.append({name: entity.row[name] for name in ("namespace", "type", "name", "urn")})

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
        said = None if system is None else system.kept
        row = {
            "urn": entity.row["urn"],
            "aspect": spec.name,
            "version": version,
            "value": value,
            "actor": self.principal.user,
            "via": self.principal.via,
            "time": self.now,
            "system": said,
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
        before = old.get("value"), value, old.get("system"), said
        return self.log(entity.row, spec.name, what, shown, spec.scope, run, *before)

    def observe(self, row: Row, system: SystemMetadata | None) -> None:
        """Say this of the value that an aspect has: no version, and no change, but another run may have it now."""
        self.ingesting.follow(row["urn"], row["aspect"], run_in(row["system"]), system.run if system else None)
        row["system"] = None if system is None else compact(system.document)
        self._last["aspects"].append(row)
        self._last["aspect_versions"].append({name: row[name] for name in _OF_VERSION})

    def aspect(self, urn: Urn, name: str) -> Row | None:
        """An aspect's row as this transaction sees it."""
        return self._open(urn).aspects.get(name)

    def _keep_columns(self, urn: Urn, old: Any, new: Mapping[str, Any], run: str | None) -> Mapping[str, Any]:
        """Keep what an old schema said about columns and a new one does not mention; returns the new one to write."""
        if urn.type == "dataset":
            for path, aspect, items in column_metadata.left_out(old, new):
                column = field(urn, path)
                value = column_metadata.united(aspect, self.current(column, aspect), items)
                if value is not None:
                    self.ensure(column, create_namespace=False)
                    self.put(column, self.registry.aspect(column.type, aspect), value, run)
        return column_metadata.with_descriptions(old, new)

    def _becoming(self, one: Working) -> index.Becoming:
        """An entity as search knew it, and as it is to know it."""
        before, now = (self._said(one.urn, aspects) for aspects in (one.before, one.aspects))
        return index.Becoming(one.row, before, now, sources_of_truth.search_words(self.registry, one.row, one.aspects))

    def _said(self, urn: Urn, aspects: Mapping[str, Row]) -> index.Aspects:
        """What search knows of these aspects."""
        return index.described(self.registry.stored_type(urn.type), aspects)


_SCHEMA = "schemaMetadata"
#: The fields of a row of an aspect that its newest version has as well.
_OF_VERSION = ("urn", "aspect", "version", "value", "actor", "via", "time", "system")
#: What the product writes about a namespace that a recorder met (spec ID-15).
_CAPTURED = {"properties": {"origin": "captured"}, "tags": []}
