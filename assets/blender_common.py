"""What the model scripts share: sketching meshes, materials, rigs and clips in Blender, and the export.

Needs `bpy==5.0.1` on Python 3.11. License: CC0-1.0.

Everything here is in Blender's axes, meters, +Z up; a model faces -Y, which the exporter turns into glTF's +Z.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np
from bpy_extras import anim_utils
from mathutils import Matrix, Quaternion, Vector

FRAMES_PER_SEC = 24

# Texture tiles per meter, along the grain and across it.
WOOD_UV = (0.5, 2.0)
STONE_UV = (0.7, 0.7)

Binding = Callable[[Vector], dict[str, float]]


# --- Scene -----------------------------------------------------------------------------------------------------------


def start_scene() -> None:
    """Empties Blender and sets its clock."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = FRAMES_PER_SEC
    bpy.context.scene.frame_start = 0


def output_path(default_name: str) -> Path:
    """The path given on the command line, or `default_name` beside the script."""
    if len(sys.argv) > 2:
        raise SystemExit(f"usage: python {sys.argv[0]} [OUT.glb]")
    if len(sys.argv) == 2:
        return Path(sys.argv[1]).resolve()
    return Path(__file__).resolve().parent / default_name


def export_glb(path: Path) -> None:
    """Writes the scene as one GLB: core glTF 2.0 only, one clip per NLA track, keys as they were set."""
    bpy.ops.export_scene.gltf(
        filepath=str(path),
        export_format="GLB",
        export_copyright="CC0-1.0",
        export_yup=True,
        export_apply=False,
        export_cameras=False,
        export_lights=False,
        export_extras=False,
        export_attributes=False,
        export_texcoords=True,
        export_normals=True,
        export_tangents=False,
        export_vertex_color="NONE",
        export_materials="EXPORT",
        export_image_format="AUTO",
        export_skins=True,
        export_influence_nb=4,
        export_all_influences=False,
        export_def_bones=False,
        export_rest_position_armature=True,
        export_morph=False,
        export_animations=True,
        export_animation_mode="ACTIONS",
        export_merge_animation="NLA_TRACK",
        export_anim_single_armature=True,
        export_force_sampling=False,
        export_frame_range=False,
        export_reset_pose_bones=True,
        export_optimize_animation_size=False,
        export_draco_mesh_compression_enable=False,
    )
    print(f"{path.name}: {path.stat().st_size} bytes")


# --- Materials -------------------------------------------------------------------------------------------------------


def linear_color(hex_code: str) -> tuple[float, float, float, float]:
    """An sRGB color such as "c8b496" as the linear RGBA that Blender and glTF factors hold."""

    def channel(start: int) -> float:
        encoded = int(hex_code[start : start + 2], 16) / 255.0
        return encoded / 12.92 if encoded <= 0.04045 else ((encoded + 0.055) / 1.055) ** 2.4

    return channel(0), channel(2), channel(4), 1.0


def make_image(name: str, pixels: np.ndarray) -> bpy.types.Image:
    """An image of `pixels`: sRGB-encoded values in 0 to 1, rows from the bottom, shape (height, width, 3)."""
    height, width, _ = pixels.shape
    image = bpy.data.images.new(name, width, height, alpha=False)
    rgba = np.ones((height, width, 4), dtype=np.float32)
    rgba[..., :3] = np.round(np.clip(pixels, 0.0, 1.0) * 255.0) / 255.0
    image.pixels.foreach_set(rgba.ravel())
    image.pack()
    return image


def make_material(
    name: str,
    color: str,
    roughness: float,
    image: bpy.types.Image | None = None,
    double_sided: bool = False,
) -> bpy.types.Material:
    """A dielectric whose base color is `color`, multiplied with `image` where there is one."""
    material = bpy.data.materials.new(name)
    material.use_backface_culling = not double_sided
    nodes, links = material.node_tree.nodes, material.node_tree.links
    surface = nodes["Principled BSDF"]
    surface.inputs["Metallic"].default_value = 0.0
    surface.inputs["Roughness"].default_value = roughness
    surface.inputs["Base Color"].default_value = linear_color(color)
    if image is not None:
        texture = nodes.new("ShaderNodeTexImage")
        texture.image = image
        multiply = nodes.new("ShaderNodeMix")
        multiply.data_type = "RGBA"
        multiply.blend_type = "MULTIPLY"
        multiply.inputs["Factor"].default_value = 1.0
        links.new(texture.outputs["Color"], multiply.inputs[6])
        multiply.inputs[7].default_value = linear_color(color)
        links.new(multiply.outputs[2], surface.inputs["Base Color"])
    return material


