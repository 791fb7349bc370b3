"""`jupyter colophon crawl PATH|CATALOG`: what is in folders and catalogs is told to a server (docs/crawl.md)."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from traitlets import Bool, Int, List, Unicode

from jupyter_colophon.cli.catalog.entity_command import pairs
from jupyter_colophon.cli.command import FINE, REFUSED, Command
from jupyter_colophon.cli.servers import server_named
from jupyter_colophon.cli.signal_handling import Ending
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.problems import ClientError
from jupyter_colophon.client.progress_line import Line
from jupyter_colophon.client.transport import Transport
from jupyter_colophon.core.errors import InvalidConfiguration, InvalidName, MetadataError
from jupyter_colophon.core.identity.names import DEFAULT_NAMESPACE, require_namespace
from jupyter_colophon.rendering.renderers import render

if TYPE_CHECKING:
    from jupyter_colophon.spark.crawl.crawling import Seen
    from jupyter_colophon.spark.crawl.options import Asked
    from jupyter_colophon.spark.crawl.report import Report


class Crawl(Command):
    """Crawls a place."""

    name = "jupyter-colophon-crawl"
    description = (
        "Find the data in a folder or a catalog of Spark's, and tell its columns and their figures. What did not change is not"
        " looked at again."
    )
    arguments = ("PATH|CATALOG",)
    aliases: dict[str, str] = Command.aliases | {
        "url": "Crawl.url",
        "include": "Crawl.include",
        "exclude": "Crawl.exclude",
        "sample": "Crawl.sample",
        "jobs": "Crawl.jobs",
        "namespace": "Crawl.namespace",
        "option": "Crawl.options",
        "conf": "Crawl.conf",
    }
    flags: dict[str, Any] = Command.flags | {
        "force": ({"Crawl": {"force": True}}, "Look also at what did not change."),
        "dry-run": ({"Crawl": {"dry_run": True}}, "Only say what would be looked at."),
        "no-statistics": (
            {"Crawl": {"no_statistics": True}},
            "Tell no values: no minima, maxima, means and quantiles.",
        ),
        "views": ({"Crawl": {"views": True}}, "Look at the rows of views too."),
    }

    url = Unicode("", config=True, help="The server (its token in COLOPHON_TOKEN). Default: COLOPHON_URL.")
    include = List(Unicode(), config=True, help="A glob on names below the place, such as '*.csv'; more than once.")
    exclude = List(Unicode(), config=True, help="A glob on names that are left out; more than once.")
    sample = Int(None, allow_none=True, config=True, help="Look at about so many rows of larger data.")
    jobs = Int(1, config=True, help="Look at so many datasets at once.")
    namespace = Unicode(DEFAULT_NAMESPACE, config=True, help="The namespace that the run belongs to.")
    options = List(
        Unicode(), config=True, help="KEY=VALUE, an option of Spark's readers such as sep=;; more than once."
    )
    conf = List(Unicode(), config=True, help="KEY=VALUE, a setting of Spark's; more than once.")
    force = Bool(False, config=True, help="Look also at what did not change.")
    dry_run = Bool(False, config=True, help="Only say what would be looked at.")
    no_statistics = Bool(False, config=True, help="Tell no values: no minima, maxima, means and quantiles.")
    views = Bool(False, config=True, help="Look at the rows of views too.")

    def work(self) -> int:
        """Crawl, and say what came of it."""
        asked, catalog, ending = self._wanted(), Operations(Transport(server_named(self.url))), Ending()
        with Line(sys.stderr) as line:
            try:
                report = self._crawled(catalog, asked, ending, line)
            except ClientError as error:
                raise MetadataError(str(error)) from error
            finally:
                catalog.close()
        self.answer(report.document(), str(render("crawl", report.document())))
        if report.reason:
            return self.told(f"{report.reason}; {report.sentence}. The same command goes on with the rest", REFUSED)
        return FINE if report.status == "succeeded" else REFUSED

    def _wanted(self) -> "Asked":
        """What the options say. Raises InvalidConfiguration."""
        from jupyter_colophon.spark.crawl.options import Asked

        try:
            require_namespace(self.namespace)
            return Asked(
                place=self.extra_args[0],
                include=tuple(self.include),
                exclude=tuple(self.exclude),
                statistics=not self.no_statistics,
                sample=self.sample,
                views=self.views,
                options=pairs("option", self.options),
                force=self.force,
                dry=self.dry_run,
                jobs=self.jobs,
                namespace=self.namespace,
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

            return session(f"colophon crawl {Path(self.extra_args[0]).name}", **pairs("conf", self.conf))
        except ImportError as error:
            raise InvalidConfiguration("PySpark is not installed: pip install jupyter-colophon[spark]") from error
        except RuntimeError as error:
            # No Java, or one that does not start: the error says what to do.
            raise InvalidConfiguration(str(error)) from error


def _shown_on(line: Line) -> "Seen":
    from jupyter_colophon.spark.crawl.progress import bar

    return lambda done, total, name: line.show(bar(done, total, name), 0)
