#!/usr/bin/env python3
"""Crowds animated by rigview and by other programs, in turn, on one processor.

usage: benches/crowd_beside_peers.py --peer PROGRAM [--peer PROGRAM ...] MODEL [MODEL ...] [--clip NAME] [--runs N]

A peer is called as `PROGRAM --model FILE --instances 1000 [--animation NAME]` and prints JSON with its name, `peer`, and with
`ns_per_joint`: nanoseconds for each skin joint of each instance and frame, of sampling, hierarchy and matrices. One of bevy is here:

    cargo build --release --manifest-path benches/crowd-by-bevy/Cargo.toml --target-dir target/crowd-by-bevy
    benches/crowd_beside_peers.py --peer target/crowd-by-bevy/release/crowd-by-bevy fox.glb --clip Run

Needs `cargo build --release`. Prints the median of each set of instructions, and the medians of the ratios taken run by run, which a
machine's drift does not touch.
"""

import argparse
import json
import pathlib
import shutil
import statistics
import subprocess

RIGVIEW = pathlib.Path(__file__).resolve().parent.parent / "target" / "release" / "rigview"
LEVELS = ["avx512", "avx2", "baseline"]
ALONE = ["taskset", "-c", "1"] if shutil.which("taskset") else []


def run(*command):
    """What a program prints, as JSON; nothing where it fails."""
    done = subprocess.run([*ALONE, *map(str, command)], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--peer", dest="peers", action="append", required=True, type=pathlib.Path)
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--clip")
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    for model in args.models:
        print(model)
        peers, ours, accuracy = {}, {level: [] for level in LEVELS}, {}
        for _ in range(args.runs):
            clip = ["--animation", args.clip] if args.clip else []
            for program in args.peers:
                found = run(program, "--model", model, "--instances", 1000, *clip)
                if not found:
                    raise SystemExit(f"{program} cannot measure {model}")
                peers.setdefault(found.get("peer", program.name), []).append(found["ns_per_joint"])
            for level in LEVELS:
                clip = ["--clip", args.clip] if args.clip else []
                found = run(RIGVIEW, "bench", model, "--json", "--dispatch", level, *clip)
                if found:
                    ours[level].append(found["ns_per_joint"])
                    accuracy = found
        for name, times in peers.items():
            print(f"  {name:24} {statistics.median(times):7.2f} ns per joint")
        for level in filter(ours.get, LEVELS):
            print(f"  rigview {level:16} {statistics.median(ours[level]):7.2f} ns per joint")
            for name, times in peers.items():
                ratio = statistics.median(theirs / here for theirs, here in zip(times, ours[level]))
                print(f"    {ratio:6.2f} times as fast as {name}")
        if accuracy:
            print(f"  error {accuracy['error_linear']:.1e} in 3x3 parts, {accuracy['error_translation']:.1e} in translations")


main()
