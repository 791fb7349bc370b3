"""Where glossary terms, term groups and domains are in their hierarchies."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model.hierarchy import DEPTH_MAX, find_parent
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.model.vocabulary import format_reference_text
from jupyter_colophon.service.entities.display_names import DisplayNameReader
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.storage.entities import aspects
from jupyter_colophon.storage.spi import StorageProvider, TableContext


@dataclass(frozen=True, slots=True)
class Ancestor:
    """An entity above another one, with its name."""

    urn: str
    name: str


@dataclass(frozen=True, slots=True)
class HierarchyReader:
    """Reads paths in hierarchies."""

    provider: StorageProvider
    registry: Registry
    read_policy: ReadPolicy

    def read_paths(self, urns: Sequence[Urn], principal: Principal) -> list[tuple[Urn, list[Ancestor]]]:
        """Return those of these entities that may be read, each with its ancestors, the top first.

        A path begins below an ancestor that may not be read.
        """
        visible = self.read_policy.filter_visible_entities(principal, urns)
        return self.provider.tx_runner.run(lambda tx: self._read_paths(tx, visible, principal), read_only=True)

    def _read_paths(
        self, tx: TableContext, urns: Sequence[Urn], principal: Principal
    ) -> list[tuple[Urn, list[Ancestor]]]:
        def read_aspect(urn: Urn, name: str) -> Any:
            aspect = aspects.find_aspect(tx, self.registry, urn.type, str(urn), name)
            return None if aspect is None else aspect.value

        @cache
        def find_visible_parent(urn: Urn) -> Urn | None:
            parent = find_parent(urn, read_aspect)
            return parent if parent is not None and self.read_policy.may_see_entity(tx, principal, parent) else None

        paths: list[tuple[Urn, list[Urn]]] = []
        for urn in urns:
            above: list[Urn] = []
            parent = find_visible_parent(urn)
            while parent is not None and len(above) < DEPTH_MAX:
                above.insert(0, parent)
                parent = find_visible_parent(parent)
            paths.append((urn, above))
        names = DisplayNameReader(tx, self.registry, self.read_policy, principal).read_given_names(
            {str(urn) for _, above in paths for urn in above}
        )
        return [
            (urn, [Ancestor(str(each), names.get(str(each)) or format_reference_text(str(each))) for each in above])
            for urn, above in paths
        ]
