//! Compares poses, and validates baked files.

use super::reference::{
    Direction, Document, PosedCrowd, PosedPrimitive, Vec3, Winding, distance, drawn_triangles, length,
};
use super::reference::{list, number, numbers};
use super::tolerance;
use serde_json::Value;

/// Maximum number of reported lines.
const LINES: usize = 12;

/// Reported differences.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    /// The first lines.
    lines: Vec<String>,
    /// Total number.
    count: usize,
}

impl Faults {
    /// Adds a line.
    pub(crate) fn add(&mut self, line: String) {
        self.count += 1;
        if self.lines.len() < LINES {
            self.lines.push(line);
        }
    }

    /// Adds a line unless the condition holds.
    fn unless(&mut self, holds: bool, line: impl FnOnce() -> String) {
        if !holds {
            self.add(line());
        }
    }

    /// `Ok` without lines, otherwise all lines with a title.
    pub(crate) fn under(self, title: &str) -> Result<(), String> {
        if self.count == 0 {
            return Ok(());
        }
        let more = self.count - self.lines.len();
        let rest = if more > 0 { format!("\n  and {more} more") } else { String::new() };
        Err(format!("{title}\n  {}{rest}", self.lines.join("\n  ")))
    }
}

/// Compares a pose with the expected pose.
///
/// `share` is the maximum distance of two positions, relative to the size of the model. Order and number of vertices and
/// triangles must be equal.
pub(crate) fn compare(title: &str, expected: &PosedCrowd, actual: &PosedCrowd, share: f64) -> Result<(), String> {
    let mut faults = Faults::default();
    let counts = [expected, actual].map(|posed| posed.meshes.len());
    faults.unless(counts[0] == counts[1], || format!("expected {} drawn meshes, found {}", counts[0], counts[1]));
    let size = expected.size();
    for (i, (expected, actual)) in expected.meshes.iter().zip(&actual.meshes).enumerate() {
        let label = format!("drawn mesh {i} of {}", expected.label);
        let counts = [expected, actual].map(|mesh| mesh.primitives.len());
        faults.unless(counts[0] == counts[1], || {
            format!("{label}: expected {} primitives, found {}", counts[0], counts[1])
        });
        for (expected, actual) in expected.primitives.iter().zip(&actual.primitives) {
            let label = format!("{label}, primitive {}", expected.number);
            compare_primitive(&label, expected, actual, share * size, &mut faults);
        }
    }
    faults.under(title)
}

/// Compares a primitive; `allowed` is the maximum distance.
fn compare_primitive(
    label: &str,
    expected: &PosedPrimitive,
    actual: &PosedPrimitive,
    allowed: f64,
    faults: &mut Faults,
) {
    faults.unless(expected.material == actual.material, || {
        format!("{label}: expected material {:?}, found {:?}", expected.material, actual.material)
    });
    compare_positions(label, &expected.positions, &actual.positions, allowed, faults);
    compare_directions(&format!("{label}, normal"), &expected.normals, &actual.normals, faults);
    compare_directions(&format!("{label}, tangent"), &expected.tangents, &actual.tangents, faults);
    for (name, expected, actual) in
        [("TEXCOORD", &expected.tex_coords, &actual.tex_coords), ("COLOR", &expected.colors, &actual.colors)]
    {
        for (set, expected) in expected {
            // Only the first color set is supported.
            if name == "COLOR" && *set > 0 {
                continue;
            }
            let Some(actual) = actual.get(set) else {
                faults.add(format!("{label}: {name}_{set} is lost"));
                continue;
            };
            let worst = (0..expected.len().min(actual.len()))
                .map(|v| (v, expected[v].iter().zip(&actual[v]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)))
                .fold((0, 0.0), |worst, next| if next.1 > worst.1 { next } else { worst });
            let largest = expected.iter().flatten().fold(1.0_f64, |largest, x| largest.max(x.abs()));
            faults.unless(worst.1 <= tolerance::PASSED_THROUGH * largest && expected.len() == actual.len(), || {
                let (a, b) = (expected.get(worst.0), actual.get(worst.0));
                format!("{label}, {name}_{set}, vertex {}: expected {a:?}, found {b:?}", worst.0)
            });
        }
    }
    compare_elements(label, expected, actual, faults);
}

