"""The final status of a run whose process has ended."""

import logging

from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.errors import MetadataError
from jupyter_colophon.core.lineage.run import RunChange, RunStatus
from jupyter_colophon.storage.lineage import runs

_logger = logging.getLogger("jupyter_colophon.pipelines")


def determine_and_record_final_status(catalog: Catalog, run_urn: str, process_status: RunStatus) -> RunStatus | None:
    """Return the final status in the catalog; record it if the run could not; None if the run never started.

    Raises StorageError.
    """
    run = catalog.provider.tx_runner.run(lambda tx: runs.find_run_by_urn(tx, run_urn), read_only=True)
    if run is None or run.status != "running":
        return run.status if run else None
    if process_status != "succeeded":
        try:
            catalog.write_path.update_run(
                run_urn, RunChange(status=process_status), Principal(run.actor, internal=True)
            )
        except MetadataError as error:
            _logger.warning("the end of the run %s could not be recorded: %s", run_urn, error.detail)
    return process_status
