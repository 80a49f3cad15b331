//! Debug views: exact colors on rigs built in code.

use crate::context::{GlTestContext, RenderedImage, Shot, assert_close, posed};
use crate::rigs::{paint, square};
use nalgebra::Vector3;
use rigview::crowd::{Crowd, Instance};
use rigview::math::{Affine, Transform};
use rigview::model::{
    Clip, ClipIndex, Image, ImageIndex, Influences, Interpolation, Joint, JointIndex, KeyValues, Material, Model,
    Sampler, Skeleton, Skin, SkinIndex, SkinSlot, Texture, TextureIndex, TextureRef, TextureSlot, TextureTransform,
    Timeline, Track,
};
use rigview::palette::{MatrixFormat, Palette, Skinning};
use rigview::render::Target;
use rigview::scene::{
    Background, DebugView, GhostPose, Grid, JointTable, Overlay, ViewMode, diverging_color, influence_color,
    joint_color, weight_color, weight_paint_color,
};
use std::sync::Arc;

/// A square from -1 to 1 on two joints at the origin, with the second joint's weight per corner.
fn hung(second: [f32; 4]) -> Model {
    let mut model = square(Material::default(), Transform::identity());
    let joint = |node: usize| Joint {
        name: Some(format!("joint {node}")),
        node,
        parent: None,
        rest: Transform::identity(),
        exact_rest_matrix: None,
        morph_weights: 0..0,
    };
    model.skeleton = Skeleton::new((0..3).map(joint).collect(), Vec::new());
    let joints = vec![JointIndex(1), JointIndex(2)];
    model.skins = vec![Skin { name: None, joints, joint_from_mesh: [Affine::IDENTITY; 2].into() }];
    model.scenes[0].mesh_nodes[0].skin = Some(SkinIndex(0));
    model.meshes[0].primitives[0].vertices_mut().influences = Some(Influences {
        per_vertex: 2,
        slots: [SkinSlot(0), SkinSlot(1)].repeat(4),
        weights: second.iter().flat_map(|w| [1.0 - w, *w]).collect(),
    });
    model
}

fn looked_at(stage: &mut GlTestContext, model: &Model, surface: ViewMode, selected: Option<u32>) -> RenderedImage {
    let mut shot = Shot::flat(model);
    let table = JointTable::new(model, &shot.layout, selected.map(JointIndex));
    shot.look = DebugView { mode: surface, joint_table: Some(&table), ..DebugView::default() };
    stage.image(&shot)
}

fn shown(color: [f32; 3]) -> [u8; 4] {
    let [r, g, b] = color.map(|x| (x * 255.0).round() as u8);
    [r, g, b, 255]
}

#[test]
fn hidden_draws_are_left_out_and_highlighted_ones_are_tinted() {
    let mut context = GlTestContext::new();
    let model = square(Material::default(), Transform::identity());
    let mut image = |hidden_draws: &[bool], highlighted_draws: &[bool]| {
        let mut shot = Shot::flat(&model);
        shot.look = DebugView { hidden_draws, highlighted_draws, ..DebugView::default() };
        context.image(&shot).middle()
    };
    let plain = image(&[], &[]);
    assert_eq!(image(&[false], &[false]), plain);
    assert_eq!(image(&[true], &[]), [0, 0, 0, 255]);
    assert_eq!(image(&[true], &[true]), [0, 0, 0, 255], "a hidden draw has no highlight");
    let [r, g, b, _] = image(&[], &[true]);
    assert!(r > plain[0] || r == 255 && b < plain[2], "{plain:?} {:?}", [r, g, b]);
    assert!(g <= r && b < g, "the tint is orange: {:?}", [r, g, b]);
}

#[test]
fn weight_view_uses_color_ramp() {
    let mut stage = GlTestContext::new();
    for weight in [0.0, 0.125, 0.25, 0.5, 0.6, 0.75, 1.0] {
        let model = hung([weight; 4]);
        let of = |stage: &mut GlTestContext, joint| looked_at(stage, &model, ViewMode::Weights, Some(joint)).middle();
        assert_close(of(&mut stage, 2), shown(weight_color(weight)));
        assert_close(of(&mut stage, 1), shown(weight_color(1.0 - weight)));
        assert_close(of(&mut stage, 0), shown(weight_color(0.0)));
    }
    assert_eq!(looked_at(&mut stage, &hung([0.5; 4]), ViewMode::Weights, Some(2)).middle(), [0, 191, 0, 255]);
    for weight in [0.0, 0.1, 0.6] {
        let image = looked_at(&mut stage, &hung([weight; 4]), ViewMode::WeightPaint, Some(2));
        assert_close(image.middle(), shown(weight_paint_color(weight)));
    }
}

