"""`metadata.crawl(…)`, which `%metadata crawl` calls (docs/crawl.md)."""

import os
from collections.abc import Mapping, Sequence

from jupyter_colophon.client.api.answer import Result, table
from jupyter_colophon.client.api.current_connection import api_after_sync, current
from jupyter_colophon.core.identity.names import DEFAULT_NAMESPACE
from jupyter_colophon.spark.crawl import crawling
from jupyter_colophon.spark.crawl.options import Asked
from jupyter_colophon.spark.crawl.progress import bar
from jupyter_colophon.spark.session import present_session

#: One glob, or several.
Globs = str | Sequence[str]


def crawl(
    place: str | os.PathLike[str],
    *,
    include: Globs = (),
    exclude: Globs = (),
    statistics: bool = True,
    sample: int | None = None,
    views: bool = False,
    options: Mapping[str, str] | None = None,
    force: bool = False,
    dry_run: bool = False,
    jobs: int = 1,
) -> Result:
    """Tells what is in a folder or a catalog of Spark's, with figures of the columns, by the session that is there, or a new one.

    The document is the report: `status`, `counts`, `datasets`. Rows: name, status, rows, columns, bytes, ms, reason, urn.
    Raises ValueError, OSError for a place that is not there, ClientError, and KeyboardInterrupt, with what was done until then.
    """
    api = api_after_sync()
    asked = Asked(
        place=os.fspath(place),
        include=_several(include),
        exclude=_several(exclude),
        statistics=statistics,
        sample=sample,
        views=views,
        options=dict(options or {}),
        force=force,
        dry=dry_run,
        jobs=jobs,
        namespace=api.namespace or DEFAULT_NAMESPACE,
    )
    with current.show_progress() as tell:
        report = crawling.crawl(api.catalog, present_session, asked, lambda *how_far: tell(bar(*how_far)))
    if report.status == "killed":
        msg = f"{report.reason}; {report.sentence}. The same call goes on with the rest"
        raise KeyboardInterrupt(msg)
    document = report.document()
    return table("crawl", document, "name status rows columns bytes ms reason urn", document["datasets"])


def _several(globs: Globs) -> tuple[str, ...]:
    return (globs,) if isinstance(globs, str) else tuple(globs)
