#!/usr/bin/env python3
"""Crowds animated by rigview and by a program that does the same with ozz-animation-rs, in turn, on one processor.

usage: benches/crowd_beside_ozz.py PEER MODEL [MODEL ...] [--clip NAME] [--runs N]

PEER is called as `PEER --model FILE --instances 1000 [--animation NAME]` and prints JSON with `ns_per_joint`: nanoseconds for each
skin joint of each instance and frame, of sampling, hierarchy and matrices. Needs `cargo build --release`.
Prints the median of each set of instructions, and the median of the ratios taken run by run, which a machine's drift does not touch.
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
    parser.add_argument("peer", type=pathlib.Path)
    parser.add_argument("models", nargs="+", type=pathlib.Path)
    parser.add_argument("--clip")
    parser.add_argument("--runs", type=int, default=5)
    args = parser.parse_args()
    for model in args.models:
        print(model)
        peer, ours, told = [], {level: [] for level in LEVELS}, {}
        for _ in range(args.runs):
            clip = ["--animation", args.clip] if args.clip else []
            found = run(args.peer, "--model", model, "--instances", 1000, *clip)
            peer.append(found["ns_per_joint"] if found else float("nan"))
            for level in LEVELS:
                clip = ["--clip", args.clip] if args.clip else []
                found = run(RIGVIEW, "bench", model, "--cpu-only", "--json", "--dispatch", level, *clip)
                if found:
                    ours[level].append(found["ns_per_joint"])
                    told = found
        print(f"  ozz-animation-rs  {statistics.median(peer):6.2f} ns a joint")
        for level in LEVELS:
            if ours[level]:
                ratio = statistics.median(theirs / here for theirs, here in zip(peer, ours[level]))
                print(f"  rigview {level:9} {statistics.median(ours[level]):6.2f} ns a joint, {ratio:5.2f} times as fast")
        if told:
            print(f"  error {told['error_linear']:.1e} in 3x3 parts, {told['error_translation']:.1e} in translations")


main()
