//! Differences as lines of text.

use super::RigDiff;
use super::clips::ClipDiff;
use super::line::{DiffLine, DiffTarget};
use super::values::{Change, Changes, Extent};
use super::weights::WeightsDiff;
use rigview_core::util::text::{counted, one_line};

/// Maximum number of printed lines per section; `--json` has all.
const MAX_LINES: usize = 40;

/// Maximum number of lines in a summary.
const MAX_SUMMARY_LINES: usize = 4;

/// The last heading.
const NOT_COMPARED: &str = "not compared";

/// Maximum number of printed joints per clip and per mesh.
const MAX_SUBLINES: usize = 8;

impl RigDiff {
    /// Returns the texts of the [`lines`](Self::lines), each with a line feed.
    pub fn text(&self) -> String {
        self.lines().into_iter().map(|line| line.text + "\n").collect()
    }

    /// Returns the first differences in one line, such as for a notification.
    pub fn summary(&self) -> String {
        let lines = self.lines();
        let of_differences = lines.iter().take_while(|line| line.text != NOT_COMPARED);
        // Headings have no indent, and details of an item have a deeper one.
        let items: Vec<&str> =
            of_differences.filter_map(|line| line.text.strip_prefix("  ")).map(str::trim_start).collect();
        let mut parts: Vec<&str> = items.iter().take(MAX_SUMMARY_LINES).copied().collect();
        let more = format!("and {} more", items.len().saturating_sub(MAX_SUMMARY_LINES));
        if items.is_empty() {
            parts.push("no differences found");
        } else if items.len() > MAX_SUMMARY_LINES {
            parts.push(&more);
        }
        let not_compared = format!("not compared: {}", self.not_compared.join(", "));
        if items.is_empty() && !self.not_compared.is_empty() {
            parts.push(&not_compared);
        }
        parts.join("; ")
    }

    /// Returns one line per difference with the item that it describes: `+` added, `-` removed, `~` changed.
    pub fn lines(&self) -> Vec<DiffLine> {
        let mut out = Vec::new();
        let joints = &self.joints;
        let mut all = Vec::new();
        if joints.is_unrelated {
            all.push(untargeted("no joint of one is in the other, by path, name or place".to_owned()));
        }
        all.extend(lines('+', &joints.added, Some(DiffTarget::Joint)));
        all.extend(lines('-', &joints.removed, Some(DiffTarget::Joint)));
        all.extend(joints.renamed.iter().map(|joint| {
            let name = joint.after.rsplit('/').next().unwrap_or_default();
            line(format!("~ {} renamed to {name}", joint.before), DiffTarget::Joint(joint.before.clone()))
        }));
        all.extend(joints.reparented.iter().map(|joint| {
            line(format!("~ {} reparented to {}", joint.before, joint.after), DiffTarget::Joint(joint.before.clone()))
        }));
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
            if parts.is_empty() {
                parts.push("moved by less than is shown".to_owned());
            }
            line(format!("~ {}: {}", moved.joint, parts.join(", ")), DiffTarget::Joint(moved.joint.clone()))
        }));
        all.extend(joints.changed.iter().map(|change| change_line(change, Some(DiffTarget::Joint))));
        section(&mut out, "joints", all);
        let clips = &self.clips;
        let mut all =
            [lines('+', &clips.added, Some(DiffTarget::Clip)), lines('-', &clips.removed, Some(DiffTarget::Clip))]
                .concat();
        clips.changed.iter().for_each(|clip| add_clip_lines(&mut all, clip));
        section(&mut out, "clips", all);
        let mut all = Vec::new();
        self.weights.chunk_by(|a, b| a.mesh == b.mesh).for_each(|of_mesh| add_weight_lines(&mut all, of_mesh));
        section(&mut out, "weights", all);
        for (title, changes, target) in [
            ("skins", &self.skins, None),
            ("meshes", &self.meshes, Some(DiffTarget::Mesh as fn(String) -> DiffTarget)),
            ("materials", &self.materials, Some(DiffTarget::Material)),
            ("variants", &self.variants, None),
            ("textures", &self.textures, None),
            ("images", &self.images, None),
            ("cameras", &self.cameras, None),
            ("lights", &self.lights, None),
            ("scenes", &self.scenes, None),
            ("human bones", &self.human_bones, None),
            ("expressions", &self.expressions, None),
        ] {
            section(&mut out, title, change_lines(changes, target));
        }
        section(&mut out, "other JSON", self.other.iter().map(|change| change_line(change, None)).collect());
        if out.is_empty() {
            out.push(untargeted("no differences".to_owned()));
        }
        section(&mut out, NOT_COMPARED, self.not_compared.iter().cloned().map(untargeted).collect());
        out
    }
}

fn untargeted(text: String) -> DiffLine {
    DiffLine { text, target: None }
}

fn line(text: String, target: DiffTarget) -> DiffLine {
    DiffLine { text, target: Some(target) }
}

/// Returns a line per name.
fn lines(mark: char, names: &[String], target: Option<fn(String) -> DiffTarget>) -> Vec<DiffLine> {
    let line = |name: &String| DiffLine { text: format!("{mark} {name}"), target: target.map(|of| of(name.clone())) };
    names.iter().map(line).collect()
}

/// Returns the line of a changed property.
fn change_line(change: &Change, target: Option<fn(String) -> DiffTarget>) -> DiffLine {
    let Change { name, .. } = change;
    DiffLine { text: format!("~ {name}: {}", difference(change)), target: target.map(|of| of(name.clone())) }
}

