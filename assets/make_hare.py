"""Makes hare.glb: a sitting hare whose head nods, with two ears that inherit the nod.

Run as `python make_hare.py [OUT.glb]`. Needs `bpy==5.0.1` on Python 3.11. License of script and model: CC0-1.0.

The hare is sculpted as a blend of ellipsoids and capsules, a signed distance function, and meshed by surface nets.
Its fur is painted by texture coordinates: U is a place on a ramp of colors, so patches have smooth borders that do
not follow the mesh. One mesh, one skin: body > head > two ears of two joints each, with smooth weights.
Clips: `nod` and `listen`, both of which loop.

Lengths in this file are in hare units of a decimeter; the mesh and the rig are made in meters.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import bpy
import numpy as np
from mathutils import Quaternion, Vector

from blender_common import (
    Joint,
    MeshSketch,
    Track,
    export_glb,
    make_clip,
    make_image,
    make_material,
    make_rig,
    output_path,
    rotation_track,
    skin_to_rig,
    start_scene,
    turn_of,
)

TAU = 2.0 * math.pi
METERS = 0.1
CELL = 0.108

NECK = np.array((0.0, -0.5, 2.75))
NECK_AXIS = np.array((0.0, -0.35, 0.94))
EAR_BASE = np.array((0.36, -0.52, 4.14))
EAR_TIP = np.array((0.86, -0.02, 6.45))
EAR_LENGTH = float(np.linalg.norm(EAR_TIP - EAR_BASE))


def ear_axes() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The left ear's own axes: across, to the back, and along to the tip. Its cup faces forwards and a little out."""
    along = (EAR_TIP - EAR_BASE) / EAR_LENGTH
    back = np.array((-0.38, 1.0, 0.0))
    back -= along * (back @ along)
    back /= np.linalg.norm(back)
    return np.cross(back, along), back, along


# --- Sculpture: signed distances, negative inside --------------------------------------------------------------------


def ellipsoid(p: np.ndarray, center: tuple[float, float, float], radii: tuple[float, float, float]) -> np.ndarray:
    """A near distance to an ellipsoid along the axes."""
    offset = p - np.array(center)
    scaled = np.linalg.norm(offset / np.array(radii), axis=-1)
    steep = np.linalg.norm(offset / np.array(radii) ** 2, axis=-1)
    return scaled * (scaled - 1.0) / np.maximum(steep, 1e-6)


def capsule(
    p: np.ndarray, start: tuple[float, float, float], end: tuple[float, float, float], radius_0: float, radius_1: float
) -> np.ndarray:
    """A near distance to a rod with round ends and two radii."""
    a, b = np.array(start), np.array(end)
    share = np.clip(((p - a) @ (b - a)) / ((b - a) @ (b - a)), 0.0, 1.0)
    return np.linalg.norm(p - a - share[..., None] * (b - a), axis=-1) - (radius_0 + (radius_1 - radius_0) * share)


def union(first: np.ndarray, second: np.ndarray, blend: float) -> np.ndarray:
    """Both shapes, run into one another over `blend`."""
    overlap = np.maximum(blend - np.abs(first - second), 0.0) / blend
    return np.minimum(first, second) - overlap * overlap * blend * 0.25


def without(shape: np.ndarray, cut: np.ndarray, blend: float) -> np.ndarray:
    """The first shape less the second, with a soft edge."""
    return -union(-shape, cut, blend)


def ear_coordinates(p: np.ndarray) -> np.ndarray:
    """Points about either ear in the left ear's axes: across, back, and 0 to 1 from base to tip."""
    mirrored = np.stack((np.abs(p[..., 0]), p[..., 1], p[..., 2]), axis=-1) - EAR_BASE
    across, back, along = ear_axes()
    return np.stack((mirrored @ across, mirrored @ back, mirrored @ along / EAR_LENGTH), axis=-1)


