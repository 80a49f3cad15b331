#!/usr/bin/env python3
"""Writes a tail with four bones, and twelve copies of it, each with one fault that exports often have.

Usage: make_faults.py FOLDER. Needs Python 3 only. The guide shows the files in docs/book/src/artists/faults.md.
"""

import json
import math
import struct
import sys
import zlib
from pathlib import Path

BONES = ["root", "middle", "end", "tip"]
LENGTH = 0.25
RINGS, SIDES = 13, 10
FLOAT, BYTE, SHORT = 5126, 5121, 5123
SIZES = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
TYPES = {FLOAT: "f", BYTE: "B", SHORT: "H"}
VERTICES, INDICES = 34962, 34963


def about_x(degrees):
    half = math.radians(degrees) / 2
    return [round(math.sin(half), 6), 0, 0, round(math.cos(half), 6)]


def in_bytes(influences):
    """Influences with weights from 0 to 255, whose sum is 255."""
    rounded = [(joint, round(weight * 255)) for joint, weight in influences]
    joint, first = rounded[0]
    return [(joint, first + 255 - sum(weight for _, weight in rounded))] + rounded[1:]


class Tail:
    """A tail along +Y: `self.json` is the file, `self.data` its binary chunk."""

    def __init__(self):
        self.data = b""
        self.json = {"asset": {"version": "2.0", "generator": "make_faults.py"}, "accessors": [], "bufferViews": []}
        self.weights = [self.weights_at(ring * len(BONES) / (RINGS - 1)) for ring in range(RINGS) for _ in range(SIDES)]

    @staticmethod
    def weights_at(height):
        """Up to two (joint, weight) at a height in bones: one bone below, blended over half a bone."""
        below = min(int(max(height - 0.25, 0)), len(BONES) - 1)
        share = min(max((height - 0.75 - below) / 0.5, 0), 1) if below < len(BONES) - 1 else 0
        return [(below, 1 - share), (below + 1, share)] if share > 0 else [(below, 1)]

    def accessor(self, kind, component, values, target=None, bounds=False, normalized=False):
        self.data += bytes(-len(self.data) % 4)
        packed = struct.pack(f"<{len(values)}{TYPES[component]}", *values)
        view = {"buffer": 0, "byteOffset": len(self.data), "byteLength": len(packed)}
        view |= {"target": target} if target else {}
        self.data += packed
        self.json["bufferViews"].append(view)
        size = SIZES[kind]
        accessor = {"bufferView": len(self.json["bufferViews"]) - 1, "componentType": component, "type": kind}
        accessor["count"] = len(values) // size
        if normalized:
            accessor["normalized"] = True
        if bounds:
            rounded = struct.unpack(f"<{len(values)}{TYPES[component]}", packed)
            accessor["min"] = [min(rounded[i::size]) for i in range(size)]
            accessor["max"] = [max(rounded[i::size]) for i in range(size)]
        self.json["accessors"].append(accessor)
        return len(self.json["accessors"]) - 1

    def mesh(self, sets=1):
        positions, normals, uvs = [], [], []
        for ring in range(RINGS):
            along = ring / (RINGS - 1)
            radius = 0.11 * math.sqrt(max(1 - along, 0.002)) + 0.01
            for side in range(SIDES):
                angle = 2 * math.pi * side / SIDES
                x, z = math.cos(angle), math.sin(angle)
                positions += [radius * x, along * LENGTH * len(BONES), radius * z]
                normals += [x, 0, z]
                uvs += [side / SIDES * 4, along * 4]
        indices = []
        for ring in range(RINGS - 1):
            for side in range(SIDES):
                a, b = ring * SIDES + side, ring * SIDES + (side + 1) % SIDES
                indices += [a, a + SIDES, b, b, a + SIDES, b + SIDES]
        attributes = {
            "POSITION": self.accessor("VEC3", FLOAT, positions, VERTICES, bounds=True),
            "NORMAL": self.accessor("VEC3", FLOAT, normals, VERTICES),
        }
        if "images" in self.json:
            attributes["TEXCOORD_0"] = self.accessor("VEC2", FLOAT, uvs, VERTICES)
        for part in range(sets):
            padded = [(in_bytes(of) + [(0, 0)] * 8)[4 * part:4 * part + 4] for of in self.weights]
            joints, weights = zip(*[influence for of in padded for influence in of])
            attributes[f"JOINTS_{part}"] = self.accessor("VEC4", BYTE, joints, VERTICES)
            attributes[f"WEIGHTS_{part}"] = self.accessor("VEC4", BYTE, weights, VERTICES, normalized=True)
        self.json["meshes"] = [{"name": "tail", "primitives": [
            {"attributes": attributes, "indices": self.accessor("SCALAR", SHORT, indices, INDICES), "material": 0}]}]

    def nodes(self):
        nodes = [{"name": name, "translation": [0, LENGTH if i else 0, 0]} for i, name in enumerate(BONES)]
        for i, node in enumerate(nodes[:-1]):
            node["children"] = [i + 1]
        self.json["nodes"] = nodes + [{"name": "tail", "mesh": 0, "skin": 0}]
        self.json["scenes"], self.json["scene"] = [{"nodes": [0, len(BONES)]}], 0
        self.json["skins"] = [{"name": "armature", "joints": list(range(len(BONES)))}]

    def bind(self):
        """Inverse bind matrices of the straight tail; the further bones are children of the first one."""
        matrices = []
        for joint in self.json["skins"][0]["joints"]:
            x, y, z = self.json["nodes"][joint].get("translation", [0, 0, 0])
            y = joint * LENGTH if joint < len(BONES) else y
            matrices += [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -x, -y, -z, 1]
        self.json["skins"][0]["inverseBindMatrices"] = self.accessor("MAT4", FLOAT, matrices)

    def clip(self, times=(0, 0.5, 1, 1.5, 2), degrees=(0, 25, 0, -25, 0)):
        keys = self.accessor("SCALAR", FLOAT, list(times), bounds=True)
        values = self.accessor("VEC4", FLOAT, [x for angle in degrees for x in about_x(angle)])
        self.json["animations"] = [{"name": "wag", "samplers": [{"input": keys, "output": values}], "channels": [
            {"sampler": 0, "target": {"node": i, "path": "rotation"}} for i in range(1, len(BONES))]}]

    def material(self):
        self.json["materials"] = [{"name": "fur", "pbrMetallicRoughness": {
            "baseColorFactor": [0.5, 0.24, 0.1, 1], "metallicFactor": 0, "roughnessFactor": 0.8}}]

    def write(self, file):
        data = self.data + bytes(-len(self.data) % 4)
        self.json["buffers"] = [{"byteLength": len(data)}]
        if "images" in self.json and "uri" in self.json["images"][0]:
            self.json["buffers"][0]["uri"] = f"{file.name}.bin"
            file.with_name(f"{file.name}.bin").write_bytes(data)
            file.with_name(f"{file.name}.gltf").write_text(json.dumps(self.json, indent=1), newline="\n")
            return
        text = json.dumps(self.json, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        header = struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(data))
        chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(data), b"BIN\0") + data
        file.with_name(f"{file.name}.glb").write_bytes(header + chunks)


