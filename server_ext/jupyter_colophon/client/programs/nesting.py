"""Find nested fields by their paths: a structure is as confidential as the fields inside it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping


def group_nested_paths_by_parent(paths: Iterable[str]) -> Mapping[str, list[str]]:
    """Return the paths inside each path, such as `a.b` for `a`; of `a.b.c` both `a` and `a.b` hold it."""
    inner_paths: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        above, dot, _ = path.rpartition(".")
        while dot:
            inner_paths[above].append(path)
            above, dot, _ = above.rpartition(".")
    return inner_paths
