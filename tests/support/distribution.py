"""Build distributions of the working tree like a release: from tracked files only, with the production frontend."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def build_distributions(folder: Path) -> tuple[Path, Path]:
    """Build the source distribution and, from it, the wheel below `folder`; return their paths."""
    source = folder / "source"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    for name in filter(None, listed.decode().split("\0")):
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, source / name)
    _run_module("build", "--outdir", str(folder), str(source))
    (sdist,), (wheel,) = folder.glob("*.tar.gz"), folder.glob("*.whl")
    return sdist, wheel


def create_virtual_environment(folder: Path, *requirements: str) -> Path:
    """Create a virtual environment with only these requirements; return its folder of commands."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    # Few of these modules are ever imported; those are compiled then.
    _run_module("pip", f"--python={folder / 'bin' / 'python'}", "install", "--no-compile", *requirements)
    return folder / "bin"


def _run_module(*arguments: str) -> None:
    """Run a module of this Python; print its output only if it fails."""
    done = subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