def png(width, height, pixels):
    """An RGB image, stored without compression, so that it is equal on every machine."""
    rows = b"".join(b"\0" + bytes(pixels[3 * width * y:3 * width * (y + 1)]) for y in range(height))
    stored = b"\x78\x01\x01" + struct.pack("<HH", len(rows), len(rows) ^ 0xFFFF) + rows
    stored += struct.pack(">I", zlib.adler32(rows))
    file = b"\x89PNG\r\n\x1a\n"
    for kind, data in [(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)), (b"IDAT", stored), (b"IEND", b"")]:
        file += struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return file


def complete(change_file=None, change_weights=None, sets=1, clip=None):
    tail = Tail()
    tail.material()
    tail.nodes()
    if change_weights:
        change_weights(tail)
    if change_file:
        change_file(tail)
    tail.mesh(sets)
    if "skins" in tail.json:
        tail.bind()
    tail.clip(**(clip or {}))
    return tail


def unweighted_vertices(tail):
    """Vertices without a vertex group: Blender's export binds them to a bone of its own at the origin."""
    joint = len(tail.json["nodes"])
    tail.json["nodes"].append({"name": "neutral_bone"})
    tail.json["nodes"].append({"name": "armature", "children": [0, joint]})
    tail.json["scenes"][0]["nodes"] = [len(BONES), joint + 1]
    tail.json["skins"][0]["joints"].append(joint)


def forget_weights(tail):
    for vertex in (63, 74, 85, 95, 106, 114):
        tail.weights[vertex] = [(len(BONES), 1)]


