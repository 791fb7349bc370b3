"""Lineage of fields in the shapes that clients of CDAP 5 and 6 know."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from jupyter_colophon.core.identity.names import Identity, Urn
from jupyter_colophon.core.lineage.field_lineage import FieldEdge, FieldLineage
from jupyter_colophon.core.lineage.graph import Window
from jupyter_colophon.operations.v3 import formats

Document = dict[str, Any]
SIDES = ("incoming", "outgoing")


class FieldShape:
    """Writes the lineage of the fields of one dataset, of the sides that were requested."""

    def __init__(self, urn: Urn, found: FieldLineage, identity: Identity, sides: Sequence[str]) -> None:
        self._urn, self._found, self._identity, self._sides = str(urn), found, identity, sides

    def names(self, prefix: str) -> list[str]:
        """Return the fields that are made of others, or of which others are made."""
        named = {one.target_field for one in self._found.incoming} | {one.source_field for one in self._found.outgoing}
        return sorted(name for name in named if name.startswith(prefix))

    def with_current(self, prefix: str) -> list[Document]:
        """Return these fields together with those of the schema, each with whether it has lineage."""
        known = set(self.names(prefix))
        current = {name for name in self._found.ends[self._urn].fields if name.startswith(prefix)}
        return [{"name": name, "lineage": name in known} for name in sorted(known | current)]

    def neighbours(self) -> Document:
        """Return the neighbours of one field: the fields of other datasets, by dataset."""
        return {side: self._neighbours(side) for side in self._sides}

    def operations(self) -> Document:
        """Return what programs did with one field. Programs with the same operations are grouped."""
        return {side: self._operations(side) for side in self._sides}

    def whole(self, direction: str, window: Window) -> Document:
        """Return the relations of all fields with the fields of each other dataset."""
        return {
            "direction": direction,
            "start-ts": (window.start or 0) // 1000,
            "end-ts": (window.end or 0) // 1000,
            "entityId": self._entity(self._urn),
            "fields": [one["name"] for one in self.with_current("")],
            **{side: self._relations(side) for side in self._sides},
        }

    def _neighbours(self, side: str) -> list[Document]:
        fields: dict[str, set[str]] = defaultdict(set)
        for one in self._edges(side):
            fields[_other(one, side)].add(one.source_field if side == "incoming" else one.target_field)
        return [{"dataset": self._entity(urn), "fields": sorted(found)} for urn, found in sorted(fields.items())]

    def _relations(self, side: str) -> list[Document]:
        pairs: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for one in self._edges(side):
            pairs[_other(one, side)].add((one.source_field, one.target_field))
        return [
            {
                "datasetId": self._entity(urn),
                "fieldCount": len({*self._found.ends[urn].fields, *(pair[side == "outgoing"] for pair in found)}),
                "relations": [{"source": source, "destination": target} for source, target in sorted(found)],
            }
            for urn, found in sorted(pairs.items())
        ]

    def _operations(self, side: str) -> list[Document]:
        by_program: dict[str, list[FieldEdge]] = defaultdict(list)
        for one in self._edges(side):
            by_program[one.program].append(one)
        groups: dict[str, tuple[list[Document], list[Document]]] = {}
        for program, edges in sorted(by_program.items()):
            steps = list(self._steps_of(edges))
            programs, _ = groups.setdefault(repr(steps), ([], steps))
            last = max(one.start for one in edges) // 1000
            programs.append({"program": self._entity(program), "lastExecutedTimeInSeconds": last})
        return [{"programs": programs, "operations": steps} for programs, steps in groups.values()]

    def _steps_of(self, edges: Iterable[FieldEdge]) -> Iterable[Document]:
        """Yield a program's edges as reads, steps and writes: each field names the operation that it comes from."""
        ordered = sorted(edges, key=lambda one: (one.source, one.source_field, one.target, one.target_field))
        for source in dict.fromkeys(one.source for one in ordered):
            fields = sorted({one.source_field for one in ordered if one.source == source})
            yield _operation(
                self._origin("read", source), f"Read {self._name(source)}", {"endPoint": self._point(source)}, fields
            )
        steps: dict[tuple[str, str, str], list[FieldEdge]] = defaultdict(list)
        for one in ordered:
            steps[one.target, one.target_field, one.transformation].append(one)
        for (target, field, how), those in steps.items():
            inputs = [{"origin": self._origin("read", one.source), "name": one.source_field} for one in those]
            yield _operation(
                _step(self._name(target), field, how), f"Make {field} ({how})", {"fields": inputs}, [field]
            )
        for target in dict.fromkeys(one.target for one in ordered):
            made = [
                {"origin": _step(self._name(target), field, how), "name": field}
                for of, field, how in steps
                if of == target
            ]
            yield {
                "name": self._origin("write", target),
                "description": f"Write {self._name(target)}",
                "inputs": {"fields": made},
                "outputs": {"endPoint": self._point(target)},
            }

    def _edges(self, side: str) -> Sequence[FieldEdge]:
        return self._found.incoming if side == "incoming" else self._found.outgoing

    def _entity(self, urn: str) -> Document | None:
        return formats.entity_id(Urn.parse(urn), self._found.ends[urn].namespace, self._identity)

    def _point(self, urn: str) -> Document:
        return {"namespace": self._found.ends[urn].namespace, "name": self._name(urn)}

    def _name(self, urn: str) -> str:
        return formats.short_id(Urn.parse(urn), self._found.ends[urn].namespace, self._identity)

    def _origin(self, what: str, urn: str) -> str:
        return f"{what} {self._found.ends[urn].namespace}.{self._name(urn)}"


def _operation(name: str, description: str, inputs: Document, fields: list[str]) -> Document:
    return {"name": name, "description": description, "inputs": inputs, "outputs": {"fields": fields}}


def _step(target: str, field: str, how: str) -> str:
    return f"{how} {target}.{field}"


def _other(edge: FieldEdge, side: str) -> str:
    return edge.source if side == "incoming" else edge.target
