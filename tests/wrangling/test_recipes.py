"""The language of recipes: parsing, errors with their place, rejected rows, and what expressions may do."""

from datetime import date, datetime
from typing import Any, ClassVar

import pandas
import pytest
from jupyter_colophon.wrangling import (
    DirectivePlugin,
    RecipeError,
    RejectedRow,
    apply_recipe_to_dataframe,
    parse_recipe,
)
from jupyter_colophon.wrangling.expressions import parse_expression
from jupyter_colophon.wrangling.normalization import decode_value, encode_value
from jupyter_colophon.wrangling.tokens import quote_column, split_lines


def apply(recipe: str, *rows: dict[str, Any]) -> list[dict[str, Any]]:
    return [*parse_recipe(recipe).apply(rows)]


def test_recipe_applies_its_lines_in_order() -> None:
    recipe = """
    # a comment
    parse-as-csv :body ';' true;
    // another one
    drop :body
    rename :'unit price' :price
    set-type :price double
    """
    rows = [{"body": "id;unit price"}, {"body": "a;1.5"}, {"body": 'b;"2"'}]
    assert apply(recipe, *rows) == [{"id": "a", "price": 1.5}, {"id": "b", "price": 2.0}]
    assert rows[1] == {"body": "a;1.5"}


def test_quotes_and_escapes_are_read() -> None:
    recipe = r"""find-and-replace :a "\d+\." 'it\'s\t'"""
    assert apply(recipe, {"a": "x12."}) == [{"a": "xit's\t"}]


@pytest.mark.parametrize(
    "name", ["plain\\", "my total\\", "a\u2028b", "x\\ty z\\\\", "it's\t\\", "\x0b\x85q", "a\nb\\n", "a\r\n b"]
)
def test_any_column_can_be_quoted(name: str) -> None:
    recipe = f"trim {quote_column(name)}\nrename {quote_column(name)} :after"
    assert len(split_lines(recipe)) == 2
    assert apply(recipe, {name: " 1"}) == [{"after": "1"}]


@pytest.mark.parametrize(
    ("recipe", "line", "column", "reason"),
    [
        ("trim :a\nshout :a", 2, 1, "unknown directive shout"),
        ("trim", 1, 5, "column is missing"),
        ("trim a", 1, 6, "column must be a column"),
        ("trim :a :b", 1, 9, "too many arguments"),
        ("drop 'a'", 1, 6, "columns must be columns"),
        ("set-type :a money", 1, 13, "type must be one of string"),
        ("find-and-replace :a '(' ''", 1, 21, "not a valid regular expression"),
        ("find-and-replace :a 'x' '\\2'", 1, 18, "the replacement is not valid"),
        ("find-and-replace :a 'x", 1, 21, "no closing '"),
        ("set-column :a exp:{1 + }", 1, 20, "not a valid expression"),
        ("set-column :a exp:{1 + open('x')}", 1, 24, "unknown function open"),
        ("set-column :a exp:{b.c}", 1, 20, "Attribute is not supported"),
        ("set-column :a exp:{1", 1, 19, "no closing }"),
        ("cut-character :a :b 0", 1, 21, "not a range"),
        ("parse-as-date :a 'QQ'", 1, 15, "the format QQ has QQ"),
        ("limit x", 1, 7, "count must be a whole number"),
        ("extract-regex-groups :a 'b'", 1, 22, "has no group"),
    ],
)
def test_mistakes_have_a_line_and_a_column(recipe: str, line: int, column: int, reason: str) -> None:
    with pytest.raises(RecipeError, match=reason.replace("(", r"\(")) as raised:
        parse_recipe(recipe)
    assert (raised.value.line, raised.value.column) == (line, column)


def test_unknown_column_is_an_error_unless_columns_are_not_checked() -> None:
    with pytest.raises(RecipeError, match="line 2, column 1: unknown column c; available: a, b"):
        apply("trim :a\ntrim :c", {"a": "x", "b": 1})
    assert [*parse_recipe("trim :c").apply([{"a": "x"}], check_columns=False)] == [{"a": "x"}]
    # A column that only some rows have exists.
    assert apply("uppercase :a_x", {"a_y": "1"}, {"a_x": "b"}) == [{"a_y": "1"}, {"a_x": "B"}]


