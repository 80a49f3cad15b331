//! Tests with a small rig, whose palette is computed again without the code under test.

use super::mirroring::MirrorFlags;
use super::*;
use crate::math::{Affine, Transform};
use crate::model::{
    Clip, Image, Influences, Interpolation, Joint, JointIndex, KeyValues, Material, MaterialIndex, MaterialProperty,
    Mesh, MeshIndex, MeshNode, Model, MorphTarget, Primitive, PropertyTarget, PropertyTrack, Scene, SceneIndex,
    Skeleton, Skin, SkinIndex, SkinSlot, Timeline, Topology, Track, Vertices,
};
use crate::palette::BlockIndex;
use crate::pose::{AnimatedProperties, HiddenJoints, ModelPose, Pose};
use nalgebra::{UnitQuaternion, Vector3};
use std::sync::Arc;

/// Targets of the morphed mesh: more than one texel of weights.
const TARGETS: usize = 5;

fn transform(translation: [f64; 3], angle: f64, scale: [f64; 3]) -> Transform {
    let rotation = UnitQuaternion::from_euler_angles(angle, 0.5 * angle, -angle);
    Transform { translation: translation.into(), rotation, scale: scale.into() }
}

/// Three vertices at `center`, with normals and tangents.
fn vertices(center: [f32; 3], size: f32) -> Vertices {
    let [x, y, z] = center;
    Vertices {
        positions: vec![center, [x + size, y, z], [x, y + size, z + size]],
        normals: Some(vec![[0.0, 0.0, 1.0]; 3]),
        tangents: Some(vec![[1.0, 0.0, 0.0, 1.0]; 3]),
        ..Vertices::default()
    }
}

fn mesh(vertices: Vertices, targets: Vec<MorphTarget>) -> Mesh {
    Mesh {
        target_count: targets.len(),
        primitives: vec![Primitive {
            topology: Topology::Points,
            vertices: vertices.into(),
            targets: targets.into(),
            ..Primitive::default()
        }],
        ..Mesh::default()
    }
}

/// A chain of four joints. Joint 0 has a rigid mesh, joint 1 and joint 3 a morphed mesh each, joint 2 a mesh that joints 1 and 2 skin.
fn model(root_scale: [f64; 3]) -> Model {
    let rest = [
        transform([1.0, 2.0, 3.0], 0.3, root_scale),
        transform([0.0, 1.0, 0.0], 0.7, [1.0; 3]),
        transform([0.5, 1.0, 0.0], -0.4, [1.0; 3]),
        transform([0.0, 0.0, 2.0], 0.1, [1.0; 3]),
    ];
    let joint = |(node, rest): (usize, &Transform)| Joint {
        name: None,
        node,
        parent: node.checked_sub(1).map(|parent| JointIndex(parent as u32)),
        rest: *rest,
        exact_rest_matrix: None,
        morph_weights: match node {
            1 => 0..TARGETS,
            3 => TARGETS..2 * TARGETS,
            _ => 0..0,
        },
    };
    let morph_weights: Vec<f32> = (0..2 * TARGETS).map(|i| if i == 2 { 0.0 } else { 0.1 * (i + 1) as f32 }).collect();
    let target = |i: usize| MorphTarget {
        positions: Some(vec![[i as f32 + 1.0, 0.5, -(i as f32)]; 3]),
        ..MorphTarget::default()
    };
    let skinned = Vertices {
        influences: Some(Influences {
            per_vertex: 2,
            slots: [SkinSlot(0), SkinSlot(1)].repeat(3),
            weights: vec![0.25, 0.75, 1.0, 0.0, 0.5, 0.5],
        }),
        ..vertices([0.0, 0.0, 0.0], 1.0)
    };
    let mesh_node = |(joint, mesh, skin): (u32, u32, Option<SkinIndex>)| MeshNode {
        joint: JointIndex(joint),
        mesh: MeshIndex(mesh),
        skin,
    };
    let mesh_nodes = [(1, 1, None), (0, 0, None), (2, 2, Some(SkinIndex(0))), (3, 1, None)];
    Model {
        skeleton: Skeleton::new(rest.iter().enumerate().map(joint).collect(), morph_weights),
        skins: vec![Skin {
            name: None,
            joints: vec![JointIndex(1), JointIndex(2)],
            joint_from_mesh: [
                transform([0.0, -1.0, 0.0], 0.2, [1.0; 3]).to_affine(),
                transform([1.0, 0.0, 0.0], 0.0, [1.0; 3]).to_affine(),
            ]
            .into(),
        }],
        meshes: vec![
            // Far from the origin of its space, so that its matrix range has a position offset.
            mesh(vertices([100.0, 200.0, 300.0], 1.0), Vec::new()),
            mesh(vertices([0.0, 0.0, 0.0], 1.0), (0..TARGETS).map(target).collect()),
            mesh(skinned, Vec::new()),
        ],
        scenes: vec![Scene { mesh_nodes: mesh_nodes.map(mesh_node).into(), ..Scene::default() }],
        ..Model::default()
    }
}