/// Compares positions and names the worst vertex.
fn compare_positions(label: &str, expected: &[Vec3], actual: &[Vec3], allowed: f64, faults: &mut Faults) {
    if expected.len() != actual.len() {
        faults.add(format!("{label}: expected {} vertices, found {}", expected.len(), actual.len()));
        return;
    }
    let mut worst = (0.0, 0, 0.0);
    let mut wrong = 0;
    for (vertex, (a, b)) in expected.iter().zip(actual).enumerate() {
        let error = distance(*a, *b);
        let allowed = allowed + tolerance::STORAGE * length(a);
        // NaN exceeds any limit.
        if !error.le(&allowed) {
            wrong += 1;
        }
        let excess = if error.is_finite() { error / allowed.max(f64::MIN_POSITIVE) } else { f64::INFINITY };
        if excess > worst.0 {
            worst = (excess, vertex, error);
        }
    }
    let (excess, vertex, error) = worst;
    faults.unless(wrong == 0, || {
        let (a, b) = (expected[vertex], actual[vertex]);
        format!(
            "{label}, vertex {vertex}: expected {a:?}, found {b:?}: {error:.3e} apart, {excess:.1} times the allowed \
             {allowed:.3e}; {wrong} of {} vertices are wrong",
            expected.len(),
        )
    });
}

/// Compares unit vectors where the expected direction is defined.
fn compare_directions(
    label: &str,
    expected: &Option<Vec<Direction>>,
    actual: &Option<Vec<Direction>>,
    faults: &mut Faults,
) {
    let (Some(expected), Some(actual)) = (expected, actual) else {
        faults.unless(expected.is_none() == actual.is_none(), || {
            format!("{label}s: expected {}, found {}", expected.is_some(), actual.is_some())
        });
        return;
    };
    let mut worst: Option<(f64, usize)> = None;
    for (vertex, (a, b)) in expected.iter().zip(actual).enumerate() {
        let allowed = tolerance::DIRECTION * a.amplification.max(1.0);
        if a.amplification > tolerance::AMPLIFICATION_OF_NOISE {
            continue;
        }
        let turned = a.vector.map(|x| -x);
        let either = if a.flattened { distance(turned, b.vector) } else { f64::INFINITY };
        let error = distance(a.vector, b.vector).min(either);
        let error = if error.is_nan() || (a.w != b.w && !a.flattened) { f64::INFINITY } else { error };
        if error > allowed && worst.is_none_or(|(excess, _)| error / allowed > excess) {
            worst = Some((error / allowed, vertex));
        }
    }
    if let Some((excess, vertex)) = worst {
        let (a, b) = (&expected[vertex], &actual[vertex]);
        faults.add(format!(
            "{label} of vertex {vertex}: expected {:?} w {}, found {:?} w {}: {excess:.1} times the allowed difference",
            a.vector, a.w, b.vector, b.w,
        ));
    }
}

/// Compares topology and winding.
fn compare_elements(label: &str, expected: &PosedPrimitive, actual: &PosedPrimitive, faults: &mut Faults) {
    let is_chain = matches!(expected.mode, 5 | 6);
    let modes: &[usize] = match expected.winding {
        // Reversing a strip or fan changes the order of its triangles; reversing a list does not.
        Winding::Flipped if is_chain => &[4],
        Winding::Free if is_chain => &[expected.mode, 4],
        _ => &[expected.mode],
    };
    // Primitives with too few vertices may have any mode that draws nothing.
    let nothing = matches!(expected.mode, 4..=6) && expected.triangles().is_empty();
    faults.unless(modes.contains(&actual.mode) || (nothing && matches!(actual.mode, 4..=6)), || {
        format!("{label}: expected mode {modes:?}, found {}", actual.mode)
    });
    let (wanted, found) = if matches!(expected.mode, 4..=6) {
        let free = expected.winding == Winding::Free;
        (comparable(&expected.triangles(), free), comparable(&actual.triangles(), free))
    } else {
        (expected.indices.clone(), actual.indices.clone())
    };
    if wanted != found {
        let place = wanted.iter().zip(&found).position(|(a, b)| a != b).unwrap_or(wanted.len().min(found.len()));
        let around = |list: &[usize]| list[place / 3 * 3..(place / 3 * 3 + 3).min(list.len())].to_vec();
        faults.add(format!(
            "{label}: {} corners expected, {} found; from corner {} on expected {:?}, found {:?}",
            wanted.len(),
            found.len(),
            place / 3 * 3,
            around(&wanted),
            around(&found),
        ));
    }
}

