"""`make sample`: the example notebooks run, on two servers in parallel."""

import subprocess
import sys
from pathlib import Path

SAMPLE = Path(__file__).parents[2] / "examples" / "run_sample.py"
#: A small sample of flights is enough to test the notebooks.
AT_ONCE = (["flights", "--rows=2000"], ["pipeline", "stream", "crawl", "--one-kernel"])


def test_example_notebooks_run_in_parallel() -> None:
    commands = [[sys.executable, str(SAMPLE), *words] for words in AT_ONCE]
    running = [subprocess.Popen(one, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for one in commands]
    texts = [one.communicate(timeout=900)[0] for one in running]
    for one, text in zip(running, texts, strict=True):
        assert one.returncode == 0, text
        assert "FAIL" not in text
    assert "owner:ops" in texts[0]
