"""`%metadata crawl PATH|CATALOG`: crawl folders and catalogs with the Spark session of the notebook (docs/crawl.md)."""

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from jupyter_colophon.client.api.answer import Result
from jupyter_colophon.kernel import argument_types
from jupyter_colophon.kernel.commands.command import MagicCommand
from jupyter_colophon.spark.crawl.options import MAX_JOBS

if TYPE_CHECKING:
    from jupyter_colophon.kernel.session import KernelSession

_ROWS_MOST = 999_999_999


def _add_crawl_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("place", metavar="PATH|CATALOG")
    parser.add_argument("--include", metavar="GLOB", action="append", default=[])
    parser.add_argument("--exclude", metavar="GLOB", action="append", default=[])
    parser.add_argument(
        "--option", metavar="OPTION=VALUE", action="append", default=[], type=argument_types.parse_name_value
    )
    parser.add_argument("--sample", metavar="N", type=argument_types.create_integer_parser(1, _ROWS_MOST))
    parser.add_argument("--jobs", metavar="N", type=argument_types.create_integer_parser(1, MAX_JOBS), default=1)
    parser.add_argument("--no-statistics", dest="statistics", action="store_false")
    parser.add_argument("--views", action="store_true")
    parser.add_argument("--force", action="store_true")
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("--check", action="store_true")


def _crawl_target(_: "KernelSession", args: Namespace) -> Result:
    from jupyter_colophon.spark.crawl.api import crawl

    try:
        return crawl(
            args.place,
            include=args.include,
            exclude=args.exclude,
            statistics=args.statistics,
            sample=args.sample,
            views=args.views,
            options=dict(args.option),
            force=args.force,
            dry_run=args.dry_run,
            check=args.check,
            jobs=args.jobs,
        )
    except KeyboardInterrupt as stop:
        # Show one line; the cell fails, so that later cells do not run.
        raise ValueError(str(stop) or "interrupted") from None


COMMANDS = (
    MagicCommand(
        "crawl",
        """\
%metadata crawl PATH|CATALOG        record the datasets in a folder or a Spark catalog, with column statistics
                                    [--include GLOB] [--exclude GLOB] [--no-statistics] [--sample N] [--force] [--dry-run]
                                    [--views] [--check] [--jobs N] [--option OPTION=VALUE]""",
        _add_crawl_arguments,
        _crawl_target,
        at_once=True,
    ),
)
