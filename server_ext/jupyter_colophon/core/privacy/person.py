"""Find the names of a person in stored rows, and replace them by a pseudonym.

A name is replaced where it identifies the person: in fields and members that hold a user, in the URN of the user, and
in the namespace of the user's notebooks. The same word elsewhere, in a description or as the name of a table, stays.
"""

import json
import re
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from zlib import compress, decompress

from jupyter_colophon.core.documents.json_parsing import encode_canonical_json, parse_stored_json
from jupyter_colophon.core.documents.pointer import format_pointer
from jupyter_colophon.core.identity.urn import PREFIX, encode_urn_text
from jupyter_colophon.core.identity.user_namespace import make_user_namespace

#: The entity type of a user, and the aspects that a pseudonym keeps; other aspects describe the person.
USER_TYPE: Final = "corpuser"
KEPT_USER_ASPECTS: Final = frozenset({"corpUserKey", "status"})
PSEUDONYM_PREFIX: Final = "erased-"
#: The display name of a pseudonym.
PSEUDONYM_TITLE: Final = "Erased person"
_PSEUDONYM_BYTES: Final = 6
#: The fields of tables that hold the name of a user.
PERSON_FIELDS: Final = frozenset({"actor", "created_by", "updated_by", "requested_by"})
#: A field with a principal: a list that begins with the name.
_PRINCIPAL_FIELD: Final = "principal"
#: A field with compressed JSON.
_COMPRESSED_FIELD: Final = "result"
#: The members of documents whose texts are names of users.
_PERSON_MEMBERS: Final = frozenset(
    {
        "actor",
        "assignees",
        "author",
        "by",
        "certifiedBy",
        "created-by",
        "createdBy",
        "created_by",
        "creator",
        "last-updated-by",
        "lastModifiedBy",
        "members",
        "modifiedBy",
        "owner",
        "owners",
        "requestedBy",
        "requested_by",
        "steward",
        "stewards",
        "to",
        "updatedBy",
        "updated_by",
        "user",
        "userName",
        "user_name",
        "username",
    }
)
#: The members of an object that describes a user.
_NAME_MEMBERS: Final = frozenset({"id", "key", "name"})
#: A character that continues a name: what follows the URN of a user must not be one.
_CONTINUED: Final = r"(?![\w@%+\-]|[.'~!$&*=:/]\w)"


def generate_pseudonym() -> str:
    """Return a new pseudonym. It is random, so that nothing leads from it to the person."""
    return f"{PSEUDONYM_PREFIX}{secrets.token_hex(_PSEUDONYM_BYTES)}"


def make_user_urn_text(user: str) -> str:
    """Return the text of a user's URN."""
    return f"{PREFIX}{USER_TYPE}:{encode_urn_text(user)}"


@dataclass(frozen=True, slots=True)
class PersonMention:
    """A value that names the person: its JSON pointer, empty if it is the whole field, and the value."""

    field: str
    pointer: str
    value: str


