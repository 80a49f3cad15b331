//! Textures, images and materials: references, and what a material asks of the meshes that wear it.

use super::core_schemas::IMAGE_TYPES;
use super::file::reference;
use super::issue::JsonPath;
use super::references::{ReferencePass, ViewUse};
use super::schema::{PropertyType, Schema};
use serde_json::Value;

/// Extensions that give a texture an image of another kind.
pub(super) const IMAGE_EXTENSIONS: [(&str, &str); 3] =
    [("EXT_texture_avif", "image/avif"), ("EXT_texture_webp", "image/webp"), ("KHR_texture_basisu", "image/ktx2")];

/// What a material asks of a mesh.
#[derive(Default)]
pub(super) struct MaterialNeeds {
    /// Something in it is told in tangent space.
    pub(super) tangents: bool,
    /// It has a normal map of its own, from which tangents can be made.
    pub(super) normal_texture: bool,
    /// Which set of texture coordinates each texture takes, with the texture's pointer.
    pub(super) tex_coords: Vec<(String, u64)>,
}

impl ReferencePass<'_> {
    pub(super) fn textures(&mut self) {
        let at_images = JsonPath::ROOT.key("images");
        for (i, image) in self.file.list("images").iter().enumerate() {
            let at = at_images.item(i);
            let Some(view) = self.file.follow(image, "bufferView", "bufferViews", &at, self.issues) else { continue };
            let at = at.key("bufferView");
            self.use_view(view, ViewUse::Image, at);
            if self.file.views[view].stride.is_some() {
                let message = format_args!("an image stands in one piece, without a byteStride");
                self.issues.add("IMAGE_BUFFER_VIEW_WITH_BYTESTRIDE", at, message);
            }
        }
        let at_textures = JsonPath::ROOT.key("textures");
        for (i, texture) in self.file.list("textures").iter().enumerate() {
            let at = at_textures.item(i);
            self.file.follow(texture, "sampler", "samplers", &at, self.issues);
            if let Some(image) = self.file.follow(texture, "source", "images", &at, self.issues) {
                self.texture_image(image, IMAGE_TYPES, &at.key("source"));
            }
            for (name, mime) in IMAGE_EXTENSIONS {
                let Some(found) = texture.get("extensions").and_then(|extensions| extensions.get(name)) else {
                    continue;
                };
                let at = at.key("extensions");
                let at = at.key(name);
                if let Some(image) = self.file.follow(found, "source", "images", &at, self.issues) {
                    self.texture_image(image, &[mime], &at.key("source"));
                }
            }
        }
        let at_scenes = JsonPath::ROOT;
        self.file.follow(self.file.root, "scene", "scenes", &at_scenes, self.issues);
    }

    fn texture_image(&mut self, image: usize, types: &[&str], at: &JsonPath<'_>) {
        let json = self.file.element("images", Some(image));
        let stated = json.and_then(|json| json.get("mimeType")).and_then(Value::as_str);
        let mime = stated.map(str::to_owned).or_else(|| {
            let bytes = super::images::embedded_bytes(self.file, json?)?;
            Some(crate::gltf_format::mime_type(&bytes).to_owned()).filter(|mime| !mime.is_empty())
        });
        if let Some(mime) = mime.filter(|mime| !types.contains(&mime.as_str())) {
            let mime = crate::util::text::quoted(&mime);
            let message =
                format_args!("image {image} is of type {mime}, which cannot stand here: save it as PNG or JPEG");
            self.issues.add("TEXTURE_INVALID_IMAGE_MIME_TYPE", at, message);
        }
    }

    /// Follows the textures of all materials; what each material asks of its meshes.
    pub(super) fn material_needs(&mut self) -> Vec<MaterialNeeds> {
        let at_list = JsonPath::ROOT.key("materials");
        let materials = self.file.list("materials");
        materials
            .iter()
            .enumerate()
            .map(|(i, material)| {
                let mut needs = MaterialNeeds::default();
                let at = at_list.item(i);
                self.texture_infos(material, &super::core_schemas::MATERIAL, &at, &mut needs);
                needs.normal_texture = material.get("normalTexture").is_some_and(Value::is_object);
                self.material_extensions(material, &at, &mut needs);
                needs
            })
            .collect()
    }

    /// Looks for textures in an object of the given form, in its parts and in its extensions.
    fn texture_infos(&mut self, json: &Value, schema: &Schema, at: &JsonPath<'_>, needs: &mut MaterialNeeds) {
        for property in schema.properties {
            let (PropertyType::Object(inner), Some(value)) = (&property.kind, json.get(property.name)) else { continue };
            let at = at.key(property.name);
            if !inner.name.ends_with("extureInfo") {
                self.texture_infos(value, inner, &at, needs);
                continue;
            }
            if !value.is_object() {
                continue;
            }
            self.file.follow(value, "index", "textures", &at, self.issues);
            needs.tangents |= inner.name == "normalTextureInfo";
            let moved = value.pointer("/extensions/KHR_texture_transform");
            let set = moved.and_then(|moved| reference(moved, "texCoord")).or_else(|| reference(value, "texCoord"));
            let malformed = value.get("texCoord").is_some() && set.is_none();
            if !malformed {
                needs.tex_coords.push((at.to_string(), set.unwrap_or(0) as u64));
            }
        }
        let at = at.key("extensions");
        for (name, value) in json.get("extensions").and_then(Value::as_object).into_iter().flatten() {
            if !self.file.extensions.is_declared(name) {
                continue;
            }
            let place =
                super::extension_schemas::places(name).and_then(|places| places.iter().find(|p| p.0 == schema.name));
            if let Some((_, inner)) = place {
                self.texture_infos(value, inner, &at.key(name), needs);
            }
        }
    }

    fn material_extensions(&mut self, material: &Value, at: &JsonPath<'_>, needs: &mut MaterialNeeds) {
        let at = at.key("extensions");
        let Some(extensions) = material.get("extensions").and_then(Value::as_object) else { return };
        let has = |name: &str| extensions.contains_key(name) && self.file.extensions.is_declared(name);
        if has("KHR_materials_anisotropy") {
            needs.tangents = true;
        }
        if has("KHR_materials_dispersion") && !has("KHR_materials_volume") {
            let message = format_args!("dispersion shows only together with a volume");
            self.issues.add("KHR_MATERIALS_DISPERSION_NO_VOLUME", at.key("KHR_materials_dispersion"), message);
        }
        if has("KHR_materials_volume") {
            let at = at.key("KHR_materials_volume");
            if !has("KHR_materials_transmission") && !extensions.contains_key("KHR_materials_diffuse_transmission") {
                let message =
                    format_args!("a volume shows only where light passes: raise Transmission in Blender's shader");
                self.issues.add("KHR_MATERIALS_VOLUME_NO_TRANSMISSION", at, message);
            }
            let thick = extensions["KHR_materials_volume"].get("thicknessFactor").and_then(Value::as_f64);
            if material.get("doubleSided") == Some(&Value::Bool(true)) && thick.is_some_and(|thick| thick > 0.0) {
                let message =
                    format_args!("a volume has an inside: tick Backface Culling in Blender's material settings");
                self.issues.add("KHR_MATERIALS_VOLUME_DOUBLE_SIDED", at, message);
            }
        }
        if has("KHR_materials_emissive_strength") {
            let dark = material.get("emissiveFactor").and_then(Value::as_array);
            if dark.is_none_or(|factor| factor.iter().all(|x| x.as_f64() == Some(0.0))) {
                let at = at.key("KHR_materials_emissive_strength");
                let message = format_args!("it strengthens an emission of black: choose an emission color");
                self.issues.add("KHR_MATERIALS_EMISSIVE_STRENGTH_ZERO_FACTOR", at.key("emissiveStrength"), message);
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
                        format_args!("its thickness texture changes nothing, since minimum and maximum are the same");
                    let at = at.key("iridescenceThicknessTexture");
                    self.issues.add("KHR_MATERIALS_IRIDESCENCE_THICKNESS_TEXTURE_UNUSED", at, message);
                }
            } else if json.get("iridescenceThicknessMinimum").is_some() {
                let message = format_args!("its least thickness means nothing without a thickness texture");
                let at = at.key("iridescenceThicknessMinimum");
                self.issues.add("KHR_MATERIALS_IRIDESCENCE_THICKNESS_RANGE_WITHOUT_TEXTURE", at, message);
            }
        }
    }
}
