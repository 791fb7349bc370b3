"""The class of schedules of pipelines: invalid times are rejected when they are saved."""

from typing import Any

from jupyter_colophon.core.errors import InstanceInvalid, Problem
from jupyter_colophon.core.schedule_times import find_schedule_time_problems
from jupyter_colophon.schemaspaces.metadata import InstanceMetadata


class Schedule(InstanceMetadata):
    """The schedule of a pipeline."""

    def pre_save(self, **kwargs: Any) -> None:
        """Raise InstanceInvalid if it can never be due; a disabled schedule starts nothing and is not checked."""
        schedule = self.metadata if isinstance(self.metadata, dict) else {}
        if schedule.get("enabled") is False:
            return
        problems = tuple(
            Problem(f"/metadata/{name}".rstrip("/"), why) for name, why in find_schedule_time_problems(schedule)
        )
        if problems:
            raise InstanceInvalid(str(self.name), str(self.schema_name), problems[0].message, problems)
