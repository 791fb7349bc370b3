"""Taking out of OpenLineage's documents what names data and jobs that the reader may not see.

A facet is any client's document. An object with `namespace` and `name` refers to a dataset or a job; in free text, such as
a query or source code, what is hidden is looked for by its name.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_parsing import compact
from jupyter_colophon.core.documents.json_values import REMOVED, pruned
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import NO_NAMESPACE, Urn
from jupyter_colophon.core.identity.openlineage_names import openlineage_dataset, openlineage_job
from jupyter_colophon.core.openlineage.event import Spelling
from jupyter_colophon.service.openlineage.models import RunWithFacets, Thing
from jupyter_colophon.service.read_policy import Gate
from jupyter_colophon.storage.spi import TableContext

_KINDS: Final = ("dataset", "dataJob")
#: Facets that are programs' own text.
_TEXTS: Final = frozenset({"sql", "sourceCode"})
#: Names that are shorter are parts of too many words to be looked for in text.
_NAME_CHARACTERS_MIN: Final = 3
#: How deep references are looked for: bodies are no deeper.
_DEPTH_MAX: Final = 64


@dataclass(slots=True)
class Hiding:
    """Answers for one reader, in one transaction; without a policy everything is shown."""

    tx: TableContext
    gate: Gate
    principal: Principal
    _known: dict[Spelling, bool] = field(default_factory=dict)

    def thing(self, one: Thing) -> Thing:
        """Return a job or a dataset without what is hidden."""
        if not self.gate.has_policy:
            return one
        named = {*one.inputs, *one.outputs, *_references(one.facets)}
        hidden = {name for name in named if self.hides(name)}
        return replace(
            one,
            facets=self._facets(one.facets, hidden),
            latest=None if one.latest is None else self._run(one.latest, hidden),
            inputs=tuple(name for name in one.inputs if name not in hidden),
            outputs=tuple(name for name in one.outputs if name not in hidden),
        )

    def run(self, one: RunWithFacets, touched: Iterable[Spelling]) -> RunWithFacets:
        """Return a run without what is hidden; `touched` are the data that it read and wrote."""
        if not self.gate.has_policy:
            return one
        return self._run(one, {name for name in (*touched, *_references(one.facets)) if self.hides(name)})

    def aspect(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the aspect `openLineage` of an entity without what is hidden in its facets."""
        hidden = {name for name in _references(value["facets"]) if self.hides(name)}
        facets = self._facets(value["facets"], hidden)
        if not self.gate.authorizer.may(self.principal, "admin", NO_NAMESPACE):
            # Without its runs nobody knows what of a text is hidden: Marquez's answers show it where nothing is.
            facets = {name: facet for name, facet in facets.items() if name not in _TEXTS}
        return {**value, "facets": facets}

    def hides(self, spelling: Spelling) -> bool:
        """Whether what OpenLineage calls so may not be seen, as a dataset or as a job."""
        if spelling not in self._known:
            self._known[spelling] = any(not self._shows(kind, spelling) for kind in _KINDS)
        return self._known[spelling]

    def _run(self, one: RunWithFacets, hidden: set[Spelling]) -> RunWithFacets:
        both = hidden | {name for name in _references(one.facets) if self.hides(name)}
        return replace(one, facets=self._facets(one.facets, both))

    def _shows(self, kind: str, spelling: Spelling) -> bool:
        row = self.tx.table("openlineage_names").read((kind, spelling.namespace, spelling.name))
        if row is not None:
            entity = self.tx.table("entities").read((row["urn"],))
            return entity is None or self.gate.may_read(self.principal, entity["namespace"])
        try:
            urn = self._urn(kind, spelling)
        except InvalidName:
            return True
        return self.gate.may_read(self.principal, self.gate.identity.namespace_of(urn))

    def _urn(self, kind: str, spelling: Spelling) -> Urn:
        if kind == "dataset":
            return openlineage_dataset(spelling.namespace, spelling.name, self.gate.identity)
        return openlineage_job(spelling.namespace, spelling.name)

    def _facets(self, facets: Mapping[str, Any], hidden: set[Spelling]) -> dict[str, Any]:
        if not hidden:
            return dict(facets)
        words = {word.casefold() for one in hidden for word in _words(one)}
        found = {}
        for name, facet in facets.items():
            kept = pruned(facet, lambda part: isinstance(part, Mapping) and _named(part) in hidden)
            # What is left may name it in text: then nothing of the facet is shown.
            if kept is not REMOVED and not any(word in compact(kept).casefold() for word in words):
                found[name] = kept
        return found


def _references(value: Any, depth: int = 0) -> Iterable[Spelling]:
    """Every object in a document that names a dataset or a job."""
    if depth > _DEPTH_MAX:
        return
    if isinstance(value, Mapping):
        if (named := _named(value)) is not None:
            yield named
        for inner in value.values():
            yield from _references(inner, depth + 1)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _references(inner, depth + 1)


def _named(value: Mapping[str, Any]) -> Spelling | None:
    namespace, name = value.get("namespace"), value.get("name")
    return Spelling(namespace, name) if isinstance(namespace, str) and isinstance(name, str) else None


def _words(one: Spelling) -> Iterable[str]:
    """How text names something: whole, and by the last part of a path or of a qualified name."""
    last = one.name.replace("/", ".").rpartition(".")[2]
    return [word for word in {one.name, last} if len(word) >= _NAME_CHARACTERS_MIN]
