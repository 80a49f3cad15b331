//! All that is loaded for an image: models with their instances, and the ground that they stand on.

use crate::app::scene::loaded_model::LoadedModel;
use crate::request::{LookAtRequest, MotionRequest};
use nalgebra::Vector3;
use rigview_core::ik::{Ground, PoseConstraints, Target};
use rigview_core::math::{Frustum, SupportHull};
use rigview_core::palette::Rig;
use rigview_render::scene::{Background, Camera, DebugView, Frame, Lighting, Orbit, PosedCrowd};
use smallvec::SmallVec;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The models of a scene with their instances, and the ground. Derefs to the first model, which requests name items of.
pub(crate) struct LoadedScene {
    pub(super) first: LoadedModel,
    /// Other models, each with its crowd.
    pub(super) others: Vec<LoadedModel>,
    /// The ground under the feet of all models.
    pub(super) ground: Option<LoadedGround>,
    /// The last ground of a file that is not shown. It is not read again.
    pub(super) kept_ground: Option<LoadedGround>,
    /// Counts the changes of the ground.
    pub(crate) ground_revision: u64,
    /// What the heads look at.
    pub(super) look_at: Option<LookAtRequest>,
    /// Automatic exposure in stops, while the lights of the file are used.
    pub(crate) auto_exposure_ev: f64,
}

impl Deref for LoadedScene {
    type Target = LoadedModel;

    fn deref(&self) -> &LoadedModel {
        &self.first
    }
}

impl DerefMut for LoadedScene {
    fn deref_mut(&mut self) -> &mut LoadedModel {
        &mut self.first
    }
}

/// A ground, and the model that shows it.
pub(crate) struct LoadedGround {
    /// `None` for a formula.
    pub(crate) file: Option<PathBuf>,
    pub(super) heights: Arc<Ground>,
    pub(crate) surface: LoadedModel,
}

impl LoadedScene {
    pub(crate) fn models(&self) -> impl Iterator<Item = &LoadedModel> + Clone {
        std::iter::once(&self.first).chain(&self.others)
    }

    pub(super) fn models_mut(&mut self) -> impl Iterator<Item = &mut LoadedModel> {
        std::iter::once(&mut self.first).chain(&mut self.others)
    }

    pub(crate) fn ground_file(&self) -> Option<&Path> {
        self.ground.as_ref()?.file.as_deref()
    }