# --- Meshes ----------------------------------------------------------------------------------------------------------


class MeshSketch:
    """A mesh in the making: vertices that each carry a normal, a texture coordinate and joint weights.

    A hard edge is two vertices in one place, so what is sketched is what a GPU gets.
    `place` stands before every point that is added; `binding` says how much each joint moves a point.
    """

    def __init__(self, materials: Sequence[bpy.types.Material], textured: bool = True) -> None:
        self.materials = list(materials)
        self.textured = textured
        self.place = Matrix.Identity(4)
        self.binding: Binding | None = None
        self._points: list[Vector] = []
        self._normals: list[Vector] = []
        self._uvs: list[tuple[float, float]] = []
        self._weights: list[dict[str, float]] = []
        self._faces: list[tuple[int, ...]] = []
        self._face_materials: list[int] = []

    def add(
        self,
        material: str,
        points: Iterable[Vector],
        normals: Iterable[Vector],
        uvs: Iterable[tuple[float, float]],
        faces: Iterable[Sequence[int]],
    ) -> None:
        """Adds faces, counter-clockwise seen from outside, over vertices of their own."""
        first = len(self._points)
        turn = self.place.to_3x3()
        for point in points:
            placed = self.place @ Vector(point)
            self._points.append(placed)
            if self.binding is not None:
                self._weights.append(self.binding(placed))
        self._normals.extend((turn @ Vector(normal)).normalized() for normal in normals)
        self._uvs.extend(uvs)
        slot = next(i for i, m in enumerate(self.materials) if m.name == material)
        for face in faces:
            self._faces.append(tuple(first + corner for corner in face))
            self._face_materials.append(slot)

    def polygon(self, material: str, points: Sequence[Vector], uv_scale: float = 1.0) -> None:
        """Adds one flat face; its texture runs along its first edge."""
        points = [Vector(p) for p in points]
        along = (points[1] - points[0]).normalized()
        normal = _polygon_normal(points)
        across = normal.cross(along)
        uvs = [((p - points[0]).dot(along) * uv_scale, (p - points[0]).dot(across) * uv_scale) for p in points]
        self.add(material, points, [normal] * len(points), uvs, [range(len(points))])

    def block(
        self,
        material: str,
        size: tuple[float, float, float],
        place: Matrix,
        bevel: float = 0.0,
        end_scale: float = 1.0,
        uv_offset: tuple[float, float] = (0.0, 0.0),
        uv_scale: tuple[float, float] = WOOD_UV,
    ) -> None:
        """Adds a box about the origin of `place`, its grain along X, its +X end scaled, its edges bevelled.

        Each of the 24 vertices has the normal of the side it borders, which shades the bevels round.
        """
        half = Vector(size) / 2.0
        bevel = min(bevel, 0.45 * min(size))
        points, normals, uvs, faces = [], [], [], []
        index: dict[tuple[int, tuple[int, int, int]], int] = {}
        corners = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
        for axis in range(3):
            u_axis, v_axis = ((1, 2), (0, 2), (0, 1))[axis]
            for corner in corners:
                index[axis, corner] = len(points)
                point = Vector([corner[i] * (half[i] - (bevel if i != axis else 0.0)) for i in range(3)])
                if corner[0] > 0:
                    point.y *= end_scale
                    point.z *= end_scale
                points.append(place @ point)
                normal = Vector((0.0, 0.0, 0.0))
                normal[axis] = corner[axis]
                normals.append(place.to_3x3() @ normal)
                uvs.append((point[u_axis] * uv_scale[0] + uv_offset[0], point[v_axis] * uv_scale[1] + uv_offset[1]))
            for sign in (-1, 1):
                a, b = (axis + 1) % 3, (axis + 2) % 3
                loop = []
                for s, t in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
                    corner = [0, 0, 0]
                    corner[axis], corner[a], corner[b] = sign, s, t
                    loop.append(index[axis, tuple(corner)])
                faces.append(loop if sign > 0 else loop[::-1])
        if bevel > 0.0:
            faces.extend(_bevel_faces(index))
        self.add(material, points, normals, uvs, faces)

    def beam(
        self,
        material: str,
        start: Sequence[float],
        end: Sequence[float],
        width: float,
        height: float,
        up: Sequence[float] = (0.0, 0.0, 1.0),
        bevel: float = 0.0,
        end_scale: float = 1.0,
    ) -> None:
        """Adds a timber from `start` to `end`; `height` is measured towards `up`, `width` across."""
        start, end = Vector(start), Vector(end)
        along = (end - start).normalized()
        across = Vector(up).cross(along).normalized()
        rotation = Matrix((along, across, along.cross(across))).transposed().to_4x4()
        middle = (start + end) / 2.0
        offset = (middle.x * 0.37 + middle.z * 0.61, middle.y * 0.53 + middle.z * 0.29)
        place = Matrix.Translation(middle) @ rotation
        self.block(material, ((end - start).length, width, height), place, bevel, end_scale, offset)

    def stick(
        self,
        material: str,
        start: Sequence[float],
        end: Sequence[float],
        width: float,
        height: float,
        up: Sequence[float] = (0.0, 0.0, 1.0),
    ) -> None:
        """Adds a thin timber like `beam`, of eight vertices only, shaded as if it were round."""
        start, end = Vector(start), Vector(end)
        along = (end - start).normalized()
        across = Vector(up).cross(along).normalized()
        upwards = along.cross(across)
        points, normals, uvs = [], [], []
        for middle, u in ((start, 0.0), (end, (end - start).length * WOOD_UV[0])):
            for i, (s, t) in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1))):
                side = across * (s * width / 2.0) + upwards * (t * height / 2.0)
                points.append(middle + side)
                normals.append(across * s + upwards * t)
                uvs.append((u + start.z * 0.31, i * 0.15 + start.x * 0.37))
        faces = [(i, (i + 1) % 4, 4 + (i + 1) % 4, 4 + i) for i in range(4)] + [(3, 2, 1, 0), (4, 5, 6, 7)]
        self.add(material, points, normals, uvs, faces)

    def slab(
        self,
        material: str,
        corners: Sequence[Vector],
        proud: float,
        bevel: float,
        uv_offset: tuple[float, float] = (0.0, 0.0),
        uv_scale: tuple[float, float] = WOOD_UV,
    ) -> None:
        """Adds a stone or plank standing `proud` of a wall, on four corners that go counter-clockwise.

        Eight vertices: a front with one normal, and a foot whose normals lean outwards.
        """
        corners = [Vector(c) for c in corners]
        normal = _polygon_normal(corners)
        middle = sum(corners, Vector()) / 4.0
        front, feet = [], []
        for i, corner in enumerate(corners):
            to_next = (corners[(i + 1) % 4] - corner).normalized()
            to_last = (corners[i - 1] - corner).normalized()
            front.append(corner + (to_next + to_last) * bevel + normal * proud)
            feet.append((normal * 0.5 + (corner - middle).normalized()).normalized())
        along = (corners[1] - corners[0]).normalized()
        across = normal.cross(along)
        uvs = [
            (
                (p - corners[0]).dot(along) * uv_scale[0] + uv_offset[0],
                (p - corners[0]).dot(across) * uv_scale[1] + uv_offset[1],
            )
            for p in front + corners
        ]
        faces = [(0, 1, 2, 3)] + [(i, 4 + i, 4 + (i + 1) % 4, (i + 1) % 4) for i in range(4)]
        self.add(material, front + corners, [normal] * 4 + feet, uvs, faces)

    def lathe(
        self,
        material: str,
        profile: Sequence[tuple[float, float]],
        segments: int,
        place: Matrix | None = None,
        uv_scale: tuple[float, float] = (1.0, 1.0),
    ) -> None:
        """Adds a surface turned about Z: each (radius, z) edge of `profile`, upwards outside, is a band of its own."""
        place = place or Matrix.Identity(4)
        for (radius_0, z_0), (radius_1, z_1) in zip(profile, profile[1:]):
            slope = Vector((z_1 - z_0, 0.0, radius_0 - radius_1)).normalized()
            points, normals, uvs, faces = [], [], [], []
            length = math.hypot(radius_1 - radius_0, z_1 - z_0)
            for i in range(segments + 1):
                turn = Matrix.Rotation(2.0 * math.pi * i / segments, 3, "Z")
                around = 2.0 * math.pi * i / segments * max(radius_0, radius_1)
                points += [place @ (turn @ Vector((radius_0, 0.0, z_0))), place @ (turn @ Vector((radius_1, 0.0, z_1)))]
                normals += [place.to_3x3() @ (turn @ slope)] * 2
                uvs += [(around * uv_scale[0], 0.0), (around * uv_scale[0], length * uv_scale[1])]
            for i in range(segments):
                a, b, c, d = 2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1
                if radius_0 < 1e-6:
                    faces.append((a, c, d))
                elif radius_1 < 1e-6:
                    faces.append((a, b, d))
                else:
                    faces.append((a, b, c, d))
            self.add(material, points, normals, uvs, faces)

    def sheet(
        self,
        material_of_row: Sequence[str],
        rows: Sequence[Sequence[Vector]],
        uv_scale: float = 1.0,
    ) -> None:
        """Adds a cloth over a grid of points with smooth normals; row k and row k + 1 bound `material_of_row[k]`."""
        grid = np.array([[tuple(p) for p in row] for row in rows])
        along = np.gradient(grid, axis=1)
        across = np.gradient(grid, axis=0)
        normals = np.cross(along, across)
        u = np.cumsum(np.linalg.norm(np.diff(grid, axis=1, prepend=grid[:, :1]), axis=2), axis=1)
        v = np.cumsum(np.linalg.norm(np.diff(grid, axis=0, prepend=grid[:1]), axis=2), axis=0)
        count = grid.shape[1]
        first = 0
        while first < len(material_of_row):
            last = first + 1
            while last < len(material_of_row) and material_of_row[last] == material_of_row[first]:
                last += 1
            band = slice(first, last + 1)
            faces = [
                (row * count + i, row * count + i + 1, (row + 1) * count + i + 1, (row + 1) * count + i)
                for row in range(last - first)
                for i in range(count - 1)
            ]
            points = [Vector(p) for p in grid[band].reshape(-1, 3)]
            band_normals = [Vector(n) for n in normals[band].reshape(-1, 3)]
            uvs = list(zip(u[band].ravel() * uv_scale, v[band].ravel() * uv_scale))
            self.add(material_of_row[first], points, band_normals, uvs, faces)
            first = last

    def to_object(self, name: str) -> bpy.types.Object:
        """Makes the Blender object, with a vertex group per joint where vertices are bound."""
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata([tuple(p) for p in self._points], [], self._faces)
        used = sorted(set(self._face_materials))
        for slot in used:
            mesh.materials.append(self.materials[slot])
        mesh.polygons.foreach_set("material_index", [used.index(slot) for slot in self._face_materials])
        if self.textured:
            layer = mesh.uv_layers.new(name="UVMap")
            corners = np.empty(len(mesh.loops), dtype=np.int32)
            mesh.loops.foreach_get("vertex_index", corners)
            layer.uv.foreach_set("vector", np.array(self._uvs, dtype=np.float32)[corners].ravel())
        mesh.shade_smooth()
        mesh.normals_split_custom_set_from_vertices([tuple(n) for n in self._normals])
        made = bpy.data.objects.new(name, mesh)
        bpy.context.scene.collection.objects.link(made)
        for vertex, weights in enumerate(self._weights):
            for joint, weight in weights.items():
                group = made.vertex_groups.get(joint) or made.vertex_groups.new(name=joint)
                group.add([vertex], weight, "REPLACE")
        return made


