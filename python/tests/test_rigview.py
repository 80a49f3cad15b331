"""Tests of the Python package. `RIGVIEW_PROGRAM` is the program to test with."""

import importlib.metadata
import json
import os
import pickle
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rigview

ASSETS = Path(__file__).resolve().parents[2] / "assets"
HARE = ASSETS / "hare.glb"
MILL = ASSETS / "windmill.glb"


@pytest.fixture(scope="module")
def hare() -> rigview.Model:
    return rigview.open(HARE)


def test_joints_and_clips_are_those_of_info(hare: rigview.Model) -> None:
    info = rigview.info(HARE)
    assert [clip.name for clip in hare.clips] == [clip["name"] for clip in info["clips"]]
    assert "head" in hare.joints and len(hare.parents) == len(hare.joints)
    assert all(parent is None or parent < joint for joint, parent in enumerate(hare.parents))
    assert hare.diagnostics == []


def test_poses_follow_the_clip(hare: rigview.Model) -> None:
    clip = hare.clips[0]
    times = np.linspace(0, clip.duration, 5)
    poses = hare.poses(0, times)
    assert poses.shape == (5, len(hare.joints), 4, 4) and poses.dtype == np.float64
    assert np.array_equal(poses[:, :, 3], np.broadcast_to([0, 0, 0, 1], poses[:, :, 3].shape))
    head = poses[:, hare.joints.index("head"), :3, 3]
    assert 0.2 < head[0, 1] < 0.5 and np.ptp(poses, axis=0).max() > 0.01
    # By name, and clamped to the clip.
    assert np.array_equal(hare.poses(clip.name, [times[2], clip.duration + 9]), poses[[2, 4]])
    rest = hare.poses(None, [0, 1])
    assert np.array_equal(rest[0], rest[1])


def test_palettes_are_poses_times_inverse_bind_matrices(hare: rigview.Model) -> None:
    times = [0.0, 0.3, 0.7]
    palettes, poses = hare.palettes(0, times), hare.poses(0, times)
    joints = hare.palette_joints
    assert palettes.shape == (3, len(joints), 3, 4) and palettes.dtype == np.float32
    # The inverse bind matrix is the same at each time.
    whole = np.concatenate([palettes, np.broadcast_to([0, 0, 0, 1], (3, len(joints), 1, 4))], axis=2)
    bind = np.linalg.inv(poses[:, joints]) @ whole
    assert np.allclose(bind, bind[0], atol=1e-5)
    assert palettes.base is not None, "a view of the memory that the animator wrote"


def test_a_single_time_is_an_instance_of_many(hare: rigview.Model) -> None:
    times = np.linspace(0, 1, 100)
    palettes = hare.palettes(0, times)
    assert np.array_equal(palettes[37], hare.palettes(0, [times[37]])[0])
    assert hare.palettes(0, []).shape == (0, len(hare.palette_joints), 3, 4)


def test_wrong_arguments_are_errors(hare: rigview.Model) -> None:
    model: Any = hare
    number: Any = 42
    calls: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (lambda: model.poses("missing", [0]), KeyError, "no clip"),
        (lambda: model.palettes(9, [0]), IndexError, "clip 9 of 2"),
        (lambda: model.palettes(-3, [0]), IndexError, "clip -3 of 2"),
        (lambda: model.poses(0.5, [0]), TypeError, "expected a name, an index, a Clip or None, not float"),
        (lambda: model.poses(model, [0]), TypeError, "expected a name, an index, a Clip or None, not Model"),
        (lambda: model.poses(0, [0, float("nan")]), ValueError, "time 1 is NaN; expected finite times in seconds"),
        (lambda: model.palettes(0, float("inf")), ValueError, "time 0 is inf"),
        (lambda: model.poses(0, [[0.0]]), ValueError, "times has 2 dimensions"),
        (lambda: model.poses(0, "soon"), ValueError, "could not convert string to float"),
        (lambda: rigview.open(MILL).poses(model.clips[0], 0), ValueError, "the clip is one of another model"),
        (lambda: rigview.open(number), TypeError, "expected a path or the bytes of a model, not int"),
    ]
    for call, error, message in calls:
        with pytest.raises(error, match=message) as found:
            call()
        # No word of the binding, and one line.
        assert not any(word in str(found.value) for word in ["extract", "ClipArgument", "Py", "\n"]), found.value


def test_files_that_cannot_be_read_are_those_of_python(tmp_path: Path) -> None:
    missing = tmp_path / "missing.glb"
    calls: list[Callable[[Path], Any]] = [rigview.open, rigview.info, rigview.check, rigview.shot]
    for call in calls:
        with pytest.raises(FileNotFoundError) as error:
            call(missing)
        assert error.value.filename == str(missing) and error.value.errno == 2
    with pytest.raises(IsADirectoryError):
        rigview.open(tmp_path)
    broken = tmp_path / "broken.glb"
    broken.write_bytes(HARE.read_bytes()[:100])
    with pytest.raises(ValueError, match="cannot open .*broken.glb: "):
        rigview.open(broken)
    with pytest.raises(ValueError, match="^the GLB header"):
        rigview.open(broken.read_bytes())
    with pytest.raises(rigview.Error, match="broken.glb"):
        rigview.info(broken)


