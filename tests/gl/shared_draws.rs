//! Shared draw calls draw the same pixels as a call per node.

use crate::context::{GlTestContext, Shot};
use crate::rigs::Tube;
use nalgebra::Vector3;
use rigview::math::Transform;
use rigview::model::{
    AlphaMode, Joint, JointIndex, Material, MaterialIndex, MeshIndex, MeshNode, Model, Primitive, SceneIndex, Skeleton,
    SkinIndex, Transmission,
};
use rigview::palette::{BlockIndex, MatrixFormat, Skinning, skin_on_cpu};
use rigview::render::RenderOptions;
use rigview::scene::{Camera, DebugView, JointTable, ViewMode};

/// Enough nodes for a shared draw call.
const NODES: usize = 30;

/// `NODES` tubes in rows; every third one is mirrored. They share one mesh, or each has a copy that draws the same pixels but is not
/// equal.
fn tubes(tube: &Tube, shared: bool) -> Model {
    let one = tube.model();
    let (mut joints, mut weights, mut skins, mut mesh_nodes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for node in 0..NODES {
        let (first_joint, first_morph_weight) = (joints.len(), weights.len());
        let moved = |index: JointIndex| JointIndex(index.0 + first_joint as u32);
        for joint in one.skeleton.joints() {
            let rest = if joint.parent.is_some() {
                joint.rest
            } else {
                let mirror = if node % 3 == 1 { -1.0 } else { 1.0 };
                Transform {
                    translation: Vector3::new((node % 6) as f64 * 1.3, 0.0, (node / 6) as f64 * -1.3),
                    scale: Vector3::new(0.3 * mirror, 0.3 + 0.01 * node as f64, 0.3),
                    ..joint.rest
                }
            };
            let weights = joint.morph_weights.start + first_morph_weight..joint.morph_weights.end + first_morph_weight;
            let node = first_joint + joint.node;
            joints.push(Joint { node, parent: joint.parent.map(moved), rest, morph_weights: weights, ..joint.clone() });
        }
        weights.extend(one.skeleton.rest_morph_weights().iter().map(|weight| weight * node as f32 / NODES as f32));
        let skin = one.skins.first().map(|skin| {
            let mut skin = skin.clone();
            skin.joints.iter_mut().for_each(|joint| *joint = moved(*joint));
            skins.push(skin);
            SkinIndex(node as u32)
        });
        let mesh = MeshIndex(if shared { 0 } else { node as u32 });
        mesh_nodes.push(MeshNode { joint: JointIndex(first_joint as u32), mesh, skin });
    }
    let mut model = one;
    model.meshes = vec![model.meshes[0].clone(); if shared { 1 } else { NODES }];
    for (number, mesh) in model.meshes.iter_mut().enumerate() {
        mesh.primitives[0].vertices_mut().unnormalized_weights = vec![(0, number as f32)];
    }
    (model.skeleton, model.skins) = (Skeleton::new(joints, weights), skins);
    model.scenes[SceneIndex(0).get()].mesh_nodes = mesh_nodes;
    model
}

/// A shot of `instances` of a model, from near enough to cut some nodes off.
fn shot(model: &Model, instances: usize) -> Shot<'_> {
    let mut shot = Shot::of_crowd(model, MatrixFormat::Mat3x4, instances);
    shot.camera = Camera::look_at([2.5, 1.4, 4.0].into(), [2.8, 0.5, -2.0].into(), 0.7);
    (shot.camera.near, shot.camera.far) = (0.1, 100.0);
    shot
}

