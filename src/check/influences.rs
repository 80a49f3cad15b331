//! Joints and weights of vertices, all sets of a primitive together.

use super::accessor_view::AccessorView;
use super::file::{CheckedFile, list, reference};
use super::issue::{JsonPath, Issues};
use super::references::PrimitiveSummary;
use crate::util::text::counted;
use std::collections::BTreeSet;

/// How far a sum of weights in single precision may be from 1, for each weight that is not zero.
const WEIGHT_SUM_TOLERANCE: f32 = 2e-7;

/// Checks the influences of every mesh that a node shows with a skin.
pub(super) fn check(file: &CheckedFile<'_>, meshes: &[Option<Vec<PrimitiveSummary>>], issues: &mut Issues) {
    // The smallest skin that each mesh is shown with.
    let mut limits: Vec<Option<(usize, usize)>> = vec![None; meshes.len()];
    for node in file.list("nodes") {
        let (Some(mesh), Some(skin)) = (reference(node, "mesh"), reference(node, "skin")) else { continue };
        let joints = file.element("skins", Some(skin)).map_or(0, |skin| list(skin, "joints").len());
        if let Some(limit) = limits.get_mut(mesh)
            && joints > 0
            && limit.is_none_or(|(least, _)| joints < least)
        {
            *limit = Some((joints, skin));
        }
    }
    let mut done = BTreeSet::new();
    let at_meshes = JsonPath::ROOT.key("meshes");
    for (i, (primitives, limit)) in meshes.iter().zip(&limits).enumerate() {
        let (Some(primitives), Some(limit)) = (primitives, limit) else { continue };
        let at = at_meshes.item(i);
        let at = at.key("primitives");
        for (k, primitive) in primitives.iter().enumerate() {
            if primitive.influence_sets > 0 && done.insert((primitive.influences.clone(), *limit)) {
                let at = at.item(k);
                check_primitive(file, primitive, *limit, &at.key("attributes"), issues);
            }
        }
    }
}

/// Which vertices have a fault, and how bad the first or worst is.
#[derive(Clone, Copy, Default)]
struct VertexTally {
    vertices: u64,
    first: u64,
    value: f64,
}

impl VertexTally {
    fn add(&mut self, vertex: u64, value: f64) {
        if self.vertices == 0 {
            (self.first, self.value) = (vertex, value);
        }
        self.vertices += 1;
    }
}

/// What is found out about the vertices of a primitive as a whole.
#[derive(Default)]
struct InfluenceStats {
    /// Vertices whose weights do not sum to 1; where the sum is farthest from it.
    off: VertexTally,
    /// Vertices without any weight.
    unbound: VertexTally,
    /// Vertices with more than 4 and with more than 8 influences; the largest share of weight beyond them, and where.
    beyond: [VertexTally; 2],
    most: usize,
}

impl InfluenceStats {
    fn sum(&mut self, vertex: u64, sum: f64) {
        if self.off.vertices == 0 || (sum - 1.0).abs() > (self.off.value - 1.0).abs() {
            (self.off.first, self.off.value) = (vertex, sum);
        }
        self.off.vertices += 1;
    }

    fn influences(&mut self, vertex: u64, weights: &mut [f64]) {
        if weights.is_empty() {
            self.unbound.add(vertex, 0.0);
        }
        self.most = self.most.max(weights.len());
        for (kept, tally) in [4, 8].into_iter().zip(&mut self.beyond) {
            if weights.len() > kept {
                weights.sort_by(|a, b| b.total_cmp(a));
                let share = weights[kept..].iter().sum::<f64>() / weights.iter().sum::<f64>();
                if share > tally.value {
                    (tally.first, tally.value) = (vertex, share);
                }
                tally.vertices += 1;
            }
        }
    }

    fn report(&self, at: &JsonPath<'_>, issues: &mut Issues) {
        if self.unbound.vertices > 0 {
            let message = format_args!(
                "{} bound to no joint, first {}: what is bound to none stays behind or flies to the origin; assign it to a vertex group in Blender",
                counted(self.unbound.vertices as usize, "vertex is", "vertices are"),
                self.unbound.first
            );
            issues.add("RIGVIEW_UNBOUND_VERTICES", at, message);
        }
        let codes = [("RIGVIEW_MANY_INFLUENCES", 4), ("RIGVIEW_INFLUENCES_TRUNCATED", 8)];
        for (tally, (code, kept)) in self.beyond.iter().zip(codes).filter(|(tally, _)| tally.vertices > 0) {
            let who = if kept == 8 { "rigview keeps" } else { "many viewers and engines keep" };
            let message = format_args!(
                "{} more than {kept} joints, up to {}; {who} {kept}, and lose up to {:.1} % of the weight (vertex {}); Limit Total to {kept} in Blender's Weight Paint (Weights menu)",
                counted(tally.vertices as usize, "vertex follows", "vertices follow"),
                self.most,
                tally.value * 100.0,
                tally.first
            );
            issues.add(code, at, message);
        }
    }
}

