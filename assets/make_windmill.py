"""Makes windmill.glb: a stone tower mill with a turning cap, four cloth sails, a fantail and a pennant.

Run as `python make_windmill.py [OUT.glb]`. Needs `bpy==5.0.1` on Python 3.11. License of script and model: CC0-1.0.

The ground and the tower are plain static meshes. One rig carries the rest: the cap and the fantail hang rigidly on
a joint each, the sails are skinned so that they can bend, and the pennant is skinned smoothly to a chain of joints.
Clips: `turn`, `yaw` and `gust`, all of which loop.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

import bpy
import numpy as np
from mathutils import Matrix, Quaternion, Vector

from blender_common import (
    STONE_UV,
    Joint,
    MeshSketch,
    Track,
    export_glb,
    hang_on_joint,
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
UP = Vector((0.0, 0.0, 1.0))

# The tower, in meters above the grid.
GROUND_TOP = 0.40
COURSE_HEIGHT = 0.5
COURSES = 17
TOWER_TOP = GROUND_TOP + COURSES * COURSE_HEIGHT
STAGE_COURSE = 6
STAGE_FLOOR = GROUND_TOP + STAGE_COURSE * COURSE_HEIGHT + 0.05
STAGE_WIDTH = 1.05

# The cap.
CAP_FLOOR = TOWER_TOP + 0.16
CAP_FRONT, CAP_BACK = -2.2, 2.45
POLE_FOOT = Vector((0.0, 0.75, CAP_FLOOR + 1.7))
POLE_TOP = Vector((0.0, 0.75, CAP_FLOOR + 4.75))
FAN_AXLE = Vector((0.0, 3.95, CAP_FLOOR + 1.45))
FAN_RADIUS = 1.3

# The rotor. The windshaft leans back by its tilt, so that the sails clear the tower's foot.
SHAFT_TILT = math.radians(8.0)
SHAFT_DIRECTION = Vector((0.0, -math.cos(SHAFT_TILT), math.sin(SHAFT_TILT)))
HUB = Vector((0.0, -3.35, CAP_FLOOR + 0.98))
SAIL_START = math.radians(30.0)
SAIL_LENGTH = 6.05
SAIL_ROOT = 1.05
SAIL_BARS = 12
SAIL_TRAILING = 1.26
SAIL_LEADING = -0.36
BEND_START, BEND_END = 0.9, 4.2

# The pennant flies to the back, on a chain of joints.
PENNANT_JOINTS = 6
PENNANT_LENGTH = 3.4
PENNANT_HOIST = POLE_TOP + Vector((0.0, 0.05, -0.58))

ROTOR_FROM_UPRIGHT = Matrix.Translation(HUB) @ Matrix.Rotation(-SHAFT_TILT, 4, "X")


# --- Materials -------------------------------------------------------------------------------------------------------


def smooth_noise(generator: np.random.Generator, size: int, reach_u: float, reach_v: float) -> np.ndarray:
    """Tileable noise in 0 to 1 whose blobs are about `reach_u` by `reach_v` pixels."""
    frequency_u = np.fft.fftfreq(size)[None, :] * reach_u
    frequency_v = np.fft.fftfreq(size)[:, None] * reach_v
    filtered = np.fft.fft2(generator.random((size, size))) * np.exp(-8.0 * (frequency_u**2 + frequency_v**2))
    filtered[0, 0] = 0.0
    noise = np.real(np.fft.ifft2(filtered))
    return np.clip(0.5 + noise / (4.5 * noise.std()), 0.0, 1.0)


def gray_image(name: str, brightness: np.ndarray) -> bpy.types.Image:
    """A gray image in few levels, which pack well."""
    steps = np.round(brightness * 32.0) / 32.0
    return make_image(name, np.repeat(steps[..., None], 3, axis=2))


def wood_image() -> bpy.types.Image:
    """Grain along U."""
    generator = np.random.default_rng(11)
    grain = smooth_noise(generator, 128, 60.0, 2.5) * 0.6 + smooth_noise(generator, 128, 90.0, 9.0) * 0.4
    return gray_image("wood", 0.74 + 0.36 * grain)


def canvas_image() -> bpy.types.Image:
    """A weave with a seam along one edge of the tile."""
    generator = np.random.default_rng(12)
    v, u = np.mgrid[0:128, 0:128]
    weave = np.where((u // 2 + v // 2) % 2 == 0, 0.0, 1.0)
    stains = smooth_noise(generator, 128, 60.0, 14.0)
    brightness = 0.89 + 0.02 * weave + 0.1 * stains
    brightness[:, :3] *= 0.88
    return gray_image("canvas", brightness)


def stone_image() -> bpy.types.Image:
    """Mottles, coarse and fine."""
    generator = np.random.default_rng(13)
    mottles = smooth_noise(generator, 128, 14.0, 9.0) * 0.45 + smooth_noise(generator, 128, 3.0, 2.0) * 0.55
    return gray_image("stone", 0.8 + 0.3 * mottles)


def make_materials() -> list[bpy.types.Material]:
    """The palette."""
    wood, canvas, stone = wood_image(), canvas_image(), stone_image()
    return [
        make_material("stone.warm", "cdbb9c", 0.9, stone),
        make_material("stone.pale", "dccfb6", 0.9, stone),
        make_material("stone.gray", "b3a892", 0.9, stone),
        make_material("stone.rust", "c0a07c", 0.9, stone),
        make_material("stone.dressed", "e6dcc8", 0.85, stone),
        make_material("rock", "a89d88", 0.95),
        make_material("rock.pale", "beb198", 0.95),
        make_material("mortar", "8d8069", 1.0),
        make_material("grass", "7f9a52", 1.0),
        make_material("grass.dark", "6f8c48", 1.0),
        make_material("grass.light", "8ea65c", 1.0),
        make_material("soil", "6b4d36", 1.0),
        make_material("oak", "8a6340", 0.75, wood),
        make_material("oak.dark", "5d4230", 0.8, wood),
        make_material("cap", "8f4a35", 0.7, wood),
        make_material("cap.dark", "7a3d2d", 0.7, wood),
        make_material("white", "f0eadc", 0.55, wood),
        make_material("blue", "2f6f86", 0.5, wood),
        make_material("iron", "3a3c40", 0.45),
        make_material("glass", "22384a", 0.15),
        make_material("gold", "d9a531", 0.35),
        make_material("sack", "c3a878", 0.95, canvas),
        make_material("canvas", "f3e6c6", 0.9, canvas, double_sided=True),
        make_material("pennant.red", "c23a2b", 0.8, double_sided=True),
        make_material("pennant.cream", "f4e7c8", 0.8, double_sided=True),
    ]


# --- Ground ----------------------------------------------------------------------------------------------------------


def around(azimuth: float, radius: float, height: float) -> Vector:
    """A point about the tower's axis; azimuth 0 is the front and grows to the right of one who faces it."""
    return Vector((math.sin(azimuth) * radius, -math.cos(azimuth) * radius, height))


def facing(azimuth: float) -> Matrix:
    """Turns what was made at the front (-Y) to `azimuth`."""
    return Matrix.Rotation(azimuth, 4, "Z")


DOOR_AZIMUTH = math.radians(32.0)


