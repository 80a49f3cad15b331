"""Tests of meshes, draws and palettes."""

import json
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import rigview

ASSETS = Path(__file__).resolve().parents[2] / "assets"


def posed(model: rigview.Model, draw: rigview.Draw, clip: int | None, time: float) -> NDArray[np.float64]:
    """Morphs and skins the vertices of a draw."""
    primitive = model.meshes[draw.mesh].primitives[draw.primitive]
    weights = model.morph_weights(clip, time)[draw.weights]
    positions = primitive.positions + np.tensordot(weights.astype(np.float64), primitive.targets, axes=1)
    matrices = model.palettes(clip, time)[draw.matrices].astype(np.float64)
    if draw.skin is None:
        matrices = np.broadcast_to(matrices[0], (len(positions), 3, 4))
    else:
        slots, influences = primitive.slots, primitive.weights
        assert slots is not None and influences is not None
        assert np.allclose(influences.sum(axis=1), 1, atol=1e-5)
        matrices = (matrices[slots] * influences[..., None, None]).sum(axis=1)
    result: NDArray[np.float64] = np.einsum("vij,vj->vi", matrices[..., :3], positions) + matrices[..., 3]
    return result


def morph_model(offset: float = 0.0) -> bytes:
    """Two instances of a triangle with two targets and a clip of their weights, away from the origin; both nodes have one name."""
    triangle = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], dtype=np.float32) + np.float32(offset)
    first = np.array([[0, 0, 1]] * 3, dtype=np.float32)
    second = np.array([[0, 2, 0], [0, 0, 0], [0, 0, 0]], dtype=np.float32)
    times, weights = np.array([0, 1], dtype=np.float32), np.array([0, 0, 1, 0.5], dtype=np.float32)
    buffer, views, accessors = b"", [], []
    for array, kind in [(triangle, "VEC3"), (first, "VEC3"), (second, "VEC3"), (times, "SCALAR"), (weights, "SCALAR")]:
        views.append({"buffer": 0, "byteOffset": len(buffer), "byteLength": array.nbytes})
        bounds = {} if array is weights else {"min": np.atleast_1d(array.min(axis=0)).tolist(), "max": np.atleast_1d(array.max(axis=0)).tolist()}
        accessors.append({"bufferView": len(views) - 1, "componentType": 5126, "count": len(array), "type": kind, **bounds})
        buffer += array.tobytes()
    gltf = json.dumps({
        "asset": {"version": "2.0"},
        "scenes": [{"nodes": [2, 0]}],
        "nodes": [{"name": "leaf", "mesh": 0}, {"name": "leaf", "mesh": 0, "translation": [0, 0, 5]}, {"children": [1]}],
        "materials": [{"name": "green", "pbrMetallicRoughness": {"baseColorFactor": [0, 1, 0, 0.5], "metallicFactor": 0}, "alphaMode": "BLEND"}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "targets": [{"POSITION": 1}, {"POSITION": 2}], "material": 0}],
                    "extras": {"targetNames": ["up", "wide"]}}],
        "animations": [{"samplers": [{"input": 3, "output": 4}], "channels": [{"sampler": 0, "target": {"node": 1, "path": "weights"}}]}],
        "accessors": accessors, "bufferViews": views, "buffers": [{"byteLength": len(buffer)}],
    }).encode()
    gltf += b" " * (-len(gltf) % 4)
    chunks = len(gltf).to_bytes(4, "little") + b"JSON" + gltf + len(buffer).to_bytes(4, "little") + b"BIN\0" + buffer
    return b"glTF" + (2).to_bytes(4, "little") + (12 + len(chunks)).to_bytes(4, "little") + chunks


