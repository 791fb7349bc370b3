"""DataHub's form of a patch: `{"patch": [...], "arrayPrimaryKeys": {field: [keys]}, "forceGenericPatch": bool}`.

Arrays are patched as maps by the keys of their elements (core/datahub/keyed_arrays.py): those that the patch names, or, where it
names none, those of the aspect's template. Parents that are missing are made, so that two writers need not know of each
other; the budgets are those of every other patch.
"""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Final

from jupyter_colophon.core.datahub.keyed_arrays import KeyedArray
from jupyter_colophon.core.datahub.patch_templates import TEMPLATES, Form, Template
from jupyter_colophon.core.documents.json_values import copied
from jupyter_colophon.core.documents.patch import OPERATIONS_MAX, apply_json_patch
from jupyter_colophon.core.errors import PatchFailed, TooLarge

PATCH, KEYS, GENERIC = "patch", "arrayPrimaryKeys", "forceGenericPatch"
_MEMBERS: Final = {PATCH, KEYS, GENERIC}
#: Clients send an operation for each field of a dataset. Each of these takes what it weighs itself, and no more.
_PLAIN, _PLAIN_MAX = frozenset({"add", "remove"}), 2_000
_FIELDS_MAX, _KEYS_MAX = 100, 8


def is_form(changes: object) -> bool:
    """Whether a patch is in this form: no aspect has members of these names alone."""
    return isinstance(changes, Mapping) and isinstance(changes.get(PATCH), list) and changes.keys() <= _MEMBERS


def wrapped(changes: Any) -> Any:
    """What DataHub's clients send as a patch, in this form: a list alone leaves the keys to the aspect's template."""
    return {PATCH: changes} if isinstance(changes, list) else changes


def beginning(aspect: str) -> dict[str, Any]:
    """What a patch of an absent aspect starts from."""
    return deepcopy(dict(TEMPLATES.get(aspect, Template()).empty))


def apply(aspect: str, value: Any, changes: Mapping[str, Any]) -> Any:
    """The value after such a patch. Raises PatchFailed, with a pointer into the form, and TooLarge."""
    operations, forms = changes[PATCH], _forms(aspect, changes)
    document = copied(value)
    for form in forms:
        form.to_maps(document)
    try:
        document = apply_json_patch(document, operations, operations_max=_allowed(operations), making_parents=True)
    except PatchFailed as failed:
        raise PatchFailed(failed.reason, f"/{PATCH}{failed.pointer}") from None
    for form in reversed(forms):
        form.to_arrays(document)
    return document


def _allowed(operations: list[Any]) -> int:
    plain = all(isinstance(one, Mapping) and one.get("op") in _PLAIN for one in operations[: _PLAIN_MAX + 1])
    return _PLAIN_MAX if plain else OPERATIONS_MAX


def _forms(aspect: str, changes: Mapping[str, Any]) -> tuple[Form, ...]:
    by_field, generic = changes.get(KEYS), changes.get(GENERIC)
    if generic not in (None, True, False):
        raise PatchFailed(f"{GENERIC} is true or false", f"/{GENERIC}")
    if by_field is not None and not isinstance(by_field, Mapping):
        raise PatchFailed(f"{KEYS} is an object of lists of keys", f"/{KEYS}")
    if not by_field and not generic:
        return TEMPLATES.get(aspect, Template()).forms
    return tuple(_keyed(field, keys) for field, keys in _bounded(by_field or {}).items())


def _bounded(by_field: Mapping[str, Any]) -> Mapping[str, Any]:
    if len(by_field) > _FIELDS_MAX:
        raise TooLarge(f"a patch names the keys of at most {_FIELDS_MAX} fields")
    return by_field


def _keyed(field: str, keys: Any) -> KeyedArray:
    if not isinstance(keys, list) or not all(isinstance(one, str) and one for one in keys):
        raise PatchFailed("the keys of a field are a list of texts", f"/{KEYS}")
    if len(keys) > _KEYS_MAX:
        raise TooLarge(f"a patch names at most {_KEYS_MAX} keys of a field")
    return KeyedArray.of(field, keys)