def make_ground(materials: list[bpy.types.Material]) -> bpy.types.Object:
    """An island of grass with a flagged path, stones and tufts."""
    sketch = MeshSketch(materials, textured=False)
    chance = random.Random(21)
    add_turf(sketch, chance)
    add_path(sketch, chance)
    for azimuth, radius, size in (
        (-0.75, 4.7, 0.42),
        (-0.62, 4.95, 0.24),
        (1.55, 4.75, 0.5),
        (1.72, 4.4, 0.26),
        (-2.5, 4.7, 0.4),
    ):
        add_boulder(sketch, chance, around(azimuth, radius, turf_height(radius)), size)
    for _ in range(20):
        azimuth, radius = chance.uniform(-math.pi, math.pi), chance.uniform(3.15, 5.2)
        if abs(azimuth - DOOR_AZIMUTH) > 0.26:
            add_tuft(sketch, chance, around(azimuth, radius, turf_height(radius) - 0.03))
    return sketch.to_object("ground")


def turf_height(radius: float) -> float:
    """Height of the grass at a distance from the tower's axis."""
    return GROUND_TOP - 0.012 * max(0.0, radius - 2.8) ** 2


def add_turf(sketch: MeshSketch, chance: random.Random) -> None:
    """The grass in facets, its edge and the soil under it, closed below."""
    segments = 20
    rings = []
    for radius in (2.6, 3.7, 4.6, 5.35):
        ring = []
        for i in range(segments):
            bumpy = radius > 3.0
            far = radius + (chance.uniform(-0.14, 0.14) if bumpy else 0.0)
            high = turf_height(far) + (chance.uniform(-0.03, 0.03) if bumpy else 0.0)
            ring.append(around(TAU * (i + 0.5 * (len(rings) % 2)) / segments, far, high))
        rings.append(ring)
    greens = ["grass"] * 5 + ["grass.dark"] * 2 + ["grass.light"] * 2
    for k, (inner, outer) in enumerate(zip(rings, rings[1:])):
        for i in range(segments):
            j = (i + 1) % segments
            if k % 2 == 0:
                triangles = ((inner[i], outer[i], inner[j]), (inner[j], outer[i], outer[j]))
            else:
                triangles = ((inner[i], outer[i], outer[j]), (inner[i], outer[j], inner[j]))
            for triangle in triangles:
                sketch.polygon(chance.choice(greens), triangle)
    edge = rings[-1]
    lip = [Vector((p.x * 1.01, p.y * 1.01, 0.17 + chance.uniform(-0.04, 0.04))) for p in edge]
    foot = [Vector((p.x * 0.975, p.y * 0.975, 0.0)) for p in edge]
    for i in range(segments):
        j = (i + 1) % segments
        sketch.polygon("grass.dark", (lip[i], lip[j], edge[j], edge[i]))
        sketch.polygon("soil", (foot[i], foot[j], lip[j], lip[i]))
    sketch.polygon("soil", foot[::-1])


def add_path(sketch: MeshSketch, chance: random.Random) -> None:
    """Flagstones from the steps to the edge."""
    for step in range(4):
        radius = 3.86 + step * 0.4
        for side in (-1, 1):
            middle = around(DOOR_AZIMUTH + side * 0.25 / radius * 1.05, radius, turf_height(radius) + 0.015)
            middle += Vector((chance.uniform(-0.04, 0.04), chance.uniform(-0.04, 0.04), 0.0))
            corners = []
            for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                wobble = chance.uniform(-0.03, 0.03)
                corners.append(middle + facing(DOOR_AZIMUTH) @ Vector((x * (0.22 + wobble), y * 0.16, 0.0)))
            sketch.slab(chance.choice(("rock", "rock.pale")), corners, 0.035, 0.03)


def add_boulder(sketch: MeshSketch, chance: random.Random, foot: Vector, size: float) -> None:
    """A faceted stone, half sunk."""
    sides = 6
    squash = [chance.uniform(0.8, 1.15) for _ in range(sides)]
    rings = []
    for radius, height in ((1.0, -0.2), (0.95, 0.35), (0.5, 0.72)):
        rings.append(
            [
                foot
                + size
                * Vector(
                    (
                        radius * squash[i] * math.cos(TAU * i / sides),
                        radius * squash[i] * 0.8 * math.sin(TAU * i / sides),
                        height + chance.uniform(-0.05, 0.05),
                    )
                )
                for i in range(sides)
            ]
        )
    material = chance.choice(("rock", "rock.pale"))
    for lower, upper in zip(rings, rings[1:]):
        for i in range(sides):
            j = (i + 1) % sides
            sketch.polygon(material, (lower[i], lower[j], upper[j], upper[i]))
    top = sum(rings[-1], Vector()) / sides + Vector((0.0, 0.0, 0.06 * size))
    for i in range(sides):
        sketch.polygon(material, (rings[-1][i], rings[-1][(i + 1) % sides], top))


def add_tuft(sketch: MeshSketch, chance: random.Random, foot: Vector) -> None:
    """A few blades of grass, each a thin pyramid, all shaded as the ground is."""
    material = chance.choice(("grass.dark", "grass.light", "grass"))
    for _ in range(3):
        lean = chance.uniform(0.0, TAU)
        tip = foot + Vector((0.09 * math.cos(lean), 0.09 * math.sin(lean), chance.uniform(0.2, 0.42)))
        base = foot + Vector((chance.uniform(-0.05, 0.05), chance.uniform(-0.05, 0.05), 0.0))
        points = [base + 0.045 * Vector((math.cos(t), math.sin(t), 0.0)) for t in (0.0, TAU / 3, 2 * TAU / 3)] + [tip]
        outward = [((p - base) * 12.0 + UP).normalized() for p in points[:3]] + [UP]
        sketch.add(material, points, outward, [(0.0, 0.0)] * 4, [(0, 1, 3), (1, 2, 3), (2, 0, 3)])


# --- Tower -----------------------------------------------------------------------------------------------------------


def tower_radius(height: float) -> float:
    """The tower's radius behind its stones: a taper that eases towards the top."""
    remaining = 1.0 - (height - GROUND_TOP) / (TOWER_TOP - GROUND_TOP)
    return 1.86 + 0.92 * max(0.0, remaining) ** 1.3


class Opening:
    """A hole in the courses for a door or window, in whole courses."""

    def __init__(self, azimuth_degrees: float, first_course: int, courses: int, width: float) -> None:
        self.azimuth = math.radians(azimuth_degrees)
        self.first_course, self.last_course = first_course, first_course + courses
        self.width = width
        self.bottom = GROUND_TOP + first_course * COURSE_HEIGHT
        self.top = GROUND_TOP + self.last_course * COURSE_HEIGHT

    def half_angle(self, radius: float) -> float:
        """Half the angle that the opening takes from a course."""
        return self.width / 2.0 / radius


FRONT_DOOR = Opening(32.0, 0, 5, 1.5)
STAGE_DOOR = Opening(-62.0, STAGE_COURSE, 4, 1.2)
WINDOWS = [
    Opening(-38.0, 2, 3, 1.05),
    Opening(100.0, 2, 3, 1.05),
    Opening(205.0, 1, 3, 1.05),
    Opening(38.0, 9, 3, 1.0),
    Opening(128.0, 7, 3, 1.0),
    Opening(-135.0, 8, 3, 1.0),
    Opening(-18.0, 12, 3, 0.95),
    Opening(84.0, 13, 3, 0.95),
]


