"""One thing, one name: how every entity's URN is made and what it says (spec ID-1).

The grammar of URNs is in `core/identity/urn.py`; the spellings of other APIs are in `core/cdap/names.py` and
`core/identity/openlineage_names.py`.
"""

import re
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Final

from jupyter_colophon.core.errors import InvalidName
from jupyter_colophon.core.identity.urn import (
    NAME_BYTES_MAX,
    PREFIX,
    Urn,
    check_bytes,
    check_text,
    encoded,
    fits_namespace,
    simple,
)

__all__ = [
    "ANY_ID_TYPES",
    "NO_NAMESPACE",
    "NO_NOTEBOOK",
    "PROGRAM_TYPES",
    "Identity",
    "Urn",
    "cell_program",
    "custom",
    "data_flow",
    "data_job",
    "dataset",
    "field",
    "fits_id",
    "fits_namespace",
    "fits_run_id",
    "home_dataset",
    "instance",
    "namespace",
    "notebook_of",
    "notebook_program",
    "pairs_of",
    "parse_data_name",
    "program",
    "program_of",
    "require_id",
    "require_namespace",
    "run_urn",
    "shared_run_urn",
    "stream",
]

APPLICATION_ORCHESTRATOR: Final = "colophon"
NOTEBOOK_APPLICATION: Final = "notebook"
#: The notebook of a shell that no server started: its runs need a program.
NO_NOTEBOOK: Final = "ipython"
STREAM_PLATFORM: Final = "stream"
STREAM_FABRIC: Final = "PROD"
SYSTEM_NAMESPACE: Final = "system"
DEFAULT_NAMESPACE: Final = "default"
SPARK_CATALOG: Final = "spark_catalog"

NO_NAMESPACE: Final = ""
"""Where entities are that belong to no namespace: instances of schemaspaces (spec ID-13)."""

PROGRAM_TYPES: Final = (
    "flows",
    "mapreduce",
    "spark",
    "workflows",
    "services",
    "workers",
    "notebooks",
    "cells",
    "jobs",
)
"""The types of programs, as they stand before the dot of a program's id."""

ANY_ID_TYPES: Final = frozenset({"notebooks", "cells", "jobs"})
"""The types whose id is any UTF-8 up to 512 bytes (spec ID-8); the others' are `[A-Za-z0-9_-]+`."""

TAKEN_TYPES: Final = frozenset({"namespace", "dataset", "stream", "application", "program", "program_run", "field"})
"""Types that have a URN of their own, so that no custom entity may use them (spec ID-11)."""

# A made-up name space of our own for UUIDv5; it must never change, since run URNs depend on it (spec ID-10).
_RUN_IDS: Final = uuid.uuid5(uuid.NAMESPACE_URL, "urn:jupyter-colophon:run")
_PLATFORMS: Final = f"{PREFIX}dataPlatform:"
#: Types whose first part is the orchestrator or tool that they belong to.
_WITH_TOOLS: Final = frozenset({"dataFlow", "chart", "dashboard", "notebook"})
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_ID = re.compile(r"[A-Za-z0-9_-]+")
_RUN_ID = re.compile(r"[A-Za-z0-9_.:-]{1,128}")


def fits_id(text: str) -> bool:
    """Whether a text can be the id of an application, a stream, an artifact or an ordinary program."""
    return _ID.fullmatch(text) is not None


def fits_run_id(text: str) -> bool:
    """Whether a text can be the id of a run."""
    return _RUN_ID.fullmatch(text) is not None


def namespace(name: str) -> Urn:
    """The namespace of that name, `[A-Za-z0-9_]+`."""
    return simple("namespace", name)


def dataset(platform: str, name: str, fabric: str = "PROD") -> Urn:
    """A dataset of any platform (`file`, `postgres`, …); the name is any UTF-8 up to 512 bytes."""
    return Urn("dataset", (str(simple("dataPlatform", platform)), name, fabric))


