"""What is learned from values: profiles, suggestions, recipes by example, and the limits of the process for recipes."""

from datetime import date
from typing import Any

import pytest
from jupyter_colophon.wrangling.by_example import InputOutput, find_directives_by_example
from jupyter_colophon.wrangling.column_profiles import profile_columns
from jupyter_colophon.wrangling.recipe import parse_recipe
from jupyter_colophon.wrangling.suggestions import complete_directives, suggest_directives
from jupyter_colophon.wrangling.worker_process import TaskFailed, run_in_process


def test_profile_counts_values_and_detects_types() -> None:
    rows = [{"n": at, "day": date(2026, 1, 1 + at % 3), "text": f"{at % 2}.5"} for at in range(10)]
    number, day, text, mixed = profile_columns([*rows, {"n": None, "day": None, "text": " ", "mixed": [1]}])
    assert (number["type"], number["count"], number["nulls"], number["distinct"]) == ("integer", 11, 1, 10)
    assert (number["min"], number["max"], number["mean"]) == (0, 9, 4.5)
    assert [bar["count"] for bar in number["histogram"]] == [1] * 10
    assert (day["min"], day["max"], day["top"][0]) == ("2026-01-01", "2026-01-03", {"value": "2026-01-01", "count": 4})
    assert (text["type"], text["detectedType"], text["empty"]) == ("string", "double", 1)
    assert (mixed["type"], mixed["nulls"]) == ("list", 10)


@pytest.mark.parametrize(
    ("values", "directive"),
    [
        (["1", "22"], "set-type :'a b' integer"),
        (["1.5", "-2"], "set-type :'a b' double"),
        (["yes", "no"], "set-type :'a b' boolean"),
        (["31.12.2026", "01.02.2026"], "parse-as-date :'a b' 'dd.MM.yyyy'"),
        (["1.234,50 €", "2,00 €"], "parse-as-number :'a b' ','"),
        (["€7.50", "1,234.50"], "parse-as-number :'a b' '.'"),
        (["-$1234.5", "$ 1,234"], "parse-as-number :'a b' '.'"),
        (["1,234", "5,678"], "parse-as-number :'a b' '.'"),
        (["1", "2,5", "3.000", "4"], "parse-as-number :'a b' ','"),
        ([" x", "y"], "trim :'a b'"),
        (["a;b", "c;d"], "split-to-columns :'a b' ';' 2"),
        (["a@b.example", "c@d.example"], "split-email :'a b'"),
        (['{"a": 1}', "[]"], "parse-as-json :'a b'"),
        ([["x"], []], "flatten :'a b'"),
        (["Rome", "rome"], "lowercase :'a b'"),
        ([None, "x"], "fill-null-or-empty :'a b' 'n/a'"),
    ],
)
def test_suggested_directive_can_be_applied(values: list[Any], directive: str) -> None:
    lines = [suggestion["directive"] for suggestion in suggest_directives("a b", values)]
    assert directive in lines
    for line in lines:
        assert [*parse_recipe(line).apply({"a b": value} for value in values)] or "filter" in line


def test_numbers_are_suggested_for_most_texts() -> None:
    (first, *_) = suggest_directives("price", ["€1.50", "€2.00", "€3.10", "€9.99", "free"])
    assert first["directive"] == "parse-as-number :price '.'"
    assert first["reason"] == "4 of 5 texts are formatted numbers; rows with others are rejected"
    assert not [each for each in suggest_directives("a", ["€1.50", "two", "free"]) if "number" in each["directive"]]


def test_directives_are_completed_by_prefix() -> None:
    assert [item["name"] for item in complete_directives("url-")] == ["url-decode", "url-encode"]
    assert complete_directives("drop")[0]["usage"] == "drop :columns, …"


@pytest.mark.parametrize(
    ("examples", "unseen", "output"),
    [
        ([("DE-12-x", "12"), ("FR-7-yy", "7")], "IT-345-z", "345"),
        ([("Ada Lovelace (1815)", "1815"), ("Grace Hopper (1906)", "1906")], "Alan Turing (1912)", "1912"),
        ([("27.11.2026", "2026-11-27")], "01.02.2025", "2025-02-01"),
        ([(" rome ", "ROME")], " oslo", "OSLO"),
        ([("a@b.example", "b.example"), ("cc@d.example", "d.example")], "x@y.example", "y.example"),
        ([("a, b,c", ["a", "b", "c"])], "x,y, z", ["x", "y", "z"]),
        ([("2026-11 27", ["2026", "11", "27"])], "1999-01 02", ["1999", "01", "02"]),
    ],
)
def test_recipe_by_example_applies_to_unseen_texts(examples: Any, unseen: str, output: Any) -> None:
    pairs = [InputOutput(one, tuple(two) if isinstance(two, list) else two) for one, two in examples]
    found = find_directives_by_example("t", pairs)
    assert found == find_directives_by_example("t", pairs)
    (row,) = parse_recipe("\n".join(found[0])).apply([{"t": unseen}])
    if isinstance(output, list):
        assert [row[f"t_{number}"] for number in range(1, len(output) + 1)] == output
    else:
        assert row.get("t_1", row["t"]) == output


def test_examples_without_a_common_rule_have_no_recipe() -> None:
    assert find_directives_by_example("t", [InputOutput("abc", "x")]) == []


def test_process_ends_recipes_that_take_too_long() -> None:
    task = {"kind": "rows", "columns": ["a"], "rows": [["x" * 40]], "offset": 0, "limit": 10}
    slow = r"find-and-replace :a '(x+x+)+y' ''"
    with pytest.raises(TaskFailed, match="took longer than 1 s"):
        run_in_process({**task, "recipe": slow}, 1)
    with pytest.raises(TaskFailed, match="line 1, column 1: unknown directive shout"):
        run_in_process({**task, "recipe": "shout"})
    assert run_in_process({**task, "recipe": "uppercase :a"})["rows"] == [["X" * 40]]