def test_rows_that_cannot_be_processed_are_rejected() -> None:
    rejected: list[RejectedRow] = []
    recipe = parse_recipe("trim :n\nset-type :n integer\nset-column :m exp:{10 / n}")
    assert [*recipe.apply([{"n": "2"}, {"n": "x"}, {"n": "0"}], rejected.append)] == [{"n": 2, "m": 5.0}]
    assert [(row.line, row.directive, row.row["n"]) for row in rejected] == [(2, "set-type", "x"), (3, "set-column", 0)]
    assert rejected[0].reason == "'x' is not a valid integer"
    with pytest.raises(RecipeError, match="line 2, column 1: set-type: 'x' is not a valid integer"):
        [*recipe.apply([{"n": "x"}])]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("price * 2 + 1", 7),
        ("nothing + 1", None),
        ("nothing < 1", False),
        ("not nothing == null", False),
        ("name + '!'", "ada!"),
        ("upper(substring(name, 2, 1))", "D"),
        ("'old' if price >= 3 and name in ['ada', 'bob'] else 'new'", "old"),
        ("concat(name, nothing, price)", "ada3"),
        ("coalesce(nothing, is_empty(' '))", True),
        ("round(price / 7, 2)", 0.43),
        ("column('two words') - -1", 6),
        ("year(day) * 100 + month(day)", 202611),
        ("number('12') + number('0.5')", 12.5),
    ],
)
def test_expression_has_the_value(text: str, value: Any) -> None:
    row = {"price": 3, "nothing": None, "name": "ada", "two words": 5, "day": date(2026, 11, 27)}
    assert parse_expression(text).evaluate(row) == value


@pytest.mark.parametrize(
    "text",
    [
        "().__class__",
        "[x for x in y]",
        "lambda: 1",
        "f'{a}'",
        "a[0]",
        "2 ** 9999",
        "(a := 1)",
        "upper(text='x')",
        "b'x'",
        "...",
    ],
)
def test_expressions_have_no_other_syntax(text: str) -> None:
    with pytest.raises(ValueError, match=r"supported|arguments"):
        parse_expression(text)


def test_texts_cannot_be_multiplied() -> None:
    with pytest.raises(RecipeError, match="only numbers can be"):
        apply("set-column :a exp:{a * 1000000000}", {"a": "x"})


def test_values_of_all_types_survive_encoding() -> None:
    row = {"a": date(2026, 1, 2), "b": [datetime(2026, 1, 2, 3), {"c": float("inf")}], "d": None, "e": True}
    assert decode_value(encode_value(row)) == row


def test_recipe_is_applied_to_pandas() -> None:
    data = pandas.DataFrame({"name": [" a ", None], "n": [1, 2]})
    result = apply_recipe_to_dataframe(data, "trim :name\nset-column :m exp:{n * 2}")
    assert result.to_dict("records") == [{"name": "a", "n": 1, "m": 2}, {"name": None, "n": 2, "m": 4}]
    typed = apply_recipe_to_dataframe(data, "keep :n", {"n": "string", "other": "double"})
    assert typed["n"].tolist() == ["1", "2"]
    with pytest.raises(RecipeError, match="'a' is not a valid integer"):
        apply_recipe_to_dataframe(data, "set-type :name integer")
    assert len(apply_recipe_to_dataframe(data, "set-type :name integer", on_rejected="skip")) == 1


class Divide(DirectivePlugin):
    name = "divide"
    properties: ClassVar = {
        "columns": {"type": "array", "items": {"type": "string", "format": "column"}},
        "by": {"type": "number", "minimum": -10.5},
        "as": {"type": "string", "format": "new-column", "default": "result"},
        "exact": {"type": "boolean", "default": True},
    }
    required = ("columns", "by")

    def change_row(self, row: dict[str, Any]) -> Any:
        total = sum(row[column] for column in self.arguments["columns"]) / self.arguments["by"]
        row[self.arguments["as"]] = total if self.arguments["exact"] else round(total)
        return [row, row] if total > 100 else row


def test_directive_plugin_is_a_directive() -> None:
    plugins = {"tools/1.0/divide": Divide}
    rejected: list[RejectedRow] = []
    recipe = parse_recipe("divide :a, :b -0.5\ntools/divide :a 2 :half false", plugins)
    rows = [{"a": 1, "b": 2}, {"a": 300, "b": 0}, {"a": "x", "b": 1}]
    assert [*recipe.apply(rows, rejected.append)] == [
        {"a": 1, "b": 2, "result": -6.0, "half": 0},
        *[{"a": 300, "b": 0, "result": -600.0, "half": 150}] * 2,
    ]
    ((line, row),) = [(found.line, found.row) for found in rejected]
    assert (line, row) == (1, {"a": "x", "b": 1})
    data = pandas.DataFrame(rows[:1])
    assert apply_recipe_to_dataframe(data, "divide :a 4", directives=plugins)["result"].tolist() == [0.25]
    with pytest.raises(RecipeError, match=r"line 1, column 11: by must be at least -10\.5"):
        parse_recipe("divide :a -11", plugins)
    with pytest.raises(RecipeError, match="count must be at least 0"):
        parse_recipe("limit -1")
