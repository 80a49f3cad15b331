//! Placement and playback of a crowd's instances, as the SIMD kernel reads them.

use crate::math::simd::Float4;
use crate::math::{Affine, Transform};
use crate::model::InstanceIndex;
use crate::pose::{LoopMode, MAX_LAYERS, Playback};
use nalgebra::{Quaternion, UnitQuaternion, Vector3, Vector4};
use std::ops::Range;

/// All instances of a crowd.
#[derive(Clone, Debug, Default)]
pub(crate) struct InstanceData {
    pub(crate) records: Vec<InstanceRecord>,
    /// Rows of the linear parts of all placements if one is not a similarity; else empty.
    pub(crate) linear_rows: Vec<[Float4; 3]>,
    /// `true` if any placement has a rotation, scale or shear.
    pub(crate) has_linear_part: bool,
    /// Layers of the instances that have several, referenced by [`InstanceRecord::first_layer`].
    pub(crate) layers: Vec<LayerState>,
}

/// One instance: a cache line.
///
/// Consists of vectors of four components, so that those of several instances are loaded and transposed like packed keys.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub(crate) struct InstanceRecord {
    /// Translation rounded to single precision; signed scale, negative for a reflection through a point.
    translation_scale: Float4,
    /// Rotation `x, y, z, w`.
    rotation: Float4,
    /// Rounding error of the translation; speed of the single clip.
    low_translation_speed: Float4,
    /// Start offset of the single clip.
    start_offset_secs: f64,
    /// Index of the first layer in [`InstanceData::layers`].
    pub(crate) first_layer: u32,
    /// Index of the crowd's animation set in 24 bits, loop mode of the single clip in 2, number of layers in 6.
    packed: u32,
}

/// Bits of [`InstanceRecord::animation_set`].
const SET_BITS: u32 = 24;
/// Offset of the layer count.
const LAYERS_SHIFT: u32 = 26;

const _: () = assert!(MAX_LAYERS < 64, "six bits");

const _: () = assert!(size_of::<InstanceRecord>() == 64, "a cache line");

impl InstanceRecord {
    /// Number of animation sets that an index can distinguish.
    const MAX_SETS: u32 = 1 << SET_BITS;
    /// Vectors per record.
    pub(super) const STRIDE: usize = size_of::<Self>() / size_of::<Float4>();
    /// Index of `translation_scale` in a record.
    pub(super) const TRANSLATION_SCALE: usize = 0;
    /// Index of `rotation` in a record.
    pub(super) const ROTATION: usize = 1;
    /// Index of `low_translation_speed` in a record.
    pub(super) const LOW_TRANSLATION_SPEED: usize = 2;

    /// Creates a record from a placement and the similarity nearest to its linear part.
    pub(crate) fn new(
        translation: Vector3<f64>,
        scale: f64,
        rotation: UnitQuaternion<f64>,
        playback: &Playback,
    ) -> Self {
        let mut record: Self = bytemuck::Zeroable::zeroed();
        record.set_world_from_model(translation, scale, rotation);
        record.set_playback(playback);
        record
    }

    /// Sets the placement: a translation, and the similarity nearest to its linear part.
    pub(crate) fn set_world_from_model(
        &mut self,
        translation: Vector3<f64>,
        scale: f64,
        rotation: UnitQuaternion<f64>,
    ) {
        let high = translation.map(|x| x as f32);
        let low = (translation - high.cast()).map(|x| x as f32);
        self.translation_scale = Float4([high.x, high.y, high.z, scale as f32]);
        self.rotation = Float4(rotation.coords.cast().into());
        self.low_translation_speed.0[..3].copy_from_slice(&[low.x, low.y, low.z]);
    }

    /// The translation rounded to single precision.
    pub(super) fn high_translation(&self) -> Vector3<f64> {
        let [x, y, z, _] = self.translation_scale.0.map(f64::from);
        Vector3::new(x, y, z)
    }

