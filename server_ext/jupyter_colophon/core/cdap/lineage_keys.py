"""Format and parse the keys of lineage answers, such as `dataset.sales.orders` (spec ID-18).

In every segment but the last, `.` and `%` are percent-encoded, so a key is split from the left.
"""

from typing import Final

from jupyter_colophon.core.cdap.names import WORDS, make_v3_path, parse_v3_path
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity import names
from jupyter_colophon.core.identity.names import IdentityRules, Urn
from jupyter_colophon.core.identity.urn import PREFIX, decode_urn_text

#: Program types are singular in keys, and plural in the format of CDAP 5 (spec ID-18).
_SINGULAR: Final = {
    "flows": "flow",
    "workflows": "workflow",
    "services": "service",
    "workers": "worker",
    "notebooks": "notebook",
    "cells": "cell",
    "jobs": "job",
}
_TYPES: Final = {spelt: type_ for type_ in names.PROGRAM_TYPES for spelt in (type_, _SINGULAR.get(type_, type_))}
_EXTERNAL_KEYS: Final = ("namespace", "external")
_SHORT: Final = {WORDS[key]: key for key in ("dataset", "stream", "application")}


def format_lineage_key(urn: Urn, identity: IdentityRules, namespace: str | None = None, plural: bool = False) -> str:
    """Return the key of an entity; `namespace` is the stored namespace of an external entity.

    Datasets, streams, applications, programs and external sources have keys; the key of any other entity is its URN.
    With `plural`, program types are plural, as in CDAP 5.
    """
    if urn.type == "custom" and tuple(key for key, _ in names.get_custom_key_pairs(urn)) == _EXTERNAL_KEYS:
        (_, space), (_, source) = names.get_custom_key_pairs(urn)
        return f"external.{_encode_key_segment(space)}.-.{source}"
    if urn.type not in ("dataset", "dataFlow", "dataJob"):
        return str(urn)
    _, space, word, *rest = make_v3_path(urn, identity, namespace).segments
    if urn.type != "dataJob":
        return f"{_SHORT[word]}.{_encode_key_segment(space)}.{rest[0]}"
    application, type_, id_ = rest
    return f"{type_ if plural else _SINGULAR.get(type_, type_)}.{_encode_key_segment(space)}.{_encode_key_segment(application)}.{id_}"


def parse_lineage_key(key: str, identity: IdentityRules) -> Urn:
    """Parse a key in either format. Raises InvalidName."""
    if key.startswith(PREFIX):
        return Urn.parse(key)
    kind, _, rest = key.partition(".")
    space, _, name = rest.partition(".")
    if kind in WORDS and WORDS[kind] in _SHORT:
        return parse_v3_path(("namespaces", decode_urn_text(space), WORDS[kind], name), identity)
    application, dot, id_ = name.partition(".")
    if not dot:
        raise InvalidName("lineage key", key, "expected a key such as dataset.<namespace>.<name>")
    if kind == "external" and application == "-":
        return names.make_custom_urn("external", [("namespace", decode_urn_text(space)), ("external", id_)])
    if kind not in _TYPES:
        raise InvalidName("lineage key", key, f"unknown kind {kind}")
    return parse_v3_path(
        ("namespaces", decode_urn_text(space), "apps", decode_urn_text(application), _TYPES[kind], id_), identity
    )


def _encode_key_segment(segment: str) -> str:
    return segment.replace("%", "%25").replace(".", "%2E")
