"""Stages with SQL or Python code."""

import ast
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jupyter_colophon.core.errors import Problem
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.plugin import ActionPlugin, Columns, TransformPlugin
from jupyter_colophon.pipelines.plugins import property_schemas

_FUNCTION = "transform"


class Sql(TransformPlugin):
    """A query over the input stages."""

    name = "sql"
    title = "SQL"
    description = "A query; the input stages are views with their names"
    properties = {"query": property_schemas.define_text("Query", "SELECT … FROM names of input stages")}
    required = ("query",)
    takes = (1, None)

    def apply(self, context: StageContext, inputs: Mapping[str, Any]) -> Any:
        """Return the result of the query."""
        for name, data in inputs.items():
            # The run has its own session: a notebook does not see these views.
            data.createOrReplaceTempView(name)
        return context.spark.sql(self.settings["query"])


class Python(TransformPlugin):
    """A function of the input stages."""

    name = "python"
    title = "Python"
    description = (
        "A function that transforms a DataFrame. It runs with the permissions of the user who runs the pipeline"
    )
    properties = {
        "code": property_schemas.define_text(
            "Code", "Defines transform(data), or transform(**stages) for several stages"
        )
    }
    required = ("code",)
    takes = (1, None)

    def find_problems(self, inputs: Sequence[Columns]) -> Iterable[Problem]:
        """Yield a problem if the code is not valid Python, or does not define the function."""
        try:
            tree = ast.parse(self.settings["code"])
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line = f" in line {error.lineno}" if isinstance(error, SyntaxError) else ""
            yield Problem("/code", f"it is not valid Python{line}")
            return
        if not any(isinstance(statement, ast.FunctionDef) and statement.name == _FUNCTION for statement in tree.body):
            yield Problem("/code", f"it does not define a function {_FUNCTION}")

    def apply(self, context: StageContext, inputs: Mapping[str, Any]) -> Any:
        """Return the result of the function."""
        names: dict[str, Any] = {"__name__": f"colophon_stage_{self.stage}", "spark": context.spark}
        exec(compile(self.settings["code"], f"<stage {self.stage}>", "exec"), names)  # noqa: S102  the pipeline's own code
        function = names[_FUNCTION]
        result = function(*inputs.values()) if len(inputs) == 1 else function(**inputs)
        if not hasattr(result, "queryExecution") and not hasattr(result, "schema"):
            msg = f"{_FUNCTION} returned a {type(result).__name__}, not a DataFrame"
            raise TypeError(msg)
        return result


class SqlAction(ActionPlugin):
    """SQL statements."""

    name = "sql"
    title = "SQL"
    description = "Statements, such as CREATE DATABASE IF NOT EXISTS sales"
    properties = {"statements": property_schemas.define_list("Statements", "Executed in order", minItems=1)}
    required = ("statements",)

    def act(self, context: StageContext) -> None:
        """Execute the statements."""
        for statement in self.settings["statements"]:
            context.spark.sql(statement)


PLUGINS = (Sql, Python, SqlAction)
