#!/usr/bin/env python3
"""From start to a finished 1280x720 image: rigview and F3D, alternately, as whole processes.

usage: benches/start_to_image.py MODEL|FOLDER [...] [--runs N] [--rigview PROGRAM]

Needs `cargo build --release`, and F3D from PyPI in the Python that runs this: pip install f3d==4.0.0
Of a folder, each subfolder is one model: its .glb, else its .gltf. Models that either program refuses are left out.
Prints a Markdown table. Ratios are medians of ratios taken pair by pair, which slow changes of the machine's speed do not
affect. Models with a star use material extensions that F3D ignores.
"""

import argparse
import json
import os
import pathlib
import statistics
import struct
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
IGNORED_BY_F3D = {f"KHR_materials_{name}" for name in ("transmission", "clearcoat", "sheen", "iridescence")}


def run(command):
    """Wall seconds, CPU seconds and peak MiB of one run of a command, or None if it fails."""
    start = time.monotonic()
    # A shader cache would make every run after the first faster.
    env = os.environ | {"MESA_SHADER_CACHE_DISABLE": "true"}
    process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        return None
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def models_of(path):
    """The model files of an argument."""
    if path.is_file():
        return [path]
    found = []
    for folder in sorted(entry for entry in path.iterdir() if entry.is_dir()):
        files = sorted(folder.rglob("*.glb")) or sorted(folder.rglob("*.gltf"))
        found += files[:1]
    return found


def extensions_of(model):
    """The names in `extensionsUsed` of a model file."""
    data = model.read_bytes()
    if data[:4] == b"glTF":
        (length,) = struct.unpack_from("<I", data, 12)
        data = data[20 : 20 + length]
    return set(json.loads(data).get("extensionsUsed", []))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="+", metavar="MODEL|FOLDER", type=pathlib.Path)
    parser.add_argument("--runs", type=int, default=11)
    parser.add_argument("--rigview", default=RIGVIEW, type=pathlib.Path)
    arguments = parser.parse_args()
    rows = []
    print("| model | CPU s | F3D CPU s | CPU ratio | wall ratio | MiB | F3D MiB | memory ratio |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.png")
        for model in (file for path in arguments.models for file in models_of(path)):
            ours = [arguments.rigview, "shot", model, "-o", out]
            theirs = [sys.executable, "-c", F3D, model, out]
            refused = [name for name, command in (("rigview", ours), ("F3D", theirs)) if run(command) is None]
            if refused:
                print(f"{model}: not drawn by {' and '.join(refused)}", file=sys.stderr)
                continue
            pairs = [(run(ours), run(theirs)) for _ in range(arguments.runs)]
            medians = [[statistics.median(pair[side][i] for pair in pairs) for side in (0, 1)] for i in range(3)]
            ratios = [statistics.median(mine[i] / other[i] for mine, other in pairs) for i in range(3)]
            name = model.stem + ("*" if IGNORED_BY_F3D & extensions_of(model) else "")
            rows.append(ratios)
            (_, [cpu, f3d_cpu], [memory, f3d_memory]), (wall_ratio, cpu_ratio, memory_ratio) = medians, ratios
            print(
                f"| {name} | {cpu:.2f} | {f3d_cpu:.2f} | {cpu_ratio:.2f} | {wall_ratio:.2f} "
                f"| {memory:.0f} | {f3d_memory:.0f} | {memory_ratio:.2f} |",
                flush=True,
            )
    if not rows:
        sys.exit("no model that both programs draw")
    wall_ratio, cpu_ratio, memory_ratio = (statistics.median(column) for column in zip(*rows))
    print(f"| **median of {len(rows)}** | | | {cpu_ratio:.2f} | {wall_ratio:.2f} | | | {memory_ratio:.2f} |")


if __name__ == "__main__":
    main()