def make_tower(materials: list[bpy.types.Material]) -> bpy.types.Object:
    """The masonry: mortar, stones in courses, and the dressed stone about the openings."""
    sketch = MeshSketch(materials)
    chance = random.Random(22)
    heights = [GROUND_TOP - 0.1] + [GROUND_TOP + COURSE_HEIGHT * k for k in range(4, COURSES, 4)] + [TOWER_TOP + 0.1]
    sketch.lathe("mortar", [(0.97 * tower_radius(h), h) for h in heights], 24)
    for course in range(COURSES):
        add_course(sketch, chance, course)
    add_ring_of_stones(sketch, GROUND_TOP - 0.1, GROUND_TOP + 0.16, 26, 0.16)
    add_ring_of_stones(sketch, TOWER_TOP - 0.17, TOWER_TOP, 20, 0.15)
    for opening in [FRONT_DOOR, STAGE_DOOR, *WINDOWS]:
        add_surround(sketch, opening)
    add_steps(sketch)
    add_millstone(sketch)
    return sketch.to_object("tower")


def add_course(sketch: MeshSketch, chance: random.Random, course: int) -> None:
    """One course: stones of uneven length in every stretch between openings."""
    bottom = GROUND_TOP + course * COURSE_HEIGHT
    radius = tower_radius(bottom)
    cuts = sorted(
        ((o.azimuth - o.half_angle(radius)) % TAU, 2.0 * o.half_angle(radius))
        for o in [FRONT_DOOR, STAGE_DOOR, *WINDOWS]
        if o.first_course <= course < o.last_course
    )
    start = chance.uniform(0.0, 0.3)
    stretches = [(start, start + TAU)]
    if cuts:
        stretches = []
        for (begin, width), (next_begin, _) in zip(cuts, cuts[1:] + [(cuts[0][0] + TAU, 0.0)]):
            stretches.append((begin + width, next_begin))
    for begin, end in stretches:
        count = max(1, round((end - begin) * radius / 1.02), math.ceil((end - begin) / 0.46))
        shares = [chance.uniform(0.78, 1.22) for _ in range(count)]
        azimuth = begin
        for share in shares:
            next_azimuth = azimuth + (end - begin) * share / sum(shares)
            add_stone(sketch, chance, azimuth, next_azimuth, bottom)
            azimuth = next_azimuth


def add_stone(sketch: MeshSketch, chance: random.Random, begin: float, end: float, bottom: float) -> None:
    """One stone of a course, standing a little more or less proud than its neighbors."""
    top = bottom + COURSE_HEIGHT
    joint = 0.012
    pad = joint / tower_radius(bottom)
    corners = [
        around(begin + pad, tower_radius(bottom), bottom + joint),
        around(end - pad, tower_radius(bottom), bottom + joint),
        around(end - pad, tower_radius(top), top - joint),
        around(begin + pad, tower_radius(top), top - joint),
    ]
    material = chance.choices(("stone.warm", "stone.pale", "stone.gray", "stone.rust"), (9, 6, 4, 2))[0]
    proud = chance.uniform(0.05, 0.085)
    sketch.slab(material, corners, proud, 0.028, (chance.random(), chance.random()), STONE_UV)


def add_ring_of_stones(sketch: MeshSketch, bottom: float, top: float, count: int, proud: float) -> None:
    """A plinth or cornice of dressed stone about the tower."""
    for i in range(count):
        begin, end = TAU * (i + 0.02) / count, TAU * (i + 0.98) / count
        if bottom < GROUND_TOP and abs((begin + end) / 2.0 - FRONT_DOOR.azimuth) < 0.3:
            continue
        corners = [
            around(begin, tower_radius(bottom), bottom),
            around(end, tower_radius(bottom), bottom),
            around(end, tower_radius(top), top),
            around(begin, tower_radius(top), top),
        ]
        sketch.slab("stone.dressed", corners, proud, 0.03, (0.37 * i, 0.2 * i), STONE_UV)


def wall_depth(opening: Opening) -> float:
    """Distance from the tower's axis of the outermost stones at the foot of an opening."""
    return tower_radius(opening.bottom) + 0.07


def add_surround(sketch: MeshSketch, opening: Opening) -> None:
    """Jambs, a lintel and, under a window, a sill."""
    edge = tower_radius(opening.top)
    back = -edge * math.cos(opening.half_angle(edge)) + 0.06
    depth = back + wall_depth(opening) + 0.05
    half = opening.width / 2.0
    lintel_foot = opening.top - (0.34 if opening is FRONT_DOOR else 0.27)
    sketch.place = facing(opening.azimuth)

    def dressed(x0: float, x1: float, z0: float, z1: float, proud: float) -> None:
        corners = [Vector((x0, back, z0)), Vector((x1, back, z0)), Vector((x1, back, z1)), Vector((x0, back, z1))]
        sketch.slab("stone.dressed", corners, proud, 0.02, (x0 * 3.1, z1 * 1.7), STONE_UV)

    stones = 3 if opening not in WINDOWS else 2
    for side in (-1, 1):
        for k in range(stones):
            inner = side * (half - 0.2)
            outer = side * (half + (0.07 if k % 2 else 0.0))
            z0 = opening.bottom + (lintel_foot - opening.bottom) * k / stones
            z1 = opening.bottom + (lintel_foot - opening.bottom) * (k + 1) / stones - 0.012
            dressed(min(inner, outer), max(inner, outer), z0, z1, depth)
    dressed(-half - 0.07, half + 0.07, lintel_foot, opening.top, depth + 0.04)
    if opening in WINDOWS:
        dressed(-half - 0.09, half + 0.09, opening.bottom - 0.02, opening.bottom + 0.13, depth + 0.09)
    sketch.place = Matrix.Identity(4)


def add_steps(sketch: MeshSketch) -> None:
    """Three treads up to the front door."""
    sketch.place = facing(FRONT_DOOR.azimuth)
    front = wall_depth(FRONT_DOOR)
    for k, (reach, top) in enumerate(((0.34, 0.36), (0.62, 0.24), (0.9, 0.12))):
        place = Matrix.Translation((0.0, -(front + reach / 2.0 - 0.15), GROUND_TOP + top / 2.0 - 0.06))
        size = (1.5 + 0.24 * k, reach + 0.3, top + 0.12)
        sketch.block(
            "stone.dressed" if k % 2 == 0 else "stone.gray",
            size,
            place,
            0.03,
            uv_offset=(0.3 * k, 0.1),
            uv_scale=STONE_UV,
        )
    sketch.place = Matrix.Identity(4)


def add_millstone(sketch: MeshSketch) -> None:
    """A worn millstone that leans on the wall beside the door."""
    azimuth = math.radians(72.0)
    radius, thick = 0.62, 0.2
    foot = around(azimuth, tower_radius(GROUND_TOP) + 0.52, GROUND_TOP - 0.02)
    lean = Matrix.Rotation(math.radians(-74.0), 4, "X")
    place = Matrix.Translation(foot) @ facing(azimuth) @ lean.inverted() @ Matrix.Translation((0.0, radius, 0.0))
    profile = [
        (0.15, -thick * 0.5),
        (radius - 0.03, -thick * 0.5),
        (radius, -thick * 0.38),
        (radius, thick * 0.38),
        (radius - 0.03, thick * 0.5),
        (0.15, thick * 0.5),
        (0.15, -thick * 0.5),
    ]
    sketch.lathe("stone.gray", profile, 16, place, STONE_UV)


