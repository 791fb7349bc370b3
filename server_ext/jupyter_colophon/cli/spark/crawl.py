"""`jupyter colophon crawl PATH|CATALOG`: report datasets in folders and catalogs to a server (docs/crawl.md)."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jupyter_colophon.cli.catalog.entity_command import add_pairs_option
from jupyter_colophon.cli.command import CliCommand
from jupyter_colophon.cli.exit_status import EXIT_FAILED, EXIT_OK
from jupyter_colophon.cli.parser import CommandParser
from jupyter_colophon.cli.servers import add_server_url_option, require_server_address
from jupyter_colophon.cli.spark.signal_handling import InterruptHandler
from jupyter_colophon.cli.spark.start_session import start_spark_session
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.progress_line import ProgressLine
from jupyter_colophon.client.transport import Transport
from jupyter_colophon.core.errors import InvalidConfiguration, InvalidName
from jupyter_colophon.core.identity.names import DEFAULT_NAMESPACE, require_valid_namespace_name
from jupyter_colophon.rendering.renderers import render_document_page

if TYPE_CHECKING:
    from jupyter_colophon.spark.crawl.crawling import ProgressCallback
    from jupyter_colophon.spark.crawl.options import CrawlOptions
    from jupyter_colophon.spark.crawl.report import CrawlReport


class CrawlCommand(CliCommand):
    """Crawl a folder or a catalog."""

    description = (
        "Find datasets in a folder or a Spark catalog, and report their columns and statistics to a server. Datasets that"
        " did not change since the last crawl are skipped."
    )
    examples = ("./data --include='*.csv'", "spark_catalog --dry-run")

    @classmethod
    def add_arguments(cls, parser: CommandParser) -> None:
        """Declare the location and the options of the crawl."""
        parser.add_argument("place", metavar="PATH|CATALOG", help="A folder, or a Spark catalog.")
        add_server_url_option(parser)
        for name, help_ in (
            ("--include", "Only names that match this glob, such as '*.csv'; may be repeated."),
            ("--exclude", "Skip names that match this glob; may be repeated."),
        ):
            parser.add_argument(name, action="append", default=[], metavar="GLOB", help=help_)
        parser.add_argument("--sample", type=int, metavar="ROWS", help="Approximate sample size for large datasets.")
        parser.add_argument(
            "--jobs", type=int, default=1, metavar="N", help="Number of datasets that are read in parallel."
        )
        parser.add_argument(
            "--namespace", default=DEFAULT_NAMESPACE, metavar="NAME", help="The namespace that the run belongs to."
        )
        add_pairs_option(parser, "--option", "An option of Spark's readers, such as sep=; (may be repeated).")
        add_pairs_option(parser, "--conf", "A Spark setting; may be repeated.")
        for name, help_ in (
            ("--force", "Also read datasets that did not change."),
            ("--dry-run", "Only print the datasets that would be read."),
            ("--no-statistics", "Do not record values: minima, maxima, means and quantiles."),
            ("--views", "Also read the rows of views."),
            ("--check", "Check the expectations of the datasets that are read, and record the results."),
        ):
            parser.add_argument(name, action="store_true", help=help_)

    def run(self) -> int:
        """Crawl, and print the report."""
        options = self._read_crawl_options()
        catalog = Operations(Transport(require_server_address(self.args.url)))
        interrupts = InterruptHandler()
        with ProgressLine(sys.stderr) as line:
            try:
                report = self._crawl_target(catalog, options, interrupts, line)
            finally:
                catalog.close()
        self.print_result(report.to_document(), str(render_document_page("crawl", report.to_document())))
        if report.reason:
            return self.print_error_and_get_status(
                f"{report.reason}; {report.sentence}. Run the command again to continue"
            )
        return EXIT_OK if report.status == "succeeded" else EXIT_FAILED

    def _read_crawl_options(self) -> "CrawlOptions":
        """Return the options of the crawl. Raises InvalidConfiguration."""
        from jupyter_colophon.spark.crawl.options import CrawlOptions

        args = self.args
        try:
            require_valid_namespace_name(args.namespace)
            return CrawlOptions(
                place=args.place,
                include=tuple(args.include),
                exclude=tuple(args.exclude),
                statistics=not args.no_statistics,
                sample=args.sample,
                views=args.views,
                options=dict(args.option),
                force=args.force,
                dry=args.dry_run,
                check=args.check,
                jobs=args.jobs,
                namespace=args.namespace,
            )
        except InvalidName as error:
            raise InvalidConfiguration(f"--namespace: {error.detail}") from None
        except ValueError as error:
            raise InvalidConfiguration(f"--{error}") from None

    def _crawl_target(
        self, catalog: Operations, options: "CrawlOptions", interrupts: InterruptHandler, line: ProgressLine
    ) -> "CrawlReport":
        from jupyter_colophon.spark.crawl.catalogs import CrawlTargetNotFound
        from jupyter_colophon.spark.crawl.crawling import crawl_and_record
        from jupyter_colophon.spark.crawl.places import RemoteFolder

        try:
            return crawl_and_record(
                catalog,
                lambda: interrupts.run_uninterrupted(self._start_spark_session),
                options,
                _create_progress_callback(line),
            )
        except (CrawlTargetNotFound, RemoteFolder) as error:
            raise InvalidConfiguration(str(error)) from None

    def _start_spark_session(self) -> Any:
        return start_spark_session(f"colophon crawl {Path(self.args.place).name}", dict(self.args.conf))


def _create_progress_callback(line: ProgressLine) -> "ProgressCallback":
    from jupyter_colophon.spark.crawl.progress import format_bar

    return lambda done, total, name: line.show(format_bar(done, total, name), 0)
