"""Writes a smooth metallic sphere as glTF: it shows if all programs orient an environment alike. Needs `bpy`."""

import sys

import bpy

bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.mesh.primitive_uv_sphere_add(segments=96, ring_count=48)
bpy.ops.object.shade_smooth()
material = bpy.data.materials.new("mirror")
material.use_nodes = True
inputs = material.node_tree.nodes["Principled BSDF"].inputs
inputs["Base Color"].default_value = (1, 1, 1, 1)
inputs["Metallic"].default_value = 1
inputs["Roughness"].default_value = 0
bpy.context.object.data.materials.append(material)
bpy.ops.export_scene.gltf(filepath=sys.argv[-1])
