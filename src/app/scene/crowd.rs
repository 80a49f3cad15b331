//! Changing the instances of a loaded scene, their clips and their pose overrides.

use crate::app::FileError;
use crate::app::scene::LoadedScene;
use crate::app::scene::clip_blend::Blend;
use crate::app::scene::crowd_plan::clip_of;
use crate::crowd::Crowd;
use crate::import::{Limit, Limits};
use crate::math::SupportHull;
use crate::model::ClipIndex;
use crate::pose::PoseOverride;
use crate::request::{CrowdRequest, SceneRequest};

impl LoadedScene {
    /// Plays another clip and lays the crowd out again, because the spacing depends on the clip.
    pub(crate) fn play(&mut self, clip: Option<ClipIndex>) {
        self.clip = clip;
        self.plan.play(clip);
        self.place_instances();
        self.prepare();
    }

    /// Changes the crowd; returns the instance count, which `Limit::Matrices` restricts.
    pub(crate) fn set_crowd(&mut self, args: &CrowdRequest, limits: &Limits) -> u32 {
        let of_others: u64 = self.others.iter().map(Self::matrix_bytes).sum();
        let bytes = (self.palette().stride_texels() as u64 * 16).max(1);
        let left = limits.get(Limit::Matrices).saturating_sub(of_others);
        let most = (left / bytes).clamp(1, u64::from(u32::MAX)) as u32;
        let instances = args.instances.clamp(1, most);
        self.plan.change(&CrowdRequest { instances, ..args.clone() }, self.animator.rig().model());
        self.clip = self.plan.clip();
        self.place_instances();
        self.prepare();
        instances
    }

    /// Pose overrides of every instance.
    pub(crate) fn overrides(&self) -> &PoseOverride {
        &self.overrides
    }

    pub(crate) fn set_overrides(&mut self, overrides: PoseOverride) {
        self.overrides = overrides;
        self.apply_overrides();
    }

    fn apply_overrides(&mut self) {
        self.clear_paths();
        if let Some(index) = self.overrides_index {
            return self.crowd.update_override(index, self.overrides.clone());
        }
        if !self.overrides.is_empty() {
            let index = self.crowd.add_override(self.overrides.clone());
            (0..self.crowd.len()).for_each(|instance| self.crowd.set_override(instance, Some(index)));
            self.overrides_index = Some(index);
        }
    }

    /// Clips that are blended with the main one.
    pub(crate) fn blend(&self) -> &Blend {
        &self.blend
    }

    /// Blends other clips with that of every instance.
    pub(crate) fn set_blend(&mut self, blend: Blend, clock_secs: f64) {
        let is_over = blend.is_empty() && !self.blend.is_empty();
        self.blend = blend;
        if is_over {
            // Restores the layers of each instance.
            self.place_instances();
            self.prepare();
        } else {
            self.apply_blend(clock_secs);
        }
    }

    /// Applies the weights of the blend at `clock_secs`.
    pub(crate) fn apply_blend(&mut self, clock_secs: f64) {
        if self.blend.is_empty() {
            return;
        }
        self.clear_paths();
        for instance in 0..self.crowd.len() {
            let Some(first) = self.crowd.layers(instance).next() else { continue };
            let layers = self.blend.layers(first.clip, first.playback, clock_secs);
            self.crowd.set_layers(instance, &layers);
        }
    }

    /// Lays out the instances of all models.
    pub(crate) fn place_instances(&mut self) {
        let outline = self.plan.outline(self.rig());
        if self.others.is_empty() && self.plan.is_alone() {
            (self.crowd, self.hull) = (Crowd::single(self.plan.clip()), outline);
            return;
        }
        let of_others = |other: &Self| other.plan.outline(other.rig());
        let outlines: Vec<SupportHull> = self.others.iter().map(of_others).collect();
        let mut bounds = *outline.bounds();
        outlines.iter().for_each(|outline| bounds.merge(outline.bounds()));
        let counts: Vec<usize> = self.others.iter().map(|other| other.plan.count()).collect();
        let mut parts = self.plan.ground(&counts, &bounds).into_iter();
        let own = parts.next().expect("a part for each crowd");
        (self.crowd, self.hull) = self.plan.stand(&own, self.model(), &outline);
        for ((other, outline), part) in self.others.iter_mut().zip(&outlines).zip(parts) {
            (other.crowd, other.hull) = other.plan.stand(&part, other.model(), outline);
            self.hull.merge(&other.hull);
        }
    }

    /// Compiles the animation plans, so that the first frame does not.
    pub(crate) fn prepare(&mut self) {
        // Other models have clips of other lengths.
        (self.all_loop_together, self.loop_offset_secs) = (self.crowd.is_synchronized() && self.others.is_empty(), 0.0);
        self.overrides_index = None;
        self.apply_overrides();
        self.apply_blend(0.0);
        if self.crowd.len() > 1 {
            self.animator.prepare(&mut self.crowd);
        }
        self.others.iter_mut().for_each(Self::prepare);
    }

    /// Plays the clip of `args` if it is another one.
    pub(crate) fn show(&mut self, args: &SceneRequest) -> Result<(), FileError> {
        if args.crowd.clips.is_empty() {
            let clip = clip_of(self.model(), args.clip.as_deref())?;
            if clip != self.clip {
                self.play(clip);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::ImageLoading;
    use std::path::Path;

    #[test]
    fn set_crowd_is_limited_by_the_palette_size() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
        let party = |file: &str, count| crate::request::ModelSpec { file: folder.join(file), count: Some(count) };
        let crowd =
            CrowdRequest { instances: 4, other_models: vec![party("hare.glb", 100)], ..CrowdRequest::default() };
        let args = SceneRequest { crowd: crowd.clone(), ..SceneRequest::default() };
        let mut scene = LoadedScene::open(&folder.join("windmill.glb"), &args, ImageLoading::Skip).unwrap();
        let (own, others) = (scene.matrix_bytes() / 4, scene.others[0].matrix_bytes());
        let mut limits = Limits::default();
        limits.set(Limit::Matrices, others + 50 * own + own / 2);
        assert_eq!(scene.set_crowd(&CrowdRequest { instances: 1000, ..crowd.clone() }, &limits), 50);
        assert_eq!(scene.set_crowd(&CrowdRequest { instances: 7, ..crowd }, &limits), 7);
    }
}
