"""Print where the CPU time of an OpenLineage event goes, beside the trivial authenticated POST of the same event, and that of
a proposal of a DataHub batch, by stage (`stages.py`), on SQLite: `python bench/ingest_costs.py`.
"""

from functools import cache, partial
from typing import Any

import openlineage
import proposals
from costs import print_cost_table
from serving import start_server

#: The number of batches of a round.
_BATCHES = 4


def main() -> None:
    """Measure, and print two tables."""
    with (
        start_server(
            "jupyter_colophon", "trivial", "stages", known=("jupyter_colophon", "trivial", "stages")
        ) as server,
        server.open_client() as client,
    ):
        events = {
            "trivial POST of the event": lambda number: client.request("POST", "/trivial", _get_event(number)),
            "OpenLineage event": lambda number: client.request("POST", openlineage.PATH, _get_event(number)),
        }
        print_cost_table(server, client, events)
        print()
        batches = {f"DataHub batch of {proposals.PROPOSALS}, a proposal": partial(proposals.send_proposals, client)}
        print_cost_table(server, client, batches, _BATCHES, proposals.PROPOSALS)


def _get_event(number: int) -> dict[str, Any]:
    """Return the event with a number: each run has two."""
    round_, at = divmod(number, 2 * openlineage.RUNS)
    return _create_events(round_)[at]


@cache
def _create_events(round_: int) -> list[dict[str, Any]]:
    return list(openlineage.generate_events(round_))


if __name__ == "__main__":
    main()