@pytest.mark.parametrize("name", ["hare.glb", "mannequin.glb", "windmill.glb", "morphs", "far"])
def test_numpy_poses_vertices_as_bake_does(name: str) -> None:
    source: Path | bytes = morph_model(1000.0 if name == "far" else 0.0) if name in ["morphs", "far"] else ASSETS / name
    model = rigview.open(source)
    assert model.draws and model.clips
    time = 0.6 * model.clips[0].duration
    baked = rigview.open(model.bake(0, time))
    assert not baked.clips and len(baked.draws) == len(model.draws)
    lower: list[NDArray[np.float64]] = []
    upper: list[NDArray[np.float64]] = []
    tolerance = 1e-3 if name == "far" else 1e-5
    for draw, static in zip(model.draws, baked.draws):
        expected = baked.meshes[static.mesh].primitives[static.primitive].positions
        assert np.allclose(posed(model, draw, 0, time), expected, atol=tolerance)
        at_rest = posed(model, draw, None, 0)
        lower.append(at_rest.min(axis=0))
        upper.append(at_rest.max(axis=0))
    assert model.bounds is not None
    assert np.allclose(model.bounds[0], np.array(lower).min(axis=0), atol=tolerance)
    assert np.allclose(model.bounds[1], np.array(upper).max(axis=0), atol=tolerance)


def test_draws_name_the_matrices_of_each_skin_and_mesh() -> None:
    model = rigview.open(ASSETS / "mannequin.glb")
    joints = model.palette_joints
    assert any(draw.skin is not None for draw in model.draws)
    covered = {index for draw in model.draws for index in range(draw.matrices.start, draw.matrices.stop)}
    assert covered == set(range(len(joints))), "each matrix belongs to a draw"
    for draw in model.draws:
        primitive = model.meshes[draw.mesh].primitives[draw.primitive]
        if draw.skin is None:
            assert joints[draw.matrices] == [draw.joint]
        else:
            assert primitive.slots is not None and primitive.slots.max() < len(joints[draw.matrices])
        assert primitive.triangles.max() < len(primitive.positions)
        assert primitive.normals is not None and primitive.normals.shape == primitive.positions.shape


def test_nodes_tell_joints_of_equal_names_apart() -> None:
    model = rigview.open(morph_model())
    assert model.joints.count("leaf") == 2
    assert sorted(model.nodes) == [0, 1, 2] and len(set(model.nodes)) == 3
    moved = model.nodes.index(1)
    assert np.array_equal(model.poses(None, 0)[moved, :3, 3], [0, 0, 5]) and model.joints[moved] == "leaf"


def test_targets_and_their_weights() -> None:
    model = rigview.open(morph_model())
    [mesh] = model.meshes
    assert mesh.target_names == ["up", "wide"] and repr(mesh) == "<rigview.Mesh 0: None, 1 primitives>"
    [primitive] = mesh.primitives
    assert primitive.targets.shape == (2, 3, 3) and primitive.targets[1, 0, 1] == 2
    assert primitive.target_normals.shape == (2, 3, 3) and not primitive.target_normals.any()
    assert primitive.normals is None and primitive.slots is None and primitive.weights is None and primitive.tex_coords == []
    weights = model.morph_weights(0, [0, 0.5, 1])
    by_node = {model.nodes[draw.joint]: weights[:, draw.weights] for draw in model.draws}
    assert np.allclose(by_node[1], [[0.0, 0.0], [0.5, 0.25], [1.0, 0.5]]) and not by_node[0].any()


def test_materials() -> None:
    [material] = rigview.open(morph_model()).materials
    assert (material.name, material.alpha_mode, material.double_sided, material.unlit) == ("green", "blend", False, False)
    assert material.base_color == (0, 1, 0, 0.5) and (material.metallic, material.roughness) == (0, 1)
    assert material.textures == [] and material.emissive == (0, 0, 0) and repr(material) == "<rigview.Material 'green'>"


def test_a_model_without_vertices_has_no_bounds() -> None:
    empty = rigview.open(json.dumps({"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{}]}).encode())
    assert empty.bounds is None and empty.draws == [] and empty.palettes(None, [0, 1]).shape == (2, 0, 3, 4)
