//! Text output of `rigview info`.

use super::model_info::Info;
use crate::app::console::report::Lines;
use rigview_check::moving_parts::part_lines;
use rigview_core::import::BVH_GENERATOR;

/// Maximum number of moving parts that a clip lists.
const MAX_PARTS: usize = 6;

/// Titles of the columns of [`Info::row`].
pub(crate) fn table_header() -> String {
    let titles = ["size", "triangles", "vertices", "joints", "clips", "materials", "notices"];
    titles.map(|title| format!("{title:>10}")).concat() + "  file"
}

impl Info {
    /// One line of a table of several files.
    pub(crate) fn row(&self) -> String {
        let (totals, size) = (&self.totals, size(self.size_bytes));
        let counts = [
            totals.triangles,
            totals.vertices,
            totals.skin_joints,
            self.clips.len(),
            totals.materials,
            self.notices.len(),
        ];
        format!("{size:>10}{}  {}", counts.map(|count| format!("{count:>10}")).concat(), self.file)
    }

    pub(crate) fn lines(&self) -> Lines {
        let mut lines = Lines::default();
        let out = &mut lines;
        let totals = &self.totals;
        out.push(format_args!("{}: {}", self.file, size(self.size_bytes)));
        let own = [("generator", &self.generator), ("copyright", &self.copyright)].into_iter();
        let own = own.filter_map(|(name, value)| Some((name, value.as_ref()?)));
        let all = own.chain(self.metadata.iter().map(|(name, value)| (name.as_str(), value)));
        all.for_each(|(name, value)| out.push(format_args!("  {name}: {value}")));
        out.push(format_args!(
            "  drawn: {} in {}, {}, {}",
            count(totals.triangles, "triangle"),
            count(totals.draws, "draw"),
            count(totals.vertices, "vertex"),
            count(totals.matrices as usize, "matrix"),
        ));
        if totals.draws == 0 && totals.joints > 0 {
            out.push(format_args!(
                "  skeleton: {}, shown as bones, since there is no mesh",
                count(totals.joints, "joint")
            ));
        }
        out.push(format_args!(
            "  uses: {}, {}, {} of textures on the GPU",
            count(totals.skin_joints, "skin joint"),
            count(totals.materials, "material"),
            size(totals.texture_bytes),
        ));
        out.push(format_args!(
            "  palette: {} per instance ({})",
            size(totals.palette_bytes_per_instance as u64),
            totals.packing
        ));
        if let Some([min, max]) = totals.bounds {
            let [x, y, z] = [0, 1, 2].map(|i| max[i] - min[i]);
            let is_bvh = self.generator.as_deref() == Some(BVH_GENERATOR);
            let unit = if is_bvh { "in the unit of the file, usually centimeters" } else { "m" };
            let title = if self.clips.is_empty() { "size" } else { "size over the first clip" };
            out.push(format_args!("  {title}: {x:.3} x {y:.3} x {z:.3} {unit}"));
        }
        self.push_items(out);
        self.push_extensions_and_notices(out);
        lines
    }

