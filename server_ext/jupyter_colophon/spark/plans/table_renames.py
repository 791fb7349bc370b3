"""`ALTER TABLE … RENAME TO`: the same table under a new name."""

import json
from dataclasses import replace
from typing import Any

from py4j.protocol import Py4JJavaError

from jupyter_colophon.spark.names import dataset_names
from jupyter_colophon.spark.plans import schema
from jupyter_colophon.spark.plans.observation import ColumnEdge, DataRef, Kind, Transformation, Unseen
from jupyter_colophon.spark.plans.plan import Statement
from jupyter_colophon.spark.plans.plan_tree import Node
from jupyter_colophon.spark.plans.write_targets import write_path


def rename_of(execution: Any, root: Node) -> tuple[Statement, ...]:
    """Return the statement of a rename: where the catalog cannot move what it has, all of the old name flows into the
    new one. None for a temporary view.

    The names of other catalogs' tables are not in the command's JSON: that something was renamed is reported as unseen.
    """
    if "oldName" not in root.attrs:
        return (Statement("rename", unseen=(Unseen.NAME,)),)
    old, new = root.attrs["oldName"], root.attrs["newName"]
    if not old.get("database"):
        return ()
    new = {**old, "table": new["table"], "database": new.get("database") or old["database"]}
    source, target = dataset_names.table(old), dataset_names.table(new)
    if source is None or target is None:
        return ()
    written = _renamed(
        execution.sparkSession(), new, DataRef(target, Kind.VIEW if root.attrs.get("isView") else Kind.TABLE)
    )
    edges = tuple(
        ColumnEdge(source, each.path, target, each.path, Transformation.IDENTITY) for each in written.fields or ()
    )
    return (Statement("rename", (DataRef(source, written.kind),), (written,), edges, renamed=(source, target)),)


def _renamed(session: Any, identifier: dict[str, Any], ref: DataRef) -> DataRef:
    """Return what the catalog says of a table under its new name; the table may have another name by now."""
    name = ".".join(f"`{identifier[part].replace('`', '``')}`" for part in ("database", "table"))
    state = session.sessionState()
    try:
        table = state.catalog().getTableMetadata(state.sqlParser().parseTableIdentifier(name))
        provider, place = table.provider(), table.storage().locationUri()
        return replace(
            ref,
            fields=schema.fields(json.loads(table.schema().json())) or None,
            format=provider.get().lower() if provider.isDefined() else None,
            location=None if place.isEmpty() else dataset_names.without_credentials(write_path(place.get())),
        )
    except Py4JJavaError:
        return ref
