"""Models a mannequin, binds it smoothly to 21 joints and lets it walk on a circle.

    python3 make_mannequin.py [OUT.glb]

Python's standard library is enough. Model and script are in the public domain: CC0-1.0.

The body is the smooth union of tapered capsules. Surface nets (Gibson, 1998) turn it into a mesh, whose vertices are moved onto the surface.
Weights fall off with the distance from the capsules of a joint. The clip has 8 steps, one circle: feet plant, and it loops.
"""

import json
import math
import struct
import sys
from pathlib import Path

CELL = 0.0212  # Edge of a cell of the grid, in meters.
BLEND = 0.035  # Width of the smooth union.
FALLOFF = 0.011  # Distance at which a weight is divided by e.
STEPS, KEYS_PER_STEP, RADIUS = 8, 14, 0.9
FRAMES_PER_SEC = 24  # A key per frame.

# Joints of the middle and of the left side: name, parent, head, tail.
CENTER = [
    ("hips", None, (0, 0.94, 0), (0, 1.03, 0)),
    ("spine", "hips", (0, 1.04, 0), (0, 1.18, 0.005)),
    ("chest", "spine", (0, 1.18, 0.005), (0, 1.42, -0.015)),
    ("neck", "chest", (0, 1.44, -0.02), (0, 1.53, 0.0)),
    ("head", "neck", (0, 1.53, 0.0), (0, 1.75, 0.01)),
]
LEFT = [
    ("Shoulder", "chest", (0.03, 1.405, -0.01), (0.15, 1.4, -0.02)),
    ("UpperArm", "Shoulder", (0.17, 1.385, -0.02), (0.33, 1.155, -0.03)),
    ("LowerArm", "UpperArm", (0.33, 1.155, -0.03), (0.465, 0.95, 0.01)),
    ("Hand", "LowerArm", (0.465, 0.95, 0.01), (0.55, 0.81, 0.04)),
    ("UpperLeg", "hips", (0.09, 0.9, 0), (0.1, 0.49, 0.015)),
    ("LowerLeg", "UpperLeg", (0.1, 0.49, 0.015), (0.105, 0.085, -0.02)),
    ("Foot", "LowerLeg", (0.105, 0.085, -0.02), (0.115, 0.03, 0.1)),
    ("Toes", "Foot", (0.115, 0.03, 0.1), (0.12, 0.025, 0.165)),
]
# Cross-sections of the trunk: height, half width, half depth, middle along Z.
TRUNK = [
    (0.80, 0.04, 0.04, 0.0),
    (0.85, 0.135, 0.085, -0.004),
    (0.90, 0.165, 0.108, -0.012),
    (0.95, 0.168, 0.112, -0.014),
    (1.02, 0.152, 0.1, -0.004),
    (1.10, 0.132, 0.088, 0.004),
    (1.18, 0.138, 0.094, 0.004),
    (1.26, 0.158, 0.106, 0.0),
    (1.33, 0.17, 0.108, -0.006),
    (1.39, 0.15, 0.084, -0.018),
    (1.43, 0.095, 0.062, -0.02),
    (1.46, 0.05, 0.046, -0.018),
]
# Heights at which the joints of the trunk begin.
TRUNK_JOINTS = [("hips", 0.0), ("spine", 1.05), ("chest", 1.19), ("neck", 9.0)]
# Chains of capsules: joint, from, radius, to, radius. A chain is a plain union, chains are joined smoothly.
CENTER_CHAINS = [
    [("neck", (0, 1.42, -0.02), 0.05, (0, 1.55, 0.0), 0.046)],
    [("head", (0, 1.645, -0.012), 0.094, (0, 1.66, 0.01), 0.09)],
    [("head", (0, 1.578, 0.04), 0.047, (0, 1.6, 0.048), 0.052)],
    [("head", (0, 1.594, 0.098), 0.01, (0, 1.63, 0.092), 0.008)],
    [("head", (-0.088, 1.612, -0.01), 0.017, (-0.088, 1.634, -0.014), 0.019)],
    [("head", (0.088, 1.612, -0.01), 0.017, (0.088, 1.634, -0.014), 0.019)],
]
LEFT_CHAINS = [
    [
        ("Shoulder", (0.09, 1.395, -0.02), 0.05, (0.165, 1.378, -0.02), 0.056),
        ("UpperArm", (0.165, 1.378, -0.02), 0.056, (0.205, 1.325, -0.022), 0.053),
        ("UpperArm", (0.205, 1.325, -0.022), 0.053, (0.27, 1.24, -0.026), 0.047),
        ("UpperArm", (0.27, 1.24, -0.026), 0.047, (0.33, 1.155, -0.03), 0.039),
        ("LowerArm", (0.33, 1.155, -0.03), 0.039, (0.365, 1.1, -0.02), 0.042),
        ("LowerArm", (0.365, 1.1, -0.02), 0.042, (0.42, 1.018, -0.003), 0.034),
        ("LowerArm", (0.42, 1.018, -0.003), 0.034, (0.465, 0.95, 0.01), 0.027),
        ("Hand", (0.465, 0.95, 0.01), 0.027, (0.495, 0.9, 0.02), 0.034),
        ("Hand", (0.495, 0.9, 0.02), 0.034, (0.52, 0.858, 0.03), 0.034),
        ("Hand", (0.52, 0.858, 0.03), 0.034, (0.545, 0.81, 0.046), 0.022),
    ],
    [("Hand", (0.484, 0.92, 0.036), 0.018, (0.503, 0.872, 0.072), 0.015)],
    [
        ("UpperLeg", (0.09, 0.86, 0.0), 0.092, (0.094, 0.75, 0.008), 0.084),
        ("UpperLeg", (0.094, 0.75, 0.008), 0.084, (0.098, 0.62, 0.014), 0.066),
        ("UpperLeg", (0.098, 0.62, 0.014), 0.066, (0.1, 0.49, 0.012), 0.052),
        ("LowerLeg", (0.1, 0.49, 0.012), 0.052, (0.101, 0.42, -0.004), 0.052),
        ("LowerLeg", (0.101, 0.42, -0.004), 0.052, (0.102, 0.34, -0.02), 0.054),
        ("LowerLeg", (0.102, 0.34, -0.02), 0.054, (0.104, 0.2, -0.022), 0.04),
        ("LowerLeg", (0.104, 0.2, -0.022), 0.04, (0.105, 0.1, -0.02), 0.034),
    ],
    [
        ("Foot", (0.105, 0.042, -0.045), 0.038, (0.107, 0.052, 0.0), 0.042),
        ("Foot", (0.107, 0.052, 0.0), 0.042, (0.114, 0.036, 0.1), 0.035),
        ("Toes", (0.114, 0.036, 0.1), 0.035, (0.12, 0.029, 0.165), 0.026),
    ],
    [("hips", (0.075, 0.9, -0.045), 0.078, (0.075, 0.92, -0.045), 0.078)],
]


