"""Writes the example of the page "Any clip on any rig": walk.bvh, motion capture of a walk, and body.glb, a rig of other proportions.

    python3 make_motion.py

Both are CC0. The rigs differ in names, unit, rest pose, proportions and axes of the bones.
"""

import json
import math
import struct

# Motion: centimeters, T pose, no rotations at rest.

THIGH, SHIN, ANKLE, HIP_WIDTH = 43.0, 42.0, 8.0, 9.0
FRAMES, FRAMES_PER_SEC, STEP_FRAMES, STRIDE = 81, 30, 20, 70.0


def limb(side, sign):
    return [
        (f"{side}UpLeg", "Hips", (sign * HIP_WIDTH, -6, 0)),
        (f"{side}Leg", f"{side}UpLeg", (0, -THIGH, 0)),
        (f"{side}Foot", f"{side}Leg", (0, -SHIN, 0)),
        (f"{side}ToeBase", f"{side}Foot", (0, -6, 13)),
        (f"{side}Shoulder", "Spine2", (sign * 4, 12, 0)),
        (f"{side}Arm", f"{side}Shoulder", (sign * 13, 0, 0)),
        (f"{side}ForeArm", f"{side}Arm", (sign * 28, 0, 0)),
        (f"{side}Hand", f"{side}ForeArm", (sign * 25, 0, 0)),
    ]


JOINTS = [
    ("Hips", None, (0, 0, 0)),
    ("Spine", "Hips", (0, 10, 0)),
    ("Spine1", "Spine", (0, 13, 0)),
    ("Spine2", "Spine1", (0, 13, 0)),
    ("Neck", "Spine2", (0, 17, 0)),
    ("Head", "Neck", (0, 9, 2)),
    *limb("Left", 1),
    *limb("Right", -1),
]
ENDS = {"Head": (0, 19, 0), "LeftToeBase": (0, 0, 7), "RightToeBase": (0, 0, 7), "LeftHand": (9, 0, 0), "RightHand": (-9, 0, 0)}


def leg_angles(forward, down):
    """Angles of thigh, shin and foot about X, so that the ankle is at this distance from the hip and the foot is level."""
    distance = min(math.hypot(forward, down), 0.999 * (THIGH + SHIN))
    bend = math.acos((THIGH**2 + distance**2 - SHIN**2) / (2 * THIGH * distance))
    knee = math.pi - math.acos((THIGH**2 + SHIN**2 - distance**2) / (2 * THIGH * SHIN))
    direction = math.atan2(forward, down)
    return -direction - bend, knee, direction + bend - knee


def pose(frame):
    """Position of the hips, and rotations by joint in degrees about Z, X and Y."""
    phase = frame / STEP_FRAMES
    height = ANKLE + 6 + THIGH + SHIN - 3.5 - 1.5 * math.cos(2 * math.pi * phase)
    hips = (1.5 * math.sin(math.pi * phase), height, STRIDE * phase)
    rotations = {}
    for side, sign, offset in [("Left", 1, 0.0), ("Right", -1, 1.0)]:
        # A foot stands for 1.2 of the 2 steps of a cycle and swings for 0.8.
        cycle = math.floor((phase + offset) / 2)
        part = (phase + offset) - 2 * cycle
        swing = max(0.0, (part - 1.2) / 0.8)
        ease = swing * swing * (3 - 2 * swing)
        foot = STRIDE * (2 * cycle - offset + 0.6 + 2 * ease)
        lift = 14 * math.sin(math.pi * swing) ** 2
        thigh, shin, ankle = leg_angles(foot - hips[2], height - 6 - ANKLE - lift)
        rotations[f"{side}UpLeg"] = (0, math.degrees(thigh), 0)
        rotations[f"{side}Leg"] = (0, math.degrees(shin), 0)
        rotations[f"{side}Foot"] = (0, math.degrees(ankle) + 12 * math.sin(2 * math.pi * swing), 0)
        arm = math.sin(math.pi * (phase + offset) + 0.3)
        rotations[f"{side}Arm"] = (-72 * sign, 0, -24 * arm * sign)
        rotations[f"{side}ForeArm"] = (0, 0, -sign * (18 - 10 * arm))
    twist = 6 * math.cos(math.pi * (phase - 0.4))
    rotations["Hips"] = (0, 2, 0.5 * twist)
    for joint in ["Spine", "Spine1", "Spine2"]:
        rotations[joint] = (0, 1.5, -0.6 * twist)
    rotations["Head"] = (0, -4, 1.2 * twist)
    return hips, rotations


