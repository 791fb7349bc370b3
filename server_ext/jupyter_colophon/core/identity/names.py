"""Create and interpret the URNs of entities: each entity has exactly one (spec ID-1).

The grammar of URNs is in `core/identity/urn.py`; the names of other APIs are in `core/cdap/names.py` and
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
from jupyter_colophon.core.identity.assertion_urn import parse_assertion_urn
from jupyter_colophon.core.identity.urn import (
    NAME_BYTES_MAX,
    PREFIX,
    Urn,
    encode_urn_text,
    is_valid_namespace_name,
    make_single_key_urn,
    require_bytes_at_most,
    require_valid_text,
)

__all__ = [
    "ANY_ID_TYPES",
    "DATA_TYPES",
    "NO_NAMESPACE",
    "NO_NOTEBOOK",
    "PROGRAM_TYPES",
    "IdentityRules",
    "Urn",
    "get_cell_prefix",
    "get_custom_key_pairs",
    "get_variable_prefix",
    "is_data_urn_text",
    "is_valid_id",
    "is_valid_namespace_name",
    "is_valid_run_id",
    "is_variable_urn",
    "make_cell_program_urn",
    "make_custom_urn",
    "make_data_flow_urn",
    "make_data_job_urn",
    "make_dataset_urn",
    "make_field_urn",
    "make_hashed_run_urn",
    "make_home_dataset_urn",
    "make_home_model_urn",
    "make_instance_urn",
    "make_model_urn",
    "make_namespace_urn",
    "make_notebook_program_urn",
    "make_program_urn",
    "make_run_urn",
    "make_stream_urn",
    "make_variable_urn",
    "parse_dataset_name",
    "parse_notebook_program_urn",
    "parse_program_urn",
    "parse_variable_urn",
    "require_valid_id",
    "require_valid_namespace_name",
    "split_variable_urn",
]

APPLICATION_ORCHESTRATOR: Final = "colophon"
NOTEBOOK_APPLICATION: Final = "notebook"
#: The platform of variables, which data flows through from cell to cell.
VARIABLE_PLATFORM: Final = "notebook"
#: The notebook of a shell without a server: its runs need a program.
NO_NOTEBOOK: Final = "ipython"
STREAM_PLATFORM: Final = "stream"
STREAM_FABRIC: Final = "PROD"
#: The platform and fabric of models with a namespace in their name (decision 51).
MODEL_PLATFORM: Final = "colophon"
MODEL_FABRIC: Final = "PROD"
SYSTEM_NAMESPACE: Final = "system"
DEFAULT_NAMESPACE: Final = "default"
SPARK_CATALOG: Final = "spark_catalog"

NO_NAMESPACE: Final = ""
"""Where entities are that belong to no namespace: instances of schemaspaces (spec ID-13)."""

PROGRAM_TYPES: Final = ("flows", "mapreduce", "spark", "workflows", "services", "workers", "notebooks", "cells", "jobs")
"""The types of programs, as they stand before the dot of a program's id."""

ANY_ID_TYPES: Final = frozenset({"notebooks", "cells", "jobs"})
"""The types whose id is any UTF-8 up to 512 bytes (spec ID-8); the others' are `[A-Za-z0-9_-]+`."""

DATA_TYPES: Final = ("dataset", "mlModel")
"""The types of what runs read and write: the data in lineage."""

RESERVED_TYPES: Final = frozenset({"namespace", "dataset", "stream", "application", "program", "program_run", "field"})
"""Types that have a URN of their own, so that no custom entity may use them (spec ID-11)."""

# The namespace of our UUIDv5; it must never change, since run URNs depend on it (spec ID-10).
_RUN_IDS: Final = uuid.uuid5(uuid.NAMESPACE_URL, "urn:jupyter-colophon:run")
_PLATFORMS: Final = f"{PREFIX}dataPlatform:"
_VARIABLES: Final = f"{PREFIX}dataset:({PREFIX}dataPlatform:{VARIABLE_PLATFORM},"
_DATA_PREFIXES: Final = tuple(f"{PREFIX}{type_}:" for type_ in DATA_TYPES)
#: Types whose first part is the URN of an entity, in whose namespace they are.
_NESTED_TYPES: Final = frozenset({"schemaField", "dataJob", "request"})
#: Types whose first part is their orchestrator or tool.
_WITH_TOOLS: Final = frozenset({"dataFlow", "chart", "dashboard", "notebook"})
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_ID = re.compile(r"[A-Za-z0-9_-]+")
_RUN_ID = re.compile(r"[A-Za-z0-9_.:-]{1,128}")