/// Vertices of triangles with an area, each starting at its smallest index; sorted if the winding is undefined.
fn comparable(triangles: &[[usize; 3]], free: bool) -> Vec<usize> {
    let rotated = triangles.iter().filter(|[a, b, c]| a != b && b != c && c != a).map(|triangle| {
        let mut corners = *triangle;
        let smallest = (0..3).min_by_key(|i| corners[*i]).expect("three corners");
        corners.rotate_left(smallest);
        if free {
            corners.sort_unstable();
        }
        corners
    });
    rotated.flatten().collect()
}

impl PosedPrimitive {
    /// The expected triangles with counter-clockwise fronts.
    pub(crate) fn triangles(&self) -> Vec<[usize; 3]> {
        let mut triangles = drawn_triangles(self.mode, &self.indices);
        if self.winding == Winding::Flipped {
            triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        triangles
    }
}

/// Validates a baked file: static, without skins and animations.
pub(crate) fn check_form(title: &str, baked: &Document) -> Result<(), String> {
    let mut faults = Faults::default();
    let json = &baked.json;
    faults.unless(json["asset"]["version"] == "2.0", || "asset.version is not 2.0".to_owned());
    for left in ["skins", "animations"] {
        faults.unless(json.get(left).is_none(), || format!("/{left} is left"));
    }
    check_scene(baked, &mut faults);
    for (i, view) in list(json, "bufferViews").iter().enumerate() {
        let start = number(view, "byteOffset").unwrap_or(0);
        faults
            .unless(start.is_multiple_of(4), || format!("/bufferViews/{i}: byteOffset {start} is not a multiple of 4"));
        let end = start + number(view, "byteLength").unwrap_or(usize::MAX / 2);
        let buffer = number(view, "buffer").and_then(|buffer| list(json, "buffers").get(buffer));
        let size = buffer.and_then(|buffer| number(buffer, "byteLength")).unwrap_or(0);
        faults.unless(end <= size, || format!("/bufferViews/{i}: byte {end} is past the end of its buffer, {size}"));
    }
    for (i, mesh) in list(json, "meshes").iter().enumerate() {
        faults.unless(mesh.get("weights").is_none(), || format!("/meshes/{i}/weights is left"));
        faults.unless(!list(mesh, "primitives").is_empty(), || format!("/meshes/{i} has no primitives"));
        for (k, primitive) in list(mesh, "primitives").iter().enumerate() {
            check_primitive(&format!("/meshes/{i}/primitives/{k}"), baked, primitive, &mut faults);
        }
    }
    faults.under(title)
}

/// One scene with all nodes in order, each with an identity transform and its own mesh.
fn check_scene(baked: &Document, faults: &mut Faults) {
    let count = baked.count("nodes");
    faults.unless(baked.count("scenes") == 1, || format!("{} scenes, not one", baked.count("scenes")));
    if baked.count("scenes") == 1 {
        let roots = numbers(baked.object("scenes", 0), "nodes").unwrap_or_default();
        let in_order = roots.len() == count && roots.iter().enumerate().all(|(i, root)| *root == i as f64);
        faults.unless(in_order, || format!("the scene's nodes are {roots:?}, not all {count} in order"));
    }
    for i in 0..count {
        let node = baked.object("nodes", i);
        for (name, rest) in [
            ("translation", vec![0.0; 3]),
            ("rotation", vec![0.0, 0.0, 0.0, 1.0]),
            ("scale", vec![1.0; 3]),
            ("matrix", (0..16).map(|i| if i % 5 == 0 { 1.0 } else { 0.0 }).collect()),
        ] {
            faults.unless(numbers(node, name).is_none_or(|value| value == rest), || {
                format!("/nodes/{i}/{name} is not the identity: {}", node[name])
            });
        }
        for left in ["children", "skin", "weights", "camera"] {
            faults.unless(node.get(left).is_none(), || format!("/nodes/{i}/{left} is left"));
        }
        faults.unless(number(node, "mesh") == Some(i), || format!("/nodes/{i}/mesh is {}, not {i}", node["mesh"]));
    }
    faults.unless(baked.count("meshes") == count, || format!("{count} nodes, {} meshes", baked.count("meshes")));
}

/// Equal counts, exact bounds, unit directions.
fn check_primitive(label: &str, baked: &Document, primitive: &Value, faults: &mut Faults) {
    faults.unless(primitive.get("targets").is_none(), || format!("{label}/targets is left"));
    let Some(attributes) = primitive["attributes"].as_object() else {
        faults.add(format!("{label} has no attributes"));
        return;
    };
    let vertices = attributes.get("POSITION").and_then(Value::as_u64).map(|i| baked.accessor(i as usize).len());
    for (name, index) in attributes {
        let label = format!("{label}, {name}");
        let Some(index) = index.as_u64().map(|index| index as usize) else {
            faults.add(format!("{label}: {index} is no accessor"));
            continue;
        };
        faults.unless(!name.starts_with("JOINTS") && !name.starts_with("WEIGHTS"), || format!("{label} is left"));
        check_alignment(&label, baked, index, faults);
        let elements = baked.accessor(index);
        faults.unless(Some(elements.len()) == vertices, || {
            format!("{label}: {} elements for {vertices:?} vertices", elements.len())
        });
        faults.unless(elements.numbers.iter().all(|x| x.is_finite()), || format!("{label} is not finite"));
        let accessor = baked.object("accessors", index);
        match name.as_str() {
            "POSITION" => {
                for (bound, pick) in [("min", f64::min as fn(f64, f64) -> f64), ("max", f64::max)] {
                    let exact: Vec<f64> = (0..3)
                        .map(|a| elements.numbers.iter().skip(a).step_by(3).copied().reduce(pick))
                        .collect::<Option<_>>()
                        .unwrap_or_default();
                    let stated = numbers(accessor, bound).unwrap_or_default();
                    // Rounded to single precision as a decimal number in JSON is.
                    let same = stated.len() == 3 && stated.iter().zip(&exact).all(|(a, b)| *a as f32 == *b as f32);
                    faults.unless(same, || format!("{label}: {bound} is {stated:?}, not {exact:?}"));
                }
            }
            "NORMAL" | "TANGENT" => {
                for vertex in 0..elements.len() {
                    let row = elements.row(vertex);
                    let long = length(&row[..3]);
                    faults.unless((long - 1.0).abs() <= tolerance::UNIT_LENGTH, || {
                        format!("{label} of vertex {vertex}: length {long} of {row:?}")
                    });
                    faults.unless(row.len() == 3 || row[3].abs() == 1.0, || {
                        format!("{label} of vertex {vertex}: w {} is neither 1 nor -1", row[3])
                    });
                }
            }
            _ => {}
        }
    }
    if let Some(index) = number(primitive, "indices") {
        let label = format!("{label}, indices");
        check_alignment(&label, baked, index, faults);
        let accessor = baked.object("accessors", index);
        let restart = match number(accessor, "componentType") {
            Some(5121) => 0xFF,
            Some(5123) => 0xFFFF,
            Some(5125) => 0xFFFF_FFFF_u32,
            other => {
                faults.add(format!("{label}: componentType {other:?}"));
                return;
            }
        };
        let largest = baked.accessor(index).numbers.into_iter().fold(0.0, f64::max);
        faults.unless(largest < vertices.unwrap_or(0) as f64 && largest < f64::from(restart), || {
            format!("{label}: {largest} for {vertices:?} vertices")
        });
    }
}

/// Offsets and strides are multiples of the component size (section 3.6.2.4).
fn check_alignment(label: &str, baked: &Document, index: usize, faults: &mut Faults) {
    let accessor = baked.object("accessors", index);
    let size = match number(accessor, "componentType") {
        Some(5120 | 5121) => 1,
        Some(5122 | 5123) => 2,
        _ => 4,
    };
    faults.unless(number(accessor, "count") > Some(0), || format!("{label}: no elements"));
    let start = number(accessor, "byteOffset").unwrap_or(0);
    faults.unless(start.is_multiple_of(size), || format!("{label}: byteOffset {start} of components of {size} bytes"));
    let stride = number(accessor, "bufferView").and_then(|v| number(baked.object("bufferViews", v), "byteStride"));
    faults.unless(stride.is_none_or(|stride| stride.is_multiple_of(4)), || format!("{label}: byteStride {stride:?}"));
}
