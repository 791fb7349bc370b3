"""Write edits of many entities: read each once, and send what differs in batches. Equal values are not sent."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from jupyter_colophon.client.absence import find_entity
from jupyter_colophon.client.aspect_edits import EDIT_ATTEMPTS
from jupyter_colophon.client.operations import Operations
from jupyter_colophon.core.entities.entity_edit import EntityEdit

Document = dict[str, Any]
#: The size of a batch, of which a server accepts 10 MiB and 1,000 proposals by default.
_BATCH_CHARACTERS, _BATCH_PROPOSALS = 2_000_000, 500
_CONFLICT: Final = 412


@dataclass(slots=True)
class EditReport:
    """What was done: aspects that were written and that were equal, and why others were refused."""

    written: int = 0
    unchanged: int = 0
    problems: list[Document] = field(default_factory=list)


def write_entity_edits(
    catalog: Operations,
    edits: Iterable[EntityEdit],
    *,
    dry_run: bool = False,
    progress: Callable[[int], None] = lambda count: None,
) -> EditReport:
    """Apply edits; with `dry_run`, only count what they would write. Raises ClientError."""
    report, batch, size = EditReport(), list[tuple[EntityEdit, list[Document]]](), 0
    for count, edit in enumerate(edits, 1):
        proposals = _list_proposals(catalog, edit)
        report.unchanged += len(edit.aspects) - len(proposals)
        added = len(json.dumps(proposals))
        if size + added > _BATCH_CHARACTERS or sum(len(some) for _, some in batch) + len(proposals) > _BATCH_PROPOSALS:
            _send_batch(catalog, batch, report, dry_run=dry_run)
            batch, size = [], 0
        batch, size = [*batch, (edit, proposals)] if proposals else batch, size + added
        progress(count)
    _send_batch(catalog, batch, report, dry_run=dry_run)
    return report


def _list_proposals(catalog: Operations, edit: EntityEdit) -> list[Document]:
    """Return the proposals for the aspects of an entity that an edit changes, each on the condition that it is as read."""
    stored = (find_entity(catalog, edit.urn, *edit.aspects) or {}).get("aspects", {})
    proposals = []
    for name, edit_aspect in edit.aspects.items():
        aspect = stored.get(name) or {"value": {}, "version": -1}
        value = edit_aspect(aspect["value"])
        if value != aspect["value"]:
            condition = {"ifVersion": aspect["version"]}
            proposals.append({"urn": edit.urn, "aspect": name, "operation": "upsert", "value": value, **condition})
    return proposals


def _send_batch(
    catalog: Operations, batch: list[tuple[EntityEdit, list[Document]]], report: EditReport, *, dry_run: bool
) -> None:
    """Send the proposals of some entities; those whose aspects others changed meanwhile are read and sent again."""
    attempts = 0
    while proposals := [proposal for _, some in batch for proposal in some]:
        attempts += 1
        if dry_run:
            report.written += len(proposals)
            return
        outcomes = catalog.submit_independent_proposals({"proposals": proposals})["outcomes"]
        conflicts = set()
        for outcome in outcomes:
            problem = outcome["problem"]
            if problem is None:
                report.written += outcome["changed"]
                report.unchanged += not outcome["changed"]
            elif problem.get("status") == _CONFLICT and attempts < EDIT_ATTEMPTS:
                conflicts.add((outcome["urn"], outcome["aspect"]))
            else:
                report.problems.append({"urn": outcome["urn"], "aspect": outcome["aspect"], "problem": problem})
        batch = list(_read_conflicts_again(catalog, batch, conflicts))


def _read_conflicts_again(
    catalog: Operations, batch: list[tuple[EntityEdit, list[Document]]], conflicts: set[tuple[str, str]]
) -> Iterator[tuple[EntityEdit, list[Document]]]:
    for edit, _ in batch:
        aspects = {name: one for name, one in edit.aspects.items() if (edit.urn, name) in conflicts}
        if aspects:
            yield edit, _list_proposals(catalog, EntityEdit(edit.urn, aspects))
