//! The joint of the nearest surface under each pixel of an image.

use super::camera::Camera;
use nalgebra::{Matrix4, Vector3, Vector4};
use rigview_core::model::{JointIndex, Primitive};
use rigview_core::palette::{BlockIndex, Palette, PrimitiveDraw, Rig, skin_on_cpu, skin_positions_on_cpu};

/// Maximum number of skinned vertices of all instances.
const MAX_VERTICES: u64 = 20_000_000;

/// Maximum number of pixels of all triangles, with those behind others: about two seconds.
const MAX_TESTED_PIXELS: u64 = 1 << 30;

/// A crowd in the pose of an image. Unlike the scene, it can be kept after the draw: model and layout are shared.
pub struct PosedParts {
    /// The model of all instances.
    pub rig: Rig,
    /// The pose of the drawn instances.
    pub palette: Palette,
    /// As in [`DebugView`](super::DebugView).
    pub hidden_draws: Vec<bool>,
}

/// Returns the crowd and the joint of the nearest surface at the center of each pixel, from the top left; `None` without a surface.
///
/// A triangle of a skin belongs to the strongest joint of its first vertex, any other one to the joint of its node. Holes and transparency
/// of materials are ignored, and so are lines and points. Returns `None` for more vertices or larger triangles than a few seconds suffice for.
pub fn nearest_parts(
    crowds: &[PosedParts],
    camera: &Camera,
    size: [u32; 2],
) -> Option<Vec<Option<(usize, JointIndex)>>> {
    let vertices = crowds.iter().map(|crowd| {
        crowd.rig.layout().vertex_count(crowd.rig.model()).saturating_mul(crowd.palette.instance_count() as u64)
    });
    if vertices.fold(0, u64::saturating_add) > MAX_VERTICES {
        return None;
    }
    let mut image = DepthImage::new(size);
    let projection_from_world = camera.projection_from_world(f64::from(size[0]) / f64::from(size[1]));
    for (index, crowd) in crowds.iter().enumerate() {
        let is_shown = |draw: usize, joint| {
            !crowd.hidden_draws.get(draw).is_some_and(|hidden| *hidden) && !crowd.palette.is_hidden(joint)
        };
        for (number, draw) in crowd.rig.layout().draws.iter().enumerate() {
            if !is_shown(number, draw.joint) {
                continue;
            }
            for block in crowd.palette.blocks() {
                crowd
                    .draw(block, draw, &projection_from_world, |corners, joint| image.draw(corners, (index, joint)))?;
            }
        }
    }
    Some(image.parts)
}

impl PosedParts {
    /// Draws the front faces of a primitive in a block.
    fn draw(
        &self,
        block: BlockIndex,
        draw: &PrimitiveDraw,
        projection_from_world: &Matrix4<f64>,
        mut triangle: impl FnMut([Vector4<f64>; 3], JointIndex) -> Option<()>,
    ) -> Option<()> {
        let model = self.rig.model();
        let primitive = &model.meshes[draw.mesh.get()].primitives[draw.primitive];
        let corners = primitive.triangles();
        if corners.is_empty() {
            return Some(());
        }
        let is_double_sided = primitive.material.is_some_and(|material| model.materials[material.get()].double_sided);
        let (positions, mirrored) = match is_double_sided {
            true => (skin_positions_on_cpu(&self.rig, &self.palette, block, draw), Vec::new()),
            false => {
                let posed = skin_on_cpu(&self.rig, &self.palette, block, draw);
                (posed.positions, posed.mirrored)
            }
        };
        let projected: Vec<Vector4<f64>> = positions
            .iter()
            .map(|position| projection_from_world * Vector3::from(*position).cast::<f64>().push(1.0))
            .collect();
        for indices in corners.chunks_exact(3) {
            let indices = [0, 1, 2].map(|corner| indices[corner] as usize);
            let joint = self.joint_of(draw, primitive, indices[0]);
            let [a, b, c] = indices.map(|index| projected[index]);
            // As in the fragment shader, the last corner decides.
            let is_mirrored = mirrored.get(indices[2]).copied();
            // Homogeneous, so that corners behind the camera count as well: positive for counterclockwise ones.
            let side =
                Vector3::new(a.x, a.y, a.w).dot(&Vector3::new(b.x, b.y, b.w).cross(&Vector3::new(c.x, c.y, c.w)));
            if is_mirrored.is_none_or(|is_mirrored| (side > 0.0) != is_mirrored) {
                triangle([a, b, c], joint)?;
            }
        }
        Some(())
    }