def _polygon_normal(points: Sequence[Vector]) -> Vector:
    """The unit normal of a polygon that goes counter-clockwise, by Newell's method."""
    normal = Vector()
    for a, b in zip(points, list(points[1:]) + [points[0]]):
        normal += a.cross(b)
    return normal.normalized()


def _bevel_faces(index: dict[tuple[int, tuple[int, int, int]], int]) -> list[list[int]]:
    """The 12 edge strips and 8 corner triangles between the six sides of a bevelled box."""
    faces = []
    for axis in range(3):
        a, b = (axis + 1) % 3, (axis + 2) % 3
        for s in (-1, 1):
            for t in (-1, 1):
                ends = []
                for end in (-1, 1):
                    corner = [0, 0, 0]
                    corner[axis], corner[a], corner[b] = end, s, t
                    ends.append(tuple(corner))
                low, high = ends
                loop = [index[a, low], index[b, low], index[b, high], index[a, high]]
                faces.append(loop if s * t > 0 else loop[::-1])
    for x in (-1, 1):
        for y in (-1, 1):
            for z in (-1, 1):
                loop = [index[axis, (x, y, z)] for axis in range(3)]
                faces.append(loop if x * y * z > 0 else loop[::-1])
    return faces


# --- Rig -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Joint:
    """A joint of a rig: where it stands and where its +Y axis points while no clip moves it."""

    name: str
    parent: str | None
    head: tuple[float, float, float]
    tail: tuple[float, float, float]