#[test]
fn weight_view_interpolates_between_vertices() {
    // From 0 on the left to 1 on the right.
    let image = looked_at(&mut GlTestContext::new(), &hung([0.0, 1.0, 1.0, 0.0]), ViewMode::Weights, Some(2));
    for x in 0..32 {
        assert_close(image.at(x, 7), shown(weight_color((x as f32 + 0.5) / 32.0)));
    }
}

#[test]
fn weight_view_of_rigid_mesh_has_full_weight() {
    let mut stage = GlTestContext::new();
    let model = square(Material::default(), Transform::identity());
    assert_eq!(looked_at(&mut stage, &model, ViewMode::Weights, Some(0)).middle(), shown([1.0, 0.0, 0.0]));
    assert_close(looked_at(&mut stage, &model, ViewMode::Weights, None).middle(), shown(weight_color(0.0)));
    assert_close(looked_at(&mut stage, &model, ViewMode::Influences, None).middle(), shown(influence_color(0)));
}

#[test]
fn influence_and_dominant_joint_views_color_vertex_regions() {
    let mut stage = GlTestContext::new();
    // The two corners on the left hang on the first joint alone.
    let model = hung([0.0, 0.7, 0.7, 0.0]);
    let influences = looked_at(&mut stage, &model, ViewMode::Influences, None);
    let dominant = looked_at(&mut stage, &model, ViewMode::DominantJoint, None);
    for (x, count, joint) in [(2, 1, 1), (29, 2, 2)] {
        assert_close(influences.at(x, 16), shown(influence_color(count)));
        assert_close(dominant.at(x, 16), shown(joint_color(JointIndex(joint))));
    }
    // Nothing between the two.
    let is_either = |p: &[u8]| {
        [1, 2].iter().any(|j| shown(joint_color(JointIndex(*j))).iter().zip(p).all(|(a, b)| a.abs_diff(*b) <= 1))
    };
    assert!(dominant.rgba.chunks_exact(4).all(is_either));
}

#[test]
fn weight_error_view_marks_unnormalized_weights() {
    let mut stage = GlTestContext::new();
    let mut model = hung([0.5; 4]);
    assert_close(looked_at(&mut stage, &model, ViewMode::WeightSum, None).middle(), shown(diverging_color(0.0)));
    for (sum, at) in [(1.25, 0.5), (0.0, -1.0), (2.0, 1.0)] {
        model.meshes[0].primitives[0].vertices_mut().unnormalized_weights =
            (0..4).map(|vertex| (vertex, sum)).collect();
        assert_close(looked_at(&mut stage, &model, ViewMode::WeightSum, None).middle(), shown(diverging_color(at)));
    }
}

#[test]
fn weight_symmetry_view_shows_the_uploaded_differences() {
    let mut stage = GlTestContext::new();
    let model = hung([0.5; 4]);
    assert_close(looked_at(&mut stage, &model, ViewMode::WeightSymmetry, None).middle(), shown(diverging_color(0.0)));
    for (difference, at) in [(0.125, 0.5), (1.0, 1.0), (-1.0, -1.0)] {
        let mut shot = Shot::flat(&model);
        shot.look = DebugView { mode: ViewMode::WeightSymmetry, ..DebugView::default() };
        let uploaded = stage.renderer.upload(&model, &shot.layout).unwrap();
        stage.renderer.upload_vertex_values(&uploaded, &[vec![difference; 4]]).unwrap();
        let mut target = Target::new(stage.headless.gpu(), shot.size.0, shot.size.1, 1).unwrap();
        stage.renderer.draw(&[&uploaded], &shot.frame(), &mut target).unwrap();
        let image = RenderedImage::new(shot.size.0, target.read_rgba().unwrap());
        assert_close(image.middle(), shown(diverging_color(at)));
    }
}