def is_valid_id(text: str) -> bool:
    """Return whether a text can be the id of an application, a stream, an artifact or an ordinary program."""
    return _ID.fullmatch(text) is not None


def is_valid_run_id(text: str) -> bool:
    """Return whether a text can be the id of a run."""
    return _RUN_ID.fullmatch(text) is not None


# Each write looks up the namespace of its entity.
@lru_cache(maxsize=1_024)
def make_namespace_urn(name: str) -> Urn:
    """Return the URN of a namespace with this name, `[A-Za-z0-9_]+`."""
    return make_single_key_urn("namespace", name)


def make_dataset_urn(platform: str, name: str, fabric: str = "PROD") -> Urn:
    """Return the URN of a dataset of any platform (`file`, `postgres`, …); the name is any UTF-8 up to 512 bytes."""
    return Urn("dataset", (str(make_single_key_urn("dataPlatform", platform)), name, fabric))


def make_stream_urn(namespace_: str, name: str) -> Urn:
    """Return the URN of a stream in a namespace."""
    require_valid_namespace_name(namespace_)
    require_valid_id("stream", name)
    return make_dataset_urn(STREAM_PLATFORM, f"{namespace_}.{name}", STREAM_FABRIC)


def make_model_urn(platform: str, name: str, fabric: str = "PROD") -> Urn:
    """Return the URN of a model of any platform; one of the platform `file` has the path of its file or folder as its
    name.
    """
    return Urn("mlModel", (str(make_single_key_urn("dataPlatform", platform)), name, fabric))


def make_home_model_urn(namespace_: str, name: str) -> Urn:
    """Return the URN of a model in a namespace. Raises InvalidName if the name is not valid for one (spec ID-21)."""
    require_valid_namespace_name(namespace_)
    urn = make_model_urn(MODEL_PLATFORM, f"{namespace_}.{name}", MODEL_FABRIC)
    if not _is_home_model(urn):
        reason = "the namespace must not be system, and the name must not be a URN"
        raise InvalidName("model", f"{namespace_}.{name}", reason)
    return urn


def is_data_urn_text(urn: str) -> bool:
    """Return whether the text of a URN names data: what runs read and write."""
    return urn.startswith(_DATA_PREFIXES)


def make_field_urn(dataset_: Urn, path: str) -> Urn:
    """Return the URN of a field of a dataset or a model, by its path in the schema."""
    return Urn("schemaField", (str(dataset_), path))


def make_data_flow_urn(orchestrator: str, flow: str, cluster: str) -> Urn:
    """Return the URN of a flow; with the orchestrator `colophon` an application, whose cluster is its namespace."""
    return Urn("dataFlow", (orchestrator, flow, cluster))


def make_data_job_urn(flow: Urn, job: str) -> Urn:
    """Return the URN of a flow's job; in an application a program, whose name is `<type>.<id>`."""
    return Urn("dataJob", (str(flow), job))


def make_program_urn(namespace_: str, application: str, type_: str, id_: str) -> Urn:
    """Return the URN of an application's program. Raises InvalidName for an unknown type or an invalid id."""
    require_valid_namespace_name(namespace_)
    require_valid_id("application", application)
    if type_ not in PROGRAM_TYPES:
        raise InvalidName("program type", type_, f"expected one of {' '.join(PROGRAM_TYPES)}")
    if type_ in ANY_ID_TYPES:
        require_valid_text("program", id_)
        require_bytes_at_most("program", id_, NAME_BYTES_MAX)
    else:
        require_valid_id("program", id_)
    return make_data_job_urn(make_data_flow_urn(APPLICATION_ORCHESTRATOR, application, namespace_), f"{type_}.{id_}")


def make_notebook_program_urn(namespace_: str, path: str) -> Urn:
    """Return the URN of a notebook's program; `path` is relative to the server's root."""
    return make_program_urn(namespace_, NOTEBOOK_APPLICATION, "notebooks", path)


def make_cell_program_urn(namespace_: str, path: str, cell_id: str) -> Urn:
    """Return the URN of a cell's program. A cell id has no `#`; a notebook's path may have one."""
    if not cell_id or "#" in cell_id:
        raise InvalidName("cell id", cell_id, "it must not be empty or contain #")
    return make_program_urn(namespace_, NOTEBOOK_APPLICATION, "cells", f"{path}#{cell_id}")