def mirrored(point):
    return (-point[0], point[1], point[2])


JOINTS = list(CENTER)
CHAINS = list(CENTER_CHAINS)
MIDDLE = {name for name, _, _, _ in CENTER}
for side, flip in [("left", lambda p: p), ("right", mirrored)]:
    for name, parent, head, tail in LEFT:
        JOINTS.append((side + name, parent if parent in MIDDLE else side + parent, flip(head), flip(tail)))
    for chain in LEFT_CHAINS:
        CHAINS.append([(name if name in MIDDLE else side + name, flip(a), r, flip(b), s) for name, a, r, b, s in chain])
INDEX = {joint[0]: i for i, joint in enumerate(JOINTS)}
CHAINS = [[(INDEX[name], *shape) for name, *shape in chain] for chain in CHAINS]
CAPSULES = [capsule for chain in CHAINS for capsule in chain]


def add(a, b, scale=1.0):
    return (a[0] + scale * b[0], a[1] + scale * b[1], a[2] + scale * b[2])


def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def unit(a):
    size = math.sqrt(dot(a, a))
    return (a[0] / size, a[1] / size, a[2] / size)


# Surface


def capsule_distance(p, capsule):
    _, a, r, b, s = capsule
    way, to = sub(b, a), sub(p, a)
    h = min(1.0, max(0.0, dot(to, way) / dot(way, way)))
    rest = add(to, way, -h)
    return math.sqrt(dot(rest, rest)) - (r + (s - r) * h)


def union(a, b):
    """Smooth minimum (polynomial, of degree 2)."""
    h = max(BLEND - abs(a - b), 0.0) / BLEND
    return min(a, b) - h * h * BLEND / 4


