"""`DROP TABLE`, `DROP VIEW` and `DROP DATABASE`: the data that no longer exist."""

from typing import Any

from jupyter_colophon.capture.names import dataset_names
from jupyter_colophon.spark.plans.datasets_from_jvm import create_catalog_ref
from jupyter_colophon.spark.plans.plan import Statement
from jupyter_colophon.spark.plans.plan_tree import TreeNode

_TABLE = "t"


def build_drop_statements(plan: Any, root: TreeNode) -> tuple[Statement, ...]:
    """Return the statement of a command that drops tables; nothing for a temporary view."""
    dropped = _find_dropped(plan, root)
    return (Statement("drop", dropped=(dropped,)),) if dropped else ()


def _find_dropped(plan: Any, root: TreeNode) -> str | None:
    """Return the URN of a dropped table, or that with which the URNs of the tables of a dropped database begin."""
    if (name := root.attrs.get("tableName")) is not None:
        return dataset_names.build_table_urn(name) if name.get("database") else None
    if (database := root.attrs.get("databaseName")) is not None:
        return build_database_prefix({"database": database})
    if root.kind == "DropTable":
        ref = create_catalog_ref(plan.child().catalog(), plan.child().identifier())
        return ref.urn if ref else None
    namespace = plan.namespace()
    return build_database_prefix(
        {"catalog": namespace.catalog().name(), "database": namespace.namespace().mkString(".")}
    )


def build_database_prefix(database: dict[str, Any]) -> str | None:
    """Return that with which the URNs of the tables of a database begin; None if it has no valid name."""
    urn = dataset_names.build_table_urn({**database, "table": _TABLE})
    return urn.rpartition(f".{_TABLE},")[0] + "." if urn else None
