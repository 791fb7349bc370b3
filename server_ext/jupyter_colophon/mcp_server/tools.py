"""The tools of the MCP server, in the order in which they are listed."""

from collections.abc import Mapping
from typing import Any, Final

from jupyter_colophon.client.caller import Caller, Document
from jupyter_colophon.core.entities.annotation import ASPECT_OF_SCOPE
from jupyter_colophon.core.errors import InvalidQuery
from jupyter_colophon.core.model.search_filters import FILTERS
from jupyter_colophon.core.model.vocabulary import DESCRIPTION_KEY
from jupyter_colophon.mcp_server.operation_calls import call_operation
from jupyter_colophon.mcp_server.tool import Argument, Tool

#: People's properties and tags.
_ASPECT: Final = ASPECT_OF_SCOPE["USER"]
_ABSENT: Final = -1
_URN: Final = "The URN of the entity, as colophon_search returns it."
_MORE: Final = "The `cursor` of the answer before, to read the next page."
_TIMES: Final = (Argument("start"), Argument("end"))
_AS_OF: Final = Argument("as_of", "As the catalog knew it at this time; without it, now.", "asOf")
_ENTITY: Final = Argument(
    "urn", _URN, schema={"type": "string", "pattern": "^urn:li:[A-Za-z]+:.+$", "maxLength": 4096}, required=True
)
_PATH: Final = {"type": "string", "minLength": 1, "maxLength": 4096}
_WORDS: Final = {"type": "array", "items": {"type": "string"}, "maxItems": 100}


def _change_tags(caller: Caller, arguments: Mapping[str, Any]) -> Document:
    change = {"tags": arguments.get("add", []), "withoutTags": arguments.get("remove", [])}
    if not any(change.values()):
        raise InvalidQuery("name at least one tag to add or to remove")
    return _annotate_existing(caller, arguments["urn"], change)


def _list_cell_states(caller: Caller, arguments: Mapping[str, Any]) -> Document:
    return call_operation(caller, "listCellStates", {}, {"notebook": arguments["notebook"]})


def _change_properties(caller: Caller, arguments: Mapping[str, Any]) -> Document:
    change = {"properties": arguments.get("properties", {}), "withoutProperties": arguments.get("remove", [])}
    if not any(change.values()):
        raise InvalidQuery("name at least one property to set or to remove")
    return _annotate_existing(caller, arguments["urn"], change)


def _write_description_if_confirmed(caller: Caller, arguments: Mapping[str, Any]) -> Document:
    """Write a description if there is none by a user, or if the caller repeats the one to be replaced (spec SEC-22)."""
    urn, replaced = arguments["urn"], arguments.get("replaces", "")
    entity = call_operation(caller, "readEntity", {"urn": urn})
    present = [
        descriptor["text"]
        for descriptor in entity["descriptors"]
        if descriptor["kind"] == "description" and descriptor["scope"] == "USER" and descriptor["column"] is None
    ]
    if present and replaced not in present:
        raise InvalidQuery(
            "the entity has a description by a user: repeat it word for word here to replace it", "replaces"
        )
    change = {"properties": {DESCRIPTION_KEY: arguments["description"]}}
    return _write_change_and_read_result(
        caller, urn, change, entity["aspects"].get(_ASPECT, {}).get("version", _ABSENT)
    )


def _annotate_existing(caller: Caller, urn: str, change: Document) -> Document:
    """Change properties and tags of an entity that exists: a URN with a mistake must not create one."""
    call_operation(caller, "readEntity", {"urn": urn, "aspects": _ASPECT})
    return _write_change_and_read_result(caller, urn, change, None)


def _write_change_and_read_result(caller: Caller, urn: str, change: Document, version: int | None) -> Document:
    """Write the change, with `version` only if that is current, and return the resulting user metadata."""
    proposal: Document = {"urn": urn, "aspect": _ASPECT, "operation": "annotate"}
    proposal["value"] = {name: value for name, value in change.items() if value}
    if version is not None:
        proposal["ifVersion"] = version
    written = call_operation(caller, "submitProposals", {}, {"proposals": [proposal]})["results"][0]
    value = (
        call_operation(caller, "readEntity", {"urn": urn, "aspects": _ASPECT})["aspects"]
        .get(_ASPECT, {})
        .get("value", {})
    )
    return {"urn": urn, "changed": written["changed"], "version": written["version"], **value}


