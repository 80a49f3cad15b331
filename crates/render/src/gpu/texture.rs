//! Image textures and samplers.

use super::object::Object;
use super::{Channels, Gpu, GpuError};
use glow::HasContext;
use rigview_core::model::{self, BlockFormat};
use std::cell::Cell;
use std::rc::Rc;

/// Width and height of a compressed block, in texels.
const BLOCK_SIDE: u32 = 4;

/// A texture object.
pub(super) type TextureId = Object<glow::Texture>;

impl TextureId {
    pub(super) fn new_texture(gpu: &Rc<Gpu>) -> Result<Self, GpuError> {
        Self::new(gpu, "texture", glow::Context::create_texture, glow::Context::delete_texture)
    }

    /// Sets the number of mip levels of the bound texture before upload. Otherwise Mesa allocates all levels twice.
    fn set_level_count(&self, levels: usize) {
        let filter = if levels > 1 { glow::LINEAR_MIPMAP_LINEAR } else { glow::LINEAR };
        for (name, value) in [
            (glow::TEXTURE_BASE_LEVEL, 0),
            (glow::TEXTURE_MAX_LEVEL, levels as i32 - 1),
            // Sampling uses sampler objects.
            (glow::TEXTURE_MIN_FILTER, filter as i32),
        ] {
            // SAFETY: the `Gpu` invariant.
            unsafe { self.gpu.functions().tex_parameter_i32(glow::TEXTURE_2D, name, value) };
        }
    }

    /// Sets the channels that the first components of the bound texture hold.
    fn set_swizzle(&self, channels: Channels) {
        let mut swizzle = [glow::ZERO, glow::ZERO, glow::ZERO, glow::ONE];
        for (channel, component) in channels.indices().zip([glow::RED, glow::GREEN]) {
            swizzle[channel] = component;
        }
        for (component, value) in (glow::TEXTURE_SWIZZLE_R..).zip(swizzle) {
            // SAFETY: the `Gpu` invariant.
            unsafe { self.gpu.functions().tex_parameter_i32(glow::TEXTURE_2D, component, value as i32) };
        }
    }

    pub(super) fn bind_to_unit(&self, target: u32, unit: u32) {
        // SAFETY: the `Gpu` invariant; the units are constants below the guaranteed limit.
        unsafe {
            self.gpu.functions().active_texture(glow::TEXTURE0 + unit);
            self.gpu.functions().bind_texture(target, Some(self.id));
        }
    }
}

/// Resets all unpack state, so that uploads read contiguous rows without padding.
pub(super) fn set_tight_unpack_alignment(gl: &glow::Context) {
    // SAFETY: the `Gpu` invariant.
    unsafe {
        gl.bind_buffer(glow::PIXEL_UNPACK_BUFFER, None);
        gl.pixel_store_i32(glow::UNPACK_ALIGNMENT, 1);
        for name in [
            glow::UNPACK_ROW_LENGTH,
            glow::UNPACK_IMAGE_HEIGHT,
            glow::UNPACK_SKIP_ROWS,
            glow::UNPACK_SKIP_PIXELS,
            glow::UNPACK_SKIP_IMAGES,
        ] {
            gl.pixel_store_i32(name, 0);
        }
    }
}

/// Resets all pack state, so that rows of four-byte texels are read without padding.
pub(super) fn set_tight_pack_alignment(gl: &glow::Context) {
    // SAFETY: the `Gpu` invariant.
    unsafe {
        gl.bind_buffer(glow::PIXEL_PACK_BUFFER, None);
        gl.pixel_store_i32(glow::PACK_ALIGNMENT, 4);
        for name in [glow::PACK_ROW_LENGTH, glow::PACK_SKIP_ROWS, glow::PACK_SKIP_PIXELS] {
            gl.pixel_store_i32(name, 0);
        }
    }
}

/// Encoding of texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ColorSpace {
    /// sRGB-encoded colors.
    Srgb,
    Linear,
}

/// Width and height of a mip level, with its texels.
pub(crate) struct TextureLevel {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) rgba: Vec<u8>,
}

