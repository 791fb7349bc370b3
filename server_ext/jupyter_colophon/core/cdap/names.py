"""Convert between URNs and the entity paths of `/v3` and lineage answers.

Paths are tuples of decoded segments after `/v3`: split a request's path before decoding it. The namespace of an
external entity is stored, so it is not checked here; a wrong one gives 404 (spec ID-14).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity import names
from jupyter_colophon.core.identity.names import PROGRAM_TYPES, IdentityRules, Urn
from jupyter_colophon.core.identity.urn import PREFIX

#: The path segments for the keys of entities; every other key is its own segment.
WORDS: Final = {
    "namespace": "namespaces",
    "dataset": "datasets",
    "stream": "streams",
    "application": "apps",
    "artifact": "artifacts",
    "version": "versions",
    "view": "views",
    "schedule": "schedules",
    "plugin": "plugins",
    "run": "runs",
}
_KEYS: Final = {word: key for key, word in WORDS.items()} | {"app": "application"}
#: Custom types that have exactly these keys (spec CDAP-5).
_SEQUENCES: Final = {
    "artifact": (("namespace", "artifact", "version"),),
    "plugin": (("namespace", "artifact", "version", "type", "plugin"),),
    "schedule": (("namespace", "application", "schedule"), ("namespace", "application", "version", "schedule")),
}
_OF_SEQUENCE: Final = {keys: type_ for type_, sequences in _SEQUENCES.items() for keys in sequences}

Pairs = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class V3Path:
    """A path after `/v3`, and the `?type=` that it needs, None if the path is unambiguous."""

    segments: tuple[str, ...]
    type: str | None = None


def make_v3_path(urn: Urn, identity: IdentityRules, namespace: str | None = None) -> V3Path:
    """Return the path of an entity; `namespace` is the stored namespace of an external entity.

    Raises InvalidName for entities without a path: instances, runs (see `make_v3_run_path`), and other types.
    """
    write = _WRITERS.get(urn.type)
    if write is None:
        raise InvalidName("entity of v3", str(urn), "its type has no path in /v3: use the query parameter entity")
    space = identity.get_namespace(urn) if namespace is None else namespace
    return write(urn, identity, space)


def make_v3_run_path(program: Urn, run_id: str, identity: IdentityRules, namespace: str | None = None) -> V3Path:
    """Return the path of a run, which its URN alone does not determine (spec ID-10)."""
    return V3Path((*make_v3_path(program, identity, namespace).segments, "runs", run_id))


def parse_v3_path(segments: Sequence[str], identity: IdentityRules, type_: str | None = None) -> Urn:
    """Return the entity of a path (and `?type=`). Raises InvalidName."""
    if not segments or len(segments) % 2:
        raise InvalidName("v3 path", "/".join(segments), "expected pairs of a key and a name")
    words = [word.casefold() for word in segments[::2]]
    keys = tuple(_KEYS.get(word, word) for word in words)
    pairs = tuple(zip(keys, segments[1::2], strict=True))
    if keys[0] == "namespace":
        names.make_namespace_urn(pairs[0][1])
    read = _find_urn_parser(keys)
    if read is None or (type_ is not None and type_.casefold() not in _list_possible_entity_types(keys)):
        return _parse_custom_urn(keys, pairs, type_)
    return read(pairs, identity)


def _list_possible_entity_types(keys: tuple[str, ...]) -> set[str]:
    last = keys[-1]
    return {last} | ({"program"} if last in PROGRAM_TYPES else {"program_run"} if last == "run" else set())


def _find_urn_parser(keys: tuple[str, ...]) -> Callable[[Pairs, IdentityRules], Urn] | None:
    """Return the function that reads a built-in entity with these keys, None for other keys."""
    generic = tuple("program" if key in PROGRAM_TYPES else key for key in keys)
    return _READERS.get(generic)


def _parse_custom_urn(keys: tuple[str, ...], pairs: Pairs, type_: str | None) -> Urn:
    default = _OF_SEQUENCE.get(keys, keys[-1])
    if type_ is None and _is_program_path(keys):
        raise InvalidName("program type", keys[2], f"expected one of {' '.join(PROGRAM_TYPES)}; other keys need ?type=")
    urn = names.make_custom_urn(type_ or default, pairs)
    sequences = _SEQUENCES.get(urn.parts[0])
    if sequences is not None and keys not in sequences:
        raise InvalidName("custom entity", str(urn), f"expected the keys {' '.join(sequences[0])}")
    return urn


def _is_program_path(keys: tuple[str, ...]) -> bool:
    return len(keys) == 3 and keys[:2] == ("namespace", "application") and keys[2] not in ("version", "schedule")


def _parse_namespace_urn(pairs: Pairs, _identity: IdentityRules) -> Urn:
    return names.make_namespace_urn(pairs[0][1])


def _parse_dataset_urn(pairs: Pairs, identity: IdentityRules) -> Urn:
    (_, space), (_, name) = pairs[:2]
    return (
        _parse_external_urn(name, "dataset") if name.startswith(PREFIX) else identity.make_home_dataset_urn(space, name)
    )


def _parse_stream_urn(pairs: Pairs, _identity: IdentityRules) -> Urn:
    (_, space), (_, name) = pairs[:2]
    return _parse_external_urn(name, "dataset") if name.startswith(PREFIX) else names.make_stream_urn(space, name)


def _parse_field_urn(pairs: Pairs, identity: IdentityRules) -> Urn:
    read = _parse_stream_urn if pairs[1][0] == "stream" else _parse_dataset_urn
    return names.make_field_urn(read(pairs, identity), pairs[2][1])


def _parse_application_urn(pairs: Pairs, _identity: IdentityRules) -> Urn:
    (_, space), (_, application) = pairs[:2]
    return _make_flow_urn(space, application)


def _parse_program_urn(pairs: Pairs, _identity: IdentityRules) -> Urn:
    (_, space), (_, application), (type_, id_) = pairs[:3]
    return _make_program_or_job_urn(space, application, type_, id_)


def _parse_run_urn(pairs: Pairs, identity: IdentityRules) -> Urn:
    return names.make_run_urn(_parse_program_urn(pairs, identity), pairs[3][1])


_READERS: Final[dict[tuple[str, ...], Callable[[Pairs, IdentityRules], Urn]]] = {
    ("namespace",): _parse_namespace_urn,
    ("namespace", "dataset"): _parse_dataset_urn,
    ("namespace", "stream"): _parse_stream_urn,
    ("namespace", "dataset", "field"): _parse_field_urn,
    ("namespace", "stream", "field"): _parse_field_urn,
    ("namespace", "application"): _parse_application_urn,
    ("namespace", "application", "program"): _parse_program_urn,
    ("namespace", "application", "program", "run"): _parse_run_urn,
}


def _parse_external_urn(text: str, type_: str) -> Urn:
    urn = Urn.parse(text)
    if urn.type != type_:
        raise InvalidName(f"{type_} URN", text, f"it is the URN of a {urn.type}")
    return urn


def _make_flow_urn(space: str, application: str) -> Urn:
    if application.startswith(PREFIX):
        return _parse_external_urn(application, "dataFlow")
    names.require_valid_namespace_name(space)
    names.require_valid_id("application", application)
    return names.make_data_flow_urn(names.APPLICATION_ORCHESTRATOR, application, space)


def _make_program_or_job_urn(space: str, application: str, type_: str, id_: str) -> Urn:
    """Return a program of an application, or, below a flow given as a URN, the job with this whole name (spec ID-17)."""
    if not application.startswith(PREFIX):
        return names.make_program_urn(space, application, type_, id_)
    if type_ != "jobs":
        raise InvalidName("program type", type_, "the type must be jobs if the application is the URN of a flow")
    return names.make_data_job_urn(_parse_external_urn(application, "dataFlow"), id_)


def _make_namespace_path(urn: Urn, _: IdentityRules, __: str) -> V3Path:
    return V3Path(("namespaces", urn.parts[0]))


def _make_dataset_path(urn: Urn, identity: IdentityRules, space: str) -> V3Path:
    if identity.is_stream(urn):
        return V3Path(("namespaces", space, "streams", identity.get_short_name(urn)))
    return V3Path(
        ("namespaces", space, "datasets", identity.get_short_name(urn) if identity.is_home_dataset(urn) else str(urn))
    )


def _make_field_path(urn: Urn, identity: IdentityRules, space: str) -> V3Path:
    dataset = urn.parse_part_as_urn(0)
    if dataset.type != "dataset":
        raise InvalidName("entity of v3", str(urn), "only fields of datasets have a path")
    return V3Path((*_make_dataset_path(dataset, identity, space).segments, "field", urn.parts[1]))


def _make_flow_path(urn: Urn, _: IdentityRules, space: str) -> V3Path:
    return V3Path(("namespaces", space, "apps", _get_application_id_or_flow_urn(urn)))


def _make_job_path(urn: Urn, _: IdentityRules, space: str) -> V3Path:
    application, type_, id_ = _split_job_into_application_type_and_id(urn)
    return V3Path(("namespaces", space, "apps", application, type_, id_))


def _make_custom_path(urn: Urn, identity: IdentityRules, _: str) -> V3Path:
    pairs = names.get_custom_key_pairs(urn)
    segments = tuple(text for key, value in pairs for text in (WORDS.get(key, key), value))
    for type_ in (None, urn.parts[0]):
        if _is_parsed_to_urn(urn, segments, identity, type_):
            return V3Path(segments, type_)
    raise InvalidName(
        "entity of v3",
        str(urn),
        "a path of /v3 with its keys would name another entity: use the query parameter entity",
    )


def _is_parsed_to_urn(urn: Urn, segments: tuple[str, ...], identity: IdentityRules, type_: str | None) -> bool:
    try:
        return parse_v3_path(segments, identity, type_) == urn
    except InvalidName:
        return False


_WRITERS: Final[dict[str, Callable[[Urn, IdentityRules, str], V3Path]]] = {
    "namespace": _make_namespace_path,
    "dataset": _make_dataset_path,
    "schemaField": _make_field_path,
    "dataFlow": _make_flow_path,
    "dataJob": _make_job_path,
    "custom": _make_custom_path,
}


def _get_application_id_or_flow_urn(flow: Urn) -> str:
    """Return an application's id, or the URN of any other flow."""
    orchestrator, application, cluster = flow.parts
    is_application = orchestrator == names.APPLICATION_ORCHESTRATOR and names.is_valid_namespace_name(cluster)
    return application if is_application and names.is_valid_id(application) else str(flow)


def _split_job_into_application_type_and_id(job: Urn) -> tuple[str, str, str]:
    """Return application, type and id of a program; for any other job its flow's URN, `jobs` and its whole name."""
    program = names.parse_program_urn(job)
    return program[1:] if program else (job.parts[0], "jobs", job.parts[1])
