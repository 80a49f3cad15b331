//! Picking: the surface point or the bone under the pointer.

use super::bones::shown_joints;
use super::camera::Camera;
use super::ray::Ray;
use nalgebra::{Vector2, Vector3};
use rayon::prelude::*;
use rigview_core::crowd::Crowd;
use rigview_core::math::Affine;
use rigview_core::model::{InstanceIndex, JointIndex};
use rigview_core::palette::{BlockIndex, Palette, PrimitiveDraw, Rig, skin_positions_on_cpu};
use std::cmp::Ordering;

/// Upper bound of vertices to skin for one click; the instances nearest to the ray come first.
const MAX_SKINNED_VERTICES: u64 = 1_000_000;

/// Triangles that one thread tests before it takes the next ones.
const TRIANGLES_PER_TASK: usize = 16_384;

/// Bones farther from the pointer are not hit, in heights of the viewport.
const MAX_BONE_DISTANCE: f64 = 0.015;

/// Surfaces that can be picked.
#[derive(Clone, Copy)]
pub struct PickSurfaces<'a> {
    /// The model of all instances.
    pub rig: &'a Rig,
    /// The instances.
    pub crowd: &'a Crowd,
    /// Their current pose.
    pub palette: &'a Palette,
    /// As in [`DebugView`](super::DebugView).
    pub hidden_draws: &'a [bool],
}

/// A vertex of a posed model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PickedVertex {
    /// Index of the draw in the layout.
    pub draw: usize,
    /// Index of the instance in the crowd.
    pub instance: InstanceIndex,
    /// Index of the vertex in the primitive.
    pub vertex: usize,
}

/// A point of a surface.
pub struct SurfacePoint {
    /// Position in world space.
    pub in_world: Vector3<f64>,
    /// Joints with their interpolated weights, the largest first. Not empty.
    pub influences: Vec<(JointIndex, f64)>,
    /// The corner of the triangle with the largest barycentric coordinate.
    pub nearest: PickedVertex,
}

impl SurfacePoint {
    /// The joint with the largest weight.
    pub fn dominant_joint(&self) -> JointIndex {
        self.influences[0].0
    }
}

impl PickSurfaces<'_> {
    /// Returns the nearest surface point under a position in fractions of the viewport from the top left corner.
    ///
    /// Skins at most a million vertices, or one instance. The instances nearest to the ray come first.
    pub fn pick(&self, camera: &Camera, aspect: f64, position: [f64; 2]) -> Option<SurfacePoint> {
        let ray = &Ray::through(camera, aspect, position);
        let layout = self.rig.layout();
        let vertices = layout.vertex_count(self.rig.model()).max(1);
        let instances = (MAX_SKINNED_VERTICES / vertices).max(1).min(self.palette.instance_count() as u64) as usize;
        let blocks = self.nearest_blocks(ray, instances);
        let is_shown = |index: usize| !self.hidden_draws.get(index).is_some_and(|hidden| *hidden);
        let shown = || layout.draws.iter().enumerate().filter(|(index, _)| is_shown(*index));
        let hits = blocks.iter().flat_map(|block| shown().map(move |(index, draw)| (*block, index, draw)));
        let hits = hits.filter_map(|(block, index, draw)| Some((block, index, self.nearest_hit(ray, block, draw)?)));
        let (block, draw, Hit { distance, corners, coordinates: [u, v] }) = hits.min_by(|a, b| a.2.nearer(&b.2))?;
        let weighted = [(corners[0] as usize, 1.0 - u - v), (corners[1] as usize, u), (corners[2] as usize, v)];
        let influences = influences(self.rig, &layout.draws[draw], weighted);
        let (vertex, _) = weighted.into_iter().reduce(|best, next| if next.1 > best.1 { next } else { best })?;
        let nearest = PickedVertex { draw, instance: self.crowd.instance_of_block(block), vertex };
        Some(SurfacePoint { in_world: ray.origin + ray.direction * distance, influences, nearest })
    }

    /// The nearest hit of a draw in a block; the first one of equally near triangles.
    fn nearest_hit(&self, ray: &Ray, block: BlockIndex, draw: &PrimitiveDraw) -> Option<Hit> {
        let corners = self.rig.model().meshes[draw.mesh.get()].primitives[draw.primitive].triangles();
        if corners.is_empty() {
            return None;
        }
        let positions = skin_positions_on_cpu(self.rig, self.palette, block, draw);
        let hit = |triangle: &[u32]| {
            let corners = [triangle[0], triangle[1], triangle[2]];
            let in_world = corners.map(|corner| Vector3::from(positions[corner as usize]).cast::<f64>());
            let (distance, coordinates) = ray.intersect_triangle(in_world)?;
            Some(Hit { distance, corners, coordinates })
        };
        let nearest = |triangles: &[u32]| triangles.chunks_exact(3).filter_map(hit).min_by(Hit::nearer);
        let hits: Vec<Hit> = corners.par_chunks(3 * TRIANGLES_PER_TASK).filter_map(nearest).collect();
        hits.into_iter().min_by(Hit::nearer)
    }

    /// Palette blocks of the `count` instances nearest to a ray.
    fn nearest_blocks(&self, ray: &Ray, count: usize) -> Vec<BlockIndex> {
        let mut order: Vec<BlockIndex> = self.palette.blocks().collect();
        if count < order.len() {
            let distance_squared = |block: &BlockIndex| {
                let to_instance = self.crowd.placement(self.crowd.instance_of_block(*block)).translation - ray.origin;
                ray.direction.cross(&to_instance).norm_squared()
            };
            order.sort_by(|a, b| distance_squared(a).total_cmp(&distance_squared(b)));
            order.truncate(count);
        }
        order
    }
}

