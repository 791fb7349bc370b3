"""What people write: SQL and Python."""

import ast
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jupyter_colophon.core.errors import Problem
from jupyter_colophon.pipelines.context import StageContext
from jupyter_colophon.pipelines.plugin import Action, Columns, Transform
from jupyter_colophon.pipelines.plugins import shapes

_FUNCTION = "transform"


class Sql(Transform):
    """A query over the stages before."""

    name = "sql"
    title = "SQL"
    description = "A query; the stages before it are views of their names"
    properties = {"query": shapes.text("Query", "SELECT … FROM the names of the stages before")}
    required = ("query",)
    takes = (1, None)

    def apply(self, context: StageContext, inputs: Mapping[str, Any]) -> Any:
        """What the query gives."""
        for name, data in inputs.items():
            # The session is the run's own: a notebook does not see these views.
            data.createOrReplaceTempView(name)
        return context.spark.sql(self.settings["query"])


class Python(Transform):
    """A function over the stages before."""

    name = "python"
    title = "Python"
    description = "A function that makes a DataFrame of one. It runs as whoever runs the pipeline"
    properties = {"code": shapes.text("Code", "Defines transform(data), or transform(**stages) for several stages")}
    required = ("code",)
    takes = (1, None)

    def faults(self, inputs: Sequence[Columns]) -> Iterable[Problem]:
        """Yield a problem if the code is not valid Python, or does not define the function."""
        try:
            tree = ast.parse(self.settings["code"])
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line = f" in line {error.lineno}" if isinstance(error, SyntaxError) else ""
            yield Problem("/code", f"it is not valid Python{line}")
            return
        if not any(isinstance(one, ast.FunctionDef) and one.name == _FUNCTION for one in tree.body):
            yield Problem("/code", f"it defines no function {_FUNCTION}")

    def apply(self, context: StageContext, inputs: Mapping[str, Any]) -> Any:
        """What the function makes."""
        names: dict[str, Any] = {"__name__": f"colophon_stage_{self.stage}", "spark": context.spark}
        exec(compile(self.settings["code"], f"<stage {self.stage}>", "exec"), names)  # noqa: S102  the pipeline's own code
        function = names[_FUNCTION]
        made = function(*inputs.values()) if len(inputs) == 1 else function(**inputs)
        if not hasattr(made, "queryExecution") and not hasattr(made, "schema"):
            msg = f"{_FUNCTION} gave a {type(made).__name__}, and no DataFrame"
            raise TypeError(msg)
        return made


class SqlAction(Action):
    """Statements, one after another."""

    name = "sql"
    title = "SQL"
    description = "Statements, such as CREATE DATABASE IF NOT EXISTS sales"
    properties = {"statements": shapes.texts("Statements", "One after another", minItems=1)}
    required = ("statements",)

    def act(self, context: StageContext) -> None:
        """Run them."""
        for statement in self.settings["statements"]:
            context.spark.sql(statement)


PLUGINS = (Sql, Python, SqlAction)
