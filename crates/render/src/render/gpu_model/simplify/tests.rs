use super::geometry::{distance, normal};
use super::{Attributes, Mesh, Skin, simplify};
use nalgebra::{Rotation3, Vector3};
use rigview_core::model::{Influences, SkinSlot};
use std::collections::HashSet;

/// A grid of quads over the unit square, bent by `position`. Attributes are the coordinates within the square.
fn grid(side: u32, closed: bool, position: impl Fn(f32, f32) -> [f32; 3]) -> Mesh<'static> {
    let coordinate = |i: u32| i as f32 / side as f32;
    let vertices = || (0..=side).flat_map(|y| (0..=side).map(move |x| (coordinate(x), coordinate(y))));
    let vertex = |x: u32, y: u32| y * (side + 1) + x;
    let quads = (0..side).flat_map(|y| (0..side).map(move |x| (x, y)));
    let triangles = quads.flat_map(|(x, y)| {
        let [a, b, c, d] = [vertex(x, y), vertex(x + 1, y), vertex(x, y + 1), vertex(x + 1, y + 1)];
        [a, b, d, a, d, c]
    });
    // A closed surface has no texture seam.
    let values = if closed { Vec::new() } else { vertices().flat_map(|(u, v)| [u, v]).collect() };
    let count = vertices().count();
    Mesh {
        positions: vertices().map(|(u, v)| position(u, v)).collect(),
        materials: vec![0; count],
        triangles: triangles.collect(),
        attributes: Attributes { stride: if closed { 0 } else { 2 }, shading: 0, values },
        skin: None,
        locked: vec![false; count],
    }
}

/// A sphere of radius 1 whose halves have different materials.
fn sphere() -> Mesh<'static> {
    use std::f32::consts::{PI, TAU};
    let mut mesh = grid(32, true, |u, v| {
        // Exact at the poles and where the surface closes.
        let (u, ring) = (if u == 1.0 { 0.0 } else { u }, if v == 0.0 || v == 1.0 { 0.0 } else { (PI * v).sin() });
        [ring * (TAU * u).cos(), -(PI * v).cos(), ring * (TAU * u).sin()]
    });
    // Vertices between the materials are doubled.
    let (lower, upper): (Vec<[u32; 3]>, Vec<[u32; 3]>) = mesh
        .triangles
        .as_chunks::<3>()
        .0
        .iter()
        .partition(|triangle| triangle.iter().map(|&i| mesh.positions[i as usize][1]).sum::<f32>() < 0.0);
    let count = mesh.positions.len() as u32;
    mesh.positions.extend_from_within(..);
    mesh.materials.extend((0..count).map(|_| 1));
    mesh.locked = vec![false; 2 * count as usize];
    let upper = upper.into_iter().map(|triangle| triangle.map(|i| i + count));
    mesh.triangles = lower.into_iter().chain(upper).flatten().collect();
    mesh
}

fn corners(positions: &[Vector3<f64>], triangles: &[u32]) -> Vec<[Vector3<f64>; 3]> {
    triangles.as_chunks::<3>().0.iter().map(|t| t.map(|i| positions[i as usize])).collect()
}

fn positions(mesh: &Mesh<'_>) -> Vec<Vector3<f64>> {
    mesh.positions.iter().map(|p| Vector3::from(*p).cast()).collect()
}

#[test]
fn flat_surface_keeps_border_and_texture() {
    let mesh = grid(16, false, |u, v| [u, v, 0.0]);
    let levels = simplify(&mesh);
    let last = levels.last().unwrap();
    assert!(last.triangles.len() / 3 <= 8 && last.error < 1e-6, "{} with {}", last.triangles.len() / 3, last.error);
    let area: f64 = corners(&positions(&mesh), &last.triangles).into_iter().map(|c| 0.5 * normal(c).z).sum();
    assert!((area - 1.0).abs() < 1e-6, "{area}");
}

#[test]
fn texture_seam_stays() {
    // Two charts: the texture jumps in the middle.
    let mut mesh = grid(16, false, |u, v| [u, v, 0.0]);
    let right = mesh
        .triangles
        .as_chunks::<3>()
        .0
        .iter()
        .map(|t| t.iter().map(|&i| mesh.positions[i as usize][0]).sum::<f32>() > 1.5)
        .collect::<Vec<_>>();
    let count = mesh.positions.len();
    mesh.positions.extend_from_within(..);
    mesh.materials.extend_from_within(..);
    mesh.locked.extend_from_within(..);
    let shifted: Vec<f32> = mesh.attributes.values.iter().map(|value| value + 10.0).collect();
    mesh.attributes.values.extend(shifted);
    for (triangle, _) in mesh.triangles.as_chunks_mut::<3>().0.iter_mut().zip(right).filter(|(_, right)| *right) {
        triangle.iter_mut().for_each(|vertex| *vertex += count as u32);
    }
    for level in simplify(&mesh).iter().filter(|level| level.error < 0.01) {
        let crosses = |triangle: &[u32; 3]| {
            let x = triangle.map(|i| mesh.positions[i as usize][0]);
            x.iter().any(|x| *x < 0.5) && x.iter().any(|x| *x > 0.5)
        };
        assert!(!level.triangles.as_chunks::<3>().0.iter().any(crosses), "{} triangles", level.triangles.len() / 3);
    }
    assert!(simplify(&mesh).iter().any(|level| level.error < 0.01 && level.triangles.len() / 3 < 64));
}