/// A triangle that a ray hits.
struct Hit {
    /// Along the ray.
    distance: f64,
    /// Vertices of the triangle.
    corners: [u32; 3],
    /// Barycentric coordinates of the second and third corner.
    coordinates: [f64; 2],
}

impl Hit {
    fn nearer(&self, other: &Self) -> Ordering {
        self.distance.total_cmp(&other.distance)
    }
}

/// Returns the joint whose bone, in front of everything, is nearest to a position in fractions of the viewport.
///
/// `world_from_joints` returns the transforms of some joints.
pub fn pick_bone(
    rig: &Rig,
    world_from_joints: impl FnOnce(&[JointIndex]) -> Vec<Affine>,
    camera: &Camera,
    aspect: f64,
    position: [f64; 2],
) -> Option<JointIndex> {
    let model = rig.model();
    let joints = shown_joints(model, rig.layout());
    let projection_from_world = camera.projection_from_world(aspect);
    // In viewport heights, so that distances are the same in both directions.
    let on_screen = |world_from_joint: &Affine| {
        let p = projection_from_world * world_from_joint.translation.push(1.0);
        (p.w > 0.0).then(|| Vector2::new((0.5 + 0.5 * p.x / p.w) * aspect, 0.5 - 0.5 * p.y / p.w))
    };
    let heads: Vec<_> = world_from_joints(&joints).iter().map(on_screen).collect();
    let pointer = Vector2::new(position[0] * aspect, position[1]);
    let mut nearest: Option<(f64, JointIndex)> = None;
    for (joint, head) in joints.iter().zip(&heads) {
        let Some(head) = head else { continue };
        // The bone of the parent ends here.
        let parent = model.skeleton.joint(*joint).parent;
        let parent = parent.and_then(|parent| Some((parent, heads[joints.binary_search(&parent).ok()?]?)));
        // A joint is preferred to the end of the bone before it.
        let bone = parent.map(|(parent, start)| (distance_to_segment(pointer, start, *head) + 1e-6, parent));
        for (distance, joint) in [Some(((pointer - head).norm(), *joint)), bone].into_iter().flatten() {
            if distance < nearest.map_or(MAX_BONE_DISTANCE, |(before, _)| before) {
                nearest = Some((distance, joint));
            }
        }
    }
    nearest.map(|(_, joint)| joint)
}

fn distance_to_segment(point: Vector2<f64>, start: Vector2<f64>, end: Vector2<f64>) -> f64 {
    let along = end - start;
    let fraction = (point - start).dot(&along) / along.norm_squared().max(f64::MIN_POSITIVE);
    (start + along * fraction.clamp(0.0, 1.0) - point).norm()
}

