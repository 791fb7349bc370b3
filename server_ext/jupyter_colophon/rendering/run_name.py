"""The names of runs."""

from collections.abc import Mapping
from typing import Any

from jupyter_colophon.core.identity.short_names import shorten_urn
from jupyter_colophon.core.lineage.written_data_name import format_written_data_name, get_last_part_of_path

Document = Mapping[str, Any]

_WRITING = ("write", "both")


def get_run_name(run: Document) -> str:
    """Return the step or the first comment of a run's cell, else the title of its program, else what the cell wrote;
    empty if there is none.
    """
    facts = run["facts"]
    name = facts.get("step") or facts.get("comment") or run.get("title")
    if not name and "cellId" in facts:
        name = format_written_data_name(item["data"] for item in run["accesses"] if item["mode"] in _WRITING)
    return str(name or "")


def format_run_label(run: Document) -> str:
    """Return the name of a run with the place of its cell, such as `Clean (clean.ipynb [8])`, else that of its program."""
    name, place = get_run_name(run), _format_cell_place(run)
    if not name:
        return shorten_urn(run["program"])
    return f"{name} ({place})" if place else name


def format_execution_count(run: Document) -> str:
    """Return the execution count of a cell, as notebooks write it; empty if there is none."""
    count = run["facts"].get("executionCount")
    return f"[{count}]" if count is not None else ""


def _format_cell_place(run: Document) -> str:
    """Return the notebook and the execution count of a cell; empty for other programs."""
    if "cellId" not in run["facts"]:
        return ""
    path, _, _ = shorten_urn(run["program"]).rpartition("#")
    return " ".join(filter(None, (get_last_part_of_path(path), format_execution_count(run))))