/// A clip with a constant scale of both joints and a constant translation of the second.
fn held(scale: f32, place: [f32; 3]) -> Clip {
    let track =
        |joint, keys| Track { joint: JointIndex(joint), timeline: 0.into(), interpolation: Interpolation::Step, keys };
    Clip {
        timelines: vec![Timeline::new([0.0])],
        tracks: vec![
            track(1, KeyValues::Scale([Vector3::repeat(scale)].into())),
            track(2, KeyValues::Scale([Vector3::repeat(scale)].into())),
            track(2, KeyValues::Translation([place.into()].into())),
        ],
        ..Clip::default()
    }
}

/// Poses the shot's instance, translated by `x` along X.
fn pose(shot: &Shot<'_>, clip: Option<&Clip>, x: f64) -> Palette {
    let place = Affine::from_translation(Vector3::new(x, 0.0, 0.0));
    let mut model = shot.model.clone();
    let index = clip.map(|_| ClipIndex(model.clips.len() as u32));
    model.clips.extend(clip.cloned());
    let mut crowd = Crowd::new([Instance::new(place, index, 0.0)]);
    posed(&model, &shot.layout, MatrixFormat::Mat3x4, &mut crowd, 0.0)
}

#[test]
fn stretch_view_shows_log2_of_edge_ratio() {
    let mut stage = GlTestContext::new();
    let mut model = hung([0.5; 4]);
    // A file in centimeters under a joint that makes meters of them is not stretched by that.
    for unit in [1.0, 100.0] {
        for position in &mut model.meshes[0].primitives[0].vertices_mut().positions {
            *position = position.map(|x| x.signum() * unit * (x != 0.0) as i32 as f32);
        }
        model.skins[0].joint_from_mesh =
            [Affine { linear: nalgebra::Matrix3::identity() / f64::from(unit), translation: Vector3::zeros() }; 2]
                .into();
        for (scale, at) in [(1.0, 0.0), (2.0, 1.0), (0.5, -1.0), (1.189_207_1, 0.25)] {
            let mut shot = Shot::flat(&model);
            shot.palette = pose(&shot, Some(&held(scale, [0.0; 3])), 0.0);
            let table = JointTable::new(&model, &shot.layout, None);
            shot.look = DebugView { mode: ViewMode::Stretch, joint_table: Some(&table), ..DebugView::default() };
            assert_close(stage.image(&shot).middle(), shown(diverging_color(at)));
        }
    }
}

#[test]
fn rigid_skinning_uses_dominant_joint() {
    let mut stage = GlTestContext::new();
    let model = hung([0.6; 4]);
    let mut shot = Shot::flat(&model).before(Background::Transparent);
    shot.palette = pose(&shot, Some(&held(1.0, [1.0, 0.0, 0.0])), 0.0);
    shot.look.mode = ViewMode::Solid;
    let covered = |image: RenderedImage| image.rgba.chunks_exact(4).filter(|p| p[3] > 0).count();
    // Blended, the square moves by six tenths; on its strongest joint by all of it.
    assert_eq!(covered(stage.image(&shot)), 32 * 22);
    for surface in [ViewMode::Solid, ViewMode::Material] {
        shot.look = DebugView { mode: surface, skinning: Skinning::Rigid, ..DebugView::default() };
        assert_eq!(covered(stage.image(&shot)), 32 * 16);
    }
}

#[test]
fn normal_facing_depth_and_vertex_color_views_show_exact_values() {
    let mut stage = GlTestContext::new();
    let mut model = square(paint([1.0; 4]), Transform::identity());
    let of = |stage: &mut GlTestContext, model: &Model, surface| looked_at(stage, model, surface, None).middle();
    assert_close(of(&mut stage, &model, ViewMode::Normals), [128, 128, 255, 255]);
    assert_close(of(&mut stage, &model, ViewMode::FaceOrientation), shown([0.25, 0.42, 0.9]));
    let normals = model.meshes[0].primitives[0].vertices_mut().normals.take();
    assert_close(of(&mut stage, &model, ViewMode::Normals), [128, 128, 255, 255]);
    model.meshes[0].primitives[0].vertices_mut().normals = normals;
    // The square lies in the middle of the view's depth.
    assert_close(of(&mut stage, &model, ViewMode::Depth), shown([1.0 - 0.46; 3]));
    let primitive = &mut model.meshes[0].primitives[0];
    primitive.vertices_mut().tangents = Some(vec![[1.0, 0.0, 0.0, 1.0]; 4]);
    primitive.vertices_mut().colors = Some(vec![[0.2140, 0.0, 1.0, 0.3]; 4]);
    assert_close(of(&mut stage, &model, ViewMode::Tangents), [255, 128, 128, 255]);
    assert_close(of(&mut stage, &model, ViewMode::VertexColors), [127, 0, 255, 255]);
    Arc::make_mut(model.meshes[0].primitives[0].indices.as_mut().unwrap()).reverse();
    assert_close(of(&mut stage, &model, ViewMode::FaceOrientation), shown([0.9, 0.24, 0.2]));
    let mirrored = Transform { scale: Vector3::new(-1.0, 1.0, 1.0), ..Transform::identity() };
    let model = square(paint([1.0; 4]), mirrored);
    assert_close(of(&mut stage, &model, ViewMode::FaceOrientation), shown([0.25, 0.42, 0.9]));
}

