"""Runs of programs in November 2026, for reports."""

from jupyter_colophon.composition import Catalog
from jupyter_colophon.core.access import Principal
from jupyter_colophon.core.identity.names import Urn, make_program_urn
from jupyter_colophon.core.lineage.run import RunStart, RunStatus

#: 2026-11-01T00:00Z
FIRST = 1_793_491_200_000
HOUR = 3_600_000
NOVEMBER = {"from": "2026-11-01T00:00:00Z", "to": "2026-12-01T00:00:00Z"}
DAILY = str(make_program_urn("sales", "shop", "workflows", "daily"))
LOADER = str(make_program_urn("sales", "shop", "spark", "loader"))
REPAIR = str(make_program_urn("ops", "tools", "workflows", "repair"))


def run_program(
    catalog: Catalog, program: str, number: int, minutes: int | None, status: RunStatus = "succeeded", user: str = "ada"
) -> str:
    """Record a run that starts at this hour of November, and return its URN."""
    start = FIRST + number * HOUR
    end = None if minutes is None else start + minutes * 60_000
    return catalog.write_path.start_run(
        RunStart(
            Urn.parse(program),
            f"r{number}",
            start,
            end,
            "running" if minutes is None else status,
            arguments={"day": "1"},
        ),
        Principal(user),
    ).urn
