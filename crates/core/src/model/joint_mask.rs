//! Joint masks: layers that move a part of a skeleton.

use super::{JointIndex, Skeleton};

/// Factors for the weight of a layer at each joint, 0 to 1.
///
/// ```
/// use rigview_core::model::{JointIndex, JointMask, JointMaskIndex};
/// use rigview_core::pose::{Layer, Playback};
///
/// # use rigview_core::{import::{ImportOptions, open}, model::ClipIndex};
/// # let file = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/assets/hare.glb"));
/// # let mut model = open(file, &ImportOptions::default()).unwrap().model;
/// // The arms wave while the body walks.
/// let spine = JointIndex(1);
/// let mut upper_body = JointMask::subtree(&model.skeleton, spine);
/// upper_body.set(spine, 0.5);
/// model.joint_masks.push(upper_body);
/// let [walk, wave] = [0, 1].map(|clip| Layer::new(Some(ClipIndex(clip)), Playback::looping(0.0)));
/// let layers = [walk, Layer { weight: 9.0, mask: Some(JointMaskIndex(0)), ..wave }];
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointMask {
    /// One per joint; missing ones are 0.
    factors: Vec<f32>,
}

impl JointMask {
    /// Creates a mask with 1 for `joint` and its descendants, and 0 for the others.
    ///
    /// # Panics
    /// If the joint does not exist.
    pub fn subtree(skeleton: &Skeleton, joint: JointIndex) -> Self {
        let mut factors = vec![0.0; skeleton.len()];
        factors[joint.get()] = 1.0;
        // Parents precede their children.
        for (i, other) in skeleton.joints().iter().enumerate() {
            if let Some(parent) = other.parent.filter(|parent| factors[parent.get()] == 1.0) {
                factors[i] = factors[parent.get()];
            }
        }
        Self { factors }
    }

    /// Sets the factor of one joint. It is clamped to 0 to 1, and NaN is 0.
    pub fn set(&mut self, joint: JointIndex, factor: f32) {
        if self.factors.len() <= joint.get() {
            self.factors.resize(joint.get() + 1, 0.0);
        }
        self.factors[joint.get()] = if factor > 0.0 { factor.min(1.0) } else { 0.0 };
    }

    /// Number of joints up to the last one that is set.
    pub(super) fn joint_count(&self) -> usize {
        self.factors.len()
    }

    /// Returns the factor of a joint.
    pub fn factor(&self, joint: JointIndex) -> f32 {
        self.factors.get(joint.get()).copied().unwrap_or(0.0)
    }
}
