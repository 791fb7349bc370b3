"""Properties and tags of an entity in both scopes, and who may see them (catalog.md 3.4)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.cursor import Cursors
from jupyter_colophon.core.entity import Aspect, EntitySummary
from jupyter_colophon.core.errors import Absent, IllegalQuery
from jupyter_colophon.core.holding import UNDECLARED, holder_of
from jupyter_colophon.core.lineage_keys import lineage_key
from jupyter_colophon.core.names import Urn
from jupyter_colophon.core.registry import Registry
from jupyter_colophon.core.scoped import Scoped, scoped
from jupyter_colophon.core.system_filter import SystemFilter
from jupyter_colophon.service.gate import Gate
from jupyter_colophon.storage import aspects
from jupyter_colophon.storage.spi import StorageProvider, TableContext
from jupyter_colophon.storage.writers import last_writer


@dataclass(frozen=True, slots=True)
class MetadataReader:
    """Reads metadata as scopes. Everything raises Absent for what the principal may not read."""

    provider: StorageProvider
    registry: Registry
    gate: Gate
    facts: SystemFilter
    cursors: Cursors

    def of(self, urn: Urn, namespace: str, principal: Principal, time: int | None = None) -> Scoped:
        """What is said of an entity of this namespace, or was said at a time (in ms).

        A field or a custom entity of which nothing is said is there as soon as what holds it is. The namespace is
        the stored one; with "" it is not asked for.
        """
        self.gate.require(principal, urn)
        return self.provider.tx_runner.run(lambda tx: self._read(tx, urn, namespace, principal, time), read_only=True)

    def require(self, urn: Urn, namespace: str, principal: Principal) -> None:
        """Raise Absent unless the entity is there, in this namespace."""
        self.gate.require(principal, urn)
        self.provider.tx_runner.run(lambda tx: self._required(tx, urn, namespace, None), read_only=True)

    def fields(self, urn: Urn, principal: Principal) -> list[str]:
        """The fields of a dataset of which something was said, sorted. Nobody need know the dataset for that."""
        self.gate.require(principal, urn)
        return sorted(self.provider.tx_runner.run(lambda tx: aspects.fields(tx, urn), read_only=True))

    def of_fields(
        self, urn: Urn, limit: int, cursor: str, principal: Principal
    ) -> tuple[list[tuple[EntitySummary, Scoped]], str | None]:
        """What was said of a dataset's fields, by URN, and where to read on; no more than `limit` are looked at.

        It is all that is in their aspects, and not what the catalog itself knows of every entity.
        """
        self.gate.require(principal, urn)
        after = ""
        if cursor:
            same, after = self.cursors.read("fields", cursor)
            if same != str(urn):
                raise IllegalQuery("is no cursor of this list", "cursor")

        def work(tx: TableContext) -> tuple[list[tuple[EntitySummary, Scoped]], str | None]:
            living, last = aspects.some_fields(tx, urn, after, limit)
            said = aspects.present_of(tx, self.registry, "schemaField", [one.urn for one in living])
            return [(one, self._said(one, said[one.urn])) for one in living], last

        found, last = self.provider.tx_runner.run(work, read_only=True)
        return found, None if last is None else self.cursors.write("fields", [str(urn), last])

    def _said(self, field: EntitySummary, of_it: Mapping[str, Aspect]) -> Scoped:
        return self._attached(scoped(None, of_it), {}, Urn.parse(field.urn), field.namespace)

    def _read(self, tx: TableContext, urn: Urn, namespace: str, principal: Principal, time: int | None) -> Scoped:
        summary = self._required(tx, urn, namespace, time)
        if summary is None:
            return scoped(None, {})
        if time is None:
            found = scoped(summary, aspects.present(tx, self.registry, urn.type, str(urn)))
        else:
            found = scoped(summary, aspects.at(tx, self.registry, urn.type, str(urn), time))
        # What the catalog itself knows is made here, and stored nowhere.
        return self._attached(found, self._last_program(tx, urn, principal, time), urn, summary.namespace)

    def _attached(self, found: Scoped, known: Mapping[str, str], urn: Urn, namespace: str) -> Scoped:
        """Of what machines said and what is `known` beside it, the keys that are attached."""
        said = self.facts.of_keys({**known, **found.system.properties}, urn, namespace)
        return replace(found, system=replace(found.system, properties=said))

    def _last_program(self, tx: TableContext, urn: Urn, principal: Principal, time: int | None) -> dict[str, str]:
        writer = last_writer(tx, str(urn), time) if urn.type == "dataset" else None
        identity = self.gate.identity
        if writer is None or not self.gate.may_read(principal, identity.namespace_of(program := Urn.parse(writer))):
            return {}
        return {"last-updated-by-program": lineage_key(program, identity)}

    def _required(self, tx: TableContext, urn: Urn, namespace: str, time: int | None) -> EntitySummary | None:
        """The entity; None for one that is there with its holder, and of which nothing is said. Raises Absent."""
        found = there = self._summary(tx, urn, time)
        if there is None and urn.type in UNDECLARED:
            holder = holder_of(urn, self.gate.identity)
            if holder is None:
                return None
            there = self._summary(tx, holder, time)
        if there is None or namespace not in ("", there.namespace):
            raise Absent("entity", str(urn))
        return found

    def _summary(self, tx: TableContext, urn: Urn, time: int | None) -> EntitySummary | None:
        if time is None:
            return aspects.summary(tx, str(urn))
        return aspects.summary_at(tx, self.registry, urn, time)
