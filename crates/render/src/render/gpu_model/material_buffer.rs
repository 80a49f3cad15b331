//! Uniform buffer of the materials of a model.

use super::material::GpuMaterial;
use crate::gpu::{Buffer, Gpu, GpuError};
use crate::render::bindings::block;
use crate::render::texture_slot::{FIRST_FEATURE, transform_rows};
use crate::render::uniforms::{MaterialFeatureUniforms, MaterialUniforms};
use bytemuck::Zeroable;
use rigview_core::model::{AlphaMode, Material, TextureSlot};
use rigview_core::palette::Palette;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

/// Lower bound of attenuation colors, whose logarithm must be finite.
const MIN_ATTENUATION_COLOR: f32 = 1e-6;

/// Alpha cutoff of blended materials in the shadow map.
const SHADOW_ALPHA_CUTOFF: f32 = 0.5;

/// Uniforms of all materials of a model. They are written again only if a clip animates material properties.
pub(crate) struct MaterialBuffer {
    buffer: RefCell<Buffer>,
    /// The materials by [`GpuMaterial::slot`].
    materials: Vec<Arc<GpuMaterial>>,
    /// Bytes from the core factors of a material to those of its extensions, and to the next material.
    feature_offset: usize,
    stride: usize,
    /// Revision of the palette of which the animated properties were read.
    revision: Cell<Option<u64>>,
    /// Some factors are not those of the file.
    is_animated: Cell<bool>,
    /// Staging memory.
    scratch: RefCell<Vec<u8>>,
}

impl MaterialBuffer {
    pub(super) fn new(gpu: &Rc<Gpu>, materials: Vec<Arc<GpuMaterial>>) -> Result<Self, GpuError> {
        let align = |size: usize| size.next_multiple_of(gpu.limits().uniform_alignment);
        let feature_offset = align(size_of::<MaterialUniforms>());
        let buffer = Self {
            buffer: RefCell::new(Buffer::new(gpu)?),
            materials,
            feature_offset,
            stride: feature_offset + align(size_of::<MaterialFeatureUniforms>()),
            revision: Cell::new(None),
            is_animated: Cell::new(false),
            scratch: RefCell::default(),
        };
        buffer.write(|material| &material.factors)?;
        Ok(buffer)
    }

    /// Writes the factors of materials that are animated, or were before. They are those of the first instance.
    pub(crate) fn update(&self, palette: &Palette) -> Result<(), GpuError> {
        if self.revision.replace(Some(palette.revision())) == Some(palette.revision()) {
            return Ok(());
        }
        let animated = |material: &GpuMaterial| palette.animated_properties().material(material.index?);
        let is_animated = self.materials.iter().any(|material| animated(material).is_some());
        if is_animated || self.is_animated.get() {
            self.write(|material| animated(material).unwrap_or(&material.factors))?;
        }
        self.is_animated.set(is_animated);
        Ok(())
    }

    fn write<'a>(&'a self, factors: impl Fn(&'a GpuMaterial) -> &'a Material) -> Result<(), GpuError> {
        let mut bytes = self.scratch.borrow_mut();
        bytes.clear();
        for (slot, material) in self.materials.iter().enumerate() {
            let factors = factors(material);
            bytes.extend_from_slice(bytemuck::bytes_of(&material_uniforms(factors)));
            bytes.resize(slot * self.stride + self.feature_offset, 0);
            bytes.extend_from_slice(bytemuck::bytes_of(&material_feature_uniforms(factors)));
            bytes.resize((slot + 1) * self.stride, 0);
        }
        self.buffer.borrow_mut().upload_orphaning(&bytes)
    }

    /// Binds the uniforms of the material at `slot`.
    pub(crate) fn bind(&self, slot: usize) {
        let (buffer, offset) = (self.buffer.borrow(), slot * self.stride);
        buffer.bind_uniform_range(block::MATERIAL, offset, size_of::<MaterialUniforms>());
        let features = offset + self.feature_offset;
        buffer.bind_uniform_range(block::MATERIAL_FEATURES, features, size_of::<MaterialFeatureUniforms>());
    }
}

/// Returns the core factors of `material`.
fn material_uniforms(material: &Material) -> MaterialUniforms {
    let cutoff = match material.alpha_mode {
        AlphaMode::Opaque => 0.0,
        AlphaMode::Mask { cutoff } => cutoff,
        AlphaMode::Blend => SHADOW_ALPHA_CUTOFF,
    };
    let [r, g, b] = material.emitted();
    let mut uniforms = MaterialUniforms {
        base_color: material.base_color,
        emissive: [r, g, b, cutoff],
        metallic: material.metallic,
        roughness: material.roughness,
        occlusion_strength: material.occlusion_strength,
        normal_scale: material.normal_scale,
        ..MaterialUniforms::zeroed()
    };
    for (rows, slot) in uniforms.texture_transform.chunks_exact_mut(2).zip(TextureSlot::ALL) {
        rows.copy_from_slice(&transform_rows(slot, material));
    }
    uniforms
}

/// Returns the uniforms of the extensions of `material`.
fn material_feature_uniforms(material: &Material) -> MaterialFeatureUniforms {
    let mut uniforms = MaterialFeatureUniforms {
        specular: [1.0; 4],
        ior: material.ior,
        dispersion: material.dispersion,
        ..MaterialFeatureUniforms::zeroed()
    };
    if let Some(specular) = &material.specular {
        let [r, g, b] = specular.color;
        uniforms.specular = [r, g, b, specular.factor];
    }
    if let Some(specular_glossiness) = &material.specular_glossiness {
        let [r, g, b] = specular_glossiness.specular;
        // An index of refraction of 0 makes the reflectance at normal incidence equal to this color.
        (uniforms.specular, uniforms.ior) = ([r, g, b, 1.0], 0.0);
    }
    if let Some(coat) = &material.clearcoat {
        (uniforms.clearcoat, uniforms.clearcoat_roughness) = (coat.factor, coat.roughness);
        uniforms.clearcoat_normal_scale = coat.normal_scale;
    }
    if let Some(sheen) = &material.sheen {
        let [r, g, b] = sheen.color;
        uniforms.sheen = [r, g, b, sheen.roughness];
    }
    if let Some(anisotropy) = &material.anisotropy {
        uniforms.anisotropy = anisotropy.strength;
        (uniforms.anisotropy_cos, uniforms.anisotropy_sin) =
            (libm::cosf(anisotropy.rotation), libm::sinf(anisotropy.rotation));
    }
    if let Some(film) = &material.iridescence {
        (uniforms.iridescence, uniforms.iridescence_ior) = (film.factor, film.ior);
        [uniforms.iridescence_thickness_min, uniforms.iridescence_thickness_max] = film.thickness;
    }
    uniforms.transmission = material.transmission.as_ref().map_or(0.0, |transmission| transmission.factor);
    if let Some(volume) = &material.volume {
        let absorption =
            |color: f32| (-libm::logf(color.max(MIN_ATTENUATION_COLOR)) / volume.attenuation_distance).clamp(0.0, 1e18);
        let [r, g, b] = volume.attenuation_color.map(absorption);
        uniforms.absorption = [r, g, b, volume.thickness];
    }
    if let Some(diffuse) = &material.diffuse_transmission {
        let [r, g, b] = diffuse.color;
        uniforms.diffuse_transmission = [r, g, b, diffuse.factor];
    }
    let slots = &TextureSlot::ALL[FIRST_FEATURE..];
    for (rows, slot) in uniforms.feature_transform.chunks_exact_mut(2).zip(slots) {
        rows.copy_from_slice(&transform_rows(*slot, material));
    }
    uniforms
}
