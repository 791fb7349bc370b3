"""The keys of array elements in patches without keys, and the initial values of absent aspects.

These are the aspects for which DataHub has a template (spec DH-7); all others are patched by index.
"""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Protocol

from jupyter_colophon.core.datahub.fine_grained import FineGrainedLineageForm
from jupyter_colophon.core.datahub.keyed_arrays import EVERY, SEPARATOR, KeyedArray


class PatchForm(Protocol):
    """A part of an aspect that is patched in another format than it is stored in."""

    def replace_arrays_by_maps(self, document: Any) -> None:
        """Convert it, in a copy of the aspect, to the format in which it is patched."""

    def replace_maps_by_arrays(self, document: Any) -> None:
        """Convert it back."""


@dataclass(frozen=True, slots=True)
class RequiredMemberDefault:
    """A member that the aspect's schema requires and a patch may omit."""

    path: tuple[str, ...]
    name: str
    value: Any

    def replace_arrays_by_maps(self, document: Any) -> None:
        """Do nothing: the member is only added after the patch."""

    def replace_maps_by_arrays(self, document: Any) -> None:
        """Add the member to every object that requires it."""
        if not self.path:
            if isinstance(document, dict):
                document.setdefault(self.name, deepcopy(self.value))
            return
        if isinstance(document, dict):
            inner = document.values() if self.path[0] == EVERY else [document.get(self.path[0])]
            for child in list(inner):
                RequiredMemberDefault(self.path[1:], self.name, self.value).replace_maps_by_arrays(child)


@dataclass(frozen=True, slots=True)
class AspectPatchTemplate:
    """The formats of an aspect's parts, outer parts first, and the initial value of an absent aspect."""

    forms: tuple[PatchForm, ...] = ()
    empty: Mapping[str, Any] = field(default_factory=dict)


_NOBODY: Final = {"time": 0, "actor": "urn:li:corpuser:unknown"}
_STAMPS: Final = {"created": _NOBODY, "lastModified": _NOBODY}


def _make_keyed_arrays(**keys: str) -> tuple[KeyedArray, ...]:
    """Return arrays by the space-separated keys of their elements; without keys, the elements are strings."""
    return tuple(KeyedArray.from_keys(name, key.split()) for name, key in keys.items())


def _make_nested_array(path: str, key: str) -> KeyedArray:
    return KeyedArray.from_keys(path.replace("/", SEPARATOR), key.split())


TEMPLATES: Final[Mapping[str, AspectPatchTemplate]] = MappingProxyType(
    {
        "datasetProperties": AspectPatchTemplate(empty={"customProperties": {}}),
        "dataFlowInfo": AspectPatchTemplate(empty={"customProperties": {}}),
        "dataJobInfo": AspectPatchTemplate(empty={"customProperties": {}}),
        "editableDatasetProperties": AspectPatchTemplate(),
        "editableContainerProperties": AspectPatchTemplate(),
        "editableMlModelGroupProperties": AspectPatchTemplate(),
        "globalTags": AspectPatchTemplate(_make_keyed_arrays(tags="tag"), {"tags": []}),
        "glossaryTerms": AspectPatchTemplate(_make_keyed_arrays(terms="urn"), {"terms": [], "auditStamp": _NOBODY}),
        "ownership": AspectPatchTemplate(
            _make_keyed_arrays(owners="owner type"), {"owners": [], "lastModified": _NOBODY}
        ),
        "structuredProperties": AspectPatchTemplate(_make_keyed_arrays(properties="propertyUrn"), {"properties": []}),
        "siblings": AspectPatchTemplate(_make_keyed_arrays(siblings=""), {"siblings": [], "primary": False}),
        "domains": AspectPatchTemplate(_make_keyed_arrays(domains="", domainAssociations="domain"), {"domains": []}),
        "versionProperties": AspectPatchTemplate(_make_keyed_arrays(aliases="versionTag")),
        "dataProductProperties": AspectPatchTemplate(
            _make_keyed_arrays(assets="destinationUrn"), {"customProperties": {}, "assets": []}
        ),
        "chartInfo": AspectPatchTemplate(
            _make_keyed_arrays(inputs="", inputEdges="destinationUrn"),
            {"title": "", "description": "", "customProperties": {}, "lastModified": _STAMPS},
        ),
        "dashboardInfo": AspectPatchTemplate(
            _make_keyed_arrays(
                charts="",
                datasets="",
                chartEdges="destinationUrn",
                datasetEdges="destinationUrn",
                dashboards="destinationUrn",
            ),
            {"title": "", "description": "", "customProperties": {}, "lastModified": _STAMPS},
        ),
        "propertyDefinition": AspectPatchTemplate(
            (*_make_keyed_arrays(entityTypes=""), KeyedArray.from_keys("allowedValues", [f"value{SEPARATOR}{EVERY}"])),
            {"entityTypes": []},
        ),
        "formInfo": AspectPatchTemplate(
            (
                *_make_keyed_arrays(prompts="id"),
                *(_make_nested_array(f"actors/{who}", "") for who in ("users", "groups", "ownershipTypes")),
            ),
            {"prompts": []},
        ),
        "upstreamLineage": AspectPatchTemplate(
            (*_make_keyed_arrays(upstreams="dataset"), FineGrainedLineageForm()), {"upstreams": []}
        ),
        "dataJobInputOutput": AspectPatchTemplate(
            (
                *_make_keyed_arrays(
                    inputDatasets="",
                    outputDatasets="",
                    inputDatajobs="",
                    inputDatasetFields="",
                    outputDatasetFields="",
                    inputDatasetEdges="destinationUrn",
                    outputDatasetEdges="destinationUrn",
                    inputDatajobEdges="destinationUrn",
                ),
                FineGrainedLineageForm(),
            ),
            {"inputDatasets": [], "outputDatasets": []},
        ),
        "editableSchemaMetadata": AspectPatchTemplate(
            (
                *_make_keyed_arrays(editableSchemaFieldInfo="fieldPath"),
                _make_nested_array("editableSchemaFieldInfo/*/globalTags/tags", "tag"),
                _make_nested_array("editableSchemaFieldInfo/*/glossaryTerms/terms", "urn"),
                RequiredMemberDefault(("editableSchemaFieldInfo", EVERY, "glossaryTerms"), "auditStamp", _NOBODY),
            ),
            {"editableSchemaFieldInfo": []},
        ),
    }
)
