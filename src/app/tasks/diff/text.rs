//! Differences as lines of text.

use super::RigDiff;
use super::clips::ClipDiff;
use super::meshes_and_materials::Changes;
use crate::util::text::{counted, one_line};
use std::fmt::Write;

/// Maximum number of printed lines per section; `--json` has all.
const MAX_LINES: usize = 40;

impl RigDiff {
    /// Returns one line per difference: `+` added, `-` removed, `~` changed.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        let joints = &self.joints;
        let mut all = [lines('+', &joints.added), lines('-', &joints.removed)].concat();
        all.extend(joints.reparented.iter().map(|joint| format!("~ {} reparented to {}", joint.before, joint.after)));
        all.extend(joints.moved.iter().map(|moved| {
            let mut parts = Vec::new();
            if moved.distance > 0.0 {
                let [x, y, z] = moved.offset.map(short);
                parts.push(format!("moved by {} ({x}, {y}, {z})", short(moved.distance)));
            }
            if moved.degrees > 0.005 {
                parts.push(format!("rotated by {}°", short(moved.degrees)));
            }
            if moved.scale.iter().any(|s| (s - 1.0).abs() > 1e-6) {
                parts.push(format!("scaled by {}", moved.scale.map(short).join(", ")));
            }
            format!("~ {}: {}", moved.joint, parts.join(", "))
        }));
        section(&mut out, "joints", all);
        let weights = self.weights.iter().map(|weights| {
            let [before, after] = weights.vertices;
            let changed = match weights.changed {
                Some(changed) => {
                    format!(
                        "{} by up to {}",
                        counted(changed, "vertex differs", "vertices differ"),
                        short(weights.largest)
                    )
                }
                None => format!("different vertices; the mean weight differs by {}", short(weights.largest)),
            };
            format!("~ {}: {}: {changed} (moves {before} -> {after})", weights.mesh, weights.joint)
        });
        section(&mut out, "weights", weights.collect());
        let clips = &self.clips;
        let mut all = [lines('+', &clips.added), lines('-', &clips.removed)].concat();
        clips.changed.iter().for_each(|clip| add_clip_lines(&mut all, clip));
        section(&mut out, "clips", all);
        for (kind, changes) in [("meshes", &self.meshes), ("materials", &self.materials)] {
            let Changes { added, removed, changed } = changes;
            let mut all = [lines('+', added), lines('-', removed)].concat();
            all.extend(
                changed
                    .iter()
                    .map(|change| format!("~ {}: {}: {} -> {}", change.name, change.what, change.before, change.after)),
            );
            section(&mut out, kind, all);
        }
        if out.is_empty() {
            out.push_str("the rigs are the same\n");
        }
        out
    }
}

/// Returns a line per name.
fn lines(mark: char, names: &[String]) -> Vec<String> {
    names.iter().map(|name| format!("{mark} {name}")).collect()
}

/// Adds the line of a clip and one line per curve.
fn add_clip_lines(all: &mut Vec<String>, clip: &ClipDiff) {
    let mut parts = Vec::new();
    let pair = |[a, b]: [usize; 2], what: &str| (a != b).then(|| format!("{a} -> {b} {what}"));
    let [a, b] = clip.duration_secs;
    parts.extend(((a - b).abs() > 1e-4).then(|| format!("{} -> {} s", short(a), short(b))));
    parts.extend(pair(clip.channels, "channels"));
    parts.extend(pair(clip.keys, "keys"));
    match clip.joints.len() {
        0 => {}
        1 => parts.push("1 joint moves differently".to_owned()),
        count => parts.push(format!("{count} joints move differently")),
    }
    all.push(format!("~ {}: {}", clip.clip, parts.join(", ")));
    for curve in clip.joints.iter().take(8) {
        // Invisible differences are only in the JSON output.
        let degrees = (curve.degrees > 0.005).then(|| format!("{}°", short(curve.degrees)));
        let distance = (curve.distance > 0.0).then(|| short(curve.distance));
        let differences: Vec<String> = degrees.into_iter().chain(distance).collect();
        let (difference, at) = (differences.join(" and "), short(curve.at_secs));
        all.push(match difference.is_empty() {
            false => format!("    {}: up to {difference} apart, at {at} s", curve.joint),
            true => format!("    {}: scaled differently", curve.joint),
        });
    }
    if clip.joints.len() > 8 {
        all.push(format!("    and {}", counted(clip.joints.len() - 8, "more joint", "more joints")));
    }
}

fn section(out: &mut String, title: &str, lines: Vec<String>) {
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(out, "{title}");
    for line in lines.iter().take(MAX_LINES) {
        let _ = writeln!(out, "  {}", one_line(line));
    }
    if lines.len() > MAX_LINES {
        let _ = writeln!(out, "  and {} more; use --json for all", lines.len() - MAX_LINES);
    }
}

/// Formats a number with at most four decimals and no trailing zeros.
fn short(x: f64) -> String {
    let text = if x != 0.0 && x.abs() < 1e-3 { format!("{x:.2e}") } else { format!("{x:.4}") };
    let text = if text.contains('e') { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() };
    if text == "-0" { "0".to_owned() } else { text }
}