#[test]
fn shared_meshes_draw_same_pixels_as_copies() {
    let material = |edit: &dyn Fn(&mut Material)| {
        let mut material = Tube::default().material;
        edit(&mut material);
        material
    };
    let tubes_of = [
        Tube { per_vertex: 0, ..Tube::default() },
        Tube { joints: 3, ..Tube::default() },
        Tube { per_vertex: 0, targets: 5, ..Tube::default() },
        Tube { joints: 2, targets: 2, ..Tube::default() },
        Tube { per_vertex: 0, material: material(&|material| material.double_sided = true), ..Tube::default() },
        Tube {
            per_vertex: 0,
            material: material(&|material| material.alpha_mode = AlphaMode::Mask { cutoff: 0.4 }),
            ..Tube::default()
        },
        Tube {
            per_vertex: 0,
            material: material(&|material| {
                (material.alpha_mode, material.double_sided) = (AlphaMode::Blend, true);
                material.base_color[3] = 0.5;
            }),
            ..Tube::default()
        },
        Tube {
            per_vertex: 0,
            material: material(&|material| (material.alpha_mode, material.base_color[3]) = (AlphaMode::Blend, 0.5)),
            ..Tube::default()
        },
        Tube {
            per_vertex: 0,
            material: material(&|material| material.transmission = Some(Transmission { factor: 0.8 })),
            ..Tube::default()
        },
    ];
    for (number, tube) in tubes_of.iter().enumerate() {
        let (shared, copied) = (tubes(tube, true), tubes(tube, false));
        for (instances, limit) in [(1, None), (3, None), (2, Some(64))] {
            let mut context = GlTestContext::with_palette_limit(limit);
            let [(image, calls), (expected, expected_calls)] = [&shared, &copied].map(|model| {
                let image = context.try_render(&shot(model, instances), 4).expect("a frame");
                (image, context.renderer.statistics().draw_calls)
            });
            assert!(image.count([0, 0, 0, 255]) < 160 * 120 * 9 / 10, "tube {number}: the image is empty");
            assert!(image == expected, "tube {number}, {instances} instances, {limit:?}");
            // Blended draws keep their order, in which few neighbors have the same mirroring.
            let shares = limit.is_none() && tube.material.alpha_mode != AlphaMode::Blend;
            assert!(calls < expected_calls / 2 || !shares, "tube {number}: {calls} of {expected_calls} calls");
        }
    }
}

#[test]
fn equal_meshes_of_two_materials_draw_same_pixels_as_unequal_ones() {
    for tube in [Tube { per_vertex: 0, ..Tube::default() }, Tube { joints: 3, targets: 2, ..Tube::default() }] {
        let mut unequal = tubes(&tube, false);
        unequal.materials.push(Material { base_color: [0.1, 0.9, 0.2, 1.0], ..tube.material.clone() });
        for mesh in unequal.meshes.iter_mut().step_by(2) {
            mesh.primitives[0].material = Some(MaterialIndex(1));
        }
        let mut equal = unequal.clone();
        equal.meshes.iter_mut().for_each(|mesh| mesh.primitives[0].vertices_mut().unnormalized_weights.clear());
        let mut context = GlTestContext::new();
        let [(image, calls), (expected, expected_calls)] = [&equal, &unequal].map(|model| {
            let image = context.image(&shot(model, 1));
            (image, context.renderer.statistics().draw_calls)
        });
        assert!(image == expected);
        // Two materials, each mirrored or not.
        assert!(calls == 4 && expected_calls > 8, "{calls} and {expected_calls} calls");
    }
}

#[test]
fn primitives_with_shared_vertices_draw_same_pixels_as_copies() {
    for tube in [Tube { per_vertex: 0, ..Tube::default() }, Tube { joints: 3, targets: 2, ..Tube::default() }] {
        let mut shared = tube.model();
        let whole = shared.meshes[0].primitives.remove(0);
        let triangles = whole.triangles();
        // Three parts of whole triangles.
        let parts = triangles.chunks(triangles.len() / 9 * 3);
        let part = |indices: &[u32]| Primitive { indices: Some(indices.into()), ..whole.clone() };
        shared.meshes[0].primitives = parts.map(part).collect();
        let mut copied = shared.clone();
        for primitive in &mut copied.meshes[0].primitives {
            primitive.vertices_mut();
            primitive.targets_mut();
        }
        let mut context = GlTestContext::new();
        let [image, expected] = [&shared, &copied].map(|model| context.image(&shot(model, 2)));
        assert!(image == expected);
    }
}

