"""The fuzzer of `scripts/`, for a few thousand pairs; by hand it tries a million."""

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[3] / "scripts/fuzz_filters.py"


def test_a_few_thousand_pairs() -> None:
    """No exception leaves the evaluator, none takes longer than its budget, and the interpreter agrees."""
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--pairs", "10000", "--seed", "7"],
        capture_output=True,
        text=True,
        check=False,
    )
    report = json.loads(done.stdout)

    assert report["failures"] == []
    assert report["pairs"] == 10_000
    assert set(report["truths"]) == {"true", "false", "error"}
    assert report["compared_with_the_interpreter"] > 50
    assert done.returncode == 0
