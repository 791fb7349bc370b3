"""`%metadata show search keys lineage history diff runs export`: query the catalog."""

from argparse import ArgumentParser, Namespace
from textwrap import wrap
from typing import TYPE_CHECKING

from jupyter_colophon.client.api.answer import Result
from jupyter_colophon.client.api.current_connection import current
from jupyter_colophon.client.api.edits import BUSINESS
from jupyter_colophon.core.model.search_filters import FILTERS
from jupyter_colophon.kernel import argument_types
from jupyter_colophon.kernel.commands.command import MagicCommand
from jupyter_colophon.kernel.commands.edits import add_name_argument

if TYPE_CHECKING:
    from jupyter_colophon.kernel.session import KernelSession

STATUSES = ("running", "succeeded", "failed", "killed")


def _add_limit_argument(parser: ArgumentParser, default: int = 20) -> None:
    parser.add_argument("--limit", type=argument_types.create_integer_parser(1, 500), default=default, metavar="N")


def _add_time_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--start", metavar="T")
    parser.add_argument("--end", metavar="T")


def _add_search_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("query", metavar="QUERY", nargs="*")
    _add_limit_argument(parser)
    for filter_ in FILTERS:
        metavar = "|".join(filter_.choices) or filter_.name.upper()
        parser.add_argument(f"--{filter_.name}", choices=filter_.choices or None, metavar=metavar)
    parser.add_argument("--include-removed", action="store_true")


def _add_keys_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("prefix", metavar="PREFIX", nargs="?", default="")
    parser.add_argument("--values", metavar="KEY")
    _add_limit_argument(parser, 200)


def _add_lineage_arguments(parser: ArgumentParser) -> None:
    add_name_argument(parser, has_fields=False)
    parser.add_argument("--levels", type=argument_types.create_integer_parser(1, 20), default=1, metavar="N")
    parser.add_argument("--direction", choices=("both", "upstream", "downstream"), default="both")
    _add_time_arguments(parser)
    parser.add_argument("--columns", action="store_true")


def _add_history_arguments(parser: ArgumentParser) -> None:
    add_name_argument(parser)
    parser.add_argument("--aspect", default=BUSINESS, metavar="ASPECT")
    _add_limit_argument(parser)


def _add_diff_arguments(parser: ArgumentParser) -> None:
    add_name_argument(parser)
    parser.add_argument("older", metavar="FROM", nargs="?")
    parser.add_argument("newer", metavar="TO", nargs="?")
    parser.add_argument("--aspect", default=BUSINESS, metavar="ASPECT")
    parser.add_argument("--lineage", action="store_true")


def _add_runs_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", nargs="?")
    _add_time_arguments(parser)
    parser.add_argument("--status", choices=STATUSES)
    _add_limit_argument(parser)


def _add_export_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("namespace", metavar="NAMESPACE")
    parser.add_argument("file", metavar="FILE")


def _show_entity(_: "KernelSession", args: Namespace) -> Result:
    return current.get_api().show(args.name, field=args.field)


def _search_entities(_: "KernelSession", args: Namespace) -> Result:
    filters = {filter_.name: getattr(args, filter_.name) for filter_ in FILTERS}
    return current.get_api().search(
        " ".join(args.query), limit=args.limit, include_removed=args.include_removed, **filters
    )


def _list_keys(_: "KernelSession", args: Namespace) -> Result:
    return current.get_api().keys(args.prefix, values=args.values, limit=args.limit)


def _read_lineage(_: "KernelSession", args: Namespace) -> Result:
    return current.get_api().lineage(
        args.name,
        levels=args.levels,
        direction=args.direction,
        start=args.start,
        end=args.end,
        columns=args.columns,
    )


def _list_versions(_: "KernelSession", args: Namespace) -> Result:
    return current.get_api().history(args.name, aspect=args.aspect, field=args.field, limit=args.limit)


def _compare_versions(_: "KernelSession", args: Namespace) -> Result:
    return current.get_api().diff(
        args.name, args.older, args.newer, aspect=args.aspect, field=args.field, lineage=args.lineage
    )


def _list_runs(_: "KernelSession", args: Namespace) -> Result:
    return current.get_api().runs(args.name, start=args.start, end=args.end, status=args.status, limit=args.limit)


def _export_namespace(_: "KernelSession", args: Namespace) -> Result:
    return current.get_api().export(args.namespace, args.file)


def _build_search_help() -> str:
    # Do not break lines inside an option.
    options = [f"[--{filter_.name}\xa0{'|'.join(filter_.choices) or filter_.name.upper()}]" for filter_ in FILTERS]
    rows = wrap(" ".join(["[--limit\xa0N]", *options, "[--include-removed]"]), 80, break_on_hyphens=False)
    first = "%metadata search [QUERY…]           find: words, word*, key:value, tags:…, owner:…; or by filters only"
    return "\n".join([first, *(f"{'':36}{row}".replace("\xa0", " ") for row in rows)])


COMMANDS = (
    MagicCommand(
        "show",
        """\
%metadata show NAME                 everything known: user metadata, system metadata, schema, runs   [--field FIELD]""",
        add_name_argument,
        _show_entity,
    ),
    MagicCommand(
        "search",
        _build_search_help(),
        _add_search_arguments,
        _search_entities,
    ),
    MagicCommand(
        "keys",
        "%metadata keys [PREFIX]             metadata keys in use, or values of one   [--values KEY] [--limit N]",
        _add_keys_arguments,
        _list_keys,
    ),
    MagicCommand(
        "lineage",
        """\
%metadata lineage NAME              where data comes from and where it goes
                                    [--levels N] [--direction both|upstream|downstream] [--start T] [--end T] [--columns]""",
        _add_lineage_arguments,
        _read_lineage,
    ),
    MagicCommand(
        "history",
        """\
%metadata history NAME              versions: what changed when, by whom   [--aspect ASPECT] [--field FIELD] [--limit N]""",
        _add_history_arguments,
        _list_versions,
    ),
    MagicCommand(
        "diff",
        """\
%metadata diff NAME [FROM [TO]]     compare two versions or times T (default: the last change)
                                    [--aspect ASPECT] [--field FIELD]; with --lineage the edges added, removed, changed""",
        _add_diff_arguments,
        _compare_versions,
    ),
    MagicCommand(
        "runs",
        """\
%metadata runs [NAME]               runs that accessed data, or of a program, or all; for a run's URN its accesses
                                    [--start T] [--end T] [--status running|succeeded|failed|killed] [--limit N]""",
        _add_runs_arguments,
        _list_runs,
    ),
    MagicCommand(
        "export",
        "%metadata export NAMESPACE FILE     write the metadata of a namespace to a file, one aspect per line",
        _add_export_arguments,
        _export_namespace,
    ),
)
