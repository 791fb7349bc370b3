"""Names of instances (spec INST-6)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.core.errors import InvalidInstanceName, InvalidName
from jupyter_colophon.core.identity.instance_names import MAX_LENGTH, generate_instance_name, require_instance_name


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
def test_generated_name_matches_elyra(display_name: str, name: str) -> None:
    assert generate_instance_name(display_name) == name
    assert require_instance_name(name) == name


def test_display_names_without_ascii_letters_get_distinct_names() -> None:
    names = [generate_instance_name(text) for text in ("日本語", "!!!", "日本語 版", "中文 版")]
    assert len(set(names)) == 4
    assert all(require_instance_name(name).startswith("a_") for name in names)
    assert generate_instance_name("é") == generate_instance_name("e\u0301") != "e"


def test_long_display_names_get_distinct_names() -> None:
    one, other = generate_instance_name("x" * 300), generate_instance_name("x" * 301)
    assert one != other
    assert len(one) == len(other) == MAX_LENGTH


def test_empty_display_name_raises() -> None:
    with pytest.raises(InvalidInstanceName):
        generate_instance_name("")


@given(st.text(min_size=1))
def test_any_display_name_gets_a_valid_name(display_name: str) -> None:
    assert require_instance_name(generate_instance_name(display_name))


@pytest.mark.parametrize(
    "name", ["", "A", "1a", "-a", "a-", "a_", "ab,", "ab\n", "a b", "ä", "a/b", "..", "a" * 201, "a\x00b"]
)
def test_invalid_instance_name_raises_elyras_message(name: str) -> None:
    with pytest.raises(InvalidName) as raised:
        require_instance_name(name)
    assert isinstance(raised.value, ValueError)
    assert raised.value.detail.startswith("Name of metadata must be lowercase alphanumeric, beginning with alpha")