def trunk_section(y):
    """Half width, half depth and middle of the trunk at a height, by cubic interpolation."""
    i = max(i for i in range(len(TRUNK) - 1) if i == 0 or TRUNK[i][0] <= y)
    a, b = TRUNK[i], TRUNK[i + 1]
    before, after = TRUNK[max(i - 1, 0)], TRUNK[min(i + 2, len(TRUNK) - 1)]
    t = min(1.0, max(0.0, (y - a[0]) / (b[0] - a[0])))
    values = []
    for k in (1, 2, 3):
        m = (b[k] - before[k]) / (b[0] - before[0]) * (b[0] - a[0])
        n = (after[k] - a[k]) / (after[0] - a[0]) * (b[0] - a[0])
        values.append((2 * t**3 - 3 * t**2 + 1) * a[k] + (t**3 - 2 * t**2 + t) * m + (3 * t**2 - 2 * t**3) * b[k] + (t**3 - t**2) * n)
    return values


def trunk_distance(p):
    width, depth, middle = trunk_section(p[1])
    side = max(0.0, abs(p[0]) - (width - depth))
    across = math.hypot(side, p[2] - middle) - depth
    beyond = max(TRUNK[0][0] - p[1], p[1] - TRUNK[-1][0])
    return max(across, beyond) if across < 0 or beyond < 0 else math.hypot(across, beyond)


def distance(p, chains):
    """Distance from the surface, with the chains that are near."""
    result = trunk_distance(p)
    for chain in chains:
        result = union(result, min(capsule_distance(p, capsule) for capsule in chain))
    return result


def is_near(p, capsule, margin):
    _, a, r, b, s = capsule
    reach = max(r, s) + margin
    return all(min(a[k], b[k]) - reach < p[k] < max(a[k], b[k]) + reach for k in range(3))


def near(p, margin):
    return [chain for chain in CHAINS if any(is_near(p, capsule, margin) for capsule in chain)]


def gradient(p, chains):
    e = 1e-4
    axes = [(e, 0, 0), (0, e, 0), (0, 0, e)]
    return unit(tuple(distance(add(p, axis), chains) - distance(add(p, axis, -1), chains) for axis in axes))


def surface():
    """Positions and quads by surface nets."""
    margin = 2 * BLEND
    boxes = [((-0.19, 0.76, -0.16), (0.19, 1.5, 0.14))]
    for _, a, r, b, s in CAPSULES:
        reach = max(r, s) + margin
        boxes.append((tuple(min(a[k], b[k]) - reach for k in range(3)), tuple(max(a[k], b[k]) + reach for k in range(3))))
    points = set()
    for low, high in boxes:
        ranges = [range(math.floor(low[k] / CELL), math.ceil(high[k] / CELL) + 1) for k in range(3)]
        points.update((x, y, z) for x in ranges[0] for y in ranges[1] for z in ranges[2])
    grid = {}
    for point in points:
        p = tuple(CELL * x for x in point)
        grid[point] = distance(p, near(p, margin))
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    edges = [(i, j) for i in range(8) for j in range(i) if sum(abs(p - q) for p, q in zip(corners[i], corners[j])) == 1]
    vertex_of, positions = {}, []
    for x, y, z in sorted(grid):
        values = [grid.get((x + i, y + j, z + k), 1.0) for i, j, k in corners]
        if min(values) < 0 <= max(values):
            crossings = []
            for i, j in edges:
                if (values[i] < 0) != (values[j] < 0):
                    t = values[i] / (values[i] - values[j])
                    crossings.append(add(corners[i], sub(corners[j], corners[i]), t))
            center = [sum(p[k] for p in crossings) / len(crossings) for k in range(3)]
            vertex_of[x, y, z] = len(positions)
            positions.append(((x + center[0]) * CELL, (y + center[1]) * CELL, (z + center[2]) * CELL))
    for i, position in enumerate(positions):
        chains = near(position, margin)
        for _ in range(2):
            position = add(position, gradient(position, chains), -distance(position, chains))
        positions[i] = position
    quads = []
    for x, y, z in sorted(vertex_of):
        for axis in range(3):
            step = [0, 0, 0]
            step[axis] = 1
            a, b = grid.get((x, y, z), 1.0), grid.get((x + step[0], y + step[1], z + step[2]), 1.0)
            if (a < 0) == (b < 0):
                continue
            u, v = [0, 0, 0], [0, 0, 0]
            u[(axis + 1) % 3] = v[(axis + 2) % 3] = 1
            cells = [(x - i * u[0] - j * v[0], y - i * u[1] - j * v[1], z - i * u[2] - j * v[2]) for i, j in [(0, 0), (1, 0), (1, 1), (0, 1)]]
            quad = [vertex_of[cell] for cell in cells]
            quads.append(quad if a < 0 else quad[::-1])
    return positions, quads


