"""Apply patches in DataHub's format: `{"patch": [...], "arrayPrimaryKeys": {field: [keys]}, "forceGenericPatch":
bool}`.

Arrays are patched as maps by the keys of their elements (core/datahub/keyed_arrays.py): those in the patch, or else
those of the aspect's template. Missing parents are created, so that two writers need not know of each other. The
budgets are those of all patches.
"""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Final

from jupyter_colophon.core.datahub.keyed_arrays import KeyedArray
from jupyter_colophon.core.datahub.patch_templates import TEMPLATES, AspectPatchTemplate, PatchForm
from jupyter_colophon.core.documents.json_values import copy_json_deeply
from jupyter_colophon.core.documents.patch import OPERATIONS_MAX, apply_json_patch
from jupyter_colophon.core.errors import PatchFailed, TooLarge

PATCH, KEYS, GENERIC = "patch", "arrayPrimaryKeys", "forceGenericPatch"
_MEMBERS: Final = {PATCH, KEYS, GENERIC}
#: Clients send an operation for each field of a dataset, and each of these counts with its own size only.
_PLAIN, _PLAIN_MAX = ("add", "remove"), 2_000
_FIELDS_MAX, _KEYS_MAX = 100, 8


def is_datahub_patch(changes: object) -> bool:
    """Return whether a patch has this format: no aspect has only members of these names."""
    return isinstance(changes, Mapping) and isinstance(changes.get(PATCH), list) and changes.keys() <= _MEMBERS


def normalize_patch_to_object(changes: Any) -> Any:
    """Return a patch of DataHub's clients in this format: a bare list uses the keys of the aspect's template."""
    return {PATCH: changes} if isinstance(changes, list) else changes


def get_initial_aspect_value(aspect: str) -> dict[str, Any]:
    """Return the value to which a patch of an absent aspect is applied."""
    return deepcopy(dict(TEMPLATES.get(aspect, AspectPatchTemplate()).empty))


def apply_datahub_patch(aspect: str, value: Any, changes: Mapping[str, Any]) -> Any:
    """Apply a patch to a value. Raises PatchFailed, with a pointer into the patch, and TooLarge."""
    operations, forms = changes[PATCH], _select_patch_forms(aspect, changes)
    document = copy_json_deeply(value)
    for form in forms:
        form.replace_arrays_by_maps(document)
    try:
        document = apply_json_patch(
            document, operations, operations_max=_count_copied_operations(operations), create_parents=True
        )
    except PatchFailed as failed:
        raise PatchFailed(failed.reason, f"/{PATCH}{failed.pointer}") from None
    for form in reversed(forms):
        form.replace_maps_by_arrays(document)
    return document


def _count_copied_operations(operations: list[Any]) -> int:
    plain = all(
        isinstance(operation, Mapping) and operation.get("op") in _PLAIN for operation in operations[: _PLAIN_MAX + 1]
    )
    return _PLAIN_MAX if plain else OPERATIONS_MAX


def _select_patch_forms(aspect: str, changes: Mapping[str, Any]) -> tuple[PatchForm, ...]:
    by_field, generic = changes.get(KEYS), changes.get(GENERIC)
    if generic not in (None, True, False):
        raise PatchFailed(f"{GENERIC} must be true or false", f"/{GENERIC}")
    if by_field is not None and not isinstance(by_field, Mapping):
        raise PatchFailed(f"{KEYS} must be an object of lists of keys", f"/{KEYS}")
    if not by_field and not generic:
        return TEMPLATES.get(aspect, AspectPatchTemplate()).forms
    return tuple(_make_keyed_array(field, keys) for field, keys in _require_few_array_keys(by_field or {}).items())


def _require_few_array_keys(by_field: Mapping[str, Any]) -> Mapping[str, Any]:
    if len(by_field) > _FIELDS_MAX:
        raise TooLarge(f"a patch may name the keys of at most {_FIELDS_MAX} fields")
    return by_field


def _make_keyed_array(field: str, keys: Any) -> KeyedArray:
    if not isinstance(keys, list) or not all(isinstance(key, str) and key for key in keys):
        raise PatchFailed("the keys of a field must be a list of strings", f"/{KEYS}")
    if len(keys) > _KEYS_MAX:
        raise TooLarge(f"a patch may name at most {_KEYS_MAX} keys of a field")
    return KeyedArray.from_keys(field, keys)