#[test]
fn closed_surface_stays_closed_within_its_error() {
    let mesh = sphere();
    let positions = positions(&mesh);
    let full = corners(&positions, &mesh.triangles);
    let levels = simplify(&mesh);
    assert!(levels.len() >= 8, "{} levels", levels.len());
    for level in &levels {
        let key = |vertex: u32| mesh.positions[vertex as usize].map(|x| (x + 0.0).to_bits());
        let edges: HashSet<_> = level
            .triangles
            .as_chunks::<3>()
            .0
            .iter()
            .flat_map(|&[a, b, c]| [(key(a), key(b)), (key(b), key(c)), (key(c), key(a))])
            .collect();
        assert!(
            edges.iter().all(|&(a, b)| edges.contains(&(b, a))),
            "a hole in {} triangles",
            level.triangles.len() / 3
        );
        let surface = corners(&positions, &level.triangles);
        let farthest = positions.iter().map(|p| distance(*p, &surface)).fold(0.0, f64::max);
        assert!(farthest <= level.error + 1e-9, "{farthest} above {}", level.error);
        let center = |[a, b, c]: &[Vector3<f64>; 3]| distance((a + b + c) / 3.0, &full);
        let added = surface.iter().map(center).fold(0.0, f64::max);
        assert!(added <= 2.0 * level.error + 1e-9, "{added} above twice {}", level.error);
    }
    assert!(levels.is_sorted_by(|a, b| a.error <= b.error && a.triangles.len() > b.triangles.len()));
    assert!(
        levels[2].error < 0.02 && levels[4].error < 0.06,
        "{:?}",
        levels.iter().map(|level| level.error).collect::<Vec<_>>()
    );
}

#[test]
fn stripes_of_a_material_stay_within_the_error() {
    // A flat surface with stripes of two materials, 1/8 wide.
    let mut mesh = grid(16, true, |u, v| [u, v, 0.0]);
    let stripe = |x: f32| (x * 8.0) as u32 % 2;
    let count = mesh.positions.len() as u32;
    mesh.positions.extend_from_within(..);
    mesh.materials.extend((0..count).map(|_| 1));
    mesh.locked.extend_from_within(..);
    for triangle in mesh.triangles.as_chunks_mut::<3>().0 {
        let center = triangle.iter().map(|&i| mesh.positions[i as usize][0]).sum::<f32>() / 3.0;
        triangle.iter_mut().for_each(|vertex| *vertex += count * stripe(center));
    }
    let positions = positions(&mesh);
    let of_material = |triangles: &[u32], material: u32| -> Vec<u32> {
        let own =
            triangles.as_chunks::<3>().0.iter().filter(|triangle| mesh.materials[triangle[0] as usize] == material);
        own.copied().flatten().collect()
    };
    let levels = simplify(&mesh);
    for level in &levels {
        for material in [0, 1] {
            let own = corners(&positions, &of_material(&level.triangles, material));
            let removed = of_material(&mesh.triangles, material);
            let farthest = removed.iter().map(|&i| distance(positions[i as usize], &own)).fold(0.0, f64::max);
            let is_within = farthest <= level.error + 1e-9 || (own.is_empty() && level.error >= 0.125);
            assert!(
                is_within,
                "material {material}: {farthest} above {} in {}",
                level.error,
                level.triangles.len() / 3
            );
        }
    }
    let flat = levels.iter().rfind(|level| level.error < 1e-6).unwrap();
    assert!((16..=32).contains(&(flat.triangles.len() / 3)), "{} triangles", flat.triangles.len() / 3);
}