def make_rig(name: str, joints: Sequence[Joint]) -> bpy.types.Object:
    """Makes one armature of `joints`, parents before children."""
    armature = bpy.data.armatures.new(name)
    rig = bpy.data.objects.new(name, armature)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for joint in joints:
        bone = armature.edit_bones.new(joint.name)
        bone.head, bone.tail = joint.head, joint.tail
        bone.parent = armature.edit_bones[joint.parent] if joint.parent else None
    bpy.ops.object.mode_set(mode="OBJECT")
    for pose_bone in rig.pose.bones:
        pose_bone.rotation_mode = "QUATERNION"
    return rig


def skin_to_rig(mesh: bpy.types.Object, rig: bpy.types.Object) -> None:
    """Lets the joints deform `mesh` by its vertex groups.

    The mesh stays at the root of the scene, since glTF ignores the transform of a skinned mesh's node.
    """
    modifier = mesh.modifiers.new("Armature", "ARMATURE")
    modifier.object = rig


def hang_on_joint(mesh: bpy.types.Object, rig: bpy.types.Object, joint: str) -> None:
    """Makes `mesh` a rigid child of a joint, where it stands now."""
    mesh.parent = rig
    mesh.parent_type = "BONE"
    mesh.parent_bone = joint
    bpy.context.view_layer.update()
    mesh.matrix_world = Matrix.Identity(4)


