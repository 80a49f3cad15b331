#!/usr/bin/env python3
"""Renders the reference image of the test `high_quality_approaches_cycles_as_samples_are_added`: the windmill in the rest pose under
the sky of the comparison, over black, with the panorama in a size that suits a repository."""

import json
import pathlib
import subprocess
import sys
import tempfile

from PIL import Image

import environments
from compare import ASSETS, HERE, prepare

FOLDER = HERE / "convergence"


def main():
    environments.WIDTH, environments.HEIGHT = 128, 64
    environments.write_hdr(FOLDER / "sky.hdr", environments.sky(environments.directions()))
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "cycles.png"
        job = {"model": str(prepare(ASSETS / "windmill.glb", pathlib.Path(folder) / "model")), "eye": [14, 17.5, 27.5],
            "target": [0, 7.7, 0], "fov": 40, "light": {"environment": str(FOLDER / "sky.hdr")}, "size": 256, "samples": 256,
            "variant": "full", "output": str(output)}
        jobs = pathlib.Path(folder) / "jobs.json"
        jobs.write_text(json.dumps([job]), encoding="utf-8")
        subprocess.run([sys.executable, HERE / "render.py", jobs], check=True)
        image = Image.open(output).convert("RGBA")
        black = Image.new("RGBA", image.size, (0, 0, 0, 255))
        Image.alpha_composite(black, image).convert("RGB").save(FOLDER / "windmill.png", optimize=True)


main()
