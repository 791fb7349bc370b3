"""Commands whose Python processes are captured (`jupyter colophon run`), in a folder with scripts."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from live import LiveServer
from support.packages import build_python_path

COPY = "import sys, pandas\npandas.read_csv(sys.argv[1]).to_csv(sys.argv[2], index=False)\n"
POOL = """
import multiprocessing, sys, pandas

def copy(number):
    pandas.read_csv("raw.csv").to_csv(f"{sys.argv[1]}{number}.csv", index=False)

if __name__ == "__main__":
    with multiprocessing.get_context(sys.argv[1]).Pool(1) as pool:
        pool.map(copy, range(2))
"""


class Folder:
    """A folder with scripts, in which commands are run."""

    def __init__(self, path: Path, server: LiveServer | None) -> None:
        self.path, self._server = path, server
        (path / "raw.csv").write_text("a,b\n1,2\n")
        (path / "convert.py").write_text(COPY)
        (path / "pool.py").write_text(POOL)

    def start(self, *words: str, path: str = "", options: tuple[str, ...] = (), **more: Any) -> subprocess.Popen[str]:
        home = self.path / "home"
        environment = {
            "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
            "HOME": str(home),
            "JUPYTER_DATA_DIR": str(home / "data"),
            "PYTHONPATH": os.pathsep.join(filter(None, [path, build_python_path()])),
        }
        if self._server is not None:
            environment |= {"COLOPHON_URL": self._server.url, "COLOPHON_TOKEN": self._server.token}
            environment["JUPYTER_RUNTIME_DIR"] = str(self._server.data.parent / "runtime")
        command = [sys.executable, "-m", "jupyter_colophon.cli", "run", *options, "--", *words]
        pipe = subprocess.PIPE
        return subprocess.Popen(
            command, env=environment, cwd=self.path, stdin=pipe, stdout=pipe, stderr=pipe, text=True, **more
        )

    def run(self, *words: str, text: str = "", **options: Any) -> tuple[int, str, str]:
        child = self.start(*words, **options)
        out, err = child.communicate(text, timeout=120)
        return child.returncode, out, err

    def make_urn(self, name: str) -> str:
        return f"urn:li:dataset:(urn:li:dataPlatform:file,{self.path}/{name},PROD)"