    /// Adds a section for each kind of item.
    fn push_items(&self, out: &mut Lines) {
        section(out, "scene", &self.scenes, |scene| {
            format!(
                "{}, {} with a mesh{}",
                name(&scene.name),
                count(scene.drawn_nodes, "node"),
                if scene.is_default { ", shown by default" } else { "" }
            )
        });
        out.push("");
        out.push(count(self.nodes.len(), "node"));
        section(out, "mesh", &self.meshes, |mesh| {
            let vertices = mesh.primitives.iter().map(|p| p.vertices).sum();
            let influences = mesh.primitives.iter().map(|p| p.influences_per_vertex).max().unwrap_or(0);
            let mut line = format!(
                "{}: {}, {}",
                name(&mesh.name),
                count(vertices, "vertex"),
                count(mesh.primitives.len(), "primitive")
            );
            if influences > 0 {
                line += &format!(", up to {} per vertex", count(influences, "joint"));
            }
            if mesh.morph_targets > 0 {
                line += &format!(", {}", count(mesh.morph_targets, "morph target"));
            }
            line
        });
        section(out, "skin", &self.skins, |skin| {
            format!("{}: {}", name(&skin.name), count(skin.joints.len(), "joint"))
        });
        section_with_details(out, "clip", &self.clips, |clip| {
            let lead_in = if clip.first_key_secs > 0.0 {
                format!(" (first key at {:.3} s)", clip.first_key_secs)
            } else {
                String::new()
            };
            let line = format!(
                "{}: {:.3} s{lead_in}, {} of {}, {}",
                name(&clip.name),
                clip.duration_secs,
                clip.moves.join(", "),
                count(clip.joints_moved, "joint"),
                count(clip.keys, "key"),
            );
            let (mut details, others) = part_lines(&clip.moving_parts, MAX_PARTS);
            if others > 0 && !details.is_empty() {
                details.push(format!("and {}: rigview info --json", count(others, "other moving joint")));
            }
            (line, details)
        });
        section(out, "material", &self.materials, |material| {
            let mut parts = vec![material.alpha_mode.to_owned()];
            if material.double_sided {
                parts.push("double-sided".to_owned());
            }
            if material.unlit {
                parts.push("unlit".to_owned());
            }
            if !material.textures.is_empty() {
                parts.push(format!("textures: {}", material.textures.join(", ")));
            }
            format!("{}: {}", name(&material.name), parts.join(", "))
        });
        section(out, "variant", &self.variants, name);
        section(out, "image", &self.images, |image| {
            format!(
                "{}: {} x {}, {}, {}",
                name(&image.name),
                image.width,
                image.height,
                image.mime_type.unwrap_or("unknown format"),
                image.size_bytes.map_or_else(|| "not readable".to_owned(), |bytes| size(bytes as u64)),
            )
        });
        section(out, "camera", &self.cameras, |camera| format!("{}: {}", name(&camera.name), camera.projection))
    }

    fn push_extensions_and_notices(&self, out: &mut Lines) {
        if !self.extensions_used.is_empty() {
            out.push("");
            out.push(format_args!("extensions: {}", self.extensions_used.join(", ")));
        }
        if !self.extensions_required.is_empty() {
            out.push(format_args!("required: {}", self.extensions_required.join(", ")));
        }
        out.push("");
        if self.notices.is_empty() {
            return out.push("no notices");
        }
        out.push("notices:");
        for notice in &self.notices {
            out.push(format_args!("  {}", notice.message));
        }
    }
}

fn name(name: &Option<String>) -> String {
    name.clone().unwrap_or_else(|| "(unnamed)".to_owned())
}

/// Adds a heading with the number of items, and a numbered line per item.
fn section<T>(out: &mut Lines, kind: &str, items: &[T], line: impl Fn(&T) -> String) {
    section_with_details(out, kind, items, |item| (line(item), Vec::new()));
}

/// Adds a line for each item, and its details below.
fn section_with_details<T>(out: &mut Lines, kind: &str, items: &[T], lines: impl Fn(&T) -> (String, Vec<String>)) {
    if items.is_empty() {
        return;
    }
    out.push("");
    out.push(count(items.len(), kind));
    for (number, item) in items.iter().enumerate() {
        let (line, details) = lines(item);
        out.push(format_args!("  {number} {line}"));
        details.iter().for_each(|detail| out.push(format_args!("      {detail}")));
    }
}

fn count(number: usize, noun: &str) -> String {
    let plural = match noun {
        "vertex" => "vertices".to_owned(),
        "matrix" => "matrices".to_owned(),
        "mesh" => "meshes".to_owned(),
        _ => format!("{noun}s"),
    };
    format!("{number} {}", if number == 1 { noun } else { &plural })
}

fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..10_000_000 => format!("{:.0} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}
