"""Record killed runs of pipelines at their server."""

from jupyter_colophon.client.operations import Operations
from jupyter_colophon.client.problems import ClientError, ServerUnavailable
from jupyter_colophon.pipelines.running_pipelines import list_abandoned_run_files


def record_killed_runs_and_get_pipelines(catalog: Operations, server: str) -> dict[str, str]:
    """Record as killed the runs of this machine, account and server whose processes ended; return their pipelines by run id.

    A run that the server does not know yet waits for the next call. Raises ServerUnavailable.
    """
    ended = {}
    for path, document in list_abandoned_run_files():
        if not document.get("run") or document.get("server") != server:
            continue
        try:
            if catalog.read_run(document["run"])["status"] == "running":
                catalog.update_run(document["run"], {"status": "killed"})
                ended[path.stem] = str(document["pipeline"])
            path.unlink(missing_ok=True)
        except ServerUnavailable:
            raise
        except ClientError:
            continue
    return ended
