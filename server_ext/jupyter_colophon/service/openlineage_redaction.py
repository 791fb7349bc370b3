"""Redact OpenLineage documents: remove references to data and jobs that the reader may not see.

A facet is an arbitrary client document. An object with `namespace` and `name` refers to a dataset or a job; free text,
such as a query or source code, is searched for the names of hidden entities.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.documents.json_parsing import encode_canonical_json
from jupyter_colophon.core.documents.json_values import REMOVED, remove_hidden_values
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import NO_NAMESPACE, Urn
from jupyter_colophon.core.identity.openlineage_names import make_openlineage_dataset_urn, make_openlineage_job_urn
from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.core.openlineage.event import OriginalName
from jupyter_colophon.service.confidential_values import ConfidentialValues
from jupyter_colophon.service.openlineage.models import OpenLineageEntity, RunWithFacets
from jupyter_colophon.service.read_policy import ReadPolicy
from jupyter_colophon.storage.spi import TableContext

_ENTITY_TYPES: Final = ("dataset", "dataJob")
#: Facets that contain the text of programs.
_TEXT_FACETS: Final = frozenset({"sql", "sourceCode"})
#: Shorter names are not searched in text: they occur in too many words.
_NAME_CHARACTERS_MIN: Final = 3
#: How deep documents are searched for references; request bodies are not nested more deeply.
_DEPTH_MAX: Final = 64


@dataclass(slots=True)
class OpenLineageRedactor:
    """Redacts documents for one reader, in one transaction; without a policy only values of confidential columns."""

    tx: TableContext
    registry: Registry
    read_policy: ReadPolicy
    principal: Principal
    _hidden: dict[OriginalName, bool] = field(default_factory=dict)

    def redact_entity(self, entity: OpenLineageEntity) -> OpenLineageEntity:
        """Return a job or a dataset without values of confidential columns and without hidden references."""
        facets = ConfidentialValues(self.tx, self.registry).remove_values_from_facets(entity.urn, entity.facets)
        entity = entity if facets is entity.facets else replace(entity, facets=facets)
        if not self.read_policy.may_hide_from(self.principal):
            return entity
        references = {*entity.inputs, *entity.outputs, *_iterate_references(entity.facets)}
        hidden = {name for name in references if self.is_hidden_name(name)}
        return replace(
            entity,
            facets=self._redact_references_in_facets(entity.facets, hidden),
            latest=None if entity.latest is None else self._redact_run_facets(entity.latest, hidden),
            inputs=tuple(name for name in entity.inputs if name not in hidden),
            outputs=tuple(name for name in entity.outputs if name not in hidden),
        )

    def redact_run(self, run: RunWithFacets, accessed: Iterable[OriginalName]) -> RunWithFacets:
        """Return a run without hidden references; `accessed` is the data that it read and wrote."""
        if not self.read_policy.may_hide_from(self.principal):
            return run
        return self._redact_run_facets(
            run, {name for name in (*accessed, *_iterate_references(run.facets)) if self.is_hidden_name(name)}
        )

    def redact_openlineage_aspect(self, value: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the value of the aspect `openLineage` without hidden references in its facets."""
        hidden = {name for name in _iterate_references(value["facets"]) if self.is_hidden_name(name)}
        facets = self._redact_references_in_facets(value["facets"], hidden)
        if not self.read_policy.access_control.may(self.principal, "admin", NO_NAMESPACE):
            # Without the runs, it is unknown which names a text must not show; Marquez responses check them.
            facets = {name: facet for name, facet in facets.items() if name not in _TEXT_FACETS}
        return {**value, "facets": facets}

    def is_hidden_name(self, original_name: OriginalName) -> bool:
        """Return whether a name is hidden, as a dataset or as a job."""
        if original_name not in self._hidden:
            self._hidden[original_name] = any(
                not self._may_see_job_or_dataset(kind, original_name) for kind in _ENTITY_TYPES
            )
        return self._hidden[original_name]

    def _redact_run_facets(self, run: RunWithFacets, hidden: set[OriginalName]) -> RunWithFacets:
        all_hidden = hidden | {name for name in _iterate_references(run.facets) if self.is_hidden_name(name)}
        return replace(run, facets=self._redact_references_in_facets(run.facets, all_hidden))

    def _may_see_job_or_dataset(self, kind: str, original_name: OriginalName) -> bool:
        row = self.tx.get_table("openlineage_names").read((kind, original_name.namespace, original_name.name))
        if row is not None:
            entity = self.tx.get_table("entities").read((row["urn"],))
            return entity is None or self.read_policy.may_see_row(self.tx, self.principal, entity)
        try:
            urn = self._build_urn_of_name(kind, original_name)
        except InvalidName:
            return True
        return self.read_policy.may_see_entity(self.tx, self.principal, urn)

    def _build_urn_of_name(self, kind: str, original_name: OriginalName) -> Urn:
        if kind == "dataset":
            return make_openlineage_dataset_urn(original_name.namespace, original_name.name, self.read_policy.identity)
        return make_openlineage_job_urn(original_name.namespace, original_name.name)

    def _redact_references_in_facets(self, facets: Mapping[str, Any], hidden: set[OriginalName]) -> dict[str, Any]:
        if not hidden:
            return dict(facets)
        words = {word.casefold() for hidden_name in hidden for word in _list_naming_words(hidden_name)}
        remaining = {}
        for name, facet in facets.items():
            pruned = remove_hidden_values(
                facet, lambda part: isinstance(part, Mapping) and _parse_reference(part) in hidden
            )
            # If the rest still contains a hidden name as text, drop the whole facet.
            if pruned is not REMOVED and not any(word in encode_canonical_json(pruned).casefold() for word in words):
                remaining[name] = pruned
        return remaining


def _iterate_references(value: Any, depth: int = 0) -> Iterable[OriginalName]:
    """Yield every reference to a dataset or a job in a document."""
    if depth > _DEPTH_MAX:
        return
    if isinstance(value, Mapping):
        if (reference := _parse_reference(value)) is not None:
            yield reference
        for inner in value.values():
            yield from _iterate_references(inner, depth + 1)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _iterate_references(inner, depth + 1)


def _parse_reference(value: Mapping[str, Any]) -> OriginalName | None:
    namespace, name = value.get("namespace"), value.get("name")
    return OriginalName(namespace, name) if isinstance(namespace, str) and isinstance(name, str) else None


def _list_naming_words(original_name: OriginalName) -> Iterable[str]:
    """Return the words that name an entity in text: its name, and the last part of a path or qualified name."""
    last = original_name.name.replace("/", ".").rpartition(".")[2]
    return [word for word in {original_name.name, last} if len(word) >= _NAME_CHARACTERS_MIN]
