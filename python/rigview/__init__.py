"""Joints, poses, palettes, checks and images of glTF models, VRM avatars and BVH motion capture.

`open`, `check` and `diff` work in this process. `info`, `shot` and `Session` run the program `rigview`: that of the variable
`RIGVIEW_PROGRAM`, else that of the wheel, else the one in `PATH`.
"""

import json
import os
import subprocess
import sysconfig
import tempfile
import threading
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, TypedDict

import numpy as np

from . import _rigview
from ._rigview import Clip, Draw, Material, Mesh, Model, Primitive, Retargeted, __version__, encode_png

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
    "Session",
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
    """What draws the image: "GL renderer", "GL version" (that of the driver) and "Command"."""

    notices: list[str]
    """What the image may lack, such as a model out of view."""

    def __array_finalize__(self, source: Any) -> None:
        self.texts = getattr(source, "texts", {})
        self.notices = getattr(source, "notices", [])

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
    """Renders an image of `size`, width and height, as `Session.shot` does. Several images take less time in one session."""
    with Session() as session:
        return session.shot(path, *options, size=size)


class Session:
    """Renders images by one process of the program, which keeps the renderer and its compiled shaders from image to image.

    The process starts with the session, and ends with `close`, at the end of a `with` block, or with Python. Threads take turns.
    """

    texts: dict[str, str]
    """What draws the images: "GL renderer" and "GL version" (that of the driver)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # A pipe that is not read would block the program.
        self._errors = tempfile.TemporaryFile()
        # Signals of the terminal, such as Ctrl+C, reach Python alone.
        self._process = _start("session", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, start_new_session=True)
        self.texts = self._reply()["texts"]

    def shot(self, path: str | os.PathLike[str], *options: str, size: tuple[int, int] = (1280, 720)) -> Image:
        """Renders an image of `size`, width and height.

        `options` are those of `rigview shot`, such as `"--clip", "Run", "--time", "0.3"`. Raises `OSError` if the file cannot be read, and
        `Error` with the message of the program. A session goes on after an error.
        """
        arguments = [_file(path), "--size", f"{size[0]}x{size[1]}", *options]
        request = json.dumps([os.getcwd(), arguments]) + "\n"
        with self._lock:
            assert self._process.stdin and self._process.stdout
            if self._process.stdin.closed:
                raise Error("the session is closed")
            try:
                self._process.stdin.write(request.encode())
                self._process.stdin.flush()
                reply = self._reply()
                if "error" in reply:
                    raise Error(reply["error"])
                width, height = reply["size"]
                rgba = bytearray(self._process.stdout.read(width * height * 4))
                if len(rgba) != width * height * 4:
                    raise self._ended()
            except OSError:
                raise self._ended() from None
            except (KeyboardInterrupt, SystemExit):
                # The rest of a reply would be taken for the next one.
                self.close()
                raise
        image = np.frombuffer(rgba, np.uint8).reshape(height, width, 4).view(Image)
        image.texts, image.notices = reply["texts"], reply["notices"]
        return image

    def close(self) -> None:
        """Ends the process."""
        for pipe in (self._process.stdin, self._process.stdout, self._errors):
            with suppress(OSError):
                if pipe:
                    pipe.close()
        try:
            # It ends at the end of its input.
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_process"):
            self.close()

    def _reply(self) -> dict[str, Any]:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise self._ended()
        reply: dict[str, Any] = json.loads(line)
        return reply

    def _ended(self) -> Error:
        code = self._process.wait()
        self._errors.seek(0)
        return _error(self._errors.read(), code)


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


def _start(*arguments: str, **options: Any) -> "subprocess.Popen[bytes]":
    program = _program()
    if not program:
        raise Error("rigview is neither in the package nor in a folder of PATH; set RIGVIEW_PROGRAM, or install rigview")
    try:
        return subprocess.Popen([program, *arguments], **options)
    except OSError as error:
        raise Error(f"{program} cannot be started: {error.strerror}; set RIGVIEW_PROGRAM, or install rigview") from error


def _run(*arguments: str) -> bytes:
    with _start(*arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        output, errors = process.communicate()
    if process.returncode != 0 or not output:
        raise _error(errors, process.returncode)
    return output


def _error(output: bytes, code: int) -> Error:
    """Returns the error that the program printed before it ended."""
    lines = output.decode(errors="replace").splitlines()
    errors = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    return Error(errors[-1] if errors else f"{_program()} ended with exit code {code}")
