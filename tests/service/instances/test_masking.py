"""Filling the mask of any document restores its secrets at their locations."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.service.instances.masking import (
    SecretMasker,
    find_mask_paths,
    get_value_at_path,
    replace_masks_by_old_secrets,
)
from support.instance_stores import SPACE, build_thing, build_things_schemaspace

MASKS = SecretMasker(build_things_schemaspace())
NAMES = st.sampled_from(["a", "b", "c"])
HOST = st.fixed_dictionaries({}, optional={"name": NAMES, "token": st.uuids().map(str), "size": st.integers(0, 2)})
DOCUMENTS = st.fixed_dictionaries({}, optional={"password": st.uuids().map(str), "hosts": st.lists(HOST, max_size=5)})


def hidden(document: dict[str, Any]) -> Any:
    return MASKS.mask_secrets_in_document(SPACE, document)


@given(DOCUMENTS)
def test_unchanged_mask_restores_the_document(metadata: dict[str, Any]) -> None:
    document = build_thing(**metadata)
    assert replace_masks_by_old_secrets(hidden(document), document, hidden(document)) == (document, [])


@given(
    st.lists(st.tuples(NAMES, st.uuids().map(str)), unique_by=lambda pair: pair[0]), st.randoms(use_true_random=False)
)
def test_reordered_named_elements_keep_their_secrets(pairs: list[tuple[str, str]], random: Any) -> None:
    document = build_thing(hosts=[{"name": name, "token": token} for name, token in pairs])
    sent = hidden(document)["metadata"]["hosts"]
    chosen = random.sample(sent, random.randint(0, len(sent)))
    full, missing = replace_masks_by_old_secrets(build_thing(hosts=chosen), document, hidden(document))
    assert missing == []
    assert {one["name"]: one["token"] for one in full["metadata"]["hosts"]}.items() <= dict(pairs).items()


@given(DOCUMENTS, DOCUMENTS)
def test_filled_secret_comes_from_old_document_or_is_missing(old: dict[str, Any], new: dict[str, Any]) -> None:
    before, after = build_thing(**old), hidden(build_thing(**new))
    full, missing = replace_masks_by_old_secrets(after, before, hidden(before))
    for words in find_mask_paths(after):
        value = get_value_at_path(full, words)
        assert (words in missing) != (isinstance(value, str) and value in repr(before))


@given(DOCUMENTS)
def test_masked_document_contains_no_secret(metadata: dict[str, Any]) -> None:
    document = build_thing(**metadata)
    text = repr(hidden(document))
    assert not [
        get_value_at_path(document, words)
        for words in MASKS.find_secret_paths(SPACE, document)
        if get_value_at_path(document, words) in text
    ]
