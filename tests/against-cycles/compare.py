#!/usr/bin/env python3
"""Compares images of rigview, three.js and F3D with those of Cycles: same model, camera and light.

usage: compare.py RIGVIEW MODELS OUTPUT [--only NAME,...] [--variant full|direct|unshadowed] [--arguments "..."]

RIGVIEW is the program, MODELS a folder of the Khronos sample models, OUTPUT a folder for the images. Images of the other
programs that OUTPUT has already are kept, because Cycles takes seconds per image. Prints a Markdown table of mean FLIP
inside the silhouettes, and writes a sheet per light.
"""

import argparse
import json
import pathlib
import shlex
import shutil
import struct
import subprocess
import sys

import flip_evaluator
import numpy as np
from PIL import Image

import environments

HERE = pathlib.Path(__file__).resolve().parent
ASSETS = HERE.parent.parent / "assets"
SIZE, FOV = 256, 40
SUN = [0.4, 0.7, 1.0, 3.0]
LIGHTS = ("sky", "studio", "sun")
# Options of rigview's images.
RIGVIEW = {"high": ["--quality", "high"], "occlusion": ["--occlusion", "on"], "rigview": []}
PROGRAMS = (*RIGVIEW, "three", "f3d")
# Extensions that would add lights, or variants of materials.
REMOVED = ("KHR_lights_punctual", "EXT_lights_image_based")
F3D = """
import json, sys, f3d
f3d.Engine.autoload_plugins()
for job in json.load(open(sys.argv[1])):
    engine = f3d.Engine.create_egl()
    engine.window.size = (job["size"], job["size"])
    engine.options.update({"render.background.color": [0, 0, 0], "render.effect.antialiasing.mode": "ssaa",
        "render.hdri.ambient": True})
    engine.options["render.hdri.file"] = job["environment"]
    engine.scene.add(job["model"])
    camera = engine.window.camera
    camera.position, camera.focal_point, camera.view_angle = job["eye"], job["target"], job["fov"]
    camera.view_up = [0, 1, 0]
    engine.window.render_to_image(no_background=True).save(job["output"])
"""


def source_of(models, name):
    """The file of a sample model, or of a model of rigview."""
    if (ASSETS / f"{name}.glb").exists():
        return ASSETS / f"{name}.glb"
    for form, ending in (("glTF-Binary", "glb"), ("glTF", "gltf"), ("glTF-Embedded", "gltf")):
        for file in sorted((models / name / form).glob(f"*.{ending}")):
            return file
    raise FileNotFoundError(f"no model {name} in {models}")


def strip(document):
    """Removes animations and lights, so that all programs draw the rest pose in the same light."""
    document.pop("animations", None)
    for node in document.get("nodes", []):
        for extension in REMOVED:
            node.get("extensions", {}).pop(extension, None)
    for list_name in ("extensionsUsed", "extensionsRequired"):
        if list_name in document:
            document[list_name] = [name for name in document[list_name] if name not in REMOVED]
            if not document[list_name]:
                del document[list_name]
    for extension in REMOVED:
        document.get("extensions", {}).pop(extension, None)


def write_default_material(document):
    """Gives primitives without a material the default one of glTF. Blender draws such primitives with a gray of its own."""
    primitives = [primitive for mesh in document.get("meshes", []) for primitive in mesh["primitives"]]
    without = [primitive for primitive in primitives if "material" not in primitive]
    if without:
        materials = document.setdefault("materials", [])
        materials.append({"pbrMetallicRoughness": {"metallicFactor": 1, "roughnessFactor": 1}})
        for primitive in without:
            primitive["material"] = len(materials) - 1


def prepare(source, folder):
    """Copies a model without animations and lights, and with explicit materials; returns the copy."""
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / f"model{source.suffix}"
    if source.suffix == ".gltf":
        shutil.copytree(source.parent, folder, dirs_exist_ok=True)
        document = json.loads(source.read_text(encoding="utf-8"))
        strip(document)
        write_default_material(document)
        copy.write_text(json.dumps(document), encoding="utf-8")
        return copy
    data = source.read_bytes()
    (length,) = struct.unpack_from("<I", data, 12)
    document = json.loads(data[20 : 20 + length])
    strip(document)
    write_default_material(document)
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    rest = data[20 + length :]
    header = struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + len(rest), len(text), 0x4E4F534A)
    copy.write_bytes(header + text + rest)
    return copy


def run_missing(jobs, command, path):
    """Runs a command on a JSON file of the jobs whose output is missing."""
    missing = [job for job in jobs if not pathlib.Path(job["output"]).exists()]
    if missing:
        path.write_text(json.dumps(missing), encoding="utf-8")
        with open(path.with_suffix(".log"), "w", encoding="utf-8") as log:
            subprocess.run([*command, path], stdout=log, stderr=log, check=False)


def draw_with_rigview(program, job, arguments):
    """Draws with rigview."""
    light = job["light"]
    lighting = ["--environment", light["environment"]] if "environment" in light else [
        "--environment", "none", f"--light={','.join(map(str, SUN))}"]
    vector = lambda v: ",".join(map(str, v))
    subprocess.run([program, "shot", job["model"], "--output", job["output"], "--size", f"{SIZE}x{SIZE}", "--fov", str(FOV),
        f"--eye={vector(job['eye'])}", f"--target={vector(job['target'])}", "--tone-mapping", "none", "--exposure", "0",
        "--background", "transparent", *lighting, *arguments], stderr=subprocess.DEVNULL, check=True)


def load(path):
    """sRGB colors over black and coverage."""
    rgba = np.asarray(Image.open(path).convert("RGBA"), np.float32) / 255.0
    return rgba[..., :3] * rgba[..., 3:], rgba[..., 3]