def make_joinery(materials: list[bpy.types.Material]) -> bpy.types.Object:
    """The tower's woodwork: doors, windows, and the stage that runs about it."""
    sketch = MeshSketch(materials)
    add_door(sketch, FRONT_DOOR, GROUND_TOP + 0.3, 0.34)
    add_door(sketch, STAGE_DOOR, STAGE_FLOOR, 0.27)
    for window in WINDOWS:
        add_window(sketch, window)
    add_stage(sketch)
    add_sacks(sketch)
    return sketch.to_object("joinery")


def add_door(sketch: MeshSketch, opening: Opening, threshold: float, lintel: float) -> None:
    """A planked door with iron straps, set back in its surround."""
    sketch.place = facing(opening.azimuth)
    face = -wall_depth(opening) + 0.06
    half, top = opening.width / 2.0 - 0.2, opening.top - lintel
    planks = 5
    for k in range(planks):
        x0, x1 = -half + 2.0 * half * k / planks, -half + 2.0 * half * (k + 1) / planks
        corners = [(x1, face, threshold), (x1, face, top), (x0, face, top), (x0, face, threshold)]
        sketch.slab("blue", [Vector(c) for c in corners], 0.05, 0.016, (0.0, 0.3 * k))
    for height in (0.22, 0.76):
        z = threshold + (top - threshold) * height
        sketch.stick("iron", (-half, face - 0.055, z), (half * 0.7, face - 0.055, z), 0.03, 0.07)
    place = Matrix.Translation((half * 0.62, face - 0.09, threshold + 0.95))
    sketch.block("gold", (0.07, 0.07, 0.14), place, 0.03)
    sketch.place = Matrix.Identity(4)


def add_window(sketch: MeshSketch, opening: Opening) -> None:
    """A white frame of four lights before dark glass."""
    sketch.place = facing(opening.azimuth)
    face = -wall_depth(opening) + 0.03
    half, bottom, top = opening.width / 2.0 - 0.2, opening.bottom + 0.11, opening.top - 0.27
    middle = (bottom + top) / 2.0
    corners = ((-half, bottom), (half, bottom), (half, top), (-half, top))
    sketch.polygon("glass", [Vector((x, face + 0.05, z)) for x, z in corners])
    for z in (bottom + 0.03, top - 0.03):
        sketch.stick("white", (-half, face, z), (half, face, z), 0.1, 0.07)
    for x in (-half + 0.035, half - 0.035):
        sketch.stick("white", (x, face, bottom + 0.06), (x, face, top - 0.06), 0.1, 0.07, up=(1.0, 0.0, 0.0))
    sketch.stick("white", (0.0, face + 0.01, bottom), (0.0, face + 0.01, top), 0.07, 0.05, up=(1.0, 0.0, 0.0))
    sketch.stick("white", (-half, face + 0.014, middle), (half, face + 0.014, middle), 0.06, 0.045)
    sketch.place = Matrix.Identity(4)


def add_stage(sketch: MeshSketch) -> None:
    """The wooden gallery: joists on braces, a floor of planks and a railing."""
    bays = 16
    inner = tower_radius(STAGE_FLOOR) + 0.02
    outer = inner + STAGE_WIDTH
    rail = outer - 0.1
    underside = STAGE_FLOOR - 0.06
    for i in range(bays):
        azimuth, following = TAU * i / bays, TAU * (i + 1) / bays
        joist = underside - 0.085
        sketch.stick("oak.dark", around(azimuth, inner - 0.1, joist), around(azimuth, outer + 0.06, joist), 0.14, 0.17)
        foot = STAGE_FLOOR - 1.12
        sketch.stick(
            "oak.dark",
            around(azimuth, tower_radius(foot) + 0.03, foot),
            around(azimuth, outer - 0.2, underside - 0.16),
            0.12,
            0.12,
        )
        add_floor_boards(sketch, azimuth, following, inner - 0.06, outer)
        post = around(azimuth, rail, STAGE_FLOOR)
        sketch.stick("oak", post - 0.02 * UP, post + 1.04 * UP, 0.1, 0.1, up=around(azimuth, 1.0, 0.0))
        along = around(following, rail, STAGE_FLOOR) - post
        for height, thick in ((0.94, 0.09), (0.5, 0.06)):
            start = post + height * UP
            sketch.stick("oak", start, start + along, 0.06, thick)


def add_floor_boards(sketch: MeshSketch, begin: float, end: float, inner: float, outer: float) -> None:
    """One bay of the stage floor: boards that fan out, and their underside."""
    boards = 2
    bottom = STAGE_FLOOR - 0.06
    for k in range(boards):
        a = begin + (end - begin) * (k + 0.02) / boards
        b = begin + (end - begin) * (k + 0.98) / boards
        corners = [
            around(a, inner, bottom),
            around(a, outer, bottom),
            around(b, outer, bottom),
            around(b, inner, bottom),
        ]
        sketch.slab("oak", corners, 0.06 - 0.008 * k, 0.012, (begin, 0.37 * (2.0 * begin + k)))
    under = [around(begin, inner, bottom), around(end, inner, bottom)]
    under += [around(begin + (end - begin) * share, outer, bottom) for share in (1.0, 0.5, 0.0)]
    sketch.polygon("oak.dark", under, 0.6)


def add_sacks(sketch: MeshSketch) -> None:
    """Flour sacks by the front door."""
    profile = [(0.0, 0.0), (0.24, 0.02), (0.31, 0.14), (0.3, 0.38), (0.22, 0.56), (0.1, 0.64), (0.14, 0.74), (0.0, 0.7)]
    for azimuth, reach, size, lean in ((-2.0, 0.42, 1.0, -9.0), (-9.0, 0.5, 0.86, 7.0)):
        azimuth = math.radians(azimuth)
        foot = around(azimuth, tower_radius(GROUND_TOP) + reach, GROUND_TOP - 0.02)
        place = (
            Matrix.Translation(foot)
            @ Matrix.Rotation(math.radians(lean), 4, "Y")
            @ Matrix.Diagonal((size, size * 0.8, size, 1.0))
        )
        add_smooth_lathe(sketch, "sack", profile, 9, place)


def add_smooth_lathe(
    sketch: MeshSketch, material: str, profile: Sequence[tuple[float, float]], segments: int, place: Matrix
) -> None:
    """A turned surface that is smooth along its profile too."""
    outline = np.array(profile)
    slopes = np.gradient(outline, axis=0)
    points, normals, uvs, faces = [], [], [], []
    for k, (radius, z) in enumerate(profile):
        for i in range(segments + 1):
            turn = Matrix.Rotation(TAU * i / segments, 3, "Z")
            points.append(place @ (turn @ Vector((radius, 0.0, z))))
            normals.append(place.to_3x3().inverted().transposed() @ (turn @ Vector((slopes[k][1], 0.0, -slopes[k][0]))))
            uvs.append((2.0 * i / segments, z))
    row = segments + 1
    for k in range(len(profile) - 1):
        for i in range(segments):
            a, b, c, d = k * row + i, k * row + i + 1, (k + 1) * row + i + 1, (k + 1) * row + i
            if profile[k][0] < 1e-6:
                faces.append((a, c, d))
            elif profile[k + 1][0] < 1e-6:
                faces.append((a, b, d))
            else:
                faces.append((a, b, c, d))
    sketch.add(material, points, normals, uvs, faces)