#[test]
fn uv_view_shows_checker_or_missing_pattern() {
    let mut stage = GlTestContext::new();
    let mut model = square(paint([1.0; 4]), Transform::identity());
    let image = looked_at(&mut stage, &model, ViewMode::Uv, None);
    // The upper left has U and V 0, the fields are four pixels wide.
    let field = |u: f32, v: f32| [0.25 + 0.70 * (u + 0.5) / 8.0, 0.25 + 0.70 * (v + 0.5) / 8.0, 0.55];
    assert_close(image.at(1, 1), shown(field(0.0, 0.0)));
    assert_close(image.at(30, 30), shown(field(7.0, 7.0)));
    assert_close(image.at(6, 1), shown(field(1.0, 0.0).map(|x| x * 0.62)));
    model.meshes[0].primitives[0].vertices_mut().tex_coords.clear();
    for surface in [ViewMode::Uv, ViewMode::Tangents, ViewMode::VertexColors] {
        let image = looked_at(&mut stage, &model, surface, None);
        let stripes = [shown([0.40; 3]), shown([0.46; 3])];
        let is_stripe = |p: &[u8]| stripes.iter().any(|s| s.iter().zip(p).all(|(a, b)| a.abs_diff(*b) <= 1));
        assert!(image.rgba.chunks_exact(4).all(is_stripe), "{surface:?}");
    }
}

#[test]
fn texel_density_is_that_of_the_base_color_texture_in_the_world() {
    let mut stage = GlTestContext::new();
    // The square of 2 m has the whole texture, so 32 texels per meter.
    let mut model = square(paint([1.0; 4]), Transform::identity());
    let image = Image { width: 64, height: 64, rgba: vec![255; 4 * 64 * 64], ..Image::default() };
    (model.images, model.textures) =
        (vec![image.into()], vec![Texture { name: None, image: Some(ImageIndex(0)), sampler: Sampler::default() }]);
    let set_texture = |model: &mut Model, tex_coord, scale| {
        let transform = TextureTransform { scale, rotation: 0.5, ..TextureTransform::default() };
        let texture = TextureRef { texture: TextureIndex(0), tex_coord, transform };
        model.materials[0].textures = [(TextureSlot::BaseColor, texture)].into();
    };
    let mut color = |model: &Model, target: u32| {
        let mut shot = Shot::flat(model);
        let mode = ViewMode::TexelDensity;
        shot.look = DebugView { mode, texels_per_meter: Some(target), ..DebugView::default() };
        stage.image(&shot).middle()
    };
    set_texture(&mut model, 0, [1.0; 2]);
    for (target, octaves) in [(32, 0.0), (16, 1.0), (64, -1.0), (24, (32.0_f32 / 24.0).log2()), (1, 1.0), (9999, -1.0)]
    {
        assert_close(color(&model, target), shown(diverging_color(octaves)));
    }
    // The transform of the texture.
    set_texture(&mut model, 0, [4.0, -1.0]);
    assert_close(color(&model, 64), shown(diverging_color(0.0)));
    // Other texture coordinates.
    model.meshes[0].primitives[0].vertices_mut().tex_coords.push(vec![[0.0, 0.5], [0.5, 0.5], [0.5, 0.0], [0.0, 0.0]]);
    set_texture(&mut model, 1, [1.0; 2]);
    assert_close(color(&model, 16), shown(diverging_color(0.0)));
    // The scale of the node.
    model.skeleton =
        square(paint([1.0; 4]), Transform { scale: Vector3::repeat(0.5), ..Transform::identity() }).skeleton;
    assert_close(color(&model, 32), shown(diverging_color(0.0)));
    // Without the texture, or without its coordinates.
    let stripes = [shown([0.40; 3]), shown([0.46; 3])];
    set_texture(&mut model, 2, [1.0; 2]);
    assert!(stripes.contains(&color(&model, 32)));
    model.materials[0].textures = Default::default();
    assert!(stripes.contains(&color(&model, 32)));
}