/// A two-dimensional texture with mip levels.
pub(crate) struct Texture2d {
    texture: TextureId,
    format: TextureFormat,
    /// Width and height of each mip level.
    sizes: Vec<[u32; 2]>,
    /// Compressed blocks are allocated, so that they can be written by rows of blocks.
    has_storage: bool,
}

/// Encoding of the bytes of a texture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TextureFormat {
    /// Texels of these channels. One or two channels are linear; others are then 0, and alpha is 1.
    Texels(ColorSpace, Channels),
    /// Compressed blocks.
    Blocks(ColorSpace, BlockFormat),
}

impl Texture2d {
    /// Creates a texture with a full mip chain, or with a single level, whose content is undefined.
    ///
    /// The format of blocks is one of [`compressed_formats`](Gpu::compressed_formats).
    pub(crate) fn new(gpu: &Rc<Gpu>, format: TextureFormat, sizes: Vec<[u32; 2]>) -> Result<Self, GpuError> {
        let texture = TextureId::new_texture(gpu)?;
        texture.bind_to_unit(glow::TEXTURE_2D, 0);
        texture.set_level_count(sizes.len());
        if let TextureFormat::Texels(_, channels) = format {
            if channels.texel_bytes() < 4 {
                texture.set_swizzle(channels);
            }
            set_tight_unpack_alignment(&gpu.functions());
            let (internal, layout) = format.gl();
            for (level, [width, height]) in (0..).zip(&sizes) {
                let (width, height, no_pixels) = (*width as i32, *height as i32, glow::PixelUnpackData::Slice(None));
                let (target, ty) = (glow::TEXTURE_2D, glow::UNSIGNED_BYTE);
                // SAFETY: the `Gpu` invariant; no memory is read.
                unsafe {
                    let gl = gpu.functions();
                    gl.tex_image_2d(target, level, internal as i32, width, height, 0, layout, ty, no_pixels);
                }
                gpu.check_errors("allocating a texture")?;
            }
        }
        let has_storage = matches!(format, TextureFormat::Blocks(..)) && gpu.has_texture_storage();
        if has_storage {
            let ([width, height], levels) = (sizes[0], sizes.len() as i32);
            // SAFETY: the `Gpu` invariant; the context has the function.
            unsafe {
                let gl = gpu.functions();
                gl.tex_storage_2d(glow::TEXTURE_2D, levels, format.gl().0, width as i32, height as i32);
            }
            gpu.check_errors("allocating a texture")?;
        }
        // SAFETY: the `Gpu` invariant.
        unsafe { gpu.functions().bind_texture(glow::TEXTURE_2D, None) };
        Ok(Self { texture, format, sizes, has_storage })
    }

    /// Number of rows of a level that are written separately: of texels, or of blocks; and bytes of each.
    pub(crate) fn rows(&self, level: usize) -> (usize, usize) {
        let [width, height] = self.sizes[level];
        match self.format {
            TextureFormat::Texels(_, channels) => (height as usize, width as usize * channels.texel_bytes()),
            TextureFormat::Blocks(..) if self.has_storage => {
                (height.div_ceil(BLOCK_SIDE) as usize, BlockFormat::level_bytes(width, 1))
            }
            // OpenGL 3.3 allocates a compressed level with its content.
            TextureFormat::Blocks(..) => (1, BlockFormat::level_bytes(width, height)),
        }
    }

