"""`%metadata show search keys lineage history diff runs export`: what is known."""

from argparse import ArgumentParser, Namespace
from textwrap import wrap
from typing import TYPE_CHECKING

from jupyter_colophon.client.api.answer import Result
from jupyter_colophon.client.api.current_connection import present
from jupyter_colophon.client.api.edits import BUSINESS
from jupyter_colophon.core.model.search_filters import FILTERS
from jupyter_colophon.kernel import argument_types
from jupyter_colophon.kernel.commands.command import Command
from jupyter_colophon.kernel.commands.edits import named

if TYPE_CHECKING:
    from jupyter_colophon.kernel.session import Companion

STATUSES = ("running", "succeeded", "failed", "killed")


def _limited(parser: ArgumentParser, default: int = 20) -> None:
    parser.add_argument("--limit", type=argument_types.whole(1, 500), default=default, metavar="N")


def _timed(parser: ArgumentParser) -> None:
    parser.add_argument("--start", metavar="T")
    parser.add_argument("--end", metavar="T")


def _search_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("query", metavar="QUERY", nargs="*")
    _limited(parser)
    for one in FILTERS:
        metavar = "|".join(one.choices) or one.name.upper()
        parser.add_argument(f"--{one.name}", choices=one.choices or None, metavar=metavar)
    parser.add_argument("--include-removed", action="store_true")


def _keys_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("prefix", metavar="PREFIX", nargs="?", default="")
    parser.add_argument("--values", metavar="KEY")
    _limited(parser, 200)


def _lineage_arguments(parser: ArgumentParser) -> None:
    named(parser, has_fields=False)
    parser.add_argument("--levels", type=argument_types.whole(1, 20), default=1, metavar="N")
    parser.add_argument("--direction", choices=("both", "upstream", "downstream"), default="both")
    _timed(parser)
    parser.add_argument("--columns", action="store_true")


def _history_arguments(parser: ArgumentParser) -> None:
    named(parser)
    parser.add_argument("--aspect", default=BUSINESS, metavar="ASPECT")
    _limited(parser)


def _diff_arguments(parser: ArgumentParser) -> None:
    named(parser)
    parser.add_argument("older", metavar="FROM", nargs="?")
    parser.add_argument("newer", metavar="TO", nargs="?")
    parser.add_argument("--aspect", default=BUSINESS, metavar="ASPECT")
    parser.add_argument("--lineage", action="store_true")


def _runs_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?")
    _timed(parser)
    parser.add_argument("--status", choices=STATUSES)
    _limited(parser)


def _export_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("namespace", metavar="NAMESPACE")
    parser.add_argument("file", metavar="FILE")


def _show(_: "Companion", asked: Namespace) -> Result:
    return present.verbs().show(asked.name, field=asked.field)


def _search(_: "Companion", asked: Namespace) -> Result:
    of = {one.name: getattr(asked, one.name) for one in FILTERS}
    return present.verbs().search(" ".join(asked.query), limit=asked.limit, include_removed=asked.include_removed, **of)


def _keys(_: "Companion", asked: Namespace) -> Result:
    return present.verbs().keys(asked.prefix, values=asked.values, limit=asked.limit)


def _lineage(_: "Companion", asked: Namespace) -> Result:
    return present.verbs().lineage(
        asked.name,
        levels=asked.levels,
        direction=asked.direction,
        start=asked.start,
        end=asked.end,
        columns=asked.columns,
    )


def _history(_: "Companion", asked: Namespace) -> Result:
    return present.verbs().history(asked.name, aspect=asked.aspect, field=asked.field, limit=asked.limit)


def _diff(_: "Companion", asked: Namespace) -> Result:
    return present.verbs().diff(
        asked.name, asked.older, asked.newer, aspect=asked.aspect, field=asked.field, lineage=asked.lineage
    )


def _runs(_: "Companion", asked: Namespace) -> Result:
    return present.verbs().runs(asked.name, start=asked.start, end=asked.end, status=asked.status, limit=asked.limit)


def _export(_: "Companion", asked: Namespace) -> Result:
    return present.verbs().export(asked.namespace, asked.file)


def _search_help() -> str:
    # No line ends within an option.
    options = [f"[--{one.name}\xa0{'|'.join(one.choices) or one.name.upper()}]" for one in FILTERS]
    rows = wrap(" ".join(["[--limit\xa0N]", *options, "[--include-removed]"]), 80, break_on_hyphens=False)
    first = "%metadata search [QUERY…]           find: words, word*, key:value, tags:…, owner:…; by filters alone too"
    return "\n".join([first, *(f"{'':36}{row}".replace("\xa0", " ") for row in rows)])


COMMANDS = (
    Command(
        "show",
        """\
%metadata show NAME                 all that is known: what people wrote, what machines wrote, schema, runs   [--field FIELD]""",
        named,
        _show,
    ),
    Command(
        "search",
        _search_help(),
        _search_arguments,
        _search,
    ),
    Command(
        "keys",
        "%metadata keys [PREFIX]             metadata keys in use, or values of one   [--values KEY] [--limit N]",
        _keys_arguments,
        _keys,
    ),
    Command(
        "lineage",
        """\
%metadata lineage NAME              what it was made from and what was made of it
                                    [--levels N] [--direction both|upstream|downstream] [--start T] [--end T] [--columns]""",
        _lineage_arguments,
        _lineage,
    ),
    Command(
        "history",
        """\
%metadata history NAME              what was said when, by whom   [--aspect ASPECT] [--field FIELD] [--limit N]""",
        _history_arguments,
        _history,
    ),
    Command(
        "diff",
        """\
%metadata diff NAME [FROM [TO]]     what changed between two versions, or two times T; of itself the last change
                                    [--aspect ASPECT] [--field FIELD]; with --lineage the edges that came and went""",
        _diff_arguments,
        _diff,
    ),
    Command(
        "runs",
        """\
%metadata runs [NAME]               runs that touched data, or of a program, or all; of a run's URN what it touched
                                    [--start T] [--end T] [--status running|succeeded|failed|killed] [--limit N]""",
        _runs_arguments,
        _runs,
    ),
    Command(
        "export",
        "%metadata export NAMESPACE FILE     write all that is said in a namespace to a file, a line an aspect",
        _export_arguments,
        _export,
    ),
)
