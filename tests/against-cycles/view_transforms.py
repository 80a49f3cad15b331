"""Writes `tests/fixtures/view-transforms.txt`: colors, and what Blender's view transforms "AgX" and "Filmic" make of them with
the look "None". Each line is a color (linear sRGB) and two colors of 8 bits. Needs the `bpy` package 5.0.1 from PyPI (Python
3.11).
"""

import itertools
import os
import random
import sys
import tempfile

import bpy
import numpy
from PIL import Image

OUTPUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures", "view-transforms.txt")
MIDDLE_GRAY = 0.18
WIDTH = 32


def chart():
    """768 colors from 10 stops below middle gray to 6 above, and some to 13 above."""
    levels = [0.0] + [MIDDLE_GRAY * 2.0 ** (-10.0 + 16.0 * i / 6.0) for i in range(7)]
    colors = list(itertools.product(levels, repeat=3))
    colors += [[MIDDLE_GRAY * 2.0 ** (-10.0 + 23.0 * i / 63.0)] * 3 for i in range(64)]
    numbers = random.Random(1)
    colors += [[MIDDLE_GRAY * 2.0 ** numbers.uniform(-10.0, 6.0) for _ in range(3)] for _ in range(128)]
    # Bright and saturated.
    colors += [[MIDDLE_GRAY * 2.0 ** numbers.uniform(-4.0, 13.0) for _ in range(3)] for _ in range(64)]
    return [[float(f"{x:.4g}") for x in color] for color in colors]


def image_of(colors):
    pixels = numpy.ones((len(colors), 4), numpy.float32)
    pixels[:, :3] = colors
    image = bpy.data.images.new("chart", WIDTH, len(colors) // WIDTH, float_buffer=True)
    image.colorspace_settings.name = "Linear Rec.709"
    image.pixels.foreach_set(pixels.ravel())
    return image


def shown(image, view_transform):
    """Pixels of the image through a view transform, in the order of the chart."""
    scene = bpy.context.scene
    scene.render.dither_intensity = 0.0
    scene.render.image_settings.file_format = "PNG"
    scene.render.image_settings.color_mode = "RGB"
    scene.render.image_settings.color_depth = "8"
    scene.display_settings.display_device = "sRGB"
    scene.view_settings.view_transform = view_transform
    scene.view_settings.look = "None"
    scene.view_settings.exposure = 0.0
    scene.view_settings.gamma = 1.0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "chart.png")
        image.save_render(path, scene=scene)
        # The first row of an image is the lowest in Blender.
        return numpy.array(Image.open(path))[::-1].reshape(-1, 3)


def main():
    colors = chart()
    image = image_of(colors)
    views = [shown(image, name) for name in ("AgX", "Filmic")]
    with open(OUTPUT, "w", encoding="utf-8", newline="\n") as file:
        for color, agx, filmic in zip(colors, *views):
            words = [f"{x:.4g}" for x in color] + [str(byte) for byte in (*agx, *filmic)]
            file.write(" ".join(words) + "\n")
    print(f"{len(colors)} colors through Blender {bpy.app.version_string}", file=sys.stderr)


main()
