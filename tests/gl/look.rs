//! Pictures to look at.

use crate::rigs::Tube;
use crate::stage::{Shot, Stage};
use rigview::palette::Packing;
use rigview::scene::Background;

#[test]
fn look() {
    let mut stage = Stage::new();
    let model = Tube { targets: 0, ..Tube::default() }.model();
    for (name, count, bg) in
        [("one", 1, Background::Studio), ("nine", 9, Background::Studio), ("t", 1, Background::Transparent)]
    {
        let mut shot = Shot::new(&model, Packing::Rows, count);
        shot.background = bg;
        let rgba = stage.picture(&shot, (800, 600), 4);
        image::save_buffer(format!("/tmp/look-{name}.png"), &rgba, 800, 600, image::ColorType::Rgba8).unwrap();
    }
    eprintln!("{:?}", stage.headless.gpu());
    eprintln!("{:?}", stage.headless.gpu().limits());
    assert_eq!(stage.renderer.block_differences().unwrap(), Vec::<String>::new());
}