/// Writes the rest pose of each rig, which have one layout, into one block each.
fn palette(rigs: &[&Rig]) -> Palette {
    let mut palette = Palette::new(rigs[0].layout(), rigs[0].format());
    let stride = palette.stride_texels();
    let count = palette.begin_update(rigs.len(), rigs.len(), rigs[0].layout().matrix_ranges.len());
    let mut texels = palette.take_texels(count);
    for (rig, block) in rigs.iter().zip(texels.chunks_mut(stride)) {
        let pose = Pose::rest(&rig.model().skeleton);
        let mut model_pose = ModelPose::default();
        model_pose.update(&rig.model().skeleton, &pose);
        BlockWriter { rig, flags: palette.flags() }.write(&Affine::IDENTITY, &pose, &model_pose, block);
    }
    palette.set_texels(texels);
    palette.collect_mirroring();
    palette
}

/// The positions of a draw in double precision, without palette or layout.
fn expected_positions(model: &Model, draw: &PrimitiveDraw) -> Vec<Vector3<f64>> {
    let joints = model.skeleton.joints();
    let mut model_from_joint: Vec<Affine> = Vec::new();
    for joint in joints {
        let parent = joint.parent.map_or(Affine::IDENTITY, |parent| model_from_joint[parent.get()]);
        model_from_joint.push(parent * joint.rest.to_affine());
    }
    let primitive = &model.meshes[draw.mesh.get()].primitives[draw.primitive];
    let weights = &model.skeleton.rest_morph_weights()[joints[draw.joint.get()].morph_weights.clone()];
    let mut positions = Vec::new();
    for (vertex, position) in primitive.vertices.positions.iter().enumerate() {
        let mut point: Vector3<f64> = Vector3::from(*position).cast();
        for (target, weight) in primitive.targets.iter().zip(weights) {
            point += Vector3::from(target.positions.as_ref().unwrap()[vertex]).cast() * f64::from(*weight);
        }
        positions.push(match &primitive.vertices.influences {
            None => model_from_joint[draw.joint.get()].transform_point(point),
            Some(influences) => {
                let skin = &model.skins[0];
                let by_slot = |(slot, weight): (SkinSlot, f32)| {
                    let matrix = model_from_joint[skin.joints[slot.get()].get()] * skin.joint_from_mesh[slot.get()];
                    matrix.transform_point(point) * f64::from(weight)
                };
                influences.of_vertex(vertex).map(by_slot).sum()
            }
        });
    }
    positions
}

#[test]
fn posed_vertices_match_an_independent_computation() {
    for scale in [[1.0; 3], [-2.0, 2.0, 2.0]] {
        let model = model(scale);
        for format in [MatrixFormat::Mat3x4, MatrixFormat::QuatTranslationScale] {
            let rig = Rig::with_layout(model.clone(), PaletteLayout::new(&model, SceneIndex(0)), format);
            let palette = palette(&[&rig]);
            for draw in &rig.layout().draws {
                let posed = skin_on_cpu(&rig, &palette, BlockIndex(0), draw);
                assert_eq!(skin_positions_on_cpu(&rig, &palette, BlockIndex(0), draw), posed.positions);
                for (position, expected) in posed.positions.iter().zip(expected_positions(&model, draw)) {
                    let error = (Vector3::from(*position).cast() - expected).norm();
                    assert!(error < 5e-4, "{format:?}, scale {scale:?}, {draw:?}: {position:?}, not {expected:?}");
                }
                let mirrors = scale[0] < 0.0;
                assert_eq!(posed.mirrored, [mirrors; 3]);
                assert!(posed.tangents.unwrap().iter().all(|tangent| tangent[3] == if mirrors { -1.0 } else { 1.0 }));
            }
        }
    }
}

#[test]
fn normals_have_unit_length_at_any_scale() {
    for scale in [1e-20, 1.0, 1e20] {
        let rig = Rig::new(model([scale; 3]), SceneIndex(0)).unwrap();
        let posed = skin_on_cpu(&rig, &palette(&[&rig]), BlockIndex(0), &rig.layout().draws[0]);
        let [normal, other] = [0, 1].map(|vertex| Vector3::from(posed.normals.as_ref().unwrap()[vertex]));
        assert!((normal.norm() - 1.0).abs() < 1e-6 && normal == other, "{normal:?}");
        let rotation = |joint: usize| rig.model().skeleton.joints()[joint].rest.rotation;
        let expected = rotation(0) * rotation(1) * Vector3::z();
        assert!((normal.cast() - expected).norm() < 1e-5, "{normal:?}, not {expected:?}");
    }
}

/// A model of one joint at the origin with `scale`, and a mesh of these vertices.
fn single_joint_model(scale: [f64; 3], vertices: Vertices) -> Model {
    let joint = Joint {
        name: None,
        node: 0,
        parent: None,
        rest: transform([0.0; 3], 0.0, scale),
        exact_rest_matrix: None,
        morph_weights: 0..0,
    };
    let mesh_node = MeshNode { joint: JointIndex(0), mesh: MeshIndex(0), skin: None };
    Model {
        skeleton: Skeleton::new(vec![joint], Vec::new()),
        meshes: vec![mesh(vertices, Vec::new())],
        scenes: vec![Scene { mesh_nodes: vec![mesh_node], ..Scene::default() }],
        ..Model::default()
    }
}

