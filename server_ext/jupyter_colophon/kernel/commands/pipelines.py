"""`%metadata pipeline …`: run pipelines on the Spark session of the notebook (docs/pipelines.md)."""

from argparse import ArgumentParser, Namespace
from dataclasses import replace
from typing import TYPE_CHECKING

from jupyter_colophon.client.api.answer import Result
from jupyter_colophon.core.errors import InvalidInstance
from jupyter_colophon.kernel import argument_types
from jupyter_colophon.kernel.commands.command import MagicCommand
from jupyter_colophon.pipelines.api import VERBS, build_invalid_result, pipeline

if TYPE_CHECKING:
    from jupyter_colophon.kernel.session import KernelSession


def _add_pipeline_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("verb", metavar="VERB", nargs="?", choices=VERBS)
    parser.add_argument("name", metavar="PIPELINE", nargs="?")
    parser.add_argument("arguments", metavar="ARGUMENT=VALUE", nargs="*", type=argument_types.parse_name_value)


def _run_pipeline(_: "KernelSession", args: Namespace) -> Result:
    if args.verb is None:
        msg = "pipeline: a subcommand is required: list, or validate, preview or run PIPELINE"
        raise ValueError(msg)
    try:
        return pipeline(args.verb, args.name, dict(args.arguments))
    except InvalidInstance as error:
        answer = build_invalid_result(args.name, error)
        return (
            answer if args.verb == "validate" else replace(answer, failure=f"{args.name} is not valid and was not run")
        )


COMMANDS = (
    MagicCommand(
        "pipeline",
        """\
%metadata pipeline list             pipelines; also: validate, preview or run PIPELINE, with ARGUMENT=VALUE…;
                                    PIPELINE is the name of one, or a JSON file""",
        _add_pipeline_arguments,
        _run_pipeline,
        at_once=True,
    ),
)