def stream(namespace_: str, name: str) -> Urn:
    """A stream of a namespace."""
    require_namespace(namespace_)
    require_id("stream", name)
    return dataset(STREAM_PLATFORM, f"{namespace_}.{name}", STREAM_FABRIC)


def field(dataset_: Urn, path: str) -> Urn:
    """A field of a dataset, by its path in the schema."""
    return Urn("schemaField", (str(dataset_), path))


def data_flow(orchestrator: str, flow: str, cluster: str) -> Urn:
    """A flow; with the orchestrator `colophon` an application, whose cluster is its namespace."""
    return Urn("dataFlow", (orchestrator, flow, cluster))


def data_job(flow: Urn, job: str) -> Urn:
    """A job of a flow; in an application a program, whose name is `<type>.<id>`."""
    return Urn("dataJob", (str(flow), job))


def program(namespace_: str, application: str, type_: str, id_: str) -> Urn:
    """A program of an application. Raises `InvalidName` for an unknown type or an id that does not fit it."""
    require_namespace(namespace_)
    require_id("application", application)
    if type_ not in PROGRAM_TYPES:
        raise InvalidName("program type", type_, f"it is one of {' '.join(PROGRAM_TYPES)}")
    if type_ in ANY_ID_TYPES:
        check_text("program", id_)
        check_bytes("program", id_, NAME_BYTES_MAX)
    else:
        require_id("program", id_)
    return data_job(data_flow(APPLICATION_ORCHESTRATOR, application, namespace_), f"{type_}.{id_}")


def notebook_program(namespace_: str, path: str) -> Urn:
    """The program that a notebook is; `path` is below the server's root."""
    return program(namespace_, NOTEBOOK_APPLICATION, "notebooks", path)


def cell_program(namespace_: str, path: str, cell_id: str) -> Urn:
    """The program that a cell of a notebook is. A cell's id holds no `#`; a notebook's path may."""
    if not cell_id or "#" in cell_id:
        raise InvalidName("cell id", cell_id, "it is not empty and holds no #")
    return program(namespace_, NOTEBOOK_APPLICATION, "cells", f"{path}#{cell_id}")


def run_urn(program_: Urn, run_id: str) -> Urn:
    """A run's URN: the run id itself when that is a UUID, else the UUIDv5 of program and run id.

    The pair of program and run id stays the key of a run; its row keeps both.
    """
    if _UUID.fullmatch(run_id):
        return simple("dataProcessInstance", run_id)
    check_text("run id", run_id)
    return shared_run_urn(program_, run_id)


def shared_run_urn(program_: Urn, run_id: str) -> Urn:
    """Return the URN of a run whose id is not a UUID, or is a UUID that the run of another program has already."""
    # No name contains a line break, so the pair is unambiguous.
    return simple("dataProcessInstance", str(uuid.uuid5(_RUN_IDS, f"{program_}\n{run_id}")))


def instance(space: str, name: str) -> Urn:
    """An instance of a schemaspace."""
    return Urn("instance", (space, name))


def custom(type_: str, pairs: Iterable[tuple[str, str]]) -> Urn:
    """A custom entity: its type and its ordered keys and values. Words are case-folded."""
    type_, pairs = type_.casefold(), tuple(pairs)
    if type_ in TAKEN_TYPES:
        raise InvalidName("custom type", type_, "entities of this type have a URN of their own")
    for key, _ in pairs:
        if "=" in key:
            raise InvalidName("word of a custom URN", key, "it holds no =")
    return Urn("custom", (type_, *(f"{key.casefold()}={value}" for key, value in pairs)))


def pairs_of(urn: Urn) -> tuple[tuple[str, str], ...]:
    """The keys and values of a custom entity, in order."""
    split = (part.partition("=") for part in urn.parts[1:])
    return tuple((key, value) for key, _, value in split)


