"""`make sample`: the notebooks of the examples tell their stories, two servers of them at once."""

import subprocess
import sys
from pathlib import Path

SAMPLE = Path(__file__).parents[2] / "examples" / "run_sample.py"
#: Few flights are as good as a year's: what is tried is the story.
AT_ONCE = (["flights", "--rows=2000"], ["pipeline", "stream", "crawl", "--one-kernel"])


def test_the_notebooks_tell_their_stories_beside_each_other() -> None:
    commands = [[sys.executable, str(SAMPLE), *words] for words in AT_ONCE]
    running = [subprocess.Popen(one, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for one in commands]
    texts = [one.communicate(timeout=900)[0] for one in running]
    for one, text in zip(running, texts, strict=True):
        assert one.returncode == 0, text
        assert "FAIL" not in text
    assert "owner:ops" in texts[0]
