"""The class of saved searches: an invalid query is rejected when it is saved."""

import time
from typing import Any

from jupyter_colophon.core.errors import InstanceInvalid, InvalidQuery, Problem
from jupyter_colophon.schemaspaces.metadata import InstanceMetadata
from jupyter_colophon.service.search.term_lookup import require_searchable_query


class SavedSearch(InstanceMetadata):
    """A saved search of the catalog."""

    def pre_save(self, **kwargs: Any) -> None:
        """Raise InstanceInvalid with the pointer of the query if search cannot understand it."""
        query = self.metadata.get("query") if isinstance(self.metadata, dict) else None
        if not isinstance(query, str):
            # The schema reports the problem.
            return
        try:
            require_searchable_query(query, time.time_ns() // 1_000_000)
        except InvalidQuery as error:
            problem = Problem("/metadata/query", error.reason)
            raise InstanceInvalid(str(self.name), str(self.schema_name), problem.message, (problem,)) from error
