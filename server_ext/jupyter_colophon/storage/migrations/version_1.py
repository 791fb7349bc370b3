"""Schema version 1, from the schema of e8b857e, which is version 0: renamed tables, clean runs, derived values."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.storage.migrations.derived_values import clear_counts, derive_entities
from jupyter_colophon.storage.migrations.followers import FORMER, move_positions
from jupyter_colophon.storage.migrations.run_sources import clean_results, clean_runs
from jupyter_colophon.storage.migrations.runner import Rename, StoreMigration
from jupyter_colophon.storage.migrations.stored_words import (
    rename_dead_letters,
    rename_facts,
    rename_inbox,
    rename_rejections,
    rename_schedules,
)
from jupyter_colophon.storage.spi import Key, TableContext

#: Changes a slice of rows after a key; returns the last key, None at the end.
Phase = Callable[[TableContext, Key], Key | None]
RENAMES: Final[Sequence[Rename]] = (
    Rename("holdings", "containment", {"holder": "parent"}),
    Rename("taken", "consumed_offsets", {"next": "next_offset"}),
    Rename("answers", "idempotency_results", {"answer": "result"}),
    Rename("openlineage", "openlineage", {"said": "value"}),
    Rename("past_values", "value_history"),
    Rename("key_carriers", "key_counts", {"carrier": "entity_kind"}),
    Rename("ending_namespaces", "deleting_namespaces"),
    Rename("load_batches", "load_batches", {"answer": "result"}),
    Rename("load_refusals", "load_rejections"),
    Rename("aspect_versions", "aspect_versions", {"undone": "rolled_back"}),
    Rename("snapshots", "snapshots", {"people": "user_metadata", "machines": "system_metadata"}),
    Rename("inbox", "inbox", {"sender": "principal"}),
    Rename("dead_letters", "dead_letters", {"sender": "principal"}),
    Rename("failures", "failures", {"turn": "position", "letter": "dead_letter"}),
)


def build_migration(registry: Registry) -> StoreMigration:
    """Return a migration that runs phase by phase; a place is the name of a phase and the last key."""
    phases: Mapping[str, Phase] = {
        "positions": move_positions,
        "runs": clean_runs,
        "results": clean_results,
        "facts": rename_facts,
        "inbox": rename_inbox,
        "dead letters": rename_dead_letters,
        "rejections": rename_rejections,
        "schedules": rename_schedules,
        "counts": clear_counts,
        "entities": partial(derive_entities, registry),
    }
    names = list(phases)

    def run_step(tx: TableContext, place: str) -> str | None:
        name, *after = json.loads(place) if place else names[:1]
        key = phases[name](tx, tuple(after))
        if key is not None:
            return json.dumps([name, *key])
        following = names[names.index(name) + 1 :]
        return json.dumps(following[:1]) if following else None

    return StoreMigration(
        "rename tables, delete the stored source code of cells, compute derived values again", run_step, RENAMES, FORMER
    )