fn check_primitive(
    file: &CheckedFile<'_>,
    primitive: &PrimitiveSummary,
    limit: (usize, usize),
    at: &JsonPath<'_>,
    issues: &mut Issues,
) {
    let items = |index: Option<usize>| {
        let accessor = file.accessors.get(index?)?;
        let something = accessor.view.is_some() || accessor.sparse.is_some();
        let items = something.then(|| AccessorView::new(file, accessor)).flatten()?;
        (Some(items.count) == primitive.vertices && items.width == 4).then_some((items, accessor.normalized))
    };
    let sets: Option<Vec<_>> =
        primitive.influences.iter().map(|(joints, weights)| items(*joints).zip(items(*weights))).collect();
    let (Some(sets), Some(vertices)) = (sets, primitive.vertices) else { return };
    if !file.budget.take(vertices.saturating_mul(8 * (sets.len() * sets.len()) as u64)) {
        return issues.add(
            "RIGVIEW_CHECK_SKIPPED",
            at,
            format_args!("its influences are not checked: too many meshes share too many vertices"),
        );
    }

    let mut outside = vec![VertexTally::default(); sets.len()];
    let (mut twice, mut negative, mut idle) = (outside.clone(), outside.clone(), outside.clone());
    let mut found = InfluenceStats::default();
    let (mut joints, mut weights) = ([0.0; 16], [0.0; 16]);
    let mut seen: Vec<u32> = Vec::with_capacity(4 * sets.len());
    let mut own: Vec<f64> = Vec::with_capacity(4 * sets.len());
    for vertex in 0..vertices {
        seen.clear();
        own.clear();
        let (mut sum, mut tolerance) = (0.0f32, 0.0f32);
        for (n, ((joint_items, _), (weight_items, normalized))) in sets.iter().enumerate() {
            joint_items.get(vertex, &mut joints);
            weight_items.get(vertex, &mut weights);
            for (joint, weight) in joints.iter().zip(&weights).take(4) {
                let weight = if *normalized { weight_items.component.to_real(*weight) } else { *weight };
                if *joint >= limit.0 as f64 {
                    outside[n].add(vertex, *joint);
                } else if weight == 0.0 {
                    if *joint != 0.0 {
                        idle[n].add(vertex, *joint);
                    }
                } else {
                    own.push(weight);
                    let is_new = !seen.contains(&(*joint as u32));
                    if is_new {
                        seen.push(*joint as u32);
                    } else {
                        twice[n].add(vertex, *joint);
                    }
                    if weight < 0.0 {
                        negative[n].add(vertex, weight);
                    } else if is_new {
                        sum += weight as f32;
                        tolerance += WEIGHT_SUM_TOLERANCE;
                    }
                }
            }
        }
        if (sum - 1.0).abs() > tolerance {
            found.sum(vertex, sum.into());
        }
        found.influences(vertex, &mut own);
    }

    for n in 0..sets.len() {
        let (joints, weights) = (format!("JOINTS_{n}"), format!("WEIGHTS_{n}"));
        let (joints, weights) = (at.key(&joints), at.key(&weights));
        let mut report = |code, at: &JsonPath<'_>, tally: VertexTally, text: std::fmt::Arguments<'_>| {
            if tally.vertices > 0 {
                issues.add(code, at, text);
            }
        };
        let VertexTally { vertices, first, value } = outside[n];
        let text = format_args!(
            "{} {} does not have, first {value} at vertex {first}; it has {}: bind the mesh again and export",
            counted(vertices as usize, "influence names a joint that skin", "influences name joints that skin"),
            limit.1,
            limit.0
        );
        report("ACCESSOR_JOINTS_INDEX_OOB", &joints, outside[n], text);
        let VertexTally { vertices, first, value } = twice[n];
        let text = format_args!(
            "{} the vertex has already, first joint {value} at vertex {first}",
            counted(vertices as usize, "influence names a joint that", "influences name a joint that")
        );
        report("ACCESSOR_JOINTS_INDEX_DUPLICATE", &joints, twice[n], text);
        let VertexTally { vertices, first, .. } = idle[n];
        let text = format_args!(
            "{}, first at vertex {first}; it should be 0",
            counted(
                vertices as usize,
                "influence has weight 0 but names a joint",
                "influences have weight 0 but name a joint"
            )
        );
        report("ACCESSOR_JOINTS_USED_ZERO_WEIGHT", &joints, idle[n], text);
        let VertexTally { vertices, first, value } = negative[n];
        let text = format_args!(
            "{}, first {value} at vertex {first}; Normalize All in Blender's Weight Paint",
            counted(vertices as usize, "weight is negative", "weights are negative")
        );
        report("ACCESSOR_WEIGHTS_NEGATIVE", &weights, negative[n], text);
        let VertexTally { vertices, first, value } = found.off;
        let text = format_args!(
            "the weights of {} do not sum to 1, farthest {value} at vertex {first}; Normalize All in Blender's Weight Paint (Weights menu) and export again",
            counted(vertices as usize, "vertex", "vertices")
        );
        report("ACCESSOR_WEIGHTS_NON_NORMALIZED", &weights, found.off, text);
    }
    found.report(at, issues);
}
