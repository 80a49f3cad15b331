//! How the model is looked at, as a person has chosen it.

use crate::app::scene::lookup::unambiguous_name;
use crate::model::{JointIndex, Model};
use crate::request::{DebugViewRequest, GhostsRequest, ViewModeRequest};
use crate::scene::ViewMode;

/// Something that can be shown beside what surfaces show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ViewportOverlay {
    /// Each vertex follows its strongest joint alone.
    Rigid,
    /// The edges of triangles.
    Wires,
    /// The bones.
    Skeleton,
    /// The axes of every joint.
    Axes,
    /// The box around the whole clip.
    Aabb,
    /// The ground as a grid.
    Grid,
    /// Poses before and after.
    Ghosts,
    /// The way of the selected joint.
    Trail,
    /// The rest pose beside.
    RestBeside,
}

/// How the model is looked at; it stays while files and joints change.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ViewOptions {
    /// What surfaces show.
    pub(crate) surface: ViewMode,
    /// What else is shown.
    on: Vec<ViewportOverlay>,
    /// Poses before and after, where they are shown.
    pub(crate) ghosts: GhostsRequest,
}

impl Default for ViewOptions {
    fn default() -> Self {
        Self { surface: ViewMode::Material, on: Vec::new(), ghosts: GhostsRequest { count: 3, spacing_secs: 0.1 } }
    }
}

impl ViewOptions {
    /// As the command line asks for it.
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

    /// Whether something is shown.
    pub(crate) fn has(&self, switch: ViewportOverlay) -> bool {
        self.on.contains(&switch)
    }

    /// Shows something, or no longer.
    pub(crate) fn toggle(&mut self, switch: ViewportOverlay) {
        match self.on.iter().position(|on| *on == switch) {
            Some(place) => drop(self.on.remove(place)),
            None => self.on.push(switch),
        }
    }

    /// Shows this on surfaces; what they show already gives way to their materials.
    pub(crate) fn set_view_mode(&mut self, surface: ViewMode) {
        self.surface = if self.surface == surface { ViewMode::Material } else { surface };
    }

    /// What is asked for of the renderer while `joint` is selected. What needs a joint is left out without one.
    pub(crate) fn request(&self, model: &Model, joint: Option<JointIndex>) -> DebugViewRequest {
        let joint = joint.map(|joint| unambiguous_name(model, joint));
        let surface = if self.surface.needs_joint() && joint.is_none() { ViewMode::Material } else { self.surface };
        let rigid = self.has(ViewportOverlay::Rigid);
        let look = (rigid || surface != ViewMode::Material).then(|| ViewModeRequest {
            // The words know no surface on one joint a vertex; what is on the surface goes first.
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
            // The window has its own.
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
    fn what_needs_a_joint_waits_for_one() {
        let (model, mut view_options) = (model(), ViewOptions::default());
        assert_eq!(view_options.request(&model, None), DebugViewRequest::default());
        view_options.set_view_mode(ViewMode::Weights);
        view_options.toggle(ViewportOverlay::Trail);
        assert_eq!(view_options.request(&model, None), DebugViewRequest::default());
        let args = view_options.request(&model, Some(JointIndex(0)));
        assert_eq!(args.view_mode.unwrap().to_string(), "weights:tail");
        assert_eq!(args.motion_paths, ["tail"]);
        // A second joint of the name, and one without, go by their nodes' numbers.
        let word = |joint| view_options.request(&model, Some(JointIndex(joint))).motion_paths[0].clone();
        assert_eq!([word(1), word(2)], ["7", "9"]);
    }

    #[test]
    fn a_second_time_takes_it_back() {
        let mut view_options = ViewOptions::default();
        view_options.set_view_mode(ViewMode::Solid);
        view_options.set_view_mode(ViewMode::Solid);
        view_options.toggle(ViewportOverlay::Ghosts);
        assert!(view_options.has(ViewportOverlay::Ghosts));
        view_options.toggle(ViewportOverlay::Ghosts);
        assert_eq!(view_options, ViewOptions::default());
    }

    #[test]
    fn the_command_line_begins_with_what_it_names() {
        let args = DebugViewRequest { skeleton: true, grid: true, ..DebugViewRequest::default() };
        let view_options = ViewOptions::from_request(&args);
        assert_eq!(view_options.request(&model(), None), args);
        assert_eq!(view_options.request(&model(), Some(JointIndex(0))).joint.as_deref(), Some("tail"));
    }
}
