//! Virtual point lights: the light that surfaces emit, as points.

use nalgebra::Vector3;
use rigview_core::math::Aabb;
use rigview_core::model::{AlphaMode, Material, MaterialIndex, Primitive, TextureSlot};
use rigview_core::palette::{BlockIndex, Palette, PrimitiveDraw, Rig, skin_positions_on_cpu, skin_triangle_on_cpu};
use std::collections::HashMap;

/// Points on the surfaces from which the points of light are chosen.
const CANDIDATES: usize = 8192;

/// Emission texture of a material.
#[derive(Clone, Debug, PartialEq)]
pub struct EmissionTexture {
    /// Width in texels.
    pub width: u32,
    /// Height in texels.
    pub height: u32,
    /// Linear texels, rows from the top, as many as width times height.
    pub texels: Vec<[f32; 3]>,
}

/// A posed crowd with the emission textures of its model.
#[derive(Clone, Copy, Debug)]
pub struct EmittingCrowd<'a> {
    /// The model.
    pub rig: &'a Rig,
    /// Matrices of all instances.
    pub palette: &'a Palette,
    /// Emission textures; materials without an entry have none.
    pub textures: &'a HashMap<MaterialIndex, EmissionTexture>,
}

/// Virtual point light: a point that represents all the light that surfaces emit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VirtualPointLight {
    /// Position in the world.
    pub position_in_world: Vector3<f64>,
    /// Unit normal of the emitting side.
    pub normal_in_world: Vector3<f64>,
    /// Luminous intensity along the normal in candela, linear. That of other directions is proportional to the cosine.
    pub intensity_rgb: [f64; 3],
    /// Area in square meters: intensity over the radiance of this point. Bounds the illuminance nearby.
    pub area: f64,
}

/// A point of an emitting surface of the first instance.
struct Candidate {
    crowd: usize,
    draw: PrimitiveDraw,
    corners: [u32; 3],
    barycentric: [f64; 3],
    /// In the world.
    position: Vector3<f64>,
    radiance_rgb: [f64; 3],
    /// Area in square meters for which the candidate stands, of all instances.
    area: f64,
    /// Area of its triangle.
    triangle_area: f64,
    double_sided: bool,
}

/// One draw that emits light.
struct Emitter<'a> {
    crowd: usize,
    draw: PrimitiveDraw,
    primitive: &'a Primitive,
    material: &'a Material,
    texture: Option<&'a EmissionTexture>,
    tex_coords: Option<&'a [[f32; 2]]>,
    /// Largest component of the emission, times the number of instances.
    weight: f64,
}

/// Returns `count` virtual point lights: light is `L = sum L_i / count`, where `L_i` is that of point `i`. Empty if no
/// surface emits light.
///
/// Points are chosen by the square root of their luminance: by the luminance, few would be on dim surfaces near to others, which light
/// them in blotches. Blended and unlit surfaces are ignored.
pub fn virtual_point_lights(crowds: &[EmittingCrowd<'_>], count: u32) -> Vec<VirtualPointLight> {
    let emitters: Vec<_> = crowds.iter().enumerate().flat_map(|(index, crowd)| emitters(index, crowd)).collect();
    let mut candidates = candidates(&emitters, crowds);
    sort_by_place(&mut candidates);
    let mut sums = Vec::with_capacity(candidates.len());
    let mut total = 0.0;
    for candidate in &candidates {
        total += importance(candidate.radiance_rgb) * candidate.area;
        sums.push(total);
    }
    if !(total > 0.0 && total.is_finite()) {
        return Vec::new();
    }
    let point = |index: u32| {
        let number = |dimension: u32| f64::from(sobol_burley::sample(index, dimension, 1));
        let chosen = sums.partition_point(|sum| *sum <= number(0) * total).min(candidates.len() - 1);
        virtual_point_light(&candidates[chosen], crowds, [number(1), number(2)], total)
    };
    (0..count).filter_map(point).collect()
}

/// The draws of a crowd that emit light.
fn emitters<'a>(index: usize, crowd: &EmittingCrowd<'a>) -> Vec<Emitter<'a>> {
    let &EmittingCrowd { rig, palette, textures } = crowd;
    let model = rig.model();
    let emitter = |draw: &PrimitiveDraw| {
        let primitive = &model.meshes[draw.mesh.get()].primitives[draw.primitive];
        let material_index = primitive.material?;
        let animated = palette.animated_properties().material(material_index);
        let material = animated.unwrap_or(&model.materials[material_index.get()]);
        let brightest = material.emitted().into_iter().fold(0.0, f32::max);
        let is_hidden = palette.is_hidden(draw.joint) || material.unlit || material.alpha_mode == AlphaMode::Blend;
        if brightest <= 0.0 || is_hidden || !primitive.topology.has_triangles() {
            return None;
        }
        let tex_coords = material.textures[TextureSlot::Emissive]
            .and_then(|texture| primitive.vertices.tex_coords.get(texture.tex_coord as usize));
        Some(Emitter {
            crowd: index,
            draw: *draw,
            primitive,
            material,
            texture: textures.get(&material_index).filter(|texture| !texture.texels.is_empty()),
            tex_coords: tex_coords.map(Vec::as_slice),
            weight: f64::from(brightest) * palette.instance_count() as f64,
        })
    };
    if palette.instance_count() == 0 {
        return Vec::new();
    }
    rig.layout().draws.iter().filter_map(emitter).collect()
}

