"""Observations as JSON documents, for reports that wait in a file."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from jupyter_colophon.capture.observation import (
    ColumnFlow,
    DataRef,
    DatasetKind,
    Inference,
    Observation,
    SchemaField,
    StreamProgress,
    Transformation,
)

Document = dict[str, Any]
_REFS = ("reads", "writes", "intended")


def build_observation_document(observation: Observation) -> Document:
    """Return an observation as a document; members that have their defaults are left out."""
    members = asdict(observation).items()
    defaults = (None, False, Inference.OBSERVED)
    return {name: value for name, value in members if value != () and all(value is not default for default in defaults)}


def parse_observation(document: Mapping[str, Any]) -> Observation:
    """Return the observation of a document. Raises LookupError, TypeError, ValueError."""
    members = dict(document)
    for name in _REFS:
        members[name] = tuple(_parse_ref(ref) for ref in document.get(name, ()))
    members["columns"] = tuple(
        ColumnFlow(**{**flow, "transformation": Transformation(flow["transformation"])})
        for flow in document.get("columns", ())
    )
    members["missing"] = tuple(document.get("missing", ()))
    for name in ("dropped", "created"):
        members[name] = tuple(document.get(name, ()))
    members["inference"] = Inference(document.get("inference", Inference.OBSERVED))
    if renamed := document.get("renamed"):
        old, new = renamed
        members["renamed"] = (str(old), str(new))
    if stream := document.get("stream"):
        members["stream"] = StreamProgress(**stream)
    return Observation(**members)


def _parse_ref(document: Mapping[str, Any]) -> DataRef:
    fields: Sequence[Mapping[str, Any]] | None = document["fields"]
    return DataRef(
        **{
            **document,
            "kind": DatasetKind(document["kind"]),
            "fields": None if fields is None else tuple(SchemaField(**field) for field in fields),
            "parts": tuple(document["parts"]),
            "versions": tuple(document.get("versions", ())),
        }
    )