def missing_texture(tail):
    tail.json["images"] = [{"name": "fur", "uri": "textures/fur.png"}]
    tail.json["textures"] = [{"source": 0}]
    tail.json["materials"][0]["pbrMetallicRoughness"] = {
        "baseColorTexture": {"index": 0}, "metallicFactor": 0, "roughnessFactor": 0.8}


def normal_map(tail):
    """A normal map of bumps, and no tangents."""
    size, pixels = 12, []
    for y in range(size):
        for x in range(size):
            slope_x, slope_y = (-math.sin(2 * math.pi * (at + 0.5) / size) for at in (x, y))
            length = math.sqrt(slope_x ** 2 + slope_y ** 2 + 1)
            pixels += [round(127.5 + 127.5 * part / length) for part in (slope_x, slope_y, 1)]
    image = png(size, size, pixels)
    tail.data += bytes(-len(tail.data) % 4)
    tail.json["bufferViews"].append({"buffer": 0, "byteOffset": len(tail.data), "byteLength": len(image)})
    tail.data += image
    tail.json["images"] = [{"name": "bumps", "bufferView": len(tail.json["bufferViews"]) - 1, "mimeType": "image/png"}]
    tail.json["textures"] = [{"source": 0}]
    tail.json["materials"][0]["normalTexture"] = {"index": 0}


def posed_armature(tail):
    """The mesh was exported in a pose that is not the one in which it was bound."""
    for bone in range(1, len(BONES)):
        tail.json["nodes"][bone]["rotation"] = about_x(-30)


def stretched_bone(tail):
    tail.json["nodes"][1]["scale"] = [1, 1, 2.5]


def mirrored_bone(tail):
    tail.json["nodes"][0]["scale"] = [-1, 1, 1]


def centimeters(tail):
    tail.json["nodes"].append({"name": "armature", "scale": [0.01, 0.01, 0.01], "children": [0]})
    tail.json["scenes"][0]["nodes"] = [len(BONES), len(BONES) + 1]


def many_influences(tail):
    """Three twist bones, which share the middle of the tail with the other bones."""
    first = len(tail.json["nodes"])
    twist = [{"name": f"twist.{i}"} for i in range(3)]
    tail.json["nodes"] += twist
    tail.json["nodes"][0]["children"] += list(range(first, first + len(twist)))
    tail.json["skins"][0]["joints"] += list(range(first, first + len(twist)))
    joints = list(range(len(BONES) + len(twist)))
    for vertex in range(3 * SIDES, 9 * SIDES):
        main = tail.weights[vertex][0][0]
        tail.weights[vertex] = [(main, 0.4)] + [(joint, 0.1) for joint in joints if joint != main]


def physical_light(tail):
    tail.json["extensionsUsed"] = ["KHR_lights_punctual"]
    tail.json["extensions"] = {"KHR_lights_punctual": {"lights": [
        {"name": "Lamp", "type": "point", "intensity": 54351.4, "color": [1, 1, 1]}]}}
    tail.json["nodes"].append({"name": "Lamp", "translation": [2, 2, 2],
                               "extensions": {"KHR_lights_punctual": {"light": 0}}})
    tail.json["scenes"][0]["nodes"].append(len(tail.json["nodes"]) - 1)


def control_bones(tail):
    """Bones that move other bones in Blender, and no vertex."""
    first = len(tail.json["nodes"])
    places = [("ik.target", [0, 1.15, 0.2]), ("ik.pole", [0.45, 0.5, 0]), ("wag.control", [-0.4, 0.25, 0])]
    tail.json["nodes"] += [{"name": name, "translation": at} for name, at in places]
    tail.json["nodes"][0]["children"] += list(range(first, first + len(places)))
    tail.json["skins"][0]["joints"] += list(range(first, first + len(places)))


FILES = {
    "healthy": complete(),
    "unweighted-vertices": complete(unweighted_vertices, forget_weights),
    "missing-texture": complete(missing_texture),
    "normal-map": complete(normal_map),
    "posed-rest-pose": complete(posed_armature),
    "stretched-bone": complete(stretched_bone),
    "mirrored-bone": complete(mirrored_bone),
    "centimeters": complete(centimeters),
    "many-influences": complete(many_influences, sets=2),
    "physical-light": complete(physical_light),
    "loop-jump": complete(clip={"times": (0, 0.5, 1, 1.5), "degrees": (0, 25, 0, -25)}),
    "late-start": complete(clip={"times": (0.5, 1, 1.5, 2, 2.5)}),
    "control-bones": complete(control_bones),
}

if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for name, tail in FILES.items():
        tail.write(Path(sys.argv[1]) / name)
