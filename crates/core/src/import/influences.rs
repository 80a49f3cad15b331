//! Converts `JOINTS_n` and `WEIGHTS_n` to the influences of each vertex.

use super::diagnostic::JsonLocation;
use super::diagnostics::Diagnostics;
use super::error::ImportError;
use crate::gltf_format::WEIGHT_SUM_TOLERANCE;
use crate::model::{Influences, SkinSlot};
use crate::util::text::counted;

/// One pair of `JOINTS_n` and `WEIGHTS_n`.
pub(super) struct InfluenceSet {
    pub(super) joints: Vec<[u32; 4]>,
    pub(super) weights: Vec<[f32; 4]>,
}

/// Vertices whose weights do not sum to 1, each with its sum.
pub(super) type UnnormalizedWeights = Vec<(u32, f32)>;

/// Statistics for diagnostics.
#[derive(Default)]
struct WeightStats {
    negative_count: usize,
    zero_count: usize,
    /// Number of vertices whose weights are not all zero and do not sum to 1, and the sum farthest from 1.
    unnormalized_count: usize,
    worst_sum: f64,
    unnormalized: UnnormalizedWeights,
    /// Number of vertices that lost influences, the largest lost fraction of the weight, and its vertex.
    truncated_count: usize,
    worst_loss: f64,
    worst_vertex: usize,
}

/// Merges the sets of a primitive into influences. Slots with weight must be below `joint_count`, that of the skin.
pub(super) fn read(
    sets: &[InfluenceSet],
    vertex_count: usize,
    joint_count: usize,
    at: &JsonLocation,
    diagnostics: &mut Diagnostics,
) -> Result<(Influences, UnnormalizedWeights), ImportError> {
    let mut stats = WeightStats { worst_sum: 1.0, ..WeightStats::default() };
    // Influences with weight, contiguous per vertex. Their largest count determines the influences per vertex.
    let mut used: Vec<(SkinSlot, f32)> = Vec::with_capacity(vertex_count * 4);
    let mut counts: Vec<u8> = Vec::with_capacity(vertex_count);
    let mut influences: Vec<(u32, f32)> = Vec::with_capacity(sets.len() * 4);
    for vertex in 0..vertex_count {
        influences.clear();
        let mut has_negative = false;
        for (n, set) in sets.iter().enumerate() {
            let (Some(joints), Some(weights)) = (set.joints.get(vertex), set.weights.get(vertex)) else { continue };
            for (&slot, &weight) in joints.iter().zip(weights) {
                if !weight.is_finite() {
                    let problem = format!("vertex {vertex} has a weight that is not finite (WEIGHTS_{n})");
                    return Err(ImportError::InvalidData { at: at.clone(), problem });
                }
                has_negative |= weight < 0.0;
                if weight > 0.0 {
                    if slot as usize >= joint_count {
                        let problem = format!(
                            "vertex {vertex} follows joint {slot} of its skin, which has {joint_count}; export the file \
                             again"
                        );
                        return Err(ImportError::InvalidData { at: at.clone(), problem });
                    }
                    influences.push((slot, weight));
                }
            }
        }
        stats.negative_count += usize::from(has_negative);
        let kept = normalize(&mut influences, vertex, &mut stats);
        if influences.is_empty() {
            let first = sets.first().and_then(|set| set.joints.get(vertex)).map_or(0, |[first, ..]| *first);
            influences.push((if (first as usize) < joint_count { first } else { 0 }, 1.0));
        }
        // Slots have at most 16 bits.
        used.extend(influences.iter().take(kept.max(1)).map(|&(slot, weight)| (SkinSlot(slot as u16), weight)));
        counts.push(kept.max(1) as u8);
    }
    stats.report(at, diagnostics);
    Ok((pad_influences(&used, &counts), stats.unnormalized))
}