/// Returns the property with its values, and the extent of a change of large data.
fn difference(change: &Change) -> String {
    let Change { name: _, what, before, after, extent } = change;
    match extent {
        None => format!("{what}: {before} -> {after}"),
        Some(Extent { elements, differing, largest, index }) => {
            let largest = short(*largest);
            format!(
                "{what}: {differing} of {elements} differ, up to {largest} at index {index}: ({before}) -> ({after})"
            )
        }
    }
}

/// Adds the line of a mesh and one line per joint, the largest difference first.
fn add_weight_lines(all: &mut Vec<DiffLine>, of_mesh: &[WeightsDiff]) {
    let mut joints: Vec<&WeightsDiff> = of_mesh.iter().collect();
    joints.sort_by(|a, b| b.largest.total_cmp(&a.largest));
    let difference = |weights: &WeightsDiff| match weights.changed {
        Some(changed) => format!("{}, up to {}", counted(changed, "vertex", "vertices"), short(weights.largest)),
        None => format!("different vertices, {} on average", short(weights.largest)),
    };
    let target = |weights: &WeightsDiff| DiffTarget::Weights(weights.joint.clone());
    let most = joints[0];
    let count = counted(joints.len(), "joint differ", "joints differ");
    let text = format!("~ {}: weights of {count}, most {} ({})", most.mesh, most.joint, difference(most));
    all.push(line(text, target(most)));
    if joints.len() == 1 {
        return;
    }
    for weights in joints.iter().take(MAX_SUBLINES) {
        let [before, after] = weights.vertices;
        let text = format!("    {}: {} (moves {before} -> {after})", weights.joint, difference(weights));
        all.push(line(text, target(weights)));
    }
    if let Some(next) = joints.get(MAX_SUBLINES) {
        let text = format!("    and {}", counted(joints.len() - MAX_SUBLINES, "more joint", "more joints"));
        all.push(line(text, target(next)));
    }
}

/// Adds the line of a clip and one line per curve.
fn add_clip_lines(all: &mut Vec<DiffLine>, clip: &ClipDiff) {
    let mut parts = Vec::new();
    let pair = |[a, b]: [usize; 2], what: &str| (a != b).then(|| format!("{a} -> {b} {what}"));
    let [a, b] = clip.duration_secs;
    parts.extend(((a - b).abs() > 1e-4).then(|| format!("{} -> {} s", short(a), short(b))));
    let [a, b] = clip.first_key_secs;
    parts.extend(((a - b).abs() > 1e-4).then(|| format!("first key {} -> {} s", short(a), short(b))));
    parts.extend(pair(clip.channels, "channels"));
    parts.extend(pair(clip.keys, "keys"));
    match clip.joints.len() {
        0 => {}
        1 => parts.push("1 joint moves differently".to_owned()),
        count => parts.push(format!("{count} joints move differently")),
    }
    if parts.is_empty() {
        parts.push(counted(clip.tracks.len(), "difference of tracks", "differences of tracks"));
    }
    all.push(line(format!("~ {}: {}", clip.clip, parts.join(", ")), DiffTarget::Clip(clip.clip.clone())));
    for curve in clip.joints.iter().take(MAX_SUBLINES) {
        // Invisible differences are only in the JSON output.
        let degrees = (curve.degrees > 0.005).then(|| format!("{}°", short(curve.degrees)));
        let distance = (curve.distance > 0.0).then(|| short(curve.distance));
        let differences: Vec<String> = degrees.into_iter().chain(distance).collect();
        let (difference, at) = (differences.join(" and "), short(curve.at_secs));
        let text = match difference.is_empty() {
            false => format!("    {}: up to {difference} apart, at {at} s", curve.joint),
            true => format!("    {}: scaled differently", curve.joint),
        };
        let (clip, joint) = (clip.clip.clone(), curve.joint.clone());
        all.push(line(text, DiffTarget::Curve { clip, joint, time_secs: curve.at_secs }));
    }
    let target = || DiffTarget::Clip(clip.clip.clone());
    for track in clip.tracks.iter().take(MAX_SUBLINES) {
        all.push(line(format!("    {}, {}", track.name, difference(track)), target()));
    }
    if clip.tracks.len() > MAX_SUBLINES {
        let text = counted(clip.tracks.len() - MAX_SUBLINES, "more difference of tracks", "more differences of tracks");
        all.push(line(format!("    and {text}"), target()));
    }
    if clip.joints.len() > MAX_SUBLINES {
        let text = format!("    and {}", counted(clip.joints.len() - MAX_SUBLINES, "more joint", "more joints"));
        all.push(line(text, DiffTarget::Clip(clip.clip.clone())));
    }
}

/// Lines of added, removed and changed items.
fn change_lines(changes: &Changes, target: Option<fn(String) -> DiffTarget>) -> Vec<DiffLine> {
    let Changes { added, removed, changed } = changes;
    let mut all = [lines('+', added, target), lines('-', removed, target)].concat();
    all.extend(changed.iter().map(|change| change_line(change, target)));
    all
}

fn section(out: &mut Vec<DiffLine>, title: &str, lines: Vec<DiffLine>) {
    if lines.is_empty() {
        return;
    }
    out.push(untargeted(title.to_owned()));
    let surplus = lines.len().saturating_sub(MAX_LINES);
    for DiffLine { text, target } in lines.into_iter().take(MAX_LINES) {
        out.push(DiffLine { text: format!("  {}", one_line(&text)), target });
    }
    if surplus > 0 {
        out.push(untargeted(format!("  and {surplus} more; use --json for all")));
    }
}

/// Formats a number with at most four decimals and no trailing zeros.
fn short(x: f64) -> String {
    let text = if x != 0.0 && x.abs() < 1e-3 { format!("{x:.2e}") } else { format!("{x:.4}") };
    let text = if text.contains('e') { text } else { text.trim_end_matches('0').trim_end_matches('.').to_owned() };
    if text == "-0" { "0".to_owned() } else { text }
}
