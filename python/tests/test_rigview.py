"""Tests of the Python package. `RIGVIEW_PROGRAM` is the program to test with."""

from pathlib import Path

import numpy as np
import pytest

import rigview

ASSETS = Path(__file__).resolve().parents[2] / "assets"
HARE = ASSETS / "hare.glb"


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


def test_wrong_arguments_are_errors(hare: rigview.Model, tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="no clip"):
        hare.poses("missing", [0])
    with pytest.raises(IndexError, match="clip 9 of 2"):
        hare.palettes(9, [0])
    with pytest.raises(TypeError):
        hare.poses(0.5, [0])  # type: ignore[arg-type]
    broken = tmp_path / "broken.glb"
    broken.write_bytes(HARE.read_bytes()[:100])
    with pytest.raises(ValueError, match="broken.glb"):
        rigview.open(broken)
    with pytest.raises(rigview.Error, match="broken.glb"):
        rigview.info(broken)


def test_check_returns_issues_also_of_broken_files(tmp_path: Path) -> None:
    issues = rigview.check(HARE, "--allow", "RIGVIEW_INSTANCE_COST")["issues"]
    assert "RIGVIEW_INSTANCE_COST" not in [issue["code"] for issue in issues]
    assert "error" not in [issue["severity"] for issue in issues]
    broken = tmp_path / "broken.gltf"
    broken.write_text('{"asset": {"version": "2.0"}, "nodes": [{"mesh": 5}]}')
    assert "UNRESOLVED_REFERENCE" in [issue["code"] for issue in rigview.check(broken)["issues"]]


def test_shot_returns_the_image() -> None:
    image = rigview.shot(HARE, "--background", "transparent", "--clip", "none", size=(64, 48))
    assert image.shape == (48, 64, 4) and image.dtype == np.uint8
    assert image[0, 0, 3] == 0 and image[24, 32, 3] == 255
    with pytest.raises(rigview.Error, match="no clip `missing`"):
        rigview.shot(HARE, "--clip", "missing", size=(16, 16))


def test_a_missing_program_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RIGVIEW_PROGRAM", "/missing/rigview")
    with pytest.raises(rigview.Error, match="/missing/rigview cannot be started"):
        rigview.info(HARE)