# Weights


def neighbors_of(quads, count):
    neighbors = [set() for _ in range(count)]
    for quad in quads:
        for a, b in zip(quad, quad[1:] + quad[:1]):
            neighbors[a].add(b)
            neighbors[b].add(a)
    return [sorted(others) for others in neighbors]


def smooth(positions, neighbors):
    """Takes the creases out, without shrinking (Taubin, 1995)."""
    for step in (0.5, -0.52) * 3:
        moved = []
        for p, others in zip(positions, neighbors):
            mean = [sum(positions[other][k] for other in others) / len(others) for k in range(3)]
            moved.append(add(p, sub(mean, p), step))
        positions = moved
    return positions


def normals_of(positions, quads):
    sums = [(0.0, 0.0, 0.0)] * len(positions)
    for quad in quads:
        a, b, c, d = (positions[i] for i in quad)
        normal = cross(sub(c, a), sub(d, b))
        for i in quad:
            sums[i] = add(sums[i], normal)
    return [unit(normal) for normal in sums]


def weights(positions, neighbors):
    """Per vertex up to four joints with weights in 255ths."""
    all_weights = []
    for position in positions:
        distances = {}
        for (name, low), (_, high) in zip(TRUNK_JOINTS, TRUNK_JOINTS[1:]):
            beyond = max(0.0, low - position[1], position[1] - high)
            # The trunk bends over a larger distance than limbs.
            distances[INDEX[name]] = max(trunk_distance(position), 0.0) + 0.5 * beyond
        for capsule in CAPSULES:
            d = capsule_distance(position, capsule)
            distances[capsule[0]] = min(d, distances.get(capsule[0], 1.0))
        nearest = min(distances.values())
        found = {joint: math.exp((nearest - d) / FALLOFF) for joint, d in distances.items() if d - nearest < 6 * FALLOFF}
        total = sum(found.values())
        all_weights.append({joint: weight / total for joint, weight in found.items()})
    for _ in range(4):
        smoothed = []
        for own, others in zip(all_weights, neighbors):
            mean = {joint: 0.5 * weight for joint, weight in own.items()}
            for other in others:
                for joint, weight in all_weights[other].items():
                    mean[joint] = mean.get(joint, 0.0) + 0.5 * weight / len(others)
            smoothed.append(mean)
        all_weights = smoothed
    slots, values = [], []
    for found in all_weights:
        best = sorted(found.items(), key=lambda item: (-item[1], item[0]))[:4]
        best = [(joint, weight) for joint, weight in best if weight > 0.02]
        total = sum(weight for _, weight in best)
        rounded = [round(255 * weight / total) for _, weight in best]
        rounded[0] += 255 - sum(rounded)
        best = [(joint, weight) for (joint, _), weight in zip(best, rounded) if weight > 0]
        slots += [joint for joint, _ in best] + [0] * (4 - len(best))
        values += [weight for _, weight in best] + [0] * (4 - len(best))
    return slots, values


# Skeleton and clip. A frame is the columns X, Y and Z of a rotation; Y is along the bone.


def frame(along, forward):
    y = unit(along)
    x = unit(cross(y, forward))
    return (x, y, cross(x, y))


def to_parent(parent, child):
    """Quaternion x, y, z, w of a frame in its parent's."""
    m = [[dot(p, c) for c in child] for p in parent]
    squares = [1 + m[0][0] - m[1][1] - m[2][2], 1 - m[0][0] + m[1][1] - m[2][2], 1 - m[0][0] - m[1][1] + m[2][2], 1 + m[0][0] + m[1][1] + m[2][2]]
    largest = squares.index(max(squares))
    rows = [
        (squares[0], m[1][0] + m[0][1], m[2][0] + m[0][2], m[2][1] - m[1][2]),
        (m[1][0] + m[0][1], squares[1], m[2][1] + m[1][2], m[0][2] - m[2][0]),
        (m[2][0] + m[0][2], m[2][1] + m[1][2], squares[2], m[1][0] - m[0][1]),
        (m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1], squares[3]),
    ]
    q = rows[largest]
    size = math.sqrt(sum(x * x for x in q))
    return tuple(x / size for x in q)


