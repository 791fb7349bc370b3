"""`make sample`: the whole story, twice at once."""

import subprocess
import sys
from pathlib import Path

SAMPLE = Path(__file__).parents[2] / "examples" / "run_sample.py"


def test_two_samples_at_once_tell_the_same_story():
    commands = [[sys.executable, str(SAMPLE)]] * 2
    running = [subprocess.Popen(one, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for one in commands]
    texts = [one.communicate(timeout=400)[0] for one in running]
    for one, text in zip(running, texts, strict=True):
        assert one.returncode == 0, text
        assert "FAIL" not in text
        assert "owner:ops" in text