@dataclass(frozen=True, slots=True)
class PersonNames:
    """The names of a person in stored rows, and the pseudonym that replaces them."""

    person: str
    pseudonym: str
    _needles: tuple[str, ...] = field(init=False, repr=False, compare=False)
    _patterns: tuple[tuple[re.Pattern[str], str], ...] = field(init=False, repr=False, compare=False)
    _exact: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Compile what is searched."""
        escaped = json.dumps(self.person, ensure_ascii=False)[1:-1]
        encoded, namespace = encode_urn_text(self.person), make_user_namespace(self.person)
        urns = {f"{PREFIX}{USER_TYPE}:{name}" for name in (self.person, escaped, encoded)}
        patterns = [
            (re.compile(re.escape(urn) + _CONTINUED), make_user_urn_text(self.pseudonym))
            for urn in sorted(urns, key=len, reverse=True)
        ]
        patterns.append(
            (re.compile(rf"(?<![A-Za-z0-9_]){namespace}(?![A-Za-z0-9_])"), make_user_namespace(self.pseudonym))
        )
        object.__setattr__(self, "_needles", tuple({self.person, escaped, encoded, namespace}))
        object.__setattr__(self, "_patterns", tuple(patterns))
        object.__setattr__(self, "_exact", frozenset({f"user:{self.person}"}))

    @property
    def urn(self) -> str:
        """The URN of the person."""
        return make_user_urn_text(self.person)

    @property
    def pseudonym_urn(self) -> str:
        """The URN of the pseudonym."""
        return make_user_urn_text(self.pseudonym)

    def replace_in_row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """Return a row without the names of the person; an equal one if it has none."""
        replaced = {name: self._replace_in_field(name, value) for name, value in row.items()}
        if row.get("urn") == self.urn and row.get("name") == self.person:
            replaced["name"] = self.pseudonym
        return replaced

    def replace_in_text(self, text: str) -> str:
        """Return a text or a JSON document without the names of the person."""
        if not any(needle in text for needle in self._needles):
            return text
        for pattern, replacement in self._patterns:
            text = pattern.sub(replacement, text)
        if (document := _parse_document(text)) is None:
            return text
        replaced = self._replace_in_document(document, is_person=False)
        return text if replaced == document else encode_canonical_json(replaced)

    def list_mentions(self, row: Mapping[str, Any]) -> Iterator[PersonMention]:
        """Yield what names the person in a row."""
        for name, value in row.items():
            replaced = self._replace_in_field(name, value)
            if replaced == value:
                continue
            if isinstance(value, bytes):
                value, replaced = (decompress(part).decode() for part in (value, replaced))
            before, after = _parse_document(value), _parse_document(replaced)
            if before is None:
                yield PersonMention(name, "", value)
            else:
                yield from _iterate_differences(name, (), before, after)

    def _replace_in_field(self, name: str, value: Any) -> Any:
        if isinstance(value, bytes) and name == _COMPRESSED_FIELD:
            text = decompress(value).decode()
            replaced = self.replace_in_text(text)
            return value if replaced == text else compress(replaced.encode(), level=1)
        if not isinstance(value, str):
            return value
        if value == self.person:
            return self.pseudonym if name in PERSON_FIELDS else value
        if name == _PRINCIPAL_FIELD and value[:1] == "[":
            return self._replace_in_principal(value)
        return self.replace_in_text(value)

    def _replace_in_principal(self, text: str) -> str:
        user, *rest = parse_stored_json(text)
        return encode_canonical_json([self.pseudonym, *rest]) if user == self.person else text

    def _replace_in_document(self, value: Any, *, is_person: bool) -> Any:
        if isinstance(value, str):
            if value in self._exact:
                return f"user:{self.pseudonym}"
            return self.pseudonym if is_person and value == self.person else value
        if isinstance(value, list):
            return [self._replace_in_document(member, is_person=is_person) for member in value]
        if isinstance(value, dict):
            return {
                name: self._replace_in_document(
                    member, is_person=name in _PERSON_MEMBERS or (is_person and name in _NAME_MEMBERS)
                )
                for name, member in value.items()
            }
        return value


def _parse_document(text: str) -> Any | None:
    """Parse an object or a list; None for any other text."""
    if text[:1] not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


def _iterate_differences(name: str, words: tuple[str, ...], before: Any, after: Any) -> Iterator[PersonMention]:
    """Yield the texts that differ in two documents; a member whose name has the person is one mention."""
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        for member in before:
            yield from _iterate_differences(name, (*words, member), before[member], after[member])
    elif isinstance(before, list) and isinstance(after, list):
        for at, (old, new) in enumerate(zip(before, after, strict=True)):
            yield from _iterate_differences(name, (*words, str(at)), old, new)
    elif before != after:
        text = before if isinstance(before, str) else encode_canonical_json(before)
        yield PersonMention(name, format_pointer(words), text)