    /// Writes whole [rows](Self::rows) of a level from `first_row` on.
    ///
    /// # Panics
    /// If these bytes are no whole rows within the level.
    pub(crate) fn write(&self, level: usize, first_row: u32, bytes: &[u8]) -> Result<(), GpuError> {
        let Self { texture, format, sizes, has_storage } = self;
        let (gl, [width, height]) = (texture.gpu.functions(), sizes[level]);
        texture.bind_to_unit(glow::TEXTURE_2D, 0);
        set_tight_unpack_alignment(&gl);
        let (internal, layout) = format.gl();
        let (target, level, gl_width) = (glow::TEXTURE_2D, level as i32, width as i32);
        match format {
            TextureFormat::Texels(_, channels) => {
                let row_bytes = width as usize * channels.texel_bytes();
                let rows = bytes.len() / row_bytes;
                let is_within = bytes.len() == rows * row_bytes && first_row as usize + rows <= height as usize;
                assert!(is_within, "the level has another size");
                let (top, rows, ty) = (first_row as i32, rows as i32, glow::UNSIGNED_BYTE);
                let texels = glow::PixelUnpackData::Slice(Some(bytes));
                // SAFETY: the `Gpu` invariant; the slice holds exactly these rows, which are within the level.
                unsafe { gl.tex_sub_image_2d(target, level, 0, top, gl_width, rows, layout, ty, texels) };
            }
            TextureFormat::Blocks(..) if *has_storage => {
                let (rows, row_bytes) = self.rows(level as usize);
                let end = first_row as usize + bytes.len() / row_bytes;
                assert!(bytes.len().is_multiple_of(row_bytes) && end <= rows, "the level has another size");
                let top = first_row * BLOCK_SIDE;
                let (top, rows) = (top as i32, height.min(end as u32 * BLOCK_SIDE) as i32 - top as i32);
                let blocks = glow::CompressedPixelUnpackData::Slice(bytes);
                // SAFETY: the `Gpu` invariant; the slice holds exactly these rows of blocks, which are within the level.
                unsafe { gl.compressed_tex_sub_image_2d(target, level, 0, top, gl_width, rows, internal, blocks) };
            }
            TextureFormat::Blocks(..) => {
                let is_whole = first_row == 0 && bytes.len() == BlockFormat::level_bytes(width, height);
                assert!(is_whole, "the level has another size");
                let (height, length) = (height as i32, bytes.len() as i32);
                // SAFETY: the `Gpu` invariant; the length is checked above.
                unsafe {
                    gl.compressed_tex_image_2d(target, level, internal as i32, gl_width, height, 0, length, bytes)
                };
            }
        }
        // SAFETY: the `Gpu` invariant.
        unsafe { gl.bind_texture(glow::TEXTURE_2D, None) };
        texture.gpu.check_errors("uploading a texture")
    }

    /// Reads back the largest mip level of at most `max_side` texels a side, else the smallest level. Waits for the GPU.
    pub(crate) fn read_level(&self, max_side: u32) -> Result<TextureLevel, GpuError> {
        let Self { texture, sizes, .. } = self;
        let gl = texture.gpu.functions();
        texture.bind_to_unit(glow::TEXTURE_2D, 0);
        let fits = |[width, height]: &[u32; 2]| (*width).max(*height) <= max_side;
        let level = sizes.iter().position(fits).unwrap_or(sizes.len() - 1);
        let [width, height] = sizes[level];
        let mut rgba = vec![0; width as usize * height as usize * 4];
        set_tight_pack_alignment(&gl);
        // SAFETY: the `Gpu` invariant; the slice has four bytes for each texel of the level.
        unsafe {
            let texels = glow::PixelPackData::Slice(Some(&mut rgba));
            gl.get_tex_image(glow::TEXTURE_2D, level as i32, glow::RGBA, glow::UNSIGNED_BYTE, texels);
            gl.bind_texture(glow::TEXTURE_2D, None);
        }
        texture.gpu.check_errors("reading a texture back")?;
        Ok(TextureLevel { width, height, rgba })
    }

    pub(crate) fn bind(&self, unit: u32, sampler: &Sampler) {
        self.texture.bind_to_unit(glow::TEXTURE_2D, unit);
        self.texture.gpu.bind_sampler(unit, Some(sampler.sampler.id));
    }
}

