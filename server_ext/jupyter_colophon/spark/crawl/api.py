"""`metadata.crawl(…)`, which `%metadata crawl` calls (docs/crawl.md)."""

import os
from collections.abc import Mapping, Sequence

from jupyter_colophon.client.api.answer import Result, create_table_result
from jupyter_colophon.client.api.current_connection import current, send_pending_and_get_api
from jupyter_colophon.core.identity.names import DEFAULT_NAMESPACE
from jupyter_colophon.spark.crawl import crawling
from jupyter_colophon.spark.crawl.options import CrawlOptions
from jupyter_colophon.spark.crawl.progress import format_bar
from jupyter_colophon.spark.session import get_or_start_active_session

#: One or several globs.
Globs = str | Sequence[str]
_COLUMNS = "name status rows columns bytes ms quality reason urn"


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
    check: bool = False,
    jobs: int = 1,
) -> Result:
    """Crawl a folder or a Spark catalog and record its datasets with column statistics, in the active session or a new one.

    The document of the result is the report: `status`, `counts`, `datasets`. Rows: name, status, rows, columns, bytes, ms,
    quality, reason, urn. `check` checks expectations. Raises ValueError for invalid options, OSError if the place does
    not exist, ClientError, and KeyboardInterrupt, which keeps what was recorded until then.
    """
    api = send_pending_and_get_api()
    crawl_options = CrawlOptions(
        place=os.fspath(place),
        include=_to_tuple(include),
        exclude=_to_tuple(exclude),
        statistics=statistics,
        sample=sample,
        views=views,
        options=dict(options or {}),
        force=force,
        dry=dry_run,
        check=check,
        jobs=jobs,
        namespace=api.namespace or DEFAULT_NAMESPACE,
    )
    with current.show_progress() as show:
        report = crawling.crawl_and_record(
            api.catalog, get_or_start_active_session, crawl_options, lambda *how_far: show(format_bar(*how_far))
        )
    if report.status == "killed":
        msg = f"{report.reason}; {report.sentence}. Repeat the call to continue"
        raise KeyboardInterrupt(msg)
    document = report.to_document()
    return create_table_result("crawl", document, _COLUMNS, document["datasets"])


def _to_tuple(globs: Globs) -> tuple[str, ...]:
    return (globs,) if isinstance(globs, str) else tuple(globs)
