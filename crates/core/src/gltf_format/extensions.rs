//! The table of glTF extensions: what `import` supports, and what `check` validates.

use super::ImageFormat;

/// The level of support by `import`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImportSupport {
    /// Imported.
    Supported,
    /// Has no visible effect, and is ignored without a diagnostic.
    Ignorable,
    /// Ignored with a diagnostic; a file that requires it is refused.
    Unsupported,
}

/// One extension.
#[derive(Clone, Copy, Debug)]
pub struct Extension {
    /// Name with prefix, such as `KHR_materials_sheen`.
    pub name: &'static str,
    pub(crate) import: ImportSupport,
    /// `true` if `check` has schemas for its objects. A test in `check` compares this with the schemas.
    pub has_schemas: bool,
    /// The cargo feature of its codec.
    pub(crate) codec: Option<&'static str>,
    /// The format of the image that a texture refers to through this extension.
    pub texture_image: Option<ImageFormat>,
    /// The message for a file that is shown without what the extension adds.
    pub(crate) notice: Option<&'static str>,
}

impl Extension {
    const fn new(name: &'static str, import: ImportSupport) -> Self {
        let has_schemas = matches!(import, ImportSupport::Supported);
        Self { name, import, has_schemas, codec: None, texture_image: None, notice: None }
    }

    /// Requires a cargo feature, without which the extension is not supported.
    const fn codec(self, feature: &'static str, is_enabled: bool) -> Self {
        let import = if is_enabled { self.import } else { ImportSupport::Unsupported };
        Self { import, codec: Some(feature), ..self }
    }

    const fn with_schemas(self) -> Self {
        Self { has_schemas: true, ..self }
    }

    const fn texture_image(self, format: ImageFormat) -> Self {
        Self { texture_image: Some(format), ..self }
    }
}

const fn supported(name: &'static str) -> Extension {
    Extension::new(name, ImportSupport::Supported)
}

const fn ignorable(name: &'static str) -> Extension {
    Extension::new(name, ImportSupport::Ignorable)
}

/// An extension whose files are shown without what it adds, with a notice.
const fn not_shown(name: &'static str, notice: &'static str) -> Extension {
    Extension { notice: Some(notice), ..ignorable(name) }
}

/// All known extensions, sorted by name.
pub static EXTENSIONS: [Extension; 42] = [
    supported("EXT_mesh_gpu_instancing"),
    supported("EXT_meshopt_compression").codec("meshopt", cfg!(feature = "meshopt")),
    ignorable("EXT_structural_metadata"),
    supported("EXT_texture_avif").codec("avif", cfg!(feature = "avif")).texture_image(ImageFormat::Avif),
    supported("EXT_texture_webp").codec("webp", cfg!(feature = "webp")).texture_image(ImageFormat::WebP),
    supported("KHR_animation_pointer"),
    supported("KHR_draco_mesh_compression").codec("draco", cfg!(feature = "draco")),
    not_shown("KHR_gaussian_splatting", "Gaussian splats (KHR_gaussian_splatting) are drawn as points").with_schemas(),
    not_shown("KHR_interactivity", "the file has behavior (KHR_interactivity), which is not run"),
    supported("KHR_lights_punctual"),
    supported("KHR_materials_anisotropy"),
    supported("KHR_materials_clearcoat"),
    supported("KHR_materials_diffuse_transmission"),
    supported("KHR_materials_dispersion"),
    supported("KHR_materials_emissive_strength"),
    supported("KHR_materials_ior"),
    supported("KHR_materials_iridescence"),
    supported("KHR_materials_pbrSpecularGlossiness"),
    supported("KHR_materials_sheen"),
    supported("KHR_materials_specular"),
    supported("KHR_materials_transmission"),
    supported("KHR_materials_unlit"),
    supported("KHR_materials_variants"),
    supported("KHR_materials_volume"),
    supported("KHR_mesh_quantization"),
    supported("KHR_meshopt_compression").codec("meshopt", cfg!(feature = "meshopt")),
    ignorable("KHR_node_hoverability").with_schemas(),
    ignorable("KHR_node_selectability").with_schemas(),
    supported("KHR_node_visibility"),
    supported("KHR_texture_basisu").codec("basisu", cfg!(feature = "basisu")).texture_image(ImageFormat::Ktx2),
    supported("KHR_texture_transform"),
    ignorable("KHR_xmp"),
    ignorable("KHR_xmp_json_ld"),
    Extension::new("MSFT_texture_dds", ImportSupport::Unsupported).texture_image(ImageFormat::Dds),
    not_shown("VRM", "toon materials of VRM 0.x are drawn as their base materials; hair and clothes do not swing; toon colors of expressions are not drawn")
        .with_schemas(),
    not_shown("VRMC_materials_mtoon", "toon materials (VRMC_materials_mtoon) are drawn as their base materials").with_schemas(),
    not_shown("VRMC_node_constraint", "bones that follow other bones (VRMC_node_constraint) keep their pose").with_schemas(),
    not_shown("VRMC_springBone", "hair and clothes (VRMC_springBone) do not swing").with_schemas(),
    ignorable("VRMC_springBone_extended_collider"),
    ignorable("VRMC_springBone_limit"),
    not_shown("VRMC_vrm", "toon colors of expressions are not drawn; all meshes are drawn, also those for the first-person view")
        .with_schemas(),
    not_shown(
        "VRMC_vrm_animation",
        "expressions and look-at of the VRM animation have no face here; import its clips into an avatar",
    ),
];

/// Vendor prefixes of the glTF extension registry.
const REGISTERED_PREFIXES: [&str; 12] =
    ["KHR_", "EXT_", "ADOBE_", "AGI_", "CESIUM_", "FB_", "GODOT_", "GRIFFEL_", "MPEG_", "MSFT_", "NV_", "VRMC_"];

/// Returns the known extension of this name.
pub(crate) fn find(name: &str) -> Option<&'static Extension> {
    EXTENSIONS.binary_search_by(|extension| extension.name.cmp(name)).ok().and_then(|i| EXTENSIONS.get(i))
}

/// Returns `true` if `import` does not support the extension.
pub fn is_unsupported(name: &str) -> bool {
    find(name).is_none_or(|extension| extension.import == ImportSupport::Unsupported)
}

/// Returns `true` if `import` reads the extension completely.
pub fn is_imported(name: &str) -> bool {
    find(name).is_some_and(|extension| extension.import == ImportSupport::Supported)
}

/// Returns the cargo feature that would support the extension, if this build lacks it.
pub(crate) fn missing_codec_feature(name: &str) -> Option<&'static str> {
    find(name).filter(|extension| extension.import == ImportSupport::Unsupported)?.codec
}

/// Returns `true` if the name has a prefix of the glTF extension registry.
pub(crate) fn is_registered(name: &str) -> bool {
    REGISTERED_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_sorted_and_searchable() {
        assert!(EXTENSIONS.is_sorted_by(|a, b| a.name < b.name));
        for extension in &EXTENSIONS {
            assert_eq!(find(extension.name).map(|found| found.name), Some(extension.name));
        }
        assert!(is_unsupported("MSFT_texture_dds") && is_unsupported("X_unknown"));
        assert!(!is_unsupported("KHR_xmp") && !is_unsupported("KHR_texture_transform"));
    }
}
