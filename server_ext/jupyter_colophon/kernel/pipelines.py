"""`%metadata pipeline …`: pipelines on the session of the notebook (docs/pipelines.md)."""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from jupyter_colophon.core.errors import InvalidInstance
from jupyter_colophon.kernel.display.blocks import Line, Table, Title
from jupyter_colophon.kernel.display.page import Page

if TYPE_CHECKING:
    from jupyter_colophon.client.catalog import Catalog
    from jupyter_colophon.spark.pipelines.checking import Prepared

_SPACE = "pipelines"
VERBS = ("list", "preview", "run", "validate")


def pipeline_page(catalog: "Catalog", verb: str, name: str | None, arguments: Mapping[str, str]) -> Page:
    """Does what the verb says. Raises ValueError where a pipeline has to be named, Refused for one that is not there."""
    if verb == "list":
        return _list(catalog)
    if name is None:
        msg = f"which pipeline? %metadata pipeline {verb} NAME"
        raise ValueError(msg)
    # Loaded when somebody asks for pipelines: packages register plugins.
    from jupyter_colophon.spark.pipelines.checking import checked
    from jupyter_colophon.spark.pipelines.registry import installed

    document = {"metadata": catalog.instance(_SPACE, name)["metadata"]}
    try:
        prepared = checked(name, document, installed(), arguments)
    except InvalidInstance as error:
        rows = tuple((one.pointer, one.message) for one in error.problems)
        return Page((Title(name, "is not valid"), Table("", ("place", "what is wrong"), rows)))
    if verb == "validate":
        return Page((Title(name, "is valid"), Line(" > ".join(one.name for one in prepared.order))))
    return _preview(prepared) if verb == "preview" else _run(prepared)


def _list(catalog: "Catalog") -> Page:
    found = catalog.instances(_SPACE)
    if not found:
        return Page((Line("There is no pipeline yet."),))
    rows = tuple((one["name"], one["display_name"], one["description"], one["problem"]) for one in found)
    return Page((Table("pipelines", ("name", "called", "does", "problem"), rows),))


def _preview(prepared: "Prepared") -> Page:
    from jupyter_colophon.spark.pipelines.previewing import preview

    blocks: list[Title | Line | Table] = []
    for one in preview(prepared, _session(), shown=5):
        blocks.append(Title(one.stage, one.error))
        if not one.error:
            names = tuple(name for name, _ in one.columns)
            rows = tuple(tuple(str(row.get(name, "")) for name in names) for row in one.rows)
            blocks.append(Table("", tuple(f"{name} {type_}" for name, type_ in one.columns), rows))
    return Page(tuple(blocks))


def _run(prepared: "Prepared") -> Page:
    from jupyter_colophon.spark.pipelines.running import run

    outcome = run(prepared, _session(), tell=_say)
    rows = tuple(
        (one.name, one.status, "" if one.rows is None else str(one.rows), f"{one.ms} ms") for one in outcome.stages
    )
    told = Title(prepared.pipeline.name, f"{outcome.status} {outcome.error}".strip())
    return Page((told, Table("", ("stage", "became", "rows", "time"), rows), Line(outcome.run, quiet=True)))


def _session() -> Any:
    """The session of the notebook, or a new one. Raises ValueError where there can be none."""
    try:
        from pyspark.sql import SparkSession

        from jupyter_colophon.spark.session import session
    except ImportError:
        msg = "PySpark is not installed: pip install jupyter-colophon[spark]"
        raise ValueError(msg) from None
    return SparkSession.getActiveSession() or session()


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