/// Spreads candidates over all triangles, by area and emission.
fn candidates(emitters: &[Emitter<'_>], crowds: &[EmittingCrowd<'_>]) -> Vec<Candidate> {
    // Posed twice, because all positions together could exceed the memory.
    let power =
        |emitter: &Emitter<'_>| emitter.weight * emitter.triangles(crowds).map(|triangle| triangle.area).sum::<f64>();
    let powers: Vec<f64> = emitters.iter().map(power).collect();
    let step = powers.iter().sum::<f64>() / CANDIDATES as f64;
    let mut candidates = Vec::new();
    if !(step > 0.0 && step.is_finite()) {
        return candidates;
    }
    let mut end = 0.0;
    for (emitter, power) in emitters.iter().zip(powers) {
        let mut sum = end;
        end += power;
        // The next candidate's place on the way through all emitters.
        let next = |candidates: &Vec<Candidate>| (candidates.len() as f64 + 0.5) * step;
        if next(&candidates) >= end {
            continue;
        }
        for triangle in emitter.triangles(crowds) {
            sum += triangle.area * emitter.weight;
            while candidates.len() < CANDIDATES && next(&candidates) < sum {
                let index = candidates.len() as u32;
                let instances = crowds[emitter.crowd].palette.instance_count() as f64;
                candidates.push(emitter.candidate(&triangle, index, step / emitter.weight * instances));
            }
        }
    }
    candidates
}

/// A posed triangle of the first instance.
struct EmittingTriangle {
    corners: [u32; 3],
    positions: [Vector3<f64>; 3],
    area: f64,
}

/// Sorts candidates along a curve through space, so that candidates at equal distances in the list are evenly spread over the surfaces.
fn sort_by_place(candidates: &mut [Candidate]) {
    let mut bounds = Aabb::EMPTY;
    for candidate in &*candidates {
        bounds.add(candidate.position);
    }
    candidates.sort_by_cached_key(|candidate| bounds.morton_code(candidate.position));
}

