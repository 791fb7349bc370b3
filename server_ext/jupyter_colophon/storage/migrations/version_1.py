"""Schema version 1, from the schema of e8b857e, which is version 0: renamed tables, clean runs, derived values."""

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from jupyter_colophon.core.model.registry import Registry
from jupyter_colophon.storage.migrations.derived_values import delete_some_counters, derive_rows_of_some_entities
from jupyter_colophon.storage.migrations.followers import FORMER, move_follower_positions
from jupyter_colophon.storage.migrations.run_sources import (
    delete_results_with_cell_source,
    remove_cell_sources_from_runs,
)
from jupyter_colophon.storage.migrations.runner import StoreMigration, TableRename
from jupyter_colophon.storage.migrations.stored_words import (
    rename_run_facts,
    rename_words_in_dead_letters,
    rename_words_in_inbox,
    rename_words_in_rejections,
    rename_words_in_schedules,
)
from jupyter_colophon.storage.spi import Key, TableContext

#: Changes a slice of rows after a key; returns the last key, None at the end.
Phase = Callable[[TableContext, Key], Key | None]
RENAMES: Final[Sequence[TableRename]] = (
    TableRename("holdings", "containment", {"holder": "parent"}),
    TableRename("taken", "consumed_offsets", {"next": "next_offset"}),
    TableRename("answers", "idempotency_results", {"answer": "result"}),
    TableRename("openlineage", "openlineage", {"said": "value"}),
    TableRename("past_values", "value_history"),
    TableRename("key_carriers", "key_counts", {"carrier": "entity_kind"}),
    TableRename("ending_namespaces", "deleting_namespaces"),
    TableRename("load_batches", "load_batches", {"answer": "result"}),
    TableRename("load_refusals", "load_rejections"),
    TableRename("aspect_versions", "aspect_versions", {"undone": "rolled_back"}),
    TableRename("snapshots", "snapshots", {"people": "user_metadata", "machines": "system_metadata"}),
    TableRename("inbox", "inbox", {"sender": "principal"}),
    TableRename("dead_letters", "dead_letters", {"sender": "principal"}),
    TableRename("failures", "failures", {"turn": "position", "letter": "dead_letter"}),
)


def build_first_migration(registry: Registry) -> StoreMigration:
    """Return a migration that runs phase by phase; a place is the name of a phase and the last key."""
    phases: Mapping[str, Phase] = {
        "positions": move_follower_positions,
        "runs": remove_cell_sources_from_runs,
        "results": delete_results_with_cell_source,
        "facts": rename_run_facts,
        "inbox": rename_words_in_inbox,
        "dead letters": rename_words_in_dead_letters,
        "rejections": rename_words_in_rejections,
        "schedules": rename_words_in_schedules,
        "counts": delete_some_counters,
        "entities": partial(derive_rows_of_some_entities, registry),
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
