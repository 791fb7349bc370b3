"""`%metadata pipeline …`: pipelines on the session of the notebook (docs/pipelines.md)."""

from argparse import ArgumentParser, Namespace
from dataclasses import replace
from typing import TYPE_CHECKING

from jupyter_colophon.client.api.answer import Result
from jupyter_colophon.core.errors import InvalidInstance
from jupyter_colophon.kernel import argument_types
from jupyter_colophon.kernel.commands.command import Command
from jupyter_colophon.pipelines.api import VERBS, pipeline, wrong

if TYPE_CHECKING:
    from jupyter_colophon.kernel.session import Companion


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("verb", metavar="VERB", nargs="?", choices=VERBS)
    parser.add_argument("name", metavar="PIPELINE", nargs="?")
    parser.add_argument("arguments", metavar="ARGUMENT=VALUE", nargs="*", type=argument_types.argument)


def _pipeline(_: "Companion", asked: Namespace) -> Result:
    if asked.verb is None:
        msg = "pipeline: say what to do: list, or validate, preview or run PIPELINE"
        raise ValueError(msg)
    try:
        return pipeline(asked.verb, asked.name, dict(asked.arguments))
    except InvalidInstance as error:
        answer = wrong(asked.name, error)
        is_told = asked.verb == "validate"
        return answer if is_told else replace(answer, failure=f"{asked.name} is not valid, and was not run")


COMMANDS = (
    Command(
        "pipeline",
        """\
%metadata pipeline list             pipelines; also: validate, preview or run PIPELINE, with ARGUMENT=VALUE…;
                                    PIPELINE is the name of one, or a JSON file""",
        _arguments,
        _pipeline,
        at_once=True,
    ),
)
