//! View mode and viewport overlays.

use crate::app::scene::lookup::unambiguous_name;
use crate::model::{JointIndex, Model};
use crate::request::{DebugViewRequest, GhostsRequest, ViewModeRequest};
use crate::scene::ViewMode;

/// An overlay that is on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ViewportOverlay {
    /// Rigid binding: each vertex follows only its dominant joint.
    Rigid,
    /// Wireframe.
    Wires,
    Skeleton,
    /// Joint axes.
    Axes,
    /// Bounding box of the whole clip.
    Aabb,
    /// Ground grid.
    Grid,
    /// Onion skin.
    Ghosts,
    /// Motion path of the selected joint.
    Trail,
    /// Rest pose next to the animated one.
    RestBeside,
}

/// View mode and overlays. They persist across files and selections.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ViewOptions {
    pub(crate) surface: ViewMode,
    /// The enabled overlays.
    on: Vec<ViewportOverlay>,
    /// Count and spacing of the ghosts.
    pub(crate) ghosts: GhostsRequest,
}

impl Default for ViewOptions {
    fn default() -> Self {
        Self { surface: ViewMode::Material, on: Vec::new(), ghosts: GhostsRequest { count: 3, spacing_secs: 0.1 } }
    }
}

impl ViewOptions {
    /// The view options of the command line.
    pub(crate) fn from_request(args: &DebugViewRequest) -> Self {
        let mut view_options = Self::default();
        if let Some(look) = &args.view_mode {
            view_options.surface = look.view_mode;
        }
        for (on, switch) in [
            (args.view_mode.as_ref().is_some_and(|look| look.rigid), ViewportOverlay::Rigid),
            (args.wireframe, ViewportOverlay::Wires),
            (args.skeleton || args.joint.is_some(), ViewportOverlay::Skeleton),
            (args.axes, ViewportOverlay::Axes),
            (args.bounds, ViewportOverlay::Aabb),
            (args.grid, ViewportOverlay::Grid),
            (args.ghosts.is_some(), ViewportOverlay::Ghosts),
            (!args.motion_paths.is_empty(), ViewportOverlay::Trail),
            (args.rest_pose, ViewportOverlay::RestBeside),
        ] {
            if on {
                view_options.on.push(switch);
            }
        }
        view_options.ghosts = args.ghosts.unwrap_or(view_options.ghosts);
        view_options
    }

    /// Returns `true` if the overlay is enabled.
    pub(crate) fn has(&self, switch: ViewportOverlay) -> bool {
        self.on.contains(&switch)
    }

    pub(crate) fn toggle(&mut self, switch: ViewportOverlay) {
        match self.on.iter().position(|on| *on == switch) {
            Some(place) => drop(self.on.remove(place)),
            None => self.on.push(switch),
        }
    }

    /// Sets the view mode; the present mode toggles back to materials.
    pub(crate) fn set_view_mode(&mut self, surface: ViewMode) {
        self.surface = if self.surface == surface { ViewMode::Material } else { surface };
    }

    /// The request for the renderer with `joint` selected. Modes and overlays that need a joint are omitted without one.
    pub(crate) fn request(&self, model: &Model, joint: Option<JointIndex>) -> DebugViewRequest {
        let joint = joint.map(|joint| unambiguous_name(model, joint));
        let surface = if self.surface.needs_joint() && joint.is_none() { ViewMode::Material } else { self.surface };
        let rigid = self.has(ViewportOverlay::Rigid);
        let look = (rigid || surface != ViewMode::Material).then(|| ViewModeRequest {
            // Rigid binding is only available with materials.
            rigid: rigid && surface == ViewMode::Material,
            joint: joint.clone().filter(|_| surface.needs_joint()),
            view_mode: surface,
        });
        let bones = self.has(ViewportOverlay::Skeleton) || self.has(ViewportOverlay::Axes);
        DebugViewRequest {
            view_mode: look,
            wireframe: self.has(ViewportOverlay::Wires),
            skeleton: self.has(ViewportOverlay::Skeleton),
            axes: self.has(ViewportOverlay::Axes),
            joint: joint.clone().filter(|_| bones),
            bounds: self.has(ViewportOverlay::Aabb),
            grid: self.has(ViewportOverlay::Grid),
            ghosts: self.has(ViewportOverlay::Ghosts).then_some(self.ghosts),
            motion_paths: if self.has(ViewportOverlay::Trail) { joint.into_iter().collect() } else { Vec::new() },
            rest_pose: self.has(ViewportOverlay::RestBeside),
            // The user interface shows a legend.
            legend: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Transform;
    use crate::model::{Joint, Skeleton};

    fn model() -> Model {
        let joint = |(node, name): (usize, Option<&str>)| Joint {
            name: name.map(str::to_owned),
            node,
            parent: None,
            rest: Transform::identity(),
            sheared_rest: None,
            weights: 0..0,
        };
        let joints = [(4, Some("tail")), (7, Some("tail")), (9, None)].map(joint);
        Model { skeleton: Skeleton::new(joints.into(), Vec::new()), ..Model::default() }
    }

    #[test]
    fn modes_that_need_a_joint_are_omitted_without_one() {
        let (model, mut view_options) = (model(), ViewOptions::default());
        assert_eq!(view_options.request(&model, None), DebugViewRequest::default());
        view_options.set_view_mode(ViewMode::Weights);
        view_options.toggle(ViewportOverlay::Trail);
        assert_eq!(view_options.request(&model, None), DebugViewRequest::default());
        let args = view_options.request(&model, Some(JointIndex(0)));
        assert_eq!(args.view_mode.unwrap().to_string(), "weights:tail");
        assert_eq!(args.motion_paths, ["tail"]);
        // Duplicate and missing names are replaced by node indices.
        let word = |joint| view_options.request(&model, Some(JointIndex(joint))).motion_paths[0].clone();
        assert_eq!([word(1), word(2)], ["7", "9"]);
    }

    #[test]
    fn setting_twice_toggles_back() {
        let mut view_options = ViewOptions::default();
        view_options.set_view_mode(ViewMode::Solid);
        view_options.set_view_mode(ViewMode::Solid);
        view_options.toggle(ViewportOverlay::Ghosts);
        assert!(view_options.has(ViewportOverlay::Ghosts));
        view_options.toggle(ViewportOverlay::Ghosts);
        assert_eq!(view_options, ViewOptions::default());
    }

    #[test]
    fn command_line_sets_the_initial_options() {
        let args = DebugViewRequest { skeleton: true, grid: true, ..DebugViewRequest::default() };
        let view_options = ViewOptions::from_request(&args);
        assert_eq!(view_options.request(&model(), None), args);
        assert_eq!(view_options.request(&model(), Some(JointIndex(0))).joint.as_deref(), Some("tail"));
    }
}