/// The joints with their weights at a point of a triangle (corner indices with barycentric coordinates), the largest first.
fn influences(rig: &Rig, draw: &PrimitiveDraw, corners: [(usize, f64); 3]) -> Vec<(JointIndex, f64)> {
    let model = rig.model();
    let vertices = &model.meshes[draw.mesh.get()].primitives[draw.primitive].vertices;
    let (Some(skin), Some(influences)) = (rig.layout().skin_of(draw), &vertices.influences) else {
        return vec![(draw.joint, 1.0)];
    };
    let mut sums: Vec<(JointIndex, f64)> = Vec::new();
    for (vertex, coordinate) in corners {
        for i in vertex * influences.per_vertex..(vertex + 1) * influences.per_vertex {
            let joint = model.skins[skin.get()].joints[influences.slots[i].get()];
            let weight = f64::from(influences.weights[i]) * coordinate;
            match sums.iter_mut().find(|(known, _)| *known == joint) {
                Some((_, sum)) => *sum += weight,
                None => sums.push((joint, weight)),
            }
        }
    }
    sums.retain(|(_, weight)| *weight > 0.0);
    sums.sort_by(|a, b| b.1.total_cmp(&a.1));
    if sums.is_empty() { vec![(draw.joint, 1.0)] } else { sums }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Lens, Orbit, clip_hull};
    use rigview_core::crowd::CrowdAnimator;
    use rigview_core::import::{ImageLoading, ImportOptions, open};
    use rigview_core::pose::ModelPose;

    /// One instance of a model at rest.
    struct Scene {
        animator: CrowdAnimator,
        crowd: Crowd,
    }

    impl Scene {
        fn open(file: &str) -> Self {
            let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets").join(file);
            let model = open(&file, &ImportOptions::default().with_images(ImageLoading::Skip)).unwrap().model;
            let scene = model.default_scene;
            let (mut animator, mut crowd) = (CrowdAnimator::new(&Rig::new(model, scene).unwrap()), Crowd::single(None));
            animator.update(&mut crowd, 0.0);
            Self { animator, crowd }
        }

        fn camera(&self, aspect: f64) -> Camera {
            let hull = clip_hull(self.animator.rig(), None);
            Orbit::framing(&hull, aspect).camera(hull.bounds())
        }

        fn surfaces<'a>(&'a self, hidden_draws: &'a [bool]) -> PickSurfaces<'a> {
            let palette = self.animator.palette();
            PickSurfaces { rig: self.animator.rig(), crowd: &self.crowd, palette, hidden_draws }
        }

        fn pick_joint(&self, camera: &Camera, aspect: f64, position: [f64; 2]) -> Option<JointIndex> {
            self.surfaces(&[]).pick(camera, aspect, position).map(|point| point.dominant_joint())
        }
    }

    #[test]
    fn picking_finds_the_dominant_joint() {
        let (scene, aspect) = (Scene::open("hare.glb"), 1.5);
        let (camera, rig) = (scene.camera(aspect), scene.animator.rig());
        // Picks the dominant joint of each visible vertex, or a neighbor of it.
        let projection = camera.projection_from_world(aspect);
        let (mut found, mut same) = (0, 0);
        for draw in &rig.layout().draws {
            let positions = skin_positions_on_cpu(rig, scene.animator.palette(), BlockIndex(0), draw);
            for (vertex, position) in positions.iter().enumerate().step_by(7) {
                let p = projection * Vector3::from(*position).cast::<f64>().push(1.0);
                let viewport_position = [0.5 + 0.5 * p.x / p.w, 0.5 - 0.5 * p.y / p.w];
                if let Some(joint) = scene.pick_joint(&camera, aspect, viewport_position) {
                    found += 1;
                    let there = influences(rig, draw, [(vertex, 1.0), (vertex, 0.0), (vertex, 0.0)]);
                    assert!((there.iter().map(|(_, weight)| weight).sum::<f64>() - 1.0).abs() < 1e-5);
                    same += usize::from(joint == there[0].0);
                }
            }
        }
        assert!(found > 50 && same * 3 > found, "{same} of {found}");
        assert_eq!(scene.pick_joint(&camera, aspect, [0.001, 0.001]), None);
        let hidden = vec![true; rig.layout().draws.len()];
        assert!(scene.surfaces(&hidden).pick(&camera, aspect, [0.5, 0.5]).is_none());
        assert!(scene.pick_joint(&camera, aspect, [0.5, 0.5]).is_some());
    }

    #[test]
    fn rigid_mesh_picks_its_node() {
        let scene = Scene::open("windmill.glb");
        let joint = scene.pick_joint(&scene.camera(1.0), 1.0, [0.5, 0.6]).unwrap();
        assert!(scene.animator.rig().layout().draws.iter().any(|draw| draw.joint == joint));
    }

    #[test]
    fn bones_are_picked_at_their_joints_and_along_them() {
        let scene = Scene::open("hare.glb");
        let (camera, rig) = (scene.camera(1.5), scene.animator.rig());
        let (projection, skeleton) = (camera.projection_from_world(1.5), &rig.model().skeleton);
        let joints = shown_joints(rig.model(), rig.layout());
        let rest = ModelPose::rest(skeleton);
        let position = |joint: JointIndex| {
            let p = projection * rest.model_from_joint(joint).translation.push(1.0);
            [0.5 + 0.5 * p.x / p.w, 0.5 - 0.5 * p.y / p.w]
        };
        let transforms = |joints: &[JointIndex]| joints.iter().map(|joint| *rest.model_from_joint(*joint)).collect();
        let pick = |position| pick_bone(rig, transforms, &camera, 1.5, position);
        for joint in joints {
            let picked = pick(position(joint)).unwrap();
            // Several joints may be at one position.
            assert!(picked == joint || position(picked) == position(joint), "{joint:?} {picked:?}");
            let Some(parent) = skeleton.joint(joint).parent else { continue };
            let ([x, y], [parent_x, parent_y]) = (position(joint), position(parent));
            if (x - parent_x).hypot(y - parent_y) > 0.1 {
                assert_eq!(pick([0.5 * (x + parent_x), 0.5 * (y + parent_y)]), Some(parent));
            }
        }
        assert_eq!(pick([0.01, 0.01]), None);
    }

    #[test]
    fn orthographic_rays_are_parallel() {
        let mut camera = Camera::look_at(Vector3::z() * 3.0, Vector3::zeros(), 1.0);
        camera.lens = Lens::Orthographic { half_size: [2.0, 1.0] };
        let ray = Ray::through(&camera, 2.0, [1.0, 0.0]);
        assert!(
            (ray.origin - Vector3::new(2.0, 1.0, 3.0)).norm() < 1e-12 && (ray.direction + Vector3::z()).norm() < 1e-12
        );
    }
}