def linear(srgb):
    """Linear light of sRGB colors."""
    return np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)


def measure(expected_path, actual_path):
    """Mean FLIP in the silhouettes, ratio of mean light, and the FLIP map."""
    expected, inside = load(expected_path)
    actual, drawn = load(actual_path)
    silhouette = np.maximum(inside, drawn) > 0.5
    map_, _, _ = flip_evaluator.evaluate(expected, actual, "LDR")
    both = (inside > 0.99) & (drawn > 0.99)
    ratio = linear(actual[both]).mean(axis=0) / np.maximum(linear(expected[both]).mean(axis=0), 1e-6)
    return float(np.squeeze(map_)[silhouette].mean()), ratio


def write_sheet(rows, light, output, variant):
    """One row of images per model: Cycles, rigview with high quality, with ambient occlusion, without both, three.js, F3D."""
    names = [name for name, row_light in rows if row_light == light]
    sheet = Image.new("RGB", ((1 + len(PROGRAMS)) * SIZE, len(names) * SIZE), (40, 40, 40))
    for y, name in enumerate(names):
        for x, kind in enumerate((f"cycles.{variant}", *PROGRAMS)):
            path = output / f"{name}.{light}.{kind}.png"
            if path.exists():
                image = Image.open(path).convert("RGBA")
                sheet.paste(image, (x * SIZE, y * SIZE), image)
    sheet.save(output / f"sheet.{light}.png")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rigview", type=pathlib.Path)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--variant", default="full", choices=("full", "direct", "unshadowed"))
    parser.add_argument("--arguments", default="", help="more arguments of rigview shot")
    parser.add_argument("--samples", type=int, default=96, help="samples of Cycles per pixel")
    options = parser.parse_args()
    output, models = options.output.resolve(), options.models.resolve()
    names = json.loads((HERE / "models.json").read_text(encoding="utf-8"))
    names = [name for name in names if not options.only or name in options.only.split(",")]
    output.mkdir(parents=True, exist_ok=True)
    if not (output / "studio.hdr").exists():
        environments.write_all(output)
    files = {}
    for name in names:
        folder = output / "models" / name
        if name == "mirror_ball":
            folder.mkdir(parents=True, exist_ok=True)
            files[name] = folder / "model.glb"
            if not files[name].exists():
                subprocess.run([sys.executable, HERE / "mirror_ball.py", files[name]], stdout=subprocess.DEVNULL, check=True)
        else:
            files[name] = prepare(source_of(models, name), folder)

    def shot_of(light):
        shot = {"size": SIZE, "fov": FOV}
        return shot | ({"light": SUN} if light == "sun" else {"environment": f"{light}.hdr"})

    pairs = [(name, light) for light in LIGHTS for name in names]
    cameras_path = output / "cameras.json"
    cameras = json.loads(cameras_path.read_text(encoding="utf-8")) if cameras_path.exists() else {}
    wanted = [{"name": name, "model": str(files[name].relative_to(output)), "light": light, "shot": shot_of(light)}
              for name, light in pairs if name not in cameras or not (output / f"{name}.{light}.three.png").exists()]
    if wanted:
        (output / "jobs.json").write_text(json.dumps(wanted), encoding="utf-8")
        subprocess.run(["node", HERE / "three.mjs", output], check=True)
        cameras |= json.loads(cameras_path.read_text(encoding="utf-8"))
        cameras_path.write_text(json.dumps(cameras, indent=1), encoding="utf-8")

    def job_of(name, light, kind):
        lit = {"illuminance": SUN[3], "to_light": SUN[:3]} if light == "sun" else {"environment": str(output / f"{light}.hdr")}
        return {"model": str(files[name]), **cameras[name], "fov": FOV, "size": SIZE, "light": lit, "samples": options.samples,
                "variant": options.variant, "output": str(output / f"{name}.{light}.{kind}.png")}

    cycles = f"cycles.{options.variant}"
    run_missing([job_of(*pair, cycles) for pair in pairs], [sys.executable, HERE / "render.py"], output / "cycles.json")
    f3d = [job_of(*pair, "f3d") for pair in pairs if pair[1] != "sun"]
    run_missing([job | job["light"] for job in f3d], [sys.executable, "-c", F3D], output / "f3d.json")
    print("| model | light | rigview, high quality | occlusion | neither | three.js | F3D | light, high quality (R G B)"
          " | of three.js |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    totals = {program: [] for program in PROGRAMS}
    for name, light in pairs:
        for kind, arguments in RIGVIEW.items():
            draw_with_rigview(options.rigview, job_of(name, light, kind), [*arguments, *shlex.split(options.arguments)])
        reference = output / f"{name}.{light}.{cycles}.png"
        if not reference.exists():
            print(f"| {name} | {light} | no image of Cycles |")
            continue
        cells, ratios = [], {}
        for program in PROGRAMS:
            path = output / f"{name}.{light}.{program}.png"
            if path.exists():
                flip, ratios[program] = measure(reference, path)
                totals[program].append(flip)
                cells.append(f"{flip:.3f}")
            else:
                cells.append("–")
        text = [" ".join(f"{value:.2f}" for value in ratios[program]) for program in ("high", "three")]
        print(f"| {name} | {light} | {' | '.join(cells + text)} |", flush=True)
    for light in LIGHTS:
        write_sheet(pairs, light, output, options.variant)
    print()
    for kind, values in totals.items():
        nearer = sum(ours < theirs for ours, theirs in zip(values, totals["three"]))
        print(f"{kind}: mean FLIP {np.mean(values):.3f} over {len(values)} rows, nearer than three.js in {nearer}")


if __name__ == "__main__":
    main()