def program_of(urn: Urn) -> tuple[str, str, str, str] | None:
    """Namespace, application, type and id of a program of ours; None for every other URN."""
    if urn.type != "dataJob":
        return None
    orchestrator, application, cluster = urn.nested(0).parts
    type_, dot, id_ = urn.parts[1].partition(".")
    ours = orchestrator == APPLICATION_ORCHESTRATOR and fits_namespace(cluster) and fits_id(application)
    if not ours or not dot or type_ not in PROGRAM_TYPES:
        return None
    if not id_ or not (type_ in ANY_ID_TYPES or fits_id(id_)) or len(id_.encode()) > NAME_BYTES_MAX:
        return None
    return cluster, application, type_, id_


def notebook_of(urn: Urn) -> tuple[str, str | None] | None:
    """Path of the notebook, and cell id or None, of a notebook's or a cell's program; None for every other URN."""
    found = program_of(urn)
    if found is None or found[1] != NOTEBOOK_APPLICATION:
        return None
    _, _, type_, id_ = found
    if type_ == "notebooks":
        return id_, None
    path, hash_, cell_id = id_.rpartition("#")
    return (path, cell_id) if type_ == "cells" and hash_ and path and cell_id else None


@dataclass(frozen=True)
class Identity:
    """What this installation calls home, and where foreign entities belong (spec ID-5, ID-14, ID-19).

    `namespace_rules` are pairs of a glob over URNs and a namespace, `platform_instances` pairs of a glob over
    OpenLineage namespaces and a prefix of dataset names; the first match counts.
    """

    default_platform: str = "spark"
    default_fabric: str = "PROD"
    namespace_rules: tuple[tuple[str, str], ...] = ()
    notebook_namespace: str = DEFAULT_NAMESPACE
    platform_instances: tuple[tuple[str, str], ...] = ()

    def home(self, namespace_: str, name: str) -> Urn:
        """The home dataset of that namespace and name. Raises `InvalidName` if the name is not that of a home dataset (spec ID-5)."""
        require_namespace(namespace_)
        made = dataset(self.default_platform, f"{namespace_}.{name}", self.default_fabric)
        if not self.is_home(made):
            reason = "no table of the home platform is named so: the namespace is not system, the name no URN"
            raise InvalidName("home dataset", f"{namespace_}.{name}", reason)
        return made

    def is_home(self, urn: Urn) -> bool:
        """Whether this is a dataset of the home platform that a namespace holds under its short name."""
        parts = _parts_in_namespace(urn, self.default_platform, self.default_fabric)
        return parts is not None and parts[0] != SYSTEM_NAMESPACE

    def is_stream(self, urn: Urn) -> bool:
        """Whether this is a stream that a namespace holds under its short name."""
        parts = _parts_in_namespace(urn, STREAM_PLATFORM, STREAM_FABRIC)
        return parts is not None and fits_id(parts[1])

    def namespace_of(self, urn: Urn) -> str:
        """The namespace an entity belongs to: the one in its name, else by the rules, else `default` (spec ID-14).

        A foreign entity's namespace is stored at its first write; this is the one it would get now. An
        instance of a schemaspace belongs to none: the empty text.
        """
        if urn.type in ("schemaField", "dataJob"):
            return self.namespace_of(urn.nested(0))
        if urn.type == "instance":
            return NO_NAMESPACE
        own = self._own_namespace(urn)
        if own is not None:
            return own
        return next((to for glob, to in self.namespace_rules if fnmatchcase(str(urn), glob)), DEFAULT_NAMESPACE)

    def short_name(self, urn: Urn) -> str:
        """What a person reads: a table without its namespace, a notebook's path, a foreign dataset's whole name."""
        if urn.type == "dataset":
            is_ours = self.is_home(urn) or self.is_stream(urn)
            return urn.parts[1].partition(".")[2] if is_ours else urn.parts[1]
        if urn.type == "dataFlow":
            return urn.parts[1]
        if urn.type == "dataJob":
            found = program_of(urn)
            return found[3] if found else urn.parts[1]
        if urn.type == "custom":
            return pairs_of(urn)[-1][1]
        return urn.parts[-1]

    def platform_of(self, urn: Urn) -> str | None:
        """The platform, orchestrator or tool that the URN begins with, or that of what holds it; else None."""
        if urn.type in ("schemaField", "dataJob"):
            return self.platform_of(urn.nested(0))
        if urn.type in _WITH_TOOLS:
            return urn.parts[0]
        return _named_platform(urn.parts[0]) if urn.parts[0].startswith(_PLATFORMS) else None

    def _own_namespace(self, urn: Urn) -> str | None:
        if urn.type == "namespace":
            return urn.parts[0]
        if self.is_home(urn) or self.is_stream(urn):
            return urn.parts[1].partition(".")[0]
        if urn.type == "dataFlow":
            orchestrator, _, cluster = urn.parts
            return cluster if orchestrator == APPLICATION_ORCHESTRATOR and fits_namespace(cluster) else None
        named = dict(pairs_of(urn)).get("namespace", "") if urn.type == "custom" else ""
        return named if fits_namespace(named) else None