# --- Cap -------------------------------------------------------------------------------------------------------------

ARCH_TOP = math.radians(68.0)


def cap_half_width(y: float) -> float:
    """Half the cap's breadth at its eaves: the plan of a boat."""
    return 2.22 * (1.0 - abs((y - 0.1) / 3.15) ** 2.6)


def cap_height(y: float) -> float:
    """Height of the ridge over the cap's floor, falling a little to both ends."""
    return 2.2 - 0.05 * (y + 0.6) ** 2


def cap_point(y: float, share: float, out: float = 0.0) -> Vector:
    """A point of the roof's right half: `share` 0 at the eave, 1 at the ridge, lifted `out` along the normal."""
    angle = ARCH_TOP * share
    width, height = cap_half_width(y), cap_height(y)
    x = width * (math.cos(angle) - math.cos(ARCH_TOP)) / (1.0 - math.cos(ARCH_TOP))
    z = height * math.sin(angle) / math.sin(ARCH_TOP)
    return Vector((x + out * math.cos(angle), y, CAP_FLOOR + z + out * math.sin(angle)))


def mirrored(point: Vector) -> Vector:
    """The same point on the left."""
    return Vector((-point.x, point.y, point.z))


def make_cap(materials: list[bpy.types.Material]) -> bpy.types.Object:
    """The cap: boarded like an upturned boat, with gables, the fantail's frame, a pole and the windshaft's collar."""
    sketch = MeshSketch(materials)
    chance = random.Random(23)
    add_strakes(sketch, chance)
    add_cap_floor(sketch)
    add_petticoat(sketch, chance)
    add_gable(sketch, chance, CAP_FRONT, -1)
    add_gable(sketch, chance, CAP_BACK, 1)
    add_ridge(sketch)
    add_pole(sketch)
    add_fan_frame(sketch)
    collar = Matrix.Translation(HUB - SHAFT_DIRECTION * 0.98) @ Matrix.Rotation(-SHAFT_TILT, 4, "X")
    sketch.block("oak.dark", (0.95, 0.3, 0.95), collar, 0.06)
    return sketch.to_object("cap_house")


def add_strakes(sketch: MeshSketch, chance: random.Random) -> None:
    """Overlapping boards along both flanks, in lengths that break joint."""
    strakes, stations = 7, 8
    step = (CAP_BACK - CAP_FRONT) / (stations - 1)
    for k in range(strakes):
        low, high = k / strakes, min(1.0, (k + 1.15) / strakes)
        cuts = [0, *sorted(chance.sample(range(2, stations - 2), 2)), stations - 1]
        for side in (1, -1):
            for begin, end in zip(cuts, cuts[1:]):
                material = chance.choices(("cap", "cap.dark"), (3, 2))[0]
                offset = (chance.random(), chance.random())
                add_strake(
                    sketch, material, low, high, [CAP_FRONT + step * i for i in range(begin, end + 1)], side, offset
                )


def add_strake(
    sketch: MeshSketch,
    material: str,
    low: float,
    high: float,
    ys: Sequence[float],
    side: int,
    offset: tuple[float, float],
) -> None:
    """One board: its face, and the lip at its lower edge."""
    flip = (lambda p: p) if side > 0 else mirrored
    lower = [flip(cap_point(y, low, 0.085)) for y in ys]
    upper = [flip(cap_point(y, high, 0.02)) for y in ys]
    under = [flip(cap_point(y, low, -0.02)) for y in ys]
    angle = ARCH_TOP * (low + high) / 2.0
    tilt = 0.15
    outward = Vector((side * math.cos(angle - tilt), 0.0, math.sin(angle - tilt)))
    slopes = [(cap_half_width(y + 0.05) - cap_half_width(y - 0.05)) / 0.1 * math.cos(angle) for y in ys]
    normals = [(outward - Vector((0.0, slope, 0.0))).normalized() for slope in slopes]
    downward = Vector((side * math.sin(angle) * 0.6, 0.0, -1.0)).normalized()
    uvs = [(y * 0.5 + offset[0], v + offset[1]) for v in (0.0, 0.6) for y in ys]
    n = len(ys)
    faces = [(i, i + 1, n + i + 1, n + i) for i in range(n - 1)]
    if side < 0:
        faces = [face[::-1] for face in faces]
    sketch.add(material, lower + upper, normals * 2, uvs, faces)
    sketch.add(material, under + lower, [downward] * (2 * n), uvs, faces)


def add_cap_floor(sketch: MeshSketch) -> None:
    """The soffit under the cap."""
    ys = [CAP_FRONT + (CAP_BACK - CAP_FRONT) * i / 8 for i in range(9)]
    right = [cap_point(y, 0.0, 0.02) for y in ys]
    sketch.polygon("oak.dark", [mirrored(p) for p in right] + right[::-1])
    for p, q in zip(right, right[1:]):
        for a, b in ((p, q), (mirrored(p), mirrored(q))):
            sketch.stick("white", a - 0.05 * UP, b - 0.05 * UP, 0.17, 0.17)


def add_petticoat(sketch: MeshSketch, chance: random.Random) -> None:
    """Upright boards that keep the weather out of the joint between cap and tower."""
    boards, radius = 22, 2.1
    bottom, top = TOWER_TOP - 0.34, CAP_FLOOR
    sketch.lathe("oak.dark", [(1.88, bottom + 0.02), (radius, bottom + 0.02)], boards)
    for i in range(boards):
        begin, end = TAU * i / boards, TAU * (i + 1) / boards
        corners = [
            around(begin, radius, bottom),
            around(end, radius, bottom),
            around(end, radius, top),
            around(begin, radius, top),
        ]
        sketch.slab(chance.choice(("cap", "cap.dark")), corners, 0.05, 0.015, (chance.random(), chance.random()))


def arch_height(y: float, x: float) -> float:
    """Height of the roof's underside above the floor at a distance `x` from the middle."""
    share = min(1.0, abs(x) / cap_half_width(y))
    cosine = share * (1.0 - math.cos(ARCH_TOP)) + math.cos(ARCH_TOP)
    return cap_height(y) * math.sin(math.acos(cosine)) / math.sin(ARCH_TOP)


def add_gable(sketch: MeshSketch, chance: random.Random, y: float, direction: int) -> None:
    """One end of the cap: upright planks under an arch of barge boards."""
    planks = 8
    half = cap_half_width(y)
    for k in range(planks):
        x0, x1 = -half + 2.0 * half * k / planks + 0.008, -half + 2.0 * half * (k + 1) / planks - 0.008
        corners = [
            Vector((x0, y, CAP_FLOOR)),
            Vector((x1, y, CAP_FLOOR)),
            Vector((x1, y, CAP_FLOOR + arch_height(y, x1))),
            Vector((x0, y, CAP_FLOOR + arch_height(y, x0))),
        ]
        corners = [p + Vector((0.0, -direction * 0.04, 0.0)) for p in corners]
        if direction > 0:
            corners = [corners[1], corners[0], corners[3], corners[2]]
        sketch.slab(chance.choice(("cap", "cap.dark")), corners, 0.04 + 0.02 * (k % 2), 0.01, (chance.random(), 0.0))
    backing = [
        Vector((p.x, y - direction * 0.045, p.z))
        for p in [cap_point(y, s / 8) for s in range(9)] + [mirrored(cap_point(y, s / 8)) for s in range(7, -1, -1)]
    ]
    sketch.polygon("oak.dark", backing if direction < 0 else backing[::-1])
    arch = [cap_point(y, s / 7, 0.03) for s in range(8)]
    for lower, upper in zip(arch, arch[1:]):
        for a, b in ((lower, upper), (mirrored(lower), mirrored(upper))):
            along = (b - a).normalized() * 0.02
            shift = Vector((0.0, direction * 0.05, 0.0))
            outward = a - Vector((0.0, y, CAP_FLOOR + 0.4))
            sketch.stick("white", a - along + shift, b + along + shift, 0.2, 0.17, up=outward)
    sill = Vector((half + 0.1, y + direction * 0.05, CAP_FLOOR + 0.02))
    sketch.beam("white", mirrored(sill), sill, 0.2, 0.2, bevel=0.03)


