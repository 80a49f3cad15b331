//! View mode and viewport overlays.

use crate::request::{DebugViewRequest, GhostsRequest, OverlayRequest, Quality, ViewModeRequest};
use rigview_core::model::{JointIndex, Model};
use rigview_core::palette::Skinning;
use rigview_render::scene::ViewMode;

/// An overlay that is on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ViewportOverlay {
    /// Each vertex follows only its dominant joint.
    RigidBinding,
    DualQuaternions,
    Wireframe,
    Skeleton,
    /// Joint axes.
    Axes,
    /// Over the whole clip.
    BoundingBox,
    Grid,
    /// A person and a ruler beside the model.
    ScaleFigure,
    /// The skeleton of a retargeted clip, beside the model.
    MotionSource,
    /// Poses before and after (onion skin).
    Ghosts,
    /// Of the selected joint.
    MotionPath,
    /// Next to the animated model.
    RestPose,
}

impl ViewportOverlay {
    const COUNT: usize = Self::RestPose as usize + 1;

    /// Those of the command line. The user interface shows a legend.
    const REQUESTS: [(Self, OverlayRequest); 8] = [
        (Self::Skeleton, OverlayRequest::Skeleton),
        (Self::Axes, OverlayRequest::Axes),
        (Self::Wireframe, OverlayRequest::Wireframe),
        (Self::BoundingBox, OverlayRequest::Bounds),
        (Self::Grid, OverlayRequest::Grid),
        (Self::ScaleFigure, OverlayRequest::ScaleFigure),
        (Self::MotionSource, OverlayRequest::MotionSource),
        (Self::RestPose, OverlayRequest::RestPose),
    ];
}

/// View mode and overlays. They persist across files and selections.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ViewOptions {
    pub(crate) view_mode: ViewMode,
    /// By [`ViewportOverlay`].
    enabled: [bool; ViewportOverlay::COUNT],
    /// Count and spacing of the ghosts.
    pub(crate) ghosts: GhostsRequest,
    /// Draws distant instances of crowds with fewer triangles.
    pub(crate) level_of_detail: bool,
    /// Quality while nothing moves.
    pub(crate) quality: Quality,
}

impl Default for ViewOptions {
    fn default() -> Self {
        Self {
            view_mode: ViewMode::Material,
            enabled: [false; ViewportOverlay::COUNT],
            ghosts: GhostsRequest { count: 3, spacing_secs: 0.1 },
            level_of_detail: true,
            quality: Quality::Standard,
        }
    }
}

impl ViewOptions {
    /// The view options of the command line.
    pub(crate) fn from_request(request: &DebugViewRequest, level_of_detail: bool, quality: Quality) -> Self {
        let mut view_options = Self { level_of_detail, quality, ..Self::default() };
        if let Some(mode) = &request.view_mode {
            view_options.view_mode = mode.view_mode;
        }
        for (on, overlay) in [
            (request.skinning == Some(Skinning::Rigid), ViewportOverlay::RigidBinding),
            (request.skinning == Some(Skinning::DualQuaternion), ViewportOverlay::DualQuaternions),
            (request.joint.is_some(), ViewportOverlay::Skeleton),
            (request.ghosts.is_some(), ViewportOverlay::Ghosts),
            (!request.motion_paths.is_empty(), ViewportOverlay::MotionPath),
        ] {
            view_options.enabled[overlay as usize] = on;
        }
        for (overlay, requested) in ViewportOverlay::REQUESTS {
            view_options.enabled[overlay as usize] |= request.has(requested);
        }
        view_options.ghosts = request.ghosts.unwrap_or(view_options.ghosts);
        view_options
    }

    /// Returns `true` if the overlay is enabled.
    pub(crate) fn has(&self, overlay: ViewportOverlay) -> bool {
        self.enabled[overlay as usize]
    }

    /// Returns `true` if the tint of the selection does not falsify the colors of the view mode.
    pub(crate) fn shows_highlight(&self) -> bool {
        matches!(self.view_mode, ViewMode::Material | ViewMode::Solid)
    }

    pub(crate) fn toggle_quality(&mut self) {
        self.quality = if self.quality == Quality::High { Quality::Standard } else { Quality::High };
    }

    pub(crate) fn toggle(&mut self, overlay: ViewportOverlay) {
        self.enabled[overlay as usize] ^= true;
        // There is one method of skinning.
        let other = match overlay {
            ViewportOverlay::RigidBinding => ViewportOverlay::DualQuaternions,
            ViewportOverlay::DualQuaternions => ViewportOverlay::RigidBinding,
            _ => return,
        };
        self.enabled[other as usize] &= !self.enabled[overlay as usize];
    }

