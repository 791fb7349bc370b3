"""Lineage of fields in the shapes that clients of CDAP 5 and 6 know."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from jupyter_colophon.core.identity.names import IdentityRules, Urn
from jupyter_colophon.core.lineage.field_lineage import FieldEdge, FieldLineage
from jupyter_colophon.core.lineage.graph import TimeWindow
from jupyter_colophon.operations.v3 import formats

Document = dict[str, Any]
SIDES = ("incoming", "outgoing")


class FieldLineageRenderer:
    """Writes the lineage of the fields of one dataset, of the sides that were requested."""

    def __init__(self, urn: Urn, lineage: FieldLineage, identity: IdentityRules, sides: Sequence[str]) -> None:
        self._urn, self._lineage, self._identity, self._sides = str(urn), lineage, identity, sides

    def list_fields_with_lineage(self, prefix: str) -> list[str]:
        """Return the fields that are derived from others, or from which others are derived."""
        named = {item.target_field for item in self._lineage.incoming} | {
            item.source_field for item in self._lineage.outgoing
        }
        return sorted(name for name in named if name.startswith(prefix))

    def list_all_fields(self, prefix: str) -> list[Document]:
        """Return these fields together with those of the schema, each with whether it has lineage."""
        names_with_lineage = set(self.list_fields_with_lineage(prefix))
        current = {name for name in self._lineage.ends[self._urn].fields if name.startswith(prefix)}
        return [{"name": name, "lineage": name in names_with_lineage} for name in sorted(names_with_lineage | current)]

    def render_field_neighbours(self) -> Document:
        """Return the neighbours of one field: the fields of other datasets, by dataset."""
        return {side: self._render_side_neighbours(side) for side in self._sides}

    def render_field_operations(self) -> Document:
        """Return the operations of programs on one field. Programs with the same operations are grouped."""
        return {side: self._render_side_operations(side) for side in self._sides}

    def render_relations_of_all_fields(self, direction: str, window: TimeWindow) -> Document:
        """Return the relations of all fields with the fields of each other dataset."""
        return {
            "direction": direction,
            "start-ts": (window.start or 0) // 1000,
            "end-ts": (window.end or 0) // 1000,
            "entityId": self._render_entity(self._urn),
            "fields": [field["name"] for field in self.list_all_fields("")],
            **{side: self._render_relations(side) for side in self._sides},
        }

    def _render_side_neighbours(self, side: str) -> list[Document]:
        fields: dict[str, set[str]] = defaultdict(set)
        for edge in self._list_edges_of_side(side):
            fields[_get_other_end(edge, side)].add(edge.source_field if side == "incoming" else edge.target_field)
        return [{"dataset": self._render_entity(urn), "fields": sorted(names)} for urn, names in sorted(fields.items())]

    def _render_relations(self, side: str) -> list[Document]:
        pairs: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for edge in self._list_edges_of_side(side):
            pairs[_get_other_end(edge, side)].add((edge.source_field, edge.target_field))
        return [
            {
                "datasetId": self._render_entity(urn),
                "fieldCount": len(
                    {*self._lineage.ends[urn].fields, *(pair[side == "outgoing"] for pair in field_pairs)}
                ),
                "relations": [{"source": source, "destination": target} for source, target in sorted(field_pairs)],
            }
            for urn, field_pairs in sorted(pairs.items())
        ]

    def _render_side_operations(self, side: str) -> list[Document]:
        by_program: dict[str, list[FieldEdge]] = defaultdict(list)
        for item in self._list_edges_of_side(side):
            by_program[item.program].append(item)
        groups: dict[str, tuple[list[Document], list[Document]]] = {}
        for program, edges in sorted(by_program.items()):
            steps = list(self._render_steps_of_program(edges))
            programs, _ = groups.setdefault(repr(steps), ([], steps))
            last = max(edge.start for edge in edges) // 1000
            programs.append({"program": self._render_entity(program), "lastExecutedTimeInSeconds": last})
        return [{"programs": programs, "operations": steps} for programs, steps in groups.values()]

    def _render_steps_of_program(self, edges: Iterable[FieldEdge]) -> Iterable[Document]:
        """Yield a program's edges as reads, steps and writes: each field names the operation that it comes from."""
        ordered = sorted(edges, key=lambda item: (item.source, item.source_field, item.target, item.target_field))
        for source in dict.fromkeys(item.source for item in ordered):
            fields = sorted({item.source_field for item in ordered if item.source == source})
            yield _render_operation(
                self._format_operation_name("read", source),
                f"Read {self._shorten_name(source)}",
                {"endPoint": self._render_end_point(source)},
                fields,
            )
        steps: dict[tuple[str, str, str], list[FieldEdge]] = defaultdict(list)
        for edge in ordered:
            steps[edge.target, edge.target_field, edge.transformation].append(edge)
        for (target, field, how), those in steps.items():
            inputs = [
                {"origin": self._format_operation_name("read", item.source), "name": item.source_field}
                for item in those
            ]
            yield _render_operation(
                _format_step_name(self._shorten_name(target), field, how),
                f"Make {field} ({how})",
                {"fields": inputs},
                [field],
            )
        for target in dict.fromkeys(item.target for item in ordered):
            step_fields = [
                {"origin": _format_step_name(self._shorten_name(target), field, how), "name": field}
                for of, field, how in steps
                if of == target
            ]
            yield {
                "name": self._format_operation_name("write", target),
                "description": f"Write {self._shorten_name(target)}",
                "inputs": {"fields": step_fields},
                "outputs": {"endPoint": self._render_end_point(target)},
            }

    def _list_edges_of_side(self, side: str) -> Sequence[FieldEdge]:
        return self._lineage.incoming if side == "incoming" else self._lineage.outgoing

    def _render_entity(self, urn: str) -> Document | None:
        return formats.build_entity_id(Urn.parse(urn), self._lineage.ends[urn].namespace, self._identity)

    def _render_end_point(self, urn: str) -> Document:
        return {"namespace": self._lineage.ends[urn].namespace, "name": self._shorten_name(urn)}

    def _shorten_name(self, urn: str) -> str:
        return formats.format_short_id(Urn.parse(urn), self._lineage.ends[urn].namespace, self._identity)

    def _format_operation_name(self, action: str, urn: str) -> str:
        return f"{action} {self._lineage.ends[urn].namespace}.{self._shorten_name(urn)}"


def _render_operation(name: str, description: str, inputs: Document, fields: list[str]) -> Document:
    return {"name": name, "description": description, "inputs": inputs, "outputs": {"fields": fields}}


def _format_step_name(target: str, field: str, transformation: str) -> str:
    return f"{transformation} {target}.{field}"


def _get_other_end(edge: FieldEdge, side: str) -> str:
    return edge.source if side == "incoming" else edge.target