def add_ridge(sketch: MeshSketch) -> None:
    """The ridge timber, and the finials at its ends."""
    ys = [CAP_FRONT - 0.12 + (CAP_BACK - CAP_FRONT + 0.24) * i / 4 for i in range(5)]
    ridge = [Vector((0.0, y, CAP_FLOOR + cap_height(y) + 0.07)) for y in ys]
    for a, b in zip(ridge, ridge[1:]):
        sketch.stick("white", a, b, 0.2, 0.16)
    for end in (ridge[0], ridge[-1]):
        place = Matrix.Translation(end + Vector((0.0, 0.0, 0.02)))
        add_smooth_lathe(
            sketch, "gold", [(0.0, 0.0), (0.09, 0.04), (0.05, 0.14), (0.11, 0.22), (0.11, 0.3), (0.0, 0.42)], 8, place
        )


def add_pole(sketch: MeshSketch) -> None:
    """The flagpole, with a gilt ball on top."""
    height = (POLE_TOP - POLE_FOOT).length
    sketch.lathe("white", [(0.075, 0.0), (0.04, height)], 8, Matrix.Translation(POLE_FOOT))
    ball = [(0.12 * math.sin(math.pi * k / 6), 0.1 - 0.12 * math.cos(math.pi * k / 6)) for k in range(7)]
    ball[0], ball[-1] = (0.0, ball[0][1]), (0.0, ball[-1][1])
    add_smooth_lathe(sketch, "gold", ball, 9, Matrix.Translation(POLE_TOP))
    foot = Matrix.Translation((0.0, POLE_FOOT.y, CAP_FLOOR + cap_height(POLE_FOOT.y) + 0.2))
    sketch.block("white", (0.28, 0.28, 0.22), foot, 0.04)


def add_fan_frame(sketch: MeshSketch) -> None:
    """The timbers behind the cap that carry the fantail between them."""
    for side in (-1.0, 1.0):
        foot = Vector((side * 0.95, CAP_BACK - 0.5, CAP_FLOOR - 0.02))
        end = Vector((side * 0.5, FAN_AXLE.y + 0.25, CAP_FLOOR + 0.1))
        post_foot = Vector((side * 0.5, FAN_AXLE.y, CAP_FLOOR + 0.02))
        post_top = Vector((side * 0.42, FAN_AXLE.y, FAN_AXLE.z + 0.16))
        sketch.beam("white", foot, end, 0.15, 0.2, bevel=0.025)
        sketch.beam("white", post_foot, post_top, 0.13, 0.16, up=(0.0, 1.0, 0.0), bevel=0.025)
        stay = Vector((side * 0.36, CAP_BACK - 0.12, CAP_FLOOR + cap_height(CAP_BACK) * 0.72))
        sketch.stick("white", stay, post_top - 0.14 * UP, 0.09, 0.11)
        brace = foot.lerp(end, 0.42)
        sketch.stick("white", brace, post_foot.lerp(post_top, 0.62), 0.09, 0.1)
    low = Vector((0.62, FAN_AXLE.y + 0.1, CAP_FLOOR + 0.1))
    sketch.beam("white", mirrored(low), low, 0.14, 0.12, bevel=0.02)


def make_fan(materials: list[bpy.types.Material]) -> bpy.types.Object:
    """The fantail's wheel: eight pitched vanes on an axle that lies across the cap."""
    sketch = MeshSketch(materials)
    sketch.lathe(
        "iron",
        [(0.0, -0.47), (0.05, -0.47), (0.05, 0.47), (0.0, 0.47)],
        8,
        Matrix.Translation(FAN_AXLE) @ Matrix.Rotation(TAU / 4, 4, "Y"),
    )
    sketch.lathe(
        "iron",
        [(0.0, -0.13), (0.14, -0.1), (0.14, 0.1), (0.0, 0.13)],
        12,
        Matrix.Translation(FAN_AXLE) @ Matrix.Rotation(TAU / 4, 4, "Y"),
    )
    for k in range(8):
        sketch.place = Matrix.Translation(FAN_AXLE) @ Matrix.Rotation(TAU * k / 8, 4, "X")
        sketch.stick("white", (0.0, 0.0, 0.1), (0.0, 0.0, FAN_RADIUS - 0.05), 0.05, 0.05, up=(0.0, 1.0, 0.0))
        pitch = (
            Matrix.Translation((0.0, 0.0, 0.84))
            @ Matrix.Rotation(math.radians(52.0), 4, "Z")
            @ Matrix.Rotation(-TAU / 4, 4, "Y")
        )
        sketch.block("blue" if k % 2 else "white", (0.86, 0.4, 0.035), pitch, uv_offset=(0.1 * k, 0.3 * k))
        sketch.place = Matrix.Identity(4)
    return sketch.to_object("fan_wheel")


# --- Sails -----------------------------------------------------------------------------------------------------------


def weather(radius: float) -> float:
    """The twist of a sail, which eases from root to tip."""
    share = (radius - SAIL_ROOT) / (SAIL_LENGTH - SAIL_ROOT)
    return math.radians(21.0 - 15.0 * min(1.0, max(0.0, share)))


def sail_point(across: float, radius: float, back: float = 0.0) -> Vector:
    """A point of an upright sail, seen from its hub: `across` to the trailing side, `back` downwind of its face."""
    twist = weather(radius)
    return Vector(
        (across * math.cos(twist) - back * math.sin(twist), across * math.sin(twist) + back * math.cos(twist), radius)
    )


def sail_place(index: int) -> Matrix:
    """Stands an upright sail at its place on the rotor. Sails follow one another clockwise as seen from the front."""
    return ROTOR_FROM_UPRIGHT @ Matrix.Rotation(SAIL_START + TAU * index / 4, 4, "Y")


def sail_joint(index: int) -> str:
    """The name of a sail's joint."""
    return f"sail.{index + 1:03d}"


def sail_binding(index: int) -> Callable[[Vector], dict[str, float]]:
    """Hands a sail over from the rotor's joint to its own by the distance from the hub."""
    outward = sail_place(index).to_3x3() @ UP

    def weights(point: Vector) -> dict[str, float]:
        share = ((point - HUB).dot(outward) - BEND_START) / (BEND_END - BEND_START)
        share = min(1.0, max(0.0, share))
        share = round(share * share * (3.0 - 2.0 * share), 3)
        return {name: w for name, w in (("rotor", 1.0 - share), (sail_joint(index), share)) if w > 0.0}

    return weights


