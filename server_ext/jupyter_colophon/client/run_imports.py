"""Record runs that another tool executed, once."""

from collections.abc import Mapping, Sequence
from typing import Any

from jupyter_colophon.client.absence import read_or_none_if_absent
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.core.identity.names import Urn, make_run_urn

Document = dict[str, Any]


def record_finished_run(
    catalog: Operations, start: Mapping[str, Any], accesses: Sequence[Document], *, dry_run: bool = False
) -> bool:
    """Record a run with its accesses, unless it is known; return whether it was not. Raises ClientError.

    `start` is a body of `startRun`. A run that was recorded without its accesses gets them.
    """
    urn = str(make_run_urn(Urn.parse(start["program"]), start["runId"]))
    known = read_or_none_if_absent(lambda: catalog.read_run(urn))
    if dry_run or (known is not None and (known["accesses"] or not accesses)):
        return known is None
    if known is None:
        urn = catalog.start_run(start)["urn"]
    if accesses:
        catalog.record_accesses(urn, {"accesses": list(accesses)})
    return known is None