    /// Returns the file of the ground of `request`, if it is not read yet.
    pub(crate) fn missing_ground<'a>(&self, request: &'a MotionRequest) -> Option<&'a Path> {
        let mut grounds = self.ground.iter().chain(&self.kept_ground);
        let file = request.feet_on.as_ref()?.file()?;
        grounds.all(|ground| ground.file.as_deref() != Some(file)).then_some(file)
    }

    /// Keeps a ground for a request with its file.
    pub(crate) fn keep_ground(&mut self, ground: LoadedGround) {
        self.kept_ground = Some(ground);
    }

    /// Takes the ground of a `file`, if it is read.
    pub(super) fn take_ground(&mut self, file: Option<&Path>) -> Option<LoadedGround> {
        let is_it = |ground: &mut LoadedGround| file.is_some() && ground.file.as_deref() == file;
        self.ground.take_if(is_it).or_else(|| self.kept_ground.take_if(is_it))
    }

    /// All that is drawn, in the order of [`Frame::crowds`]: the models, then the surface of the ground.
    pub(crate) fn drawn(&self) -> impl Iterator<Item = &LoadedModel> {
        self.models().chain(self.ground.as_ref().map(|ground| &ground.surface))
    }

    pub(super) fn drawn_mut(&mut self) -> impl Iterator<Item = &mut LoadedModel> {
        let surface = self.ground.as_mut().map(|ground| &mut ground.surface);
        std::iter::once(&mut self.first).chain(&mut self.others).chain(surface)
    }

    /// The frame of the last pose; `others` are the [`posed_others`](Self::posed_others).
    pub(crate) fn frame<'a>(
        &'a self,
        others: &'a [PosedCrowd<'a>],
        camera: Camera,
        lighting: &'a Lighting,
        background: Background,
        debug_view: DebugView<'a>,
    ) -> Frame<'a> {
        Frame {
            layout: self.layout(),
            palette: self.palette(),
            detail: self.detail.as_ref(),
            other_crowds: others,
            camera,
            lighting,
            background,
            debug_view,
        }
    }

    pub(crate) fn posed_others(&self) -> SmallVec<[PosedCrowd<'_>; 4]> {
        let others = self.drawn().skip(1);
        let crowds = others.map(|model| PosedCrowd {
            layout: model.layout(),
            palette: model.palette(),
            detail: model.detail.as_ref(),
        });
        crowds.collect()
    }

    /// Returns `true` if no mesh is drawn.
    pub(crate) fn has_no_mesh(&self) -> bool {
        self.drawn().all(|scene| scene.layout().draws.is_empty())
    }

    /// The rigs of all crowds, in the order of [`Frame::crowds`].
    pub(crate) fn rigs(&self) -> Vec<Rig> {
        self.drawn().map(|scene| scene.rig().clone()).collect()
    }

    /// Returns `true` if these are the rigs of all crowds, and not those of an earlier version.
    pub(crate) fn has_rigs(&self, rigs: &[Rig]) -> bool {
        let is_same = |(a, b): (&Rig, &Rig)| std::ptr::eq(a.model(), b.model()) && std::ptr::eq(a.layout(), b.layout());
        let own = self.rigs();
        own.len() == rigs.len() && own.iter().zip(rigs).all(is_same)
    }

    /// Returns the default view of `hull`, which shows the front of the model.
    pub(crate) fn first_view(&self, hull: &SupportHull, aspect: f64) -> Orbit {
        let mut orbit = Orbit::framing(hull, aspect);
        orbit.yaw += self.front_yaw();
        if self.ground.is_some() {
            // A slope towards the camera would be seen edge-on.
            orbit.pitch += 0.3;
        }
        if self.ground.is_some() || self.front_yaw() != 0.0 {
            orbit.frame(hull, aspect);
        }
        orbit
    }

    /// Poses every instance at a time of the clip. The result does not depend on the CPU.
    pub(crate) fn pose_at_clip_time(&mut self, time_secs: f64) {
        self.pose_at_clock(self.clock_secs(time_secs));
    }

    /// Poses every instance at a clock time.
    pub(crate) fn pose_at_clock(&mut self, clock_secs: f64) {
        self.drawn_mut().for_each(|model| model.pose(clock_secs));
    }

    /// Turns the heads to the camera or to the requested point. Returns `true` if the target changed.
    ///
    /// Precedes everything that reads a pose: overlays, ghosts, lights, culling.
    pub(crate) fn aim_heads(&mut self, camera: &Camera) -> bool {
        let point = match self.look_at {
            None => return false,
            Some(LookAtRequest::Camera) => camera.eye_in_world(),
            Some(LookAtRequest::Point(point)) => Vector3::from(point) - self.origin,
        };
        let mut changed = false;
        for LoadedModel { animator, crowd, .. } in self.models_mut() {
            let aims = animator.constraints().into_iter().flat_map(PoseConstraints::aims);
            aims.for_each(|aim| changed |= crowd.set_common_target(aim, Target { point, weight: 1.0 }));
        }
        if changed {
            self.clear_motion_paths();
        }
        changed
    }

    /// Restricts posing to the instances that a frame shows. Returns `true` if that changes poses.
    pub(crate) fn cull(
        &mut self,
        camera: &Camera,
        aspect: f64,
        debug_view: &DebugView<'_>,
        lighting: &Lighting,
    ) -> bool {
        // Invisible instances have ghosts and cast shadows, that of a sky next to them. Feet on a ground are outside of the bounds.
        let can_cull = self.ground.is_none() && debug_view.ghosts.is_empty() && lighting.sun().is_none();
        let frustum = can_cull.then(|| Frustum::new(&camera.projection_from_world(aspect)));
        self.cull_to(frustum.as_ref())
    }

    /// Poses all instances, whether a frame shows them or not.
    pub(crate) fn show_all(&mut self) {
        self.cull_to(None);
    }

    /// Selects levels of detail for an image of `size` pixels; `None` selects full meshes. The scene is posed.
    ///
    /// Each selection depends on the last one, until full meshes are selected.
    pub(crate) fn select_detail(&mut self, camera: &Camera, size: Option<[u32; 2]>) {
        // The surface of the ground has no levels.
        for model in self.models_mut() {
            model.detail = size.map(|size| {
                let mut detail = model.detail.take().unwrap_or_default();
                detail.update(&mut model.animator, &mut model.crowd, camera, size);
                detail
            });
        }
    }

    /// Instances of all models.
    pub(crate) fn instance_count(&self) -> usize {
        self.models().map(|model| model.crowd.len()).sum()
    }

    fn cull_to(&mut self, frustum: Option<&Frustum>) -> bool {
        let mut changed = false;
        for model in self.models_mut() {
            // A single instance is nearly always visible. Bounds far from the origin are coarse.
            let crowd_frustum = frustum.filter(|_| model.crowd.len() > 1 && model.origin == Vector3::zeros());
            changed |= model.animator.cull(&mut model.crowd, crowd_frustum);
        }
        changed
    }
}