impl Emitter<'_> {
    /// Poses the triangles that have an area.
    fn triangles(&self, crowds: &[EmittingCrowd<'_>]) -> impl Iterator<Item = EmittingTriangle> + use<> {
        let EmittingCrowd { rig, palette, .. } = crowds[self.crowd];
        let posed = skin_positions_on_cpu(rig, palette, BlockIndex(0), &self.draw);
        let triangles = self.primitive.triangles();
        (0..triangles.len() / 3).filter_map(move |i| {
            let corners = [0, 1, 2].map(|corner| triangles[3 * i + corner]);
            let positions = corners.map(|corner| vector(posed[corner as usize]));
            let area = area(positions);
            (area > 0.0 && area.is_finite()).then_some(EmittingTriangle { corners, positions, area })
        })
    }

    /// Candidate of this number, which stands for `area` square meters.
    fn candidate(&self, triangle: &EmittingTriangle, index: u32, area: f64) -> Candidate {
        let [u, v] = [0, 1].map(|dimension| f64::from(sobol_burley::sample(index, dimension, 0)));
        let barycentric = [1.0 - u.sqrt(), u.sqrt() * (1.0 - v), u.sqrt() * v];
        Candidate {
            crowd: self.crowd,
            draw: self.draw,
            corners: triangle.corners,
            barycentric,
            position: (0..3).map(|i| triangle.positions[i] * barycentric[i]).sum(),
            radiance_rgb: self.radiance(triangle.corners, barycentric),
            area,
            triangle_area: triangle.area,
            double_sided: self.material.double_sided,
        }
    }

    /// Emitted radiance at a point of a triangle.
    fn radiance(&self, corners: [u32; 3], barycentric: [f64; 3]) -> [f64; 3] {
        let mut radiance = self.material.emitted().map(f64::from);
        let slot = self.material.textures[TextureSlot::Emissive];
        if let (Some(texture), Some(tex_coords), Some(slot)) = (self.texture, self.tex_coords, slot) {
            let mut uv = [0.0; 2];
            for (corner, weight) in corners.into_iter().zip(barycentric) {
                let at_corner = tex_coords[corner as usize];
                uv = [0, 1].map(|axis| uv[axis] + (weight * f64::from(at_corner[axis])) as f32);
            }
            let texel = texture.texel(slot.transform.apply(uv));
            radiance = [0, 1, 2].map(|i| radiance[i] * f64::from(texel[i]));
        }
        radiance
    }
}

impl EmissionTexture {
    /// Returns the nearest texel of repeated texture coordinates.
    fn texel(&self, [u, v]: [f32; 2]) -> [f32; 3] {
        let index = |x: f32, count: u32| {
            let inside = if x.is_finite() { x.rem_euclid(1.0) } else { 0.0 };
            ((inside * count as f32) as usize).min(count as usize - 1)
        };
        self.texels[index(v, self.height) * self.width as usize + index(u, self.width)]
    }
}

/// Poses a candidate in one of the instances. `None` if its triangle has no area there.
fn virtual_point_light(
    candidate: &Candidate,
    crowds: &[EmittingCrowd<'_>],
    [instance, side]: [f64; 2],
    total_importance: f64,
) -> Option<VirtualPointLight> {
    let EmittingCrowd { rig, palette, .. } = crowds[candidate.crowd];
    let instances = palette.instance_count();
    let instance = ((instance * instances as f64) as usize).min(instances - 1);
    let triangle = skin_triangle_on_cpu(rig, palette, BlockIndex(instance as u32), &candidate.draw, candidate.corners);
    let corners = triangle.positions.map(vector);
    let area = area(corners);
    let mut normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0])).try_normalize(0.0)?;
    if triangle.is_mirrored != (candidate.double_sided && side < 0.5) {
        normal = -normal;
    }
    let sides = if candidate.double_sided { 2.0 } else { 1.0 };
    let effective_area =
        sides * total_importance / importance(candidate.radiance_rgb) * (area / candidate.triangle_area);
    let position_in_world = (0..3).map(|i| corners[i] * candidate.barycentric[i]).sum();
    let light = VirtualPointLight {
        position_in_world,
        normal_in_world: normal,
        intensity_rgb: candidate.radiance_rgb.map(|radiance| radiance * effective_area),
        area: effective_area,
    };
    (light.area.is_finite() && light.position_in_world.iter().all(|x| x.is_finite())).then_some(light)
}

/// Square root of the luminance: proportional to the probability per area.
fn importance([r, g, b]: [f64; 3]) -> f64 {
    (0.2126 * r + 0.7152 * g + 0.0722 * b).sqrt()
}

fn vector(point: [f32; 3]) -> Vector3<f64> {
    Vector3::from(point).cast()
}

fn area([a, b, c]: [Vector3<f64>; 3]) -> f64 {
    0.5 * (b - a).cross(&(c - a)).norm()
}