/// The vertices of the only draw of a model in its rest pose, with the triangle of the first three.
fn posed(model: Model) -> (PosedVertices, PosedTriangle) {
    let layout = PaletteLayout::new(&model, SceneIndex(0));
    let rig = Rig::with_layout(model, layout, MatrixFormat::Mat3x4);
    let (palette, draw) = (palette(&[&rig]), &rig.layout().draws[0]);
    (
        skin_on_cpu(&rig, &palette, BlockIndex(0), draw),
        skin_triangle_on_cpu(&rig, &palette, BlockIndex(0), draw, [0, 1, 2]),
    )
}

#[test]
fn normals_and_tangents_of_degenerate_matrices_are_unit_vectors() {
    let diagonal = Vertices {
        normals: Some(vec![[0.6, 0.0, 0.8]; 3]),
        tangents: Some(vec![[0.8, 0.0, -0.6, 1.0]; 3]),
        ..vertices([0.0; 3], 1.0)
    };
    // A flat surface has the normal of its plane, and does not mirror.
    let (flat, triangle) = posed(single_joint_model([1.0, 1.0, 0.0], diagonal.clone()));
    assert_eq!(flat.normals.unwrap(), [[0.0, 0.0, 1.0]; 3]);
    assert_eq!(flat.tangents.unwrap(), [[1.0, 0.0, 0.0, 1.0]; 3]);
    assert_eq!((flat.mirrored, triangle.is_mirrored), (vec![false; 3], false));
    // Zero matrices and normals that are not finite have the Z axis as normal, and the X axis as tangent.
    let infinite = Vertices {
        normals: Some(vec![[f32::INFINITY; 3]; 3]),
        tangents: Some(vec![[f32::INFINITY, f32::INFINITY, f32::INFINITY, -1.0]; 3]),
        ..diagonal.clone()
    };
    for (scale, vertices, sign) in [([0.0; 3], diagonal, 1.0), ([1.0; 3], infinite, -1.0)] {
        let (posed, _) = posed(single_joint_model(scale, vertices));
        assert_eq!(posed.normals.unwrap(), [[0.0, 0.0, 1.0]; 3]);
        assert_eq!(posed.tangents.unwrap(), [[1.0, 0.0, 0.0, sign]; 3]);
    }
}

#[test]
fn normals_and_tangents_of_any_length_are_normalized() {
    for length in [1e-30, 1.0, 1e30] {
        let [x, z] = [0.6 * length, 0.8 * length];
        let scaled = Vertices {
            normals: Some(vec![[x, 0.0, z]; 3]),
            tangents: Some(vec![[z, 0.0, -x, 1.0]; 3]),
            ..vertices([0.0; 3], 1.0)
        };
        let (posed, _) = posed(single_joint_model([1.0; 3], scaled));
        let (normal, tangent) = (posed.normals.unwrap()[0], posed.tangents.unwrap()[0]);
        assert!((Vector3::from(normal) - Vector3::new(0.6, 0.0, 0.8)).amax() < 1e-6, "{length:e}: {normal:?}");
        let expected = [0.8, 0.0, -0.6, 1.0];
        assert!(tangent.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-6), "{length:e}: {tangent:?}");
    }
}

#[test]
fn normals_of_mirrored_surfaces_keep_their_sides() {
    let inclined = Vertices { normals: Some(vec![[0.6, 0.0, 0.8]; 3]), ..vertices([1.0, 0.0, 0.0], 1.0) };
    let (posed, triangle) = posed(single_joint_model([-1.0, 2.0, 4.0], inclined));
    assert_eq!(posed.positions, [[-1.0, 0.0, 0.0], [-2.0, 0.0, 0.0], [-1.0, 2.0, 4.0]]);
    // (-0.6, 0, 0.2), normalized: each component is divided by its scale.
    let expected = Vector3::new(-3.0, 0.0, 1.0) / 10.0_f32.sqrt();
    for normal in posed.normals.unwrap() {
        assert!((Vector3::from(normal) - expected).amax() < 1e-6, "{normal:?}");
    }
    assert_eq!(posed.tangents.unwrap(), [[-1.0, 0.0, 0.0, -1.0]; 3]);
    assert_eq!(posed.mirrored, [true; 3]);
    let positions = [posed.positions[0], posed.positions[1], posed.positions[2]];
    assert_eq!(triangle, PosedTriangle { positions, is_mirrored: true });
}