def make_variable_urn(namespace_: str, path: str, cell_id: str, name: str) -> Urn:
    """Return the URN of a variable of a notebook as a cell left it: a dataset of the platform `notebook`. A cell id has no `#`."""
    require_valid_namespace_name(namespace_)
    return make_dataset_urn(VARIABLE_PLATFORM, f"{namespace_}/{path}#{cell_id}#{name}")


def is_variable_urn(urn: str) -> bool:
    """Return whether a URN is that of a variable. Searches and lists leave variables out: they are steps of lineage."""
    return urn.startswith(_VARIABLES)


def parse_variable_urn(urn: str) -> tuple[str, str] | None:
    """Return the id of the cell that set a variable, and the variable's name; None for every other URN."""
    parts = split_variable_urn(urn)
    return None if parts is None else parts[2:]


def split_variable_urn(urn: str) -> tuple[str, str, str, str] | None:
    """Return the arguments of `make_variable_urn` for the URN of a variable; None for every other URN."""
    if not is_variable_urn(urn):
        return None
    notebook, *parts = Urn.parse(urn).parts[1].rsplit("#", 2)
    namespace_, _, path = notebook.partition("/")
    return (namespace_, path, parts[0], parts[1]) if len(parts) == 2 else None


def get_variable_prefix(cell: Urn) -> str:
    """Return what the URNs of all variables of a cell begin with, given the URN of the cell's program; "" for another program."""
    program, place = parse_program_urn(cell), parse_notebook_program_urn(cell)
    if program is None or place is None or place[1] is None:
        return ""
    return str(make_variable_urn(program[0], place[0], place[1], "x")).rpartition("x,")[0]


def get_cell_prefix(notebook: Urn) -> str:
    """Return what the URNs of all cells of a notebook begin with, given the URN of the notebook's program."""
    flow, name = notebook.parts
    path = name.removeprefix("notebooks.")
    return str(Urn("dataJob", (flow, f"cells.{path}#"))).removesuffix(")")


# Each event of a run needs it several times.
@lru_cache(maxsize=1_024)
def make_run_urn(program_: Urn, run_id: str) -> Urn:
    """Return the URN of a run: the run id itself if it is a UUID, else the UUIDv5 of program and run id.

    The key of a run is the pair of program and run id; its row has both.
    """
    if _UUID.fullmatch(run_id):
        return make_single_key_urn("dataProcessInstance", run_id)
    require_valid_text("run id", run_id)
    return make_hashed_run_urn(program_, run_id)


# Each event of a run needs it.
@lru_cache(maxsize=1_024)
def make_hashed_run_urn(program_: Urn, run_id: str) -> Urn:
    """Return the URN of a run whose id is not a UUID, or is a UUID already used by a run of another program."""
    # No name contains a line break, so the pair is unambiguous.
    return make_single_key_urn("dataProcessInstance", str(uuid.uuid5(_RUN_IDS, f"{program_}\n{run_id}")))


def make_instance_urn(space: str, name: str) -> Urn:
    """Return the URN of an instance of a schemaspace."""
    return Urn("instance", (space, name))


def make_custom_urn(type_: str, pairs: Iterable[tuple[str, str]]) -> Urn:
    """Return the URN of a custom entity from its type and its ordered keys and values. Type and keys are case-folded."""
    type_, pairs = type_.casefold(), tuple(pairs)
    if type_ in RESERVED_TYPES:
        raise InvalidName("custom type", type_, "entities of this type have a URN of their own")
    for key, _ in pairs:
        if "=" in key:
            raise InvalidName("key of a custom URN", key, "it must not contain =")
    return Urn("custom", (type_, *(f"{key.casefold()}={value}" for key, value in pairs)))


def get_custom_key_pairs(urn: Urn) -> tuple[tuple[str, str], ...]:
    """Return the keys and values of a custom entity, in order."""
    split = (part.partition("=") for part in urn.parts[1:])
    return tuple((key, value) for key, _, value in split)


def parse_program_urn(urn: Urn) -> tuple[str, str, str, str] | None:
    """Return namespace, application, type and id of an application's program; None for every other URN."""
    if urn.type != "dataJob":
        return None
    orchestrator, application, cluster = urn.parse_part_as_urn(0).parts
    type_, dot, id_ = urn.parts[1].partition(".")
    is_application = (
        orchestrator == APPLICATION_ORCHESTRATOR and is_valid_namespace_name(cluster) and is_valid_id(application)
    )
    if not is_application or not dot or type_ not in PROGRAM_TYPES:
        return None
    if not id_ or not (type_ in ANY_ID_TYPES or is_valid_id(id_)) or len(id_.encode()) > NAME_BYTES_MAX:
        return None
    return cluster, application, type_, id_


