"""The directives: each does what its example on the reference page shows."""

from datetime import date, datetime

import pytest
from jupyter_colophon.wrangling.directive_index import DIRECTIVES, GROUPS
from jupyter_colophon.wrangling.recipe import RejectedRow, parse_recipe


@pytest.mark.parametrize("name", DIRECTIVES)
def test_example_has_the_documented_result(name: str) -> None:
    example = DIRECTIVES[name].example
    assert example.line.split()[0] == name
    rejected: list[RejectedRow] = []
    assert [*parse_recipe(example.line).apply(example.rows, rejected.append)] == list(example.result)


def test_names_and_parameters_are_documented() -> None:
    directives = [directive for group in GROUPS.values() for directive in group]
    assert len({directive.name for directive in directives}) == len(directives) >= 30
    for directive in directives:
        assert directive.description.endswith(".")
        assert all(parameter.description for parameter in directive.parameters)


@pytest.mark.parametrize("order", ["ascending", "descending"])
def test_rows_with_values_of_all_types_are_sorted(order: str) -> None:
    values = [None, False, True, -1, 0.5, 2, float("nan"), date(2026, 1, 1), datetime(2026, 1, 1, 8), "1", "a", ["x"]]
    shuffled = [values[number * 5 % len(values)] for number in range(len(values))]
    rows = [{"value": value, "number": number} for number, value in enumerate(shuffled)]
    result = parse_recipe(f"sort :value {order}").apply(rows, lambda row: None)
    expected = values if order == "ascending" else values[::-1]
    assert [repr(row["value"]) for row in result] == [repr(value) for value in expected]


def test_rows_with_equal_values_keep_their_order() -> None:
    rows = [{"a": 1, "b": 1}, {"a": 0, "b": 2}, {"a": 1, "b": 3}, {"a": 1, "b": 0}]
    for recipe, expected in (
        ("sort :a", [2, 1, 3, 0]),
        ("sort :a descending", [1, 3, 0, 2]),
        ("sort :a, :b", [2, 0, 1, 3]),
    ):
        assert [row["b"] for row in parse_recipe(recipe).apply(rows, lambda row: None)] == expected


def test_number_with_another_decimal_mark_is_rejected() -> None:
    rejected: list[RejectedRow] = []
    rows = [{"a": text} for text in ("7.5", "16.76", "1.234", "-1.234.567,5", "1,234.5", "1.00.000")]
    result = parse_recipe("parse-as-number :a ','").apply(rows, rejected.append)
    assert [row["a"] for row in result] == [1234.0, -1234567.5, 100000.0]
    assert [row.row["a"] for row in rejected] == ["7.5", "16.76", "1,234.5"]