/// Normalizes the weights of one vertex. Returns the number of influences to keep, which are moved to the front.
fn normalize(influences: &mut Vec<(u32, f32)>, vertex: usize, stats: &mut WeightStats) -> usize {
    let total: f64 = influences.iter().map(|(_, weight)| f64::from(*weight)).sum();
    if influences.is_empty() {
        stats.zero_count += 1;
        stats.unnormalized.push((vertex as u32, 0.0));
        return 0;
    }
    if (total - 1.0).abs() > f64::from(WEIGHT_SUM_TOLERANCE) * influences.len() as f64 {
        stats.unnormalized.push((vertex as u32, total as f32));
        stats.unnormalized_count += 1;
        if (total - 1.0).abs() > (stats.worst_sum - 1.0).abs() {
            stats.worst_sum = total;
        }
    }
    if influences.len() > Influences::MAX_PER_VERTEX {
        // Files with repeated joints are invalid, but lose nothing if there are few joints.
        influences.sort_by_key(|(slot, _)| *slot);
        influences.dedup_by(|(slot, weight), (kept_slot, kept)| {
            let is_same = slot == kept_slot;
            *kept += if is_same { *weight } else { 0.0 };
            is_same
        });
    }
    let mut sum = total;
    let kept = influences.len().min(Influences::MAX_PER_VERTEX);
    if influences.len() > kept {
        influences.sort_by(|a, b| b.1.total_cmp(&a.1));
        sum = influences.iter().take(kept).map(|(_, weight)| f64::from(*weight)).sum();
        let loss = (total - sum) / total;
        stats.truncated_count += 1;
        if loss > stats.worst_loss {
            (stats.worst_loss, stats.worst_vertex) = (loss, vertex);
        }
    }
    for (_, weight) in influences.iter_mut() {
        *weight = (f64::from(*weight) / sum) as f32;
    }
    kept
}

/// Pads the influences to the same number per vertex.
fn pad_influences(used: &[(SkinSlot, f32)], counts: &[u8]) -> Influences {
    let max = counts.iter().copied().max().unwrap_or(1);
    let per_vertex = usize::from(max).next_power_of_two().min(Influences::MAX_PER_VERTEX);
    let mut slots = Vec::with_capacity(counts.len() * per_vertex);
    let mut weights = Vec::with_capacity(counts.len() * per_vertex);
    let mut rest = used.iter();
    for (vertex, count) in counts.iter().enumerate() {
        for (slot, weight) in rest.by_ref().take(usize::from(*count)) {
            slots.push(*slot);
            weights.push(*weight);
        }
        slots.resize((vertex + 1) * per_vertex, SkinSlot::default());
        weights.resize((vertex + 1) * per_vertex, 0.0);
    }
    Influences { per_vertex, slots, weights }
}

