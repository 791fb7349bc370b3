"""The columns that expressions of a Spark Connect plan use. Names are resolved against the relation below the expression."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from jupyter_colophon.capture.column_map import NO_SOURCES, UNKNOWN_SOURCES, Sources, compute_from
from jupyter_colophon.capture.observation import Transformation
from jupyter_colophon.capture.origins import Source
from jupyter_colophon.spark.connect.columns import SparkColumns

if TYPE_CHECKING:
    from sqlglot import exp

_PART: Final = re.compile(r"`((?:[^`]|``)*)`|([^.`]+)")
#: Functions of several rows that a `select` without `groupBy` may use.
_AGGREGATE_NAMES: Final = (
    "any any_value approx_count_distinct array_agg avg bit_and bit_or bit_xor bool_and bool_or collect_list collect_set corr"
    " count count_if covar_pop covar_samp every first first_value kurtosis last last_value listagg max max_by mean median min"
    " min_by mode percentile percentile_approx product regr_r2 skewness some std stddev stddev_pop stddev_samp string_agg sum"
    " try_avg try_sum var_pop var_samp variance"
)
_AGGREGATES: Final = frozenset(_AGGREGATE_NAMES.split())


@dataclass(frozen=True, slots=True)
class RelationData:
    """The data of a relation and the columns that it has.

    `by_plan` are the columns of the relations below by their number, None if several have it; `aliases` those by the names that
    qualify columns. `missing` is what is unknown of the data, as text for users.
    """

    sources: tuple[Source, ...] = ()
    columns: SparkColumns = field(default_factory=SparkColumns)
    by_plan: Mapping[int, SparkColumns | None] = field(default_factory=dict)
    aliases: Mapping[str, SparkColumns] = field(default_factory=dict)
    missing: frozenset[str] = frozenset()


class Expressions:
    """Finds the columns of expressions above one relation."""

    def __init__(
        self, frame: RelationData, subqueries: Mapping[int, RelationData], *, is_aggregate: bool = False
    ) -> None:
        """Create the columns of a relation's expressions; `subqueries` are frames by number; `is_aggregate`: the expressions are of groups."""
        self._frame, self._subqueries, self._is_aggregate = frame, subqueries, is_aggregate

    def list_outputs(self, expressions: Iterable[Any]) -> Iterator[tuple[str | None, Sources]]:
        """Yield the columns that expressions select, with their sources; the name is None if only Spark knows it."""
        for expression in expressions:
            kind = expression.WhichOneof("expr_type")
            if kind == "unresolved_star":
                yield from self._list_star(expression.unresolved_star)
            elif kind == "expression_string":
                yield from self._list_parsed(expression.expression_string.expression)
            elif kind == "alias":
                sources = self.find_sources(expression)
                yield from ((name, sources) for name in expression.alias.name)
            else:
                yield _find_name(expression), self.find_sources(expression)

    def find_sources(self, expression: Any) -> Sources:
        """Return the sources of an expression, and how it depends on them."""
        kind = expression.WhichOneof("expr_type")
        if kind == "alias":
            return self.find_sources(expression.alias.expr)
        if kind == "unresolved_attribute":
            attribute = expression.unresolved_attribute
            plan = attribute.plan_id if attribute.HasField("plan_id") else None
            return self._resolve(split_identifier(attribute.unparsed_identifier), plan)
        if kind == "expression_string":
            return self._find_parsed_sources(_parse_expression(expression.expression_string.expression))
        if kind == "subquery_expression":
            return self._find_subquery_sources(expression.subquery_expression)
        if kind in ("unresolved_star", "unresolved_regex", "extension", None):
            return UNKNOWN_SOURCES
        inner = [self.find_sources(each) for each in _list_inner(getattr(expression, kind))]
        if _is_condition_function(expression, kind):
            conditions = [replace_kind(each, Transformation.CONDITIONAL) for each in inner[: len(inner) // 2 * 2 : 2]]
            values = [*inner[1::2], *(inner[-1:] if len(inner) % 2 else [])]
            return compute_from([*values, *conditions])
        return compute_from(inner, self._find_transformation(expression, kind))

    def find_controls(self, expressions: Iterable[Any], transformation: Transformation) -> Sources:
        """Return the columns that decide about rows."""
        return NO_SOURCES.union(*(replace_kind(self.find_sources(each), transformation) for each in expressions))

    def _find_transformation(self, expression: Any, kind: str) -> Transformation:
        if kind == "window":
            return Transformation.WINDOW
        name = expression.unresolved_function.function_name.lower() if kind == "unresolved_function" else ""
        if self._is_aggregate or name in _AGGREGATES:
            return Transformation.AGGREGATION
        return Transformation.TRANSFORMATION

    def _resolve(self, parts: Sequence[str], plan: int | None) -> Sources:
        frame = self._frame
        columns: SparkColumns | None = frame.columns
        if plan is not None and plan in frame.by_plan:
            columns = frame.by_plan[plan]
        for at in range(min(len(parts) - 1, 3)):
            alias = frame.aliases.get(parts[at].casefold())
            if alias is not None:
                columns, parts = alias, parts[at + 1 :]
                break
        if columns is None or not parts:
            return UNKNOWN_SOURCES
        sources = columns.find_sources(parts[0])
        return sources if len(parts) == 1 else compute_from((sources,))

    def _list_star(self, star: Any) -> Iterator[tuple[str | None, Sources]]:
        target = star.unparsed_target.removesuffix(".*").strip("`").casefold()
        columns = self._frame.aliases.get(target) if target else self._frame.columns
        if columns is None or columns.names is None:
            yield None, UNKNOWN_SOURCES
        else:
            yield from ((name, columns.find_sources(name)) for name in columns.names)

    def _find_subquery_sources(self, subquery: Any) -> Sources:
        known = self._subqueries.get(subquery.plan_id)
        if known is None or known.columns.names is None:
            return UNKNOWN_SOURCES
        every = (known.columns.find_sources(name) for name in known.columns.names)
        compared = (self.find_sources(each) for each in subquery.in_subquery_values)
        return compute_from((*every, *compared, known.columns.controls))

    def _list_parsed(self, text: str) -> Iterator[tuple[str | None, Sources]]:
        tree = _parse_expression(text)
        if tree is not None and tree.is_star:
            columns = self._frame.columns
            if columns.names is not None:
                yield from ((name, columns.find_sources(name)) for name in columns.names)
                return
        is_named = tree is not None and (tree.alias or tree.key == "column")
        yield (tree.alias_or_name if tree is not None and is_named else None), self._find_parsed_sources(tree)

    def _find_parsed_sources(self, tree: "exp.Expr | None") -> Sources:
        """Return the sources of an expression in SQL."""
        from sqlglot import exp

        if tree is None or tree.find(exp.Query) or (tree.is_star and not tree.find(exp.Count)):
            return UNKNOWN_SOURCES
        inner = tree.unalias()
        resolved = [self._resolve([each.name for each in column.parts], None) for column in inner.find_all(exp.Column)]
        if isinstance(inner, exp.Column):
            return resolved[0]
        if inner.find(exp.Window):
            return compute_from(resolved, Transformation.WINDOW)
        is_aggregate = self._is_aggregate or inner.find(exp.AggFunc)
        return compute_from(resolved, Transformation.AGGREGATION if is_aggregate else Transformation.TRANSFORMATION)


def split_identifier(text: str) -> list[str]:
    """Return the parts of a name: ``a.`b.c` `` are `a` and `b.c`."""
    return [match[1].replace("``", "`") if match[1] is not None else match[2] for match in _PART.finditer(text)]


def _find_name(expression: Any) -> str | None:
    """Return the name that Spark gives to an expression without an alias; None if that is not simple."""
    kind = expression.WhichOneof("expr_type")
    if kind == "unresolved_attribute":
        return split_identifier(expression.unresolved_attribute.unparsed_identifier)[-1]
    if kind == "cast":
        inner = expression.cast.expr
        return _find_name(inner) if inner.WhichOneof("expr_type") == "unresolved_attribute" else None
    if kind == "unresolved_function":
        function = expression.unresolved_function
        names = [_find_name(each) for each in function.arguments]
        if names and None not in names and not function.is_distinct:
            return f"{function.function_name}({', '.join(filter(None, names))})"
    return None


def _list_inner(message: Any) -> list[Any]:
    """Return the expressions inside the message of an expression, such as the arguments of a function."""
    found: list[Any] = []
    for descriptor, value in message.ListFields():
        inner = descriptor.message_type
        if inner is None or inner.name in ("Literal", "DataType") or inner.GetOptions().map_entry:
            continue
        for each in (value,) if hasattr(value, "DESCRIPTOR") else value:
            found.extend([each] if inner.name == "Expression" else _list_inner(each))
    return found


def _is_condition_function(expression: Any, kind: str) -> bool:
    return kind == "unresolved_function" and expression.unresolved_function.function_name in ("when", "if")


def replace_kind(sources: Sources, transformation: Transformation) -> Sources:
    """Return sources on which something depends in another way."""
    return frozenset(replace(each, transformation=transformation) for each in sources)


def _parse_expression(text: str) -> "exp.Expr | None":
    """Return an expression in SQL; None if it cannot be parsed."""
    try:
        from sqlglot import parse_one
        from sqlglot.errors import SqlglotError
    except ImportError:
        # The extra `capture` is not installed.
        return None
    try:
        return parse_one(text, dialect="spark")
    except (SqlglotError, RecursionError):
        return None
