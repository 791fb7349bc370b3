"""Lineage nodes: their entities, and which of them a principal may see (spec SEC-4)."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.identity.names import APPLICATION_ORCHESTRATOR, Urn
from jupyter_colophon.core.model import declared_lineage
from jupyter_colophon.service.lineage.lineage_traversal import is_data_node
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.storage.lineage import runs
from jupyter_colophon.storage.spi import Row, TableContext

#: The columns of entities that responses show, and on which access depends.
_COLUMNS = ("urn", "type", "namespace", "name", "platform", "deleted", "updated")


@dataclass(slots=True)
class NodeCache:
    """A cache of the nodes of one query."""

    tx: TableContext
    read_policy: ReadPolicy
    principal: Principal
    _rows: dict[str, Row] = field(default_factory=dict)
    _visible: dict[str, bool] = field(default_factory=dict)

    def get_or_create_node_rows(self, urns: Iterable[str]) -> dict[str, Row]:
        """Return their entity rows; declared lineage and data without an entity get a synthetic row."""
        requested = list(urns)
        missing = [urn for urn in requested if urn not in self._rows]
        if missing:
            found = self.tx.get_table("entities").read_many([(urn,) for urn in missing], _COLUMNS)
            self._rows |= {row["urn"]: row for row in found}
            self._rows |= {urn: self._create_synthetic_row(urn) for urn in missing if urn not in self._rows}
        return {urn: self._rows[urn] for urn in requested}

    def read_program_titles(self, urns: Iterable[str]) -> dict[str, str]:
        """Return the titles of programs that have one."""
        programs = [urn for urn in urns if not is_data_node(urn)]
        rows = self.get_or_create_node_rows(programs)
        return runs.read_program_titles(self.tx, [urn for urn in programs if not rows[urn].get("declared")])

    def filter_visible_nodes(self, urns: set[str]) -> set[str]:
        """Return the nodes that the principal may see."""
        unknown = [urn for urn in urns if urn not in self._visible]
        if unknown and self.read_policy.may_read_everything(self.principal):
            self._visible |= dict.fromkeys(unknown, True)
        elif unknown:
            rows = self.get_or_create_node_rows(unknown)
            visible = self.read_policy.filter_visible_rows(self.tx, self.principal, rows.values())
            self._visible |= dict.fromkeys(unknown, False) | {row["urn"]: True for row in visible}
        return {urn for urn in urns if self._visible[urn]}

    def list_visible_nodes(self) -> list[str]:
        """Return the nodes that the query has looked at and that the principal may see."""
        return [urn for urn, is_visible in self._visible.items() if is_visible]

    def _create_synthetic_row(self, text: str) -> Row:
        placeholder = declared_lineage.parse_placeholder(text)
        if placeholder is not None:
            type_, namespace, name = "dataJob", placeholder.namespace, placeholder.source
            platform: str | None = APPLICATION_ORCHESTRATOR
        else:
            urn, identity = Urn.parse(text), self.read_policy.identity
            type_, namespace, name = urn.type, identity.get_namespace(urn), identity.get_short_name(urn)
            platform = identity.get_platform(urn)
        return {
            "urn": text,
            "type": type_,
            "namespace": namespace,
            "name": name,
            "platform": platform,
            "deleted": placeholder is None,
            "updated": 0,
            "declared": placeholder is not None,
        }
