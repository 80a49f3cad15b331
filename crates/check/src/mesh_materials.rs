//! Requirements of materials on their meshes.

use super::json_path::JsonPath;
use super::json_values::{array, index};
use super::reference_pass::ReferencePass;
use super::textures::MaterialRequirements;
use serde_json::{Map, Value};

impl ReferencePass<'_> {
    /// Checks the material of a primitive with `attributes`, and those of its variants.
    pub(super) fn material(
        &mut self,
        json: &Value,
        attributes: &Map<String, Value>,
        tex_coords: usize,
        materials: &[MaterialRequirements],
        at: &JsonPath<'_>,
    ) {
        let has = |name: &str| attributes.contains_key(name);
        let material = self.follow(json, "material", "materials", at);
        let requirements = material.and_then(|material| materials.get(material));
        let at_material = at.key("material");
        if let Some(requirements) = requirements {
            if requirements.tangents && !(has("NORMAL") && has("TANGENT")) {
                if requirements.normal_texture {
                    let message = format_args!(
                        "its normal map needs tangents, or viewers generate different ones; triangulate the mesh in Blender (Ctrl T) and tick Tangents in the glTF export"
                    );
                    self.issues.add("MESH_PRIMITIVE_GENERATED_TANGENT_SPACE", at_material, message);
                } else {
                    let message = format_args!(
                        "its material needs tangents: triangulate the mesh in Blender (Ctrl T) and tick Tangents in the glTF export"
                    );
                    self.issues.add("MESH_PRIMITIVE_NO_TANGENT_SPACE", at_material, message);
                }
            }
            self.uv_maps(requirements, tex_coords, &at_material);
        }
        if has("TANGENT") && requirements.is_none_or(|requirements| !requirements.tangents) {
            let at_attributes = at.key("attributes");
            let message = format_args!("its tangents are unused: the material has no normal map");
            self.issues.add("UNUSED_MESH_TANGENT", at_attributes.key("TANGENT"), message);
        }
        let Some(mappings) = json.pointer("/extensions/KHR_materials_variants/mappings").and_then(Value::as_array)
        else {
            return;
        };
        let (extensions, variants) = (at.key("extensions"), "KHR_materials_variants");
        let (extension, count) = (extensions.key(variants), self.variant_count());
        let at_mappings = extension.key("mappings");
        let mut seen = std::collections::BTreeSet::new();
        for (i, mapping) in mappings.iter().enumerate() {
            let at = at_mappings.item(i);
            let material = self.follow(mapping, "material", "materials", &at);
            if let Some(requirements) = material.and_then(|material| materials.get(material)) {
                self.uv_maps(requirements, tex_coords, &at.key("material"));
            }
            if self.file.root.pointer("/extensions/KHR_materials_variants").is_none() {
                let message = format_args!("the file has no list of variants; export it again");
                self.issues.add("UNSATISFIED_DEPENDENCY", at, message);
                continue;
            }
            let at = at.key("variants");
            for (k, variant) in array(mapping, "variants").iter().enumerate() {
                let Some(variant) = index(variant) else { continue };
                if variant >= count {
                    let message = format_args!("variants[{variant}] does not exist: the file has {count}");
                    self.issues.add("UNRESOLVED_REFERENCE", at.item(k), message);
                } else if !seen.insert(variant) {
                    let message = format_args!("variant {variant} has a material already");
                    self.issues.add("KHR_MATERIALS_VARIANTS_NON_UNIQUE_VARIANT", at.item(k), message);
                }
            }
        }
    }

    /// Checks that the mesh has the UV maps of the material's textures.
    fn uv_maps(&mut self, requirements: &MaterialRequirements, tex_coords: usize, at: &JsonPath<'_>) {
        for (pointer, set) in requirements.tex_coords.iter().filter(|(_, set)| *set >= tex_coords as u64) {
            let message = format_args!(
                "the texture at {pointer} needs UV map number {set}, the mesh has {tex_coords}: unwrap it (U) or remove the texture"
            );
            self.issues.add("MESH_PRIMITIVE_TOO_FEW_TEXCOORDS", at, message);
        }
    }

    fn variant_count(&self) -> usize {
        let variants = self.file.root.pointer("/extensions/KHR_materials_variants/variants");
        variants.and_then(Value::as_array).map_or(0, Vec::len)
    }
}