    /// The joint to which a triangle with this first vertex belongs.
    fn joint_of(&self, draw: &PrimitiveDraw, primitive: &Primitive, vertex: usize) -> JointIndex {
        let skin = self.rig.layout().skin_of(draw);
        let strongest = skin.zip(primitive.vertices.influences.as_ref()).and_then(|(skin, influences)| {
            let (slot, _) = influences.of_vertex(vertex).max_by(|(_, a), (_, b)| a.total_cmp(b))?;
            Some(self.rig.model().skins[skin.get()].joints[slot.get()])
        });
        strongest.unwrap_or(draw.joint)
    }
}

/// A rasterizer that keeps the nearest part of each pixel.
struct DepthImage {
    size: [u32; 2],
    /// In normalized device coordinates.
    depths: Vec<f64>,
    parts: Vec<Option<(usize, JointIndex)>>,
    tested_pixels: u64,
}

impl DepthImage {
    fn new(size: [u32; 2]) -> Self {
        let count = size[0] as usize * size[1] as usize;
        Self { size, depths: vec![f64::INFINITY; count], parts: vec![None; count], tested_pixels: 0 }
    }

    /// Draws a triangle in clip space. Returns `None` if too many pixels are tested.
    fn draw(&mut self, corners: [Vector4<f64>; 3], part: (usize, JointIndex)) -> Option<()> {
        if !corners.iter().flatten().all(|x| x.is_finite()) {
            return Some(());
        }
        // Cut at the near plane, so that all of it is in front of the camera.
        let distances = corners.map(|corner| corner.z + corner.w);
        let mut polygon = Vec::with_capacity(4);
        for i in 0..3 {
            let next = (i + 1) % 3;
            if distances[i] > 0.0 {
                polygon.push(corners[i]);
            }
            if (distances[i] > 0.0) != (distances[next] > 0.0) {
                let fraction = distances[i] / (distances[i] - distances[next]);
                polygon.push(corners[i].lerp(&corners[next], fraction));
            }
        }
        let [width, height] = self.size.map(f64::from);
        let in_image = |p: &Vector4<f64>| {
            Vector3::new((0.5 + 0.5 * p.x / p.w) * width, (0.5 - 0.5 * p.y / p.w) * height, p.z / p.w)
        };
        let polygon: Vec<Vector3<f64>> = polygon.iter().map(in_image).collect();
        for i in 2..polygon.len() {
            self.fill([polygon[0], polygon[i - 1], polygon[i]], part)?;
        }
        Some(())
    }

