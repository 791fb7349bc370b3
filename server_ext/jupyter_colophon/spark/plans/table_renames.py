"""`ALTER TABLE … RENAME TO`: the same table under a new name."""

import json
from dataclasses import replace
from typing import Any

from py4j.protocol import Py4JJavaError

from jupyter_colophon.capture.names import dataset_names
from jupyter_colophon.capture.observation import ColumnFlow, DataRef, DatasetKind, MissingDetail, Transformation
from jupyter_colophon.spark.plans import schema
from jupyter_colophon.spark.plans.plan import Statement
from jupyter_colophon.spark.plans.plan_tree import TreeNode
from jupyter_colophon.spark.plans.write_targets import format_hadoop_path


def build_rename_statements(execution: Any, root: TreeNode) -> tuple[Statement, ...]:
    """Return the statement of a rename, in which all columns of the old table flow into the new one; nothing for a temporary view.

    The JSON of the command has no names of tables in other catalogs: their rename is reported as missing.
    """
    if "oldName" not in root.attrs:
        return (Statement("rename", missing=(MissingDetail.NAME,)),)
    old, new = root.attrs["oldName"], root.attrs["newName"]
    if not old.get("database"):
        return ()
    new = {**old, "table": new["table"], "database": new.get("database") or old["database"]}
    source, target = dataset_names.build_table_urn(old), dataset_names.build_table_urn(new)
    if source is None or target is None:
        return ()
    written = _describe_renamed_table(
        execution.sparkSession(),
        new,
        DataRef(target, DatasetKind.VIEW if root.attrs.get("isView") else DatasetKind.TABLE),
    )
    edges = tuple(
        ColumnFlow(source, each.path, target, each.path, Transformation.IDENTITY) for each in written.fields or ()
    )
    return (Statement("rename", (DataRef(source, written.kind),), (written,), edges, renamed=(source, target)),)


def _describe_renamed_table(session: Any, identifier: dict[str, Any], ref: DataRef) -> DataRef:
    """Return the description of a table under its new name; unchanged if it was renamed again."""
    name = ".".join(f"`{identifier[part].replace('`', '``')}`" for part in ("database", "table"))
    state = session.sessionState()
    try:
        table = state.catalog().getTableMetadata(state.sqlParser().parseTableIdentifier(name))
        provider, place = table.provider(), table.storage().locationUri()
        return replace(
            ref,
            fields=schema.parse_fields(json.loads(table.schema().json())) or None,
            format=provider.get().lower() if provider.isDefined() else None,
            location=None if place.isEmpty() else dataset_names.strip_credentials(format_hadoop_path(place.get())),
        )
    except Py4JJavaError:
        return ref
