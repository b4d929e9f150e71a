"""The worker behind Ray Serve, unchanged: two replicas, and each session stays with one of them."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_sessions_stay_with_their_replica_and_both_replicas_work(tmp_path: Path) -> None:
    paths = [str(ROOT), str(ROOT / "Testing"), str(ROOT / "MultiRoundSeg")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths), "RAY_USAGE_STATS_ENABLED": "0"}
    done = subprocess.run(
        [sys.executable, "-m", "worker.ray_application"],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=180,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    answered = json.loads(done.stdout.splitlines()[-1])
    assert [len(rounds) for rounds in answered] == [3] * 8
    assert all(len(set(rounds)) == 1 for rounds in answered), answered
    assert len({rounds[0] for rounds in answered}) == 2, answered
