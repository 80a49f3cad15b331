//! Crowds of several models in one frame.

use crate::rigs::Tube;
use crate::stage::{Shot, Stage};
use rigview::model::{AlphaMode, Material};
use rigview::palette::Packing;
use rigview::scene::Surface;

#[test]
fn crowds_of_two_models_are_drawn_in_any_order_alike() {
    let glass =
        Material { base_colour: [0.2, 0.6, 0.9, 0.5], alpha_mode: AlphaMode::Blend, ..Tube::default().material };
    for (material, limit) in [(Tube::default().material, None), (glass, None), (Tube::default().material, Some(400))] {
        let slim = Tube { per_vertex: 2, joints: 4, scale: [0.7; 3], ..Tube::default() }.model();
        let other = Tube { per_vertex: 4, targets: 3, material, ..Tube::default() }.model();
        let first = Shot::of_crowd(&slim, Packing::Similarity, 4);
        let mut second = Shot::of_crowd(&other, Packing::Rows, 9);
        second.camera = first.camera;
        let mut limited = Stage::with_palette_limit(limit);
        let both = limited.picture_of_all(&[&first, &second]);
        assert!(both == limited.picture_of_all(&[&second, &first]), "the order of crowds shows");
        // One context at a time.
        drop(limited);
        let mut stage = Stage::new();
        assert!(both == stage.picture_of_all(&[&first, &second]), "how palettes are cut shows");
        assert!(both != stage.picture_of_all(&[&first]) && both != stage.picture_of_all(&[&second]));
    }
}

#[test]
fn a_look_is_about_the_first_crowd() {
    let mut stage = Stage::new();
    let model = Tube::default().model();
    let other = Tube { joints: 12, bend: 0.1, ..Tube::default() }.model();
    let mut first = Shot::of_crowd(&model, Packing::Rows, 1);
    let mut second = Shot::of_crowd(&other, Packing::Rows, 4);
    second.camera = first.camera;
    let plain = stage.picture_of_all(&[&first, &second]);
    for surface in [Surface::Weights, Surface::Dominant, Surface::Clay, Surface::Wires] {
        (first.look.surface, second.look.surface) = (surface, surface);
        assert!(plain != stage.picture_of_all(&[&first, &second]), "{surface:?}");
    }
}
