"""Joints, poses, palettes, checks and images of glTF models, VRM avatars and BVH motion capture.

`open`, `check` and `diff` work in this process. `info` and `shot` run the program `rigview`: that of the variable
`RIGVIEW_PROGRAM`, else that of the wheel, else the one in `PATH`.
"""

import json
import os
import subprocess
import sysconfig
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypedDict

import numpy as np

from . import _rigview
from ._rigview import Clip, Draw, Material, Mesh, Model, Primitive, Retargeted, __version__, decode_png, encode_png

__all__ = [
    "Clip",
    "Draw",
    "Error",
    "Image",
    "Issue",
    "Material",
    "Mesh",
    "Model",
    "Primitive",
    "Retargeted",
    "Source",
    "__version__",
    "check",
    "diff",
    "info",
    "open",
    "shot",
]

Source = str | os.PathLike[str] | bytes | bytearray
"""A model file: its path, or its content."""


class Issue(TypedDict):
    """An issue of `check`."""

    severity: str
    """`error`, `warning` or `info`."""
    code: str
    """The code of the Khronos validator, or one that begins with `RIGVIEW_`."""
    pointer: str
    """JSON Pointer to the element; empty for the whole file."""
    message: str
    """One line, with the remedy."""


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


def open(source: Source, *, base: str | os.PathLike[str] | None = None) -> Model:
    """Opens a model without its images: the file of a path, or the content of a file. URIs in a content are relative to the folder `base`.

    Raises `FileNotFoundError` or another `OSError` if the file cannot be read, and `ValueError` with file, element and remedy if nothing
    of it can be drawn. Other damage is in `Model.diagnostics`.
    """
    return Model(source, base=base)


def info(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Returns the contents of a model, as `rigview info --json` prints them."""
    result: dict[str, Any] = json.loads(_run("info", _file(path), "--json"))
    return result


def check(
    source: Source, *, base: str | os.PathLike[str] | None = None, profile: str | os.PathLike[str] | None = None
) -> list[Issue]:
    """Returns the issues of a model: those of the specification, and of the rig. A `profile` adds the rules of a project.

    Damage of the file is an issue. Raises `OSError` if the file cannot be read, and `ValueError` for a wrong profile.
    """
    issues: list[Issue] = _rigview.check(source, base, profile)
    return issues


def diff(before: Source, after: Source, *, tolerances: Mapping[str, float] | None = None) -> dict[str, Any]:
    """Returns the differences between two models, as `rigview diff --json` prints them; `same` is `True` if there are none.

    `tolerances` are the largest differences that are not reported, such as `{"degrees": 0.1}`.
    """
    result: dict[str, Any] = _rigview.diff(before, after, dict(tolerances or {}))
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
    folders = [sysconfig.get_path("scripts"), *os.get_exec_path()]
    files = [os.path.join(folder, name) for folder in folders if os.path.isabs(folder)]
    return os.environ.get("RIGVIEW_PROGRAM") or next((file for file in files if os.path.isfile(file) and os.access(file, os.X_OK)), "")


def _run(*arguments: str) -> bytes:
    program = _program()
    if not program:
        raise Error("rigview is neither in the package nor in a folder of PATH; set RIGVIEW_PROGRAM, or install rigview")
    try:
        run = subprocess.run([program, *arguments], capture_output=True, check=False)
    except OSError as error:
        raise Error(f"{program} cannot be started: {error.strerror}; set RIGVIEW_PROGRAM, or install rigview") from error
    if run.returncode != 0 or not run.stdout and arguments[0] != "shot":
        lines = run.stderr.decode(errors="replace").splitlines()
        errors = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
        raise Error(errors[-1] if errors else f"{program} ended with exit code {run.returncode}")
    return run.stdout
