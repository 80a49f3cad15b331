//! The vertex shader matches `palette::skin_on_cpu`.

use crate::context::{GlTestContext, Shot};
use crate::rigs::Tube;
use nalgebra::Vector3;
use rigview::math::Aabb;
use rigview::model::{Primitive, Vertices};
use rigview::palette::{BlockIndex, MatrixFormat, PosedVertices, Skinning, SkinningInputs, skin_on_cpu};
use rigview::render::Target;

/// Maximum differences of positions (relative to the model size), normals and tangents.
fn differences(a: &PosedVertices, b: &PosedVertices) -> [f64; 3] {
    let mut bounds = Aabb::EMPTY;
    a.positions.iter().for_each(|p| bounds.add(Vector3::from(*p).cast()));
    let farthest = |a: &[f32], b: &[f32]| {
        assert_eq!(a.len(), b.len());
        a.iter().zip(b).fold(0.0_f64, |most, (a, b)| {
            assert!(a.is_finite() && b.is_finite());
            most.max(f64::from((a - b).abs()))
        })
    };
    let flat = |list: &Option<Vec<[f32; 3]>>| list.clone().unwrap_or_default().concat();
    let flat4 = |list: &Option<Vec<[f32; 4]>>| list.clone().unwrap_or_default().concat();
    [
        farthest(&a.positions.concat(), &b.positions.concat()) / bounds.diagonal(),
        farthest(&flat(&a.normals), &flat(&b.normals)),
        farthest(&flat4(&a.tangents), &flat4(&b.tangents)),
    ]
}

fn check(tube: &Tube, packing: MatrixFormat, palette_limit: Option<usize>) {
    check_crowd(tube, packing, palette_limit, 3, Skinning::Linear);
}

fn check_crowd(tube: &Tube, packing: MatrixFormat, palette_limit: Option<usize>, count: usize, skinning: Skinning) {
    let mut stage = GlTestContext::with_palette_limit(palette_limit);
    let model = tube.model();
    let shot = Shot::of_crowd(&model, packing, count);
    let on_gpu = stage.renderer.upload(&model, &shot.layout).unwrap();
    let rig = shot.rig();
    for instance in 0..count {
        let read = stage.renderer.skinning_readback(
            &on_gpu,
            &shot.layout,
            &shot.palette,
            0,
            BlockIndex(instance as u32),
            skinning,
        );
        let theirs = read.unwrap();
        let inputs = SkinningInputs::new(&rig, &shot.layout.draws[0]).with_skinning(skinning);
        let ours = inputs.skin(&shot.palette, BlockIndex(instance as u32));
        assert_eq!((theirs.normals.is_some(), theirs.tangents.is_some()), (true, true));
        let [position, normal, tangent] = differences(&ours, &theirs);
        assert!(position <= 1e-6, "positions differ by {position:e} of the model's size");
        assert!(normal <= 1e-5 && tangent <= 1e-5, "normals differ by {normal:e}, tangents by {tangent:e}");
        assert_eq!(ours.mirrored, theirs.mirrored);
    }
}

#[test]
fn gpu_skinning_matches_cpu_for_influence_counts_and_matrix_formats() {
    for per_vertex in [0, 1, 2, 4, 8] {
        for packing in [MatrixFormat::Mat3x4, MatrixFormat::QuatTranslationScale] {
            check(&Tube { per_vertex, joints: 9, ..Tube::default() }, packing, None);
        }
    }
}

#[test]
fn gpu_dual_quaternions_and_rigid_binding_match_cpu() {
    for skinning in [Skinning::DualQuaternion, Skinning::Rigid] {
        for per_vertex in [0, 1, 2, 4, 8] {
            for (packing, scale) in
                [(MatrixFormat::Mat3x4, -2.0), (MatrixFormat::Mat3x4, 1e-3), (MatrixFormat::QuatTranslationScale, 1.0)]
            {
                let tube = Tube { per_vertex, joints: 9, scale: [scale; 3], bend: 0.9, ..Tube::default() };
                check_crowd(&tube, packing, None, 1, skinning);
            }
        }
    }
}

#[test]
fn joint_indices_above_255_are_supported() {
    check(&Tube { joints: 700, rings: 701, bend: 0.003, ..Tube::default() }, MatrixFormat::Mat3x4, None);
}

#[test]
fn gpu_morph_targets_apply_before_skinning() {
    for (per_vertex, targets) in [(0, 1), (0, 3), (4, 9), (8, 70)] {
        check(&Tube { per_vertex, targets, ..Tube::default() }, MatrixFormat::Mat3x4, None);
    }
}

#[test]
fn gpu_skinning_handles_mirrored_flat_and_non_uniform_scales() {
    for scale in [[-1.0, 1.0, 1.0], [-1.0, -1.0, -1.0], [1.0, 1.0, 0.0], [1e-3, 2e-3, 1e-3], [1e6, 1e6, -1e6]] {
        // Alone: far from the world's origin a small model has no room for its details.
        check_crowd(&Tube { scale, ..Tube::default() }, MatrixFormat::Mat3x4, None, 1, Skinning::Linear);
    }
    check(&Tube { joint_scale: [1.0, 1.1, 0.9], ..Tube::default() }, MatrixFormat::Mat3x4, None);
    check(&Tube { scale: [-2.0, -2.0, -2.0], ..Tube::default() }, MatrixFormat::QuatTranslationScale, None);
}