def turn_of(rig: bpy.types.Object, joint: str, axis: Sequence[float], angle: float) -> Quaternion:
    """The rotation of `joint` by `angle` about an axis given in the rig's space, in the joint's own axes."""
    joint_from_rig = rig.data.bones[joint].matrix_local.to_3x3().inverted()
    return Quaternion(joint_from_rig @ Vector(axis), angle)


# --- Clips -----------------------------------------------------------------------------------------------------------


@dataclass
class Track:
    """The keys of one property of one joint: (seconds, value) pairs, straight or eased between them."""

    joint: str
    path: str
    keys: list[tuple[float, Sequence[float]]]
    eased: bool = False


def rotation_track(
    joint: str,
    rotation_at: Callable[[float], Quaternion],
    duration_secs: float,
    key_count: int,
) -> Track:
    """Samples `rotation_at` on whole frames into `key_count` steps, each quaternion on its predecessor's side."""
    keys: list[tuple[float, Quaternion]] = []
    for i in range(key_count + 1):
        secs = duration_secs * i / key_count
        rotation = rotation_at(secs)
        if keys:
            rotation.make_compatible(keys[-1][1])
        keys.append((secs, rotation))
    return Track(joint, "rotation_quaternion", keys)


def make_clip(rig: bpy.types.Object, name: str, tracks: Sequence[Track]) -> None:
    """Makes one action of `tracks` on an NLA track of its own.

    The exporter names a clip after its NLA track and orders clips by the names of their actions, so these are numbered.
    """
    action = bpy.data.actions.new(f"{len(bpy.data.actions) + 1:02d}.{name}")
    slot = action.slots.new(id_type="OBJECT", name=rig.name)
    channels = anim_utils.action_ensure_channelbag_for_slot(action, slot)
    for track in tracks:
        path = f'pose.bones["{track.joint}"].{track.path}'
        for component in range(len(track.keys[0][1])):
            curve = channels.fcurves.new(path, index=component, group_name=track.joint)
            curve.keyframe_points.add(len(track.keys))
            for point, (secs, value) in zip(curve.keyframe_points, track.keys):
                point.co = (round(secs * FRAMES_PER_SEC, 4), value[component])
                point.interpolation = "BEZIER" if track.eased else "LINEAR"
                point.handle_left_type = point.handle_right_type = "AUTO_CLAMPED"
            curve.update()
    animation = rig.animation_data or rig.animation_data_create()
    strip_track = animation.nla_tracks.new()
    strip_track.name = name
    strip = strip_track.strips.new(name, 0, action)
    strip.action_slot = slot
