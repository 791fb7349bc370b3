"""Check whether reads and conditional writes on one name are linearisable.

This is Wing and Gong's search with Lowe's cache of visited configurations. An operation without a return may have taken
effect at any time after its call, or never.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

State = tuple[int, str]
EMPTY: State = (-1, "")
NEVER = 2**63


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation with the times of its call and return; `result` is None if it is unknown."""

    kind: str
    called: int
    returned: int
    expected: int
    new: str
    result: Any

    def apply_to(self, state: State) -> State | None:
        """Return the state after the operation, or None if it is impossible in this state."""
        if self.kind == "read":
            return state if self.result == list(state) else None
        if self.result == "refused":
            return state if state[0] != self.expected else None
        if state[0] != self.expected:
            return None
        version = max(state[0], 0) + 1
        return (version, self.new) if self.result in (None, [version]) else None


def group_by_key(reports: Iterable[dict[str, Any]]) -> dict[str, list[Operation]]:
    """Return the operations on each name, from the reports of the clients in any order."""
    calls: dict[str, dict[str, Any]] = defaultdict(dict)
    for one in reports:
        calls[one["id"]] |= one
    histories: dict[str, list[Operation]] = defaultdict(list)
    for one in calls.values():
        if one["kind"] == "read" and "result" not in one:
            continue
        operation = Operation(
            one["kind"],
            one["call"],
            one.get("return", NEVER),
            one.get("expected", 0),
            one.get("new", ""),
            one.get("result"),
        )
        histories[one["key"]].append(operation)
    return histories


def is_linearisable(operations: list[Operation]) -> bool:
    """Return whether an order exists that is consistent with the times, the results and a single versioned register."""
    waiting = sorted(operations, key=lambda one: one.called)
    seen: set[tuple[int, State]] = set()
    whole = sum(1 << at for at, one in enumerate(waiting) if one.returned != NEVER)
    stack: list[tuple[int, State]] = [(0, EMPTY)]
    while stack:
        done, state = stack.pop()
        if done & whole == whole:
            return True
        first_return = min(one.returned for at, one in enumerate(waiting) if not done >> at & 1)
        for at, one in enumerate(waiting):
            if one.called > first_return:
                break
            if done >> at & 1 or (after := one.apply_to(state)) is None:
                continue
            following = (done | 1 << at, after)
            if following not in seen:
                seen.add(following)
                stack.append(following)
    return False
