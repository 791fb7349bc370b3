"""Makes `model.json` of the Avro schemas in acryl-datahub's wheel: `python schemas/datahub/generate.py [<wheel>]`.

Without a wheel, the one of the pinned version is downloaded by pip. Only names, types and annotations are taken: no
documentation but that of the entities, see NOTICE.
"""

import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

VERSION = "1.7.0.17"
MODEL = Path(__file__).with_name("model.json")
_SCHEMAS = "datahub/metadata/schemas/"
#: How the classes are called in the wheel, and how on the wire.
_IN_WHEEL, _ON_WIRE = "com.linkedin.pegasus2avro.", "com.linkedin."
#: The member with which Avro distinguishes the parts of a union that have names; it is not on the wire.
_DISCRIMINATOR = "fieldDiscriminator"
#: Avro's types of one value; a field that is a URN has an annotation.
_PLAIN = {
    "string": {"type": "string"},
    "bytes": {"type": "string"},
    "boolean": {"type": "boolean"},
    "float": {"type": "number"},
    "double": {"type": "number"},
    "int": {"$ref": "#/$defs/int"},
    "long": {"$ref": "#/$defs/long"},
}
_DEFS = {
    "int": {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1},
    "long": {"type": "integer", "minimum": -(2**63), "maximum": 2**63 - 1},
    "urn": {"type": "string", "pattern": "^urn:[a-z]+:[^:]+:."},
}

_SEARCHED = {"fieldType": "type", "fieldName": "field"}

Json = dict[str, Any]


def download(folder: Path) -> Path:
    """The pinned wheel, in a folder: the one that is there, else from pip's index."""
    name = f"acryl_datahub-{VERSION}-py3-none-any.whl"
    if not (folder / name).exists():
        pinned = ["--no-deps", "--only-binary=:all:", "--dest", str(folder), f"acryl-datahub=={VERSION}"]
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", *pinned], check=True)  # noqa: S603  fixed words
    return folder / name


def generate(wheel: Path) -> str:
    """The text of `model.json`."""
    with zipfile.ZipFile(wheel) as archive:
        names = sorted(name for name in archive.namelist() if name.startswith(_SCHEMAS) and name.endswith(".avsc"))
        schemas = [json.loads(archive.read(name)) for name in names if not name.endswith("/schema.avsc")]
    records = [schema for schema in schemas if isinstance(schema, dict) and "Aspect" in schema]
    definitions = Definitions()
    aspects = {}
    for record in records:
        definitions.read(record)
        aspects[record["Aspect"]["name"]] = record
    document = {
        "source": {"package": "acryl-datahub", "version": VERSION, "license": "Apache-2.0"},
        "entities": sorted(filter(None, map(_entity, records)), key=lambda one: str(one["name"])),
        "aspects": {name: _aspect(aspects[name], definitions) for name in sorted(aspects)},
        "$defs": _DEFS | {name: definitions.made[name] for name in sorted(definitions.made)},
    }
    return _lines(document)


class Definitions:
    """The records and enumerations by their name on the wire, as JSON Schemas and as they were read."""

    def __init__(self) -> None:
        self.made: dict[str, Json] = {}
        self.records: dict[str, Json] = {}

    def read(self, type_: Any, within_array: bool = False, urn: Json | None = None) -> Json:
        """The JSON Schema of an Avro type; each class is defined once."""
        if isinstance(type_, list):
            return self._union(type_, within_array, urn)
        if isinstance(type_, str):
            if type_ == "string" and urn is not None:
                return urn
            return dict(_PLAIN[type_]) if type_ in _PLAIN else _reference(wire(type_))
        if type_["type"] == "array":
            return {"type": "array", "items": self.read(type_["items"], True, urn)}
        if type_["type"] == "map":
            return {"type": "object", "additionalProperties": self.read(type_["values"], False, urn)}
        if type_["type"] in ("record", "enum"):
            return self._class(type_)
        return self.read(type_["type"], within_array, urn)

    def _class(self, type_: Json) -> Json:
        name = _name(type_)
        made = {"enum": type_["symbols"]} if type_["type"] == "enum" else self._record(type_)
        if self.made.setdefault(name, made) != made:
            raise ValueError(f"{name} is defined twice, and differently")
        self.records.setdefault(name, type_)
        return _reference(name)

    def _record(self, type_: Json) -> Json:
        fields = type_["fields"]
        made: Json = {
            "type": "object",
            "properties": {
                one["name"]: self.read(one["type"], urn=_urn(one)) for one in fields if one["name"] != _DISCRIMINATOR
            },
            "additionalProperties": False,
        }
        if len(made["properties"]) < len(fields):
            return made | {"minProperties": 1, "maxProperties": 1}
        if required := [one["name"] for one in fields if "default" not in one and not _may_be_null(one["type"])]:
            made["required"] = required
        return made

    def _union(self, type_: list[Any], within_array: bool, urn: Json | None) -> Json:
        parts = [one for one in type_ if one != "null"]
        if len(parts) == 1 and not within_array:
            return self.read(parts[0], False, urn)
        return {
            "type": "object",
            "properties": {_name(one): self.read(one, False, urn) for one in parts},
            "additionalProperties": False,
            "minProperties": 1,
            "maxProperties": 1,
        }

    def annotated(self, type_: Any, name: str, path: str = "", within: tuple[str, ...] = ()) -> dict[str, Json]:
        """The annotations of that name below a type, by pointer; `*` is any item or key. The outermost one counts."""
        if isinstance(type_, str):
            key = wire(type_)
            if key not in self.records or key in within:
                return {}
            type_ = self.records[key]
        if isinstance(type_, list):
            parts = [one for one in type_ if one != "null"]
            alone = len(parts) == 1 and not path.endswith("/*")
            below = [self.annotated(one, name, path if alone else f"{path}/{_name(one)}", within) for one in parts]
            return {place: annotation for one in below for place, annotation in one.items()}
        if type_["type"] in ("array", "map"):
            return self.annotated(type_.get("items", type_.get("values")), name, f"{path}/*", within)
        if type_["type"] != "record":
            return {}
        found: dict[str, Json] = {}
        for one in type_["fields"]:
            place = f"{path}/{one['name']}"
            found |= self.annotated(one["type"], name, place, (*within, _name(type_)))
            found |= {place + below: annotation for below, annotation in _read_annotations(one.get(name))}
        return found