def _named_platform(part: str) -> str | None:
    """The platform whose URN a part is; None for a text that only begins like one."""
    try:
        return Urn.parse(part).parts[-1]
    except InvalidName:
        return None


@lru_cache(maxsize=64)
def _platform_text(platform: str) -> str:
    """The URN of a platform as it stands in that of a dataset."""
    return f"{_PLATFORMS}{encoded(platform)}"


def _parts_in_namespace(urn: Urn, platform: str, fabric: str) -> tuple[str, str] | None:
    """Namespace and short name of a dataset of this platform and fabric, where its name is made of both."""
    if urn.type != "dataset" or urn.parts[2] != fabric or urn.parts[0] != _platform_text(platform):
        return None
    space, dot, name = urn.parts[1].partition(".")
    # A v3 name that begins like a URN is always read as one: as a short name it would not come back (spec ID-6).
    if not dot or not name or not fits_namespace(space) or name.startswith(PREFIX):
        return None
    return space, name


def home_dataset(namespace_: str, name: str) -> Urn:
    """The dataset of the default home platform, Spark. Raises `InvalidName` if the name is not that of a home dataset (spec ID-5)."""
    return _DEFAULTS.home(namespace_, name)


def parse_data_name(text: str, identity: Identity) -> Urn:
    """What a person types for an entity: a URN as it is, `db.table` (also `spark_catalog.db.table`), or a file's absolute path.

    Backquotes around a part of a table's name are taken as Spark takes them. Raises `InvalidName` with what
    to write instead.
    """
    if text.startswith("/"):
        return dataset("file", text)
    text = text.strip()
    if text.startswith(PREFIX):
        return Urn.parse(text)
    words = _SQL_NAME.fullmatch(text)
    if words is None:
        raise InvalidName("name of data", text, _NAMES_OF_DATA)
    catalog, database, table = (_unquoted(word) for word in words.groups(""))
    if catalog not in ("", SPARK_CATALOG):
        table = f"{catalog}/{database}.{table}"
        return dataset(identity.default_platform, table, identity.default_fabric)
    return identity.home(database, table)


_DEFAULTS: Final = Identity()
_NAMES_OF_DATA: Final = (
    "write <database>.<table>, the path of a file (from /), or a URN such as"
    " urn:li:dataset:(urn:li:dataPlatform:file,/data/flights.csv,PROD)"
)
_WORD = r"([^\s.`/]+|`[^`]+`)"
_SQL_NAME = re.compile(rf"(?:{_WORD}\.)?{_WORD}\.{_WORD}")


def _unquoted(word: str) -> str:
    return word[1:-1] if word.startswith("`") else word


def require_namespace(name: str) -> None:
    """Raise `InvalidName` unless a namespace can be called so."""
    if not fits_namespace(name):
        raise InvalidName("namespace", name, "use only ASCII letters, digits and _")


def require_id(kind: str, text: str) -> None:
    """Raise `InvalidName` unless the text fits `fits_id`; `kind` says what it should have named."""
    if not fits_id(text):
        raise InvalidName(kind, text, "use only ASCII letters, digits, _ and -")