def parse_notebook_program_urn(urn: Urn) -> tuple[str, str | None] | None:
    """Return the notebook's path, and the cell id or None, of a program of a notebook or a cell; None for every other
    URN.
    """
    program = parse_program_urn(urn)
    if program is None or program[1] != NOTEBOOK_APPLICATION:
        return None
    _, _, type_, id_ = program
    if type_ == "notebooks":
        return id_, None
    path, hash_, cell_id = id_.rpartition("#")
    return (path, cell_id) if type_ == "cells" and hash_ and path and cell_id else None


@dataclass(frozen=True)
class IdentityRules:
    """The home platform of this installation, and the rules for namespaces of external entities (spec ID-5, ID-14,
    ID-19).

    `namespace_rules` are pairs of a glob over URNs and a namespace, `platform_instances` pairs of a glob over
    OpenLineage namespaces and a prefix of dataset names; the first match wins.
    """

    default_platform: str = "spark"
    default_fabric: str = "PROD"
    namespace_rules: tuple[tuple[str, str], ...] = ()
    notebook_namespace: str = DEFAULT_NAMESPACE
    platform_instances: tuple[tuple[str, str], ...] = ()

    def make_home_dataset_urn(self, namespace_: str, name: str) -> Urn:
        """Return the URN of the home dataset with this namespace and name. Raises InvalidName if the name is not valid
        for one (spec ID-5).
        """
        require_valid_namespace_name(namespace_)
        urn = make_dataset_urn(self.default_platform, f"{namespace_}.{name}", self.default_fabric)
        if not self.is_home_dataset(urn):
            reason = "the namespace must not be system, and the name must not be a URN"
            raise InvalidName("home dataset", f"{namespace_}.{name}", reason)
        return urn

    def is_home_dataset(self, urn: Urn) -> bool:
        """Return whether this is a dataset of the home platform with a namespace and a short name."""
        parts = _split_namespace_and_name(urn, "dataset", self.default_platform, self.default_fabric)
        return parts is not None and parts[0] != SYSTEM_NAMESPACE

    def is_stream(self, urn: Urn) -> bool:
        """Return whether this is a stream with a namespace and a short name."""
        parts = _split_namespace_and_name(urn, "dataset", STREAM_PLATFORM, STREAM_FABRIC)
        return parts is not None and is_valid_id(parts[1])

    def get_namespace(self, urn: Urn) -> str:
        """Return the namespace of an entity: the one in its name, else by the rules, else `default` (spec ID-14).

        The namespace of an external entity is stored at its first write; this is the one it would get now. An instance
        of a schemaspace has none: "".
        """
        if urn.type in _NESTED_TYPES:
            return self.get_namespace(urn.parse_part_as_urn(0))
        if urn.type == "instance":
            return NO_NAMESPACE
        own = self._get_namespace_in_name(urn)
        if own is not None:
            return own
        if (expectation := parse_assertion_urn(urn)) is not None:
            return self.get_namespace(expectation[0])
        return next((to for glob, to in self.namespace_rules if fnmatchcase(str(urn), glob)), DEFAULT_NAMESPACE)

    def get_short_name(self, urn: Urn) -> str:
        """Return the name that people read: a table or a model without its namespace, a notebook's path, the whole name
        of external data.
        """
        if self._is_named_by_namespace(urn):
            return urn.parts[1].partition(".")[2]
        if len(urn.parts) == 3 and urn.parts[0].startswith(_PLATFORMS):
            return urn.parts[1]
        if urn.type == "dataFlow":
            return urn.parts[1]
        if urn.type == "dataJob":
            program = parse_program_urn(urn)
            return program[3] if program else urn.parts[1]
        if urn.type == "custom":
            return get_custom_key_pairs(urn)[-1][1]
        return urn.parts[-1]

    def get_platform(self, urn: Urn) -> str | None:
        """Return the platform, orchestrator or tool in the URN or in that of its parent; None if there is none."""
        if urn.type in ("schemaField", "dataJob"):
            return self.get_platform(urn.parse_part_as_urn(0))
        if urn.type in _WITH_TOOLS:
            return urn.parts[0]
        return _parse_platform_name(urn.parts[0]) if urn.parts[0].startswith(_PLATFORMS) else None

    def _is_named_by_namespace(self, urn: Urn) -> bool:
        """Return whether the name of data is its namespace and a short name."""
        if urn.type == "dataset":
            return self.is_home_dataset(urn) or self.is_stream(urn)
        return urn.type == "mlModel" and _is_home_model(urn)

    def _get_namespace_in_name(self, urn: Urn) -> str | None:
        if urn.type == "namespace":
            return urn.parts[0]
        if urn.type == "accessPolicy":
            return SYSTEM_NAMESPACE
        if self._is_named_by_namespace(urn):
            return urn.parts[1].partition(".")[0]
        if is_variable_urn(str(urn)):
            namespace_ = urn.parts[1].partition("/")[0]
            return namespace_ if is_valid_namespace_name(namespace_) else None
        if urn.type == "dataFlow":
            orchestrator, _, cluster = urn.parts
            return cluster if orchestrator == APPLICATION_ORCHESTRATOR and is_valid_namespace_name(cluster) else None
        if urn.type != "custom":
            return None
        named = dict(get_custom_key_pairs(urn)).get("namespace", "")
        return named if is_valid_namespace_name(named) else None


