"""The messages of a Spark Connect plan: relations below each other, without knowledge of their kinds."""

from collections.abc import Iterator
from typing import Any, Final

#: The largest plan that is followed by column.
MAX_RELATIONS: Final = 2_000
#: The largest compressed plan that is read. Most of such a plan is data of the program.
MAX_PLAN_BYTES: Final = 128 * 1024 * 1024
#: Commands that write the rows of a relation.
_WRITES: Final = ("write_operation", "write_operation_v2", "write_stream_operation_start")
#: Kinds of relations whose columns are known only with all names of the columns below them.
_NEED_NAMES: Final = frozenset(
    {"join", "set_op", "to_df", "deduplicate", "drop_na", "unpivot", "map_partitions", "group_map", "co_group_map"}
)


def get_kind(relation: Any) -> str:
    """Return the kind of a relation: the name of the field that is set, "" for an unknown one."""
    return relation.WhichOneof("rel_type") or ""


def list_children(relation: Any) -> list[Any]:
    """Return the relations that a relation takes rows from, in the order of its fields."""
    kind = get_kind(relation)
    return list(_iterate_relations(getattr(relation, kind))) if kind else []


def _iterate_relations(message: Any) -> Iterator[Any]:
    """Yield the relations that a message has, those inside other messages too."""
    # Descriptors of other messages, such as expressions, have no relations, except by the identifier of a plan.
    for descriptor, value in message.ListFields():
        inner = descriptor.message_type
        if inner is None or inner.name == "Expression" or inner.GetOptions().map_entry:
            continue
        values = (value,) if hasattr(value, "DESCRIPTOR") else value
        for each in values:
            if inner.name == "Relation":
                yield each
            else:
                yield from _iterate_relations(each)


def list_relations(root: Any) -> list[Any]:
    """Return a relation and all below it, children before parents, and what a relation refers to before the relation itself."""
    found, waiting = [], [root]
    while waiting:
        relation = waiting.pop()
        found.append(relation)
        waiting.extend(reversed(list_children(relation)))
    return found[::-1]


def get_root(plan: Any) -> Any:
    """Return the relation of a plan; None if it has none, or is compressed in an unknown way or larger than MAX_PLAN_BYTES."""
    match plan.WhichOneof("op_type"):
        case "root":
            return plan.root
        case "compressed_operation":
            text = _read_compressed(plan.compressed_operation.data)
            return None if text is None else type(plan.root).FromString(text)
    return None


def _read_compressed(data: bytes) -> bytes | None:
    """Return what the client compressed; None if it is damaged, too large, or the package is not installed."""
    try:
        # The client compresses with this package, if it is installed.
        import zstandard
    except ImportError:
        return None
    try:
        size = zstandard.frame_content_size(data)
        return zstandard.decompress(data) if 0 <= size <= MAX_PLAN_BYTES else None
    except zstandard.ZstdError:
        return None


def list_leaves_to_name(plan: Any) -> list[Any]:
    """Return the different relations of a plan or command that read data, if the lineage of columns needs the names of theirs."""
    roots = [get_root(plan)] if plan.DESCRIPTOR.name == "Plan" else list(_iterate_relations(plan))
    relations = [each for root in roots if root is not None for each in list_relations(root)]
    if len(relations) > MAX_RELATIONS or not any(_has_unnamed_columns(each) for each in relations):
        return []
    leaves = (each for each in relations if get_kind(each) == "read")
    return list({each.SerializeToString(deterministic=True): each for each in leaves}.values())


def _has_unnamed_columns(relation: Any) -> bool:
    kind = get_kind(relation)
    if kind == "project" and len(relation.project.expressions) > 1:
        return any(each.WhichOneof("expr_type") == "unresolved_star" for each in relation.project.expressions)
    return kind in _NEED_NAMES


def get_written_relation(command: Any) -> Any:
    """Return the relation that a command writes; None for others.

    The server keeps DataFrames that SQL names in temporary views while it analyses a plan: a second analysis would drop those of
    the first one, so that there must be none.
    """
    if command.DESCRIPTOR.name != "Command":
        return None
    kind = command.WhichOneof("command_type")
    relation = getattr(command, kind).input if kind in _WRITES else None
    if relation is None or any(get_kind(each) == "with_relations" for each in list_relations(relation)):
        return None
    return relation
