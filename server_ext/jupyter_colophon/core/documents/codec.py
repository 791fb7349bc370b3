"""Convert dataclasses to JSON and back: documents of the API, and the stored form.

Documents have camelCase members and ISO 8601 times; the store has field names and ms since 1970. Exceptions are
declared in a field's annotation (`members`). Documents must be validated before they are read: unknown members are
ignored, and values of JSON types are not checked. cattrs is imported with the first conversion.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from jupyter_colophon.core.documents.members import Member, TimeMarker
from jupyter_colophon.core.identity.urn import Urn
from jupyter_colophon.core.model.system_metadata import SystemMetadata
from jupyter_colophon.core.time_format import format_ms_as_iso_time, parse_iso_time_to_ms

if TYPE_CHECKING:
    from cattrs import Converter

T = TypeVar("T")
_SCALARS = (str, int, float, bool, NoneType, Any)


def to_api_document(value: Any) -> dict[str, Any]:
    """Return a dataclass as a document of the API."""
    document: dict[str, Any] = _get_api_converter().unstructure(value)
    return document


def to_api_documents(values: Iterable[Any]) -> list[dict[str, Any]]:
    """Return dataclasses as documents of the API."""
    items = list(values)
    if not items:
        # Without the time to import the converter.
        return []
    # Looking up the hook of a type takes longer than calling it.
    converter = _get_api_converter()
    hooks = {kind: converter.get_unstructure_hook(kind) for kind in {type(item) for item in items}}
    return [hooks[type(item)](item) for item in items]


def from_api_document(document: Mapping[str, Any], kind: type[T]) -> T:
    """Return a document of the API as a dataclass. Raises InvalidName, InvalidQuery, InvalidInstance."""
    return _get_api_converter().structure(document, kind)


def to_stored_form(value: Any) -> Any:
    """Return a dataclass in its stored form."""
    return _get_stored_converter().unstructure(value)


def from_stored_form(document: Any, kind: type[T]) -> T:
    """Return the dataclass of a stored form; fields that an earlier release did not have get their defaults."""
    return _get_stored_converter().structure(document, kind)


@cache
def _get_api_converter() -> "Converter":
    converter = _create_converter(lambda field, member: member.name or _to_camel_case(field))
    converter.register_unstructure_hook_func(_is_time_type, format_ms_as_iso_time)
    converter.register_structure_hook_func(_is_time_type, lambda text, _: parse_iso_time_to_ms(text))
    return converter


@cache
def _get_stored_converter() -> "Converter":
    return _create_converter(lambda field, member: field)


def _create_converter(get_member_name: Callable[[str, Member], str]) -> "Converter":
    from cattrs import Converter
    from cattrs.fns import identity
    from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

    converter = Converter(detailed_validation=False, unstruct_collection_overrides={tuple: list})

    def build_overrides(kind: type) -> dict[str, Any]:
        return {
            field: override(
                rename=get_member_name(field, member),
                omit=member.hidden or None,
                omit_if_default=member.omit_default,
            )
            for field, member in _list_fields_with_declarations(kind)
        }

    def make_unstructure_hook(kind: type) -> Callable[[Any], Any]:
        return make_dict_unstructure_fn(kind, converter, **build_overrides(kind))

    def make_structure_hook(kind: type[T]) -> Callable[[Any, Any], T]:
        return make_dict_structure_fn(kind, converter, **build_overrides(kind))

    converter.register_unstructure_hook_factory(is_dataclass, make_unstructure_hook)
    converter.register_structure_hook_factory(is_dataclass, make_structure_hook)
    converter.register_unstructure_hook_func(_is_json_type, identity)
    converter.register_unstructure_hook_func(_is_json_object_type, dict)
    converter.register_unstructure_hook_func(_is_json_array_type, list)
    converter.register_structure_hook_func(_is_json_array_type, lambda value, _: tuple(value))
    converter.register_structure_hook_func(_is_json_type, lambda value, _: value)
    converter.register_structure_hook_func(_is_json_object_type, lambda value, _: value)
    converter.register_unstructure_hook(Urn, str)
    converter.register_structure_hook(Urn, lambda text, _: Urn.parse(text))
    converter.register_unstructure_hook(SystemMetadata, lambda value: value.document)
    converter.register_structure_hook(SystemMetadata, lambda value, _: SystemMetadata.from_document(value))
    return converter


def _list_fields_with_declarations(kind: type) -> list[tuple[str, Member]]:
    """Return the fields of a dataclass, each with its declaration."""
    hints = get_type_hints(kind, include_extras=True)
    marks = {
        name: next((item for item in getattr(hint, "__metadata__", ()) if isinstance(item, Member)), Member())
        for name, hint in hints.items()
    }
    return [(item.name, marks[item.name]) for item in fields(kind)]


def _to_camel_case(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def _is_time_type(hint: Any) -> bool:
    return get_origin(hint) is Annotated and TimeMarker in hint.__metadata__


def _is_json_type(hint: Any) -> bool:
    """Return whether values of a type are JSON without conversion."""
    if get_origin(hint) is Annotated:
        return not _is_time_type(hint) and _is_json_type(hint.__origin__)
    if get_origin(hint) in (Union, UnionType):
        return all(_is_json_type(item) for item in get_args(hint))
    return hint in _SCALARS or get_origin(hint) is Literal


def _is_json_object_type(hint: Any) -> bool:
    return get_origin(hint) is Mapping and all(map(_is_json_type, get_args(hint)))


def _is_json_array_type(hint: Any) -> bool:
    return get_origin(hint) is tuple and all(item is Ellipsis or _is_json_type(item) for item in get_args(hint))