def rotate(q, v):
    t = cross(q[:3], v)
    t = (2 * t[0], 2 * t[1], 2 * t[2])
    return add(add(v, t, q[3]), cross(q[:3], t))


def turn(axis, degrees):
    half = math.radians(degrees) / 2
    return (*(math.sin(half) * x for x in unit(axis)), math.cos(half))


def product(a, b):
    v = add(add(cross(a[:3], b[:3]), b[:3], a[3]), a[:3], b[3])
    return (*v, a[3] * b[3] - dot(a[:3], b[:3]))


IDENTITY = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
FORWARD = (0, 0, 1)
HEADS = {name: head for name, _, head, _ in JOINTS}
TAILS = {name: tail for name, _, _, tail in JOINTS}
PARENTS = {name: parent for name, parent, _, _ in JOINTS}
# The forward axis of a foot is up, since the foot is along Z.
POLES = {name: (0, 1, 0) if name.endswith(("Foot", "Toes")) else FORWARD for name in PARENTS}
REST = {name: frame(sub(TAILS[name], HEADS[name]), POLES[name]) for name in PARENTS}
ANGLE_PER_STEP = 2 * math.pi / STEPS


def on_circle(phase, sideways, height):
    """Position at this many steps along the circle, to the left of the path. It begins at the origin, along +Z."""
    angle = phase * ANGLE_PER_STEP
    radius = RADIUS - sideways
    return (RADIUS - radius * math.cos(angle), height, radius * math.sin(angle))


def heading(phase):
    """Rotation of the path: it turns to the left, towards +X."""
    return turn((0, 1, 0), math.degrees(phase * ANGLE_PER_STEP))


def leg(hip, ankle, upper, lower, pole):
    """Knee of a leg with an ankle at this position."""
    way = sub(ankle, hip)
    reach = min(math.sqrt(dot(way, way)), 0.9995 * (upper + lower))
    along = unit(way)
    out = unit(add(pole, along, -dot(pole, along)))
    x = (reach * reach + upper * upper - lower * lower) / (2 * reach)
    return add(add(hip, along, x), out, math.sqrt(max(0.0, upper * upper - x * x)))


