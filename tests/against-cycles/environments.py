"""Writes the panoramas of the comparison: `sky.hdr` with a bright window and a colored floor, `studio.hdr` with softboxes."""

import pathlib

import numpy as np

WIDTH, HEIGHT = 1024, 512


def directions():
    """Unit vectors of the texel centers in glTF's axes: Y up, the center of the panorama at +X."""
    azimuth = ((np.arange(WIDTH) + 0.5) / WIDTH - 0.5) * 2 * np.pi
    elevation = (0.5 - (np.arange(HEIGHT) + 0.5) / HEIGHT) * np.pi
    azimuth, elevation = np.meshgrid(azimuth, elevation)
    return np.stack([np.cos(elevation) * np.cos(azimuth), np.sin(elevation), np.cos(elevation) * np.sin(azimuth)], axis=-1)


def box(d, center, half_width, half_height):
    """1 where a direction meets a rectangle that faces the origin, with soft edges of a few texels."""
    center = np.asarray(center, float)
    axis = center / np.linalg.norm(center)
    right = np.cross([0.0, 1.0, 0.0], axis)
    right /= np.linalg.norm(right)
    up = np.cross(axis, right)
    forward = d @ axis
    x, y = (d @ right) / np.maximum(forward, 1e-3), (d @ up) / np.maximum(forward, 1e-3)
    edge = lambda value, half: np.clip((half - np.abs(value)) / 0.02 + 0.5, 0.0, 1.0)
    return np.where(forward > 0, edge(x, half_width) * edge(y, half_height), 0.0)[..., None]


def sky(d):
    """Blue sky, lighter at the horizon; a bright window to the upper left front; a reddish brown floor."""
    height = d[..., 1:2]
    above = np.array([0.25, 0.45, 0.9]) * height + np.array([0.7, 0.8, 0.95]) * (1 - height)
    radiance = np.where(height > 0, above, np.array([0.28, 0.16, 0.1]))
    return radiance * 0.8 + box(d, (-1.0, 0.8, 0.7), 0.35, 0.25) * np.array([14.0, 12.5, 10.0])


def studio(d):
    """Gray room with a large softbox to the right, a smaller one to the left, and a strip behind."""
    radiance = np.full(d.shape, 0.12)
    radiance = radiance + box(d, (1.0, 0.7, 0.6), 0.6, 0.45) * 4.0
    radiance = radiance + box(d, (-1.0, 0.2, 0.5), 0.3, 0.6) * np.array([1.4, 1.8, 2.4])
    return radiance + box(d, (0.1, 0.5, -1.0), 0.15, 0.7) * 6.0


def write_hdr(path, radiance):
    """Writes a Radiance picture without run-length encoding."""
    exponent = np.ceil(np.log2(np.maximum(radiance.max(axis=-1), 1e-9)))
    mantissa = np.clip(radiance / np.exp2(exponent)[..., None] * 256.0, 0, 255).astype(np.uint8)
    texels = np.concatenate([mantissa, (exponent + 128).astype(np.uint8)[..., None]], axis=-1)
    header = f"#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y {HEIGHT} +X {WIDTH}\n"
    path.write_bytes(header.encode() + texels.tobytes())


def write_all(folder: pathlib.Path):
    """Writes both panoramas to a folder."""
    for make in (sky, studio):
        write_hdr(folder / f"{make.__name__}.hdr", make(directions()))
