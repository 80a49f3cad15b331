//! Simplifies the meshes of a crowd on a background thread.

use super::event::{EventSink, UserEvent};
use crate::app::scene::LoadedScene;
use rigview_core::palette::Rig;
use rigview_render::render::ModelLevels;
use std::sync::mpsc::{Receiver, channel};

/// Starts to simplify all models of `scene`. The receiver gets the levels of detail of each model, once.
pub(crate) fn start(scene: &LoadedScene, sink: EventSink) -> Receiver<Vec<ModelLevels>> {
    let (sender, result) = channel();
    let rigs: Vec<Rig> = scene.models().map(|scene| scene.rig().clone()).collect();
    std::thread::spawn(move || {
        let levels = rigs.iter().map(|rig| ModelLevels::new(rig.model(), rig.layout())).collect();
        // Sending fails only if the document was closed.
        if sender.send(levels).is_ok() {
            sink(UserEvent::Repaint);
        }
    });
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::scene::tests::shipped_scene;
    use crate::request::SceneRequest;
    use std::sync::Arc;

    #[test]
    fn finished_levels_request_a_repaint() {
        let (sender, events) = channel();
        let sink: EventSink = Arc::new(move |event| sender.send(event).is_ok());
        let scene = shipped_scene("hare.glb", &SceneRequest::default());
        let levels = start(&scene, sink);
        assert!(matches!(events.recv(), Ok(UserEvent::Repaint)));
        assert_eq!(levels.try_recv().unwrap().len(), 1);
        assert!(levels.try_recv().is_err(), "returned once");
    }
}
