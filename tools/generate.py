"""Write the files that are generated from declarations of the code; with --check, only report those that are stale."""

import sys
from pathlib import Path

from generators import (
    benchmarks_page,
    cli_page,
    directives_page,
    events_page,
    magic_page,
    messages_page,
    python_client,
    registry_page,
    rest_page,
    search_page,
    settings_page,
    typescript,
    v3_client,
)

ROOT = Path(__file__).parents[1]
#: Texts of generated files by their paths.
GENERATORS = {
    module.TARGET: module.generate
    for module in (
        benchmarks_page,
        cli_page,
        directives_page,
        events_page,
        magic_page,
        messages_page,
        python_client,
        registry_page,
        rest_page,
        search_page,
        settings_page,
        typescript,
        v3_client,
    )
}


def find_stale_files() -> dict[str, str]:
    """Return the text of every generated file whose committed text differs, by its path."""
    texts = {path: generate() for path, generate in GENERATORS.items()}
    return {path: text for path, text in texts.items() if _read_or_empty(ROOT / path) != text}


def main(arguments: list[str]) -> int:
    """Write stale files, or name them with --check."""
    result = find_stale_files()
    if "--check" in arguments:
        for path in result:
            print(f"{path} is stale: run jlpm generate", file=sys.stderr)
        return 1 if result else 0
    for path, text in result.items():
        target = ROOT / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return 0


def _read_or_empty(path: Path) -> str:
    return path.read_text() if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
