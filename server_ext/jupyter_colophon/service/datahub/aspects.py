"""Read entities and aspects as DataHub shows them: any version of an aspect, and the key of any URN."""

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
from jupyter_colophon.service.datahub.lineage_as_aspects import derive_aspects
from jupyter_colophon.service.lineage.lineage_nodes import NodeCache
from jupyter_colophon.service.read_policy import Gate
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.entities.scope_union import add_people
from jupyter_colophon.storage.lineage.renames import absent_entity
from jupyter_colophon.storage.spi import StorageProvider, TableContext

#: The version of derived aspects: keys, and aspects from lineage.
DERIVED_VERSION = 0
#: Aspects by URN and name.
AspectsByUrn = dict[str, dict[str, Aspect]]


@dataclass(frozen=True, slots=True)
class AspectReader:
    """Reads aspects. What may not be read is treated as not found."""

    provider: StorageProvider
    registry: Registry
    gate: Gate

    def one(self, urn: Urn, name: str, version: int, principal: Principal) -> Aspect:
        """Return a version of an aspect: 0 is the current one, 1 the oldest, -1 the previous one. Raises NotFound."""
        self.gate.require(principal, urn)

        def work(tx: TableContext) -> Aspect | None:
            aspect = aspects.counted(tx, self.registry, urn.type, str(urn), name, version)
            aspect = None if aspect is None else VisibleValues(tx, self.gate, principal).aspect(aspect)
            if not version:
                present = {} if aspect is None else {name: aspect}
                aspect = add_people(tx, self.registry, urn, present, {name}).get(name)
            return aspect if aspect is not None or version else self._derived(tx, urn, {name}, principal).get(name)

        found = self.provider.tx_runner.run(work, read_only=True)
        if found is None:
            self.registry.aspect(urn.type, name)
        if found is None or not self.gate.may_see_value(principal, urn, found.value):
            kind = f"version {version} of {name} of entity" if version else f"{name} of entity"
            raise self.provider.tx_runner.run(lambda tx: absent_entity(tx, str(urn), kind), read_only=True)
        return _complete(urn, {name: found})[name]

    def entity(self, urn: Urn, names: Collection[str] | None, principal: Principal) -> dict[str, Aspect]:
        """Return all aspects of an entity, or only these; its key aspect comes first, even for an unknown entity."""
        kind = self.registry.stored_type(urn.type)
        wanted = None if names is None else {*names, kind.key_aspect}
        present = self.entities([urn], wanted, principal).get(str(urn), {})
        return {kind.key_aspect: present.get(kind.key_aspect) or self._key(urn)} | present

    def original_spellings(self, urns: Sequence[str]) -> list[str]:
        """Return the URNs in the spelling that DataHub's clients sent, if any. The caller has checked read access."""

        def work(tx: TableContext) -> dict[str, str]:
            rows = tx.table("entities").multi_read([(urn,) for urn in urns])
            return {row["urn"]: row["spelling"] for row in rows if row["spelling"]}

        found = self.provider.tx_runner.run(work, read_only=True)
        return [found.get(urn, urn) for urn in urns]

    def entities(self, urns: Sequence[Urn], names: Collection[str] | None, principal: Principal) -> AspectsByUrn:
        """Return the aspects of each of these entities that exists."""
        visible_urns = self.gate.filter_visible(principal, urns)

        def work(tx: TableContext) -> AspectsByUrn:
            existing = aspects.summaries(tx, [str(urn) for urn in visible_urns])
            found = {
                str(urn): self._read_aspects(tx, urn, names, principal, str(urn) in existing) for urn in visible_urns
            }
            return {urn: visible_aspects for urn, visible_aspects in found.items() if visible_aspects is not None}

        visible_aspects = self.provider.tx_runner.run(work, read_only=True)
        self.gate.record_reads(principal, (urn for urn in visible_urns if str(urn) in visible_aspects))
        return visible_aspects

    def _read_aspects(
        self, tx: TableContext, urn: Urn, names: Collection[str] | None, principal: Principal, exists: bool
    ) -> dict[str, Aspect] | None:
        """Return the aspects of an entity; None if there is none. Runs need not be entities."""
        if not exists:
            return (
                (self._derived(tx, urn, names, principal) or None)
                if urn.type == runs_as_process_instances.KIND
                else None
            )
        present = aspects.present(tx, self.registry, urn.type, str(urn), names)
        present = VisibleValues(tx, self.gate, principal).aspects(present)
        united = add_people(tx, self.registry, urn, present, names)
        return self._derived(tx, urn, names, principal) | _complete(urn, united)

    def _derived(
        self, tx: TableContext, urn: Urn, wanted: Collection[str] | None, principal: Principal
    ) -> dict[str, Aspect]:
        """Return the aspects of an entity that are derived from lineage."""
        found = derive_aspects(tx, urn, wanted, NodeCache(tx, self.gate, principal))
        return {name: Aspect(name, "SYSTEM", DERIVED_VERSION, value, "", None, 0) for name, value in found.items()}

    def _key(self, urn: Urn) -> Aspect:
        kind = self.registry.type(urn.type)
        return Aspect(kind.key_aspect, "SYSTEM", DERIVED_VERSION, key_aspect(urn, kind), "", None, 0)


def _complete(urn: Urn, found: Mapping[str, Aspect]) -> dict[str, Aspect]:
    """Add members that DataHub's classes require, and our own APIs do not."""
    return {name: replace(one, value=whole(urn, name, one.value)) for name, one in found.items()}