def write_bvh(path):
    lines = ["HIERARCHY"]

    def write(joint, indent):
        name, parent, offset = joint
        space = "  " * indent
        channels = "Xposition Yposition Zposition " if parent is None else ""
        lines.append(f"{space}{'JOINT' if parent else 'ROOT'} {name}")
        lines.append(f"{space}{{")
        lines.append(f"{space}  OFFSET {offset[0]} {offset[1]} {offset[2]}")
        lines.append(f"{space}  CHANNELS {6 if parent is None else 3} {channels}Zrotation Xrotation Yrotation")
        for child in JOINTS:
            if child[1] == name:
                write(child, indent + 1)
        if name in ENDS:
            x, y, z = ENDS[name]
            lines.extend([f"{space}  End Site", f"{space}  {{", f"{space}    OFFSET {x} {y} {z}", f"{space}  }}"])
        lines.append(f"{space}}}")

    order = []

    def visit(name):
        order.append(name)
        for child in JOINTS:
            if child[1] == name:
                visit(child[0])

    write(JOINTS[0], 0)
    visit("Hips")
    lines.extend(["MOTION", f"Frames: {FRAMES}", f"Frame Time: {1 / FRAMES_PER_SEC:.6f}"])
    for frame in range(FRAMES):
        hips, rotations = pose(frame)
        numbers = list(hips)
        for name in order:
            numbers.extend(rotations.get(name, (0, 0, 0)))
        lines.append(" ".join(f"{number + 0:.3f}".rstrip("0").rstrip(".") for number in numbers))
    with open(path, "w", newline="\n") as file:
        file.write("\n".join(lines) + "\n")


# Rig: meters, A pose, the Y axis of each bone along it.

BONES = [
    ("hips", None, (0, 0.62, 0), (0, 0.72, 0), 0.15),
    ("spine", "hips", (0, 0.72, 0), (0, 0.9, 0), 0.13),
    ("chest", "spine", (0, 0.9, 0), (0, 1.1, 0), 0.16),
    ("neck", "chest", (0, 1.13, 0), (0, 1.19, 0.01), 0.05),
    ("head", "neck", (0, 1.19, 0.01), (0, 1.5, 0.01), 0.15),
]
for side, sign in [("L", 1), ("R", -1)]:
    BONES += [
        (f"shoulder.{side}", "chest", (sign * 0.04, 1.08, 0), (sign * 0.17, 1.06, 0), 0.05),
        (f"upper_arm.{side}", f"shoulder.{side}", (sign * 0.18, 1.06, 0), (sign * 0.32, 0.9, 0), 0.05),
        (f"forearm.{side}", f"upper_arm.{side}", (sign * 0.32, 0.9, 0), (sign * 0.46, 0.75, 0.03), 0.045),
        (f"hand.{side}", f"forearm.{side}", (sign * 0.46, 0.75, 0.03), (sign * 0.54, 0.66, 0.05), 0.045),
        (f"thigh.{side}", "hips", (sign * 0.11, 0.58, 0), (sign * 0.13, 0.33, 0.01), 0.075),
        (f"shin.{side}", f"thigh.{side}", (sign * 0.13, 0.33, 0.01), (sign * 0.15, 0.08, 0), 0.06),
        (f"foot.{side}", f"shin.{side}", (sign * 0.15, 0.08, 0), (sign * 0.16, 0.03, 0.13), 0.05),
        (f"toe.{side}", f"foot.{side}", (sign * 0.16, 0.03, 0.13), (sign * 0.165, 0.03, 0.21), 0.045),
    ]


def sub(a, b):
    return tuple(x - y for x, y in zip(a, b))


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(a):
    return tuple(x / math.sqrt(dot(a, a)) for x in a)


def axes(head, tail):
    """X, Y and Z of a bone, Y along it."""
    y = unit(sub(tail, head))
    x = unit(cross(y, (0, 0, 1) if abs(y[2]) < 0.9 else (0, -1, 0)))
    return x, y, cross(x, y)


def quaternion(rows):
    """From a rotation matrix, of a positive w."""
    (a, b, c), (d, e, f), (g, h, i) = rows
    w = math.sqrt(max(0.0, 1 + a + e + i)) / 2
    if w > 1e-3:
        return ((h - f) / (4 * w), (c - g) / (4 * w), (d - b) / (4 * w), w)
    x, y, z = (math.sqrt(max(0.0, 1 + s)) / 2 for s in (a - e - i, e - a - i, i - a - e))
    return (x, math.copysign(y, b + d), math.copysign(z, c + g), 0.0)


