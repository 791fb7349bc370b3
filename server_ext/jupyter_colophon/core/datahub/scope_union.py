"""Aspects that DataHub's clients read as the union of two scopes: what machines say, and what people say of the same.

Machines write `globalTags`, `glossaryTerms` and `ownership`. People write tags, an owner and a description in
`businessMetadata`. A client reads both in one list, and writes the list back. What it writes is divided again
(docs/decisions/0020-datahub-reads-the-union-of-both-scopes.md):

* `unite` returns what is read;
* `own_part` returns what of a value belongs to the aspect itself: an entry of people is not copied into it;
* `removed_entries` returns the entries of people that a patch removes one by one; a list that lacks them removes none.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from jupyter_colophon.core.datahub import patch_forms
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.urn import PREFIX, Urn, canonical, simple
from jupyter_colophon.core.model.vocabulary import CONTRIBUTIONS, Kind, describe

Value = Mapping[str, Any]
#: Where people's entries are.
PEOPLE: Final = "businessMetadata"
_NOBODY: Final = {"time": 0, "actor": "urn:li:corpuser:unknown"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of people: the text in `businessMetadata`, and the element that DataHub's clients read."""

    kind: Kind
    text: str
    element: Any


@dataclass(frozen=True, slots=True)
class _United:
    """How an aspect holds its entries.

    `member` is the list of elements, or the text of a description. `element` makes one of a text of people, None where
    the text cannot be one. `key` tells two elements apart; an element of the aspect hides one of people with the same
    `subject`. `stamps` are members that the aspect requires, with the time and the actor of a change.
    """

    kind: Kind
    member: str
    element: Callable[[str], Any]
    key: Callable[[Any], object]
    subject: Callable[[Any], object]
    stamps: tuple[str, ...] = ()
    is_list: bool = True


def entries_of(name: str, people: Value | None) -> tuple[Entry, ...]:
    """Return the entries of people for this aspect, from the value of `businessMetadata`."""
    united = UNITED[name]
    found = (one for one in describe(PEOPLE, "USER", people) if one.kind == united.kind and not one.column)
    texts = dict.fromkeys(one.urn or one.text for one in found)
    made = [Entry(united.kind, text, united.element(text)) for text in texts]
    return tuple({united.key(one.element): one for one in made if one.element is not None}.values())


def unite(name: str, own: Value | None, entries: Sequence[Entry], stamp: Value = _NOBODY) -> Value | None:
    """Return what clients read; None where neither says anything. `stamp` is the time and the actor of the entries."""
    united = UNITED[name]
    elements = _elements(united, own)
    subjects = {united.subject(one) for one in elements}
    more = [one.element for one in entries if united.subject(one.element) not in subjects]
    if not more:
        return own
    begun = dict.fromkeys(united.stamps, stamp) if own is None else own
    return {**begun, united.member: [*elements, *more] if united.is_list else more[0]}


def own_part(name: str, whole: Value, own: Value | None, entries: Sequence[Entry]) -> Value | None:
    """Return what of a whole value belongs to the aspect; None where that is nothing and the aspect is absent."""
    united = UNITED[name]
    if not entries:
        return whole
    before = {united.key(one) for one in _elements(united, own)}
    foreign = {united.key(one.element) for one in entries} - before
    kept = [one for one in _elements(united, whole) if united.key(one) not in foreign]
    if united.is_list:
        return None if own is None and not kept else {**whole, united.member: kept}
    rest = {member: value for member, value in whole.items() if member != united.member or kept}
    return None if own is None and not kept and not rest.keys() - {*united.stamps, united.member} else rest


