"""How large a plan is, in one call over py4j: what Spark's JSON of a plan costs grows with it (about 0.1 to 0.4 ms a column and node)."""

import re
from dataclasses import dataclass
from typing import Any

from py4j.protocol import Py4JError

MOST_NODES = 2_000
MOST_COLUMNS = 500
MOST_ATTRIBUTES = 10_000
"""Columns of all nodes together: a loop of `withColumn` makes plans that are neither deep nor wide, and yet enormous."""

_MORE = re.compile(r"\.\.\. (\d+) more fields")


@dataclass(frozen=True, slots=True)
class Size:
    """The nodes of a plan, the columns of its widest one, and those of all."""

    nodes: int
    columns: int
    attributes: int

    @property
    def is_bounded(self) -> bool:
        """Whether the plan may be taken as a whole, column by column."""
        return self.nodes <= MOST_NODES and self.columns <= MOST_COLUMNS and self.attributes <= MOST_ATTRIBUTES


def weigh(plan: Any) -> Size:
    """Measure a plan by how Spark prints it: a line a node, with its lists cut short."""
    cut = 2
    try:
        text = plan.treeString(False, False, cut, False, False)
    except Py4JError:  # Another version of Spark prints with other options.
        cut, text = 25, plan.toString()
    more = [int(found) + cut for found in _MORE.findall(text)]
    return Size(text.count("\n") + 1, max(more, default=cut), sum(more))
