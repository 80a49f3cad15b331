//! Joints and weights of vertices, across all sets of a primitive.

use super::accessor_view::AccessorView;
use super::checked_file::CheckedFile;
use super::data_rules::Tally;
use super::issue::Issues;
use super::json_path::JsonPath;
use super::json_values::{array, reference};
use super::reference_pass::{MeshSummary, PrimitiveSummary};
use rigview_core::gltf_format::WEIGHT_SUM_TOLERANCE;
use rigview_core::util::text::counted;
use std::collections::BTreeSet;

/// The smallest skin that a mesh is used with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct SmallestSkin {
    joint_count: usize,
    skin: usize,
}

/// Checks the influences of every mesh that a node uses with a skin.
pub(super) fn check(file: &CheckedFile<'_>, meshes: &[Option<MeshSummary>], issues: &mut Issues) {
    let mut skins: Vec<Option<SmallestSkin>> = vec![None; meshes.len()];
    for node in file.array("nodes") {
        let (Some(mesh), Some(skin)) = (reference(node, "mesh"), reference(node, "skin")) else { continue };
        let joint_count = file.element("skins", Some(skin)).map_or(0, |skin| array(skin, "joints").len());
        if let Some(smallest) = skins.get_mut(mesh)
            && joint_count > 0
            && smallest.is_none_or(|smallest| joint_count < smallest.joint_count)
        {
            *smallest = Some(SmallestSkin { joint_count, skin });
        }
    }
    let mut done = BTreeSet::new();
    let at_meshes = JsonPath::ROOT.key("meshes");
    for (i, (mesh, skin)) in meshes.iter().zip(&skins).enumerate() {
        let (Some(mesh), Some(skin)) = (mesh, skin) else { continue };
        let at = at_meshes.item(i);
        let at = at.key("primitives");
        for (k, primitive) in mesh.primitives.iter().enumerate() {
            if primitive.influence_sets > 0 && done.insert((primitive.influences.clone(), *skin)) {
                let at = at.item(k);
                check_primitive(file, primitive, *skin, &at.key("attributes"), issues);
            }
        }
    }
}

/// Statistics over the vertices of a primitive.
#[derive(Default)]
struct VertexStats {
    /// Vertices whose weights do not sum to 1, with the sum farthest from 1.
    unnormalized: Tally,
    unbound: Tally,
    /// Vertices with more than 4, and with more than 8 influences, with the largest fraction of weight beyond them.
    truncated: [Tally; 2],
    max_influences: usize,
}

impl VertexStats {
    fn add(&mut self, vertex: u64, weights: &mut [f64]) {
        self.unbound.add(weights.is_empty(), vertex, 0.0);
        self.max_influences = self.max_influences.max(weights.len());
        for (kept, tally) in [4, 8].into_iter().zip(&mut self.truncated) {
            if weights.len() > kept {
                weights.sort_by(|a, b| b.total_cmp(a));
                let lost = weights[kept..].iter().sum::<f64>() / weights.iter().sum::<f64>();
                if lost > tally.value {
                    (tally.first, tally.value) = (vertex, lost);
                }
                tally.count += 1;
            }
        }
    }

    fn add_unnormalized(&mut self, vertex: u64, sum: f64) {
        if self.unnormalized.count == 0 || (sum - 1.0).abs() > (self.unnormalized.value - 1.0).abs() {
            (self.unnormalized.first, self.unnormalized.value) = (vertex, sum);
        }
        self.unnormalized.count += 1;
    }

    fn report(&self, at: &JsonPath<'_>, issues: &mut Issues) {
        if self.unbound.count > 0 {
            let message = format_args!(
                "{} bound to no joint, first {}: it stays behind or moves to the origin; assign it to a vertex group in Blender",
                counted(self.unbound.count as usize, "vertex is", "vertices are"),
                self.unbound.first
            );
            issues.add("RIGVIEW_UNBOUND_VERTICES", at, message);
        }
        let codes = [("RIGVIEW_MANY_INFLUENCES", 4), ("RIGVIEW_INFLUENCES_TRUNCATED", 8)];
        for (tally, (code, kept)) in self.truncated.iter().zip(codes).filter(|(tally, _)| tally.count > 0) {
            let loss =
                if kept == 8 { "rigview keeps 8, and loses" } else { "many viewers and engines keep 4, and lose" };
            let message = format_args!(
                "{} more than {kept} joints, up to {}; {loss} up to {:.1} % of the weight (vertex {}); Limit Total to {kept} in Blender's Weight Paint (Weights menu)",
                counted(tally.count as usize, "vertex follows", "vertices follow"),
                self.max_influences,
                tally.value * 100.0,
                tally.first
            );
            issues.add(code, at, message);
        }
    }
}

/// One set of JOINTS_n and WEIGHTS_n.
struct InfluenceSet<'a> {
    joints: AccessorView<'a>,
    weights: AccessorView<'a>,
    out_of_range: Tally,
    duplicate: Tally,
    zero_weight: Tally,
    negative: Tally,
}

impl<'a> InfluenceSet<'a> {
    /// Returns `None` for malformed or missing data.
    fn new(
        file: &'a CheckedFile<'_>,
        (joints, weights): (Option<usize>, Option<usize>),
        vertices: u64,
    ) -> Option<Self> {
        let view = |index: Option<usize>| {
            let accessor = file.accessors.get(index?)?;
            let has_data = accessor.view.is_some() || accessor.sparse.is_some();
            let view = has_data.then(|| AccessorView::new(file, accessor)).flatten()?;
            (view.count == vertices && view.component_count == 4).then_some(view)
        };
        let [out_of_range, duplicate, zero_weight, negative] = [Tally::default(); 4];
        let (joints, weights) = (view(joints)?, view(weights)?);
        Some(Self { joints, weights, out_of_range, duplicate, zero_weight, negative })
    }

