"""By what DataHub's clients name the elements of arrays in a patch that does not say so, and what an absent aspect begins with.

These are the aspects for which DataHub has a template of its own (spec DH-7); all other ones are patched by place.
"""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Protocol

from jupyter_colophon.core.datahub.fine_grained import FineGrained
from jupyter_colophon.core.datahub.keyed_arrays import EVERY, SEPARATOR, KeyedArray


class Form(Protocol):
    """A part of an aspect that is patched in another form than it is kept in."""

    def to_maps(self, document: Any) -> None:
        """Bring it, in a copy of the aspect, into the form in which it is patched."""

    def to_arrays(self, document: Any) -> None:
        """Bring it back."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A member that the aspect's schema wants, and that a patch need not give."""

    path: tuple[str, ...]
    name: str
    value: Any

    def to_maps(self, document: Any) -> None:
        """Nothing: it is there."""

    def to_arrays(self, document: Any) -> None:
        """Give it where the patch made what has to have it."""
        if not self.path:
            if isinstance(document, dict):
                document.setdefault(self.name, deepcopy(self.value))
            return
        if isinstance(document, dict):
            inner = document.values() if self.path[0] == EVERY else [document.get(self.path[0])]
            for one in list(inner):
                Filled(self.path[1:], self.name, self.value).to_arrays(one)


@dataclass(frozen=True, slots=True)
class Template:
    """The forms of an aspect, outer ones first, and what an absent one begins with."""

    forms: tuple[Form, ...] = ()
    empty: Mapping[str, Any] = field(default_factory=dict)


_NOBODY: Final = {"time": 0, "actor": "urn:li:corpuser:unknown"}
_STAMPS: Final = {"created": _NOBODY, "lastModified": _NOBODY}


def _by(**keys: str) -> tuple[KeyedArray, ...]:
    """Arrays by the keys of their elements, with blanks between; without any, of texts."""
    return tuple(KeyedArray.of(name, key.split()) for name, key in keys.items())


def _within(path: str, key: str) -> KeyedArray:
    return KeyedArray.of(path.replace("/", SEPARATOR), key.split())


TEMPLATES: Final[Mapping[str, Template]] = MappingProxyType(
    {
        "datasetProperties": Template(empty={"customProperties": {}}),
        "dataFlowInfo": Template(empty={"customProperties": {}}),
        "dataJobInfo": Template(empty={"customProperties": {}}),
        "editableDatasetProperties": Template(),
        "editableContainerProperties": Template(),
        "editableMlModelGroupProperties": Template(),
        "globalTags": Template(_by(tags="tag"), {"tags": []}),
        "glossaryTerms": Template(_by(terms="urn"), {"terms": [], "auditStamp": _NOBODY}),
        "ownership": Template(_by(owners="owner type"), {"owners": [], "lastModified": _NOBODY}),
        "structuredProperties": Template(_by(properties="propertyUrn"), {"properties": []}),
        "siblings": Template(_by(siblings=""), {"siblings": [], "primary": False}),
        "domains": Template(_by(domains="", domainAssociations="domain"), {"domains": []}),
        "versionProperties": Template(_by(aliases="versionTag")),
        "dataProductProperties": Template(_by(assets="destinationUrn"), {"customProperties": {}, "assets": []}),
        "chartInfo": Template(
            _by(inputs="", inputEdges="destinationUrn"),
            {"title": "", "description": "", "customProperties": {}, "lastModified": _STAMPS},
        ),
        "dashboardInfo": Template(
            _by(
                charts="",
                datasets="",
                chartEdges="destinationUrn",
                datasetEdges="destinationUrn",
                dashboards="destinationUrn",
            ),
            {"title": "", "description": "", "customProperties": {}, "lastModified": _STAMPS},
        ),
        "propertyDefinition": Template(
            (*_by(entityTypes=""), KeyedArray.of("allowedValues", [f"value{SEPARATOR}{EVERY}"])), {"entityTypes": []}
        ),
        "formInfo": Template(
            (
                *_by(prompts="id"),
                *(_within(f"actors/{who}", "") for who in ("users", "groups", "ownershipTypes")),
            ),
            {"prompts": []},
        ),
        "upstreamLineage": Template((*_by(upstreams="dataset"), FineGrained()), {"upstreams": []}),
        "dataJobInputOutput": Template(
            (
                *_by(
                    inputDatasets="",
                    outputDatasets="",
                    inputDatajobs="",
                    inputDatasetFields="",
                    outputDatasetFields="",
                    inputDatasetEdges="destinationUrn",
                    outputDatasetEdges="destinationUrn",
                    inputDatajobEdges="destinationUrn",
                ),
                FineGrained(),
            ),
            {"inputDatasets": [], "outputDatasets": []},
        ),
        "editableSchemaMetadata": Template(
            (
                *_by(editableSchemaFieldInfo="fieldPath"),
                _within("editableSchemaFieldInfo/*/globalTags/tags", "tag"),
                _within("editableSchemaFieldInfo/*/glossaryTerms/terms", "urn"),
                Filled(("editableSchemaFieldInfo", EVERY, "glossaryTerms"), "auditStamp", _NOBODY),
            ),
            {"editableSchemaFieldInfo": []},
        ),
    }
)
