"""The directives: each does what its example on the reference page shows."""

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
