"""Entities and their aspects as DataHub tells them: any version of one, and the key of whatever a URN names."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.datahub.required_fields import whole
from jupyter_colophon.core.entities.entity import Aspect
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.key_aspect import key_aspect
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.service.aspect_redaction import VisibleValues
from jupyter_colophon.service.datahub import runs_as_process_instances
from jupyter_colophon.service.datahub.lineage_as_aspects import seen
from jupyter_colophon.service.lineage.lineage_nodes import NodeCache
from jupyter_colophon.service.read_policy import Gate
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.entities.scope_union import add_people
from jupyter_colophon.storage.lineage.renames import absent_entity
from jupyter_colophon.storage.spi import StorageProvider, TableContext

#: The version of what nobody wrote: a key, or what lineage says.
UNWRITTEN = 0
#: What is said of each entity, by its URN and the aspect's name.
Said = dict[str, dict[str, Aspect]]


@dataclass(frozen=True, slots=True)
class AspectReader:
    """Reads aspects. What may not be read is not there."""

    provider: StorageProvider
    registry: Registry
    gate: Gate

    def one(self, urn: Urn, name: str, version: int, principal: Principal) -> Aspect:
        """A version of an aspect: 0 is the present one, 1 the oldest, -1 the one before the present. Raises NotFound."""
        self.gate.require(principal, urn)

        def work(tx: TableContext) -> Aspect | None:
            held = aspects.counted(tx, self.registry, urn.type, str(urn), name, version)
            held = None if held is None else VisibleValues(tx, self.gate, principal).aspect(held)
            if not version:
                present = {} if held is None else {name: held}
                held = add_people(tx, self.registry, urn, present, {name}).get(name)
            return held if held is not None or version else self._seen(tx, urn, {name}, principal).get(name)

        found = self.provider.tx_runner.run(work, read_only=True)
        if found is None:
            self.registry.aspect(urn.type, name)
        if found is None or not self.gate.may_see_value(principal, urn, found.value):
            kind = f"version {version} of {name} of entity" if version else f"{name} of entity"
            raise self.provider.tx_runner.run(lambda tx: absent_entity(tx, str(urn), kind), read_only=True)
        return _whole(urn, {name: found})[name]

    def entity(self, urn: Urn, names: Collection[str] | None, principal: Principal) -> dict[str, Aspect]:
        """What is said of an entity, by these aspects alone or by all; its key comes first, also where nothing is said."""
        kind = self.registry.stored_type(urn.type)
        wanted = None if names is None else {*names, kind.key_aspect}
        present = self.entities([urn], wanted, principal).get(str(urn), {})
        return {kind.key_aspect: present.get(kind.key_aspect) or self._key(urn)} | present

    def spelled(self, urns: Sequence[str]) -> list[str]:
        """Return these URNs as DataHub's clients sent them, ours where they sent none; the answer has only what may be read."""

        def work(tx: TableContext) -> dict[str, str]:
            rows = tx.table("entities").multi_read([(urn,) for urn in urns])
            return {row["urn"]: row["spelling"] for row in rows if row["spelling"]}

        found = self.provider.tx_runner.run(work, read_only=True)
        return [found.get(urn, urn) for urn in urns]

    def entities(self, urns: Sequence[Urn], names: Collection[str] | None, principal: Principal) -> Said:
        """What is said of each of these entities that is there."""
        shown = self.gate.filter_visible(principal, urns)

        def work(tx: TableContext) -> Said:
            there = aspects.summaries(tx, [str(urn) for urn in shown])
            found = {str(urn): self._told(tx, urn, names, principal, str(urn) in there) for urn in shown}
            return {urn: told for urn, told in found.items() if told is not None}

        told = self.provider.tx_runner.run(work, read_only=True)
        self.gate.record_reads(principal, (urn for urn in shown if str(urn) in told))
        return told

    def _told(
        self, tx: TableContext, urn: Urn, names: Collection[str] | None, principal: Principal, is_there: bool
    ) -> dict[str, Aspect] | None:
        """What is said of an entity; None where there is none. Runs need not be entities."""
        if not is_there:
            return (
                (self._seen(tx, urn, names, principal) or None) if urn.type == runs_as_process_instances.KIND else None
            )
        present = aspects.present(tx, self.registry, urn.type, str(urn), names)
        present = VisibleValues(tx, self.gate, principal).aspects(present)
        united = add_people(tx, self.registry, urn, present, names)
        return self._seen(tx, urn, names, principal) | _whole(urn, united)

    def _seen(
        self, tx: TableContext, urn: Urn, wanted: Collection[str] | None, principal: Principal
    ) -> dict[str, Aspect]:
        """What lineage says of an entity, as aspects that nobody wrote."""
        found = seen(tx, urn, wanted, NodeCache(tx, self.gate, principal))
        return {name: Aspect(name, "SYSTEM", UNWRITTEN, value, "", None, 0) for name, value in found.items()}

    def _key(self, urn: Urn) -> Aspect:
        kind = self.registry.type(urn.type)
        return Aspect(kind.key_aspect, "SYSTEM", UNWRITTEN, key_aspect(urn, kind), "", None, 0)


def _whole(urn: Urn, found: Mapping[str, Aspect]) -> dict[str, Aspect]:
    """What our own doors take without all that DataHub's classes require, with it."""
    return {name: replace(one, value=whole(urn, name, one.value)) for name, one in found.items()}
