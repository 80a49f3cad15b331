//! A model file with further clips.

use super::ExportError;
use crate::gltf_format::glb;
use crate::import::GltfFile;
use crate::model::{
    Clip, Interpolation, KeyValues, MATERIAL_PROPERTIES, MaterialIndex, MaterialProperty, Model, PropertyTarget,
    PropertyTrack, TEXTURE_SLOTS, Track,
};
use bytemuck::cast_slice;
use serde_json::{Value, json};
use std::ops::Range;

/// Returns the model of `gltf_file` as GLB, with the clips `clips` of `model` added. Its own data keeps its bytes.
///
/// Tracks of materials use KHR_animation_pointer; those of lights, cameras and visibility are left out. External buffers and images are
/// embedded. Nodes with a matrix that a clip moves get translation, rotation and scale instead.
///
/// # Errors
/// If the result exceeds the 4 GiB of a .glb.
pub fn glb_with_clips(gltf_file: &GltfFile, model: &Model, clips: Range<usize>) -> Result<Vec<u8>, ExportError> {
    let mut file = GlbFile { json: gltf_file.json().clone(), bin: Vec::new() };
    file.embed_buffers(gltf_file);
    file.embed_images(gltf_file);
    file.name_clips(&model.clips[..clips.start]);
    for clip in &model.clips[clips] {
        file.add_clip(model, clip);
    }
    let GlbFile { mut json, bin } = file;
    json["buffers"][0] = json!({ "byteLength": bin.len() });
    glb::write(&json, bin).ok_or(ExportError::TooLarge)
}

struct GlbFile {
    json: Value,
    /// Buffer 0.
    bin: Vec<u8>,
}

impl GlbFile {
    /// Appends to an array of the JSON, and returns the index of the element.
    fn push(&mut self, array: &str, element: Value) -> usize {
        if !self.json[array].is_array() {
            self.json[array] = json!([]);
        }
        let Some(elements) = self.json[array].as_array_mut() else { return 0 };
        elements.push(element);
        elements.len() - 1
    }

    /// Names the own clips of the file that its JSON leaves unnamed: the name of a BVH clip is that of its file.
    fn name_clips(&mut self, clips: &[Clip]) {
        let Some(animations) = self.json.get_mut("animations").and_then(Value::as_array_mut) else { return };
        if animations.len() != clips.len() {
            return;
        }
        for (animation, name) in animations.iter_mut().zip(clips).filter_map(|(a, clip)| Some((a, clip.name.as_ref()?)))
        {
            if let Some(animation) = animation.as_object_mut() {
                animation.entry("name").or_insert_with(|| json!(name));
            }
        }
    }

    /// Joins all buffers with data to the first one.
    fn embed_buffers(&mut self, gltf_file: &GltfFile) {
        let old = self.json["buffers"].as_array().cloned().unwrap_or_default();
        let mut buffers = vec![Value::Null];
        // New index and offset of each buffer.
        let mut moved = Vec::new();
        for (i, buffer) in old.into_iter().enumerate() {
            match gltf_file.buffer(i) {
                Some(bytes) => {
                    self.align();
                    moved.push((0, self.bin.len()));
                    self.bin.extend(bytes);
                }
                // Such as the fallback of compressed buffer views.
                None => {
                    moved.push((buffers.len(), 0));
                    buffers.push(buffer);
                }
            }
        }
        self.json["buffers"] = buffers.into();
        let move_view = |view: &mut Value| {
            let old = view.get("buffer").and_then(Value::as_u64).and_then(|buffer| usize::try_from(buffer).ok());
            if let Some((buffer, start)) = old.and_then(|old| moved.get(old)) {
                let offset = view.get("byteOffset").and_then(Value::as_u64).unwrap_or(0);
                view["buffer"] = json!(buffer);
                view["byteOffset"] = json!(offset + *start as u64);
            }
        };
        for view in self.json.get_mut("bufferViews").and_then(Value::as_array_mut).into_iter().flatten() {
            for extension in ["EXT_meshopt_compression", "KHR_meshopt_compression"] {
                view.pointer_mut(&format!("/extensions/{extension}")).map(move_view);
            }
            move_view(view);
        }
    }

    /// Stores images of other files and of `data:` URIs in buffer views. A missing image keeps its URI.
    fn embed_images(&mut self, gltf_file: &GltfFile) {
        let count = self.json.get("images").and_then(Value::as_array).map_or(0, Vec::len);
        for i in 0..count {
            if self.json["images"][i].get("uri").is_none() {
                continue;
            }
            let Ok((bytes, mime)) = gltf_file.image_bytes(i) else { continue };
            let view = self.add_view(&bytes);
            if let Some(image) = self.json["images"][i].as_object_mut() {
                image.remove("uri");
                image.insert("bufferView".to_owned(), view.into());
                if !mime.is_empty() {
                    image.insert("mimeType".to_owned(), mime.into());
                }
            }
        }
    }

    fn align(&mut self) {
        self.bin.resize(self.bin.len().next_multiple_of(4), 0);
    }

    fn add_view(&mut self, bytes: &[u8]) -> usize {
        self.align();
        let view = json!({ "buffer": 0, "byteOffset": self.bin.len(), "byteLength": bytes.len() });
        self.bin.extend(bytes);
        self.push("bufferViews", view)
    }

