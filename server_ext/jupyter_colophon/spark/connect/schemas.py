"""Schemas that the server computes while a plan runs: those of written data, and those of tables and files that are joined."""

import json
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from jupyter_colophon.capture.observation import SchemaField
from jupyter_colophon.spark.connect.plan_messages import get_written_relation, list_leaves_to_name
from jupyter_colophon.spark.plans.schema import parse_fields

#: How long the server may take.
TIMEOUT_S: Final = 10.0
#: Number of tables and files of a plan whose schemas are requested.
MAX_LEAVES: Final = 12
#: Size of a relation in bytes above which its schema is not requested: it has the data of a program.
MAX_BYTES: Final = 200_000


@dataclass(frozen=True, slots=True)
class PlanSchemas:
    """The requested schemas of a plan: of the written data, and of reads by their serialized form."""

    written: Any = None
    leaves: dict[bytes, Any] = field(default_factory=dict)

    def find_written_fields(self) -> tuple[SchemaField, ...] | None:
        """Return the schema of the data that is written; None if the server did not answer."""
        return None if self.written is None else _read_fields(self.written)

    def find_leaf_names(self, read: Any) -> tuple[str, ...] | None:
        """Return the names of a table's or file's columns; None if they are unknown."""
        future = self.leaves.get(read.SerializeToString(deterministic=True)) if self.leaves else None
        fields = None if future is None else _read_fields(future)
        return None if fields is None else tuple(each.path for each in fields)


def request_schemas(client: Any, plan: Any) -> PlanSchemas | None:
    """Request the schemas that the lineage of a plan or command needs, without waiting; None if it needs none."""
    with suppress(Exception):  # An error here must not affect the query.
        written = get_written_relation(plan)
        leaves = list_leaves_to_name(plan)[:MAX_LEAVES]
        if written is None and not leaves:
            return None
        return PlanSchemas(
            None if written is None else _request_schema(client, written),
            {each.read.SerializeToString(deterministic=True): _request_schema(client, each) for each in leaves},
        )
    return None


def read_table_columns(client: Any, name: str) -> tuple[str, ...] | None:
    """Ask for the names of a table's columns, and wait; None if the server does not answer."""
    from pyspark.sql.connect import proto

    with suppress(Exception):  # The server may be gone.
        table = proto.Relation(read=proto.Read(named_table=proto.Read.NamedTable(unparsed_identifier=name)))
        fields = _read_fields(_request_schema(client, table))
        return None if fields is None else tuple(each.path for each in fields)
    return None


def _request_schema(client: Any, relation: Any) -> Any:
    """Return the future of a schema. The methods are private ones of the client, since its public method waits and retries."""
    if relation.ByteSize() > MAX_BYTES:
        return None
    request = client._analyze_plan_request_with_metadata()
    request.schema.plan.root.CopyFrom(relation)
    return client._stub.AnalyzePlan.future(request, timeout=TIMEOUT_S, metadata=client._builder.metadata())


def _read_fields(future: Any) -> tuple[SchemaField, ...] | None:
    """Wait for a schema; None if the server did not answer in time, or refused the plan."""
    from pyspark.sql.connect.types import proto_schema_to_pyspark_data_type

    with suppress(Exception):  # Any error of gRPC or of the server.
        struct = proto_schema_to_pyspark_data_type(future.result(timeout=TIMEOUT_S).schema.schema)
        return parse_fields(json.loads(struct.json()))
    return None