def ear_cup(p: np.ndarray) -> np.ndarray:
    """The hollow of an ear."""
    local = ear_coordinates(p) * np.array((1.0, 1.0, EAR_LENGTH))
    return ellipsoid(local, (0.0, -0.24, EAR_LENGTH * 0.53), (0.27, 0.26, EAR_LENGTH * 0.42))


def ears(p: np.ndarray) -> np.ndarray:
    """Both ears: leaves with a hollow in front."""
    local = ear_coordinates(p) * np.array((1.0, 1.0, EAR_LENGTH))
    share = np.clip(local[..., 2] / EAR_LENGTH, 0.0, 0.9)
    beyond = 0.5 * (local[..., 2] - share * EAR_LENGTH)
    thickness = 0.1 + 0.125 * np.sin(math.pi * share**0.85)
    narrowing = 0.53 + 0.42 * share**5
    leaf = np.sqrt((narrowing * local[..., 0]) ** 2 + local[..., 1] ** 2 + beyond**2) - thickness
    return without(leaf, ear_cup(p), 0.16)


def hare(p: np.ndarray) -> np.ndarray:
    """The whole hare; `x` is mirrored, so that one side is enough."""
    m = np.stack((np.abs(p[..., 0]), p[..., 1], p[..., 2]), axis=-1)
    shape = ellipsoid(m, (0.0, 0.6, 1.2), (1.02, 1.22, 1.2))
    shape = union(shape, ellipsoid(m, (0.0, -0.3, 1.75), (0.76, 0.76, 1.2)), 0.5)
    shape = union(shape, ellipsoid(m, (0.86, 0.5, 0.86), (0.44, 0.82, 0.78)), 0.16)
    shape = union(shape, capsule(m, (0.88, 0.5, 0.2), (0.92, -0.72, 0.18), 0.26, 0.24), 0.16)
    shape = union(shape, capsule(m, (0.4, -0.62, 1.5), (0.34, -0.92, 0.3), 0.32, 0.2), 0.18)
    shape = union(shape, ellipsoid(m, (0.34, -1.04, 0.17), (0.24, 0.34, 0.2)), 0.14)
    shape = union(shape, ellipsoid(m, (0.0, 1.86, 0.86), (0.42, 0.42, 0.46)), 0.12)
    shape = union(shape, capsule(m, (0.0, -0.35, 2.3), (0.0, -0.62, 3.1), 0.66, 0.56), 0.5)
    head = ellipsoid(m, (0.0, -0.78, 3.5), (0.84, 0.92, 0.78))
    head = union(head, ellipsoid(m, (0.36, -1.18, 3.2), (0.46, 0.46, 0.4)), 0.3)
    head = union(head, ellipsoid(m, (0.0, -1.52, 3.26), (0.34, 0.36, 0.29)), 0.28)
    head = union(head, ellipsoid(m, (0.15, -1.7, 3.14), (0.18, 0.17, 0.16)), 0.14)
    shape = union(shape, head, 0.34)
    shape = union(shape, ears(p), 0.16)
    return without(shape, p[..., 2], 0.06)


def gradient(shape: Callable[[np.ndarray], np.ndarray], p: np.ndarray) -> np.ndarray:
    """The slope of a distance function, by central differences."""
    step = 0.01
    axes = np.eye(3) * step
    return np.stack([(shape(p + axis) - shape(p - axis)) / (2.0 * step) for axis in axes], axis=-1)


