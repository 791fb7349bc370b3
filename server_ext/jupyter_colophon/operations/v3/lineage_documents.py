"""Lineage in the shapes that clients of CDAP know."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from jupyter_colophon.core.cdap.lineage_keys import format_lineage_key
from jupyter_colophon.core.cdap.names import make_v3_path
from jupyter_colophon.core.cdap.relations import Part, Relation, group_accesses
from jupyter_colophon.core.identity.names import IdentityRules, Urn, make_data_flow_urn, make_data_job_urn
from jupyter_colophon.core.lineage.graph import LineageNode, TimeWindow
from jupyter_colophon.core.model import declared_lineage
from jupyter_colophon.operations.v3 import formats
from jupyter_colophon.service.lineage.cdap_lineage import AccessLineage
from jupyter_colophon.service.lineage.lineage_traversal import is_data_node

Document = dict[str, Any]


class LineageRenderer:
    """Writes an answer in the form of CDAP 3.2, or in that of CDAP 5 (spec LINEAGE-13)."""

    def __init__(self, identity: IdentityRules, nodes: Mapping[str, LineageNode], *, v5: bool) -> None:
        self._identity, self._nodes, self._v5 = identity, nodes, v5

    def render_document(self, lineage: AccessLineage, window: TimeWindow, collapse: Collection[Part]) -> Document:
        """Return the whole document. Without `v5`, runs are always gathered."""
        relations = group_accesses(lineage.accesses, {*collapse} if self._v5 else {*collapse, "run"})
        # Relations that one source declares for several data have the same key: list each once.
        documents = list({repr(item): item for item in map(self._render_relation, relations)}.values())
        unit = 1000 if self._v5 else 1
        times = {name: (ms or 0) // unit for name, ms in (("start", window.start), ("end", window.end))}
        return {
            **(times if self._v5 else {name: str(time) for name, time in times.items()}),
            "relations": documents,
            "programs": self._render_nodes(node for urn, node in lineage.nodes.items() if not is_data_node(urn)),
            "data": self._render_nodes(node for urn, node in lineage.nodes.items() if is_data_node(urn)),
            "frontier": sorted(
                self.format_node_key(urn)
                for urn in lineage.frontier
                if declared_lineage.parse_placeholder_source(urn) is None
            ),
            "truncated": lineage.truncated,
        }

    def format_node_key(self, urn: str) -> str:
        """Return the key of a node."""
        node = self._nodes.get(urn)
        return format_lineage_key(
            convert_to_display_urn(urn), self._identity, node.namespace if node else None, plural=self._v5
        )

    def _render_relation(self, relation: Relation) -> Document:
        is_declared = self._nodes[relation.program].declared
        document: Document = {
            "data": self.format_node_key(relation.data),
            "program": self.format_node_key(relation.program),
        }
        if not self._v5:
            document["access"] = relation.access
        document |= {"accesses": list(relation.accesses), "runs": list(relation.runs)}
        if not self._v5:
            document["component"] = list(relation.components)
        return document | {"components": list(relation.components)} | ({"declared": True} if is_declared else {})

    def _render_nodes(self, nodes: Iterable[LineageNode]) -> Document:
        return {
            self.format_node_key(node.urn): self._render_node(node) for node in sorted(nodes, key=lambda node: node.urn)
        }

    def _render_node(self, node: LineageNode) -> Document:
        urn = convert_to_display_urn(node.urn)
        entry = {} if self._v5 else {"id": self._render_node_id(urn, node.namespace)}
        entity = formats.build_entity_id(urn, node.namespace, self._identity)
        if entity is not None:
            entry["entityId"] = entity
        marks = {"deleted": node.deleted, "declared": node.declared}
        return entry | {name: True for name, is_so in marks.items() if is_so}

    def _render_node_id(self, urn: Urn, namespace: str) -> Document:
        if urn.type == "dataJob":
            *_, application, _, program = make_v3_path(urn, self._identity, namespace).segments
            kind = format_lineage_key(urn, self._identity, namespace).partition(".")[0]
            return {"namespace": namespace, "application": application, "type": kind, "id": program}
        kind = formats.get_target_type(urn, self._identity)
        return {"namespace": namespace, "type": kind, "id": formats.format_short_id(urn, namespace, self._identity)}


def convert_to_display_urn(text: str) -> Urn:
    """Return the URN under which a node is shown: for declared lineage, that of the source (`job.<namespace>.-.<source>`)."""
    urn = Urn.parse(text)
    source = declared_lineage.parse_placeholder_source(str(urn))
    if source is None:
        return urn
    return make_data_job_urn(make_data_flow_urn(*urn.parse_part_as_urn(0).parts), f"jobs.{source}")
