#!/usr/bin/env python3
"""From start to a finished 1280x720 image: rigview and F3D, alternately, as whole processes.

usage: benches/start_to_image.py MODEL [MODEL ...] [--runs N]

Needs `cargo build --release`, and F3D from PyPI in the Python that runs this: pip install f3d==4.0.0
Prints the median of each, and the median of the ratios taken pair by pair, which slow changes of the machine's speed do not affect.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

RIGVIEW = pathlib.Path(__file__).resolve().parent.parent / "target" / "release" / "rigview"
F3D = """
import sys, f3d
f3d.Engine.autoload_plugins()
engine = f3d.Engine.create_egl()
engine.window.size = (1280, 720)
engine.scene.add(sys.argv[1])
engine.window.render_to_image().save(sys.argv[2])
"""


def run(command):
    """Wall seconds, processor seconds and peak MiB of one run of a command."""
    start = time.monotonic()
    # A shader cache would make every run after the first faster.
    env = os.environ | {"MESA_SHADER_CACHE_DISABLE": "true"}
    process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - start
    if status != 0:
        sys.exit(f"failed: {' '.join(map(str, command))}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("--runs", type=int, default=11)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.png")
        for model in arguments.models:
            ours = [RIGVIEW, "shot", model, "-o", out]
            theirs = [sys.executable, "-c", F3D, model, out]
            run(ours), run(theirs)
            pairs = [(run(ours), run(theirs)) for _ in range(arguments.runs)]
            print(model)
            for i, what in enumerate(["wall s", "processor s", "peak MiB"]):
                a, b = (statistics.median(pair[side][i] for pair in pairs) for side in (0, 1))
                ratio = statistics.median(mine[i] / other[i] for mine, other in pairs)
                print(f"  {what:12} rigview {a:8.3f}   F3D {b:8.3f}   ratio {ratio:.3f}")


if __name__ == "__main__":
    main()
