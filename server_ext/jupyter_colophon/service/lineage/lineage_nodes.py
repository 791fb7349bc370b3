"""Lineage nodes: their entities, and which of them a principal may see (spec SEC-4)."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_parsing import stored
from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.model import declared_lineage
from jupyter_colophon.service.lineage.lineage_traversal import is_data
from jupyter_colophon.service.read_policy import Gate
from jupyter_colophon.storage.spi import Row, TableContext


@dataclass(slots=True)
class NodeCache:
    """A cache of the nodes of one query."""

    tx: TableContext
    gate: Gate
    principal: Principal
    _rows: dict[str, Row] = field(default_factory=dict)
    _readable: dict[str, bool] = field(default_factory=dict)

    def rows(self, urns: Iterable[str]) -> dict[str, Row]:
        """Their rows among the entities; declared lineage, or was never recorded itself, has one as if it were."""
        wanted = list(urns)
        missing = [urn for urn in wanted if urn not in self._rows]
        if missing:
            self._rows |= {row["urn"]: row for row in self.tx.table("entities").multi_read([(urn,) for urn in missing])}
            self._rows |= {urn: self._synthetic_row(urn) for urn in missing if urn not in self._rows}
        return {urn: self._rows[urn] for urn in wanted}

    def titles(self, urns: Iterable[str]) -> dict[str, str]:
        """Return the titles of programs that have one."""
        programs = [urn for urn in urns if not is_data(urn)]
        rows = self.tx.table("aspects").multi_read([(urn, "dataJobInfo") for urn in programs]) if programs else ()
        names = {row["urn"]: stored(row["value"]).get("name") for row in rows if row["value"] is not None}
        return {urn: name for urn, name in names.items() if isinstance(name, str) and name}

    def visible(self, urns: set[str]) -> set[str]:
        """Return the nodes that the principal may see."""
        return {urn for urn, row in self.rows(urns).items() if self._may_read(row["namespace"])}

    def _may_read(self, namespace: str) -> bool:
        if namespace not in self._readable:
            self._readable[namespace] = self.gate.may_read(self.principal, namespace)
        return self._readable[namespace]

    def _synthetic_row(self, text: str) -> Row:
        urn, identity = Urn.parse(text), self.gate.identity
        source = declared_lineage.source_of(urn)
        return {
            "urn": text,
            "type": urn.type,
            "namespace": identity.namespace_of(urn),
            "name": identity.short_name(urn) if source is None else source,
            "platform": identity.platform_of(urn),
            "deleted": source is None,
            "updated": 0,
            "declared": source is not None,
        }