def surface_net() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Meshes the hare: points, unit normals, and quads that go counter-clockwise seen from outside."""
    low, high = np.array((-15.0 * CELL, -2.2, -0.2)), np.array((15.0 * CELL, 2.5, 6.8))
    counts = np.ceil((high - low) / CELL - 1e-6).astype(int)
    corners = np.stack(np.meshgrid(*(np.arange(n + 1) for n in counts), indexing="ij"), axis=-1) * CELL + low
    inside = hare(corners) < 0.0
    cells = np.zeros(counts, dtype=int)
    for dx, dy, dz in np.ndindex(2, 2, 2):
        cells += inside[dx : dx + counts[0], dy : dy + counts[1], dz : dz + counts[2]]
    crossed = (cells > 0) & (cells < 8)
    index = np.full(counts, -1)
    index[crossed] = np.arange(np.count_nonzero(crossed))
    points = (np.argwhere(crossed) + 0.5) * CELL + low
    quads = []
    for axis in range(3):
        a, b = (axis + 1) % 3, (axis + 2) % 3
        here = np.take(inside, range(counts[axis]), axis=axis)
        there = np.take(inside, range(1, counts[axis] + 1), axis=axis)
        for edge in np.argwhere(here != there):
            around = []
            for da, db in ((-1, -1), (0, -1), (0, 0), (-1, 0)):
                cell = edge.copy()
                cell[a] += da
                cell[b] += db
                around.append(index[tuple(cell)])
            quads.append(around if here[tuple(edge)] else around[::-1])
    points = relaxed(points, np.array(quads))
    slope = gradient(hare, points)
    return points, slope / np.linalg.norm(slope, axis=-1, keepdims=True), np.array(quads)


def relaxed(points: np.ndarray, quads: np.ndarray) -> np.ndarray:
    """Evens out the quads: each point moves towards its neighbors' middle, then back onto the surface."""
    for _ in range(6):
        total, count = np.zeros_like(points), np.zeros(len(points))
        for k in range(4):
            for other in (quads[:, (k + 1) % 4], quads[:, k - 1]):
                np.add.at(total, quads[:, k], points[other])
                np.add.at(count, quads[:, k], 1.0)
        points = 0.5 * points + 0.5 * total / count[:, None]
        for _ in range(2):
            points = towards_surface(points)
    return points


def towards_surface(points: np.ndarray) -> np.ndarray:
    """One of Newton's steps onto the surface, kept short so that no quad folds over."""
    slope = gradient(hare, points)
    step = (hare(points) / np.maximum(np.sum(slope * slope, axis=-1), 0.2))[:, None] * slope
    length = np.linalg.norm(step, axis=-1, keepdims=True)
    return points - step * np.minimum(1.0, 0.3 * CELL / np.maximum(length, 1e-9))


# --- Paint -----------------------------------------------------------------------------------------------------------

# Places on the ramp of fur colors.
DARK, BACK, FUR, CREAM, PINK = 0.06, 0.25, 0.44, 0.68, 0.94
RAMP = [
    (0.00, "3b2a22"),
    (0.10, "3b2a22"),
    (0.22, "8a6544"),
    (0.30, "94704c"),
    (0.46, "b48a5c"),
    (0.54, "c49f72"),
    (0.62, "f3e6cf"),
    (0.76, "f3e6cf"),
    (0.88, "e3a597"),
    (1.00, "dc978b"),
]