    pub(crate) fn set_playback(&mut self, playback: &Playback) {
        self.low_translation_speed.0[3] = playback.speed;
        self.start_offset_secs = playback.start_offset_secs;
        self.packed = (self.packed & !(0x3 << SET_BITS)) | ((playback.loop_mode as u32) << SET_BITS);
    }

    /// Index of the crowd's animation set.
    pub(crate) fn animation_set(&self) -> u32 {
        self.packed & (Self::MAX_SETS - 1)
    }

    /// # Panics
    /// If `set` is not below [`MAX_SETS`](Self::MAX_SETS).
    pub(crate) fn set_animation_set(&mut self, set: u32) {
        assert!(set < Self::MAX_SETS, "at most 2^24 animation sets");
        self.packed = (self.packed & !(Self::MAX_SETS - 1)) | set;
    }

    /// Number of layers; 0 for a single clip, whose playback is in the record.
    #[inline(always)]
    pub(crate) fn layer_count(&self) -> usize {
        (self.packed >> LAYERS_SHIFT) as usize
    }

    pub(crate) fn set_layer_count(&mut self, count: usize) {
        assert!(count <= MAX_LAYERS, "too many layers");
        self.packed = (self.packed & !(0x3f << LAYERS_SHIFT)) | ((count as u32) << LAYERS_SHIFT);
    }

    /// Returns the playback of the single clip.
    #[inline(always)]
    pub(crate) fn playback(&self) -> Playback {
        let loop_mode = match (self.packed >> SET_BITS) & 0x3 {
            0 => LoopMode::Once,
            1 => LoopMode::Loop,
            _ => LoopMode::PingPong,
        };
        Playback { speed: self.low_translation_speed.0[3], start_offset_secs: self.start_offset_secs, loop_mode }
    }

    pub(crate) fn translation(&self) -> Vector3<f64> {
        let [[x, y, z, _], [a, b, c, _]] = [self.translation_scale.0, self.low_translation_speed.0];
        Vector3::new(x, y, z).cast::<f64>() + Vector3::new(a, b, c).cast::<f64>()
    }

    pub(crate) fn world_from_model(&self) -> Affine {
        let rotation = UnitQuaternion::new_normalize(Quaternion::from(Vector4::from(self.rotation.0).cast()));
        let scale = Vector3::repeat(f64::from(self.translation_scale.0[3]));
        Transform { translation: self.translation(), rotation, scale }.to_affine()
    }
}

/// One layer of an instance that has several.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LayerState {
    pub(crate) playback: Playback,
    pub(crate) weight: f32,
}

/// Instances of a run of palette blocks.
#[derive(Clone, Debug)]
pub(crate) enum BlockInstances<'a> {
    /// Consecutive instances.
    Range(Range<usize>),
    /// Instance indices, one per block.
    List(&'a [u32]),
}

impl BlockInstances<'_> {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Range(range) => range.len(),
            Self::List(list) => list.len(),
        }
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = InstanceIndex> + '_ {
        (0..self.len()).map(|block| InstanceIndex(self.get(block) as u32))
    }

    /// Returns the instance of a block, counted from the start of the run.
    #[inline(always)]
    pub(crate) fn get(&self, block: usize) -> usize {
        match self {
            Self::Range(range) => {
                assert!(block < range.len(), "block out of range");
                range.start + block
            }
            Self::List(list) => list[block] as usize,
        }
    }

    /// Writes the instances of the blocks from `first` to `instances`.
    #[inline(always)]
    pub(super) fn copy_to(&self, first: usize, instances: &mut [usize]) {
        match self {
            Self::Range(range) => {
                assert!(first + instances.len() <= range.len(), "block out of range");
                instances.iter_mut().zip(range.start + first..).for_each(|(instance, i)| *instance = i);
            }
            Self::List(list) => {
                let list = &list[first..first + instances.len()];
                instances.iter_mut().zip(list).for_each(|(instance, &i)| *instance = i as usize);
            }
        }
    }
}