#[test]
fn paged_palettes_match_single_page() {
    // Three instances of 18 texels of matrices and 3 of weights: two a page, one a page, and an instance over two pages.
    for limit in [50, 25, 20] {
        check(&Tube { targets: 9, ..Tube::default() }, MatrixFormat::Mat3x4, Some(limit));
    }
}

#[test]
fn matrix_formats_render_nearly_equal_pixels() {
    let model = Tube::default().model();
    let mut stage = GlTestContext::new();
    let [rows, rotations] = [MatrixFormat::Mat3x4, MatrixFormat::QuatTranslationScale]
        .map(|format| stage.image(&Shot::of_crowd(&model, format, 7)));
    assert!(rows.count([0, 0, 0, 255]) < 160 * 120 - 200, "nothing to be seen");
    // They round differently.
    let differs = |(a, b): (&[u8], &[u8])| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > 2);
    let pairs = rows.rgba.chunks_exact(4).zip(rotations.rgba.chunks_exact(4));
    let count = pairs.filter(|pair| differs(*pair)).count();
    assert!(count <= 20, "{count} pixels differ");
}

#[test]
fn consecutive_frames_use_their_own_palettes() {
    let model = Tube::default().model();
    let shots: Vec<_> = (1..=6).map(|count| Shot::of_crowd(&model, MatrixFormat::Mat3x4, count)).collect();
    let alone: Vec<_> = shots.iter().map(|shot| GlTestContext::new().image(shot)).collect();
    let mut stage = GlTestContext::new();
    let gpu_model = stage.renderer.upload(&model, &shots[0].layout).unwrap();
    let mut targets: Vec<_> =
        shots.iter().map(|shot| Target::new(stage.headless.gpu(), shot.size.0, shot.size.1, 1).unwrap()).collect();
    for (shot, target) in shots.iter().zip(&mut targets) {
        stage.renderer.draw(&[&gpu_model], &shot.frame(), target).unwrap();
    }
    for (target, alone) in targets.iter_mut().zip(&alone) {
        assert!(target.read_rgba().unwrap() == alone.rgba);
    }
}

/// The primitive with shuffled vertex indices.
fn scattered(primitive: &Primitive) -> Primitive {
    let count = primitive.vertices.positions.len();
    let new = |old: usize| old * 7919 % count;
    let mut old = vec![usize::MAX; count];
    (0..count).for_each(|vertex| old[new(vertex)] = vertex);
    assert!(!old.contains(&usize::MAX), "each number once");
    fn taken<T: Copy>(items: &[T], old: &[usize]) -> Vec<T> {
        let width = items.len() / old.len();
        old.iter().flat_map(|&vertex| items[vertex * width..][..width].iter().copied()).collect()
    }
    let mut out = primitive.clone();
    let Vertices { positions, normals, tangents, tex_coords, colors, influences, unnormalized_weights, .. } =
        out.vertices_mut();
    assert!(tex_coords.is_empty() && colors.is_none() && unnormalized_weights.is_empty(), "nothing of these in a tube");
    *positions = taken(positions, &old);
    *normals = normals.as_ref().map(|normals| taken(normals, &old));
    *tangents = tangents.as_ref().map(|tangents| taken(tangents, &old));
    if let Some(influences) = influences {
        influences.slots = taken(&influences.slots, &old);
        influences.weights = taken(&influences.weights, &old);
    }
    for target in out.targets_mut() {
        for deltas in [&mut target.positions, &mut target.normals, &mut target.tangents].into_iter().flatten() {
            *deltas = taken(deltas, &old);
        }
    }
    out.indices = out.indices.map(|indices| indices.iter().map(|&index| new(index as usize) as u32).collect());
    out
}

#[test]
fn reordered_vertices_keep_indices_and_pixels() {
    // More vertices than are fetched at once, so that their order counts.
    let tube = Tube { rings: 1000, targets: 2, ..Tube::default() };
    let (in_order, mut scrambled) = (tube.model(), tube.model());
    let primitive = &mut scrambled.meshes[0].primitives[0];
    *primitive = scattered(primitive);
    let mut images = Vec::new();
    for model in [&in_order, &scrambled] {
        let mut stage = GlTestContext::new();
        let shot = Shot::of_crowd(model, MatrixFormat::Mat3x4, 2);
        let on_gpu = stage.renderer.upload(model, &shot.layout).unwrap();
        let theirs = stage
            .renderer
            .skinning_readback(&on_gpu, &shot.layout, &shot.palette, 0, BlockIndex(1), Skinning::Linear)
            .unwrap();
        let ours = skin_on_cpu(&shot.rig(), &shot.palette, BlockIndex(1), &shot.layout.draws[0]);
        let [position, normal, tangent] = differences(&ours, &theirs);
        assert!(position <= 1e-6 && normal <= 1e-5 && tangent <= 1e-5, "{position:e}, {normal:e}, {tangent:e}");
        images.push(stage.image(&shot));
    }
    assert!(images[0].count([0, 0, 0, 255]) < 160 * 120 - 200, "nothing to be seen");
    assert!(images[0].rgba == images[1].rgba);
}
