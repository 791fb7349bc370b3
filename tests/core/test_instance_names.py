"""Names of instances (spec INST-6)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.core.errors import InvalidInstanceName, InvalidName
from jupyter_colophon.core.identity.instance_names import MAX_LENGTH, normalized, require_instance_name


@pytest.mark.parametrize(
    ("display_name", "name"),
    [
        ("Kubeflow Pipeline - Fyre", "kubeflow_pipeline_-_fyre"),
        ('1 teste "rápido"', "a_1_teste_rpido"),
        ("ho-x-", "ho-x-_0"),
        ("a", "a"),
        ("_", "a___0"),
        ("   ", "a___0"),
        ("tab\tand\nline", "tab_and_line"),
        ("x" * 197 + "-", "x" * 197 + "-_0"),
    ],
)
def test_a_name_is_made_as_elyra_makes_it(display_name: str, name: str) -> None:
    assert normalized(display_name) == name
    assert require_instance_name(name) == name


def test_display_names_without_a_letter_of_ours_get_names_of_their_own() -> None:
    names = [normalized(text) for text in ("日本語", "!!!", "日本語 版", "中文 版")]
    assert len(set(names)) == 4
    assert all(require_instance_name(name).startswith("a_") for name in names)
    assert normalized("é") == normalized("e\u0301") != "e"


def test_long_display_names_that_begin_alike_get_different_names() -> None:
    one, other = normalized("x" * 300), normalized("x" * 301)
    assert one != other
    assert len(one) == len(other) == MAX_LENGTH


def test_there_is_no_name_in_nothing() -> None:
    with pytest.raises(InvalidInstanceName):
        normalized("")


@given(st.text(min_size=1))
def test_whatever_has_a_display_name_gets_a_legal_name(display_name: str) -> None:
    assert require_instance_name(normalized(display_name))


@pytest.mark.parametrize(
    "name", ["", "A", "1a", "-a", "a-", "a_", "ab,", "ab\n", "a b", "ä", "a/b", "..", "a" * 201, "a\x00b"]
)
def test_what_no_instance_may_be_called_is_refused_in_the_words_of_elyra(name: str) -> None:
    with pytest.raises(InvalidName) as raised:
        require_instance_name(name)
    assert isinstance(raised.value, ValueError)
    assert raised.value.detail.startswith("Name of metadata must be lowercase alphanumeric, beginning with alpha")
