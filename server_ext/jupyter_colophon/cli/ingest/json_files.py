"""Read JSON files of other tools, of a bounded size."""

import json
from pathlib import Path
from typing import Any, Final

from jupyter_colophon.core.errors import InvalidConfiguration

#: Parsed JSON takes several times the memory of its text.
_FILE_BYTES_MAX: Final = 256 * 1024 * 1024


def read_json_file(file: Path) -> Any:
    """Return the document in a file. Raises InvalidConfiguration."""
    try:
        if file.stat().st_size > _FILE_BYTES_MAX:
            raise InvalidConfiguration(f"{file} is larger than {_FILE_BYTES_MAX // 1024**2} MiB")
        return json.loads(file.read_bytes())
    except OSError as error:
        raise InvalidConfiguration(f"{file}: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise InvalidConfiguration(f"{file} is not JSON: {error}") from None
