"""Any document comes back from its mask with its own secrets, each in its own place."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from jupyter_colophon.service.instances.masking import Masks, at, filled, masks_in
from support.shelves import SPACE, schemas, thing

MASKS = Masks(schemas())
NAMES = st.sampled_from(["a", "b", "c"])
HOST = st.fixed_dictionaries({}, optional={"name": NAMES, "token": st.uuids().map(str), "size": st.integers(0, 2)})
DOCUMENTS = st.fixed_dictionaries({}, optional={"password": st.uuids().map(str), "hosts": st.lists(HOST, max_size=5)})


def hidden(document: dict[str, Any]) -> Any:
    return MASKS.masked(SPACE, document)


@given(DOCUMENTS)
def test_a_mask_sent_back_as_it_is_changes_nothing(metadata: dict[str, Any]) -> None:
    document = thing(**metadata)
    assert filled(hidden(document), document, hidden(document)) == (document, [])


@given(
    st.lists(st.tuples(NAMES, st.uuids().map(str)), unique_by=lambda pair: pair[0]), st.randoms(use_true_random=False)
)
def test_elements_with_a_name_keep_their_secrets_wherever_they_go(pairs: list[tuple[str, str]], random: Any) -> None:
    document = thing(hosts=[{"name": name, "token": token} for name, token in pairs])
    sent = hidden(document)["metadata"]["hosts"]
    chosen = random.sample(sent, random.randint(0, len(sent)))
    full, missing = filled(thing(hosts=chosen), document, hidden(document))
    assert missing == []
    assert {one["name"]: one["token"] for one in full["metadata"]["hosts"]}.items() <= dict(pairs).items()


@given(DOCUMENTS, DOCUMENTS)
def test_a_secret_comes_from_the_old_document_or_is_missing(old: dict[str, Any], new: dict[str, Any]) -> None:
    before, after = thing(**old), hidden(thing(**new))
    full, missing = filled(after, before, hidden(before))
    for words in masks_in(after):
        value = at(full, words)
        assert (words in missing) != (isinstance(value, str) and value in repr(before))


@given(DOCUMENTS)
def test_no_secret_is_in_what_is_shown(metadata: dict[str, Any]) -> None:
    document = thing(**metadata)
    said = repr(hidden(document))
    assert not [at(document, words) for words in MASKS.pointers(SPACE, document) if at(document, words) in said]
