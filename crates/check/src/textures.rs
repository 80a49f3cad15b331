//! References of textures, images and materials, and the requirements of materials on their meshes.

use super::extensions::image_extensions;
use super::json_path::JsonPath;
use super::json_values::{numbers, reference};
use super::reference_pass::{ReferencePass, ViewUse};
use rigview_core::schema::{IMAGE_TYPES, MATERIAL, PropertyType, Schema, extended_objects};
use rigview_core::util::text::quoted;
use serde_json::Value;
use std::collections::HashMap;

const TRANSFORM: &str = "KHR_texture_transform";

/// Textures in the tangent space of the mesh, as the normal map: extension, property, and code of other texture coordinates.
const TANGENT_TEXTURES: [(&str, &str, &str); 2] = [
    ("KHR_materials_anisotropy", "anisotropyTexture", "KHR_MATERIALS_ANISOTROPY_ANISOTROPY_TEXTURE_TEXCOORD"),
    ("KHR_materials_clearcoat", "clearcoatNormalTexture", "KHR_MATERIALS_CLEARCOAT_CLEARCOAT_NORMAL_TEXTURE_TEXCOORD"),
];

/// MIME types of images by index, once each.
type ImageTypes = HashMap<usize, Option<String>>;

/// Requirements of a material on its meshes.
#[derive(Default)]
pub(super) struct MaterialRequirements {
    /// `true` if it uses tangent space.
    pub(super) tangents: bool,
    /// `true` if it has a normal map, for which tangents can be generated.
    pub(super) normal_texture: bool,
    /// JSON Pointer of each texture, and its set of texture coordinates.
    pub(super) tex_coords: Vec<(String, u64)>,
}

