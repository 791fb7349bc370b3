"""The code of an artifact, which a process imports from a file of its own.

When it is pickled, as in a function for Spark's executors, it takes the content with it.
"""

import atexit
import os
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib import import_module, invalidate_caches
from pathlib import Path
from shutil import rmtree
from typing import Any

from jupyter_colophon.core.errors import PluginFailed


@dataclass(frozen=True, slots=True)
class ArtifactCode:
    """The content of an artifact. `name` is `artifact/version`, `file_name` that of a module or a wheel."""

    name: str
    file_name: str
    sha256: str
    content: bytes = field(repr=False)

    def __post_init__(self) -> None:
        """Require that the content is that of the artifact. Raises PluginFailed."""
        if sha256(self.content).hexdigest() != self.sha256:
            raise PluginFailed(self.name, "the content of its artifact does not have the digest of the artifact")

    def import_class(self, value: str) -> Any:
        """Return a class by `module:Class`. Raises PluginFailed."""
        module, _, class_name = value.partition(":")
        path = self.write_file()
        try:
            self._forget_other_versions(module.partition(".")[0], path)
            if str(path) not in sys.path:
                sys.path.insert(0, str(path))
                invalidate_caches()
            return getattr(import_module(module), class_name)
        except PluginFailed:
            raise
        except Exception as error:
            raise PluginFailed(self.name, f"it cannot be imported: {type(error).__name__} ({error})") from error

    def write_file(self) -> Path:
        """Write the file that Python, and executors of Spark, import it from, unless it exists, and return its path."""
        stem, _, suffix = self.file_name.rpartition(".")
        path = _get_folder() / f"{stem}-{self.sha256[:12]}.zip"
        if path.exists():
            return path
        # Other processes of an executor have the same folder.
        handle, temporary = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            if suffix == "whl":
                file.write(self.content)
            else:
                with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                    archive.writestr(self.file_name, self.content)
        Path(temporary).replace(path)
        return path

    def _forget_other_versions(self, package: str, path: Path) -> None:
        """Forget a package that was imported from another version. Raises PluginFailed if it is not one of an artifact."""
        module = sys.modules.get(package)
        if module is None:
            return
        origin = str(getattr(module.__spec__, "origin", "") or "")
        # Spark's own entries of the path are relative in executors.
        absolute = os.path.abspath(origin)
        if absolute.startswith(f"{path}/"):
            return
        if not absolute.startswith(str(path.parent)):
            raise PluginFailed(self.name, f"its module {package} has the name of one that this process has imported")
        for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
            del sys.modules[name]
        sys.path[:] = [entry for entry in sys.path if not origin.startswith(f"{entry}/") or not entry.endswith(".zip")]


@dataclass(slots=True)
class ClassesOfArtifacts(Mapping[str, Any]):
    """Classes by their names in pipelines and recipes, which are imported when they are used first in a process."""

    #: The code of each class, and its `module:Class`.
    places: Mapping[str, tuple[ArtifactCode, str]]
    _imported: dict[str, Any] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Any:
        """Return a class. Raises PluginFailed."""
        if name not in self._imported:
            code, value = self.places[name]
            self._imported[name] = code.import_class(value)
        return self._imported[name]

    def __iter__(self) -> Iterator[str]:
        """Yield the names."""
        return iter(self.places)

    def select(self, names: Iterable[str]) -> "ClassesOfArtifacts":
        """Return those with these names."""
        return ClassesOfArtifacts({name: self.places[name] for name in names}, self._imported)

    def __len__(self) -> int:
        """Return the number of classes."""
        return len(self.places)

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave the classes out: another process imports them itself."""
        return type(self), (dict(self.places),)


def _get_folder() -> Path:
    """Return the folder for artifacts: in a task of Spark the one that ends with the application."""
    if "pyspark" in sys.modules:
        from pyspark import SparkFiles, TaskContext

        with suppress(AttributeError):
            if TaskContext.get() is not None:
                # Relative in executors.
                return Path(SparkFiles.getRootDirectory()).absolute()
    return _create_folder_of_process()


@cache
def _create_folder_of_process() -> Path:
    """Return a folder that ends with this process."""
    folder = Path(tempfile.mkdtemp(prefix="colophon-artifacts-"))
    atexit.register(rmtree, folder, ignore_errors=True)
    return folder