#[test]
fn wireframe_follows_triangle_edges() {
    let mut stage = GlTestContext::new();
    let model = square(paint([0.0, 0.0, 0.0, 1.0]), Transform::identity());
    let mut shot = Shot::flat(&model).before(Background::Color([0.0; 3]));
    let bright = |image: &RenderedImage, x, y| image.at(x, y)[0] > 60;
    for look in [
        DebugView { wireframe: true, ..DebugView::default() },
        DebugView { mode: ViewMode::Wireframe, ..DebugView::default() },
    ] {
        shot.look = look;
        let image = stage.image(&shot);
        // Along the diagonal from the lower left to the upper right, and the outline.
        for i in 1..31 {
            assert!(bright(&image, i, 31 - i) && bright(&image, i, 0) && bright(&image, 31, i), "{i}");
        }
        assert_eq!((image.at(8, 12), image.at(24, 20)), ([0, 0, 0, 255], [0, 0, 0, 255]));
    }
}

#[test]
fn every_view_mode_draws_every_rig_kind() {
    let mut stage = GlTestContext::new();
    let rigid = crate::rigs::Tube { per_vertex: 0, ..Default::default() }.model();
    let skinned = crate::rigs::Tube { per_vertex: 8, targets: 5, ..Default::default() }.model();
    let mut points = rigid.clone();
    points.meshes[0].primitives[0].topology = rigview::model::Topology::Points;
    for model in [&rigid, &skinned, &points] {
        let mut images = Vec::new();
        for surface in ViewMode::ALL {
            let mut shot = Shot::of_crowd(model, MatrixFormat::Mat3x4, 3);
            let table = JointTable::new(model, &shot.layout, Some(JointIndex(2)));
            shot.look = DebugView { mode: surface, joint_table: Some(&table), wireframe: true, ..DebugView::default() };
            let image = stage.image(&shot);
            assert!(image.rgba.chunks_exact(4).any(|p| p[..3] != [0; 3]), "{surface:?} shows nothing");
            images.push(image);
        }
        // What the file lacks looks alike, and what is as it should be.
        let mut distinct: Vec<&Vec<u8>> = images.iter().map(|image| &image.rgba).collect();
        distinct.sort();
        distinct.dedup();
        assert!(distinct.len() >= 9, "{} of {} looks differ", distinct.len(), images.len());
    }
}

#[test]
fn depth_tested_lines_are_occluded_and_on_top_lines_are_not() {
    let mut stage = GlTestContext::new();
    let model = square(paint([0.0, 0.0, 0.0, 1.0]), Transform::identity());
    let red = [1.0, 0.0, 0.0, 1.0];
    for (z, on_top, expected) in [(1.0, false, 255), (-1.0, false, 0), (-1.0, true, 255), (1.0, true, 255)] {
        let mut overlay = Overlay::default();
        let marks = if on_top { &mut overlay.always_on_top } else { &mut overlay.depth_tested };
        marks.line(Vector3::new(-2.0, 0.0, z), Vector3::new(2.0, 0.0, z), red, 4.0);
        marks.triangle([[-1.0, 0.5, z], [1.0, 0.5, z], [0.0, 1.0, z]].map(Vector3::from), [1.0, 0.0, 0.0]);
        let mut shot = Shot::flat(&model);
        shot.look.overlay = Some(&overlay);
        let image = stage.image(&shot);
        // The line covers the two rows above and below the middle, and no more; the face reaches higher.
        assert_eq!([15, 16, 19, 4].map(|y| image.at(16, y)[0]), [expected, expected, 0, expected], "{z}, {on_top}");
    }
}