impl ReferencePass<'_> {
    pub(super) fn textures(&mut self) {
        let at_images = JsonPath::ROOT.key("images");
        for (i, image) in self.file.array("images").iter().enumerate() {
            let at = at_images.item(i);
            let Some(view) = self.follow(image, "bufferView", "bufferViews", &at) else { continue };
            let at = at.key("bufferView");
            self.use_view(view, ViewUse::Image, at);
            if self.file.views[view].stride.is_some() {
                let message = format_args!("an image must be contiguous, without a byteStride");
                self.issues.add("IMAGE_BUFFER_VIEW_WITH_BYTESTRIDE", at, message);
            }
        }
        let at_textures = JsonPath::ROOT.key("textures");
        let mut types = HashMap::new();
        for (i, texture) in self.file.array("textures").iter().enumerate() {
            let at = at_textures.item(i);
            self.follow(texture, "sampler", "samplers", &at);
            if let Some(image) = self.follow(texture, "source", "images", &at) {
                self.texture_image(image, IMAGE_TYPES, &mut types, &at.key("source"));
            }
            let (mut extension, mut has_image) = (None, texture.get("source").is_some());
            for (name, mime) in image_extensions() {
                let Some(found) = texture.get("extensions").and_then(|extensions| extensions.get(name)) else {
                    continue;
                };
                extension.get_or_insert(name);
                has_image |= self.file.extensions.is_required(name);
                let at = at.key("extensions");
                let at = at.key(name);
                if let Some(image) = self.follow(found, "source", "images", &at) {
                    self.texture_image(image, &[mime], &mut types, &at.key("source"));
                }
            }
            if let Some(name) = extension.filter(|_| !has_image) {
                let message = format_args!("without {name} it has no image: add it to extensionsRequired");
                self.issues.add("RIGVIEW_EXTENSION_NOT_REQUIRED", at.key("extensions"), message);
            }
        }
        let at_scenes = JsonPath::ROOT;
        self.follow(self.file.root, "scene", "scenes", &at_scenes);
    }

    /// Checks the type of a texture's image against those that are `allowed`. `types` has the known types by image.
    fn texture_image(&mut self, image: usize, allowed: &[&str], types: &mut ImageTypes, at: &JsonPath<'_>) {
        let mime = types.entry(image).or_insert_with(|| self.image_type(image));
        if let Some(mime) = mime.as_ref().filter(|mime| !allowed.contains(&mime.as_str())) {
            let mime = quoted(mime);
            let message =
                format_args!("image {image} has the type {mime}, which is not allowed here: save it as PNG or JPEG");
            self.issues.add("TEXTURE_INVALID_IMAGE_MIME_TYPE", at, message);
        }
    }

    /// The MIME type that an image states, or else that of its data; `None` for external files and unknown formats.
    fn image_type(&self, image: usize) -> Option<String> {
        let json = self.file.element("images", Some(image))?;
        if let Some(stated) = json.get("mimeType").and_then(Value::as_str) {
            return Some(stated.to_owned());
        }
        let bytes = super::images::embedded_bytes(self.file, json)?;
        Some(rigview_core::gltf_format::mime_type(&bytes).to_owned()).filter(|mime| !mime.is_empty())
    }

    /// Checks the textures of all materials, and returns the requirements of each material.
    pub(super) fn material_requirements(&mut self) -> Vec<MaterialRequirements> {
        let at_array = JsonPath::ROOT.key("materials");
        let materials = self.file.array("materials");
        materials
            .iter()
            .enumerate()
            .map(|(i, material)| {
                let mut requirements = MaterialRequirements::default();
                let at = at_array.item(i);
                self.texture_infos(material, &MATERIAL, &at, &mut requirements);
                requirements.normal_texture = material.get("normalTexture").is_some_and(Value::is_object);
                self.material_extensions(material, &at, &mut requirements);
                requirements
            })
            .collect()
    }

    /// Checks the textures of an object of this schema, of its members and of its extensions.
    fn texture_infos(
        &mut self,
        json: &Value,
        schema: &Schema,
        at: &JsonPath<'_>,
        requirements: &mut MaterialRequirements,
    ) {
        for property in schema.properties {
            let (PropertyType::Object(inner), Some(value)) = (&property.kind, json.get(property.name)) else {
                continue;
            };
            let at = at.key(property.name);
            if !inner.name.ends_with("extureInfo") {
                self.texture_infos(value, inner, &at, requirements);
                continue;
            }
            if !value.is_object() {
                continue;
            }
            self.follow(value, "index", "textures", &at);
            // A sphere map has no texture coordinates.
            if property.name == "matcapTexture" {
                continue;
            }
            requirements.tangents |= inner.name == "normalTextureInfo";
            // The set of the transform is for loaders with the extension, the other one for those without.
            let other = self.transform_set(value);
            if let Some(set) = other {
                requirements.tex_coords.push((format!("{at}/extensions/{TRANSFORM}"), set));
            }
            let is_unused = other.is_some() && self.file.extensions.is_required(TRANSFORM);
            if let Some(set) = tex_coord(value).filter(|_| !is_unused) {
                requirements.tex_coords.push((at.to_string(), set));
            }
        }
        let at = at.key("extensions");
        for (name, value) in json.get("extensions").and_then(Value::as_object).into_iter().flatten() {
            if !self.file.extensions.is_declared(name) {
                continue;
            }
            let extension =
                extended_objects(name).and_then(|objects| objects.iter().find(|(object, _)| *object == schema.name));
            if let Some((_, inner)) = extension {
                self.texture_infos(value, inner, &at.key(name), requirements);
            }
        }
    }

    /// The set of texture coordinates in the KHR_texture_transform of a texture.
    fn transform_set(&self, texture: &Value) -> Option<u64> {
        let transform =
            texture.get("extensions")?.get(TRANSFORM).filter(|_| self.file.extensions.is_declared(TRANSFORM));
        reference(transform?, "texCoord").map(|set| set as u64)
    }

    /// Returns `true` if a texture has other texture coordinates than the normal map of the material.
    fn differs_from_normal_map(&self, material: &Value, texture: Option<&Value>) -> bool {
        let set = |texture: &Value| self.transform_set(texture).or_else(|| tex_coord(texture));
        let [normal, texture] =
            [material.get("normalTexture"), texture].map(|found| found.filter(|value| value.is_object()));
        normal.zip(texture).is_some_and(|(normal, texture)| set(normal) != set(texture))
    }

    fn material_extensions(&mut self, material: &Value, at: &JsonPath<'_>, requirements: &mut MaterialRequirements) {
        let at = at.key("extensions");
        let Some(extensions) = material.get("extensions").and_then(Value::as_object) else { return };
        let has = |name: &str| extensions.contains_key(name) && self.file.extensions.is_declared(name);
        if has("KHR_materials_anisotropy") {
            requirements.tangents = true;
        }
        for (name, property, code) in TANGENT_TEXTURES {
            if has(name) && self.differs_from_normal_map(material, extensions[name].get(property)) {
                let message =
                    format_args!("the normal map uses another UV map, but both share the tangents of the mesh");
                self.issues.add(code, at.key(name).key(property), message);
            }
        }
        if has("KHR_materials_dispersion") && !has("KHR_materials_volume") {
            let message = format_args!("dispersion has no effect without a volume");
            self.issues.add("KHR_MATERIALS_DISPERSION_NO_VOLUME", at.key("KHR_materials_dispersion"), message);
        }
        if has("KHR_materials_volume") {
            let at = at.key("KHR_materials_volume");
            if !has("KHR_materials_transmission") && !extensions.contains_key("KHR_materials_diffuse_transmission") {
                let message =
                    format_args!("a volume has no effect without transmission: raise Transmission in Blender's shader");
                self.issues.add("KHR_MATERIALS_VOLUME_NO_TRANSMISSION", at, message);
            }
            let thick = extensions["KHR_materials_volume"].get("thicknessFactor").and_then(Value::as_f64);
            if material.get("doubleSided") == Some(&Value::Bool(true)) && thick.is_some_and(|thick| thick > 0.0) {
                let message = format_args!(
                    "a volume must not be double-sided: tick Backface Culling in Blender's material settings"
                );
                self.issues.add("KHR_MATERIALS_VOLUME_DOUBLE_SIDED", at, message);
            }
        }
        if has("KHR_materials_emissive_strength") {
            let strength =
                extensions["KHR_materials_emissive_strength"].get("emissiveStrength").and_then(Value::as_f64);
            let factor = material.get("emissiveFactor");
            let is_black = factor.is_none_or(|factor| numbers::<3>(Some(factor)) == Some([0.0; 3]));
            if is_black && strength.is_some_and(|strength| strength != 1.0) {
                let message = format_args!("the emission color is black: choose another one");
                let at = at.key("KHR_materials_emissive_strength");
                self.issues.add("KHR_MATERIALS_EMISSIVE_STRENGTH_ZERO_FACTOR", at, message);
            }
        }
        if has("KHR_materials_iridescence") {
            let json = &extensions["KHR_materials_iridescence"];
            let at = at.key("KHR_materials_iridescence");
            let number = |name: &str, default: f64| json.get(name).map_or(Some(default), Value::as_f64);
            let range = (number("iridescenceThicknessMinimum", 100.0), number("iridescenceThicknessMaximum", 400.0));
            if json.get("iridescenceThicknessTexture").is_some_and(Value::is_object) {
                if range.0 == range.1 {
                    let message =
                        format_args!("its thickness texture has no effect, because minimum and maximum are equal");
                    let at = at.key("iridescenceThicknessTexture");
                    self.issues.add("KHR_MATERIALS_IRIDESCENCE_THICKNESS_TEXTURE_UNUSED", at, message);
                }
            } else if json.get("iridescenceThicknessMinimum").is_some() {
                let message = format_args!("its minimum thickness has no effect without a thickness texture");
                let at = at.key("iridescenceThicknessMinimum");
                self.issues.add("KHR_MATERIALS_IRIDESCENCE_THICKNESS_RANGE_WITHOUT_TEXTURE", at, message);
            }
        }
    }
}

/// The set of texture coordinates of a texture; `None` if it is malformed.
fn tex_coord(texture: &Value) -> Option<u64> {
    if texture.get("texCoord").is_none() { Some(0) } else { reference(texture, "texCoord").map(|set| set as u64) }
}
