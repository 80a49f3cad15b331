"""Joints, poses, palettes, checks and images of glTF models, VRM avatars and BVH motion capture.

`open` reads a model in this process. `info`, `check` and `shot` run the program `rigview`: that of the variable
`RIGVIEW_PROGRAM`, else the one in `PATH`.
"""

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from ._rigview import Clip, Model, __version__, decode_png, encode_png

__all__ = ["Clip", "Error", "Image", "Model", "__version__", "check", "info", "open", "shot"]


class Error(Exception):
    """The program `rigview` failed. The message is its own."""


class Image(np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]):
    """RGBA bytes of the shape (height, width, 4), with straight alpha. A notebook shows the image."""

    texts: dict[str, str]
    """What the PNG says about itself, such as "GL renderer", "GL version" (that of the driver) and "Command"."""

    def __array_finalize__(self, source: Any) -> None:
        self.texts = getattr(source, "texts", {})

    def _repr_png_(self) -> bytes | None:
        # Results of arithmetic and parts of the array need not be images.
        if self.dtype != np.uint8 or self.ndim != 3 or self.shape[2] != 4 or self.size == 0:
            return None
        return encode_png(self.tobytes(), self.shape[1], self.shape[0])


def open(source: str | os.PathLike[str] | bytes | bytearray, *, base: str | os.PathLike[str] | None = None) -> Model:
    """Opens a model without its images: the file of a path, or the content of a file. URIs in a content are relative to the folder `base`.

    Raises `FileNotFoundError` or another `OSError` if the file cannot be read, and `ValueError` with file, element and remedy if nothing
    of it can be drawn. Other damage is in `Model.diagnostics`.
    """
    return Model(source, base=base)


def info(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Returns the contents of a model, as `rigview info --json` prints them."""
    result: dict[str, Any] = json.loads(_run("info", _file(path), "--json"))
    return result


def check(path: str | os.PathLike[str], *options: str) -> dict[str, Any]:
    """Returns the issues of a model, as `rigview check --json` prints them. `options` are those of the command."""
    # 1 means that an issue is an error.
    result: dict[str, Any] = json.loads(_run("check", _file(path), "--json", *options, codes=(0, 1)))
    return result


def shot(path: str | os.PathLike[str], *options: str, size: tuple[int, int] = (1280, 720)) -> Image:
    """Renders an image of `size`, width and height.

    `options` are those of `rigview shot`, such as `"--clip", "Run", "--time", "0.3"`.
    """
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "shot.png")
        _run("shot", _file(path), "-o", str(output), "--size", f"{size[0]}x{size[1]}", *options)
        pixels, texts = decode_png(output.read_bytes())
    image = pixels.view(Image)
    image.texts = texts
    return image


def _file(path: str | os.PathLike[str]) -> str:
    try:
        os.stat(path)
    except NotADirectoryError:
        pass  # A model in an archive.
    # An absolute path does not begin with a hyphen.
    return os.path.abspath(path)


def _program() -> str:
    # Windows also searches the current folder, such as one of downloads, for a program without a path.
    name = "rigview.exe" if os.name == "nt" else "rigview"
    files = [os.path.join(folder, name) for folder in os.get_exec_path() if os.path.isabs(folder)]
    return os.environ.get("RIGVIEW_PROGRAM") or next((file for file in files if os.path.isfile(file) and os.access(file, os.X_OK)), "")


def _run(*arguments: str, codes: tuple[int, ...] = (0,)) -> bytes:
    program = _program()
    if not program:
        raise Error("rigview is in no folder of PATH; set RIGVIEW_PROGRAM, or install rigview")
    try:
        run = subprocess.run([program, *arguments], capture_output=True, check=False)
    except OSError as error:
        raise Error(f"{program} cannot be started: {error.strerror}; set RIGVIEW_PROGRAM, or install rigview") from error
    if run.returncode not in codes or not run.stdout and arguments[0] != "shot":
        lines = run.stderr.decode(errors="replace").splitlines()
        errors = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
        raise Error(errors[-1] if errors else f"{program} ended with exit code {run.returncode}")
    return run.stdout
