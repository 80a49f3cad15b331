//! What is kept of each instance of a crowd: a cache line.

use crate::math::simd::Group;
use crate::math::{Affine, Transform};
use crate::pose::{LoopMode, Playback};
use nalgebra::{Quaternion, UnitQuaternion, Vector3};

/// An instance as the lanes read it: where it stands, and what it does.
///
/// Rows of four numbers, so that those of several instances are loaded and transposed like the rows of a clip.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub(super) struct InstanceRecord {
    /// Translation, rounded; and the scale, below zero where it mirrors through a point.
    pub(super) high_scale: Group,
    /// Rotation `x, y, z, w`.
    pub(super) rotation: Group,
    /// What rounding the translation left; and the speed of the only clip.
    pub(super) low_speed: Group,
    /// Where the only clip is when the clock shows 0.
    phase_secs: f64,
    /// Where its layers begin in the crowd's list, if it has several.
    pub(super) first_layer: u32,
    /// What it plays, by number.
    pub(super) role: u16,
    /// What the only clip does at its ends.
    loop_mode: u8,
    /// Number of its layers in the crowd's list; 0 with one clip.
    pub(super) layers: u8,
}

const _: () = assert!(size_of::<InstanceRecord>() == 64, "a cache line");

impl InstanceRecord {
    /// Groups from a record to the next.
    pub(super) const GROUPS: usize = size_of::<Self>() / size_of::<Group>();
    /// The number of a group within a record.
    pub(super) const HIGH_SCALE: usize = 0;
    /// As above.
    pub(super) const ROTATION: usize = 1;
    /// As above.
    pub(super) const LOW_SPEED: usize = 2;

    /// An instance at a place, whose linear part is the similarity nearest to the place's.
    pub(super) fn new(
        world_from_model: &Affine,
        (scale, rotation): (f64, UnitQuaternion<f64>),
        timing: &Playback,
    ) -> Self {
        let t = world_from_model.translation;
        let high = t.map(|x| x as f32);
        let low = (t - high.cast()).map(|x| x as f32);
        let mut record = Self {
            high_scale: Group([high.x, high.y, high.z, scale as f32]),
            rotation: Group(rotation.coords.cast().into()),
            low_speed: Group([low.x, low.y, low.z, 1.0]),
            ..bytemuck::Zeroable::zeroed()
        };
        record.set_timing(timing);
        record
    }

    pub(super) fn set_timing(&mut self, timing: &Playback) {
        self.low_speed.0[3] = timing.speed;
        self.phase_secs = timing.phase_secs;
        self.loop_mode = timing.loop_mode as u8;
    }

    /// When the only clip is where.
    #[inline(always)]
    pub(super) fn timing(&self) -> Playback {
        let loop_mode = match self.loop_mode {
            0 => LoopMode::Once,
            1 => LoopMode::Loop,
            _ => LoopMode::PingPong,
        };
        Playback { speed: self.low_speed.0[3], phase_secs: self.phase_secs, loop_mode }
    }

    /// Where it stands.
    pub(super) fn translation(&self) -> Vector3<f64> {
        let [[x, y, z, _], [a, b, c, _]] = [self.high_scale.0, self.low_speed.0];
        Vector3::new(x, y, z).cast::<f64>() + Vector3::new(a, b, c).cast::<f64>()
    }

    /// Where it stands, turned and scaled.
    pub(super) fn world_from_model(&self) -> Affine {
        let rotation = UnitQuaternion::new_normalize(Quaternion::from(nalgebra::Vector4::from(self.rotation.0).cast()));
        let scale = Vector3::repeat(f64::from(self.high_scale.0[3]));
        Transform { translation: self.translation(), rotation, scale }.to_affine()
    }
}

/// A layer of an instance that has several.
#[derive(Clone, Copy, Debug)]
pub(super) struct LayerState {
    pub(super) timing: Playback,
    pub(super) weight: f32,
}