#[test]
fn error_holds_in_bent_poses() {
    use std::f32::consts::TAU;
    let mut mesh = grid(24, true, |u, v| [0.2 * (TAU * u).cos(), 2.0 * v, 0.2 * (TAU * u).sin()]);
    let weight = |p: &[f32; 3]| (p[1] - 0.5).clamp(0.0, 1.0);
    let influences = Influences {
        per_vertex: 2,
        slots: mesh.positions.iter().flat_map(|_| [SkinSlot(0), SkinSlot(1)]).collect(),
        weights: mesh.positions.iter().flat_map(|p| [1.0 - weight(p), weight(p)]).collect(),
    };
    mesh.skin = Some(Skin {
        influences: &influences,
        joints: vec![Vector3::zeros(), Vector3::y()],
        parents: vec![None, Some(0)],
    });
    let levels = simplify(&mesh);
    assert!(levels.len() >= 6);
    for (degrees, factor) in [(0.0_f64, 1.0), (40.0, 1.0), (60.0, 1.0), (90.0, std::f64::consts::SQRT_2)] {
        let rotation = Rotation3::from_axis_angle(&Vector3::z_axis(), degrees.to_radians());
        let posed: Vec<Vector3<f64>> = positions(&mesh)
            .iter()
            .zip(&mesh.positions)
            .map(|(p, bound)| p.lerp(&(rotation * (p - Vector3::y()) + Vector3::y()), f64::from(weight(bound))))
            .collect();
        for level in &levels {
            let surface = corners(&posed, &level.triangles);
            let farthest = posed.iter().map(|p| distance(*p, &surface)).fold(0.0, f64::max);
            assert!(farthest <= factor * level.error + 1e-9, "{degrees}: {farthest} above {}", level.error);
        }
    }
}

#[test]
fn displacement_includes_the_path_between_joints() {
    // Two chains from a common root. Only the last joint of each is near the point.
    let joints = [[0.0, 5.0], [-1.0, 5.0], [-0.5, 0.2], [1.0, 5.0], [0.5, 0.2]].map(|[x, y]| Vector3::new(x, y, 0.0));
    let influences = Influences { per_vertex: 1, slots: vec![SkinSlot(2), SkinSlot(4)], weights: vec![1.0; 2] };
    let parents = vec![None, Some(0), Some(1), Some(0), Some(3)];
    let skin = Skin { influences: &influences, joints: joints.to_vec(), parents };
    let position = Vector3::new(0.1, 0.3, 0.2);
    // Each chain turns by 60 degrees at both of its joints, away from the other one.
    let posed = |[upper, lower]: [usize; 2], angle: f64| {
        let rotation = Rotation3::from_axis_angle(&Vector3::z_axis(), angle);
        let about = |joint: usize, p: Vector3<f64>| rotation * (p - joints[joint]) + joints[joint];
        about(upper, about(lower, position))
    };
    let angle = std::f64::consts::FRAC_PI_3;
    let moved = (posed([1, 2], angle) - posed([3, 4], -angle)).norm();
    let bound = skin.displacement(position, &[(0, 1.0), (1, -1.0)]);
    assert!((moved..2.0 * moved).contains(&bound), "{moved} and {bound}");
    assert_eq!(skin.displacement(position, &[(0, 1.0), (0, -1.0)]), 0.0);
}

#[test]
fn flat_parts_vanish_by_their_length() {
    // A blade of two sides on a plate: 1 long, 0.02 wide.
    let mut mesh = grid(8, true, |u, v| [4.0 * u, 0.0, 4.0 * v]);
    let first = mesh.positions.len() as u32;
    mesh.positions.extend([[1.0, 0.0, 1.0], [1.02, 0.0, 1.0], [1.0, 1.0, 1.0]]);
    mesh.triangles.extend([first, first + 1, first + 2, first + 1, first, first + 2]);
    mesh.materials.extend([0; 3]);
    mesh.locked.extend([false; 3]);
    let positions = positions(&mesh);
    for level in simplify(&mesh) {
        let distance = distance(positions[first as usize + 2], &corners(&positions, &level.triangles));
        assert!(distance <= level.error + 1e-9, "{distance} above {}", level.error);
    }
}

#[test]
fn fan_of_many_triangles_shrinks() {
    let count = 20_000_u32;
    let angle = |i: u32| (f64::from(i) / f64::from(count) * std::f64::consts::TAU).sin_cos();
    let rim = (0..count).map(|i| [angle(i).1 as f32, angle(i).0 as f32, 0.0]);
    let mesh = Mesh {
        positions: std::iter::once([0.0; 3]).chain(rim).collect(),
        materials: vec![0; count as usize + 1],
        triangles: (0..count).flat_map(|i| [0, 1 + i, 1 + (i + 1) % count]).collect(),
        attributes: Attributes { stride: 0, shading: 0, values: Vec::new() },
        skin: None,
        locked: vec![false; count as usize + 1],
    };
    let levels = simplify(&mesh);
    assert!(levels.iter().any(|level| level.error < 1e-3 && level.triangles.len() / 3 < 200));
}
