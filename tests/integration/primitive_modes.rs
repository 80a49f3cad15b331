//! Primitive modes: points, lines and triangles.

use crate::support::bake::{Shot, check, check_by_reference, run_bake};
use crate::support::compare::check_form;
use crate::support::glb::{Data, Rig, Store};
use crate::support::reference::Document;
use serde_json::json;
use tempfile::TempDir;

/// Seven vertices in a zigzag, in one mode, with indices, below a scaled node.
fn zigzag(mode: usize, indices: Option<&[f64]>, scale: [f64; 3]) -> Rig {
    let mut rig = Rig::new();
    let points: Vec<f64> = (0..7).flat_map(|i| [f64::from(i), f64::from(i % 2), f64::from(i * i) / 8.0]).collect();
    let positions = rig.floats("VEC3", &points);
    let mut primitive = json!({"attributes": {"POSITION": positions}, "mode": mode});
    if let Some(indices) = indices {
        primitive["indices"] = json!(rig.data(&Data::new("SCALAR", indices).integers(Store::U8)));
    }
    let mesh = rig.mesh(primitive);
    rig.node(json!({"mesh": mesh, "scale": scale}));
    rig
}

/// Unordered indices that skip a vertex.
const INDICES: [f64; 6] = [6.0, 0.0, 5.0, 1.0, 4.0, 2.0];

#[test]
fn primitive_modes_are_kept_with_and_without_indices() {
    for mode in 0..=6 {
        for indices in [None, Some(&INDICES[..])] {
            let label = format!("mode {mode}, indices {}", indices.is_some());
            check_by_reference(&label, &zigzag(mode, indices, [2.0, 1.0, 1.0]), &Shot::still());
        }
    }
}

#[test]
fn mirroring_keeps_points_and_lines() {
    for mode in 0..=3 {
        for indices in [None, Some(&INDICES[..])] {
            let label = format!("mirrored mode {mode}, indices {}", indices.is_some());
            check_by_reference(&label, &zigzag(mode, indices, [-1.0, 1.0, 1.0]), &Shot::still());
        }
    }
}

#[test]
fn mirroring_converts_strips_and_fans_to_lists() {
    // Mode, indices, and the triangles when all is mirrored; without a mirror two corners of each are exchanged.
    type Case<'a> = (usize, Option<&'a [f64]>, &'a [[usize; 3]]);
    let cases: [Case; 6] = [
        (4, None, &[[0, 2, 1], [3, 5, 4]]),
        (4, Some(&INDICES), &[[0, 6, 5], [1, 2, 4]]),
        (5, None, &[[0, 2, 1], [1, 2, 3], [2, 4, 3], [3, 4, 5], [4, 6, 5]]),
        (5, Some(&INDICES), &[[0, 6, 5], [0, 5, 1], [1, 5, 4], [1, 4, 2]]),
        (6, None, &[[0, 2, 1], [0, 3, 2], [0, 4, 3], [0, 5, 4], [0, 6, 5]]),
        (6, Some(&INDICES), &[[0, 6, 5], [1, 5, 6], [1, 6, 4], [2, 4, 6]]),
    ];
    for (mode, indices, mirrored) in cases {
        let label = format!("mode {mode}, indices {}", indices.is_some());
        check(&format!("mirrored {label}"), &zigzag(mode, indices, [1.0, -1.0, 1.0]), &Shot::still(), |hand| {
            hand.triangles(0, 0, mirrored);
        });
        let kept: Vec<[usize; 3]> = mirrored.iter().map(|[a, b, c]| [*a, *c, *b]).collect();
        check(&label, &zigzag(mode, indices, [1.0, 1.0, 1.0]), &Shot::still(), |hand| hand.triangles(0, 0, &kept));
    }
}

#[test]
fn incomplete_trailing_triangle_is_ignored() {
    for scale in [[1.0, 1.0, 1.0], [-1.0, 1.0, 1.0]] {
        for mode in 4..=6 {
            for count in [4, 5] {
                let label = format!("{count} indices in mode {mode}, scale {scale:?}");
                check_by_reference(&label, &zigzag(mode, Some(&INDICES[..count]), scale), &Shot::still());
            }
        }
    }
}

#[test]
fn too_few_vertices_draw_nothing_or_fail() {
    // Nothing can be seen of these, so whether they are written is left open; a crash or a broken file is not.
    let folder = TempDir::new().expect("a folder for temporary files");
    for (mode, counts) in [(1, 1..2), (2, 1..2), (3, 1..2), (4, 1..3), (5, 1..3), (6, 1..3)] {
        for count in counts {
            for scale in [[1.0, 1.0, 1.0], [-1.0, 1.0, 1.0]] {
                let mut rig = zigzag(mode, Some(&INDICES[..count]), scale);
                let mesh = rig.triangle();
                rig.node(json!({"mesh": mesh}));
                let file = rig.write_glb(folder.path(), "few");
                let output = folder.path().join("posed.glb");
                let run = run_bake(&file, &output, &[]);
                let label = format!("{count} indices in mode {mode}, scale {scale:?}");
                if run.code == Some(0) {
                    check_form(&label, &Document::open(&output)).unwrap_or_else(|fault| panic!("{fault}"));
                } else {
                    run.refusal(&file).unwrap_or_else(|fault| panic!("{label}: {fault}"));
                }
            }
        }
    }
}

#[test]
fn degenerate_triangles_keep_strip_order() {
    // Two strips in one, joined by triangles without an area: their number decides how the second strip turns.
    let joined = [0.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 5.0];
    for scale in [[1.0, 1.0, 1.0], [-1.0, 1.0, 1.0]] {
        check_by_reference("joined strips", &zigzag(5, Some(&joined), scale), &Shot::still());
    }
}

#[test]
fn all_primitive_modes_in_one_mesh() {
    let mut rig = Rig::new();
    let positions = rig.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 1.0]);
    let material = rig.add("materials", json!({"name": "red"}));
    let primitives: Vec<_> = (0..=6)
        .map(|mode| {
            let mut primitive = json!({"attributes": {"POSITION": positions}, "mode": mode});
            if mode % 2 == 1 {
                primitive["material"] = json!(material);
            }
            primitive
        })
        .collect();
    rig.add("meshes", json!({"primitives": primitives}));
    rig.node(json!({"mesh": 0, "scale": [1, 1, -1]}));
    check_by_reference("all modes", &rig, &Shot::still());
}
