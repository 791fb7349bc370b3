"""Compute the difference of two JSON values as a JSON Patch of `add`, `remove` and `replace` (RFC 6902)."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from jupyter_colophon.core.documents.json_values import equals_json
from jupyter_colophon.core.documents.pointer import format_pointer

#: The comparisons allowed for one difference; after that, lists are compared by position.
COMPARISONS_MAX: Final = 500_000
#: The comparisons allowed for one list, so that a long list does not use up the budget of later ones.
LIST_COMPARISONS_MAX: Final = 40_000

Operation = dict[str, Any]
Path = tuple[str, ...]
Pairs = list[tuple[int, int]]


def diff_as_json_patch(old: object, new: object) -> list[Operation]:
    """Return the operations that turn the old value into the new one; none if they are equal.

    Members are ordered by name and items by position, so that equal inputs give equal results. Items that stay are
    recognized when others are inserted or removed between them.
    """
    return list(_DiffBuilder().compare_values((), old, new))


class _DiffBuilder:
    """The state of one comparison, with its remaining budget."""

    def __init__(self) -> None:
        self._comparisons = COMPARISONS_MAX

    def compare_values(self, path: Path, old: object, new: object) -> Iterator[Operation]:
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from self._compare_objects(path, old, new)
        elif isinstance(old, list | tuple) and isinstance(new, list | tuple):
            yield from self._compare_lists(path, old, new)
        elif not equals_json(old, new):
            yield {"op": "replace", "path": format_pointer(path), "value": new}

    def _compare_objects(self, path: Path, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Operation]:
        for name in sorted(old.keys() | new.keys()):
            below = (*path, name)
            if name not in new:
                yield {"op": "remove", "path": format_pointer(below)}
            elif name not in old:
                yield {"op": "add", "path": format_pointer(below), "value": new[name]}
            else:
                yield from self.compare_values(below, old[name], new[name])

    def _compare_lists(self, path: Path, old: Sequence[Any], new: Sequence[Any]) -> Iterator[Operation]:
        done_old = done_new = 0
        for at_old, at_new in [*self._match_unchanged_items(old, new), (len(old), len(new))]:
            yield from self._compare_replaced_section(path, old[done_old:at_old], new[done_new:at_new], done_new)
            done_old, done_new = at_old + 1, at_new + 1

    def _compare_replaced_section(
        self, path: Path, old: Sequence[Any], new: Sequence[Any], start: int
    ) -> Iterator[Operation]:
        """Compare the lists between two items that stay: replace items in the same position, then remove or add the
        rest.
        """
        both = min(len(old), len(new))
        for index in range(both):
            yield from self.compare_values((*path, str(start + index)), old[index], new[index])
        for _ in old[both:]:
            yield {"op": "remove", "path": format_pointer((*path, str(start + both)))}
        for index in range(both, len(new)):
            yield {"op": "add", "path": format_pointer((*path, str(start + index))), "value": new[index]}

    def _match_unchanged_items(self, old: Sequence[Any], new: Sequence[Any]) -> Pairs:
        """Return pairs of positions whose items stay: equal ends, and the best alignment between them."""
        old_hashes, new_hashes = [_hash_json_item(item) for item in old], [_hash_json_item(item) for item in new]
        shorter = min(len(old_hashes), len(new_hashes))
        head = next((i for i in range(shorter) if old_hashes[i] != new_hashes[i]), shorter)
        rest = shorter - head
        tail = next((i for i in range(rest) if old_hashes[-1 - i] != new_hashes[-1 - i]), rest)
        middle = self._match_items_between_equal_ends(
            old_hashes[head : len(old_hashes) - tail], new_hashes[head : len(new_hashes) - tail]
        )
        pairs = [(i, i) for i in range(head)]
        pairs += [(head + i, head + j) for i, j in middle]
        pairs += [(len(old_hashes) - i, len(new_hashes) - i) for i in range(tail, 0, -1)]
        return pairs

    def _match_items_between_equal_ends(self, old_hashes: Sequence[str], new_hashes: Sequence[str]) -> Pairs:
        comparisons = len(old_hashes) * len(new_hashes)
        if comparisons > min(self._comparisons, LIST_COMPARISONS_MAX):
            return []
        self._comparisons -= comparisons
        return _match_longest_common_items(old_hashes, new_hashes)


def _match_longest_common_items(old_hashes: Sequence[str], new_hashes: Sequence[str]) -> Pairs:
    """Return the pairs of equal items that stay if as few items as possible are replaced, removed and added."""
    # costs[i][j]: the fewest operations that turn ours[i:] into theirs[j:].
    costs = [[0] * (len(new_hashes) + 1) for _ in range(len(old_hashes) + 1)]
    costs[-1] = list(range(len(new_hashes), -1, -1))
    for i in reversed(range(len(old_hashes))):
        costs[i][-1] = len(old_hashes) - i
        for j in reversed(range(len(new_hashes))):
            same_item = old_hashes[i] == new_hashes[j]
            costs[i][j] = min(costs[i + 1][j + 1] + (not same_item), costs[i + 1][j] + 1, costs[i][j + 1] + 1)
    pairs, i, j = [], 0, 0
    while i < len(old_hashes) and j < len(new_hashes):
        if old_hashes[i] == new_hashes[j] and costs[i][j] == costs[i + 1][j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif costs[i][j] == costs[i + 1][j + 1] + 1:
            i, j = i + 1, j + 1
        elif costs[i][j] == costs[i + 1][j] + 1:
            i += 1
        else:
            j += 1
    return pairs


def _hash_json_item(item: object) -> str:
    return json.dumps(item, sort_keys=True)
