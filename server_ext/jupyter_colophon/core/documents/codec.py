"""Dataclasses as JSON and back: as documents of the API, and as the store keeps them.

Documents have members in camelCase and times as ISO 8601; the store has the names of the fields and ms since 1970.
What differs for a field is marked in its annotation (`members`). Documents that are read have been validated: members
that no field has are ignored, and a value of a type that JSON has is taken unchanged.

cattrs is imported with the first value that is converted.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from jupyter_colophon.core.documents.members import Member, TimeMark
from jupyter_colophon.core.identity.urn import Urn
from jupyter_colophon.core.model.system_metadata import SystemMetadata
from jupyter_colophon.core.time_format import format_time, parse_instant

if TYPE_CHECKING:
    from cattrs import Converter

T = TypeVar("T")
_SCALARS = (str, int, float, bool, NoneType, Any)


def to_document(value: Any) -> dict[str, Any]:
    """Return a dataclass as a document of the API."""
    document: dict[str, Any] = _api_converter().unstructure(value)
    return document


def to_documents(values: Iterable[Any]) -> list[dict[str, Any]]:
    """Return dataclasses as documents of the API."""
    return [to_document(value) for value in values]


def from_document(document: Mapping[str, Any], kind: type[T]) -> T:
    """Return a document of the API as a dataclass. Raises InvalidName, InvalidQuery, InvalidInstance."""
    return _api_converter().structure(document, kind)


def to_stored(value: Any) -> Any:
    """Return a dataclass as the store keeps it."""
    return _stored_converter().unstructure(value)


def from_stored(document: Any, kind: type[T]) -> T:
    """Return a dataclass that the store kept; fields that an earlier release did not have get their defaults."""
    return _stored_converter().structure(document, kind)


@cache
def _api_converter() -> "Converter":
    converter = _create_converter(lambda field, member: member.name or _camel_case(field))
    converter.register_unstructure_hook_func(_is_time, format_time)
    converter.register_structure_hook_func(_is_time, lambda text, _: parse_instant(text))
    return converter


@cache
def _stored_converter() -> "Converter":
    return _create_converter(lambda field, member: field)


def _create_converter(name_of: Callable[[str, Member], str]) -> "Converter":
    from cattrs import Converter
    from cattrs.fns import identity
    from cattrs.gen import make_dict_structure_fn, make_dict_unstructure_fn, override

    converter = Converter(detailed_validation=False, unstruct_collection_overrides={tuple: list})

    def overrides(kind: type) -> dict[str, Any]:
        return {
            field: override(
                rename=name_of(field, member),
                omit=member.hidden or None,
                omit_if_default=member.omit_default,
            )
            for field, member in _members(kind)
        }

    def unstructure_factory(kind: type) -> Callable[[Any], Any]:
        return make_dict_unstructure_fn(kind, converter, **overrides(kind))

    def structure_factory(kind: type[T]) -> Callable[[Any, Any], T]:
        return make_dict_structure_fn(kind, converter, **overrides(kind))

    converter.register_unstructure_hook_factory(is_dataclass, unstructure_factory)
    converter.register_structure_hook_factory(is_dataclass, structure_factory)
    converter.register_unstructure_hook_func(_is_json, identity)
    converter.register_unstructure_hook_func(_is_json_object, dict)
    converter.register_unstructure_hook_func(_is_json_array, list)
    converter.register_structure_hook_func(_is_json_array, lambda value, _: tuple(value))
    converter.register_structure_hook_func(_is_json, lambda value, _: value)
    converter.register_structure_hook_func(_is_json_object, lambda value, _: value)
    converter.register_unstructure_hook(Urn, str)
    converter.register_structure_hook(Urn, lambda text, _: Urn.parse(text))
    converter.register_unstructure_hook(SystemMetadata, lambda value: value.document)
    converter.register_structure_hook(SystemMetadata, lambda value, _: SystemMetadata.of(value))
    return converter


def _members(kind: type) -> list[tuple[str, Member]]:
    """Return the fields of a dataclass, each with its mark."""
    hints = get_type_hints(kind, include_extras=True)
    marks = {
        name: next((one for one in getattr(hint, "__metadata__", ()) if isinstance(one, Member)), Member())
        for name, hint in hints.items()
    }
    return [(one.name, marks[one.name]) for one in fields(kind)]


def _camel_case(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(map(str.capitalize, others))


def _is_time(hint: Any) -> bool:
    return get_origin(hint) is Annotated and TimeMark in hint.__metadata__


def _is_json(hint: Any) -> bool:
    """Whether values of a type are JSON without conversion."""
    if get_origin(hint) is Annotated:
        return not _is_time(hint) and _is_json(hint.__origin__)
    if get_origin(hint) in (Union, UnionType):
        return all(_is_json(one) for one in get_args(hint))
    return hint in _SCALARS or get_origin(hint) is Literal


def _is_json_object(hint: Any) -> bool:
    return get_origin(hint) is Mapping and all(map(_is_json, get_args(hint)))


def _is_json_array(hint: Any) -> bool:
    return get_origin(hint) is tuple and all(one is Ellipsis or _is_json(one) for one in get_args(hint))