    /// Sets the view mode; the current mode toggles back to materials.
    pub(crate) fn toggle_view_mode(&mut self, view_mode: ViewMode) {
        self.view_mode = if self.view_mode == view_mode { ViewMode::Material } else { view_mode };
    }

    /// The request for the renderer with `joint` selected. Modes and overlays that need a joint are omitted without one.
    pub(crate) fn request(&self, model: &Model, joint: Option<JointIndex>) -> DebugViewRequest {
        let joint = joint.map(|joint| model.skeleton.unambiguous_name(joint));
        let view_mode =
            if self.view_mode.needs_joint() && joint.is_none() { ViewMode::Material } else { self.view_mode };
        let mode = (view_mode != ViewMode::Material)
            .then(|| ViewModeRequest { joint: joint.clone().filter(|_| view_mode.needs_joint()), view_mode });
        let bones = self.has(ViewportOverlay::Skeleton) || self.has(ViewportOverlay::Axes);
        DebugViewRequest {
            view_mode: mode,
            skinning: match (self.has(ViewportOverlay::RigidBinding), self.has(ViewportOverlay::DualQuaternions)) {
                (true, _) => Some(Skinning::Rigid),
                (false, true) => Some(Skinning::DualQuaternion),
                (false, false) => None,
            },
            overlays: ViewportOverlay::REQUESTS
                .into_iter()
                .filter(|(own, _)| self.has(*own))
                .map(|(_, overlay)| overlay)
                .collect(),
            joint: joint.clone().filter(|_| bones),
            ghosts: self.has(ViewportOverlay::Ghosts).then_some(self.ghosts),
            motion_paths: if self.has(ViewportOverlay::MotionPath) { joint.into_iter().collect() } else { Vec::new() },
            // Hidden and highlighted parts belong to the document.
            hide: Vec::new(),
            isolate: None,
            highlight: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_core::math::Transform;
    use rigview_core::model::{Joint, Skeleton};

    fn model() -> Model {
        let joint = |(node, name): (usize, Option<&str>)| Joint {
            name: name.map(str::to_owned),
            node,
            parent: None,
            rest: Transform::identity(),
            exact_rest_matrix: None,
            morph_weights: 0..0,
        };
        let joints = [(4, Some("tail")), (7, Some("tail")), (9, None)].map(joint);
        Model { skeleton: Skeleton::new(joints.into(), Vec::new()), ..Model::default() }
    }

    #[test]
    fn modes_that_need_a_joint_are_omitted_without_one() {
        let (model, mut view_options) = (model(), ViewOptions::default());
        assert_eq!(view_options.request(&model, None), DebugViewRequest::default());
        view_options.toggle_view_mode(ViewMode::Weights);
        view_options.toggle(ViewportOverlay::MotionPath);
        assert_eq!(view_options.request(&model, None), DebugViewRequest::default());
        let request = view_options.request(&model, Some(JointIndex(0)));
        assert_eq!(request.view_mode.unwrap().to_string(), "weights:tail");
        assert_eq!(request.motion_paths, ["tail"]);
        // Duplicate and missing names are replaced by node indices.
        let word = |joint| view_options.request(&model, Some(JointIndex(joint))).motion_paths[0].clone();
        assert_eq!([word(1), word(2)], ["7", "9"]);
    }

    #[test]
    fn setting_twice_toggles_back() {
        let mut view_options = ViewOptions::default();
        view_options.toggle_view_mode(ViewMode::Solid);
        view_options.toggle_view_mode(ViewMode::Solid);
        view_options.toggle(ViewportOverlay::Ghosts);
        assert!(view_options.has(ViewportOverlay::Ghosts));
        view_options.toggle(ViewportOverlay::Ghosts);
        assert_eq!(view_options, ViewOptions::default());
        view_options.toggle(ViewportOverlay::RigidBinding);
        view_options.toggle(ViewportOverlay::DualQuaternions);
        assert!(!view_options.has(ViewportOverlay::RigidBinding), "there is one method of skinning");
    }

    #[test]
    fn command_line_sets_the_initial_options() {
        let request = DebugViewRequest {
            overlays: vec![OverlayRequest::Skeleton, OverlayRequest::Grid],
            ..DebugViewRequest::default()
        };
        let view_options = ViewOptions::from_request(&request, true, Quality::Standard);
        assert_eq!(view_options.request(&model(), None), request);
        for skinning in [Skinning::Rigid, Skinning::DualQuaternion] {
            let request = DebugViewRequest { skinning: Some(skinning), ..DebugViewRequest::default() };
            let view_options = ViewOptions::from_request(&request, true, Quality::Standard);
            assert_eq!(view_options.request(&model(), None), request);
        }
        assert_eq!(view_options.request(&model(), Some(JointIndex(0))).joint.as_deref(), Some("tail"));
    }
}
