"""The keys of lineage answers, such as `dataset.sales.orders` (spec ID-18).

Every segment but the last has `.` and `%` percent-encoded, so a key is split from the left.
"""

from typing import Final

from jupyter_colophon.core.cdap.names import WORDS, from_v3, v3_path
from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity import names
from jupyter_colophon.core.identity.names import Identity, Urn
from jupyter_colophon.core.identity.urn import PREFIX, decoded

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


def lineage_key(urn: Urn, identity: Identity, namespace: str | None = None, plural: bool = False) -> str:
    """The key of an entity; `namespace` is the stored one of a foreign entity, `plural` is CDAP's spelling.

    Datasets, streams, applications, programs and external sources have keys; the key of anything else is its URN.
    """
    if urn.type == "custom" and tuple(key for key, _ in names.pairs_of(urn)) == _EXTERNAL_KEYS:
        (_, space), (_, source) = names.pairs_of(urn)
        return f"external.{_encoded(space)}.-.{source}"
    if urn.type not in ("dataset", "dataFlow", "dataJob"):
        return str(urn)
    _, space, word, *rest = v3_path(urn, identity, namespace).segments
    if urn.type != "dataJob":
        return f"{_SHORT[word]}.{_encoded(space)}.{rest[0]}"
    application, type_, id_ = rest
    return f"{type_ if plural else _SINGULAR.get(type_, type_)}.{_encoded(space)}.{_encoded(application)}.{id_}"


def from_lineage_key(key: str, identity: Identity) -> Urn:
    """The entity of a key in either spelling. Raises `InvalidName` where it is none."""
    if key.startswith(PREFIX):
        return Urn.parse(key)
    kind, _, rest = key.partition(".")
    space, _, name = rest.partition(".")
    if kind in WORDS and WORDS[kind] in _SHORT:
        return from_v3(("namespaces", decoded(space), WORDS[kind], name), identity)
    application, dot, id_ = name.partition(".")
    if not dot:
        raise InvalidName("lineage key", key, "it is such as dataset.<namespace>.<name>")
    if kind == "external" and application == "-":
        return names.custom("external", [("namespace", decoded(space)), ("external", id_)])
    if kind not in _TYPES:
        raise InvalidName("lineage key", key, f"{kind} is neither a kind of data nor a type of program")
    return from_v3(("namespaces", decoded(space), "apps", decoded(application), _TYPES[kind], id_), identity)


def _encoded(segment: str) -> str:
    return segment.replace("%", "%25").replace(".", "%2E")