def _parse_platform_name(text: str) -> str | None:
    """Return the platform in a URN of a platform; None for any other text."""
    try:
        return Urn.parse(text).parts[-1]
    except InvalidName:
        return None


@lru_cache(maxsize=64)
def _make_platform_urn(platform: str) -> str:
    """Return the URN of a platform as it is written in a dataset's URN."""
    return f"{_PLATFORMS}{encode_urn_text(platform)}"


def _is_home_model(urn: Urn) -> bool:
    """Return whether this is a model with a namespace and a short name (spec ID-21)."""
    parts = _split_namespace_and_name(urn, "mlModel", MODEL_PLATFORM, MODEL_FABRIC)
    return parts is not None and parts[0] != SYSTEM_NAMESPACE


def _split_namespace_and_name(urn: Urn, type_: str, platform: str, fabric: str) -> tuple[str, str] | None:
    """Return namespace and short name of data of this type, platform and fabric, None if its name does not have both."""
    if urn.type != type_ or urn.parts[::2] != (_make_platform_urn(platform), fabric):
        return None
    space, dot, name = urn.parts[1].partition(".")
    # A v3 name that begins like a URN is always parsed as one, so it cannot be a short name (spec ID-6).
    if not dot or not name or not is_valid_namespace_name(space) or name.startswith(PREFIX):
        return None
    return space, name


def make_home_dataset_urn(namespace_: str, name: str) -> Urn:
    """Return the URN of a dataset of the default home platform, Spark. Raises InvalidName if the name is not valid for
    one (spec ID-5).
    """
    return _DEFAULTS.make_home_dataset_urn(namespace_, name)


def parse_dataset_name(text: str, identity: IdentityRules) -> Urn:
    """Parse a name that a person typed: a URN, `db.table` (also `spark_catalog.db.table`), or a file's absolute path.

    Backquotes around a part of a table's name are handled as in Spark. Raises InvalidName with the expected formats.
    """
    if text.startswith("/"):
        return make_dataset_urn("file", text)
    text = text.strip()
    if text.startswith(PREFIX):
        return Urn.parse(text)
    words = _SQL_NAME.fullmatch(text)
    if words is None:
        raise InvalidName("dataset name", text, _NAMES_OF_DATA)
    catalog, database, table = (_unquote_table_name_part(word) for word in words.groups(""))
    if catalog not in ("", SPARK_CATALOG):
        table = f"{catalog}/{database}.{table}"
        return make_dataset_urn(identity.default_platform, table, identity.default_fabric)
    return identity.make_home_dataset_urn(database, table)


_DEFAULTS: Final = IdentityRules()
_NAMES_OF_DATA: Final = "write <database>.<table>, the path of a file (from /), or a URN such as urn:li:dataset:(urn:li:dataPlatform:file,/data/flights.csv,PROD)"
_WORD = r"([^\s.`/]+|`[^`]+`)"
_SQL_NAME = re.compile(rf"(?:{_WORD}\.)?{_WORD}\.{_WORD}")


def _unquote_table_name_part(word: str) -> str:
    return word[1:-1] if word.startswith("`") else word


def require_valid_namespace_name(name: str) -> None:
    """Raise InvalidName if the name is not valid for a namespace."""
    if not is_valid_namespace_name(name):
        raise InvalidName("namespace", name, "use only ASCII letters, digits and _")


def require_valid_id(kind: str, text: str) -> None:
    """Raise InvalidName unless the text satisfies `is_valid_id`; `kind` names the thing in the message."""
    if not is_valid_id(text):
        raise InvalidName(kind, text, "use only ASCII letters, digits, _ and -")
