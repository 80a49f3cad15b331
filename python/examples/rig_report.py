"""Prints a table of the rigs in a folder: joints without weights, most influences of a vertex, height, reach of the clips, issues.

usage: rig_report.py FOLDER
"""

import sys
from pathlib import Path

import numpy as np

import rigview


def report(file: Path) -> str:
    model = rigview.open(file)
    weight_of_joint = np.zeros(len(model.joints))
    influences = 0
    for draw in model.draws:
        primitive = model.meshes[draw.mesh].primitives[draw.primitive]
        if draw.skin is not None and primitive.slots is not None and primitive.weights is not None:
            joints = np.array(model.palette_joints[draw.matrices])
            np.add.at(weight_of_joint, joints[primitive.slots], primitive.weights)
            influences = max(influences, int((primitive.weights > 0).sum(axis=1).max()))
    skinned = {joint for draw in model.draws if draw.skin is not None for joint in model.palette_joints[draw.matrices]}
    unused = sum(weight_of_joint[joint] == 0 for joint in skinned)
    height = 0.0 if model.bounds is None else model.bounds[1, 1] - model.bounds[0, 1]
    # The largest distance that a joint moves from its rest pose.
    rest, reach = model.poses(None, 0)[:, :3, 3], 0.0
    for clip in model.clips:
        moved = model.poses(clip, np.arange(0, clip.duration, 1 / 30))[:, :, :3, 3] - rest
        reach = max(reach, float(np.linalg.norm(moved, axis=2).max(initial=0)))
    issues = rigview.check(file)
    errors = sum(issue["severity"] == "error" for issue in issues)
    return f"{file.name:24} {len(model.joints):6} {unused:10} {influences:10} {height:8.2f} {reach:8.2f} {errors:6} {len(issues):6}"


print(f"{'file':24} {'joints':>6} {'unweighted':>10} {'influences':>10} {'height':>8} {'reach':>8} {'errors':>6} {'issues':>6}")
for path in sorted(Path(sys.argv[1]).glob("*.gl*")):
    print(report(path))
