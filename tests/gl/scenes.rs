//! Crowds of several models in one frame.

use crate::context::{GlTestContext, Shot};
use crate::rigs::Tube;
use rigview::crowd::CrowdAnimator;
use rigview::math::{Aabb, Frustum};
use rigview::model::{AlphaMode, Material};
use rigview::palette::MatrixFormat;
use rigview::scene::layout::{PlaybackRules, grid};
use rigview::scene::{Camera, ViewMode};

#[test]
fn crowds_of_two_models_draw_independent_of_order() {
    let glass = Material { base_color: [0.2, 0.6, 0.9, 0.5], alpha_mode: AlphaMode::Blend, ..Tube::default().material };
    for (material, limit) in [(Tube::default().material, None), (glass, None), (Tube::default().material, Some(400))] {
        let slim = Tube { per_vertex: 2, joints: 4, scale: [0.7; 3], ..Tube::default() }.model();
        let other = Tube { per_vertex: 4, targets: 3, material, ..Tube::default() }.model();
        let first = Shot::of_crowd(&slim, MatrixFormat::QuatTranslationScale, 4);
        let mut second = Shot::of_crowd(&other, MatrixFormat::Mat3x4, 9);
        second.camera = first.camera;
        let mut limited = GlTestContext::with_palette_limit(limit);
        let both = limited.render_all(&[&first, &second]);
        assert!(both == limited.render_all(&[&second, &first]), "the order of crowds is visible");
        // One context at a time.
        drop(limited);
        let mut stage = GlTestContext::new();
        assert!(both == stage.render_all(&[&first, &second]), "palette pages are visible");
        assert!(both != stage.render_all(&[&first]) && both != stage.render_all(&[&second]));
    }
}

#[test]
fn debug_view_applies_to_first_crowd() {
    let mut stage = GlTestContext::new();
    let model = Tube::default().model();
    let other = Tube { joints: 12, bend: 0.1, ..Tube::default() }.model();
    let mut first = Shot::of_crowd(&model, MatrixFormat::Mat3x4, 1);
    let mut second = Shot::of_crowd(&other, MatrixFormat::Mat3x4, 4);
    second.camera = first.camera;
    let plain = stage.render_all(&[&first, &second]);
    for surface in [ViewMode::Weights, ViewMode::DominantJoint, ViewMode::Solid, ViewMode::Wireframe] {
        (first.look.mode, second.look.mode) = (surface, surface);
        assert!(plain != stage.render_all(&[&first, &second]), "{surface:?}");
    }
}

#[test]
fn culled_instances_change_no_pixel() {
    let model = Tube::default().model();
    for (eye, target) in [([0.0, 2.0, 0.0], [10.0, 2.0, 3.0]), ([12.0, 6.0, 12.0], [8.0, 0.0, 8.0])] {
        let mut shot = Shot::of_crowd(&model, MatrixFormat::Mat3x4, 200);
        shot.camera = Camera::look_at(eye.into(), target.into(), 0.6);
        (shot.camera.near, shot.camera.far) = (0.1, 60.0);
        let mut stage = GlTestContext::new();
        let whole = stage.image(&shot);
        let bounds = Aabb { min: [-1.5, 0.0, -1.5].into(), max: [1.5, 4.0, 3.0].into() };
        let mut crowd = PlaybackRules::for_clip(None).crowd(&grid(200, &bounds), &[], &model);
        let view = Frustum::new(&shot.camera.projection_from_world(160.0 / 120.0));
        let mut animator = CrowdAnimator::new(&shot.rig());
        assert!(animator.cull(&mut crowd, Some(&view)));
        animator.update_in_double_precision(&mut crowd, 0.0);
        shot.palette = animator.into_palette();
        let seen = shot.palette.instance_count();
        assert!((1..150).contains(&seen), "{seen} of 200 are left");
        assert!(whole.count([0, 0, 0, 255]) < 160 * 120 * 9 / 10, "nothing to be seen");
        assert!(stage.image(&shot) == whole, "an image of {seen} of 200");
    }
}
