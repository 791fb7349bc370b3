"""The requests of `http/test_answer_sizes.py`, which has some for each operation that reads, for other tests."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

_NAME = "answer_sizes"


def load_answer_sizes() -> Any:
    """Return the module of that test."""
    if _NAME not in sys.modules:
        spec = spec_from_file_location(_NAME, Path(__file__).parents[1] / "http" / "test_answer_sizes.py")
        assert spec is not None
        assert spec.loader is not None
        sys.modules[_NAME] = module_from_spec(spec)
        spec.loader.exec_module(sys.modules[_NAME])
    return sys.modules[_NAME]