impl WeightStats {
    fn report(&self, at: &JsonLocation, diagnostics: &mut Diagnostics) {
        let vertices =
            |count: usize, one: &str, many: &str| counted(count, &format!("vertex {one}"), &format!("vertices {many}"));
        if self.negative_count > 0 {
            let what = vertices(self.negative_count, "has a negative weight", "have negative weights");
            diagnostics.add(at, format!("{what}; they are replaced by 0"));
        }
        if self.zero_count > 0 {
            let what = vertices(self.zero_count, "has no weight and follows its", "have no weight and follow their");
            diagnostics.add(at, format!("{what} first joint; in Blender, assign them to a vertex group"));
        }
        if self.unnormalized_count > 0 {
            let what =
                vertices(self.unnormalized_count, "has weights whose sum is not 1", "have weights whose sum is not 1");
            let worst = self.worst_sum as f32;
            diagnostics.add(at, format!("{what} (such as {worst}); they are scaled; in Blender, use Normalize All"));
        }
        if self.truncated_count > 0 {
            let what = vertices(self.truncated_count, "has", "have");
            let (percent, vertex) = (self.worst_loss * 100.0, self.worst_vertex);
            diagnostics.add(
                at,
                format!(
                    "{what} more than 8 joints; the 8 strongest are kept, and at most {percent:.2} % of the weight is \
                     lost (vertex {vertex}); in Blender, use Limit Total"
                ),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(sets: &[InfluenceSet], joint_count: usize) -> (Result<Influences, ImportError>, Vec<String>) {
        let at = JsonLocation { pointer: "/meshes/0/primitives/0".into(), display_name: "mesh 0, primitive 0".into() };
        let mut diagnostics = Diagnostics::default();
        let influences =
            read(sets, sets[0].joints.len(), joint_count, &at, &mut diagnostics).map(|(influences, _)| influences);
        (influences, diagnostics.into_vec().into_iter().map(|notice| notice.message).collect())
    }

    fn one(joints: [u32; 4], weights: [f32; 4]) -> InfluenceSet {
        InfluenceSet { joints: vec![joints], weights: vec![weights] }
    }

    #[test]
    fn influences_per_vertex_are_minimal() {
        for (weights, count) in [
            ([1.0, 0.0, 0.0, 0.0], 1),
            ([0.0, 0.0, 0.5, 0.5], 2),
            ([0.0, 0.25, 0.25, 0.5], 4),
            ([0.25, 0.25, 0.25, 0.25], 4),
        ] {
            let (influences, diagnostics) = run(&[one([4, 5, 6, 7], weights)], 8);
            let influences = influences.unwrap();
            assert_eq!((influences.per_vertex, influences.slots.len(), diagnostics.len()), (count, count, 0));
        }
        let (influences, _) = run(&[one([4, 5, 6, 7], [0.0, 0.0, 0.25, 0.75])], 8);
        assert_eq!(influences.unwrap().of_vertex(0).collect::<Vec<_>>(), [(SkinSlot(6), 0.25), (SkinSlot(7), 0.75)]);
    }

    #[test]
    fn zero_and_negative_weights_are_repaired_and_reported() {
        let (influences, diagnostics) = run(&[one([3, 0, 0, 0], [0.0; 4])], 4);
        assert_eq!(influences.unwrap().of_vertex(0).collect::<Vec<_>>(), [(SkinSlot(3), 1.0)]);
        assert!(diagnostics[0].contains("1 vertex has no weight and follows its first joint"), "{diagnostics:?}");

        let (influences, diagnostics) = run(&[one([1, 2, 3, 0], [-0.5, 1.0, 3.0, 0.0])], 4);
        assert_eq!(influences.unwrap().of_vertex(0).collect::<Vec<_>>(), [(SkinSlot(2), 0.25), (SkinSlot(3), 0.75)]);
        assert!(diagnostics[0].contains("negative") && diagnostics[1].contains("such as 4)"), "{diagnostics:?}");
    }

    #[test]
    fn repeated_joints_are_merged_before_influences_are_left_out() {
        let sets = [one([0, 1, 2, 3], [0.1; 4]), one([4, 5, 0, 1], [0.1; 4]), one([2, 3, 4, 5], [0.05; 4])];
        let (influences, diagnostics) = run(&sets, 6);
        let influences: Vec<_> = influences.unwrap().of_vertex(0).filter(|(_, weight)| *weight > 0.0).collect();
        let total: f32 = influences.iter().map(|(_, weight)| weight).sum();
        assert!(
            influences.len() == 6 && (total - 1.0).abs() < 1e-6 && (influences[0].1 - 0.2).abs() < 1e-6,
            "{influences:?}"
        );
        assert!(!diagnostics.iter().any(|text| text.contains("lose")), "{diagnostics:?}");
    }

    #[test]
    fn unnormalized_weights_return_their_sums() {
        let at = JsonLocation { pointer: String::new(), display_name: "a primitive".into() };
        let weights = vec![[0.5, 0.5, 0.0, 0.0], [1.0, 0.5, 0.0, 0.0], [0.0; 4], [0.5, 0.49, 0.0, 0.0]];
        let set = InfluenceSet { joints: vec![[0, 1, 0, 0]; 4], weights };
        let (_, sums) = read(&[set], 4, 2, &at, &mut Diagnostics::default()).unwrap();
        assert_eq!(sums, [(1, 1.5), (2, 0.0), (3, 0.99)]);
    }

    #[test]
    fn joint_beyond_the_skin_is_an_error_only_with_weight() {
        assert!(run(&[one([0, 9, 0, 0], [1.0, 0.0, 0.0, 0.0])], 4).0.is_ok());
        assert_eq!(run(&[one([9, 0, 0, 0], [0.0; 4])], 4).0.unwrap().slots, [SkinSlot(0)]);
        let error = run(&[one([0, 9, 0, 0], [0.5, 0.5, 0.0, 0.0])], 4).0.unwrap_err().to_string();
        assert!(error.contains("vertex 0 follows joint 9 of its skin, which has 4"), "{error}");
        assert!(run(&[one([0; 4], [f32::NAN, 0.0, 0.0, 0.0])], 4).0.is_err());
    }
}
