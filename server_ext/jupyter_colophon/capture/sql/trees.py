"""The parsed statements of a text of SQL: what programs run again and again is parsed once."""

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Final

from sqlglot import exp, parse, parse_one
from sqlglot.errors import SqlglotError

#: Dialects in which a name that is not quoted is one in lower case.
_FOLDING: Final = ("postgres", "redshift")
#: Longer texts are not kept, since their trees take much memory.
_MAX_KEPT_CHARS: Final = 4_000

# Statements of other tools are data for us: sqlglot logs what it does not know.
logging.getLogger("sqlglot").setLevel(logging.ERROR)


def parse_statements(sql: str, dialect: str, parameters: Mapping[str, str]) -> Sequence[exp.Expr]:
    """Return the statements of a text with their parameters; callers do not change them. Raises ValueError."""
    parse_text = _parse_kept_text if len(sql) <= _MAX_KEPT_CHARS else _parse_text
    try:
        trees = parse_text(sql, dialect)
    except (SqlglotError, RecursionError) as error:
        raise ValueError(str(error)) from error
    return [_bind_parameters(tree.copy(), parameters) for tree in trees] if parameters else trees


def _parse_text(sql: str, dialect: str) -> tuple[exp.Expr, ...]:
    trees = tuple(_restore_insert(tree, dialect) for tree in parse(sql, dialect=dialect) if tree is not None)
    for tree in trees:
        if dialect == "sqlite":
            _restore_texts(tree)
        if dialect in _FOLDING:
            _fold_names(tree)
        if isinstance(tree, exp.Insert) and isinstance(tree.expression, exp.Query):
            _move_parts(tree, tree.expression)
    return trees


_parse_kept_text = lru_cache(maxsize=64)(_parse_text)


def _bind_parameters(tree: exp.Expr, parameters: Mapping[str, str]) -> exp.Expr:
    """Return a statement after replacing its placeholders whose parameters are texts: by name, by number, or a single one without a name."""
    found = list(tree.find_all(exp.Placeholder, exp.Parameter))
    for each in found:
        name = "1" if len(found) == 1 and each.name in ("", "?") else each.name
        if name in parameters:
            each.replace(exp.Literal.string(parameters[name]))
    return tree


def _restore_insert(tree: exp.Expr, dialect: str) -> exp.Expr:
    """Return the INSERT that a `REPLACE INTO` is, which sqlglot does not parse; another statement as it is."""
    if isinstance(tree, exp.Command) and tree.name.upper() == "REPLACE":
        with suppress(SqlglotError):
            return parse_one(f"INSERT {tree.expression.name}", dialect=dialect)
    return tree


def _fold_names(tree: exp.Expr) -> None:
    """Write the names of tables that are not quoted in lower case, as the database does."""
    for table in tree.find_all(exp.Table):
        for part in table.parts:
            if isinstance(part, exp.Identifier) and not part.args.get("quoted"):
                part.set("this", part.name.lower())


def _restore_texts(tree: exp.Expr) -> None:
    """Replace names in double quotes that are compared with a plain name: SQLite reads `shop = "a"` as a comparison with a text."""
    for comparison in list(tree.find_all(exp.EQ, exp.NEQ, exp.Like)):
        pair = comparison.this, comparison.expression
        if all(isinstance(each, exp.Column) for each in pair):
            quoted = [each for each in pair if each.this.args.get("quoted") and not each.table]
            if len(quoted) == 1:
                quoted[0].replace(exp.Literal.string(quoted[0].name))


def _move_parts(tree: exp.Insert, query: exp.Query) -> None:
    """Give the parts of `WITH … INSERT … SELECT` to the query, which is the one that uses them."""
    parts = get_with(tree)
    if parts is not None and get_with(query) is None:
        query.set("with_" if "with_" in tree.args else "with", parts.pop())


def get_with(node: exp.Expr) -> exp.With | None:
    """Return the parts of a statement, `WITH name AS …`."""
    # sqlglot renamed the argument.
    found = node.args.get("with_") or node.args.get("with")
    return found if isinstance(found, exp.With) else None
