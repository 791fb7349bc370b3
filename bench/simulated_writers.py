"""Simulate writers on PostgreSQL: each process commits the writes that wait in it together, and commits take turns (decision 54)."""

import heapq
import random

from jupyter_colophon.storage.transactions import GROUP

SIMULATED_S = 10.0


def simulate_writes(rate: float, processes: int, write_ms: float, lock_ms: float) -> tuple[float, float]:
    """Simulate processes with this rate of writes a second: a write takes `write_ms`, a commit holds the lock for `lock_ms`.

    Return the 99th percentile of the time from arrival to commit in ms, and the share of time in which the lock is held.
    """
    chance = random.Random(7)
    arrivals: list[list[float]] = [[] for _ in range(processes)]
    now = 0.0
    while now < SIMULATED_S:
        now += chance.expovariate(rate)
        arrivals[chance.randrange(processes)].append(now)
    took: list[float] = []
    free_at, held = 0.0, 0
    # The time at which a process asks for the lock, the process, and the writes of its transaction.
    asking: list[tuple[float, int, list[float]]] = []
    for process, queue in enumerate(arrivals):
        _begin_transaction(asking, process, queue, 0.0, write_ms)
    while asking and asking[0][0] < SIMULATED_S:
        at, process, writes = heapq.heappop(asking)
        free_at = max(at, free_at) + lock_ms / 1e3
        held += 1
        took += [free_at - arrived for arrived in writes]
        _begin_transaction(asking, process, arrivals[process], free_at, write_ms)
    waiting = sum(len(queue) for queue in arrivals)
    # Those that wait at the end have waited too long, if they are many.
    last = float("inf") if waiting > len(took) / 20 else heapq.nlargest(max(1, len(took) // 100), took)[-1]
    return last * 1e3, held * lock_ms / 1e3 / SIMULATED_S


def _begin_transaction(
    asking: list[tuple[float, int, list[float]]], process: int, queue: list[float], now: float, write_ms: float
) -> None:
    """Begin the next transaction of a process, with what waits for it, or with the next write that arrives."""
    if queue:
        begins = max(now, queue[0])
        writes = [arrived for arrived in queue[:GROUP] if arrived <= begins]
        del queue[: len(writes)]
        heapq.heappush(asking, (begins + len(writes) * write_ms / 1e3, process, writes))
