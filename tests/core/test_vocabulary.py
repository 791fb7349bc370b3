"""The descriptors of aspects."""

from jupyter_colophon.core.model.vocabulary import (
    CONTRIBUTIONS,
    Contribution,
    Descriptor,
    Scope,
    find_contributions_of_schema,
    format_reference_text,
    list_descriptors_of_value,
    list_members_shown_by_descriptors,
    simplify_column_path,
)

_STAMP = {"time": 0, "actor": "urn:li:corpuser:unknown"}


def _found(
    aspect: str, value: object, scope: Scope = "SYSTEM", annotated: tuple[Contribution, ...] = ()
) -> list[tuple[str, str, str, str]]:
    return [
        (one.kind, one.text, one.urn, one.column)
        for one in list_descriptors_of_value(aspect, scope, value, annotated)
        if one.kind != "field"
    ]


def test_references_have_the_key_of_their_urn() -> None:
    assert _found("globalTags", {"tags": [{"tag": "urn:li:tag:pii"}]}) == [("tag", "pii", "urn:li:tag:pii", "")]
    terms = {"terms": [{"urn": "urn:li:glossaryTerm:Finance.Revenue"}], "auditStamp": _STAMP}
    assert _found("glossaryTerms", terms) == [("term", "Finance.Revenue", "urn:li:glossaryTerm:Finance.Revenue", "")]
    assert _found("domains", {"domains": ["urn:li:domain:sales"]}) == [("domain", "sales", "urn:li:domain:sales", "")]
    assert format_reference_text("urn:li:tag:a%2Cb") == "a,b"


def test_owner_has_ownership_type_as_detail() -> None:
    value = {"owners": [{"owner": "urn:li:corpGroup:ops", "type": "TECHNICAL_OWNER"}], "lastModified": _STAMP}
    assert list(list_descriptors_of_value("ownership", "SYSTEM", value)) == [
        Descriptor("owner", "owner", "ops", "ownership", "SYSTEM", "urn:li:corpGroup:ops", "", "TECHNICAL_OWNER")
    ]


def test_properties_and_tags_of_both_scopes() -> None:
    value = {"properties": {"owner": "ops", "description": "Delays", "tier": "gold"}, "tags": ["faa"]}
    assert _found("businessMetadata", value, "USER") == [
        ("owner", "ops", "", ""),
        ("description", "Delays", "", ""),
        ("property", "gold", "", ""),
        ("tag", "faa", "", ""),
    ]
    assert [one.key for one in list_descriptors_of_value("technicalMetadata", "SYSTEM", value)] == [
        "owner",
        "description",
        "tier",
        "tags",
    ]


def test_columns_are_described_by_both_schema_aspects() -> None:
    column = {
        "fieldPath": "[version=2.0].[type=struct].[type=string].ssn",
        "description": "Social security number",
        "globalTags": {"tags": [{"tag": "urn:li:tag:confidential"}]},
        "glossaryTerms": {"terms": [{"urn": "urn:li:glossaryTerm:Id"}], "auditStamp": _STAMP},
    }
    expected = [
        ("tag", "confidential", "urn:li:tag:confidential", "ssn"),
        ("term", "Id", "urn:li:glossaryTerm:Id", "ssn"),
        ("description", "Social security number", "", "ssn"),
    ]
    assert _found("editableSchemaMetadata", {"editableSchemaFieldInfo": [column]}, "USER") == expected
    assert _found("schemaMetadata", {"fields": [{**column, "nativeDataType": "string"}]}) == expected


def test_fields_of_a_schema_keep_their_types() -> None:
    value = {"fields": [{"fieldPath": "address", "nativeDataType": "struct<zip:string>"}]}
    fields = {(one.text, one.detail) for one in list_descriptors_of_value("schemaMetadata", "SYSTEM", value)}
    assert {("address", "struct"), ("address.zip", "string"), ("zip", "string")} <= fields


def test_descriptions_names_and_links() -> None:
    assert _found("editableDatasetProperties", {"name": "Orders", "description": "All orders"}, "USER") == [
        ("name", "Orders", "", ""),
        ("description", "All orders", "", ""),
    ]
    assert _found("documentation", {"documentations": [{"documentation": "Read me"}]}) == [
        ("description", "Read me", "", "")
    ]
    link = {"elements": [{"url": "https://wiki", "description": "Wiki", "createStamp": _STAMP}]}
    assert [(one.text, one.detail) for one in list_descriptors_of_value("institutionalMemory", "USER", link)] == [
        ("https://wiki", "Wiki")
    ]
    assert _found("glossaryTermInfo", {"name": "Revenue", "definition": "Money in", "termSource": "INTERNAL"}) == [
        ("name", "Revenue", "", ""),
        ("description", "Money in", "", ""),
    ]


def test_structured_properties_use_the_key_of_their_definition() -> None:
    value = {
        "properties": [
            {"propertyUrn": "urn:li:structuredProperty:io.acme.retention", "values": [{"double": 90}, {"string": "x"}]}
        ]
    }
    assert [(one.key, one.text) for one in list_descriptors_of_value("structuredProperties", "SYSTEM", value)] == [
        ("io.acme.retention", "90"),
        ("io.acme.retention", "x"),
    ]


def test_schema_annotations_declare_descriptors() -> None:
    schema = {
        "type": "object",
        "properties": {
            "labels": {"type": "array", "items": {"type": "string", "x-colophon": "tag"}},
            "contact": {"$ref": "#/$defs/contact"},
            "facts": {"type": "object", "x-colophon": "property"},
            "rows": {"type": "integer", "x-colophon": "property"},
            "other": {"type": "string", "x-colophon": "no such kind"},
        },
        "$defs": {"contact": {"type": "object", "properties": {"who": {"type": "string", "x-colophon": "owner"}}}},
    }
    value = {
        "labels": ["gold", 7],
        "contact": {"who": "urn:li:corpuser:ada"},
        "facts": {"region": "eu"},
        "rows": 3,
        "other": "not searched",
    }
    assert [
        (one.kind, one.key, one.text)
        for one in list_descriptors_of_value("contract", "USER", value, find_contributions_of_schema(schema))
    ] == [
        ("tag", "tags", "gold"),
        ("tag", "tags", "7"),
        ("owner", "owner", "ada"),
        ("property", "region", "eu"),
        ("property", "rows", "3"),
    ]


def test_malformed_values_give_no_descriptors() -> None:
    shapes: tuple[object, ...] = (
        None,
        [],
        "text",
        {"tags": "x", "fields": [None, {"fieldPath": 1}], "owners": [3], "properties": []},
    )
    for aspect in CONTRIBUTIONS:
        for value in shapes:
            assert all(isinstance(one.text, str) for one in list_descriptors_of_value(aspect, "SYSTEM", value))


def test_plain_column_path_is_unchanged() -> None:
    assert simplify_column_path("a.b") == "a.b"
    assert simplify_column_path("[version=2.0].[type=struct].[type=array].[type=int].a.[type=int].b") == "a.b"


def test_described_members_are_fully_covered_by_descriptors() -> None:
    assert list_members_shown_by_descriptors("globalTags") == ("tags",)
    assert list_members_shown_by_descriptors("ownership") == ("ownerTypes", "owners")
    assert list_members_shown_by_descriptors("datasetProperties") == ("customProperties", "description", "name")
    assert list_members_shown_by_descriptors("schemaMetadata") == ()
    assert list_members_shown_by_descriptors("upstreamLineage") == ()
    annotated = (Contribution("tag", ("labels", "*")), Contribution("owner", ("contact", "mail")))
    assert list_members_shown_by_descriptors("contract", annotated) == ("labels",)
