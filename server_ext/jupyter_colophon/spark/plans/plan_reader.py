"""Read plans from the JVM in one call each, with a small class that Spark's own compiler compiles there (`PlanWriter.java`)."""

from functools import cached_property
from importlib.resources import files
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from jupyter_colophon.spark.plans.plan_nodes import list_fields_sent_by_plan_writer
from jupyter_colophon.spark.plans.plan_tree import StreamPlansByColumn, TreeNode, parse_tree


class Limits(NamedTuple):
    """Limits for the size of a plan: its nodes, the longest list in a node, and the total of nodes and expressions.

    The last one is needed since a loop of `withColumn` creates huge plans that are neither deep nor wide.
    """

    nodes: int
    columns: int
    parts: int


BOUNDED = Limits(2_000, 500, 25_000)
"""Limits for column lineage of executed queries."""

ANY = Limits(2**31 - 1, 2**31 - 1, 2**31 - 1)


class PlanReader:
    """Read the plans of one JVM."""

    def __init__(self, session: Any) -> None:
        self._loader = session.getClass().getClassLoader()

    def read_complete_plan(
        self, plan: Any, limits: Limits, stream_plans: StreamPlansByColumn | None = None
    ) -> TreeNode | None:
        """Return a complete plan; None if it exceeds the limits."""
        text = self.read_plan_json(plan, limits)
        return None if text is None else parse_tree(text, stream_plans)

    def read_plan_json(self, plan: Any, limits: Limits) -> str | None:
        """Return a plan as JSON for `parse`; None if it exceeds the limits."""
        text = self._writer.writeFull(plan, *limits)
        return None if text is None else str(text)

    def read_root_node(self, plan: Any) -> TreeNode:
        """Return a plan's root and its children, without the trees in their fields."""
        return parse_tree(self._writer.writeRoot(plan))

    @cached_property
    def _writer(self) -> Any:
        # Compile it for the first plan, on the listener's thread, to not delay the start of the session.
        compiler = self._loader.loadClass("org.codehaus.janino.SimpleCompiler").newInstance()
        compiler.setParentClassLoader(self._loader)
        compiler.cook((files("jupyter_colophon.spark") / "PlanWriter.java").read_text("utf-8"))
        writer = compiler.getClassLoader().loadClass("jupyter.colophon.PlanWriter").newInstance()
        writer.setFields(",".join(sorted(list_fields_sent_by_plan_writer())))
        return writer


_readers: WeakKeyDictionary[Any, PlanReader] = WeakKeyDictionary()
"""Readers by py4j connection: the class is compiled once in each JVM."""


def get_reader(session: Any) -> PlanReader:
    """Return the plan reader of a session, given as its JVM object."""
    reader = _readers.get(session._gateway_client)
    if reader is None:
        reader = _readers[session._gateway_client] = PlanReader(session)
    return reader