def removed_entries(name: str, changes: object, whole: Value, entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries of people that a patch removed one by one: `whole` is what it made of the union.

    A patch that replaces the whole list is a whole list, and removes none of them.
    """
    united = UNITED[name]
    operations = changes.get(patch_forms.PATCH, []) if isinstance(changes, Mapping) else changes
    if not isinstance(operations, list):
        return []
    paths = [str(one.get("path")) for one in operations if isinstance(one, Mapping) and one.get("op") == "remove"]
    at = f"/{united.member}"
    removes = any(path.startswith(f"{at}/") if united.is_list else path == at for path in paths)
    if not removes or (united.is_list and any(_is_whole(one, at) for one in operations)):
        return []
    left = {united.key(one) for one in _elements(united, whole)}
    return [one for one in entries if united.key(one.element) not in left]


def is_removal(name: str, changes: object) -> bool:
    """Whether a patch does nothing but remove entries, one by one."""
    operations = changes.get(patch_forms.PATCH) if isinstance(changes, Mapping) else changes
    if name not in UNITED or not isinstance(operations, list) or not operations:
        return False
    united = UNITED[name]
    at = f"/{united.member}/" if united.is_list else f"/{united.member}"
    return all(
        isinstance(one, Mapping) and one.get("op") == "remove" and str(one.get("path")).startswith(at)
        for one in operations
    )


def without(people: Value, entries: Iterable[Entry]) -> dict[str, Any]:
    """Return a value of `businessMetadata` without these entries."""
    gone = {(one.kind, one.text) for one in entries}
    properties = {
        key: text for key, text in people["properties"].items() if (_KIND_OF_PROPERTY.get(key), text) not in gone
    }
    return {**people, "properties": properties, "tags": [tag for tag in people["tags"] if ("tag", tag) not in gone]}


def _is_whole(operation: object, at: str) -> bool:
    path = operation.get("path") if isinstance(operation, Mapping) else None
    return path in ("", at)


def _elements(united: _United, value: Value | None) -> list[Any]:
    found = None if value is None else value.get(united.member)
    if united.is_list:
        return found if isinstance(found, list) else []
    return [found] if found else []


def _reference(type_: str, *others: str) -> Callable[[str], str | None]:
    """Return what makes a URN of a text: one of these types as it is, any other text a name of the first type."""

    def made(text: str) -> str | None:
        try:
            if text.startswith(PREFIX):
                urn = Urn.parse(text)
                return str(urn) if urn.type in (type_, *others) else None
            return str(simple(type_, text))
        except InvalidName:
            return None

    return made


def _in(member: str, reference: Callable[[str], str | None], **more: Any) -> Callable[[str], Any]:
    def made(text: str) -> Any:
        urn = reference(text)
        return None if urn is None else {member: urn, **more}

    return made


def _urn_at(member: str) -> Callable[[Any], object]:
    def key(element: Any) -> object:
        text = element.get(member) if isinstance(element, Mapping) else None
        try:
            return canonical(text) if isinstance(text, str) else None
        except InvalidName:
            return text

    return key


def _owner_key(element: Any) -> object:
    types = (element.get("type"), element.get("typeUrn")) if isinstance(element, Mapping) else ()
    return _urn_at("owner")(element), *types


def _tag_key(element: Any) -> object:
    return _urn_at("tag")(element)


def _itself(element: Any) -> Any:
    return element


#: Machines say what kind of owner somebody is; people only who.
_owner: Final = _in("owner", _reference("corpuser", "corpGroup"), type="NONE", source={"type": "MANUAL"})
_KIND_OF_PROPERTY: Final[Mapping[str, Kind]] = {"owner": "owner", "description": "description"}
_DESCRIBED: Final = _United(
    "description", "description", _itself, _itself, lambda _: "", ("created", "lastModified"), is_list=False
)
#: The aspects that are read as a union.
UNITED: Final[Mapping[str, _United]] = {
    "globalTags": _United("tag", "tags", _in("tag", _reference("tag")), _tag_key, _tag_key),
    "glossaryTerms": _United(
        "term", "terms", _in("urn", _reference("glossaryTerm")), _urn_at("urn"), _urn_at("urn"), ("auditStamp",)
    ),
    "ownership": _United("owner", "owners", _owner, _owner_key, _urn_at("owner"), ("lastModified",)),
    **{
        name: _DESCRIBED
        for name, contributions in CONTRIBUTIONS.items()
        if name.startswith("editable") and any(one.kind == "description" and not one.columns for one in contributions)
    },
}