    /// Fills a triangle of pixel coordinates from the top left and depths.
    fn fill(&mut self, [a, b, c]: [Vector3<f64>; 3], part: (usize, JointIndex)) -> Option<()> {
        let range = |axis: usize| {
            let (min, max) = (a[axis].min(b[axis]).min(c[axis]), a[axis].max(b[axis]).max(c[axis]));
            // Pixels whose centers are inside.
            let end = f64::from(self.size[axis]);
            ((min - 0.5).ceil().clamp(0.0, end) as usize, (max + 0.5).floor().clamp(0.0, end) as usize)
        };
        let ([left, right], [top, bottom]) = ([range(0).0, range(0).1], [range(1).0, range(1).1]);
        let cross =
            |a: &Vector3<f64>, b: &Vector3<f64>, [x, y]: [f64; 2]| (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
        let area = cross(&a, &b, [c.x, c.y]);
        if right <= left || bottom <= top || area == 0.0 {
            return Some(());
        }
        self.tested_pixels += ((right - left) * (bottom - top)) as u64;
        if self.tested_pixels > MAX_TESTED_PIXELS {
            return None;
        }
        for y in top..bottom {
            for x in left..right {
                let center = [x as f64 + 0.5, y as f64 + 0.5];
                let [u, v, w] =
                    [cross(&b, &c, center), cross(&c, &a, center), cross(&a, &b, center)].map(|it| it / area);
                let (depth, pixel) = (u * a.z + v * b.z + w * c.z, y * self.size[0] as usize + x);
                if u >= 0.0 && v >= 0.0 && w >= 0.0 && depth <= 1.0 && depth < self.depths[pixel] {
                    (self.depths[pixel], self.parts[pixel]) = (depth, Some(part));
                }
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Orbit, clip_hull};
    use rigview_core::crowd::{Crowd, CrowdAnimator};
    use rigview_core::import::{ImageLoading, ImportOptions, open};

    fn posed(file: &str) -> (PosedParts, Crowd, Camera) {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets").join(file);
        let model = open(&file, &ImportOptions::default().with_images(ImageLoading::Skip)).unwrap().model;
        let rig = Rig::new(model.clone(), model.default_scene).unwrap();
        let (mut animator, mut crowd) = (CrowdAnimator::new(&rig), Crowd::single(None));
        animator.update(&mut crowd, 0.0);
        let hull = clip_hull(&rig, None);
        let camera = Orbit::framing(&hull, 1.0).camera(hull.bounds());
        (PosedParts { rig, palette: animator.palette().clone(), hidden_draws: Vec::new() }, crowd, camera)
    }

    #[test]
    fn nearest_parts_are_those_of_picking() {
        for file in ["windmill.glb", "hare.glb"] {
            let (posed, crowd, camera) = posed(file);
            let (rig, palette) = (posed.rig.clone(), posed.palette.clone());
            let size = [97, 97];
            let parts = nearest_parts(&[posed], &camera, size).unwrap();
            let surfaces =
                crate::scene::PickSurfaces { rig: &rig, crowd: &crowd, palette: &palette, hidden_draws: &[] };
            let (mut same, mut found) = (0, 0);
            for (pixel, part) in parts.iter().enumerate().step_by(23) {
                let at = [pixel % 97, pixel / 97].map(|x| (x as f64 + 0.5) / 97.0);
                let picked = surfaces.pick(&camera, 1.0, at);
                assert_eq!(picked.is_some(), part.is_some(), "{file} {at:?}");
                found += usize::from(part.is_some());
                same += usize::from(part.map(|(_, joint)| joint) == picked.map(|point| point.dominant_joint()));
            }
            // A picked point has the interpolated weights of three vertices.
            assert!(found > 30 && same * 10 > found * 8, "{file}: {same} of {found}");
        }
    }

    #[test]
    fn hidden_and_large_surfaces() {
        let (mut posed, _, camera) = posed("windmill.glb");
        posed.hidden_draws = vec![true; posed.rig.layout().draws.len()];
        let parts = nearest_parts(&[posed], &camera, [16, 16]).unwrap();
        assert!(parts.iter().all(Option::is_none));
        let mut image = DepthImage::new([16, 16]);
        image.tested_pixels = MAX_TESTED_PIXELS - 2 * 16 * 16;
        let corner = |x, y, z| Vector4::new(x, y, z, 1.0);
        let triangle = [corner(-1.0, -1.0, 0.5), corner(3.0, -1.0, 0.5), corner(-1.0, 3.0, 0.5)];
        let drawn = (0..100).take_while(|i| image.draw(triangle, (*i, JointIndex(0))).is_some()).count();
        assert_eq!((drawn, image.parts[0]), (2, Some((0, JointIndex(0)))));
    }

    #[test]
    fn triangles_are_cut_at_the_near_plane() {
        let camera = Camera::look_at(Vector3::new(0.0, 1.0, 0.0), Vector3::new(0.0, 1.0, -1.0), 1.0);
        let projection = camera.projection_from_world(1.0);
        // A ground from behind the camera to the horizon.
        let corners = [[-1e3, 0.0, 1e3], [1e3, 0.0, 1e3], [0.0, 0.0, -1e4]];
        let corners = corners.map(|corner| projection * Vector3::from(corner).push(1.0));
        let mut image = DepthImage::new([10, 10]);
        image.draw(corners, (0, JointIndex(0))).unwrap();
        let is_ground = |y: usize| image.parts[y * 10 + 5].is_some();
        assert!(!is_ground(2) && is_ground(9), "{:?}", image.parts);
    }
}
