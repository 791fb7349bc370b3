"""Reads plans out of the JVM, each in one call, by a small class that Spark's own compiler makes there (`PlanWriter.java`)."""

from functools import cached_property
from importlib.resources import files
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from jupyter_colophon.spark.plans.plan_nodes import sent_fields
from jupyter_colophon.spark.plans.plan_tree import Grafts, Node, parse


class Limits(NamedTuple):
    """How large a plan may be: its nodes, the longest list in a node, its nodes and expressions together.

    The last, since a loop of `withColumn` makes plans that are neither deep nor wide, and yet enormous.
    """

    nodes: int
    columns: int
    parts: int


BOUNDED = Limits(2_000, 500, 25_000)
"""A larger plan is not followed column by column when a query was run: nobody asked for that."""

ANY = Limits(2**31 - 1, 2**31 - 1, 2**31 - 1)


class PlanReader:
    """The plans of one JVM."""

    def __init__(self, session: Any) -> None:
        self._loader = session.getClass().getClassLoader()

    def whole(self, plan: Any, limits: Limits, grafts: Grafts | None = None) -> Node | None:
        """Give a plan with all that it holds; None where it is larger than the limits."""
        text = self.text(plan, limits)
        return None if text is None else parse(text, grafts)

    def text(self, plan: Any, limits: Limits) -> str | None:
        """Give a plan as `parse` reads it; None where it is larger than the limits."""
        found = self._writer.whole(plan, *limits)
        return None if found is None else str(found)

    def top(self, plan: Any) -> Node:
        """Give a plan's root and what is right below, without the trees in their fields."""
        return parse(self._writer.top(plan))

    @cached_property
    def _writer(self) -> Any:
        # Compiled with the first plan, on the listener's thread, not while a session starts.
        compiler = self._loader.loadClass("org.codehaus.janino.SimpleCompiler").newInstance()
        compiler.setParentClassLoader(self._loader)
        compiler.cook((files("jupyter_colophon.spark") / "PlanWriter.java").read_text("utf-8"))
        writer = compiler.getClassLoader().loadClass("jupyter.colophon.PlanWriter").newInstance()
        writer.send(",".join(sorted(sent_fields())))
        return writer


_known: WeakKeyDictionary[Any, PlanReader] = WeakKeyDictionary()
"""By py4j's connection to a JVM: the class is compiled once in each."""


def reader_of(session: Any) -> PlanReader:
    """Give the reader of the plans of a session, which is the JVM's object of it."""
    found = _known.get(session._gateway_client)
    if found is None:
        found = _known[session._gateway_client] = PlanReader(session)
    return found
