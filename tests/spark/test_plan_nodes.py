"""The table of plan nodes: it declares every kind that the code names, completely, with fields of Spark's classes."""

import ast
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jupyter_colophon.spark
import pyspark
import pytest
from jupyter_colophon.capture.observation import MissingDetail
from jupyter_colophon.spark.plans.plan_nodes import (
    EXPRESSION_NODES,
    PLAN_NODES,
    ColumnRule,
    Effect,
    ExpressionNode,
    PlanNode,
    Reads,
    Role,
    get_command,
    list_fields_sent_by_plan_writer,
)

PACKAGE = Path(jupyter_colophon.spark.__file__).parent
SPARK = [(kind, node) for kind, node in PLAN_NODES.items() if node.package == "spark"]
TREES = {ColumnRule.FUNCTION: "functionExpr", ColumnRule.GENERATOR: "generator", ColumnRule.PROJECTIONS: "projections"}


MODULES = [
    ast.parse(path.read_text(encoding="utf-8")) for path in (*PACKAGE.glob("plans/*.py"), *PACKAGE.glob("capture/*.py"))
]


def test_every_node_kind_named_in_code_is_declared() -> None:
    named = {kind for module in MODULES for kind in kinds_in(module)}
    assert {"Union", "Alias", "CTERelationDef"} <= named
    assert named - PLAN_NODES.keys() - EXPRESSION_NODES.keys() == set()
    assert {kind for kind in PLAN_NODES if get_command(kind, Effect.RENAMES)} == {
        "AlterTableRenameCommand",
        "RenameTable",
    }


def kinds_in(module: ast.Module) -> Iterator[str]:
    """Yield the strings that the `kind` of a node is compared with."""
    for node in ast.walk(module):
        if isinstance(node, ast.Compare) and isinstance(node.left, ast.Attribute) and node.left.attr == "kind":
            yield from (
                each.value for each in ast.walk(node) if isinstance(each, ast.Constant) and isinstance(each.value, str)
            )


def test_every_plain_field_read_by_code_is_sent() -> None:
    read = {field for module in MODULES for field in plain_fields_in(module)}
    assert {"exprId", "cteId", "catalogTable"} <= read
    attributes = {name for node in EXPRESSION_NODES.values() for name in node.attributes}
    assert read - list_fields_sent_by_plan_writer() - attributes == set()


def plain_fields_in(module: ast.Module) -> Iterator[str]:
    """Yield the constants in `….attrs[…]`, `….attrs.get(…)` and `… in ….attrs`."""
    for node in ast.walk(module):
        match node:
            case ast.Subscript(value=ast.Attribute(attr="attrs"), slice=ast.Constant(value=str(field))):
                yield field
            case ast.Call(
                func=ast.Attribute(value=ast.Attribute(attr="attrs"), attr="get"),
                args=[ast.Constant(value=str(field)), *_],
            ):
                yield field
            case ast.Compare(left=ast.Constant(value=str(field)), comparators=[ast.Attribute(attr="attrs")]):
                yield field


def test_every_declaration_is_complete() -> None:
    for kind, node in PLAN_NODES.items():
        declared = node.command
        if declared is not None:
            assert declared.label, kind
            if declared.effect is Effect.WRITES:
                assert declared.target or declared.role is Role.WRAPPER, kind
            else:
                assert (declared.target, declared.role) == (None, Role.WHOLE), kind
            assert node.reads is None, kind
        assert node.datasets is None or node.reads is Reads.RELATION, kind
        assert node.column_rule not in TREES or TREES[node.column_rule] in node.trees, kind
        assert node.reads is not Reads.TABLE or node.fields, kind


@pytest.fixture(scope="module")
def classes() -> dict[str, list[str]]:
    """Return the full names of Spark's classes by their short names."""
    found: dict[str, list[str]] = {}
    for jar in (Path(pyspark.__file__).parent / "jars").glob("spark-*.jar"):
        if jar.name.startswith(("spark-catalyst_", "spark-sql_", "spark-hive_")):
            for name in zipfile.ZipFile(jar).namelist():
                short = name.removesuffix(".class").rpartition("/")[2].removesuffix("$")
                if name.endswith(".class") and (short in PLAN_NODES or short in EXPRESSION_NODES):
                    found.setdefault(short, []).append(name.removesuffix(".class").replace("/", "."))
    return found


@pytest.mark.parametrize(("kind", "node"), [*SPARK, *EXPRESSION_NODES.items()])
def test_declared_fields_exist_in_spark_class(
    kind: str, node: PlanNode | ExpressionNode, spark: Any, classes: dict[str, list[str]]
) -> None:
    loader = spark._jsparkSession.getClass().getClassLoader()
    base = loader.loadClass("org.apache.spark.sql.catalyst.trees.TreeNode")
    found = [one for one in map(loader.loadClass, classes.get(kind, ())) if base.isAssignableFrom(one)]
    assert found, kind
    assert set(fields_of(node)) <= {field.getName() for one in found for field in all_fields(one)}


def fields_of(node: PlanNode | ExpressionNode) -> Iterator[str]:
    """Yield all fields of a node's class that rules read according to its declaration."""
    yield from (*node.fields, *node.trees)
    if isinstance(node, PlanNode):
        yield from (field for field, _ in node.controls)
        if node.output is not None:
            yield from node.output.fields
        if node.command is not None and node.command.effect is Effect.WRITES and node.command.query:
            yield node.command.query


def all_fields(one: Any) -> Iterator[Any]:
    """Yield the fields of a class and of its superclasses."""
    while one is not None:
        yield from one.getDeclaredFields()
        one = one.getSuperclass()


def test_nearest_by_join_depends_on_ranking_columns(watch: Any) -> None:
    (seen,) = watch.run_and_observe(
        lambda: watch.spark.sql(
            f"CREATE TABLE {watch.create_table_name()} AS SELECT o.id, c.city FROM shop.orders o "
            "JOIN shop.customers c APPROX NEAREST 1 BY SIMILARITY -abs(o.customer - c.id)"
        )
    )
    edges = {
        (watch.shorten_urn(edge.source_urn), edge.source_field, edge.target_field, edge.transformation)
        for edge in seen.columns
    }
    flows = {("shop.orders", "id", "id", "identity"), ("shop.customers", "city", "city", "identity")}
    ranked = {(table, field) for table, field in (("shop.orders", "customer"), ("shop.customers", "id"))}
    assert edges == flows | {(*field, made, "join") for field in ranked for made in ("id", "city")}


def test_transposed_rows_are_reported_as_in_memory(watch: Any) -> None:
    """Spark runs the query while it analyses `transpose`, so that the plan contains only the rows."""
    transposed = watch.spark.table("shop.orders").select("id", "customer").transpose()
    (seen,) = watch.run_and_observe(lambda: transposed.write.saveAsTable(watch.create_table_name()))
    assert (seen.reads, seen.missing) == ((), (MissingDetail.MEMORY,))
