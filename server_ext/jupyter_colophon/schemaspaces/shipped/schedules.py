"""The class of schedules of pipelines: what no schema can tell of their times is refused before they are saved."""

from typing import Any

from jupyter_colophon.core.errors import InstanceInvalid, Problem
from jupyter_colophon.core.schedule_times import faults
from jupyter_colophon.schemaspaces.metadata import Metadata


class Schedule(Metadata):
    """When a pipeline runs by itself."""

    def pre_save(self, **kwargs: Any) -> None:
        """Raise InstanceInvalid where it can never be due; one that is disabled starts nothing, whatever it says."""
        told = self.metadata if isinstance(self.metadata, dict) else {}
        if told.get("enabled") is False:
            return
        problems = tuple(Problem(f"/metadata/{name}".rstrip("/"), why) for name, why in faults(told))
        if problems:
            raise InstanceInvalid(str(self.name), str(self.schema_name), problems[0].message, problems)
