"""Merge user metadata into aspects that DataHub's clients read as the union of two scopes.

`globalTags`, `glossaryTerms` and `ownership` are SYSTEM metadata. Tags, an owner and a description of users are in
`businessMetadata`. A client reads both in one list and writes the list back, and the written value is split again
(docs/decisions/0020-datahub-reads-the-union-of-both-scopes.md):

* `merge_user_entries_into_aspect` returns the value that clients read;
* `extract_part_without_user_entries` returns the part of a written value that belongs to the aspect itself: user entries are not copied
  into it;
* `find_user_entries_removed_by_patch` returns the user entries that a patch removes one by one; a list that lacks them removes none.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.core.datahub import patch_forms
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.urn import PREFIX, Urn, canonicalize_urn, make_single_key_urn
from jupyter_colophon.core.model.vocabulary import CONTRIBUTIONS, Kind, list_descriptors_of_value

Value = Mapping[str, Any]
#: The aspect with the entries of users.
USER_ASPECT: Final = "businessMetadata"
_NOBODY: Final = {"time": 0, "actor": "urn:li:corpuser:unknown"}


@dataclass(frozen=True, slots=True)
class UserEntry:
    """An entry of a user: the text in `businessMetadata`, and the element that DataHub's clients read."""

    kind: Kind
    text: str
    element: Any


@dataclass(frozen=True, slots=True)
class _UnionRule:
    """How an aspect stores its entries.

    `member` is the list of elements, or the text of a description. `element` converts a user's text to an element, None
    if it cannot be one. `key` identifies an element; an element of the aspect hides a user's element with the same
    `subject`. `stamps` are members that the aspect requires, with the time and the actor of a change.
    """

    kind: Kind
    member: str
    element: Callable[[str], Any]
    key: Callable[[Any], object]
    subject: Callable[[Any], object]
    stamps: tuple[str, ...] = ()
    is_list: bool = True


def list_user_entries(aspect: str, user_metadata: Value | None) -> tuple[UserEntry, ...]:
    """Return the user entries for this aspect, from the value of `businessMetadata`."""
    rule = UNION_RULES[aspect]
    descriptors = (
        described
        for described in list_descriptors_of_value(USER_ASPECT, "USER", user_metadata)
        if described.kind == rule.kind and not described.column
    )
    texts = dict.fromkeys(descriptor.urn or descriptor.text for descriptor in descriptors)
    entries = [UserEntry(rule.kind, text, rule.element(text)) for text in texts]
    return tuple({rule.key(entry.element): entry for entry in entries if entry.element is not None}.values())


def merge_user_entries_into_aspect(
    aspect: str, own_value: Value | None, entries: Sequence[UserEntry], stamp: Value = _NOBODY
) -> Value | None:
    """Return the value that clients read; None if neither scope has one. `stamp` is the time and the actor of the
    entries.
    """
    rule = UNION_RULES[aspect]
    elements = _list_stored_elements(rule, own_value)
    subjects = {rule.subject(element) for element in elements}
    more = [entry.element for entry in entries if rule.subject(entry.element) not in subjects]
    if not more:
        return own_value
    initial = dict.fromkeys(rule.stamps, stamp) if own_value is None else own_value
    return {**initial, rule.member: [*elements, *more] if rule.is_list else more[0]}


def extract_part_without_user_entries(
    aspect: str, written: Value, own_value: Value | None, entries: Sequence[UserEntry]
) -> Value | None:
    """Return the part of a written value that belongs to the aspect; None if it is empty and the aspect is absent."""
    rule = UNION_RULES[aspect]
    if not entries:
        return written
    before = {rule.key(element) for element in _list_stored_elements(rule, own_value)}
    foreign = {rule.key(entry.element) for entry in entries} - before
    own_elements = [element for element in _list_stored_elements(rule, written) if rule.key(element) not in foreign]
    if rule.is_list:
        return None if own_value is None and not own_elements else {**written, rule.member: own_elements}
    rest = {member: value for member, value in written.items() if member != rule.member or own_elements}
    return None if own_value is None and not own_elements and not rest.keys() - {*rule.stamps, rule.member} else rest


def find_user_entries_removed_by_patch(
    aspect: str, changes: object, written: Value, entries: Sequence[UserEntry]
) -> list[UserEntry]:
    """Return the user entries that a patch removed one by one; `whole` is the patched union.

    A patch that replaces the whole list removes none of them.
    """
    rule = UNION_RULES[aspect]
    operations = changes.get(patch_forms.PATCH, []) if isinstance(changes, Mapping) else changes
    if not isinstance(operations, list):
        return []
    paths = [
        str(operation.get("path"))
        for operation in operations
        if isinstance(operation, Mapping) and operation.get("op") == "remove"
    ]
    at = f"/{rule.member}"
    removes = any(path.startswith(f"{at}/") if rule.is_list else path == at for path in paths)
    if not removes or (rule.is_list and any(_is_replacement_of_whole_list(operation, at) for operation in operations)):
        return []
    remaining = {rule.key(element) for element in _list_stored_elements(rule, written)}
    return [entry for entry in entries if rule.key(entry.element) not in remaining]