def pose(phase):
    """Position of the hips, and the frame of each joint in the world."""
    body = heading(phase)
    swing = math.cos(math.pi * phase)
    bob = 0.018 * math.cos(2 * math.pi * (phase - 0.5)) - 0.045
    hips = on_circle(phase, 0.012 * math.sin(math.pi * phase), HEADS["hips"][1] + bob)
    lean = product(body, turn((1, 0, 0), 2))
    delta = {
        "hips": product(lean, product(turn((0, 1, 0), -5 * swing), turn((0, 0, 1), -2.0 * math.sin(math.pi * phase)))),
        "spine": product(lean, turn((0, 1, 0), 1 * swing)),
        "chest": product(lean, turn((0, 1, 0), 7 * swing)),
        "neck": product(body, turn((0, 1, 0), 3 * swing)),
        "head": product(body, turn((1, 0, 0), -1)),
    }
    frames = {}
    for name, q in delta.items():
        frames[name] = tuple(rotate(q, axis) for axis in REST[name])
    hip_q = delta["hips"]
    for side, sign, offset in [("left", 1, 0.0), ("right", -1, 1.0)]:
        # Arms hang down and swing against the legs.
        q = delta["chest"]
        arm = sign * swing
        frames[f"{side}Shoulder"] = tuple(rotate(product(q, turn((0, 0, 1), -4 * sign)), axis) for axis in REST[f"{side}Shoulder"])
        upper = product(q, product(turn((1, 0, 0), 22 * arm + 4), turn((0, 0, 1), -29 * sign)))
        lower = product(q, product(turn((1, 0, 0), 22 * arm - 20 + 8 * arm), turn((0, 0, 1), -31 * sign)))
        frames[f"{side}UpperArm"] = tuple(rotate(upper, axis) for axis in REST[f"{side}UpperArm"])
        frames[f"{side}LowerArm"] = tuple(rotate(lower, axis) for axis in REST[f"{side}LowerArm"])
        frames[f"{side}Hand"] = tuple(rotate(lower, axis) for axis in REST[f"{side}Hand"])
        # A foot stands for 1.2 of the 2 steps of a cycle and swings for 0.8. It lands half a step before the body.
        part = (phase + offset) % 2
        start = phase - part
        flight = max(0.0, (part - 1.2) / 0.8)
        ease = flight * flight * (3 - 2 * flight)
        place = start + 0.55 + 2 * ease
        # The foot rolls: on the heel at first, on the ball at last.
        pitch = -22 * max(0.0, 1 - part / 0.22) if part < 1.2 else 0.0
        pitch += 40 * max(0.0, (part - 0.75) / 0.45) ** 2 if part < 1.2 else 40 * (1 - flight) ** 2 - 22 * flight**2
        lift = 0.06 * math.sin(math.pi * flight) ** 2
        ball, heel = TAILS[f"{side}Foot"], (HEADS[f"{side}Foot"][0], 0.0, -0.07)
        contact = heel if pitch < 0 else ball
        facing = heading(place)
        q = product(facing, turn((1, 0, 0), pitch))
        sideways = on_circle(place, sign * 0.085, 0.0)
        origin = (sign * 0.105, 0.0, 0.0)
        ankle = sub(HEADS[f"{side}Foot"], contact)
        flat = add(sideways, rotate(facing, sub(contact, origin)))
        ankle = add(add(flat, rotate(q, ankle)), (0, lift, 0))
        hip = add(hips, rotate(hip_q, sub(HEADS[f"{side}UpperLeg"], HEADS["hips"])))
        length = lambda joint: math.sqrt(dot(*[sub(TAILS[f"{side}{joint}"], HEADS[f"{side}{joint}"])] * 2))
        pole = rotate(product(body, turn((0, 1, 0), 4 * sign)), FORWARD)
        knee = leg(hip, ankle, length("UpperLeg"), length("LowerLeg"), pole)
        frames[f"{side}UpperLeg"] = frame(sub(knee, hip), pole)
        frames[f"{side}LowerLeg"] = frame(sub(ankle, knee), pole)
        frames[f"{side}Foot"] = tuple(rotate(q, axis) for axis in REST[f"{side}Foot"])
        toes = product(facing, turn((1, 0, 0), min(pitch, 0.0))) if part < 1.2 else product(facing, turn((1, 0, 0), pitch * 0.6))
        frames[f"{side}Toes"] = tuple(rotate(toes, axis) for axis in REST[f"{side}Toes"])
    return hips, frames


def local_rotations(frames):
    return {name: to_parent(frames[PARENTS[name]] if PARENTS[name] else IDENTITY, frames[name]) for name in PARENTS}


# File


