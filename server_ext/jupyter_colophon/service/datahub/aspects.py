"""Read entities and aspects as DataHub shows them: any version of an aspect, and the key of any URN."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.datahub.required_fields import fill_required_fields
from jupyter_colophon.core.entities.entity import Aspect
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.key_aspect import build_key_aspect
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.service.aspect_redaction import AspectRedactor
from jupyter_colophon.service.datahub import expectations_as_assertions, runs_as_process_instances
from jupyter_colophon.service.datahub.expectations_as_assertions import DerivedAssertions
from jupyter_colophon.service.datahub.lineage_as_aspects import derive_lineage_aspects
from jupyter_colophon.service.lineage.lineage_nodes import NodeCache
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.entities.scope_union import merge_user_entries_into_aspects
from jupyter_colophon.storage.lineage.renames import build_not_found_or_renamed_error
from jupyter_colophon.storage.spi import StorageProvider, TableContext

#: The version of derived aspects: keys, and aspects from lineage and expectations.
DERIVED_VERSION = 0
#: Aspects by URN and name.
AspectsByUrn = dict[str, dict[str, Aspect]]


@dataclass(frozen=True, slots=True)
class AspectReader:
    """Reads aspects. What may not be read is treated as not found."""

    provider: StorageProvider
    registry: Registry
    read_policy: ReadPolicy

    def read_aspect(self, urn: Urn, name: str, version: int, principal: Principal) -> Aspect:
        """Return a version of an aspect: 0 is the current one, 1 the oldest, -1 the previous one. Raises NotFound."""
        self.read_policy.require_readable_entity(principal, urn)

        def find_aspect(tx: TableContext) -> Aspect | None:
            aspect = aspects.find_aspect_version(tx, self.registry, urn.type, str(urn), name, version)
            if aspect is not None:
                aspect = AspectRedactor(tx, self.registry, self.read_policy, principal).redact_aspect(str(urn), aspect)
            if not version:
                present = {} if aspect is None else {name: aspect}
                aspect = merge_user_entries_into_aspects(tx, self.registry, urn, present, {name}).get(name)
            return (
                aspect if aspect is not None or version else self._derive_aspects(tx, urn, {name}, principal).get(name)
            )

        visible_aspect = self.provider.tx_runner.run(find_aspect, read_only=True)
        if visible_aspect is None:
            self.registry.get_aspect(urn.type, name)
        if visible_aspect is None or not self.read_policy.may_see_instance_version(
            principal, urn, visible_aspect.value
        ):
            kind = f"version {version} of {name} of entity" if version else f"{name} of entity"
            raise self.provider.tx_runner.run(
                lambda tx: build_not_found_or_renamed_error(tx, str(urn), kind), read_only=True
            )
        return _fill_required_fields_of_aspects(urn, {name: visible_aspect})[name]

    def read_aspects_of_entity(
        self, urn: Urn, names: Collection[str] | None, principal: Principal
    ) -> dict[str, Aspect]:
        """Return all aspects of an entity, or only these; its key aspect comes first, even for an unknown entity."""
        kind = self.registry.get_type_or_unregistered(urn.type)
        requested = None if names is None else {*names, kind.key_aspect}
        present = self.read_aspects_of_existing_entities([urn], requested, principal).get(str(urn), {})
        return {kind.key_aspect: present.get(kind.key_aspect) or self._create_key_aspect(urn)} | present

    def read_original_spellings(self, urns: Sequence[str]) -> list[str]:
        """Return the URNs in the spelling that DataHub's clients sent, if any. The caller has checked read access."""

        def read_spellings(tx: TableContext) -> dict[str, str]:
            rows = tx.get_table("entities").read_many([(urn,) for urn in urns])
            return {row["urn"]: row["spelling"] for row in rows if row["spelling"]}

        spellings = self.provider.tx_runner.run(read_spellings, read_only=True)
        return [spellings.get(urn, urn) for urn in urns]

    def read_aspects_of_existing_entities(
        self, urns: Sequence[Urn], names: Collection[str] | None, principal: Principal
    ) -> AspectsByUrn:
        """Return the aspects of each of these entities that exists."""
        visible_urns = self.read_policy.filter_visible_entities(principal, urns)
        for urn in set(urns).difference(visible_urns):
            self.read_policy.access_control.record_denial(principal, "read", str(urn))

        def read_existing(tx: TableContext) -> AspectsByUrn:
            existing = aspects.find_entity_summaries(tx, [str(urn) for urn in visible_urns])
            aspects_by_urn = {
                str(urn): self._read_stored_and_derived_aspects(tx, urn, names, principal, str(urn) in existing)
                for urn in visible_urns
            }
            return {
                urn: visible_aspects for urn, visible_aspects in aspects_by_urn.items() if visible_aspects is not None
            }

        visible_aspects = self.provider.tx_runner.run(read_existing, read_only=True)
        self.read_policy.record_audited_reads(principal, (urn for urn in visible_urns if str(urn) in visible_aspects))
        return visible_aspects

    def _read_stored_and_derived_aspects(
        self, tx: TableContext, urn: Urn, names: Collection[str] | None, principal: Principal, exists: bool
    ) -> dict[str, Aspect] | None:
        """Return the aspects of an entity; None if there is none. Runs and expectations need not be entities."""
        if not exists:
            is_derived = urn.type in (runs_as_process_instances.KIND, expectations_as_assertions.KIND)
            return (self._derive_aspects(tx, urn, names, principal) or None) if is_derived else None
        present = aspects.read_present_aspects(tx, self.registry, urn.type, str(urn), names)
        present = AspectRedactor(tx, self.registry, self.read_policy, principal).redact_aspects(str(urn), present)
        united = merge_user_entries_into_aspects(tx, self.registry, urn, present, names)
        return self._derive_aspects(tx, urn, names, principal) | _fill_required_fields_of_aspects(urn, united)

    def _derive_aspects(
        self, tx: TableContext, urn: Urn, requested: Collection[str] | None, principal: Principal
    ) -> dict[str, Aspect]:
        """Return the aspects of an entity that are derived from lineage, or from an expectation."""
        nodes = NodeCache(tx, self.read_policy, principal)
        values_by_name: Mapping[str, Mapping[str, Any]] = (
            DerivedAssertions(tx, self.registry, nodes).derive_aspects(urn, requested)
            if urn.type == expectations_as_assertions.KIND
            else derive_lineage_aspects(tx, urn, requested, nodes)
        )
        return {
            name: Aspect(name, "SYSTEM", DERIVED_VERSION, value, "", None, 0) for name, value in values_by_name.items()
        }

    def _create_key_aspect(self, urn: Urn) -> Aspect:
        kind = self.registry.get_type(urn.type)
        return Aspect(kind.key_aspect, "SYSTEM", DERIVED_VERSION, build_key_aspect(urn, kind), "", None, 0)


def _fill_required_fields_of_aspects(urn: Urn, present_aspects: Mapping[str, Aspect]) -> dict[str, Aspect]:
    """Add members that DataHub's classes require, and our own APIs do not."""
    return {
        name: replace(aspect, value=fill_required_fields(urn, name, aspect.value))
        for name, aspect in present_aspects.items()
    }