def is_removal_of_single_entries(aspect: str, changes: object) -> bool:
    """Return whether all operations of a patch remove single entries."""
    operations = changes.get(patch_forms.PATCH) if isinstance(changes, Mapping) else changes
    if aspect not in UNION_RULES or not isinstance(operations, list) or not operations:
        return False
    united = UNION_RULES[aspect]
    at = f"/{united.member}/" if united.is_list else f"/{united.member}"
    return all(
        isinstance(operation, Mapping) and operation.get("op") == "remove" and str(operation.get("path")).startswith(at)
        for operation in operations
    )


def remove_user_entries(user_metadata: Value, entries: Iterable[UserEntry]) -> dict[str, Any]:
    """Return a value of `businessMetadata` without these entries."""
    removed = {(entry.kind, entry.text) for entry in entries}
    properties = {
        key: text
        for key, text in user_metadata["properties"].items()
        if (_KIND_OF_PROPERTY.get(key), text) not in removed
    }
    return {
        **user_metadata,
        "properties": properties,
        "tags": [tag for tag in user_metadata["tags"] if ("tag", tag) not in removed],
    }


def _is_replacement_of_whole_list(operation: object, pointer: str) -> bool:
    path = operation.get("path") if isinstance(operation, Mapping) else None
    return path in ("", pointer)


def _list_stored_elements(rule: _UnionRule, value: Value | None) -> list[Any]:
    member = None if value is None else value.get(rule.member)
    if rule.is_list:
        return member if isinstance(member, list) else []
    return [member] if member else []


def _create_text_to_urn_converter(type_: str, *other_types: str) -> Callable[[str], str | None]:
    """Return a function that converts a text to a URN: one of these types unchanged, any other text to the key of the
    first type.
    """

    def make_element(text: str) -> str | None:
        try:
            if text.startswith(PREFIX):
                urn = Urn.parse(text)
                return str(urn) if urn.type in (type_, *other_types) else None
            return str(make_single_key_urn(type_, text))
        except InvalidName:
            return None

    return make_element


def _create_element_builder(
    member: str, reference: Callable[[str], str | None], **members: Any
) -> Callable[[str], Any]:
    def make_element(text: str) -> Any:
        urn = reference(text)
        return None if urn is None else {member: urn, **members}

    return make_element


def _create_urn_key_getter(member: str) -> Callable[[Any], object]:
    def get_key(element: Any) -> object:
        text = element.get(member) if isinstance(element, Mapping) else None
        try:
            return canonicalize_urn(text) if isinstance(text, str) else None
        except InvalidName:
            return text

    return get_key


def _get_owner_key(element: Any) -> object:
    types = (element.get("type"), element.get("typeUrn")) if isinstance(element, Mapping) else ()
    return _create_urn_key_getter("owner")(element), *types


def _get_tag_key(element: Any) -> object:
    return _create_urn_key_getter("tag")(element)


def _get_element_unchanged(element: Any) -> Any:
    return element


#: SYSTEM owners have an ownership type; user metadata names only the owner.
_owner: Final = _create_element_builder(
    "owner", _create_text_to_urn_converter("corpuser", "corpGroup"), type="NONE", source={"type": "MANUAL"}
)
_KIND_OF_PROPERTY: Final[Mapping[str, Kind]] = {"owner": "owner", "description": "description"}
_DESCRIBED: Final = _UnionRule(
    "description",
    "description",
    _get_element_unchanged,
    _get_element_unchanged,
    lambda _: "",
    ("created", "lastModified"),
    is_list=False,
)
#: The aspects that are read as a union.
UNION_RULES: Final[Mapping[str, _UnionRule]] = {
    "globalTags": _UnionRule(
        "tag", "tags", _create_element_builder("tag", _create_text_to_urn_converter("tag")), _get_tag_key, _get_tag_key
    ),
    "glossaryTerms": _UnionRule(
        "term",
        "terms",
        _create_element_builder("urn", _create_text_to_urn_converter("glossaryTerm")),
        _create_urn_key_getter("urn"),
        _create_urn_key_getter("urn"),
        ("auditStamp",),
    ),
    "ownership": _UnionRule(
        "owner", "owners", _owner, _get_owner_key, _create_urn_key_getter("owner"), ("lastModified",)
    ),
    **{
        name: _DESCRIBED
        for name, contributions in CONTRIBUTIONS.items()
        if name.startswith("editable")
        and any(contribution.kind == "description" and not contribution.columns for contribution in contributions)
    },
}