def write_body(path):
    index = {bone[0]: i for i, bone in enumerate(BONES)}
    nodes, binds, positions, normals, joints, triangles = [], [], [], [], [], []
    for i, (name, parent, head, tail, radius) in enumerate(BONES):
        own = axes(head, tail)
        if parent is None:
            parent_axes, origin = ((1, 0, 0), (0, 1, 0), (0, 0, 1)), (0, 0, 0)
        else:
            parent_axes, origin = axes(*BONES[index[parent]][2:4]), BONES[index[parent]][2]
        way = sub(head, origin)
        rows = [[dot(axis, column) for column in own] for axis in parent_axes]
        rounded = [[round(x, 7) + 0.0 for x in values] for values in ([dot(axis, way) for axis in parent_axes], quaternion(rows))]
        node = {"name": name, "translation": rounded[0], "rotation": rounded[1]}
        children = [index[bone[0]] for bone in BONES if bone[1] == name]
        if children:
            node["children"] = children
        nodes.append(node)
        # Column-major inverse of [own | head].
        binds += [value for column in range(3) for value in (own[0][column], own[1][column], own[2][column], 0)]
        binds += [-dot(axis, head) for axis in own] + [1]
        # A box along the bone, narrower at its ends.
        length = math.sqrt(dot(sub(tail, head), sub(tail, head)))
        rings = [(0.0, 0.6), (0.3, 1.0), (1.0, 0.7)]
        corners = [[(radius * w * sx, length * y, radius * w * sz) for sx, sz in [(1, 1), (-1, 1), (-1, -1), (1, -1)]] for y, w in rings]
        faces = [[corners[r][k], corners[r][(k + 1) % 4], corners[r + 1][(k + 1) % 4], corners[r + 1][k]] for r in range(2) for k in range(4)]
        faces += [corners[0][::-1], corners[2]]
        for face in faces:
            place = [tuple(head[k] + sum(own[a][k] * corner[a] for a in range(3)) for k in range(3)) for corner in face]
            middle = tuple((head[k] + tail[k]) / 2 for k in range(3))
            normal = unit(cross(sub(place[1], place[0]), sub(place[2], place[0])))
            if dot(normal, sub(place[0], middle)) < 0:
                place.reverse()
                normal = tuple(-x for x in normal)
            first = len(positions)
            positions += place
            normals += [normal] * 4
            joints += [i] * 4
            triangles += [first, first + 1, first + 2, first, first + 2, first + 3]
    nodes.append({"name": "body", "mesh": 0, "skin": 0})
    flat = [value for position in positions for value in position]
    chunks = [
        (struct.pack(f"<{len(flat)}f", *flat), 5126, "VEC3", len(positions)),
        (struct.pack(f"<{len(flat)}f", *[value for normal in normals for value in normal]), 5126, "VEC3", len(positions)),
        (b"".join(struct.pack("<4B", joint, 0, 0, 0) for joint in joints), 5121, "VEC4", len(positions)),
        (struct.pack("<4f", 1, 0, 0, 0) * len(positions), 5126, "VEC4", len(positions)),
        (struct.pack(f"<{len(binds)}f", *binds), 5126, "MAT4", len(BONES)),
        (struct.pack(f"<{len(triangles)}H", *triangles), 5123, "SCALAR", len(triangles)),
    ]
    data, views, accessors = b"", [], []
    for i, (chunk, component, kind, count) in enumerate(chunks):
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(chunk)})
        if i != 4:
            views[i]["target"] = 34963 if i == 5 else 34962
        accessors.append({"bufferView": i, "componentType": component, "type": kind, "count": count})
        data += chunk + bytes(-len(chunk) % 4)
    single = struct.unpack(f"<{len(flat)}f", chunks[0][0])
    accessors[0]["min"] = [min(single[k::3]) for k in range(3)]
    accessors[0]["max"] = [max(single[k::3]) for k in range(3)]
    attributes = {"POSITION": 0, "NORMAL": 1, "JOINTS_0": 2, "WEIGHTS_0": 3}
    root = {
        "asset": {"version": "2.0", "generator": "make_motion.py", "copyright": "CC0"},
        "scene": 0,
        "scenes": [{"nodes": [0, len(BONES)]}],
        "nodes": nodes,
        "meshes": [{"name": "body", "primitives": [{"attributes": attributes, "indices": 5, "material": 0}]}],
        "materials": [{"name": "clay", "pbrMetallicRoughness": {"baseColorFactor": [0.55, 0.3, 0.2, 1], "metallicFactor": 0, "roughnessFactor": 0.7}}],
        "skins": [{"name": "body", "joints": list(range(len(BONES))), "inverseBindMatrices": 4}],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(data)}],
    }
    text = json.dumps(root, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    with open(path, "wb") as file:
        file.write(struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(data)))
        file.write(struct.pack("<I4s", len(text), b"JSON") + text)
        file.write(struct.pack("<I4s", len(data), b"BIN\0") + data)


write_bvh("walk.bvh")
write_body("body.glb")
