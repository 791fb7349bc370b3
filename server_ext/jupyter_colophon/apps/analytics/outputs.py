"""What jobs write, as the catalog describes it."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from jupyter_colophon.apps import Proposal, Urn

_TYPES: Final = {
    "numeric": ("double", "com.linkedin.schema.NumberType"),
    "categorical": ("string", "com.linkedin.schema.StringType"),
}


class WrittenData(Protocol):
    """Data that a job writes."""

    @property
    def urn(self) -> Urn:
        """The URN of its entity."""

    def build_proposals(self) -> list[Proposal]:
        """Return the proposals that describe it."""


@dataclass(frozen=True, slots=True)
class WrittenDataset:
    """A dataset that a job writes: its columns by name with their types, and what is known of it."""

    urn: Urn
    columns: Mapping[str, str]
    description: str
    properties: Mapping[str, str]

    def build_proposals(self) -> list[Proposal]:
        """Return the proposals that describe it."""
        fields = [
            {
                "fieldPath": name,
                "nativeDataType": _TYPES[type_][0],
                "nullable": True,
                "type": {"type": {_TYPES[type_][1]: {}}},
            }
            for name, type_ in self.columns.items()
        ]
        properties = {"description": self.description, "customProperties": {**self.properties}}
        return [
            Proposal(self.urn, "datasetProperties", "upsert", properties),
            Proposal(self.urn, "schemaMetadata", "upsert", {"fields": fields}),
        ]


@dataclass(frozen=True, slots=True)
class WrittenModel:
    """A model that a job trains: how, on what, and how good it is."""

    urn: Urn
    name: str
    description: str
    algorithm: str
    parameters: Mapping[str, Any]
    metrics: Mapping[str, float]
    train_metrics: Mapping[str, float]
    train_dataset: str
    test_dataset: str
    program: Urn
    user: str
    properties: Mapping[str, str]

    def build_proposals(self) -> list[Proposal]:
        """Return the proposals that describe it."""
        properties = {
            "name": self.name,
            "description": self.description,
            "type": self.algorithm,
            "hyperParams": [{"name": name, "value": str(value)} for name, value in self.parameters.items()],
            "trainingMetrics": [
                *_describe_metrics(self.metrics, "", "of the test part"),
                *_describe_metrics(self.train_metrics, "train_", "of the train part"),
            ],
            "trainingJobs": [str(self.program)],
            "created": {
                "time": time.time_ns() // 1_000_000,
                "actor": str(Urn("corpuser", (self.user,), compound=False)),
            },
            "customProperties": self._build_properties(),
        }
        return [
            Proposal(self.urn, "mlModelProperties", "upsert", properties),
            Proposal(self.urn, "mlModelTrainingData", "upsert", {"trainingData": [{"dataset": self.train_dataset}]}),
            Proposal(self.urn, "mlModelEvaluationData", "upsert", {"evaluationData": [{"dataset": self.test_dataset}]}),
        ]

    def _build_properties(self) -> dict[str, str]:
        """Return what is known of the model as properties, which are searched, and shown on the command line."""
        return {
            **self.properties,
            **{f"parameter.{name}": str(value) for name, value in self.parameters.items()},
            **{f"metric.{name}": str(value) for name, value in self.metrics.items() if value is not None},
        }


def _describe_metrics(metrics: Mapping[str, float], prefix: str, of_part: str) -> Sequence[Mapping[str, str]]:
    return [
        {"name": f"{prefix}{name}", "value": str(value), "description": of_part}
        for name, value in metrics.items()
        if value is not None
    ]
