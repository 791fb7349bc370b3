"""The names by which people know entities, where these differ from the names in their URNs.

Names are read when they are shown (docs/decisions/0018-names-of-references-are-resolved-by-readers.md), those of a page
together.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.entities.descriptors_of import list_aspect_descriptors
from jupyter_colophon.core.entities.entity import Aspect
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import Urn, parse_notebook_program_urn
from jupyter_colophon.core.instances.instance_namespaces import INSTANCE
from jupyter_colophon.core.lineage.graph import ALL_TIME
from jupyter_colophon.core.lineage.written_data_name import format_written_data_name
from jupyter_colophon.core.model.registry import EntityType, Registry
from jupyter_colophon.core.model.vocabulary import NAMING, may_contribute_kind
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.lineage.writers import WRITING
from jupyter_colophon.storage.spi import StorageProvider, TableContext

#: Types whose entities are known by the names in their URNs.
_KNOWN_BY_URN: Final = frozenset({"dataset", "schemaField", "namespace"})
#: How many written data of unnamed cells are read for one page.
_WRITTEN_MAX: Final = 1_000


@dataclass(frozen=True, slots=True)
class DisplayNameReader:
    """Reads names that a principal may see, in one transaction."""

    tx: TableContext
    registry: Registry
    read_policy: ReadPolicy
    principal: Principal

    def read_display_names(self, urns: Iterable[str]) -> dict[str, str]:
        """Return the display names of these entities, by URN, without unnamed or unreadable ones.

        A notebook's cell without a name is named by the data that it writes.
        """
        parsed = _parse_urns_of_named_types(urns)
        names = self._read_given_names(parsed)
        # Most entities have no such name: the others need no decision.
        readable = self._filter_readable(
            {urn: entity for urn, entity in parsed.items() if urn in names or _is_cell(entity)}
        )
        cells = [urn for urn in readable if urn not in names]
        return {urn: names[urn] for urn in readable if urn in names} | self._name_cells_by_written_data(cells)

    def read_given_names(self, urns: Iterable[str]) -> dict[str, str]:
        """Return the names that were given to these entities, by URN, without unnamed or unreadable ones."""
        parsed = _parse_urns_of_named_types(urns)
        names = self._read_given_names(parsed)
        return {urn: names[urn] for urn in self._filter_readable({urn: parsed[urn] for urn in names})}

    def _read_given_names(self, parsed: Mapping[str, Urn]) -> dict[str, str]:
        naming = {type_: self._list_naming_aspects(type_) for type_ in {urn.type for urn in parsed.values()}}
        keys = [(str(urn), name) for urn in dict.fromkeys(parsed.values()) for name in naming[urn.type]]
        names_by_urn: dict[str, dict[str, str]] = defaultdict(dict)
        for urn, aspect in aspects.iterate_aspects_of_keys(self.tx, self.registry, keys) if keys else ():
            if name := _get_name_in_aspect(self.registry.get_type_or_unregistered(Urn.parse(urn).type), aspect):
                names_by_urn[urn][aspect.name] = name
        return {
            urn: next(by_aspect[name] for name in naming[entity.type] if name in by_aspect)
            for urn, entity in parsed.items()
            if (by_aspect := names_by_urn.get(str(entity)))
        }

    def _list_naming_aspects(self, type_: str) -> Sequence[str]:
        """Return the aspects that name an entity of this type, in order of preference."""
        if type_ in NAMING:
            return NAMING[type_]
        if type_ in _KNOWN_BY_URN:
            return ()
        if type_ == INSTANCE:
            return (INSTANCE,)
        specs = self.registry.get_type_or_unregistered(type_).aspects
        names = [spec.name for spec in specs if may_contribute_kind("name", spec.name, spec.contributes)]
        return sorted(names, key=lambda name: (not name.startswith("editable"), name))

    def _name_cells_by_written_data(self, cells: Sequence[str]) -> dict[str, str]:
        """Return the names of those of these cells that wrote something that may be seen."""
        if not cells:
            return {}
        found = self.tx.edges.find_neighbours("program", cells, WRITING, ALL_TIME, _WRITTEN_MAX)
        readable = self._filter_readable(_parse_valid_urns(data for data, _, _ in found))
        written: defaultdict[str, set[str]] = defaultdict(set)
        for data, program, _ in found:
            if data in readable:
                written[program].add(data)
        return {program: format_written_data_name(sorted(data)) for program, data in written.items()}

    def _filter_readable(self, parsed: Mapping[str, Urn]) -> dict[str, Urn]:
        """Return those of these entities that may be seen."""
        visible = self.read_policy.filter_visible(self.tx, self.principal, parsed.items(), lambda item: (item[1], None))
        return dict(visible)


@dataclass(frozen=True, slots=True)
class DisplayNameService:
    """Reads display names in a transaction of its own."""

    provider: StorageProvider
    registry: Registry
    read_policy: ReadPolicy

    def read_display_names(self, urns: Collection[Urn], principal: Principal) -> Mapping[str, str]:
        """Return the display names of these entities, by URN, without unnamed or unreadable ones."""
        return self.provider.tx_runner.run(
            lambda tx: DisplayNameReader(tx, self.registry, self.read_policy, principal).read_display_names(
                map(str, urns)
            ),
            read_only=True,
        )


def _get_name_in_aspect(kind: EntityType, aspect: Aspect) -> str:
    if aspect.name == INSTANCE:
        name = aspect.value.get("display_name")
        return name if isinstance(name, str) else ""
    return next((found.text for found in list_aspect_descriptors(kind, aspect) if found.kind == "name"), "")


def _parse_valid_urns(urns: Iterable[str]) -> dict[str, Urn]:
    return {urn: entity for urn in urns if (entity := _parse_urn_or_none(urn)) is not None}


def _parse_urns_of_named_types(urns: Iterable[str]) -> dict[str, Urn]:
    """Return the valid URNs, without those of types that are known by their URN."""
    return {urn: entity for urn, entity in _parse_valid_urns(urns).items() if entity.type not in _KNOWN_BY_URN}


def _parse_urn_or_none(urn: str) -> Urn | None:
    try:
        return Urn.parse(urn)
    except InvalidName:
        return None


def _is_cell(urn: Urn) -> bool:
    notebook = parse_notebook_program_urn(urn)
    return notebook is not None and notebook[1] is not None