#[test]
fn morph_targets_change_normals_and_tangents() {
    let mut model = single_joint_model([1.0; 3], vertices([0.0; 3], 1.0));
    let target = MorphTarget {
        positions: None,
        normals: Some(vec![[2.0, 0.0, 0.0]; 3]),
        tangents: Some(vec![[0.0, 4.0, 0.0]; 3]),
        ..MorphTarget::default()
    };
    // A target of weight zero has no effect, also with deltas that are not finite.
    let unused = MorphTarget { positions: Some(vec![[f32::NAN; 3]; 3]), ..MorphTarget::default() };
    model.meshes[0] = mesh(vertices([0.0; 3], 1.0), vec![unused, target]);
    let joint = Joint { morph_weights: 0..2, ..model.skeleton.joints()[0].clone() };
    model.skeleton = Skeleton::new(vec![joint], vec![0.0, 0.5]);
    let (posed, _) = posed(model);
    assert_eq!(posed.positions, vertices([0.0; 3], 1.0).positions);
    // (1, 0, 1) and (1, 2, 0), normalized.
    let [diagonal, [x, y]] = [[0.5_f64.sqrt() as f32; 2], [0.2_f64.sqrt() as f32, 0.8_f64.sqrt() as f32]];
    for (normal, tangent) in posed.normals.unwrap().iter().zip(posed.tangents.unwrap()) {
        assert!((Vector3::from(*normal) - Vector3::new(diagonal[0], 0.0, diagonal[1])).amax() < 1e-6, "{normal:?}");
        assert!((Vector3::new(tangent[0], tangent[1], tangent[2]) - Vector3::new(x, y, 0.0)).amax() < 1e-6);
    }
}

#[test]
fn position_offset_needs_a_distance_of_more_than_two_diagonals() {
    for (min, max, offset, max_distance_over_diagonal) in [
        // A diagonal of 1 at a distance of exactly 2.
        (1.5, 2.5, 0.0, 2.5),
        (1.75, 2.75, 2.25, 1.0),
        // A diagonal of 4 at distances of 7 and 9.
        (5.0, 9.0, 0.0, 2.25),
        (-11.0, -7.0, -9.0, 1.0),
        // A diagonal of 0.5 at a distance of 1.25.
        (1.0, 1.5, 1.25, 1.0),
        // Single points.
        (3.0, 3.0, 3.0, 1.0),
        (0.0, 0.0, 0.0, 1.0),
    ] {
        let positions = vec![[min, 0.0, 0.0], [max, 0.0, 0.0]];
        let model = single_joint_model([1.0; 3], Vertices { positions, ..Vertices::default() });
        let layout = PaletteLayout::new(&model, SceneIndex(0));
        let matrix_range = &layout.matrix_ranges[0];
        assert_eq!(matrix_range.position_offset, [offset, 0.0, 0.0], "{min} to {max}");
        assert_eq!(matrix_range.max_distance_over_diagonal, max_distance_over_diagonal, "{min} to {max}");
        let expected = [[min - offset, 0.0, 0.0], [max - offset, 0.0, 0.0]];
        assert_eq!(layout.positions(&model, &layout.draws[0]), expected.as_slice());
    }
}

#[test]
fn used_joints_have_a_matrix_at_or_below_them() {
    let mut model = model([1.0; 3]);
    let layout = PaletteLayout::new(&model, SceneIndex(0));
    assert_eq!(layout.used_joints(&model), [true; 4]);
    model.scenes[0].mesh_nodes.retain(|mesh_node| mesh_node.joint == JointIndex(1));
    assert_eq!(PaletteLayout::new(&model, SceneIndex(0)).used_joints(&model), [true, true, false, false]);
    model.scenes[0].mesh_nodes.clear();
    let layout = PaletteLayout::new(&model, SceneIndex(0));
    assert_eq!(layout.used_joints(&model), [false; 4]);
    assert_eq!((layout.matrix_count, layout.vertex_count(&model)), (0, 0));
}

