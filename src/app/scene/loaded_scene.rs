//! An opened file with all that the command line says of what to show.

use crate::app::console::report;
use crate::app::scene::clip_blend::Blend;
use crate::app::scene::crowd_plan::CrowdPlan;
use crate::import::Loaded;
use crate::math::{Aabb, Frustum, SupportHull};
use crate::model::{Clip, ClipIndex, JointIndex, Model, SceneIndex};
use crate::palette::{Animator, Crowd, FrustumCuller, Palette, PaletteLayout, PoseOverrideIndex, SimdLevel};
use crate::pose::PoseOverride;
use crate::scene::{Background, Camera, DebugView, Frame, Lighting, PosedCrowd};
use nalgebra::Vector3;
use smallvec::SmallVec;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// A model, a scene, a clip and a crowd, ready to be posed at any time.
pub(crate) struct LoadedScene {
    /// The file as it was named.
    pub(crate) file: PathBuf,
    /// What it holds.
    pub(crate) loaded: Loaded,
    /// The scene that is shown.
    pub(crate) scene: SceneIndex,
    /// The clip that plays, of several the first; `None` for the rest pose.
    pub(crate) clip: Option<ClipIndex>,
    /// What is drawn.
    pub(crate) layout: PaletteLayout,
    /// Whether everything is as it was when the clip is over: all play one clip, at its own speed.
    pub(super) all_loop_together: bool,
    /// Seconds of the rounds that are over, where it is not.
    pub(super) loop_offset_secs: f64,
    /// Who stands where and plays what.
    pub(super) cast: CrowdPlan,
    /// Joints put by hand, of every instance.
    pub(super) hand: PoseOverride,
    /// The crowd's number of them.
    pub(super) hand_index: Option<PoseOverrideIndex>,
    /// What plays beside the clip.
    pub(super) blend: Blend,
    /// Ways of joints through the clip, as far as they were asked for.
    pub(super) paths: Mutex<HashMap<JointIndex, Arc<[Vector3<f64>]>>>,
    /// The instances.
    pub(crate) crowd: Crowd,
    /// The outline of all instances over the whole clip, in world space.
    pub(crate) hull: SupportHull,
    /// The matrices of the last [`pose`](Self::pose).
    pub(crate) palette: Palette,
    /// What animates a crowd; one alone is posed in double precision.
    pub(crate) animator: Animator,
    /// What tells who of a crowd can be seen, once that was asked for.
    pub(super) sight: Option<FrustumCuller>,
    /// Other models in the same scene, each with its crowd.
    pub(crate) others: Vec<LoadedScene>,
}

impl LoadedScene {
    /// What the matrices of the crowd take.
    pub(super) fn matrix_bytes(&self) -> u64 {
        self.palette.stride_texels() as u64 * 16 * self.cast.count() as u64
    }

    /// The picture of this stage, as it was posed last; `others` are its [`posed_others`](Self::posed_others).
    pub(crate) fn frame<'a>(
        &'a self,
        others: &'a [PosedCrowd<'a>],
        camera: Camera,
        (lighting, background): (&'a Lighting, Background),
        look: DebugView<'a>,
    ) -> Frame<'a> {
        Frame {
            layout: &self.layout,
            palette: &self.palette,
            other_crowds: others,
            camera,
            lighting,
            background,
            debug_view: look,
        }
    }

    /// The crowds of other models, posed.
    pub(crate) fn posed_others(&self) -> SmallVec<[PosedCrowd<'_>; 4]> {
        self.others.iter().map(|other| PosedCrowd { layout: &other.layout, palette: &other.palette }).collect()
    }

    /// Prints what is not shown of the files, and why.
    pub(crate) fn tell_notices(&self) {
        report::notices(&self.file, &self.loaded.diagnostics);
        self.others.iter().for_each(Self::tell_notices);
    }

    /// Whether there is nothing to see.
    pub(crate) fn is_empty(&self) -> bool {
        self.layout.draws.is_empty() && self.others.iter().all(Self::is_empty)
    }

    /// The model.
    pub(crate) fn model(&self) -> &Model {
        &self.loaded.model
    }

    /// The box around all instances over the whole clip, in world space.
    pub(crate) fn bounds(&self) -> &Aabb {
        self.hull.bounds()
    }

    /// The clip that plays.
    pub(crate) fn playing(&self) -> Option<&Clip> {
        self.clip.map(|clip| &self.loaded.model.clips[clip.get()])
    }

    /// Length of the clip in seconds; 0 without one.
    pub(crate) fn duration_secs(&self) -> f64 {
        self.playing().map_or(0.0, |clip| f64::from(clip.duration_secs))
    }

    /// Notes that the clock went from one time of the clip to another: over its end, perhaps, where a crowd that is out of
    /// step goes on.
    pub(crate) fn advance_loops(&mut self, before_secs: f64, after_secs: f64) {
        let (duration, way) = (self.duration_secs(), after_secs - before_secs);
        if !self.all_loop_together && way.abs() > 0.5 * duration {
            self.loop_offset_secs -= duration.copysign(way);
        }
    }

    /// What the clock shows when the clip is at `time_secs`: more by the rounds that are over.
    pub(crate) fn clock_secs(&self, time_secs: f64) -> f64 {
        time_secs + self.loop_offset_secs
    }

    /// Counts the rounds that another stage has counted.
    pub(crate) fn copy_loop_offset(&mut self, other: &Self) {
        self.loop_offset_secs = other.loop_offset_secs;
    }

    /// Poses every instance and writes the palette: the same on every machine.
    pub(crate) fn pose(&mut self, time_secs: f64) {
        self.pose_at(time_secs + self.loop_offset_secs);
    }

    /// The same by a clock that knows nothing of the clip's length.
    pub(crate) fn pose_at(&mut self, time_secs: f64) {
        match self.crowd.len() {
            1 => self.pose_exactly(time_secs),
            _ => self.pose_by_lanes(time_secs, SimdLevel::best()),
        }
        self.others.iter_mut().for_each(|other| other.pose_at(time_secs));
    }

    /// Poses from now on only those of the crowds that `view` may show; all without one. Whether they are others than before.
    pub(crate) fn cull_to(&mut self, view: Option<&Frustum>) -> bool {
        let Self { loaded, layout, crowd, sight, others, .. } = self;
        let model = &loaded.model;
        let changed = match view {
            // One alone is what a camera is there for.
            Some(_) if crowd.len() > 1 => {
                sight.get_or_insert_with(|| FrustumCuller::new(model, layout)).look(model, layout, crowd, view)
            }
            _ => sight.as_mut().is_some_and(|sight| sight.look(model, layout, crowd, None)),
        };
        others.iter_mut().fold(changed, |changed, other| other.cull_to(view) || changed)
    }

    /// Poses every instance with these instructions and writes the palette.
    pub(crate) fn pose_by_lanes(&mut self, time_secs: f64, dispatch: SimdLevel) {
        let Self { loaded, layout, crowd, palette, animator, .. } = self;
        animator.update(&loaded.model, layout, crowd, time_secs, dispatch, palette);
    }

    /// Poses every instance in double precision and writes the palette.
    pub(crate) fn pose_exactly(&mut self, time_secs: f64) {
        self.crowd.update(&self.loaded.model, &self.layout, time_secs, &mut self.palette);
    }
}
