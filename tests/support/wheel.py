"""A wheel of the working tree, built as a release is: from the tracked files alone, with the frontend for production."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def build(folder: Path) -> Path:
    """Build the wheel in a copy of what git tracks below `folder`; returns its path."""
    source = folder / "source"
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True).stdout
    for name in filter(None, listed.decode().split("\0")):
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, source / name)
    pip(Path(sys.executable), "wheel", "--no-deps", "--wheel-dir", str(folder), str(source))
    return next(folder.glob("*.whl"))


def environment(folder: Path, *requirements: str) -> Path:
    """A virtual environment with these requirements and nothing else; returns its folder of commands."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    # Little of it is ever imported: what is, is compiled then.
    pip(Path(sys.executable), f"--python={folder / 'bin' / 'python'}", "install", "--no-compile", *requirements)
    return folder / "bin"


def pip(python: Path, *arguments: str) -> None:
    """Run pip; its output is shown only when it fails."""
    done = subprocess.run([python, "-m", "pip", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
