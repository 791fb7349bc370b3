"""What the source of an artifact declares, and what is refused; no code of it is executed."""

import zipfile
from io import BytesIO

import pytest
from jupyter_colophon.core.artifacts.artifact import ArtifactKey
from jupyter_colophon.core.artifacts.inspection import inspect_artifact
from jupyter_colophon.core.artifacts.inspection_process import inspect_artifact_in_process
from jupyter_colophon.core.errors import InvalidName
from support.artifacts import TOOLS, build_wheel

KEY = ArtifactKey("shop", "shop-tools", "1.0")
UPPER = '''
from jupyter_colophon.pipelines.plugin import TransformPlugin as Base

class Upper(Base):
    """A column in capitals."""
    name = "upper"
    properties = {"column": {"type": "string"}}
'''
POINTS = "[jupyter_colophon.pipeline_plugins]\nupper = shop_tools:Upper\n"


def test_module_declares_its_public_plugins() -> None:
    inspection = inspect_artifact(KEY, TOOLS.encode())
    assert (inspection.kind, inspection.problems) == ("module", ())
    upper, repeat, rogue = inspection.plugins
    assert (upper.use, upper.type, upper.name, upper.title) == ("pipeline", "transform", "upper", "Upper case")
    assert (upper.value, upper.inputs, upper.description) == ("shop_tools:Upper", (1, 1), "A column in capitals.")
    assert upper.schema["properties"] == {"column": {"title": "Column", "type": "string"}}
    assert upper.schema["required"] == ["column"]
    assert (repeat.use, repeat.type, repeat.name) == ("application", "tool", "repeat")
    assert rogue.schema["properties"] == {}


def test_wheel_declares_its_entry_points() -> None:
    files = {"shop_tools/__init__.py": "from .upper import Upper", "shop_tools/upper.py": UPPER}
    inspection = inspect_artifact(KEY, build_wheel(files, POINTS))
    assert (inspection.kind, inspection.description, inspection.problems) == ("wheel", "Tools", ())
    (upper,) = inspection.plugins
    assert (upper.value, upper.type, upper.title) == ("shop_tools:Upper", "transform", "upper")


def test_inspection_executes_no_code(tmp_path) -> None:
    mark = tmp_path / "mark"
    source = f"open({str(mark)!r}, 'w').close()\n{UPPER}"
    inspection = inspect_artifact_in_process(KEY, source.encode())
    assert [plugin.name for plugin in inspection.plugins] == ["upper"]
    assert not mark.exists()


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("def f(:", "does not compile"),
        ("return 1", "does not compile"),
        ("(" * 5_000, "does not compile"),
        ("\0", "does not compile"),
        ("x = 1", "no plugin"),
        (UPPER.replace('"upper"', "input()"), "name must be a literal"),
        (UPPER.replace('"upper"', '"../upper"'), "name must be a text"),
        (UPPER.replace('"upper"', "7"), "name must be a text"),
        (UPPER.replace('{"column"', "{7"), "properties must be a literal"),
        (UPPER + '    type = "shape"\n', "type must be one of"),
        (UPPER + "    takes = (1,)\n", "takes must be"),
        (UPPER + "    required = 5\n", "required must be"),
        (UPPER + UPPER.replace("class Upper", "class Other"), "declare the same transform upper"),
        ('__version__ = "2.0"\n' + UPPER, "its __version__ is '2.0'"),
        ("class A(B): pass\nclass B(A): pass\n", "no plugin"),
    ],
)
def test_invalid_module_is_refused(source: str, reason: str) -> None:
    (problem,) = inspect_artifact(KEY, source.encode()).problems
    assert reason in problem


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (build_wheel({"shop_tools.py": UPPER}, POINTS, name="other"), "has the name 'other'"),
        (build_wheel({"shop_tools.py": UPPER}, POINTS, version="2.0"), "has the version '2.0'"),
        (build_wheel({"shop_tools.py": UPPER}, POINTS, pure="false"), "Root-Is-Purelib"),
        (build_wheel({"shop_tools.py": UPPER}, POINTS, tag="cp311-cp311-linux_x86_64"), "no tag"),
        (build_wheel({"shop_tools.py": UPPER, "fast.so": b"\x7fELF"}, POINTS), "it contains fast.so"),
        (build_wheel({"shop_tools.py": UPPER, "start.pth": "import os"}, POINTS), "it contains start.pth"),
        (build_wheel({"shop_tools.py": UPPER, "../evil.py": ""}, POINTS), "outside the wheel"),
        (build_wheel({"shop_tools.py": UPPER, "/etc/evil.py": ""}, POINTS), "outside the wheel"),
        (build_wheel({"shop_tools.py": UPPER, "x.data/scripts/evil": ""}, POINTS), "installed outside"),
        (build_wheel({"shop_tools.py": UPPER, "SHOP_TOOLS.py": ""}, POINTS), "twice"),
        (build_wheel({"shop_tools.py": UPPER, "zeros": b"\0" * (65 * 1024 * 1024)}, POINTS), "more than 67,108,864"),
        (build_wheel({"shop_tools.py": b"#" * (1024 * 1024) + UPPER.encode()}, POINTS), "more than 1,048,576"),
        (build_wheel({f"f{at}": "" for at in range(2_001)}, POINTS), "more than 2,000 files"),
        (build_wheel({"shop_tools.py": UPPER}), "no plugin"),
        (build_wheel({"shop_tools.py": UPPER}, POINTS + "more = shop_tools\n"), "must be MODULE:CLASS"),
        (build_wheel({"shop_tools.py": UPPER}, POINTS + "more = shop_tools:Absent\n"), "is not defined"),
        (build_wheel({"shop_tools.py": UPPER}, "no section"), "malformed"),
        (
            build_wheel({"shop_tools.py": UPPER}, POINTS.replace("pipeline_plugins", "application_plugins")),
            "group of pipeline plugins",
        ),
        (build_wheel({"shop_tools.py": UPPER}, POINTS)[:-30], "not a zip file"),
        (b"PK\x03\x04", "not a zip file"),
    ],
)
def test_invalid_wheel_is_refused(content: bytes, reason: str) -> None:
    (problem,) = inspect_artifact(KEY, content).problems
    assert reason in problem


def test_link_in_a_wheel_is_refused() -> None:
    link = zipfile.ZipInfo("link.py")
    link.external_attr = 0o120777 << 16
    content = BytesIO(build_wheel({"shop_tools.py": UPPER}, POINTS))
    with zipfile.ZipFile(content, "a") as archive:
        archive.writestr(link, "/etc/passwd")
    assert inspect_artifact(KEY, content.getvalue()).problems == ("link.py is a symbolic link",)


@pytest.mark.parametrize(
    "parts", [("no/namespace", "a", "1"), ("shop", "../a", "1"), ("shop", "a", ""), ("shop", "a", "1/2")]
)
def test_invalid_names_are_refused(parts: tuple[str, str, str]) -> None:
    with pytest.raises(InvalidName):
        ArtifactKey(*parts)
