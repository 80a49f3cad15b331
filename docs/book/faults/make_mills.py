#!/usr/bin/env python3
"""Writes a small windmill, and copies of it, each with one fault of its motion.

Usage: make_mills.py FOLDER. Needs Python 3 only. The guide shows the files in docs/book/src/artists/windmill.md.
"""

import math
import sys
from pathlib import Path

from make_faults import FLOAT, INDICES, SHORT, VERTICES, Tail

FPS, SECS = 24, 4
TOWER, CAP, ROTOR, WHEEL, PINION = range(5)
BROWN, WHITE, RED = range(3)
COLORS = {"wood": [0.25, 0.12, 0.05, 1], "plaster": [0.75, 0.72, 0.66, 1], "paint": [0.4, 0.04, 0.03, 1]}


def box(center, size):
    """Positions, normals and indices of a box."""
    positions, normals, indices = [], [], []
    for axis in range(3):
        for sign in (-1, 1):
            first = len(positions) // 3
            for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                corner = [0, 0, 0]
                corner[axis], corner[(axis + 1) % 3], corner[(axis + 2) % 3] = sign, sign * u, v
                positions += [c + s * x / 2 for c, s, x in zip(center, size, corner)]
                normals += [sign if i == axis else 0 for i in range(3)]
            indices += [first + i for i in (0, 1, 2, 0, 2, 3)]
    return positions, normals, indices


def merged(boxes):
    positions, normals, indices = [], [], []
    for part in boxes:
        first = len(positions) // 3
        positions, normals = positions + part[0], normals + part[1]
        indices += [first + index for index in part[2]]
    return positions, normals, indices


def about_z(turns):
    half = math.pi * turns
    return [0, 0, math.sin(half), math.cos(half)]


class Mill(Tail):
    """A tower, a cap, a rotor along +Z, and two gears of one mesh: `turns` maps a node to its turns at each frame."""

    def __init__(self, turns, sails_at=0, cap_scale=None, is_per_object=False):
        self.data = b""
        self.json = {"asset": {"version": "2.0", "generator": "make_mills.py"}, "accessors": [], "bufferViews": []}
        self.json["materials"] = [{"name": name, "pbrMetallicRoughness": {
            "baseColorFactor": color, "metallicFactor": 0, "roughnessFactor": 0.8}} for name, color in COLORS.items()]
        self.json["meshes"] = []
        sails = [box((sails_at, 0, 0), (0.4, 0.4, 0.3))]
        for x, y in ((1, 0), (0, 1), (-1, 0), (0, -1)):
            center, size = (1.3 * x + sails_at, 1.3 * y, 0), (2.2 if x else 0.5, 2.2 if y else 0.5, 0.06)
            sails.append(box(center, size))
        gear = [box((0, 0, 0), (0.7, 0.7, 0.12)), box((0.45, 0, 0), (0.2, 0.16, 0.12))]
        meshes = [("tower", WHITE, [box((0, 2, 0), (1.6, 4, 1.6))]), ("cap", RED, [box((0, 0.4, 0), (1.7, 0.8, 1.7))]),
                  ("sails", BROWN, sails), ("gear", BROWN, gear)]
        for name, material, boxes in meshes:
            positions, normals, indices = merged(boxes)
            self.json["meshes"].append({"name": name, "primitives": [{"attributes": {
                "POSITION": self.accessor("VEC3", FLOAT, positions, VERTICES, bounds=True),
                "NORMAL": self.accessor("VEC3", FLOAT, normals, VERTICES),
            }, "indices": self.accessor("SCALAR", SHORT, indices, INDICES), "material": material}]})
        self.json["nodes"] = [
            {"name": "tower", "mesh": 0, "children": [CAP]},
            {"name": "cap", "mesh": 1, "translation": [0, 4, 0], "children": [ROTOR, WHEEL, PINION]},
            {"name": "rotor", "mesh": 2, "translation": [0, 0.4, 1.1]},
            {"name": "gear.1", "mesh": 3, "translation": [0.7, 1.2, 0.3]},
            {"name": "gear.2", "mesh": 3, "translation": [-0.4, 1.2, 0.3]}]
        if cap_scale:
            self.json["nodes"][CAP]["scale"] = cap_scale
        self.json["scenes"], self.json["scene"] = [{"nodes": [TOWER]}], 0
        clips = [[node] for node in turns] if is_per_object else [list(turns)]
        name = lambda nodes: f"{self.json['nodes'][nodes[0]]['name']} action" if is_per_object else "work"
        self.json["animations"] = [self.animation(name(nodes), {node: turns[node] for node in nodes}) for nodes in clips]

    def animation(self, name, turns):
        samplers, channels = [], []
        for node, keys in turns.items():
            times = self.accessor("SCALAR", FLOAT, [frame / FPS for frame in keys], bounds=True)
            values = self.accessor("VEC4", FLOAT, [x for at in keys.values() for x in about_z(at)])
            channels.append({"sampler": len(samplers), "target": {"node": node, "path": "rotation"}})
            samplers.append({"input": times, "output": values})
        return {"name": name, "samplers": samplers, "channels": channels}


def even(turns, frames=FPS * SECS, last=None):
    """Turns at each frame, for whole turns in this number of frames."""
    return {frame: turns * frame / frames for frame in range((last or frames) + 1)}


def eased(turns, frames=FPS * SECS):
    return {frame: turns * (frame / frames) ** 2 * (3 - 2 * frame / frames) for frame in range(frames + 1)}


SOUND = {ROTOR: even(-1), WHEEL: even(3), PINION: even(-3)}
FILES = {
    "mill": Mill(SOUND),
    "mill-per-object": Mill(SOUND, is_per_object=True),
    "mill-eased": Mill({**SOUND, ROTOR: eased(-1)}),
    "mill-two-keys": Mill({**SOUND, ROTOR: {0: 0, FPS * SECS: -1}}),
    "mill-frame-missing": Mill({node: even(turns, last=FPS * SECS - 1) for node, turns in ((ROTOR, -1), (WHEEL, 3), (PINION, -3))}),
    "mill-pivot": Mill(SOUND, sails_at=3),
    "mill-sheared": Mill(SOUND, cap_scale=[1, 1.5, 1]),
    "mill-gear-still": Mill({ROTOR: even(-1), WHEEL: even(3)}),
}

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(exist_ok=True)
    for name, mill in FILES.items():
        mill.write(folder / name)
