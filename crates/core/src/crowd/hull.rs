//! Support hull of a whole crowd.

use super::instances::Crowd;
use crate::math::{Affine, BoundingSphere, SupportHull};
use crate::model::InstanceIndex;
use nalgebra::Vector3;

/// Maximum number of instances whose hulls are all merged. Larger crowds only merge the outermost.
const MAX_MERGED_HULLS: usize = 256;

impl Crowd {
    /// Returns the hull of all instances in world space, given the hull of the model.
    pub fn hull(&self, model_hull: &SupportHull) -> SupportHull {
        let mut all = SupportHull::default();
        if self.len() <= MAX_MERGED_HULLS {
            self.indices().for_each(|instance| all.merge(&model_hull.transformed(&self.placement(instance))));
            return all;
        }
        let radius = model_hull.points().map(|point| point.norm()).fold(0.0, f64::max);
        let placement = |instance: InstanceIndex| match self.data.has_linear_part {
            true => self.placement(instance),
            false => Affine::from_translation(self.data.records[instance.get()].translation()),
        };
        let sphere = |instance| {
            let map = placement(instance);
            BoundingSphere { center: map.translation, radius: radius * map.linear.norm() / 3.0_f64.sqrt() }
        };
        for instance in outermost(self.indices(), sphere) {
            all.merge(&model_hull.transformed(&placement(instance)));
        }
        for instance in self.indices() {
            all.extend_bounds(&model_hull.bounds().transformed(&placement(instance)));
        }
        all
    }
}

/// Returns the indices of the spheres with the largest support distance in each hull direction, without duplicates.
fn outermost(
    instances: impl Iterator<Item = InstanceIndex>,
    sphere: impl Fn(InstanceIndex) -> BoundingSphere,
) -> Vec<InstanceIndex> {
    let directions: Vec<Vector3<f64>> = SupportHull::directions().collect();
    let mut best = vec![(f64::NEG_INFINITY, InstanceIndex(0)); directions.len()];
    for index in instances {
        let BoundingSphere { center, radius } = sphere(index);
        for (best, direction) in best.iter_mut().zip(&directions) {
            let support_distance = center.dot(direction) + radius;
            if support_distance > best.0 {
                *best = (support_distance, index);
            }
        }
    }
    let mut indices: Vec<InstanceIndex> = best.into_iter().map(|(_, index)| index).collect();
    indices.sort_unstable();
    indices.dedup();
    indices
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crowd::instances::Instance;
    use crate::crowd::instances::tests::placement;
    use crate::math::Aabb;

    #[test]
    fn hull_of_large_crowd_matches_merged_hulls() {
        let bounds = Aabb { min: Vector3::new(-1.0, 0.0, -0.2), max: Vector3::new(0.5, 2.0, 0.2) };
        let hull = SupportHull::from_aabb(&bounds);
        let crowd = Crowd::new((0..1000).map(|i| Instance::new(placement(i), None, 0.0)));
        let mut expected = SupportHull::default();
        (0..1000).for_each(|i| expected.merge(&hull.transformed(&crowd.placement(InstanceIndex(i as u32)))));
        let got = crowd.hull(&hull);
        let size = expected.bounds().diagonal();
        assert!((got.bounds().min - expected.bounds().min).amax() < 1e-6 * size);
        assert!((got.bounds().max - expected.bounds().max).amax() < 1e-6 * size);
    }
}