def test_a_number_has_no_dimension_of_times(hare: rigview.Model) -> None:
    assert np.array_equal(hare.poses(0, 0.5), hare.poses(0, [0.5])[0])
    assert np.array_equal(hare.palettes(-1, np.float32(0.5)), hare.palettes(1, [0.5])[0])
    assert np.array_equal(hare.poses(hare.clips[1], 0), hare.poses(1, 0))


def test_models_describe_and_pickle_themselves(hare: rigview.Model, monkeypatch: pytest.MonkeyPatch) -> None:
    assert repr(hare) == f"<rigview.Model 'hare.glb': {len(hare.joints)} joints, 2 clips>"
    assert repr(hare.clips[0]).startswith(f"<rigview.Clip 0: {hare.clips[0].name!r}, ")
    assert rigview.__version__ == importlib.metadata.version("rigview")
    # The path is absolute, so that another process finds the file.
    monkeypatch.chdir(ASSETS)
    relative = rigview.open("hare.glb")
    assert relative.path == HARE
    of_bytes = rigview.open(bytearray(HARE.read_bytes()))
    assert of_bytes.path is None and repr(of_bytes).startswith("<rigview.Model of bytes: ")
    for model in [relative, of_bytes]:
        copy = pickle.loads(pickle.dumps(model))
        assert copy.path == model.path and np.array_equal(copy.poses(0, 0.5), hare.poses(0, 0.5))
    assert len(pickle.dumps(relative)) < 1000


def test_bytes_find_external_files_in_the_base(tmp_path: Path) -> None:
    triangle = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype=np.float32)
    (tmp_path / "triangle.bin").write_bytes(triangle.tobytes())
    gltf = json.dumps({
        "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}], "buffers": [{"byteLength": 36, "uri": "triangle.bin"}],
    }).encode()
    assert rigview.open(gltf, base=tmp_path).diagnostics == []
    with pytest.raises(ValueError, match="triangle.bin"):
        rigview.open(gltf)
    # A GLB has the external file.
    assert rigview.open(rigview.open(gltf, base=tmp_path).to_glb()).diagnostics == []


def test_shot_returns_the_image(tmp_path: Path) -> None:
    options = ["--background", "transparent", "--clip", "none"]
    image = rigview.shot(HARE, *options, size=(64, 48))
    assert image.shape == (48, 64, 4) and image.dtype == np.uint8
    assert image[0, 0, 3] == 0 and image[24, 32, 3] == 255
    assert image.texts["GL renderer"] and "--clip" in image.texts["Command"]
    # A notebook shows it, and it is that of the command.
    png, own = tmp_path / "png.png", tmp_path / "own.png"
    png.write_bytes(image._repr_png_() or b"")
    commands: list[list[str | Path]] = [["shot", HARE, "-o", own, "--size", "64x48", *options], ["compare", own, png]]
    runs = [subprocess.run([os.environ["RIGVIEW_PROGRAM"], *command], capture_output=True, check=True) for command in commands]
    assert runs[1].stdout == b"equal\n"
    other: Any = image / 2
    assert other._repr_png_() is None and image[0]._repr_png_() is None
    with pytest.raises(rigview.Error, match="no clip `missing`"):
        rigview.shot(HARE, "--clip", "missing", size=(16, 16))


def test_a_session_renders_many_images(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with rigview.Session() as session:
        assert session.texts["GL renderer"] and session.texts["GL version"]
        images = [session.shot(file, "--time", "0.3", size=(64, 48)) for file in [HARE, MILL, HARE]]
        # An image does not depend on the former ones.
        assert np.array_equal(images[0], images[2]) and not np.array_equal(images[0], images[1])
        assert np.array_equal(images[1], rigview.shot(MILL, "--time", "0.3", size=(64, 48)))
        assert images[0].texts.items() >= session.texts.items() and images[0].notices == []
        assert "99" in session.shot(HARE, "--time", "99", size=(16, 16)).notices[0]
        images[0][:] = 0
        # It goes on after errors, and paths are those of the current folder.
        for options, message in [(["--clip", "missing"], "no clip `missing`"), (["--no-such"], "^unexpected argument '--no-such' found")]:
            with pytest.raises(rigview.Error, match=message):
                session.shot(HARE, *options, size=(16, 16))
        with pytest.raises(FileNotFoundError):
            session.shot(tmp_path / "missing.glb")
        monkeypatch.chdir(tmp_path)
        for file, image in [(HARE, images[2]), (MILL, images[1])]:
            # The kept model is read again when its file changes.
            Path("model.glb").write_bytes(file.read_bytes())
            assert np.array_equal(session.shot("model.glb", "--time", "0.3", size=(64, 48)), image)
        other = [shot(HARE, "--clip", "listen", "--time", "0.3", size=(64, 48)) for shot in [session.shot, session.shot, rigview.shot]]
        assert np.array_equal(other[0], other[1]) and np.array_equal(other[1], other[2])
    with pytest.raises(rigview.Error, match="the session is closed"):
        session.shot(HARE)


def test_the_end_of_the_program_is_an_error() -> None:
    with rigview.Session() as session:
        session._process.kill()
        for _ in range(2):
            with pytest.raises(rigview.Error, match="ended with exit code -9"):
                session.shot(HARE, size=(16, 16))


def test_a_missing_program_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIGVIEW_PROGRAM", "/missing/rigview")
    with pytest.raises(rigview.Error, match="/missing/rigview cannot be started"):
        rigview.info(HARE)
