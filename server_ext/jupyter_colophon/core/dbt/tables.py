"""The datasets and jobs of dbt's nodes. A job has the name that `dbt-ol`, OpenLineage's wrapper, gives it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from jupyter_colophon.core.dbt.connections import DbtConnection
from jupyter_colophon.core.dbt.nodes import DbtNode
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.names import IdentityRules
from jupyter_colophon.core.identity.openlineage_names import make_openlineage_job_urn

ENGINE: Final = "dbt"


@dataclass(frozen=True, slots=True)
class DbtEntity:
    """A node with its dataset and its job. A source has no job, an exposure no dataset; `inputs` are what it reads."""

    node: DbtNode
    dataset: str
    job: str
    inputs: tuple[str, ...] = ()


def name_entities(
    nodes: Mapping[str, DbtNode], connection: DbtConnection, identity: IdentityRules, job_namespace: str
) -> dict[str, DbtEntity]:
    """Return the entities of nodes by the ids of the nodes, without ephemeral models. Raises InvalidName."""
    tables = {id_: node for id_, node in nodes.items() if not node.is_ephemeral}
    datasets = {
        id_: str(_make_dataset_urn(node, connection, identity)) if node.kind != "exposure" else ""
        for id_, node in tables.items()
    }
    entities: dict[str, DbtEntity] = {}
    for id_, node in tables.items():
        sources = {datasets[parent] for parent in _find_tables_above(id_, nodes) if datasets.get(parent)}
        job = "" if node.kind == "source" else str(make_openlineage_job_urn(job_namespace, get_job_name(node), ENGINE))
        entities[id_] = DbtEntity(node, datasets[id_], job, tuple(sorted(sources)))
    return entities


def get_job_name(node: DbtNode) -> str:
    """Return the name of the job that builds a node's table, or of an exposure."""
    if node.kind == "exposure":
        return node.id
    name = ".".join(filter(None, (node.database, node.schema, node.id.removeprefix(f"{node.kind}."))))
    return f"{name}.snapshot" if node.kind == "snapshot" else name


def get_place(node: DbtNode) -> str:
    """Return database and schema of a node, as its job's name begins."""
    return ".".join(filter(None, (node.database, node.schema)))


def _make_dataset_urn(node: DbtNode, connection: DbtConnection, identity: IdentityRules) -> object:
    try:
        return connection.make_dataset_urn(node, identity)
    except InvalidName as error:
        raise InvalidName(f"dataset of {node.id}", node.table, error.detail) from None


def _find_tables_above(id_: str, nodes: Mapping[str, DbtNode]) -> Iterator[str]:
    """Yield the tables that a node reads, also through ephemeral models, each once."""
    remaining, seen = list(nodes[id_].parents), set()
    while remaining:
        parent = remaining.pop()
        if parent in seen or parent not in nodes:
            continue
        seen.add(parent)
        if nodes[parent].is_ephemeral:
            remaining += nodes[parent].parents
        else:
            yield parent
