"""Keep the results of checks consistent with the expectations of their dataset.

Only `service/write_path.py` may import this module.
"""

from collections.abc import Mapping
from typing import Any

from jupyter_colophon.core.identity.names import Urn
from jupyter_colophon.core.quality.results import (
    EXPECTATIONS,
    QUALITY,
    adapt_to_changed_expectations,
    add_results,
)
from jupyter_colophon.storage.commit.commit import CommitBuilder


def adapt_quality_results(commit: CommitBuilder, urn: Urn, aspect: str, new: Mapping[str, Any] | None) -> None:
    """Before expectations are written (None: deleted), remove the results of those that are removed or different.

    The results of others get their severity.
    """
    if aspect != EXPECTATIONS or (quality := commit.get_aspect_value(urn, QUALITY)) is None:
        return
    kept = adapt_to_changed_expectations(quality, commit.get_aspect_value(urn, aspect), new)
    if kept != quality:
        commit.write_aspect(urn, commit.registry.get_aspect(urn.type, QUALITY), kept)


def add_quality_results(commit: CommitBuilder, urn: Urn, results: Mapping[str, Mapping[str, Any]], run: str) -> None:
    """Add results that a run reported about a dataset."""
    if results:
        new = add_results(commit.get_aspect_value(urn, QUALITY), results)
        commit.write_aspect(urn, commit.registry.get_aspect(urn.type, QUALITY), new, run)
