"""Show how many tasks of a job have ended."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

#: Called with the title of a job and its progress, which is empty at first.
ShowTasks = Callable[[str], None]
_PAUSE_S = 0.5


@contextmanager
def show_task_progress(spark: "SparkSession", title: str, total: int, show: ShowTasks) -> Iterator[None]:
    """Show the number of ended tasks from time to time; `total` tasks are expected, 0 if that is unknown."""
    show(title)
    ended = threading.Event()
    tracker = spark.sparkContext.statusTracker()

    def watch() -> None:
        while not ended.wait(_PAUSE_S):
            stages = [info for stage in tracker.getActiveStageIds() if (info := tracker.getStageInfo(stage))]
            done = sum(_count_ended_tasks(stage) for stage in stages)
            count = total or sum(stage.numTasks for stage in stages)
            if count:
                show(f"{title}: {done} of {count} tasks")

    thread = threading.Thread(target=watch, name="colophon-tasks", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _count_ended_tasks(stage: Any) -> int:
    return int(stage.numCompletedTasks)