def smooth_step(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """0 at `low`, 1 at `high`, eased between them and level beyond."""
    share = np.clip((values - low) / (high - low), 0.0, 1.0)
    return share * share * (3.0 - 2.0 * share)


def fur_image() -> bpy.types.Image:
    """The ramp, as a strip."""
    places = (np.arange(128) + 0.5) / 128.0
    colors = np.array([[int(code[i : i + 2], 16) / 255.0 for i in (0, 2, 4)] for _, code in RAMP])
    strip = np.stack([np.interp(places, [place for place, _ in RAMP], colors[:, c]) for c in range(3)], axis=-1)
    return make_image("fur", np.repeat(strip[None], 4, axis=0))


def fur_places(points: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """Where on the ramp each point of the surface is."""
    m = np.stack((np.abs(points[:, 0]), points[:, 1], points[:, 2]), axis=-1)
    place = FUR + (BACK - FUR) * smooth_step(normals[:, 2] + 0.6 * normals[:, 1], -0.2, 0.95)
    cream = np.minimum.reduce(
        [
            ellipsoid(m, (0.0, -1.2, 1.5), (0.52, 0.9, 1.35)),
            ellipsoid(m, (0.0, -1.75, 3.1), (0.42, 0.55, 0.3)),
            ellipsoid(m, (0.0, -1.2, 2.85), (0.42, 0.6, 0.24)),
            ellipsoid(m, (0.0, 2.0, 0.78), (0.5, 0.42, 0.46)),
            ellipsoid(m, (0.34, -1.15, 0.1), (0.4, 0.36, 0.28)),
            ellipsoid(m, (0.92, -0.85, 0.1), (0.4, 0.36, 0.3)),
            ellipsoid(m, (0.68, -1.18, 3.6), (0.3, 0.33, 0.29)),
        ]
    )
    place += (CREAM - place) * smooth_step(-cream, -0.1, 0.1)
    local = ear_coordinates(points)
    from_rim = 1.0 - np.hypot(local[:, 0] / 0.3, (local[:, 2] - 0.53) / 0.43)
    cup = smooth_step(from_rim, -0.1, 0.5) * smooth_step(normals_to_back(points, normals), -0.1, -0.5)
    place += (PINK - place) * cup
    tip = smooth_step(local[:, 2], 0.84, 0.95) * (np.linalg.norm(local[:, :2], axis=-1) < 1.0)
    place += (DARK - place) * tip
    return place


def normals_to_back(points: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """How far each normal looks to the back of the ear on its side."""
    _, back, _ = ear_axes()
    mirrored = np.stack((normals[:, 0] * np.sign(points[:, 0]), normals[:, 1], normals[:, 2]), axis=-1)
    return mirrored @ back


# --- Weights ---------------------------------------------------------------------------------------------------------


def joint_weights(point: np.ndarray) -> dict[str, float]:
    """Smooth weights of the joints at a point: body to head along the neck, head to tip along the ears."""
    in_head = float(smooth_step(np.array((point - NECK) @ NECK_AXIS), -0.35, 0.4))
    along = ear_coordinates(point)[2]
    in_ear = float(smooth_step(along, 0.0, 0.24))
    in_tip = float(smooth_step(along, 0.3, 0.72))
    side = "L" if point[0] > 0.0 else "R"
    weights = {
        "body": 1.0 - in_head,
        "head": in_head * (1.0 - in_ear),
        f"ear.{side}.001": in_head * in_ear * (1.0 - in_tip),
        f"ear.{side}.002": in_head * in_ear * in_tip,
    }
    return {joint: weight for joint, weight in weights.items() if weight > 1e-3}


# --- Model -----------------------------------------------------------------------------------------------------------


def make_hare() -> bpy.types.Object:
    """The hare, its eyes and its nose in one mesh."""
    sketch = MeshSketch(
        [
            make_material("fur", "ffffff", 0.85, fur_image()),
            make_material("eye", "1c1512", 0.12),
            make_material("glint", "ffffff", 0.3),
            make_material("nose", "8f4f4a", 0.4),
            make_material("whisker", "fff6e6", 0.6),
        ]
    )
    points, normals, quads = surface_net()
    uvs = [(float(u), 0.5) for u in fur_places(points, normals)]
    sketch.binding = lambda point: joint_weights(np.array(point) / METERS)
    sketch.add("fur", [Vector(p * METERS) for p in points], [Vector(n) for n in normals], uvs, quads.tolist())
    sketch.binding = lambda _: {"head": 1.0}
    for side in (-1.0, 1.0):
        add_ball(sketch, "eye", (side * 0.645, -1.2, 3.62), (0.16, 0.22, 0.23), 14, 10)
        add_ball(sketch, "glint", (side * 0.745, -1.325, 3.72), (0.05, 0.05, 0.05), 7, 5)
        for lift in (-0.1, 0.04, 0.18):
            add_whisker(sketch, side, lift)
    add_ball(sketch, "nose", (0.0, -1.86, 3.33), (0.13, 0.08, 0.09), 12, 8)
    return sketch.to_object("hare_mesh")


def add_ball(
    sketch: MeshSketch,
    material: str,
    center: tuple[float, float, float],
    radii: tuple[float, float, float],
    segments: int,
    rings: int,
) -> None:
    """An ellipsoid of latitudes and longitudes."""
    points, normals, faces = [], [], []
    for ring in range(rings + 1):
        for segment in range(segments + 1):
            fall, turn = math.pi * ring / rings, TAU * segment / segments
            unit = Vector((math.sin(fall) * math.cos(turn), math.sin(fall) * math.sin(turn), -math.cos(fall)))
            points.append((Vector(center) + Vector([unit[i] * radii[i] for i in range(3)])) * METERS)
            normals.append(Vector([unit[i] / radii[i] for i in range(3)]))
    row = segments + 1
    for ring in range(rings):
        for segment in range(segments):
            a, b = ring * row + segment, ring * row + segment + 1
            if ring == 0:
                faces.append((a, b + row, a + row))
            elif ring == rings - 1:
                faces.append((a, b, a + row))
            else:
                faces.append((a, b, b + row, a + row))
    sketch.add(material, points, normals, [(0.5, 0.5)] * len(points), faces)


def add_whisker(sketch: MeshSketch, side: float, lift: float) -> None:
    """One whisker: a long thin pyramid."""
    root = Vector((side * 0.27, -1.7, 3.16 + 0.3 * lift))
    tip = root + Vector((side * 0.78, -0.06, lift))
    along = (tip - root).normalized()
    across = along.cross(Vector((0.0, 1.0, 0.0))).normalized()
    over = along.cross(across)
    ring = [across * math.cos(t) + over * math.sin(t) for t in (0.0, TAU / 3.0, 2.0 * TAU / 3.0)]
    points = [(root + offset * 0.016) * METERS for offset in ring] + [tip * METERS]
    sketch.add("whisker", points, [*ring, along], [(0.5, 0.5)] * 4, [(0, 1, 3), (1, 2, 3), (2, 0, 3)])


def make_joints() -> list[Joint]:
    """body > head > two ears of two joints each."""

    def joint(name: str, parent: str | None, head: np.ndarray, tail: np.ndarray) -> Joint:
        return Joint(name, parent, tuple(head * METERS), tuple(tail * METERS))

    joints = [
        joint("body", None, np.array((0.0, 0.5, 0.2)), np.array((0.0, 0.2, 1.6))),
        joint("head", "body", NECK, NECK + NECK_AXIS),
    ]
    middle = EAR_BASE + (EAR_TIP - EAR_BASE) * 0.48
    for side, sign in (("L", 1.0), ("R", -1.0)):
        mirror = np.array((sign, 1.0, 1.0))
        joints.append(joint(f"ear.{side}.001", "head", EAR_BASE * mirror, middle * mirror))
        joints.append(joint(f"ear.{side}.002", f"ear.{side}.001", middle * mirror, EAR_TIP * mirror))
    return joints


# --- Clips -----------------------------------------------------------------------------------------------------------

RIGHT, AHEAD, UP = (1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0)
KEYS_PER_SEC = 12


def bump(secs: float, begin: float, end: float) -> float:
    """Rises from 0 to 1 and falls back between two instants, gently at both."""
    if not begin < secs < end:
        return 0.0
    return math.sin(math.pi * (secs - begin) / (end - begin)) ** 2


def breathing(duration_secs: float, breaths: int) -> Track:
    """The body swells a little with every breath."""
    keys = []
    for i in range(2 * breaths + 1):
        swell = 1.0 + (0.016 if i % 2 else 0.0)
        keys.append((duration_secs * i / (2 * breaths), (swell, 1.0 + 0.4 * (swell - 1.0), swell)))
    return Track("body", "scale", keys, eased=True)


def sampled(rig: bpy.types.Object, joint: str, duration_secs: float, turns_at: Callable[[float], list]) -> Track:
    """A track of turns about axes of the rig, one after another: (axis, degrees) pairs over time."""

    def rotation_at(secs: float) -> Quaternion:
        rotation = Quaternion()
        for axis, degrees in turns_at(secs % duration_secs):
            rotation = rotation @ turn_of(rig, joint, axis, math.radians(degrees))
        return rotation

    return rotation_track(joint, rotation_at, duration_secs, round(duration_secs * KEYS_PER_SEC))


def make_nod(rig: bpy.types.Object) -> None:
    """`nod`: two nods of the head; the ears lag behind and swing through."""
    duration = 3.0

    def nod_at(secs: float) -> float:
        secs %= duration
        return 24.0 * bump(secs, 0.2, 1.2) + 17.0 * bump(secs, 1.1, 2.0) - 3.5 * bump(secs, 1.9, 2.8)

    def lag_at(secs: float, lag: float) -> float:
        return nod_at(secs - lag) - nod_at(secs)

    tracks = [
        breathing(duration, 1),
        sampled(rig, "head", duration, lambda s: [(RIGHT, nod_at(s)), (AHEAD, 2.5 * math.sin(TAU * s / duration))]),
    ]
    for side, sign, late in (("L", 1.0, 0.0), ("R", -1.0, 0.02)):
        tracks.append(
            sampled(
                rig,
                f"ear.{side}.001",
                duration,
                lambda s, late=late, sign=sign: [
                    (RIGHT, 0.9 * lag_at(s, 0.12 + late)),
                    (AHEAD, -sign * 0.12 * nod_at(s - 0.1)),
                ],
            )
        )
        tracks.append(
            sampled(rig, f"ear.{side}.002", duration, lambda s, late=late: [(RIGHT, 1.1 * lag_at(s, 0.2 + late))])
        )
    make_clip(rig, "nod", tracks)


def make_listen(rig: bpy.types.Object) -> None:
    """`listen`: the head cocks, one ear swivels to a sound, the other flicks."""
    duration = 4.0

    def held(secs: float, begin: float, end: float) -> float:
        rise = min(1.0, max(0.0, (secs - begin) / 0.45))
        fall = min(1.0, max(0.0, (end - secs) / 0.6))
        share = min(rise, fall)
        return share * share * (3.0 - 2.0 * share)

    def flick(secs: float, begin: float) -> float:
        return bump(secs, begin, begin + 0.3) - 0.5 * bump(secs, begin + 0.2, begin + 0.5)

    tracks = [
        breathing(duration, 2),
        sampled(
            rig,
            "head",
            duration,
            lambda s: [
                (UP, 20.0 * held(s, 0.5, 3.2)),
                (AHEAD, 8.0 * held(s, 0.65, 3.1)),
                (RIGHT, -4.0 * held(s, 0.5, 3.3)),
            ],
        ),
        sampled(
            rig,
            "ear.L.001",
            duration,
            lambda s: [(UP, 38.0 * held(s, 0.3, 3.0)), (AHEAD, -8.0 * held(s, 0.3, 3.0) - 12.0 * flick(s, 2.2))],
        ),
        sampled(
            rig, "ear.L.002", duration, lambda s: [(RIGHT, 8.0 * held(s, 0.45, 3.1)), (AHEAD, -9.0 * flick(s, 2.26))]
        ),
        sampled(
            rig,
            "ear.R.001",
            duration,
            lambda s: [(RIGHT, -24.0 * held(s, 0.8, 3.4)), (AHEAD, 18.0 * flick(s, 1.2) + 18.0 * flick(s, 1.6))],
        ),
        sampled(
            rig,
            "ear.R.002",
            duration,
            lambda s: [(RIGHT, -16.0 * held(s, 0.9, 3.5)), (AHEAD, 14.0 * flick(s, 1.26) + 14.0 * flick(s, 1.66))],
        ),
    ]
    make_clip(rig, "listen", tracks)


def main() -> None:
    path = output_path("hare.glb")
    start_scene()
    rig = make_rig("hare", make_joints())
    skin_to_rig(make_hare(), rig)
    make_nod(rig)
    make_listen(rig)
    export_glb(path)


if __name__ == "__main__":
    main()