TOOLS: Final = (
    Tool(
        "colophon_search",
        "Search the data catalog",
        "Find datasets, columns, notebooks, jobs and other entities by words, `key:value`, prefixes (`ord*`) or `*`."
        " Start here: the other tools take the URN of a hit.",
        "search",
        (
            Argument("query", "Words, phrases, `key:value`, prefixes, or `*` for everything.", "q", required=True),
            *(Argument(filter_.name) for filter_ in FILTERS),
            Argument("limit", default=20, maximum=100),
            Argument("cursor", _MORE),
        ),
        constants={"facets": "type,namespace,tag,platform"},
    ),
    Tool(
        "colophon_read_entity",
        "Read an entity of the data catalog",
        "Read what the catalog knows of one entity: its descriptions, tags, owners and properties, the schema of a"
        " table, each with who wrote it (USER: people, SYSTEM: programs).",
        "readEntity",
        (
            Argument("urn", _URN, required=True),
            Argument("aspects", "Names of aspects, separated by commas, such as `schemaMetadata`; without it, all."),
        ),
    ),
    Tool(
        "colophon_lineage",
        "Read the lineage of data",
        "Read where data comes from (`upstream`) and where it goes (`downstream`): datasets, and the programs and"
        " notebook cells between them.",
        "readLineage",
        (
            Argument("urn", _URN, required=True),
            Argument("direction", default="upstream"),
            Argument("levels", default=3),
            Argument("limit", default=100),
            Argument("columns"),
            *_TIMES,
            _AS_OF,
        ),
    ),
    Tool(
        "colophon_impact",
        "Count what a change would reach",
        "Count everything downstream of data by type, owner and namespace: what would be affected by a change of it.",
        "readLineageImpact",
        (Argument("urn", _URN, required=True), Argument("levels"), *_TIMES, _AS_OF),
    ),
    Tool(
        "colophon_runs",
        "List runs of programs",
        "List runs, newest first: of one program, or those that read or wrote one dataset.",
        "listRuns",
        (
            Argument("program", "URN of a program, job or notebook cell."),
            Argument("data", "URN of a dataset that the runs read or wrote."),
            Argument("status"),
            *_TIMES,
            Argument("limit", default=20, maximum=100),
            Argument("cursor", _MORE),
        ),
    ),
    Tool(
        "colophon_cells",
        "List stale cells of a notebook",
        "List the cells of a notebook that read or wrote data, as their newest runs left them: a cell is `stale` if what"
        " it read was written since, or comes from a stale cell. Each names the inputs that are newer, and who wrote them.",
        "listCellStates",
        (
            Argument(
                "notebook", "The path of the notebook, relative to the server's root.", schema=_PATH, required=True
            ),
        ),
        _list_cell_states,
    ),
    Tool(
        "colophon_changes",
        "Read changes of the catalog",
        "Read what changed in the catalog, oldest first. Each answer has a `cursor`: pass it as `after` to read what"
        " came since. With `limit` 0 only the present cursor is returned.",
        "readChanges",
        (
            Argument("after", "The `cursor` of an earlier answer; 0 for the whole change log."),
            Argument("namespace"),
            Argument("urn", "Only changes of this entity."),
            Argument("type"),
            Argument("limit", default=50, maximum=200),
        ),
    ),
    Tool(
        "colophon_tag",
        "Add and remove tags",
        "Add tags to an entity, or remove tags that people added. Returns its tags and properties afterwards.",
        "submitProposals",
        (
            _ENTITY,
            Argument("add", "Tags to add: letters, digits, `_` and `-`.", schema=_WORDS),
            Argument("remove", "Tags to remove.", schema=_WORDS),
        ),
        _change_tags,
        writes=True,
    ),
    Tool(
        "colophon_set_properties",
        "Set and remove properties",
        "Set properties of an entity, such as `owner`, or remove properties that people set. A property that exists"
        " gets the new value. Returns its tags and properties afterwards.",
        "submitProposals",
        (
            _ENTITY,
            Argument(
                "properties",
                "Keys (letters, digits, `_` and `-`) with their values.",
                schema={"type": "object", "additionalProperties": {"type": "string"}, "maxProperties": 100},
            ),
            Argument("remove", "Keys of properties to remove.", schema=_WORDS),
        ),
        _change_properties,
        writes=True,
        replaces=True,
    ),
    Tool(
        "colophon_propose_description",
        "Describe an entity",
        "Write the description of an entity that has none from a person. Where a person has described it, the"
        " proposal is refused unless `replaces` repeats that description: show both to the user first.",
        "submitProposals",
        (
            _ENTITY,
            Argument("description", "The description.", schema={"type": "string", "minLength": 1}, required=True),
            Argument(
                "replaces",
                "The present description, word for word, if the user agreed to replace it.",
                schema={"type": "string"},
            ),
        ),
        _write_description_if_confirmed,
        writes=True,
        replaces=True,
    ),
)
