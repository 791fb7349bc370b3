"""`%metadata crawl PATH|CATALOG`: what is in folders and catalogs, by the session of the notebook (docs/crawl.md)."""

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from jupyter_colophon.client.verbs.answer import Answer, table
from jupyter_colophon.client.verbs.present import present
from jupyter_colophon.core.names import DEFAULT_NAMESPACE
from jupyter_colophon.kernel import words
from jupyter_colophon.kernel.commands.command import Command
from jupyter_colophon.kernel.commands.sessions import session_here

if TYPE_CHECKING:
    from jupyter_colophon.kernel.companion import Companion

_CLEAR = "\r\x1b[K"
_ROWS_MOST, _JOBS_MOST = 999_999_999, 64


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("place", metavar="PATH|CATALOG")
    parser.add_argument("--include", metavar="GLOB", action="append", default=[])
    parser.add_argument("--exclude", metavar="GLOB", action="append", default=[])
    parser.add_argument("--option", metavar="NAME=VALUE", action="append", default=[], type=words.argument)
    parser.add_argument("--sample", metavar="N", type=words.whole(1, _ROWS_MOST))
    parser.add_argument("--jobs", metavar="N", type=words.whole(1, _JOBS_MOST), default=1)
    parser.add_argument("--no-values", dest="values", action="store_false")
    parser.add_argument("--views", action="store_true")
    parser.add_argument("--force", action="store_true")
    parser.add_argument("--dry-run", dest="dry", action="store_true")


def _crawl(companion: "Companion", asked: Namespace) -> Answer:
    """Crawls, and shows how far it is in one line that is gone at the end. Raises ValueError for a place that is not there."""
    from jupyter_colophon.spark.crawl.asked import Asked
    from jupyter_colophon.spark.crawl.catalogs import NoSuchPlace
    from jupyter_colophon.spark.crawl.crawling import crawl
    from jupyter_colophon.spark.crawl.places import OtherMachine

    verbs = present.verbs()
    wanted = Asked(
        place=asked.place,
        include=tuple(asked.include),
        exclude=tuple(asked.exclude),
        values=asked.values,
        sample=asked.sample,
        views=asked.views,
        options=dict(asked.option),
        force=asked.force,
        dry=asked.dry,
        jobs=asked.jobs,
        namespace=verbs.namespace or DEFAULT_NAMESPACE,
    )
    try:
        with companion.captures.reads_aside():
            report = crawl(verbs.catalog, session_here, wanted, _seen)
    except (NoSuchPlace, OtherMachine) as error:
        raise ValueError(str(error)) from None
    finally:
        sys.stdout.write(_CLEAR)
    document = report.document()
    return table("crawl", document, "name status rows columns bytes ms reason urn", document["datasets"])


def _seen(done: int, total: int, name: str) -> None:
    from jupyter_colophon.spark.crawl.progress import bar

    sys.stdout.write(f"{_CLEAR}{bar(done, total, name)}")
    sys.stdout.flush()


COMMANDS = (
    Command(
        "crawl",
        """\
%metadata crawl PATH|CATALOG        tell what is in a folder or a catalog of Spark's, with figures of the columns
                                    [--include GLOB] [--exclude GLOB] [--no-values] [--sample N] [--force] [--dry-run]
                                    [--views] [--jobs N] [--option NAME=VALUE]""",
        _arguments,
        _crawl,
    ),
)