    fn report(&self, n: usize, skin: SmallestSkin, stats: &VertexStats, at: &JsonPath<'_>, issues: &mut Issues) {
        let (joints, weights) = (format!("JOINTS_{n}"), format!("WEIGHTS_{n}"));
        let mut add = |code, key: &str, tally: Tally, [one, many]: [&str; 2], rest: std::fmt::Arguments<'_>| {
            if tally.count > 0 {
                issues.add(code, at.key(key), format_args!("{}{rest}", counted(tally.count as usize, one, many)));
            }
        };
        let Tally { first, value, .. } = self.out_of_range;
        let SmallestSkin { joint_count, skin } = skin;
        let rest = format_args!(
            " outside skin {skin}, first {value} at vertex {first}; it has {joint_count}: bind the mesh again and export"
        );
        let noun = ["influence refers to a joint", "influences refer to joints"];
        add("ACCESSOR_JOINTS_INDEX_OOB", &joints, self.out_of_range, noun, rest);
        let Tally { first, value, .. } = self.duplicate;
        let rest = format_args!(" a joint of the same vertex, first joint {value} at vertex {first}");
        let noun = ["influence repeats", "influences repeat"];
        add("ACCESSOR_JOINTS_INDEX_DUPLICATE", &joints, self.duplicate, noun, rest);
        let rest = format_args!(" a joint other than 0, first at vertex {}; it should be 0", self.zero_weight.first);
        let noun = ["influence of weight 0 has", "influences of weight 0 have"];
        add("ACCESSOR_JOINTS_USED_ZERO_WEIGHT", &joints, self.zero_weight, noun, rest);
        let Tally { first, value, .. } = self.negative;
        let rest = format_args!(", first {value} at vertex {first}; Normalize All in Blender's Weight Paint");
        let noun = ["weight is negative", "weights are negative"];
        add("ACCESSOR_WEIGHTS_NEGATIVE", &weights, self.negative, noun, rest);
        let Tally { first, value, .. } = stats.unnormalized;
        let rest = format_args!(
            " not 1, farthest {value} at vertex {first}; Normalize All in Blender's Weight Paint (Weights menu) and export again"
        );
        let noun = ["vertex has weights whose sum is", "vertices have weights whose sum is"];
        add("ACCESSOR_WEIGHTS_NON_NORMALIZED", &weights, stats.unnormalized, noun, rest);
    }
}

fn check_primitive(
    file: &CheckedFile<'_>,
    primitive: &PrimitiveSummary,
    skin: SmallestSkin,
    at: &JsonPath<'_>,
    issues: &mut Issues,
) {
    let Some(vertices) = primitive.vertices else { return };
    let sets: Option<Vec<_>> =
        primitive.influences.iter().map(|accessors| InfluenceSet::new(file, *accessors, vertices)).collect();
    let Some(mut sets) = sets else { return };
    // Duplicates are found by comparing all influences of a vertex.
    if !file.budget.spend(vertices.saturating_mul(8 * (sets.len() * sets.len()) as u64)) {
        let message = format_args!("its influences are not checked: too many meshes share too many vertices");
        return issues.add("RIGVIEW_CHECK_SKIPPED", at, message);
    }

    let mut stats = VertexStats::default();
    let (mut joints, mut weights) = ([0.0; 16], [0.0; 16]);
    let mut vertex_joints: Vec<u32> = Vec::with_capacity(4 * sets.len());
    let mut vertex_weights: Vec<f64> = Vec::with_capacity(4 * sets.len());
    for vertex in 0..vertices {
        vertex_joints.clear();
        vertex_weights.clear();
        let (mut sum, mut tolerance) = (0.0f32, 0.0f32);
        for set in &mut sets {
            set.joints.get(vertex, &mut joints);
            set.weights.get(vertex, &mut weights);
            for (joint, weight) in joints.iter().zip(&weights).take(4) {
                let format = set.weights.format;
                let weight = if format.normalized { format.component.normalize(*weight) } else { *weight };
                if *joint >= skin.joint_count as f64 {
                    set.out_of_range.add(true, vertex, *joint);
                } else if weight == 0.0 {
                    set.zero_weight.add(*joint != 0.0, vertex, *joint);
                } else {
                    vertex_weights.push(weight);
                    let is_new = !vertex_joints.contains(&(*joint as u32));
                    if is_new {
                        vertex_joints.push(*joint as u32);
                    }
                    set.duplicate.add(!is_new, vertex, *joint);
                    set.negative.add(weight < 0.0, vertex, weight);
                    if is_new && (weight >= 0.0 || weight.is_nan()) {
                        sum += weight as f32;
                        tolerance += WEIGHT_SUM_TOLERANCE;
                    }
                }
            }
        }
        if (sum - 1.0).abs() > tolerance {
            stats.add_unnormalized(vertex, sum.into());
        }
        stats.add(vertex, &mut vertex_weights);
    }
    for (n, set) in sets.iter().enumerate() {
        set.report(n, skin, &stats, at, issues);
    }
    stats.report(at, issues);
}