#[test]
fn layout_places_ranges_weights_and_offsets() {
    let model = model([1.0; 3]);
    let layout = PaletteLayout::new(&model, SceneIndex(0));
    let matrices: Vec<(u32, u32)> =
        layout.matrix_ranges.iter().map(|matrix_range| (matrix_range.first_matrix, matrix_range.len)).collect();
    assert_eq!(matrices, [(0, 1), (1, 1), (2, 2), (4, 1)]);
    assert_eq!(layout.draws.iter().map(|draw| draw.matrix_range.get()).collect::<Vec<_>>(), [0, 1, 2, 3]);
    let first_weights: Vec<Option<u32>> = layout.draws.iter().map(|draw| draw.first_morph_weight).collect();
    assert_eq!(first_weights, [Some(0), None, None, Some(8)]);
    assert_eq!((layout.matrix_count, layout.morph_weight_texels()), (5, 4));
    assert_eq!(layout.vertex_count(&model), 12);

    let offset = layout.matrix_ranges[1].position_offset;
    assert!(
        offset.iter().zip([100.5, 200.5, 300.5]).all(|(found, expected)| (found - expected).abs() < 1e-3),
        "{offset:?}"
    );
    let positions = layout.positions(&model, &layout.draws[1]);
    for (position, mesh) in positions.iter().zip(&model.meshes[0].primitives[0].vertices.positions) {
        for axis in 0..3 {
            assert_eq!(position[axis], mesh[axis] - offset[axis]);
        }
    }
    assert!(
        layout.matrix_ranges.iter().all(|matrix_range| (1.0..1.01).contains(&matrix_range.max_distance_over_diagonal))
    );
    // Half a diagonal too near for an offset: the far corner is two diagonals from the origin.
    let mut near = model;
    near.meshes[0].primitives[0].vertices_mut().positions = vec![[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
    let layout = PaletteLayout::new(&near, SceneIndex(0));
    assert_eq!(
        (layout.matrix_ranges[1].position_offset, layout.matrix_ranges[1].max_distance_over_diagonal),
        ([0.0; 3], 2.0)
    );
}

#[test]
fn union_of_different_mirroring_is_mixed() {
    use Mirroring::{Always, Mixed, Never};
    for (a, row) in [(Never, [Never, Mixed, Mixed]), (Always, [Mixed, Always, Mixed]), (Mixed, [Mixed; 3])] {
        assert_eq!([Never, Always, Mixed].map(|b| a.union(b)), row, "{a:?}");
    }
}

#[test]
fn mirroring_is_collected_over_all_blocks() {
    let rigs = [[1.0; 3], [-1.0, 1.0, 1.0], [0.0; 3]].map(|scale| {
        let model = model(scale);
        let layout = PaletteLayout::new(&model, SceneIndex(0));
        Rig::with_layout(model, layout, MatrixFormat::Mat3x4)
    });
    let [plain, mirrored, flat] = rigs.each_ref();
    for (rigs, expected) in [
        (vec![plain], Mirroring::Never),
        (vec![mirrored], Mirroring::Always),
        (vec![flat], Mirroring::Never),
        (vec![plain, mirrored], Mirroring::Mixed),
        (vec![mirrored, plain], Mirroring::Mixed),
    ] {
        assert_eq!(palette(&rigs).mirroring(), [expected; 4]);
    }
    let mut flags = MirrorFlags::default();
    flags.reset(3);
    flags.record(0, Mirroring::Mixed);
    flags.record(2, Mirroring::Always);
    flags.record(2, Mirroring::Always);
    assert_eq!(flags.found().collect::<Vec<_>>(), [Mirroring::Mixed, Mirroring::Never, Mirroring::Always]);
}

#[test]
fn updates_count_instances_and_have_new_revisions() {
    let rig = Rig::new(model([1.0; 3]), SceneIndex(0)).unwrap();
    let [mut first, mut second] = [0, 1].map(|_| Palette::new(rig.layout(), rig.format()));
    let mut revisions = Vec::new();
    for instances in [3, 2, 5] {
        for palette in [&mut first, &mut second] {
            let count = palette.begin_update(instances, 7, rig.layout().matrix_ranges.len());
            let texels = palette.take_texels(count);
            palette.set_texels(texels);
            assert_eq!((palette.instance_count(), palette.total_instance_count()), (instances, 7));
            assert_eq!(palette.texels().len(), instances * palette.stride_texels());
            revisions.push(palette.revision());
        }
    }
    assert!(revisions.is_sorted_by(|a, b| a < b), "{revisions:?}");
}

#[test]
fn palette_and_rig_have_the_given_format() {
    let rig = Rig::new(model([1.0; 3]), SceneIndex(0)).unwrap();
    assert_eq!((rig.format(), rig.vertex_count()), (MatrixFormat::QuatTranslationScale, 12));
    let general = rig.with_format(MatrixFormat::Mat3x4);
    assert_eq!(general.format(), MatrixFormat::Mat3x4);
    assert!(std::ptr::eq(rig.model(), general.model()) && std::ptr::eq(rig.model(), &*rig.shared_model()));
    // Five matrices and 16 weights.
    for (rig, stride_texels) in [(&rig, 5 * 2 + 4), (&general, 5 * 3 + 4)] {
        let palette = Palette::new(rig.layout(), rig.format());
        assert_eq!((palette.format(), palette.stride_texels()), (rig.format(), stride_texels));
    }
}

#[test]
fn texels_of_a_shared_model_are_dropped_in_a_copy() {
    let mut textured = model([1.0; 3]);
    textured.images = vec![Image { width: 1, height: 1, rgba: vec![7; 4], ..Image::default() }.into()];
    let mut rig = Rig::new(textured, SceneIndex(0)).unwrap();
    let shared = rig.clone();
    rig.drop_texels();
    assert_eq!([&rig, &shared].map(|rig| rig.model().images[0].rgba.len()), [0, 4]);
    assert!(!rig.can_hide_joints());
    let roughness = PropertyTarget::Material(MaterialIndex(0), MaterialProperty::Roughness);
    for (target, hides) in [(roughness, false), (PropertyTarget::Visible(JointIndex(1)), true)] {
        let track =
            PropertyTrack { target, timeline: 0.into(), interpolation: Interpolation::Step, values: [1.0].into() };
        let mut animated = rig.model().clone();
        let timelines = vec![Timeline::new([0.0])];
        animated.materials = vec![Material::default()];
        animated.clips = vec![Clip { timelines, property_tracks: vec![track], ..Clip::default() }];
        assert_eq!(Rig::new(animated, SceneIndex(0)).unwrap().can_hide_joints(), hides, "{target:?}");
    }
}

#[test]
fn hidden_joints_have_zero_matrices() {
    let mut model = model([1.0; 3]);
    model.hidden_joints = vec![JointIndex(2)];
    let rig = Rig::new(model, SceneIndex(0)).unwrap();
    assert!(rig.can_hide_joints());
    let properties = AnimatedProperties::new(rig.model(), &[], 0.0);
    let mut palette = palette(&[&rig, &rig]);
    let mut hidden = HiddenJoints::default();
    hidden.sample(rig.model(), &[], 0.0);
    let stride = palette.stride_texels();
    let mut texels = palette.take_texels(2 * stride);
    hide_draws(&rig, &hidden, &mut texels[stride..]);
    palette.set_texels(texels);
    // Joint 3 is below joint 2.
    for (block, hidden) in [(0, [false; 4]), (1, [false, false, true, true])] {
        for (draw, hidden) in rig.layout().draws.iter().zip(hidden) {
            let matrix_range = &rig.layout().matrix_ranges[draw.matrix_range];
            let per_matrix = rig.format().texels_per_matrix();
            let first = matrix_range.first_matrix as usize * per_matrix;
            let texels =
                &palette.block(BlockIndex(block as u32))[first..first + matrix_range.len as usize * per_matrix];
            assert!(texels.iter().all(|texel| (*texel == [0.0; 4]) == hidden), "block {block}, {draw:?}: {texels:?}");
        }
    }
    let weights = |block: usize| {
        palette.block(BlockIndex(block as u32))[rig.layout().matrix_count as usize * rig.format().texels_per_matrix()..]
            .to_vec()
    };
    assert_eq!(weights(0), weights(1));
    palette.set_animated_properties(properties);
    assert!(palette.animated_properties().is_hidden(JointIndex(2)));
    assert!(!palette.is_hidden(JointIndex(2)), "a crowd of two");
    palette.begin_update(1, 1, rig.layout().matrix_ranges.len());
    assert!(palette.is_hidden(JointIndex(2)) && !palette.is_hidden(JointIndex(1)));
}

/// The format of the model after `edit`, without a mesh far from the origin of its space.
fn format_after(edit: impl FnOnce(&mut Model)) -> MatrixFormat {
    let mut model = model([1.0; 3]);
    model.meshes[0] = mesh(vertices([0.0, 0.0, 0.0], 1.0), Vec::new());
    edit(&mut model);
    MatrixFormat::choose(&model, &PaletteLayout::new(&model, SceneIndex(0)))
}

fn edit_joints(model: &mut Model, edit: impl FnOnce(&mut Vec<Joint>)) {
    let mut joints = model.skeleton.joints().to_vec();
    edit(&mut joints);
    model.skeleton = Skeleton::new(joints, model.skeleton.rest_morph_weights().to_vec());
}

/// A clip of one track with a key per second.
fn clip(joint: u32, interpolation: Interpolation, key_count: usize, keys: KeyValues) -> Clip {
    Clip {
        timelines: vec![Timeline::new((0..key_count).map(|key| key as f32).collect::<Vec<_>>())],
        tracks: vec![Track { joint: JointIndex(joint), timeline: 0.into(), interpolation, keys }],
        ..Clip::default()
    }
}

/// The format of the model after `edit`, with a scale track of joint 0.
fn format_of(keys: Vec<[f32; 3]>, edit: impl Fn(&mut Vec<Joint>)) -> MatrixFormat {
    format_after(|model| {
        edit_joints(model, edit);
        if !keys.is_empty() {
            let count = keys.len();
            let keys = KeyValues::Scale(keys.into_iter().map(Vector3::from).collect());
            model.clips = vec![clip(0, Interpolation::Linear, count, keys)];
        }
    })
}

#[test]
fn compact_format_needs_uniform_scales_of_one_sign() {
    use MatrixFormat::{Mat3x4, QuatTranslationScale};
    let scaled = |scale: [f64; 3]| move |joints: &mut Vec<Joint>| joints[0].rest.scale = scale.into();
    assert_eq!(format_of(vec![], |_| {}), QuatTranslationScale);
    assert_eq!(format_of(vec![], scaled([2.0, 1.0, 1.0])), Mat3x4);
    assert_eq!(format_of(vec![], scaled([-2.0, 2.0, 2.0])), QuatTranslationScale);
    let sheared = |joints: &mut Vec<Joint>| {
        let mut rest = joints[1].rest.to_affine();
        rest.linear[(0, 1)] += 0.5;
        joints[1].exact_rest_matrix = Some(rest);
    };
    assert_eq!(format_of(vec![], sheared), Mat3x4);
    // Only joint 0 is scaled, and only its descendants are drawn with a skin.
    assert_eq!(format_of(vec![[1.0; 3], [1.0, 1.0, 1.5]], |_| {}), Mat3x4);
    assert_eq!(format_of(vec![[1.0; 3], [3.0; 3]], |_| {}), QuatTranslationScale);
    assert_eq!(format_of(vec![[1.0; 3], [-1.0, 1.0, 1.0]], |_| {}), Mat3x4, "between the keys, X is flat");
    let mirrored = scaled([-1.0, 1.0, 1.0]);
    assert_eq!(format_of(vec![[-1.0, 1.0, 1.0], [0.0; 3]], mirrored), QuatTranslationScale);
}

/// The format of the model after `edit`, whose joint 0 has a spline scale key of a non-uniformity of 3.58e-7.
///
/// Noise is not removed from splines, so that the sum of all deviations decides.
fn format_with_spline_scale(edit: impl FnOnce(&mut Model)) -> MatrixFormat {
    format_after(|model| {
        let value = Vector3::new(1.0, 1.0, 1.0 + 3.0 * f32::EPSILON);
        let keys = KeyValues::Scale([Vector3::zeros(), value, Vector3::zeros()].into());
        model.clips = vec![clip(0, Interpolation::CubicSpline, 1, keys)];
        edit(model);
    })
}

#[test]
fn deviations_of_scales_and_bind_matrices_add_up() {
    use MatrixFormat::{Mat3x4, QuatTranslationScale};
    assert_eq!(format_with_spline_scale(|_| {}), QuatTranslationScale);
    // 3.58e-7 of joint 0 and 3e-7 of joint 1 exceed 5e-7.
    let child = |scale: f64| move |model: &mut Model| edit_joints(model, |joints| joints[1].rest.scale.z = scale);
    assert_eq!(format_with_spline_scale(child(1.0 + 1e-7)), QuatTranslationScale);
    assert_eq!(format_with_spline_scale(child(1.0 + 3e-7)), Mat3x4);
    // The distance of this bind matrix from a similarity is two thirds of the difference: 3e-7.
    let bind = |scale: f64| {
        move |model: &mut Model| {
            let matrices = Arc::make_mut(&mut model.skins[0].joint_from_mesh);
            matrices[0].linear.column_mut(2).scale_mut(scale);
        }
    };
    assert_eq!(format_with_spline_scale(bind(1.0 + 1.5e-7)), QuatTranslationScale);
    assert_eq!(format_with_spline_scale(bind(1.0 + 4.5e-7)), Mat3x4);
    // A mesh that extends two diagonals from its origin doubles the deviation.
    let far = |model: &mut Model| {
        model.meshes[0].primitives[0].vertices_mut().positions = vec![[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]
    };
    assert_eq!(format_with_spline_scale(far), Mat3x4);
}

#[test]
fn errors_of_removed_noise_are_bounded() {
    use MatrixFormat::{Mat3x4, QuatTranslationScale};
    let noisy_root = |z: f64| move |model: &mut Model| edit_joints(model, |joints| joints[0].rest.scale.z = z);
    // The bound of the error is relative to the scale.
    assert_eq!(format_of(vec![[2.0, 2.0, 2.000_002]; 2], |_| {}), QuatTranslationScale);
    // The component Z deviates from the mean by 3.3e-6: less than noise may, but more than a matrix may.
    assert_eq!(format_after(noisy_root(1.0 + 5e-6)), Mat3x4);
    // The mean of all keys deviates by 1.8e-6 from the last key.
    assert_eq!(format_of(vec![[1.0, 1.0, 1.000_001], [1.000_004; 3]], |_| {}), Mat3x4);

    // A mesh that extends two diagonals from its origin doubles an error of 1e-6.
    assert_eq!(format_after(noisy_root(1.0 + 1.5e-6)), QuatTranslationScale);
    let far = |model: &mut Model| {
        noisy_root(1.0 + 1.5e-6)(model);
        model.meshes[0].primitives[0].vertices_mut().positions = vec![[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]];
    };
    assert_eq!(format_after(far), Mat3x4);

    // A joint that is 100 from its parent has the error of the parent's scale times 100.
    for (distance, expected) in [(1.0, QuatTranslationScale), (100.0, Mat3x4)] {
        let moved = |model: &mut Model| {
            noisy_root(1.0 + 1e-6)(model);
            let keys = KeyValues::Translation([Vector3::new(0.0, distance, 0.0)].into());
            model.clips = vec![clip(1, Interpolation::Linear, 1, keys)];
        };
        assert_eq!(format_after(moved), expected, "at {distance}");
    }
}

#[test]
fn noise_is_measured_up_to_a_number_of_posed_joints() {
    let joint = |node: usize| Joint {
        name: None,
        node,
        parent: node.checked_sub(1).map(|_| JointIndex(0)),
        rest: transform([0.0; 3], 0.0, if node == 0 { [1.0, 1.0, 1.0 + 1e-6] } else { [1.0; 3] }),
        exact_rest_matrix: None,
        morph_weights: 0..0,
    };
    let mut model = single_joint_model([1.0; 3], vertices([0.0; 3], 1.0));
    model.skeleton = Skeleton::new((0..1024).map(joint).collect(), Vec::new());
    let layout = PaletteLayout::new(&model, SceneIndex(0));
    // 1024 joints in 1023 clips and at rest are posed 2^20 times.
    for (clips, expected) in [(1023, MatrixFormat::QuatTranslationScale), (1024, MatrixFormat::Mat3x4)] {
        model.clips = vec![Clip::default(); clips];
        assert_eq!(MatrixFormat::choose(&model, &layout), expected, "{clips} clips");
    }
}

#[test]
fn scales_with_noise_are_uniform() {
    let noisy = |joints: &mut Vec<Joint>| joints[0].rest.scale = Vector3::new(1.0, 1.0 + 1e-6, 1.0);
    assert_eq!(format_of(vec![], noisy), MatrixFormat::QuatTranslationScale);
    assert_eq!(format_of(vec![[1.0, 1.0 + 1e-6, 1.0]; 2], noisy), MatrixFormat::QuatTranslationScale);
    // A joint without a matrix at or below it has any scale.
    let with_unused = |joints: &mut Vec<Joint>| {
        noisy(joints);
        let rest = transform([0.0; 3], 0.0, [1.0, 2.0, 3.0]);
        let unused = Joint {
            name: None,
            node: 4,
            parent: Some(JointIndex(0)),
            rest,
            exact_rest_matrix: None,
            morph_weights: 0..0,
        };
        joints.push(unused);
    };
    assert_eq!(format_of(vec![], with_unused), MatrixFormat::QuatTranslationScale);

    let values = |values: &[[f32; 3]]| {
        denoised_scale(&values.iter().copied().map(Vector3::from).collect::<Vec<_>>(), Interpolation::Linear)
    };
    let found = values(&[[1000.0, 1000.001, 1000.0], [1000.0; 3]]).unwrap();
    assert!((found - 1000.0).abs() < 1e-3, "{found}");
    for other in [[1.0; 3], [1.0, 1.0, 1.1], [0.001, 0.001_001, 0.001], [-1.0, -1.000_001, -1.0]] {
        assert_eq!(values(&[other]), None, "{other:?}");
    }
    let noisy = [Vector3::new(1.0, 1.0, 1.000_001_f32)];
    assert!(denoised_scale(&noisy, Interpolation::Step).is_some());
    assert_eq!(denoised_scale(&noisy, Interpolation::CubicSpline), None);

    let near = Vector3::new(1000.0, 1000.001, 1000.002);
    assert!((denoised_rest(near) - Vector3::repeat(1000.001)).amax() < 1e-9);
    for other in [[1.0, 1.0, 1.1], [0.001, 0.001_001, 0.001], [-1.0, -1.000_001, -1.0], [0.0; 3], [-1.0, 1.0, 1.0]] {
        assert_eq!(denoised_rest(other.into()), Vector3::from(other));
    }
}

#[test]
fn degenerate_matrices_have_no_rotation() {
    let infinite = Affine { linear: nalgebra::Matrix3::repeat(f64::INFINITY), translation: Vector3::zeros() };
    let zero = Affine { linear: nalgebra::Matrix3::zeros(), translation: Vector3::zeros() };
    for matrix in [infinite, zero] {
        assert_eq!(scale_and_rotation(&matrix), (0.0, UnitQuaternion::identity()));
    }
    assert_eq!([distance_to_similarity(&infinite), distance_to_similarity(&zero)], [f64::INFINITY, 0.0]);
    // A flat matrix does not mirror.
    let flat = transform([0.0; 3], 0.0, [1.0, 1.0, 0.0]).to_affine();
    assert!((scale_and_rotation(&flat).0 - (2.0_f64 / 3.0).sqrt()).abs() < 1e-12);
    let found = [[0.0; 3], [1.0, -2.0, 2.0], [3.0; 3]].map(|scale| non_uniformity(scale.into()));
    assert_eq!(found, [0.0, 0.5, 0.0]);
    for format in [MatrixFormat::Mat3x4, MatrixFormat::QuatTranslationScale] {
        let mut texels = vec![[1.0; 4]; format.texels_per_matrix()];
        format.write(&Affine::from_translation(Vector3::x() * f64::from(f32::MAX) * 0.5), &mut texels);
        assert!(texels.iter().flatten().all(|x| *x == 0.0), "beyond a quarter of the range");
    }
}

#[test]
fn rig_of_an_invalid_model_is_an_error() {
    let error = |change: fn(&mut Model), scene: u32| {
        let mut model = model([1.0; 3]);
        change(&mut model);
        Rig::new(model, SceneIndex(scene)).unwrap_err().to_string()
    };
    assert_eq!(error(|_| {}, 9), "scene 9: it does not exist");
    assert_eq!(
        error(|m| m.scenes[0].mesh_nodes[0].mesh = MeshIndex(99), 0),
        "scene 0, mesh node 0: its mesh does not exist"
    );
}
