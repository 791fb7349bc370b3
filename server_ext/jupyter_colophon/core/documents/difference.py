"""The difference of two JSON values as a JSON Patch of `add`, `remove` and `replace` (RFC 6902)."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from jupyter_colophon.core.documents.json_values import same
from jupyter_colophon.core.documents.pointer import written

#: Comparisons for one difference; when they are used up, lists are compared place by place.
COMPARISONS_MAX: Final = 500_000
#: And for one list, so that an early one does not use up what later ones need.
LIST_COMPARISONS_MAX: Final = 40_000

Operation = dict[str, Any]
Path = tuple[str, ...]
Pairs = list[tuple[int, int]]


def diff(old: object, new: object) -> list[Operation]:
    """Operations that make the new value of the old one; none when they are the same.

    Members come in the order of their names, items in the order of the list, so equal inputs give equal
    answers. Items that stay are found again when others come or go between them.
    """
    return list(_Difference().values((), old, new))


class _Difference:
    """One difference, and what is left of its budget."""

    def __init__(self) -> None:
        self._comparisons = COMPARISONS_MAX

    def values(self, path: Path, old: object, new: object) -> Iterator[Operation]:
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            yield from self._objects(path, old, new)
        elif isinstance(old, list | tuple) and isinstance(new, list | tuple):
            yield from self._lists(path, old, new)
        elif not same(old, new):
            yield {"op": "replace", "path": written(path), "value": new}

    def _objects(self, path: Path, old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[Operation]:
        for name in sorted(old.keys() | new.keys()):
            below = (*path, name)
            if name not in new:
                yield {"op": "remove", "path": written(below)}
            elif name not in old:
                yield {"op": "add", "path": written(below), "value": new[name]}
            else:
                yield from self.values(below, old[name], new[name])

    def _lists(self, path: Path, old: Sequence[Any], new: Sequence[Any]) -> Iterator[Operation]:
        done_old = done_new = 0
        for at_old, at_new in [*self._kept(old, new), (len(old), len(new))]:
            yield from self._stretch(path, old[done_old:at_old], new[done_new:at_new], done_new)
            done_old, done_new = at_old + 1, at_new + 1

    def _stretch(self, path: Path, old: Sequence[Any], new: Sequence[Any], start: int) -> Iterator[Operation]:
        """Between two items that stay: change what stands in the same place, then take away or add the rest."""
        both = min(len(old), len(new))
        for index in range(both):
            yield from self.values((*path, str(start + index)), old[index], new[index])
        for _ in old[both:]:
            yield {"op": "remove", "path": written((*path, str(start + both)))}
        for index in range(both, len(new)):
            yield {"op": "add", "path": written((*path, str(start + index))), "value": new[index]}

    def _kept(self, old: Sequence[Any], new: Sequence[Any]) -> Pairs:
        """Pairs of places whose items stay: equal ends, and the best alignment between them."""
        ours, theirs = [_fingerprint(item) for item in old], [_fingerprint(item) for item in new]
        shorter = min(len(ours), len(theirs))
        head = next((i for i in range(shorter) if ours[i] != theirs[i]), shorter)
        rest = shorter - head
        tail = next((i for i in range(rest) if ours[-1 - i] != theirs[-1 - i]), rest)
        middle = self._middle(ours[head : len(ours) - tail], theirs[head : len(theirs) - tail])
        kept = [(i, i) for i in range(head)]
        kept += [(head + i, head + j) for i, j in middle]
        kept += [(len(ours) - i, len(theirs) - i) for i in range(tail, 0, -1)]
        return kept

    def _middle(self, ours: Sequence[str], theirs: Sequence[str]) -> Pairs:
        comparisons = len(ours) * len(theirs)
        if comparisons > min(self._comparisons, LIST_COMPARISONS_MAX):
            return []
        self._comparisons -= comparisons
        return _aligned(ours, theirs)


def _aligned(ours: Sequence[str], theirs: Sequence[str]) -> Pairs:
    """The pairs of equal items that stay when as few items as can be are replaced, removed and added."""
    # costs[i][j]: the fewest operations that make theirs[j:] of ours[i:].
    costs = [[0] * (len(theirs) + 1) for _ in range(len(ours) + 1)]
    costs[-1] = list(range(len(theirs), -1, -1))
    for i in reversed(range(len(ours))):
        costs[i][-1] = len(ours) - i
        for j in reversed(range(len(theirs))):
            same_item = ours[i] == theirs[j]
            costs[i][j] = min(costs[i + 1][j + 1] + (not same_item), costs[i + 1][j] + 1, costs[i][j + 1] + 1)
    found, i, j = [], 0, 0
    while i < len(ours) and j < len(theirs):
        if ours[i] == theirs[j] and costs[i][j] == costs[i + 1][j + 1]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif costs[i][j] == costs[i + 1][j + 1] + 1:
            i, j = i + 1, j + 1
        elif costs[i][j] == costs[i + 1][j] + 1:
            i += 1
        else:
            j += 1
    return found


def _fingerprint(item: object) -> str:
    return json.dumps(item, sort_keys=True)