#[test]
fn shared_meshes_have_debug_views_of_their_own_nodes() {
    let tube = Tube { joints: 3, ..Tube::default() };
    let (shared, copied) = (tubes(&tube, true), tubes(&tube, false));
    let hidden: Vec<bool> = (0..NODES).map(|node| node % 4 == 2).collect();
    let mut context = GlTestContext::new();
    let mut seen = Vec::new();
    for mode in [ViewMode::Weights, ViewMode::DominantJoint, ViewMode::Normals, ViewMode::Wireframe, ViewMode::Stretch]
    {
        let images = [&shared, &copied].map(|model| {
            let mut shot = shot(model, 1);
            // The second joint of the third tube.
            let table = JointTable::new(model, &shot.layout, Some(JointIndex(3 * 4 - 2)));
            shot.look = DebugView { mode, joint_table: Some(&table), hidden_draws: &hidden, ..DebugView::default() };
            context.image(&shot)
        });
        assert!(images[0] == images[1], "{mode:?}");
        assert!(!seen.contains(&images[0]), "{mode:?}: equals another view");
        let [image, _] = images;
        seen.push(image);
    }
}

/// Small meshes of one material, of which each third is mirrored if `mirrored`.
fn small_tubes(material: Material, mirrored: bool) -> Model {
    let mut model = tubes(&Tube { per_vertex: 0, rings: 9, material, ..Tube::default() }, false);
    if !mirrored {
        let mut joints = model.skeleton.joints().to_vec();
        joints.iter_mut().for_each(|joint| joint.rest.scale.x = joint.rest.scale.x.abs());
        model.skeleton = Skeleton::new(joints, Vec::new());
    }
    model
}

#[test]
fn merged_meshes_draw_same_pixels_as_calls_of_their_own() {
    let materials = [
        Tube::default().material,
        Material { double_sided: true, ..Tube::default().material },
        Material { alpha_mode: AlphaMode::Mask { cutoff: 0.4 }, ..Tube::default().material },
    ];
    let hidden: Vec<bool> = (0..NODES).map(|node| node == 7 || node == 20).collect();
    for (material, mirrored) in materials.into_iter().flat_map(|material| [(material.clone(), false), (material, true)])
    {
        let model = small_tubes(material, mirrored);
        for (instances, hidden) in [(1, &[][..]), (3, &[]), (1, &hidden)] {
            for mode in [ViewMode::Material, ViewMode::DominantJoint, ViewMode::Wireframe] {
                let [(image, calls), (expected, expected_calls)] = [false, true].map(|separate_draw_calls| {
                    let options = RenderOptions { separate_draw_calls, ..RenderOptions::default() };
                    let mut context = GlTestContext::with(options);
                    let mut shot = shot(&model, instances);
                    let table = JointTable::new(&model, &shot.layout, None);
                    shot.look =
                        DebugView { mode, joint_table: Some(&table), hidden_draws: hidden, ..DebugView::default() };
                    let image = context.try_render(&shot, 4).expect("a frame");
                    (image, context.renderer.statistics().draw_calls)
                });
                assert!(image == expected, "{instances} instances, mirrored: {mirrored}, {mode:?}");
                let shares = !mirrored && (instances == 1 || mode != ViewMode::Wireframe);
                assert!(calls < expected_calls / 2 || !shares, "{calls} of {expected_calls} calls");
            }
        }
    }
}

#[test]
fn vertices_of_merged_meshes_are_read_back() {
    let model = small_tubes(Tube::default().material, true);
    let shot = shot(&model, 2);
    let (rig, mut context) = (shot.rig(), GlTestContext::new());
    let uploaded = context.renderer.upload(&model, &shot.layout).expect("a model");
    for (draw, instance) in [(0, 0), (7, 1), (NODES - 1, 1)] {
        let expected = skin_on_cpu(&rig, &shot.palette, BlockIndex(instance as u32), &shot.layout.draws[draw]);
        let read = context.renderer.skinning_readback(
            &uploaded,
            &shot.layout,
            &shot.palette,
            draw,
            BlockIndex(instance as u32),
            Skinning::Linear,
        );
        let read = read.expect("vertices");
        assert_eq!(read.mirrored, expected.mirrored);
        let close = |(a, b): (&[f32; 3], &[f32; 3])| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5);
        assert_eq!(read.positions.len(), expected.positions.len());
        assert!(read.positions.iter().zip(&expected.positions).all(close), "draw {draw}");
    }
}
