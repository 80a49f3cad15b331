"""Renders the jobs of a JSON file with Cycles: a list of objects with model, eye, target, fov, light, size, samples, variant
and output. Needs the `bpy` package 5.0.1 from PyPI (Python 3.11).

A variant changes what light does: `full`; `direct` without bounces between surfaces; `unshadowed` in addition without
shadows, like a rasterizer without occlusion.
"""

import json
import math
import os
import sys

import bpy
from mathutils import Vector


def blender(v):
    """Blender's coordinates of glTF's: Z up."""
    return Vector((v[0], -v[2], v[1]))


def reset(job):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = job["samples"]
    scene.cycles.use_denoising = True
    scene.render.film_transparent = True
    # Glass shows the environment, not the transparent film.
    scene.cycles.film_transparent_glass = False
    scene.view_settings.view_transform = "Standard"
    scene.render.resolution_x = scene.render.resolution_y = job["size"]
    scene.render.resolution_percentage = 100
    scene.render.image_settings.file_format = "PNG"
    scene.render.image_settings.color_mode = "RGBA"
    scene.render.image_settings.color_depth = "8"
    return scene


def add_camera(scene, job):
    data = bpy.data.cameras.new("camera")
    data.sensor_fit = "VERTICAL"
    data.angle = math.radians(job["fov"])
    eye, target = blender(job["eye"]), blender(job["target"])
    distance = (target - eye).length
    data.clip_start, data.clip_end = distance / 1000, distance * 100
    camera = bpy.data.objects.new("camera", data)
    camera.location = eye
    camera.rotation_euler = (target - eye).to_track_quat("-Z", "Y").to_euler()
    scene.collection.objects.link(camera)
    scene.camera = camera


def add_light(scene, light):
    world = bpy.data.worlds.new("world")
    scene.world = world
    world.use_nodes = True
    background = world.node_tree.nodes["Background"]
    if "environment" in light:
        texture = world.node_tree.nodes.new("ShaderNodeTexEnvironment")
        texture.image = bpy.data.images.load(light["environment"])
        world.node_tree.links.new(texture.outputs["Color"], background.inputs["Color"])
        world.cycles.sampling_method = "AUTOMATIC"
        return
    background.inputs["Color"].default_value = (0, 0, 0, 1)
    data = bpy.data.lights.new("sun", "SUN")
    data.energy = light["illuminance"]
    data.angle = 0.0
    sun = bpy.data.objects.new("sun", data)
    sun.rotation_euler = blender(light["to_light"]).to_track_quat("Z", "Y").to_euler()
    scene.collection.objects.link(sun)


def match_anisotropy():
    """Gives anisotropic metals the lobe of KHR_materials_anisotropy: Blender's importer takes the strength as its own measure of
    anisotropy, which has a narrower range, and does not set the tangents. The lobe of the Glossy node has any two roughness values,
    but no Fresnel effect."""
    for material in bpy.data.materials:
        nodes, links = material.node_tree.nodes, material.node_tree.links
        for principled in [node for node in nodes if node.type == "BSDF_PRINCIPLED"]:
            inputs = principled.inputs
            strength, roughness = inputs["Anisotropic"].default_value, inputs["Roughness"].default_value
            linked = any(inputs[name].is_linked for name in ("Anisotropic", "Roughness", "Base Color"))
            if strength == 0.0 or linked or inputs["Metallic"].default_value < 1.0:
                continue
            alpha = max(roughness * roughness, 1e-3)
            alpha_t = alpha + (1.0 - alpha) * strength * strength
            glossy = nodes.new("ShaderNodeBsdfAnisotropic")
            glossy.distribution = "MULTI_GGX"
            glossy.inputs["Color"].default_value = inputs["Base Color"].default_value
            # Negative values stretch the lobe along the tangent.
            glossy.inputs["Roughness"].default_value = math.sqrt(math.sqrt(alpha * alpha_t))
            glossy.inputs["Anisotropy"].default_value = math.sqrt(alpha / alpha_t) - 1.0
            glossy.inputs["Rotation"].default_value = inputs["Anisotropic Rotation"].default_value
            tangent = nodes.new("ShaderNodeTangent")
            tangent.direction_type = "UV_MAP"
            tangent.uv_map = "UVMap"
            links.new(tangent.outputs["Tangent"], glossy.inputs["Tangent"])
            for link in list(principled.outputs["BSDF"].links):
                links.new(glossy.outputs["BSDF"], link.to_socket)


def restrict_light(scene, variant):
    if variant == "full":
        return
    # Rays that end at the last bounce still reach the environment.
    scene.cycles.max_bounces = 0
    if variant == "unshadowed":
        for mesh in (item for item in bpy.data.objects if item.type == "MESH"):
            mesh.visible_diffuse = mesh.visible_glossy = mesh.visible_shadow = False


def main():
    with open(sys.argv[-1], encoding="utf-8") as file:
        jobs = json.load(file)
    for job in jobs:
        scene = reset(job)
        bpy.ops.import_scene.gltf(filepath=job["model"])
        match_anisotropy()
        add_camera(scene, job)
        add_light(scene, job["light"])
        restrict_light(scene, job["variant"])
        unfinished = job["output"] + ".part.png"
        scene.render.filepath = unfinished
        bpy.ops.render.render(write_still=True)
        os.replace(unfinished, job["output"])


main()
