"""Lineage in the shapes that clients of CDAP know."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from jupyter_colophon.core.cdap.lineage_keys import lineage_key
from jupyter_colophon.core.cdap.names import v3_path
from jupyter_colophon.core.cdap.relations import Part, Relation, gathered
from jupyter_colophon.core.identity.names import Identity, Urn, data_flow, data_job
from jupyter_colophon.core.lineage.graph import Node, Window
from jupyter_colophon.core.model import declared_lineage
from jupyter_colophon.operations.v3 import formats
from jupyter_colophon.service.lineage.cdap_lineage import AccessLineage
from jupyter_colophon.service.lineage.lineage_traversal import is_data

Document = dict[str, Any]


class Shape:
    """Writes an answer in the form of CDAP 3.2, or in that of CDAP 5 (spec LINEAGE-13)."""

    def __init__(self, identity: Identity, nodes: Mapping[str, Node], *, v5: bool) -> None:
        self._identity, self._nodes, self._v5 = identity, nodes, v5

    def answer(self, found: AccessLineage, window: Window, collapse: Collection[Part]) -> Document:
        """Return the whole document. Without `v5`, runs are always gathered."""
        relations = gathered(found.met, {*collapse} if self._v5 else {*collapse, "run"})
        # What a source declares of several data has one key: the same relation is listed once.
        documents = list({repr(one): one for one in map(self._relation, relations)}.values())
        unit = 1000 if self._v5 else 1
        times = {name: (ms or 0) // unit for name, ms in (("start", window.start), ("end", window.end))}
        return {
            **(times if self._v5 else {name: str(time) for name, time in times.items()}),
            "relations": documents,
            "programs": self._dictionary(node for urn, node in found.nodes.items() if not is_data(urn)),
            "data": self._dictionary(node for urn, node in found.nodes.items() if is_data(urn)),
            "frontier": sorted(
                self.key(urn) for urn in found.frontier if declared_lineage.source_of(Urn.parse(urn)) is None
            ),
            "truncated": found.truncated,
        }

    def key(self, urn: str) -> str:
        """Return the key of a node."""
        node = self._nodes.get(urn)
        return lineage_key(shown_as(urn), self._identity, node.namespace if node else None, plural=self._v5)

    def _relation(self, relation: Relation) -> Document:
        is_declared = self._nodes[relation.program].declared
        document: Document = {"data": self.key(relation.data), "program": self.key(relation.program)}
        if not self._v5:
            document["access"] = relation.access
        document |= {"accesses": list(relation.accesses), "runs": list(relation.runs)}
        if not self._v5:
            document["component"] = list(relation.components)
        return document | {"components": list(relation.components)} | ({"declared": True} if is_declared else {})

    def _dictionary(self, nodes: Iterable[Node]) -> Document:
        return {self.key(node.urn): self._entry(node) for node in sorted(nodes, key=lambda node: node.urn)}

    def _entry(self, node: Node) -> Document:
        urn = shown_as(node.urn)
        entry = {} if self._v5 else {"id": self._id(urn, node.namespace)}
        entity = formats.entity_id(urn, node.namespace, self._identity)
        if entity is not None:
            entry["entityId"] = entity
        marks = {"deleted": node.deleted, "declared": node.declared}
        return entry | {name: True for name, is_so in marks.items() if is_so}

    def _id(self, urn: Urn, namespace: str) -> Document:
        if urn.type == "dataJob":
            *_, application, _, program = v3_path(urn, self._identity, namespace).segments
            kind = lineage_key(urn, self._identity, namespace).partition(".")[0]
            return {"namespace": namespace, "application": application, "type": kind, "id": program}
        kind = formats.kind_of(urn, self._identity)
        return {"namespace": namespace, "type": kind, "id": formats.short_id(urn, namespace, self._identity)}


def shown_as(text: str) -> Urn:
    """Return the URN under which a node is shown: for declared lineage, that of the source (`job.<namespace>.-.<source>`)."""
    urn = Urn.parse(text)
    source = declared_lineage.source_of(urn)
    if source is None:
        return urn
    return data_job(data_flow(*urn.nested(0).parts), f"jobs.{source}")