def make_sails(materials: list[bpy.types.Material]) -> bpy.types.Object:
    """The windshaft's head and four lattice sails with their cloths."""
    sketch = MeshSketch(materials)
    sketch.binding = lambda _: {"rotor": 1.0}
    add_hub(sketch)
    for index in range(4):
        sketch.binding = sail_binding(index)
        sketch.place = sail_place(index)
        add_lattice(sketch)
        add_cloth(sketch)
        sketch.place = Matrix.Identity(4)
    return sketch.to_object("sails")


def add_hub(sketch: MeshSketch) -> None:
    """The windshaft and the iron poll end that holds the stocks."""
    place = Matrix.Translation(HUB) @ Matrix.Rotation(TAU / 4 - SHAFT_TILT, 4, "X")
    sketch.lathe("oak.dark", [(0.2, -1.35), (0.22, -0.2)], 12, place)
    sketch.lathe("iron", [(0.2, -0.42), (0.27, -0.4), (0.27, -0.3), (0.2, -0.28)], 12, place)
    turned = ROTOR_FROM_UPRIGHT @ Matrix.Rotation(SAIL_START, 4, "Y")
    sketch.block("iron", (0.52, 0.54, 0.52), turned, 0.07)
    sketch.lathe("gold", [(0.13, 0.26), (0.12, 0.33), (0.05, 0.38), (0.0, 0.39)], 12, place)


def add_lattice(sketch: MeshSketch) -> None:
    """The stock, the bars across it and the laths along it."""
    back = 0.11
    sketch.beam(
        "white", (0.0, 0.06, 0.18), (0.0, 0.06, SAIL_LENGTH), 0.22, 0.2, up=(1, 0, 0), bevel=0.03, end_scale=0.5
    )
    radii = [SAIL_ROOT + (SAIL_LENGTH - 0.08 - SAIL_ROOT) * k / (SAIL_BARS - 1) for k in range(SAIL_BARS)]
    for radius in radii:
        start, end = sail_point(SAIL_LEADING, radius, -0.055), sail_point(SAIL_TRAILING, radius, -0.055)
        sketch.stick("oak", start, end, 0.045, 0.05)
    for across, pieces in ((SAIL_TRAILING - 0.03, 3), (SAIL_TRAILING * 0.52, 3)):
        ends = [SAIL_ROOT - 0.06 + (SAIL_LENGTH - SAIL_ROOT + 0.04) * k / pieces for k in range(pieces + 1)]
        for a, b in zip(ends, ends[1:]):
            normal = sail_point(0.0, (a + b) / 2.0, 1.0) - sail_point(0.0, (a + b) / 2.0)
            sketch.stick("oak", sail_point(across, a, -0.015), sail_point(across, b, -0.015), 0.05, 0.045, up=normal)
    ends = [SAIL_ROOT - 0.06 + (SAIL_LENGTH - SAIL_ROOT + 0.04) * k / 3 for k in range(4)]
    for a, b in zip(ends, ends[1:]):
        normal = sail_point(0.0, (a + b) / 2.0, 1.0) - sail_point(0.0, (a + b) / 2.0)
        middle = SAIL_LEADING * 0.55
        sketch.beam(
            "white",
            sail_point(middle, a, -back),
            sail_point(middle, b, -back),
            abs(SAIL_LEADING) * 0.84,
            0.04,
            up=normal,
        )


def add_cloth(sketch: MeshSketch) -> None:
    """The canvas before the lattice: billowed between the bars, and reefed to a point at the tip."""
    columns = 2 * (SAIL_BARS - 1) - 3
    bar_gap = (SAIL_LENGTH - 0.08 - SAIL_ROOT) / (SAIL_BARS - 1)
    rows = []
    for v in (0.0, 0.5, 1.0):
        row = []
        for column in range(columns + 1):
            radius = SAIL_ROOT + 0.04 + column * bar_gap / 2.0
            between = 0.5 - 0.5 * math.cos(TAU * (radius - SAIL_ROOT) / bar_gap)
            reef = max(0.0, (radius - 4.1) / 1.6)
            width = SAIL_TRAILING * (1.0 - 0.52 * min(1.0, reef) ** 1.2) + 0.03 - 0.06 * between
            billow = 0.06 * math.sin(math.pi * v) + 0.03 * between * v
            row.append(sail_point(0.1 + (width - 0.1) * v, radius, -0.105 - billow))
        rows.append(row)
    sketch.sheet(["canvas"] * 2, [row[::-1] for row in rows], 0.8)


# --- Pennant ---------------------------------------------------------------------------------------------------------


def pennant_joint(index: int) -> str:
    """The name of a joint of the pennant."""
    return f"pennant.{index + 1:03d}"


def pennant_binding(point: Vector) -> dict[str, float]:
    """Smooth weights along the pennant: a quadratic B-spline, so up to three joints move a vertex."""
    position = (point.y - PENNANT_HOIST.y) / PENNANT_LENGTH * PENNANT_JOINTS - 0.5
    weights: dict[str, float] = {}
    for index in range(-1, PENNANT_JOINTS + 1):
        distance = abs(position - index)
        if distance < 0.5:
            weight = 0.75 - distance * distance
        elif distance < 1.5:
            weight = 0.5 * (1.5 - distance) ** 2
        else:
            continue
        name = pennant_joint(min(PENNANT_JOINTS - 1, max(0, index)))
        weights[name] = weights.get(name, 0.0) + weight
    return {name: weight for name, weight in weights.items() if weight > 1e-4}


def make_pennant(materials: list[bpy.types.Material]) -> bpy.types.Object:
    """A swallow-tailed pennant in two colors, which narrows to its tails."""
    sketch = MeshSketch(materials, textured=False)
    sketch.binding = pennant_binding
    columns = 22
    rows = []
    for v in (-1.0, -0.66, -0.3, 0.0, 0.3, 0.66, 1.0):
        row = []
        for column in range(columns + 1):
            share = column / columns
            reach = PENNANT_LENGTH * (1.0 - 0.24 * (1.0 - abs(v)))
            half = 0.5 - 0.3 * share
            row.append(PENNANT_HOIST + Vector((0.0, reach * share, v * half)))
        rows.append(row)
    sketch.sheet(["pennant.red", "pennant.red", "pennant.cream", "pennant.cream", "pennant.red", "pennant.red"], rows)
    return sketch.to_object("pennant")


# --- Rig and clips ---------------------------------------------------------------------------------------------------


def make_joints() -> list[Joint]:
    """root > cap > (rotor > four sails, fantail, pennant chain)."""

    def joint(name: str, parent: str | None, head: Vector, reach: Vector) -> Joint:
        return Joint(name, parent, tuple(head), tuple(head + reach))

    joints = [
        joint("root", None, Vector((0.0, 0.0, 0.0)), UP),
        joint("cap", "root", Vector((0.0, 0.0, CAP_FLOOR)), UP),
        joint("rotor", "cap", HUB, SHAFT_DIRECTION),
    ]
    for index in range(4):
        outward = sail_place(index).to_3x3() @ UP
        joints.append(joint(sail_joint(index), "rotor", HUB + outward * 1.4, outward * 2.0))
    joints.append(joint("fantail", "cap", FAN_AXLE, Vector((1.0, 0.0, 0.0))))
    step = Vector((0.0, PENNANT_LENGTH / PENNANT_JOINTS, 0.0))
    for index in range(PENNANT_JOINTS):
        parent = pennant_joint(index - 1) if index else "cap"
        joints.append(joint(pennant_joint(index), parent, PENNANT_HOIST + step * index, step))
    return joints


