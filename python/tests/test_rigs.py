"""Tests of retargeting, measures and comparisons in this process: they return what the program `RIGVIEW_PROGRAM` does."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rigview

ROOT = Path(__file__).resolve().parents[2]
HARE = ROOT / "assets/hare.glb"
MANNEQUIN = ROOT / "assets/mannequin.glb"
WALK = ROOT / "docs/book/motion/walk.bvh"
BODY = ROOT / "docs/book/motion/body.glb"


def program(*arguments: str | Path, code: int = 0) -> bytes:
    run = subprocess.run([os.environ["RIGVIEW_PROGRAM"], *arguments], capture_output=True)
    assert run.returncode == code, run.stderr
    return run.stdout


def test_retargeted_clips_are_those_of_the_program(tmp_path: Path) -> None:
    walk, body = rigview.open(WALK), rigview.open(BODY)
    found = body.retarget(walk)
    assert [clip.name for clip in found.clips] == ["walk"] and len(found.model.clips) == len(body.clips) + 1
    assert found.contacts[0]["feet"] > 0 and found.contacts[0]["slide"] < 0.02 and found.notices == []
    short = rigview.open(WALK.read_bytes().replace(b"Frames: 81", b"Frames: 900"))
    assert body.retarget(short).notices == ["the source: it has 81 of 900 frames; copy or export the file again"]
    program("retarget", WALK, BODY, "-o", tmp_path / "out.glb")
    assert found.model.to_glb() == (tmp_path / "out.glb").read_bytes()
    # The written file has the same poses, and so has a copy by pickle.
    written, clip = rigview.open(found.model.to_glb()), found.clips[0]
    assert np.allclose(written.poses(-1, 0.5), found.model.poses(clip, 0.5), atol=1e-6)
    assert np.ptp(written.poses(-1, [0, clip.duration / 3]), axis=0).max() > 0.05


def test_bodies_without_limbs_are_refused() -> None:
    windmill = rigview.open(ROOT / "assets/windmill.glb")
    with pytest.raises(ValueError, match="the source is neither a biped nor a quadruped"):
        rigview.open(BODY).retarget(windmill)


def test_rig_map_is_that_of_the_program_and_can_be_changed() -> None:
    body = rigview.open(BODY)
    found = body.rig_map()
    assert found == json.loads(program("rig-map", BODY, "--json"))
    hips, head = found["roles"]["hips"], found["roles"]["head"]
    assert body.joints[body.nodes.index(hips["node"])] == hips["name"]
    changed = body.rig_map({"leftToes": head["node"], "head": None, "kind": "quadruped"})
    assert changed["kind"] == "quadruped" and changed["roles"]["leftToes"] == {**head, "confidence": 1.0, "source": "file"}
    assert "head" in changed["missing"]
    changes: list[tuple[dict[str, Any], str]] = [
        ({"leftPaw": 1}, '"leftPaw" is not a role'),
        ({"hips": "nothing"}, 'hips: the model has no joint "nothing"'),
        ({"hips": 99999}, 'hips: the model has no joint "99999"'),
        ({"hips": 0.5}, 'hips: the model has no joint "0.5"'),
        ({"up": "Z"}, "up is not one of"),
        ({"up": "+Y", "facing": "-Y"}, "facing is not one of an axis across up"),
        ({"rest": None}, "rest is not one of T, A, first-frame or file"),
    ]
    for changed, message in changes:
        with pytest.raises(ValueError, match=message):
            body.rig_map(changed)


def test_issues_are_those_of_the_program(tmp_path: Path) -> None:
    broken = tmp_path / "broken.gltf"
    broken.write_text('{"asset": {"version": "2.0"}, "nodes": [{"mesh": 5}]}')
    for file, code in [(HARE, 0), (broken, 1)]:
        issues = rigview.check(file)
        assert issues == json.loads(program("check", file, "--json", code=code))["issues"]
        assert rigview.check(file.read_bytes()) == issues
    assert "UNRESOLVED_REFERENCE" in [issue["code"] for issue in issues]
    profile = tmp_path / "profile.toml"
    profile.write_text("[limits]\njoints = 1\n")
    expected = json.loads(program("check", HARE, "--json", "--profile", profile, code=1))["issues"]
    assert rigview.check(HARE, profile=profile) == expected and expected != rigview.check(HARE)
    profile.write_text("[limits]\nnothing = 1\n")
    with pytest.raises(ValueError, match="profile.toml"):
        rigview.check(HARE, profile=profile)


def test_measures_of_joints_are_those_of_the_program() -> None:
    model = rigview.open(HARE)
    flex = model.flex()
    assert flex == json.loads(program("check", HARE, "--flex", "--json"))["flex"]
    assert flex["complete"] and flex["joints"][0]["findings"]
    # Severities are relative to the limits.
    strict = model.flex({"stretch": 1.01})
    worst = [max(finding["severity"] for finding in result["joints"][0]["findings"]) for result in [flex, strict]]
    assert worst[1] > worst[0]
    for limits, message in [({"tension": 1.0}, "unknown field `tension`"), ({"stretch": -1.0}, "stretch: -1 is not a number above 0")]:
        with pytest.raises(ValueError, match=message):
            model.flex(limits)


def test_differences_are_those_of_the_program(tmp_path: Path) -> None:
    assert rigview.diff(HARE, HARE.read_bytes())["same"]
    changed = rigview.open(BODY).retarget(rigview.open(WALK)).model.to_glb()
    file = tmp_path / "changed.glb"
    file.write_bytes(changed)
    found = rigview.diff(BODY, changed)
    expected = json.loads(program("diff", BODY, file, "--json", code=1))
    assert not found["same"] and found == {key: value for key, value in expected.items() if key not in ["before", "after"]}
    assert rigview.diff(BODY, changed, tolerances={"degrees": 1})["tolerances"]["degrees"] == 1
    for tolerances in [{"miles": 1.0}, {"degrees": -1.0}, {"degrees": float("nan")}]:
        with pytest.raises(ValueError, match="is no tolerance; known are distance, degrees"):
            rigview.diff(BODY, changed, tolerances=tolerances)
    with pytest.raises(FileNotFoundError):
        rigview.diff(BODY, tmp_path / "missing.glb")


def test_baked_files_are_those_of_the_program(tmp_path: Path) -> None:
    for file in [HARE, MANNEQUIN]:
        program("bake", file, "-o", tmp_path / "baked.glb", "--clip", "0", "--time", "0.4")
        assert rigview.open(file).bake(0, 0.4) == (tmp_path / "baked.glb").read_bytes()
    with pytest.raises(ValueError, match="time is NaN"):
        rigview.open(HARE).bake(0, float("nan"))
