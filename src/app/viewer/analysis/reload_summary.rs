//! Summary of the changes of a reloaded file.

use crate::app::scene::LoadedScene;
use crate::app::viewer::analysis::outline::named;
use rigview_core::util::text::counted;
use std::collections::{BTreeMap, HashMap};

/// The compared properties of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ReloadSummary {
    /// Joint names with their counts.
    joints: BTreeMap<String, usize>,
    /// Names and durations of the clips.
    clips: Vec<(String, f32)>,
    vertices: u64,
    materials: usize,
    /// Size in meters.
    extent: [f64; 3],
}

const MAX_LISTED_NAMES: usize = 3;

impl ReloadSummary {
    pub(crate) fn new(scene: &LoadedScene) -> Self {
        let model = scene.model();
        let mut joints = BTreeMap::new();
        for joint in model.skeleton.joints() {
            *joints.entry(named(joint.name.as_deref(), "node", joint.node)).or_default() += 1;
        }
        let clips = model.clips.iter().enumerate();
        Self {
            joints,
            clips: clips.map(|(i, clip)| (named(clip.name.as_deref(), "clip", i), clip.duration_secs)).collect(),
            vertices: scene.layout().vertex_count(model),
            materials: model.materials.len(),
            extent: scene.bounds().extent().into(),
        }
    }

    /// Describes the changes in one line.
    pub(crate) fn changes(&self, after: &Self) -> String {
        let mut parts = Vec::new();
        let missing = |from: &BTreeMap<String, usize>, to: &BTreeMap<String, usize>| -> Vec<String> {
            let missing = from.iter().filter(|(name, count)| to.get(*name).copied().unwrap_or(0) < **count);
            missing.map(|(name, _)| name.clone()).collect()
        };
        list(&mut parts, missing(&self.joints, &after.joints), "joint", "removed");
        list(&mut parts, missing(&after.joints, &self.joints), "joint", "added");
        let (lengths_before, lengths_after) = (first_lengths(&self.clips), first_lengths(&after.clips));
        let only = |from: &[(String, f32)], to: &HashMap<&str, f32>| -> Vec<String> {
            let missing = from.iter().filter(|(name, _)| !to.contains_key(name.as_str()));
            missing.map(|(name, _)| name.clone()).collect()
        };
        list(&mut parts, only(&self.clips, &lengths_after), "clip", "removed");
        list(&mut parts, only(&after.clips, &lengths_before), "clip", "added");
        for (name, before) in &self.clips {
            let now = lengths_after.get(name.as_str());
            if let Some(now) = now.filter(|now| (*now - before).abs() >= 0.005) {
                parts.push(format!("{name}: {before:.2} s to {now:.2} s"));
            }
        }
        let count = |parts: &mut Vec<String>, [one, many]: [&str; 2], before: usize, after: usize| {
            if before != after {
                parts.push(format!("{} (was {before})", counted(after, one, many)));
            }
        };
        count(&mut parts, ["vertex", "vertices"], self.vertices as usize, after.vertices as usize);
        count(&mut parts, ["material", "materials"], self.materials, after.materials);
        let size = |[x, y, z]: [f64; 3]| format!("{x:.2} \u{d7} {y:.2} \u{d7} {z:.2} m");
        let largest = self.extent.iter().fold(0.0_f64, |largest, x| largest.max(*x));
        if self.extent.iter().zip(after.extent).any(|(before, now)| (before - now).abs() > 0.01 * largest) {
            parts.push(format!("size {} (was {})", size(after.extent), size(self.extent)));
        }
        if parts.is_empty() {
            return "Reloaded: no changes in joints, clips, vertices and size".to_owned();
        }
        format!("Reloaded: {}", parts.join("; "))
    }
}

/// Returns the length of the first clip of each name.
fn first_lengths(clips: &[(String, f32)]) -> HashMap<&str, f32> {
    clips.iter().rev().map(|(name, length)| (name.as_str(), *length)).collect()
}

/// A count with the first few names.
fn list(parts: &mut Vec<String>, names: Vec<String>, kind: &str, change: &str) {
    if names.is_empty() {
        return;
    }
    let plural = if names.len() == 1 { "" } else { "s" };
    let more = if names.len() > MAX_LISTED_NAMES { ", ..." } else { "" };
    let listed = names.iter().take(MAX_LISTED_NAMES).cloned().collect::<Vec<_>>().join(", ");
    parts.push(format!("{} {kind}{plural} {change} ({listed}{more})", names.len()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(joints: &[&str], clips: &[(&str, f32)], vertices: u64) -> ReloadSummary {
        let mut summary = ReloadSummary { vertices, extent: [1.0, 2.0, 1.0], ..ReloadSummary::default() };
        joints.iter().for_each(|joint| *summary.joints.entry((*joint).to_owned()).or_default() += 1);
        summary.clips = clips.iter().map(|(name, length)| ((*name).to_owned(), *length)).collect();
        summary
    }

    #[test]
    fn equal_models_have_no_changes() {
        let same = summary(&["a"], &[("Walk", 1.0)], 3);
        assert!(same.changes(&same).starts_with("Reloaded: no changes"));
    }

    #[test]
    fn changes_of_joints_clips_and_vertices_are_listed() {
        let before = summary(&["hips", "tail", "tail"], &[("Walk", 1.0), ("Run", 0.5)], 300);
        let mut after = summary(&["hips", "tail", "a", "b", "c", "d"], &[("Walk", 1.5), ("Idle", 2.0)], 301);
        after.extent[1] = 2.5;
        assert_eq!(
            before.changes(&after),
            "Reloaded: 1 joint removed (tail); 4 joints added (a, b, c, ...); 1 clip removed (Run); 1 clip added (Idle); \
             Walk: 1.00 s to 1.50 s; 301 vertices (was 300); size 1.00 \u{d7} 2.50 \u{d7} 1.00 m (was 1.00 \u{d7} \
             2.00 \u{d7} 1.00 m)"
        );
    }
}