def write(path):
    positions, quads = surface()
    neighbors = neighbors_of(quads, len(positions))
    positions = smooth(positions, neighbors)
    normals = normals_of(positions, quads)
    slots, values = weights(positions, neighbors)
    triangles = []
    for a, b, c, d in quads:
        short = dot(*[sub(positions[a], positions[c])] * 2) <= dot(*[sub(positions[b], positions[d])] * 2)
        triangles += [a, b, c, a, c, d] if short else [b, c, d, b, d, a]
    count = len(positions)
    assert count < 65536
    rest = local_rotations(REST)
    nodes = []
    for name, parent, head, _ in JOINTS:
        axes, origin = (REST[parent], HEADS[parent]) if parent else (IDENTITY, (0, 0, 0))
        translation = [round(dot(axis, sub(head, origin)), 6) + 0.0 for axis in axes]
        node = {"name": name, "translation": translation, "rotation": [round(x, 7) + 0.0 for x in rest[name]]}
        children = [INDEX[child] for child, own, _, _ in JOINTS if own == name]
        if children:
            node["children"] = children
        nodes.append(node)
    nodes.append({"name": "mannequin", "mesh": 0, "skin": 0})
    binds = []
    for name, _, head, _ in JOINTS:
        for column in range(3):
            binds += [axis[column] for axis in REST[name]] + [0]
        binds += [-dot(axis, head) for axis in REST[name]] + [1]
    key_count = STEPS * KEYS_PER_STEP + 1
    times = [i / FRAMES_PER_SEC for i in range(key_count)]
    tracks = {name: [] for name in PARENTS}
    hip_positions = []
    for i in range(key_count):
        # The last pose is the first, exactly.
        hips, frames = pose((i % (key_count - 1)) / KEYS_PER_STEP)
        hip_positions.append(hips)
        for name, q in local_rotations(frames).items():
            before = tracks[name][-1] if tracks[name] else q
            same = sum(x * y for x, y in zip(before, q)) >= 0
            tracks[name].append(q if same else tuple(-x for x in q))
    for name, keys in tracks.items():
        # The path turns the hips once around: the last key is the first or its negative.
        assert abs(abs(sum(x * y for x, y in zip(keys[0], keys[-1]))) - 1) < 1e-6, name
    data, views, accessors = bytearray(), [], []

    def accessor(chunk, component, kind, number, target=None, **more):
        while len(data) % 4:
            data.append(0)
        view = {"buffer": 0, "byteOffset": len(data), "byteLength": len(chunk)}
        if target:
            view["target"] = target
        views.append(view)
        data.extend(chunk)
        accessors.append({"bufferView": len(views) - 1, "componentType": component, "type": kind, "count": number, **more})
        return len(accessors) - 1

    def floats(values):
        return struct.pack(f"<{len(values)}f", *values)

    flat = floats([x for position in positions for x in position])
    single = struct.unpack(f"<{3 * count}f", flat)
    box = {"min": [min(single[k::3]) for k in range(3)], "max": [max(single[k::3]) for k in range(3)]}
    attributes = {
        "POSITION": accessor(flat, 5126, "VEC3", count, 34962, **box),
        "NORMAL": accessor(floats([x for normal in normals for x in normal]), 5126, "VEC3", count, 34962),
        "JOINTS_0": accessor(bytes(slots), 5121, "VEC4", count, 34962),
        "WEIGHTS_0": accessor(bytes(values), 5121, "VEC4", count, 34962, normalized=True),
    }
    indices = accessor(struct.pack(f"<{len(triangles)}H", *triangles), 5123, "SCALAR", len(triangles), 34963)
    inverse = accessor(floats(binds), 5126, "MAT4", len(JOINTS))
    timelines = {}
    samplers, channels = [], []

    def sampler(node, path, keys):
        """Adds a track without keys that repeat both neighbors."""
        is_same = lambda a, b: max(abs(x - y) for x, y in zip(a, b)) < 1e-6
        inner = [i for i in range(1, len(keys) - 1) if not (is_same(keys[i - 1], keys[i]) and is_same(keys[i], keys[i + 1]))]
        kept = (0, *inner, len(keys) - 1)
        if kept not in timelines:
            stored = struct.unpack(f"<{len(kept)}f", floats([times[i] for i in kept]))
            timelines[kept] = accessor(floats(stored), 5126, "SCALAR", len(kept), min=[stored[0]], max=[stored[-1]])
        output = accessor(floats([x for i in kept for x in keys[i]]), 5126, f"VEC{len(keys[0])}", len(kept))
        channels.append({"sampler": len(samplers), "target": {"node": node, "path": path}})
        samplers.append({"input": timelines[kept], "output": output})

    sampler(0, "translation", hip_positions)
    for name, keys in tracks.items():
        sampler(INDEX[name], "rotation", keys)
    color = {"baseColorFactor": [0.46, 0.2, 0.085, 1], "metallicFactor": 0, "roughnessFactor": 0.55}
    root = {
        "asset": {"version": "2.0", "generator": "make_mannequin.py", "copyright": "CC0-1.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, len(JOINTS)]}],
        "nodes": nodes,
        "meshes": [{"name": "mannequin", "primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}],
        "materials": [{"name": "wood", "pbrMetallicRoughness": color}],
        "skins": [{"name": "mannequin", "joints": list(range(len(JOINTS))), "inverseBindMatrices": inverse}],
        "animations": [{"name": "walk", "samplers": samplers, "channels": channels}],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(data)}],
    }
    while len(data) % 4:
        data.append(0)
    text = json.dumps(root, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    with open(path, "wb") as file:
        file.write(struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(data)))
        file.write(struct.pack("<I4s", len(text), b"JSON") + text)
        file.write(struct.pack("<I4s", len(data), b"BIN\0") + data)
    print(f"{count} vertices, {len(triangles) // 3} triangles")


write(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_name("mannequin.glb"))
