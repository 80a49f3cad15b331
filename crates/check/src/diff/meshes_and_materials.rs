//! Differences between meshes and materials, matched by name.

use rigview_core::model::{Material, MaterialIndex, Mesh, MeshIndex, Model, TextureRef, TextureSlot};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Changes {
    pub(crate) added: Vec<String>,
    pub(crate) removed: Vec<String>,
    pub(crate) changed: Vec<Change>,
}

/// A changed property.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Change {
    pub(crate) name: String,
    pub(crate) what: &'static str,
    pub(crate) before: String,
    pub(crate) after: String,
}

/// Names and formatted values.
type Properties = Vec<(&'static str, String)>;

fn compare(before: BTreeMap<String, Properties>, after: BTreeMap<String, Properties>) -> Changes {
    let mut changes = Changes::default();
    changes.added.extend(after.keys().filter(|name| !before.contains_key(*name)).cloned());
    for (name, old) in &before {
        let Some(new) = after.get(name) else {
            changes.removed.push(name.clone());
            continue;
        };
        for ((what, before), (_, after)) in old.iter().zip(new).filter(|(a, b)| a.1 != b.1) {
            let (before, after) = (before.clone(), after.clone());
            changes.changed.push(Change { name: name.clone(), what, before, after });
        }
    }
    changes
}

/// Pairs items with unique names. Repeated names are numbered.
fn named<'a, T>(items: &'a [T], kind: &str, name: impl Fn(&'a T) -> Option<&'a String>) -> Vec<(String, &'a T)> {
    let mut taken = HashSet::new();
    // The next number to try for each name.
    let mut next: HashMap<String, usize> = HashMap::new();
    let with_name = |(i, item): (usize, &'a T)| {
        let name = name(item).cloned().unwrap_or_else(|| format!("{kind} {i}"));
        let mut candidate = name.clone();
        while !taken.insert(candidate.clone()) {
            let count = next.entry(name.clone()).or_insert(2);
            candidate = format!("{name}#{count}");
            *count += 1;
        }
        (candidate, item)
    };
    items.iter().enumerate().map(with_name).collect()
}

/// Returns the mesh of this name in a report.
pub(super) fn find_mesh(model: &Model, requested: &str) -> Option<MeshIndex> {
    let named = named(&model.meshes, "mesh", |mesh| mesh.name.as_ref());
    named.iter().position(|(name, _)| name == requested).map(|index| MeshIndex(index as u32))
}

/// Returns the material of this name in a report.
pub(super) fn find_material(model: &Model, requested: &str) -> Option<MaterialIndex> {
    let named = named(&model.materials, "material", |material| material.name.as_ref());
    named.iter().position(|(name, _)| name == requested).map(|index| MaterialIndex(index as u32))
}

pub(crate) fn meshes(before: &Model, after: &Model) -> Changes {
    let properties = |mesh: &Mesh| -> Properties {
        let sum =
            |count: fn(&rigview_core::model::Primitive) -> usize| mesh.primitives.iter().map(count).sum::<usize>();
        vec![
            ("vertices", sum(|primitive| primitive.vertices.positions.len()).to_string()),
            ("triangles", sum(|primitive| primitive.triangles().len() / 3).to_string()),
            ("primitives", mesh.primitives.len().to_string()),
            ("morph targets", mesh.target_count.to_string()),
            ("names of morph targets", mesh.target_names.join(", ")),
        ]
    };
    let all = |model: &Model| -> BTreeMap<String, Properties> {
        let named = named(&model.meshes, "mesh", |mesh| mesh.name.as_ref());
        named.into_iter().map(|(name, mesh)| (name, properties(mesh))).collect()
    };
    compare(all(before), all(after))
}

pub(crate) fn materials(before: &Model, after: &Model) -> Changes {
    let all = |model: &Model| -> BTreeMap<String, Properties> {
        let named = named(&model.materials, "material", |material| material.name.as_ref());
        named.into_iter().map(|(name, material)| (name, material_properties(model, material))).collect()
    };
    compare(all(before), all(after))
}

fn material_properties(model: &Model, material: &Material) -> Properties {
    let numbers = |numbers: &[f32]| numbers.iter().map(|x| format!("{x:.4}")).collect::<Vec<_>>().join(", ");
    let texture = |texture: Option<TextureRef>| match texture {
        None => "none".to_owned(),
        Some(texture) => {
            let image = model.textures[texture.texture.get()].image.map(|image| &model.images[image.get()]);
            let name =
                image.and_then(|image| image.name.clone()).unwrap_or_else(|| format!("texture {}", texture.texture));
            format!("{name} (coordinates {})", texture.tex_coord)
        }
    };
    vec![
        ("base color", numbers(&material.base_color)),
        ("base color texture", texture(material.textures[TextureSlot::BaseColor])),
        ("metallic", numbers(&[material.metallic])),
        ("roughness", numbers(&[material.roughness])),
        ("metallic-roughness texture", texture(material.textures[TextureSlot::MetallicRoughness])),
        ("normal texture", texture(material.textures[TextureSlot::Normal])),
        ("normal scale", numbers(&[material.normal_scale])),
        ("occlusion texture", texture(material.textures[TextureSlot::Occlusion])),
        ("emissive", numbers(&material.emitted())),
        ("emissive texture", texture(material.textures[TextureSlot::Emissive])),
        ("alpha mode", format!("{:?}", material.alpha_mode)),
        ("double sided", material.double_sided.to_string()),
        ("unlit", material.unlit.to_string()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_names_are_numbered() {
        let names = ["a", "a", "a#2", "", "a"].map(|name| Some(name.to_owned()).filter(|name| !name.is_empty()));
        let named: Vec<String> = named(&names, "mesh", Option::as_ref).into_iter().map(|(name, _)| name).collect();
        assert_eq!(named, ["a", "a#2", "a#2#2", "mesh 3", "a#3"]);
        let many = vec![Some("a".to_owned()); 20_000];
        assert_eq!(super::named(&many, "mesh", Option::as_ref).last().map(|(name, _)| name.as_str()), Some("a#20000"));
    }
}
