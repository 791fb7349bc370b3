"""The catalog's lineage of what jobs read and write, proposed in the caller's name."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from jupyter_colophon.apps import (
    AccessDenied,
    HeldForReview,
    NotFound,
    Proposal,
    ServiceContext,
    Urn,
    make_field_urn,
    make_home_dataset_urn,
    make_program_urn,
)

_TYPES: Final = {
    "numeric": ("double", "com.linkedin.schema.NumberType"),
    "categorical": ("string", "com.linkedin.schema.StringType"),
}
#: A dataset with one of its columns.
ColumnOfDataset = tuple[str, str]


@dataclass(frozen=True, slots=True)
class WrittenDataset:
    """A dataset that a job writes: its columns by name with their types, and what is known of it."""

    urn: str
    columns: Mapping[str, str]
    description: str
    properties: Mapping[str, str]


def make_dataset_of_experiment(context: ServiceContext, *names: str) -> str:
    """Return the URN of a dataset that belongs to an experiment, in the namespace of the call."""
    return str(make_home_dataset_urn(context.namespace, ".".join(("analytics", *names))))


def record_lineage(
    context: ServiceContext,
    experiment: str,
    program: str,
    inputs: Sequence[str],
    outputs: Sequence[WrittenDataset],
    columns: Mapping[ColumnOfDataset, Sequence[ColumnOfDataset]],
) -> str:
    """Record a program that reads and writes datasets, with the sources of written columns; return why that failed, or "".

    The caller's rights are needed, but the work of a job is not lost for lack of them.
    """
    urn = make_program_urn(context.namespace, f"analytics-{experiment}", "spark", program)
    lineage = {
        "inputDatasets": [*inputs],
        "outputDatasets": [output.urn for output in outputs],
        "fineGrainedLineages": [
            {
                "upstreamType": "FIELD_SET",
                "downstreamType": "FIELD",
                "upstreams": [str(make_field_urn(Urn.parse(dataset), name)) for dataset, name in sources],
                "downstreams": [str(make_field_urn(Urn.parse(target[0]), target[1]))],
            }
            for target, sources in columns.items()
        ],
    }
    proposals = [proposal for output in outputs for proposal in _describe_dataset(output)]
    try:
        context.run_as(context.principal).admin.apply_proposals(
            [*proposals, Proposal(urn, "dataJobInputOutput", "upsert", lineage)]
        )
    except (AccessDenied, HeldForReview, NotFound) as error:
        return error.detail
    return ""


def _describe_dataset(output: WrittenDataset) -> list[Proposal]:
    urn = Urn.parse(output.urn)
    properties = {"description": output.description, "customProperties": {**output.properties}}
    fields = [
        {
            "fieldPath": name,
            "nativeDataType": _TYPES[type_][0],
            "nullable": True,
            "type": {"type": {_TYPES[type_][1]: {}}},
        }
        for name, type_ in output.columns.items()
    ]
    return [
        Proposal(urn, "datasetProperties", "upsert", properties),
        Proposal(urn, "schemaMetadata", "upsert", {"fields": fields}),
    ]