class Motion:
    """Turns angles over time into tracks of the rig, for one clip."""

    def __init__(self, rig: bpy.types.Object, duration_secs: float) -> None:
        self.rig = rig
        self.duration_secs = duration_secs
        self.tracks: list[Track] = []

    def turn(self, joint: str, axis: Vector, angle_at: Callable[[float], float], keys: int) -> None:
        """Turns a joint about one axis of the rig."""
        self.swing(joint, lambda secs: turn_of(self.rig, joint, axis, angle_at(secs)), keys)

    def swing(self, joint: str, rotation_at: Callable[[float], Quaternion], keys: int) -> None:
        """Turns a joint freely."""
        self.tracks.append(rotation_track(joint, rotation_at, self.duration_secs, keys))

    def wave_pennant(
        self,
        keys: int,
        swing: float,
        waves: int,
        sweep_at: Callable[[float], float],
        droop_at: Callable[[float], float],
        strength_at: Callable[[float], float],
    ) -> None:
        """Runs `waves` waves down the pennant per loop, growing to its tip.

        `sweep_at` turns the whole pennant about the pole and `droop_at` lets it hang.
        """
        for index in range(PENNANT_JOINTS):
            name = pennant_joint(index)
            share = index / (PENNANT_JOINTS - 1)

            def rotation_at(secs: float, name: str = name, index: int = index, share: float = share) -> Quaternion:
                phase = TAU * waves * secs / self.duration_secs - 1.15 * index
                strength = strength_at(secs)
                side = swing * (0.45 + 0.55 * share) * strength * math.sin(phase)
                roll = 0.35 * swing * share * strength * math.sin(phase + 0.9)
                if index == 0:
                    side = 0.5 * side + sweep_at(secs)
                droop = droop_at(secs) * (0.55 if index == 0 else 0.12 + 0.12 * share)
                return (
                    turn_of(self.rig, name, UP, side)
                    @ turn_of(self.rig, name, Vector((1, 0, 0)), -droop)
                    @ turn_of(self.rig, name, Vector((0, 1, 0)), roll)
                )

            self.swing(name, rotation_at, keys)


ROTOR_AXIS = SHAFT_DIRECTION
FAN_AXIS = Vector((1.0, 0.0, 0.0))


def make_turn(rig: bpy.types.Object) -> None:
    """`turn`: one steady turn of the rotor, while the pennant waves."""
    motion = Motion(rig, 4.0)
    motion.turn("rotor", ROTOR_AXIS, lambda secs: TAU * secs / 4.0, 8)
    motion.wave_pennant(48, 0.40, 3, lambda secs: 0.10 * math.sin(TAU * secs / 4.0), lambda _: 0.28, lambda _: 1.0)
    make_clip(rig, "turn", motion.tracks)


def make_yaw(rig: bpy.types.Object) -> None:
    """`yaw`: the wind shifts, the pennant shows it, and the fantail winds the cap after it, there and back."""
    duration = 8.0
    cap_turn = math.radians(40.0)

    def eased(secs: float, begin: float, end: float) -> float:
        share = min(1.0, max(0.0, (secs - begin) / (end - begin)))
        return share * share * (3.0 - 2.0 * share)

    def cap_at(secs: float) -> float:
        return cap_turn * (eased(secs, 0.8, 3.6) - eased(secs, 4.8, 7.6))

    def wind_at(secs: float) -> float:
        return cap_turn * (eased(secs, 0.2, 1.6) - eased(secs, 4.2, 5.6))

    motion = Motion(rig, duration)
    stops = [(0.0, 0.0), (0.75, 0.0), (3.75, cap_turn), (4.75, cap_turn), (7.75, 0.0), (8.0, 0.0)]
    motion.tracks.append(
        Track(
            "cap", "rotation_quaternion", [(secs, turn_of(rig, "cap", UP, angle)) for secs, angle in stops], eased=True
        )
    )
    motion.turn("rotor", ROTOR_AXIS, lambda secs: TAU * secs / duration, 8)
    motion.turn("fantail", FAN_AXIS, lambda secs: -3.0 * TAU * cap_at(secs) / cap_turn, 96)
    motion.wave_pennant(64, 0.34, 5, lambda secs: wind_at(secs) - cap_at(secs), lambda _: 0.32, lambda _: 1.0)
    make_clip(rig, "yaw", motion.tracks)


def make_gust(rig: bpy.types.Object) -> None:
    """`gust`: the rotor races and slows, the sails bend, the pennant whips, the cap shudders."""
    duration = 5.0

    def gust_at(secs: float) -> float:
        """The gust's strength, 0 to 1: quick to come, slow to go."""
        share = (secs / duration) ** 0.8
        return math.sin(math.pi * share) ** 2

    steps = 600
    work = np.cumsum([0.0] + [gust_at(duration * (i + 0.5) / steps) for i in range(steps)]) / steps
    base_turns = duration / 4.0
    gust_turns = 3.0 - base_turns

    def rotor_at(secs: float) -> float:
        done = np.interp(secs / duration * steps, np.arange(steps + 1), work) / work[-1]
        return TAU * (base_turns * secs / duration + gust_turns * float(done))

    def shudder_at(secs: float, shakes: int) -> float:
        return gust_at(secs) * math.sin(TAU * shakes * secs / duration)

    motion = Motion(rig, duration)
    motion.swing(
        "cap",
        lambda secs: (
            turn_of(rig, "cap", UP, math.radians(1.6) * shudder_at(secs, 9))
            @ turn_of(
                rig, "cap", Vector((1.0, 0.0, 0.0)), math.radians(0.5) * (gust_at(secs) + 0.4 * shudder_at(secs, 11))
            )
        ),
        60,
    )
    motion.turn("rotor", ROTOR_AXIS, rotor_at, 60)
    for index in range(4):
        across = sail_place(index).to_3x3() @ Vector((1.0, 0.0, 0.0))
        motion.turn(
            sail_joint(index),
            across,
            lambda secs, index=index: (
                -math.radians(4.0) * gust_at(secs) * (1.0 + 0.25 * math.sin(TAU * (8 * secs / duration + index / 4)))
            ),
            60,
        )
    motion.turn("fantail", FAN_AXIS, lambda secs: 0.5 * shudder_at(secs, 5), 60)
    motion.wave_pennant(
        80,
        0.50,
        8,
        lambda secs: 0.22 * shudder_at(secs, 2),
        lambda secs: 0.28 * (1.0 - gust_at(secs)),
        lambda secs: 0.8 + 0.5 * gust_at(secs),
    )
    make_clip(rig, "gust", motion.tracks)


def main() -> None:
    path = output_path("windmill.glb")
    start_scene()
    materials = make_materials()
    make_ground(materials)
    make_tower(materials)
    make_joinery(materials)
    rig = make_rig("windmill", make_joints())
    hang_on_joint(make_cap(materials), rig, "cap")
    hang_on_joint(make_fan(materials), rig, "fantail")
    skin_to_rig(make_sails(materials), rig)
    skin_to_rig(make_pennant(materials), rig)
    make_turn(rig)
    make_yaw(rig)
    make_gust(rig)
    export_glb(path)


if __name__ == "__main__":
    main()