    fn add_accessor(&mut self, values: &[f32], kind: &str, components: usize) -> usize {
        let view = self.add_view(cast_slice(values));
        let count = values.len() / components;
        self.push("accessors", json!({ "bufferView": view, "componentType": 5126, "count": count, "type": kind }))
    }

    /// Returns the pointer of a property of a material, which gets the objects on the way to it; `None` if the material lacks them.
    fn material_pointer(&mut self, material: MaterialIndex, property: MaterialProperty) -> Option<String> {
        let (slot, key) = match property {
            MaterialProperty::TextureOffset(slot) => (Some(slot), "offset"),
            MaterialProperty::TextureRotation(slot) => (Some(slot), "rotation"),
            MaterialProperty::TextureScale(slot) => (Some(slot), "scale"),
            _ => (None, ""),
        };
        let root = format!("/materials/{}", material.get());
        let Some(slot) = slot else {
            let json = self.json.pointer_mut(&root)?;
            let is_glossy = json.pointer("/extensions/KHR_materials_pbrSpecularGlossiness").is_some();
            let mut rows = MATERIAL_PROPERTIES.iter().filter(|row| row.property == property);
            let row = rows.find(|row| {
                is_glossy == row.pointer.contains("pbrSpecularGlossiness") || !row.pointer.contains("pbr")
            })?;
            return Some(format!("{root}/{}", row.pointer));
        };
        let mut paths =
            TEXTURE_SLOTS.iter().filter(|(other, _)| *other == slot).map(|(_, path)| format!("{root}/{path}"));
        let path = paths.find(|path| self.json.pointer(path).is_some())?;
        let info = self.json.pointer_mut(&path)?;
        if info.pointer("/extensions/KHR_texture_transform").is_none() {
            info["extensions"]["KHR_texture_transform"] = json!({});
        }
        self.use_extension("KHR_texture_transform");
        Some(format!("{path}/extensions/KHR_texture_transform/{key}"))
    }

    fn use_extension(&mut self, name: &str) {
        let is_used = self.json["extensionsUsed"].as_array().is_some_and(|used| used.iter().any(|other| other == name));
        if !is_used {
            self.push("extensionsUsed", name.into());
        }
    }

    fn add_clip(&mut self, model: &Model, clip: &Clip) {
        let mut inputs = Vec::new();
        for timeline in &clip.timelines {
            let times = timeline.times_secs();
            let input = self.add_accessor(times, "SCALAR", 1);
            let [first, last] = [times.first(), times.last()].map(|time| f64::from(*time.unwrap_or(&0.0)));
            self.json["accessors"][input]["min"] = json!([first]);
            self.json["accessors"][input]["max"] = json!([last]);
            inputs.push(input);
        }
        let (mut samplers, mut channels) = (Vec::new(), Vec::new());
        for Track { joint, timeline, interpolation, keys } in &clip.tracks {
            let joint = model.skeleton.joint(*joint);
            let (path, output) = match keys {
                KeyValues::Translation(keys) => ("translation", self.add_accessor(&flat(keys), "VEC3", 3)),
                KeyValues::Rotation(keys) => ("rotation", self.add_accessor(&flat(keys), "VEC4", 4)),
                KeyValues::Scale(keys) => ("scale", self.add_accessor(&flat(keys), "VEC3", 3)),
                KeyValues::Weights(keys) => ("weights", self.add_accessor(keys, "SCALAR", 1)),
            };
            let node = &mut self.json["nodes"][joint.node];
            if let Some(node) = node.as_object_mut()
                && node.remove("matrix").is_some()
            {
                node.insert("translation".to_owned(), json!(joint.rest.translation.as_slice()));
                node.insert("rotation".to_owned(), json!(joint.rest.rotation.coords.as_slice()));
                node.insert("scale".to_owned(), json!(joint.rest.scale.as_slice()));
            }
            let interpolation = interpolation_name(*interpolation);
            channels.push(json!({ "sampler": samplers.len(), "target": { "node": joint.node, "path": path } }));
            samplers.push(json!({ "input": inputs[timeline.get()], "output": output, "interpolation": interpolation }));
        }
        for PropertyTrack { target, timeline, interpolation, values } in &clip.property_tracks {
            let PropertyTarget::Material(material, property) = *target else { continue };
            let Some(pointer) = self.material_pointer(material, property) else { continue };
            let components = target.component_count();
            let kind = ["SCALAR", "VEC2", "VEC3", "VEC4"][components - 1];
            let output = self.add_accessor(values, kind, components);
            let target =
                json!({ "path": "pointer", "extensions": { "KHR_animation_pointer": { "pointer": pointer } } });
            channels.push(json!({ "sampler": samplers.len(), "target": target }));
            let interpolation = interpolation_name(*interpolation);
            samplers.push(json!({ "input": inputs[timeline.get()], "output": output, "interpolation": interpolation }));
            self.use_extension("KHR_animation_pointer");
        }
        let mut animation = json!({ "samplers": samplers, "channels": channels });
        if let Some(name) = &clip.name {
            animation["name"] = name.as_str().into();
        }
        self.push("animations", animation);
    }
}

fn interpolation_name(interpolation: Interpolation) -> &'static str {
    match interpolation {
        Interpolation::Step => "STEP",
        Interpolation::Linear => "LINEAR",
        Interpolation::CubicSpline => "CUBICSPLINE",
    }
}

fn flat<const N: usize>(keys: &[nalgebra::SVector<f32, N>]) -> Vec<f32> {
    keys.iter().flat_map(|key| key.iter().copied()).collect()
}
