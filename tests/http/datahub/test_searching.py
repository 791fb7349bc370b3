"""Fields that DataHub's model marks as searchable are found by DataHub's API and by the native API."""

from typing import Any

import pytest
from support.datahub import T, build_proposal, emit_proposal

pytestmark = pytest.mark.each_store

TERM = "urn:li:glossaryTerm:Sales.Margin"
STAMP = {"time": 1, "actor": "urn:li:corpuser:a"}


async def found(datahub: Any, api: Any, words: str, kind: str = "dataset") -> list[Any]:
    """Return the results of both APIs."""
    requested = {"input": words, "entity": kind, "start": 0, "count": 10}
    theirs = (await datahub("POST", "entities", params={"action": "search"}, body=requested)).body["value"]["entities"]
    ours = (await api("GET", "search", params={"q": words})).body["hits"]
    return [[hit["entity"] for hit in theirs], [hit["urn"] for hit in ours]]


async def test_searchable_fields_are_found_until_removed(datahub: Any, api: Any) -> None:
    fields = [{"fieldPath": "a", "description": "the quokka's weight"}]
    for proposal in (
        build_proposal(
            "editableDatasetProperties", {"description": "counts Zebrafish", "created": STAMP, "lastModified": STAMP}
        ),
        build_proposal(
            "editableSchemaMetadata", {"editableSchemaFieldInfo": fields, "created": STAMP, "lastModified": STAMP}
        ),
        build_proposal("subTypes", {"typeNames": ["Okapi View"]}),
        build_proposal(
            "glossaryTermInfo", {"definition": "what is left of an axolotl", "termSource": "INTERNAL"}, urn=TERM
        ),
    ):
        assert (await emit_proposal(datahub, proposal)).status == 200
    for words in ("zebrafish", "quokka's", "okapi"):
        assert await found(datahub, api, words) == [[T], [T]], words
    assert await found(datahub, api, "axolotl", "glossaryTerm") == [[TERM], [TERM]]
    # Another aspect of the entity does not change the result; a new value of this one does.
    assert (await emit_proposal(datahub, build_proposal("status", {"removed": False}))).status == 200
    assert await found(datahub, api, "zebrafish") == [[T], [T]]
    reported = {"description": "counts gibbons", "created": STAMP, "lastModified": STAMP}
    assert (await emit_proposal(datahub, build_proposal("editableDatasetProperties", reported))).status == 200
    assert await found(datahub, api, "zebrafish") == [[], []]
    assert await found(datahub, api, "gibbons") == [[T], [T]]


async def test_marked_texts_are_found_that_the_vocabulary_does_not_contribute(datahub: Any, api: Any) -> None:
    fields = [
        {
            "fieldPath": "a",
            "nativeDataType": "text",
            "label": "numbat",
            "type": {"type": {"com.linkedin.schema.StringType": {}}},
        }
    ]
    schema = {
        "schemaName": "s",
        "platform": "urn:li:dataPlatform:hive",
        "version": 0,
        "hash": "",
        "platformSchema": {"com.linkedin.schema.OtherSchema": {"rawSchema": ""}},
        "fields": fields,
    }
    properties = {"qualifiedName": "warehouse.pangolin", "externalUrl": "https://example.org/tapir"}
    for proposal in (build_proposal("datasetProperties", properties), build_proposal("schemaMetadata", schema)):
        assert (await emit_proposal(datahub, proposal)).status == 200
    for words in ("pangolin", "warehouse.pangolin", "https://example.org/tapir", "numbat"):
        assert await found(datahub, api, words) == [[T], [T]], words
