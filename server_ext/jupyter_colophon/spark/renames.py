"""`ALTER TABLE … RENAME TO`: the same table under a new name."""

import json
from typing import Any

from py4j.protocol import Py4JJavaError

from jupyter_colophon.spark import naming, schema
from jupyter_colophon.spark.observation import ColumnEdge, DataRef, Field, Kind, Transformation, Unseen
from jupyter_colophon.spark.plan import Statement
from jupyter_colophon.spark.tree import Node

RENAMES = frozenset({"AlterTableRenameCommand", "RenameTable"})
"""The commands: of tables and views of Spark's own catalog, and of tables of others."""


def rename_of(execution: Any, root: Node) -> tuple[Statement, ...]:
    """Return the statement of a rename: all of the old name flows into the new one. None for a temporary view.

    The names of other catalogs' tables are not in the command's JSON: that something was renamed is reported as unseen.
    """
    if "oldName" not in root.attrs:
        return (Statement("rename", unseen=(Unseen.NAME,)),)
    old, new = root.attrs["oldName"], root.attrs["newName"]
    if not old.get("database"):
        return ()
    new = {**old, "table": new["table"], "database": new.get("database") or old["database"]}
    source, target = naming.table(old), naming.table(new)
    if source is None or target is None:
        return ()
    kind = Kind.VIEW if root.attrs.get("isView") else Kind.TABLE
    fields = _fields(execution.sparkSession(), new)
    edges = tuple(ColumnEdge(source, each.path, target, each.path, Transformation.IDENTITY) for each in fields)
    reads, writes = (DataRef(source, kind),), (DataRef(target, kind, fields or None),)
    return (Statement("rename", reads, writes, edges, renamed=(source, target)),)


def _fields(session: Any, identifier: dict[str, Any]) -> tuple[Field, ...]:
    """Ask the catalog; the table may have another name by now."""
    name = ".".join(f"`{identifier[part].replace('`', '``')}`" for part in ("database", "table"))
    try:
        return schema.fields(json.loads(session.table(name).schema().json()))
    except Py4JJavaError:
        return ()