#[test]
fn lines_crossing_near_plane_are_clipped() {
    let mut stage = GlTestContext::new();
    let model = Model { scenes: vec![Default::default()], ..Model::default() };
    let mut overlay = Overlay::default();
    overlay.depth_tested.line(Vector3::new(0.0, 0.0, 50.0), Vector3::new(0.0, 0.0, -3.0), [1.0; 4], 4.0);
    overlay.depth_tested.line(Vector3::new(5.0, 0.0, 50.0), Vector3::new(5.0, 1.0, 30.0), [1.0; 4], 4.0);
    let mut shot = Shot::flat(&model).before(Background::Transparent);
    shot.camera = rigview::scene::Camera::look_at(Vector3::new(0.0, 1.0, 10.0), Vector3::zeros(), 1.0);
    shot.camera.far = 100.0;
    shot.look.overlay = Some(&overlay);
    let image = stage.image(&shot);
    let seen = image.rgba.chunks_exact(4).filter(|p| p[3] > 128).count();
    assert!((20..300).contains(&seen), "{seen} pixels");
    assert!(image.at(16, 28)[3] > 128 && image.at(2, 2)[3] == 0);
}

#[test]
fn ghosts_use_own_poses_and_are_translucent() {
    let mut stage = GlTestContext::new();
    let model = square(paint([1.0, 1.0, 1.0, 1.0]), Transform::identity());
    let mut shot = Shot::flat(&model).before(Background::Color([0.0; 3]));
    shot.palette = pose(&shot, None, 1.0);
    let other = pose(&shot, None, -1.0);
    let ghosts = [GhostPose { palette: &other, color: None }];
    shot.look.ghosts = &ghosts;
    assert_eq!(stage.image(&shot).count([255; 4]), 32 * 32);
    let ghosts = [GhostPose { palette: &other, color: Some([1.0, 0.0, 0.0, 0.8]) }];
    shot.look.ghosts = &ghosts;
    let image = stage.image(&shot);
    assert_eq!(image.at(24, 16), [255; 4]);
    let [r, g, b, _] = image.at(8, 16);
    assert!(r > 60 && r < 250 && g == 0 && b == 0, "{r}, {g}, {b}");
}

#[test]
fn grid_has_axes_and_fades_with_distance() {
    let mut stage = GlTestContext::new();
    let model = Model { scenes: vec![Default::default()], ..Model::default() };
    let grid = Grid { center: [0.0; 3], radius: 8.0, cell_size: 1.0, cells_per_major: 10 };
    let overlay = Overlay { grid: Some(grid), ..Overlay::default() };
    let mut shot = Shot::flat(&model).before(Background::Color([1.0; 3]));
    shot.camera = rigview::scene::Camera::look_at(Vector3::new(0.0, 20.0, 0.0), Vector3::zeros(), 1.0);
    shot.camera.far = 100.0;
    (shot.size, shot.look.overlay) = ((320, 320), Some(&overlay));
    let image = stage.image(&shot);
    let row = |y: u32, is: fn([u8; 4]) -> bool| (0..320).filter(|x| is(image.at(*x, y))).count();
    assert!(row(160, |[r, _, b, _]| r > b.saturating_add(60)) > 60, "the X axis is red and runs to the right");
    assert!(
        (0..320)
            .filter(|y| {
                let [r, _, b, _] = image.at(160, *y);
                b > r.saturating_add(60)
            })
            .count()
            > 60
    );
    assert_eq!(image.at(2, 2), [255; 4]);
}

#[test]
fn volume_view_compares_the_blend_with_its_joints() {
    let mut stage = GlTestContext::new();
    let model = hung([0.6; 4]);
    for (scale, of_blend, of_joints) in [(1.0, 1.0, 1.0), (2.0, 1.6_f32.powi(3), 0.6 * 8.0 + 0.4)] {
        let (mut shot, mut clip) = (Shot::flat(&model), held(scale, [0.0; 3]));
        // Only the joint of weight 0.6 is scaled.
        clip.tracks.remove(0);
        shot.palette = pose(&shot, Some(&clip), 0.0);
        for skinning in [Skinning::Linear, Skinning::DualQuaternion] {
            shot.look = DebugView { mode: ViewMode::Volume, skinning, ..DebugView::default() };
            assert_close(stage.image(&shot).middle(), shown(diverging_color(f32::log2(of_blend / of_joints))));
        }
    }
}
