"""Record the artifacts of a real run of dbt: `python tests/support/dbt_artifacts.py TARGET_DIR` writes them to
`tests/dbt/recorded`.

What no test reads is left out: macros, documentation blocks, raw code, the settings of the run. Paths of the machine are
replaced.
"""

import json
import sys
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).parents[1] / "dbt" / "recorded"
_PARTS = ("metadata", "nodes", "sources", "exposures", "groups")
_OF_NODE = frozenset(
    [
        "alias",
        "attached_node",
        "column_name",
        "columns",
        "compiled_code",
        "config",
        "database",
        "depends_on",
        "description",
        "group",
        "identifier",
        "label",
        "language",
        "meta",
        "name",
        "original_file_path",
        "owner",
        "package_name",
        "relation_name",
        "resource_type",
        "schema",
        "source_name",
        "tags",
        "test_metadata",
        "type",
        "unique_id",
        "url",
    ]
)
_OF_CONFIG = frozenset({"materialized", "tags", "meta", "group", "where", "severity"})
_OF_ARGUMENTS = frozenset({"which", "target", "profile"})


def reduce_artifacts(target: Path) -> dict[str, Any]:
    """Return the artifacts of a target folder by the names of their files, without what no test reads."""
    manifest, catalog, results = (
        json.loads((target / name).read_text("utf-8")) for name in ("manifest.json", "catalog.json", "run_results.json")
    )
    manifest = {part: manifest[part] for part in _PARTS}
    for part in _PARTS[1:]:
        manifest[part] = {id_: _reduce_node(node) for id_, node in manifest[part].items()}
    results["args"] = {name: value for name, value in results["args"].items() if name in _OF_ARGUMENTS}
    for result in results["results"]:
        result.pop("compiled_code", None)
    return {"manifest.json": manifest, "catalog.json": catalog, "run_results.json": results}


def _reduce_node(node: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in node.items() if name in _OF_NODE}
    if "config" in kept:
        kept["config"] = {name: value for name, value in kept["config"].items() if name in _OF_CONFIG}
    return kept


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    for name, artifact in reduce_artifacts(folder).items():
        text = json.dumps(artifact, indent=1, ensure_ascii=False).replace(
            str(folder.absolute().parent), "/projects/shop"
        )
        (RECORDED / name).write_text(text + "\n", "utf-8")
