"""Replace the names of a person in a log, and continue its chain of seals over the changed rows (decision 48).

The hash of a seal covers all earlier rows, so from the first changed row on each seal gets a new hash and signature.
Every seal is verified before it is replaced: an erasure does not hide damage.
"""

from dataclasses import asdict, replace
from typing import Any

from jupyter_colophon.core.errors import StoreDamaged
from jupyter_colophon.core.privacy.person import KEPT_USER_ASPECTS, PersonNames
from jupyter_colophon.storage.changes import signed_chain
from jupyter_colophon.storage.changes.signed_chain import Seal, SealedLog
from jupyter_colophon.storage.privacy import erasures
from jupyter_colophon.storage.spi import Row, TableContext


def get_step_of_log(log: SealedLog) -> str:
    """Return the step of an erasure that replaces the names in a log."""
    return log.subject.removeprefix("the ")


def replace_names_in_next_seal(
    tx: TableContext, log: SealedLog, key: bytes, now: int, names: PersonNames, position: dict[str, Any] | None
) -> tuple[int, dict[str, Any] | None]:
    """Replace the names in the rows of the next seal; return the number of changed rows and the next position.

    The position is the number of the last seal, and the hash that it had before: the next seal follows that hash.
    Raises StoreDamaged if the rows differ from what was sealed.
    """
    seal, before, followed = _find_next_seal(tx, log, key, now, position)
    if seal is None:
        return 0, None
    if seal.checkpoint:
        # Earlier rows were removed: the chain begins here.
        return 0, _get_position(seal)
    rows = signed_chain.read_rows_of_seal(tx, before, seal, log)
    if problem := signed_chain.find_seal_problem(key, followed, seal, rows, log):
        raise StoreDamaged(f"{log.subject} differs from its seals, so no name was replaced in it: {problem}")
    replaced = [_replace_in_row(row, names) for row in rows]
    changed = [new for old, new in zip(rows, replaced, strict=True) if new != old]
    if changed:
        log.replace_rows(tx, changed)
    hash_ = signed_chain.compute_chain_hash(before.hash if before else signed_chain.BEGINNING, replaced, log)
    if hash_ != seal.hash:
        tx.get_table(log.seals).upsert(asdict(replace(seal, hash=hash_).with_signature(key, log)))
    return len(changed), _get_position(seal)


def get_seal_of_next_rows(tx: TableContext, log: SealedLog, before: Seal | None) -> Seal | None:
    """Return a seal with the hash that the next seal follows, which differs where a running erasure has arrived."""
    current = erasures.find_current_erasure(tx)
    if before is None or current is None or current.step != get_step_of_log(log):
        return before
    present = signed_chain.find_seal(tx, before.seq, log) or before
    return _get_seal_before_erasure(present, erasures.read_position(tx, current.pseudonym))


def is_change_of_description(row: Row, names: PersonNames) -> bool:
    """Return whether a row is a change of an aspect that describes the person."""
    return row["urn"] == names.urn and row.get("aspect") is not None and row["aspect"] not in KEPT_USER_ASPECTS


def _find_next_seal(
    tx: TableContext, log: SealedLog, key: bytes, now: int, position: dict[str, Any] | None
) -> tuple[Seal | None, Seal | None, Seal | None]:
    """Return the next seal, the one before it, and that one with the hash that the next seal follows.

    Rows after the last seal are sealed first.
    """
    after = -1 if position is None else position["seq"]
    before = None if position is None else signed_chain.find_seal(tx, after, log)
    seal = next(iter(signed_chain.list_seals_after(tx, after, 1, log)), None)
    if seal is not None:
        return seal, before, before and _get_seal_before_erasure(before, position)
    if (built := signed_chain.build_next_seal(tx, key, now, log)) is None:
        return None, before, before
    signed_chain.add_seal_unless_exists(tx, *built, log)
    return built[1], before, before


def _get_seal_before_erasure(seal: Seal, position: dict[str, Any] | None) -> Seal:
    """Return a seal with the hash that it had before the erasure, if the position is at this seal."""
    if position is None or position["seq"] != seal.seq:
        return seal
    return replace(seal, hash=bytes.fromhex(position["hash"]))


def _get_position(seal: Seal) -> dict[str, Any]:
    return {"seq": seal.seq, "hash": seal.hash.hex()}


def _replace_in_row(row: Row, names: PersonNames) -> Row:
    replaced = names.replace_in_row(row)
    if is_change_of_description(row, names):
        replaced |= {"previous": None, "value": None, "previous_system": None, "system": None}
    return replaced
