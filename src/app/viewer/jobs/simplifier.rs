//! Simplifies the meshes of a crowd on a background thread.

use super::event::{EventSink, UserEvent};
use crate::app::scene::{LoadedScene, simplify};
use rigview_core::palette::Rig;
use rigview_render::render::ModelLevels;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// A running simplification.
pub(crate) struct Simplifier {
    result: Receiver<Vec<ModelLevels>>,
}

impl Simplifier {
    /// Starts to simplify all models of `scene`.
    pub(crate) fn start(scene: &LoadedScene, sink: EventSink) -> Self {
        let (sender, result) = channel();
        let rigs: Vec<Rig> = scene.models().map(|scene| scene.rig().clone()).collect();
        std::thread::spawn(move || {
            let levels = rigs.iter().map(simplify).collect();
            // Sending fails only if the document was closed.
            if sender.send(levels).is_ok() {
                sink(UserEvent::Repaint);
            }
        });
        Self { result }
    }

    /// Returns the levels of detail of each model, once.
    pub(crate) fn wait(&self, max_wait: Duration) -> Option<Vec<ModelLevels>> {
        self.result.recv_timeout(max_wait).ok()
    }
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
        let simplifier = Simplifier::start(&scene, sink);
        assert!(matches!(events.recv(), Ok(UserEvent::Repaint)));
        assert_eq!(simplifier.wait(Duration::ZERO).unwrap().len(), 1);
        assert!(simplifier.wait(Duration::ZERO).is_none(), "returned once");
    }
}
