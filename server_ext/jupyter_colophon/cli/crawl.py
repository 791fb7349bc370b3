"""`jupyter colophon crawl PATH|CATALOG`: reports what is in folders and catalogs to a server (docs/crawl.md)."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jupyter_colophon.cli.catalog.entity_command import add_pairs
from jupyter_colophon.cli.command import Command
from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK
from jupyter_colophon.cli.parser import Parser
from jupyter_colophon.cli.servers import add_server_url, server_named
from jupyter_colophon.cli.signal_handling import Ending
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.progress_line import Line
from jupyter_colophon.client.transport import Transport
from jupyter_colophon.core.errors import InvalidConfiguration, InvalidName
from jupyter_colophon.core.identity.names import DEFAULT_NAMESPACE, require_namespace
from jupyter_colophon.rendering.renderers import render

if TYPE_CHECKING:
    from jupyter_colophon.spark.crawl.crawling import Seen
    from jupyter_colophon.spark.crawl.options import Asked
    from jupyter_colophon.spark.crawl.report import Report


class Crawl(Command):
    """Crawls a place."""

    description = (
        "Find the data in a folder or a catalog of Spark's, and tell its columns and their figures. What did not change is not"
        " looked at again."
    )

    @classmethod
    def add_arguments(cls, parser: Parser) -> None:
        """Declare the place, and how it is looked at."""
        parser.add_argument("place", metavar="PATH|CATALOG", help="A folder, or a catalog of Spark's.")
        add_server_url(parser)
        for name, help_ in (
            ("--include", "A glob on names below the place, such as '*.csv'; may be repeated."),
            ("--exclude", "A glob on names that are left out; may be repeated."),
        ):
            parser.add_argument(name, action="append", default=[], metavar="GLOB", help=help_)
        parser.add_argument("--sample", type=int, metavar="ROWS", help="Approximate sample size for large datasets.")
        parser.add_argument("--jobs", type=int, default=1, metavar="N", help="Number of datasets looked at at once.")
        parser.add_argument(
            "--namespace", default=DEFAULT_NAMESPACE, metavar="NAME", help="The namespace that the run belongs to."
        )
        add_pairs(parser, "--option", "An option of Spark's readers such as sep=;; may be repeated.")
        add_pairs(parser, "--conf", "A setting of Spark's; may be repeated.")
        for name, help_ in (
            ("--force", "Look also at what did not change."),
            ("--dry-run", "Only print what would be looked at."),
            ("--no-statistics", "Record no values: no minima, maxima, means and quantiles."),
            ("--views", "Look at the rows of views too."),
        ):
            parser.add_argument(name, action="store_true", help=help_)

    def run(self) -> int:
        """Crawl, and say what came of it."""
        asked, catalog, ending = self._wanted(), Operations(Transport(server_named(self.args.url))), Ending()
        with Line(sys.stderr) as line:
            try:
                report = self._crawled(catalog, asked, ending, line)
            finally:
                catalog.close()
        self.answer(report.document(), str(render("crawl", report.document())))
        if report.reason:
            return self.fail(f"{report.reason}; {report.sentence}. The same command goes on with the rest")
        return EXIT_OK if report.status == "succeeded" else EXIT_FAILED

    def _wanted(self) -> "Asked":
        """What the options say. Raises InvalidConfiguration."""
        from jupyter_colophon.spark.crawl.options import Asked

        args = self.args
        try:
            require_namespace(args.namespace)
            return Asked(
                place=args.place,
                include=tuple(args.include),
                exclude=tuple(args.exclude),
                statistics=not args.no_statistics,
                sample=args.sample,
                views=args.views,
                options=dict(args.option),
                force=args.force,
                dry=args.dry_run,
                jobs=args.jobs,
                namespace=args.namespace,
            )
        except InvalidName as error:
            raise InvalidConfiguration(f"--namespace: {error.detail}") from None
        except ValueError as error:
            raise InvalidConfiguration(f"--{error}") from None

    def _crawled(self, catalog: Operations, asked: "Asked", ending: Ending, line: Line) -> "Report":
        from jupyter_colophon.spark.crawl.catalogs import NoSuchPlace
        from jupyter_colophon.spark.crawl.crawling import crawl
        from jupyter_colophon.spark.crawl.places import OtherMachine

        try:
            return crawl(catalog, lambda: ending.late(self._session), asked, _shown_on(line))
        except (NoSuchPlace, OtherMachine) as error:
            raise InvalidConfiguration(str(error)) from None

    def _session(self) -> Any:
        """Spark on this machine. Raises InvalidConfiguration where there is none."""
        try:
            from jupyter_colophon.spark.session import session

            return session(f"colophon crawl {Path(self.args.place).name}", **dict(self.args.conf))
        except ImportError as error:
            raise InvalidConfiguration("PySpark is not installed: pip install jupyter-colophon[spark]") from error
        except RuntimeError as error:
            # No Java, or one that does not start: the error says what to do.
            raise InvalidConfiguration(str(error)) from error


def _shown_on(line: Line) -> "Seen":
    from jupyter_colophon.spark.crawl.progress import bar

    return lambda done, total, name: line.show(bar(done, total, name), 0)
