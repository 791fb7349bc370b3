"""`%metadata pipeline …`: pipelines on the session of the notebook (docs/pipelines.md)."""

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from jupyter_colophon.client.verbs.answer import Answer, table
from jupyter_colophon.client.verbs.present import present
from jupyter_colophon.core.errors import InvalidInstance
from jupyter_colophon.kernel import words
from jupyter_colophon.kernel.commands.command import Command
from jupyter_colophon.kernel.commands.sessions import session_here

if TYPE_CHECKING:
    from jupyter_colophon.kernel.companion import Companion
    from jupyter_colophon.spark.pipelines.checking import Prepared

_SPACE, _SCHEMA = "pipelines", "pipeline"
VERBS = ("list", "preview", "run", "validate")


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("verb", metavar="VERB", choices=VERBS)
    parser.add_argument("name", metavar="NAME", nargs="?")
    parser.add_argument("arguments", metavar="NAME=VALUE", nargs="*", type=words.argument)


def _pipeline(_: "Companion", asked: Namespace) -> Answer:
    """Does what the verb says. Raises ValueError where a pipeline has to be named, Refused or OSError for one that is not there."""
    catalog, name = present.verbs().catalog, asked.name
    if asked.verb == "list":
        found = [one for one in catalog.instances(_SPACE) if one["schema_name"] == _SCHEMA]
        return table("pipelines", {"pipelines": found}, "name display_name description problem", found)
    if name is None:
        msg = f"which pipeline? %metadata pipeline {asked.verb} NAME"
        raise ValueError(msg)
    # Loaded when somebody asks for pipelines: packages register plugins.
    from jupyter_colophon.spark.pipelines.checking import checked
    from jupyter_colophon.spark.pipelines.documents import in_file, read
    from jupyter_colophon.spark.pipelines.registry import installed

    try:
        if (path := in_file(name)) is not None:
            name, document = read(path)
        else:
            document = {"metadata": catalog.instance(_SPACE, name)["metadata"]}
        prepared = checked(name, document, installed(), dict(asked.arguments))
    except InvalidInstance as error:
        problems = [{"pointer": one.pointer, "message": one.message} for one in error.problems]
        return table("pipeline-wrong", {"name": name, "problems": problems}, "pointer message", problems)
    if asked.verb == "validate":
        order = [{"stage": one.name} for one in prepared.order]
        return table("pipeline-valid", {"name": name, "order": [one["stage"] for one in order]}, "stage", order)
    return _preview(prepared) if asked.verb == "preview" else _run(prepared)


def _preview(prepared: "Prepared") -> Answer:
    from jupyter_colophon.spark.pipelines.previewing import preview

    stages = [
        {
            "stage": one.stage,
            "error": one.error,
            "columns": [{"name": name, "type": type_} for name, type_ in one.columns],
            "rows": [{name: str(row.get(name, "")) for name, _ in one.columns} for row in one.rows],
        }
        for one in preview(prepared, session_here(), shown=5)
    ]
    return table("pipeline-preview", {"name": prepared.pipeline.name, "stages": stages}, "stage error rows", stages)


def _run(prepared: "Prepared") -> Answer:
    from jupyter_colophon.spark.pipelines.running import run

    outcome = run(prepared, session_here(), tell=_say)
    stages = [{"stage": one.name, "status": one.status, "rows": one.rows, "ms": one.ms} for one in outcome.stages]
    document = {"name": prepared.pipeline.name, "status": outcome.status, "error": outcome.error, "run": outcome.run}
    return table("pipeline-run", document | {"stages": stages}, "stage status rows ms", stages)


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")


COMMANDS = (
    Command(
        "pipeline",
        """\
%metadata pipeline list             pipelines; also: validate NAME, preview NAME, run NAME, with NAME=VALUE… for arguments;
                                    NAME is that of one, or a JSON file""",
        _arguments,
        _pipeline,
    ),
)