impl TextureFormat {
    /// The internal format, and the layout of the bytes of texels.
    fn gl(self) -> (u32, u32) {
        match self {
            Self::Texels(space, channels) => match (channels.texel_bytes(), space) {
                (1, _) => (glow::R8, glow::RED),
                (2, _) => (glow::RG8, glow::RG),
                (_, ColorSpace::Srgb) => (glow::SRGB8_ALPHA8, glow::RGBA),
                (_, ColorSpace::Linear) => (glow::RGBA8, glow::RGBA),
            },
            Self::Blocks(space, format) => {
                let internal = match (format, space) {
                    (BlockFormat::Astc4x4, ColorSpace::Srgb) => glow::COMPRESSED_SRGB8_ALPHA8_ASTC_4x4_KHR,
                    (BlockFormat::Astc4x4, ColorSpace::Linear) => glow::COMPRESSED_RGBA_ASTC_4x4_KHR,
                    (BlockFormat::Bc3, ColorSpace::Srgb) => glow::COMPRESSED_SRGB_ALPHA_S3TC_DXT5_EXT,
                    (BlockFormat::Bc3, ColorSpace::Linear) => glow::COMPRESSED_RGBA_S3TC_DXT5_EXT,
                    (BlockFormat::Bc7, ColorSpace::Srgb) => glow::COMPRESSED_SRGB_ALPHA_BPTC_UNORM,
                    (BlockFormat::Bc7, ColorSpace::Linear) => glow::COMPRESSED_RGBA_BPTC_UNORM,
                    (BlockFormat::Etc2, ColorSpace::Srgb) => glow::COMPRESSED_SRGB8_ALPHA8_ETC2_EAC,
                    (BlockFormat::Etc2, ColorSpace::Linear) => glow::COMPRESSED_RGBA8_ETC2_EAC,
                };
                (internal, glow::RGBA)
            }
        }
    }
}

/// A sampler object.
pub(crate) struct Sampler {
    sampler: Object<glow::Sampler>,
    /// Filters between mip levels. Anisotropic filtering applies to no other sampler.
    is_trilinear: bool,
    anisotropy: Cell<u32>,
}

impl Sampler {
    pub(crate) fn new(gpu: &Rc<Gpu>, sampler: &model::Sampler) -> Result<Self, GpuError> {
        use model::{Filter, Wrap};
        let magnify = match sampler.magnify {
            Filter::Nearest => glow::NEAREST,
            Filter::Linear => glow::LINEAR,
        };
        let minify = match (sampler.minify, sampler.mipmap) {
            (Filter::Nearest, None) => glow::NEAREST,
            (Filter::Linear, None) => glow::LINEAR,
            (Filter::Nearest, Some(Filter::Nearest)) => glow::NEAREST_MIPMAP_NEAREST,
            (Filter::Linear, Some(Filter::Nearest)) => glow::LINEAR_MIPMAP_NEAREST,
            (Filter::Nearest, Some(Filter::Linear)) => glow::NEAREST_MIPMAP_LINEAR,
            (Filter::Linear, Some(Filter::Linear)) => glow::LINEAR_MIPMAP_LINEAR,
        };
        let wrap = |wrap| match wrap {
            Wrap::Repeat => glow::REPEAT,
            Wrap::MirroredRepeat => glow::MIRRORED_REPEAT,
            Wrap::ClampToEdge => glow::CLAMP_TO_EDGE,
        };
        let object = Object::new(gpu, "sampler", glow::Context::create_sampler, glow::Context::delete_sampler)?;
        for (name, value) in [
            (glow::TEXTURE_MAG_FILTER, magnify),
            (glow::TEXTURE_MIN_FILTER, minify),
            (glow::TEXTURE_WRAP_S, wrap(sampler.wrap_u)),
            (glow::TEXTURE_WRAP_T, wrap(sampler.wrap_v)),
        ] {
            // SAFETY: the `Gpu` invariant.
            unsafe { gpu.functions().sampler_parameter_i32(object.id, name, value as i32) };
        }
        let is_trilinear = sampler.minify == Filter::Linear && sampler.mipmap == Some(Filter::Linear);
        Ok(Self { sampler: object, is_trilinear, anisotropy: Cell::new(1) })
    }

    /// Sets the maximum anisotropy, as far as the driver supports it.
    pub(crate) fn set_anisotropy(&self, anisotropy: u32) {
        const TEXTURE_MAX_ANISOTROPY: u32 = 0x84FE;
        let Object { gpu, id, .. } = &self.sampler;
        let anisotropy = anisotropy.min(gpu.limits().anisotropy);
        if self.is_trilinear && self.anisotropy.replace(anisotropy) != anisotropy {
            // SAFETY: the `Gpu` invariant; the limit is above 1 only if the extension is supported.
            unsafe { gpu.functions().sampler_parameter_f32(*id, TEXTURE_MAX_ANISOTROPY, anisotropy as f32) };
        }
    }
}
