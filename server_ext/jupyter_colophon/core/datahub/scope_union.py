"""Merge user metadata into aspects that DataHub's clients read as the union of two scopes.

`globalTags`, `glossaryTerms` and `ownership` are SYSTEM metadata. Tags, an owner and a description of users are in
`businessMetadata`. A client reads both in one list and writes the list back, and the written value is split again
(docs/decisions/0020-datahub-reads-the-union-of-both-scopes.md):

* `merge_entries` returns the value that clients read;
* `extract_own_part` returns the part of a written value that belongs to the aspect itself: user entries are not copied
  into it;
* `find_removed_entries` returns the user entries that a patch removes one by one; a list that lacks them removes none.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.core.datahub import patch_forms
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.urn import PREFIX, Urn, canonicalize_urn, make_simple_urn
from jupyter_colophon.core.model.vocabulary import CONTRIBUTIONS, Kind, describe

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


def list_user_entries(name: str, people: Value | None) -> tuple[UserEntry, ...]:
    """Return the user entries for this aspect, from the value of `businessMetadata`."""
    rule = UNION_RULES[name]
    descriptors = (
        described
        for described in describe(USER_ASPECT, "USER", people)
        if described.kind == rule.kind and not described.column
    )
    texts = dict.fromkeys(descriptor.urn or descriptor.text for descriptor in descriptors)
    entries = [UserEntry(rule.kind, text, rule.element(text)) for text in texts]
    return tuple({rule.key(entry.element): entry for entry in entries if entry.element is not None}.values())


def merge_entries(name: str, own: Value | None, entries: Sequence[UserEntry], stamp: Value = _NOBODY) -> Value | None:
    """Return the value that clients read; None if neither scope has one. `stamp` is the time and the actor of the
    entries.
    """
    rule = UNION_RULES[name]
    elements = _list_elements(rule, own)
    subjects = {rule.subject(element) for element in elements}
    more = [entry.element for entry in entries if rule.subject(entry.element) not in subjects]
    if not more:
        return own
    initial = dict.fromkeys(rule.stamps, stamp) if own is None else own
    return {**initial, rule.member: [*elements, *more] if rule.is_list else more[0]}


def extract_own_part(name: str, written: Value, own: Value | None, entries: Sequence[UserEntry]) -> Value | None:
    """Return the part of a written value that belongs to the aspect; None if it is empty and the aspect is absent."""
    rule = UNION_RULES[name]
    if not entries:
        return written
    before = {rule.key(element) for element in _list_elements(rule, own)}
    foreign = {rule.key(entry.element) for entry in entries} - before
    own_elements = [element for element in _list_elements(rule, written) if rule.key(element) not in foreign]
    if rule.is_list:
        return None if own is None and not own_elements else {**written, rule.member: own_elements}
    rest = {member: value for member, value in written.items() if member != rule.member or own_elements}
    return None if own is None and not own_elements and not rest.keys() - {*rule.stamps, rule.member} else rest


def find_removed_entries(name: str, changes: object, written: Value, entries: Sequence[UserEntry]) -> list[UserEntry]:
    """Return the user entries that a patch removed one by one; `whole` is the patched union.

    A patch that replaces the whole list removes none of them.
    """
    rule = UNION_RULES[name]
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
    if not removes or (rule.is_list and any(_is_whole(operation, at) for operation in operations)):
        return []
    remaining = {rule.key(element) for element in _list_elements(rule, written)}
    return [entry for entry in entries if rule.key(entry.element) not in remaining]


def is_removal(name: str, changes: object) -> bool:
    """Return whether all operations of a patch remove single entries."""
    operations = changes.get(patch_forms.PATCH) if isinstance(changes, Mapping) else changes
    if name not in UNION_RULES or not isinstance(operations, list) or not operations:
        return False
    united = UNION_RULES[name]
    at = f"/{united.member}/" if united.is_list else f"/{united.member}"
    return all(
        isinstance(operation, Mapping) and operation.get("op") == "remove" and str(operation.get("path")).startswith(at)
        for operation in operations
    )


def remove_entries(people: Value, entries: Iterable[UserEntry]) -> dict[str, Any]:
    """Return a value of `businessMetadata` without these entries."""
    removed = {(entry.kind, entry.text) for entry in entries}
    properties = {
        key: text for key, text in people["properties"].items() if (_KIND_OF_PROPERTY.get(key), text) not in removed
    }
    return {**people, "properties": properties, "tags": [tag for tag in people["tags"] if ("tag", tag) not in removed]}


def _is_whole(operation: object, at: str) -> bool:
    path = operation.get("path") if isinstance(operation, Mapping) else None
    return path in ("", at)


def _list_elements(rule: _UnionRule, value: Value | None) -> list[Any]:
    member = None if value is None else value.get(rule.member)
    if rule.is_list:
        return member if isinstance(member, list) else []
    return [member] if member else []


def _reference(type_: str, *others: str) -> Callable[[str], str | None]:
    """Return a function that converts a text to a URN: one of these types unchanged, any other text to the key of the
    first type.
    """

    def make_element(text: str) -> str | None:
        try:
            if text.startswith(PREFIX):
                urn = Urn.parse(text)
                return str(urn) if urn.type in (type_, *others) else None
            return str(make_simple_urn(type_, text))
        except InvalidName:
            return None

    return make_element


def _in(member: str, reference: Callable[[str], str | None], **more: Any) -> Callable[[str], Any]:
    def make_element(text: str) -> Any:
        urn = reference(text)
        return None if urn is None else {member: urn, **more}

    return make_element


def _make_urn_key(member: str) -> Callable[[Any], object]:
    def get_key(element: Any) -> object:
        text = element.get(member) if isinstance(element, Mapping) else None
        try:
            return canonicalize_urn(text) if isinstance(text, str) else None
        except InvalidName:
            return text

    return get_key


def _get_owner_key(element: Any) -> object:
    types = (element.get("type"), element.get("typeUrn")) if isinstance(element, Mapping) else ()
    return _make_urn_key("owner")(element), *types


def _tag_key(element: Any) -> object:
    return _make_urn_key("tag")(element)


def _return_element(element: Any) -> Any:
    return element


#: SYSTEM owners have an ownership type; user metadata names only the owner.
_owner: Final = _in("owner", _reference("corpuser", "corpGroup"), type="NONE", source={"type": "MANUAL"})
_KIND_OF_PROPERTY: Final[Mapping[str, Kind]] = {"owner": "owner", "description": "description"}
_DESCRIBED: Final = _UnionRule(
    "description",
    "description",
    _return_element,
    _return_element,
    lambda _: "",
    ("created", "lastModified"),
    is_list=False,
)
#: The aspects that are read as a union.
UNION_RULES: Final[Mapping[str, _UnionRule]] = {
    "globalTags": _UnionRule("tag", "tags", _in("tag", _reference("tag")), _tag_key, _tag_key),
    "glossaryTerms": _UnionRule(
        "term",
        "terms",
        _in("urn", _reference("glossaryTerm")),
        _make_urn_key("urn"),
        _make_urn_key("urn"),
        ("auditStamp",),
    ),
    "ownership": _UnionRule("owner", "owners", _owner, _get_owner_key, _make_urn_key("owner"), ("lastModified",)),
    **{
        name: _DESCRIBED
        for name, contributions in CONTRIBUTIONS.items()
        if name.startswith("editable")
        and any(contribution.kind == "description" and not contribution.columns for contribution in contributions)
    },
}