def wire(name: str) -> str:
    """The name of a class on the wire."""
    return name.replace(_IN_WHEEL, _ON_WIRE, 1)


def _name(type_: Any) -> str:
    if isinstance(type_, str):
        return wire(type_)
    return wire(f"{type_['namespace']}.{type_['name']}") if "name" in type_ else str(type_["type"])


def _reference(name: str) -> Json:
    return {"$ref": f"#/$defs/{name}"}


def _urn(field: Json) -> Json | None:
    """The schema of the URNs in a field; None where it holds none."""
    if "Urn" not in field:
        return None
    types = field.get("UrnValidation", {}).get("entityTypes")
    return {"type": "string", "pattern": f"^urn:li:({'|'.join(types)}):."} if types else _reference("urn")


def _may_be_null(type_: Any) -> bool:
    return isinstance(type_, list) and "null" in type_


def _read_annotations(annotation: Json | None) -> Iterator[tuple[str, Json]]:
    """Return a field's annotation and the path below the field: there is one, or one for each path."""
    if annotation is None:
        return
    if any(not key.startswith("/") for key in annotation):
        yield "", annotation
    else:
        yield from annotation.items()


def _entity(record: Json) -> Json | None:
    about = record["Aspect"]
    if "keyForEntity" not in about:
        return None
    category = about["entityCategory"]
    return {
        "name": about["keyForEntity"],
        "category": "" if category == "_unset_" else category,
        "doc": " ".join(about.get("entityDoc", "").split()),
        "keyAspect": about["name"],
        "aspects": about["entityAspects"],
    }


def _aspect(record: Json, definitions: Definitions) -> Json:
    about = record["Aspect"]
    document: Json = {"ref": _name(record)}
    if about.get("type") == "timeseries":
        document["timeseries"] = True
    if "schemaVersion" in about:
        document["schemaVersion"] = about["schemaVersion"]
    if "keyForEntity" in about:
        document["key"] = [field["name"] for field in record["fields"]]
    if relationships := definitions.annotated(record, "Relationship"):
        document["relationships"] = [
            _relationship(path, annotation) for path, annotation in sorted(relationships.items())
        ]
    if searched := definitions.annotated(record, "Searchable"):
        document["searched"] = [_searched(path, annotation) for path, annotation in sorted(searched.items())]
    if collections := definitions.annotated(record, "TimeseriesFieldCollection"):
        document["arrayKeys"] = {path: annotation["key"] for path, annotation in sorted(collections.items())}
    return document


def _relationship(path: str, annotation: Json) -> Json:
    document = {"path": path, "name": annotation["name"], "entityTypes": annotation.get("entityTypes", [])}
    if annotation.get("isLineage"):
        document |= {"isLineage": True, "isUpstream": annotation.get("isUpstream", True)}
    return document


def _searched(path: str, annotation: Json) -> Json:
    """Return the path of a searchable text, with its kind and its display name if they are given."""
    return {"path": path} | {to: annotation[name] for name, to in _SEARCHED.items() if name in annotation}


def _lines(document: Json) -> str:
    """JSON with one entity, aspect or definition a line: compact, and a new version can be read as a difference."""
    parts = []
    for name, value in document.items():
        if isinstance(value, list):
            inner = ",\n".join(map(_compact, value))
            parts.append(f"{_compact(name)}:[\n{inner}\n]")
        elif name in ("aspects", "$defs"):
            inner = ",\n".join(f"{_compact(key)}:{_compact(one)}" for key, one in value.items())
            parts.append(f"{_compact(name)}:{{\n{inner}\n}}")
        else:
            parts.append(f"{_compact(name)}:{_compact(value)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as kept:
        MODEL.write_text(generate(Path(sys.argv[1]) if sys.argv[1:] else download(Path(kept))), "utf-8")
