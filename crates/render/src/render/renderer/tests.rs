use super::*;
use crate::platform::headless::Headless;
use crate::render::test_scene::{self, TestScene};

/// The scene with the view mode `Solid`.
fn solid<'a>(frame: &Frame<'a>) -> Frame<'a> {
    Frame { debug_view: DebugView { mode: ViewMode::Solid, ..DebugView::default() }, ..*frame }
}

#[test]
fn frames_are_solid_while_programs_compile() {
    let rig = test_scene::rig();
    let mut scene = TestScene::new(&rig, None, &[0.0]);
    (scene.lighting.lights, scene.lighting.sun_shadow) = (Vec::new(), None);
    let frame = scene.frame(1.0);
    let headless = Headless::new().unwrap();
    let mut target = Target::new(headless.gpu(), 64, 64, 1).unwrap();
    let mut image_of = |renderer: &mut Renderer, frame: &Frame<'_>| {
        let gpu_model = renderer.upload(rig.model(), rig.layout()).unwrap();
        renderer.draw(&[&gpu_model], frame, &mut target).unwrap();
        target.read_rgba().unwrap()
    };
    let mut waiting = Renderer::new(headless.gpu(), RenderOptions::default()).unwrap();
    let expected = image_of(&mut waiting, &frame);
    assert!(!waiting.is_compiling());
    let solid = image_of(&mut waiting, &solid(&frame));
    assert!(solid != expected);

    let mut renderer = Renderer::new(headless.gpu(), RenderOptions::default()).unwrap();
    renderer.draw_while_compiling();
    headless.gpu().incomplete_queries.set(3);
    for _ in 0..3 {
        assert!(image_of(&mut renderer, &frame) == solid && renderer.is_compiling());
    }
    assert!(image_of(&mut renderer, &frame) == expected && !renderer.is_compiling());
}

#[test]
fn programs_compile_in_steps_of_one_while_the_image_stays() {
    let rig = test_scene::rig();
    let scene = TestScene::new(&rig, None, &[0.0]);
    let frame = scene.frame(1.0);
    let headless = Headless::new().unwrap();
    let mut target = Target::new(headless.gpu(), 64, 64, 4).unwrap();
    let mut renderer = Renderer::new(headless.gpu(), RenderOptions::default()).unwrap();
    let gpu_model = renderer.upload(rig.model(), rig.layout()).unwrap();
    renderer.draw(&[&gpu_model], &solid(&frame), &mut target).unwrap();
    let former = target.read_rgba().unwrap();
    let mut waiting = Renderer::new(headless.gpu(), RenderOptions::default()).unwrap();
    let waiting_model = waiting.upload(rig.model(), rig.layout()).unwrap();
    let mut waiting_target = Target::new(headless.gpu(), 64, 64, 4).unwrap();
    waiting.draw(&[&waiting_model], &frame, &mut waiting_target).unwrap();

    renderer.step_time = Some(Duration::ZERO);
    let counts = |renderer: &Renderer| {
        let draws = renderer.warm_up.as_ref().map_or(0, |(_, warm_up)| warm_up.finished());
        [renderer.shaders.program_count() as u32, draws]
    };
    let (mut steps, mut last) = (0, counts(&renderer));
    loop {
        renderer.draw(&[&gpu_model], &frame, &mut target).unwrap();
        if !renderer.has_skipped_frame() {
            break;
        }
        steps += 1;
        assert!(target.read_rgba().unwrap() == former, "step {steps} changes the image");
        if renderer.warm_up.is_some() {
            let now = counts(&renderer);
            assert!(now[0] + now[1] <= last[0] + last[1] + 1, "step {steps} compiles more than one: {last:?}, {now:?}");
            last = now;
        }
    }
    assert!(steps > 8, "{steps} steps for the passes of the frame");
    assert!(target.read_rgba().unwrap() == waiting_target.read_rgba().unwrap(), "another image");
    renderer.draw(&[&gpu_model], &frame, &mut target).unwrap();
    assert!(!renderer.has_skipped_frame(), "compiled once");
}
