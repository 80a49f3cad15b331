//! Contents of a file as plain data: the JSON of `rigview info`.

use crate::app::scene::lookup::joint_name;
use rigview_check::moving_parts::{PartAnalysis, PartInfo};
use rigview_core::import::{Imported, metadata};
use rigview_core::model::{
    AlphaMode, Clip, ClipIndex, Image, JointIndex, KeyValues, Material, Primitive, Projection, PropertyTarget,
    TextureSlot, Topology,
};
use rigview_core::palette::{MatrixFormat, Rig};
use rigview_render::render::ModelStatistics;
use rigview_render::scene::clip_hull;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// In the order of the JSON output.
#[derive(Serialize)]
pub(crate) struct Info {
    pub(crate) file: String,
    pub(crate) size_bytes: u64,
    pub(crate) gltf_version: Option<String>,
    pub(crate) generator: Option<String>,
    pub(crate) copyright: Option<String>,
    /// Names and values of XMP properties (KHR_xmp_json_ld) and of the license of a VRM avatar.
    pub(crate) metadata: Vec<(String, String)>,
    pub(crate) extensions_used: Vec<String>,
    pub(crate) extensions_required: Vec<String>,
    pub(crate) totals: Totals,
    pub(crate) scenes: Vec<SceneInfo>,
    pub(crate) nodes: Vec<NodeInfo>,
    pub(crate) meshes: Vec<MeshInfo>,
    pub(crate) skins: Vec<SkinInfo>,
    pub(crate) clips: Vec<ClipInfo>,
    pub(crate) materials: Vec<MaterialInfo>,
    pub(crate) variants: Vec<Option<String>>,
    pub(crate) images: Vec<ImageInfo>,
    pub(crate) cameras: Vec<CameraInfo>,
    /// Unsupported and adjusted contents, with the reason.
    pub(crate) notices: Vec<DiagnosticInfo>,
}

#[derive(Serialize)]
pub(crate) struct Totals {
    /// Draw calls of the default scene; the other totals are also of this scene.
    pub(crate) draws: usize,
    pub(crate) vertices: usize,
    pub(crate) triangles: usize,
    pub(crate) matrices: u32,
    pub(crate) palette_bytes_per_instance: usize,
    pub(crate) packing: &'static str,
    pub(crate) image_bytes_decoded: u64,
    /// Distinct joints of the skins, and materials, in use.
    pub(crate) skin_joints: usize,
    /// All joints: one per node and GPU instance.
    pub(crate) joints: usize,
    pub(crate) materials: usize,
    /// GPU memory of the textures in use, with mipmaps.
    pub(crate) texture_bytes: u64,
    /// Bounding box of the first clip, or of the rest pose, in meters; `null` without a vertex.
    pub(crate) bounds: Option<[[f64; 3]; 2]>,
}

#[derive(Serialize)]
pub(crate) struct SceneInfo {
    pub(crate) name: Option<String>,
    pub(crate) is_default: bool,
    pub(crate) drawn_nodes: usize,
}

#[derive(Serialize)]
pub(crate) struct NodeInfo {
    pub(crate) node: usize,
    pub(crate) name: Option<String>,
    pub(crate) parent: Option<usize>,
}

#[derive(Serialize)]
pub(crate) struct MeshInfo {
    pub(crate) name: Option<String>,
    pub(crate) morph_targets: usize,
    pub(crate) morph_target_names: Vec<String>,
    pub(crate) primitives: Vec<PrimitiveInfo>,
}

#[derive(Serialize)]
pub(crate) struct PrimitiveInfo {
    pub(crate) topology: &'static str,
    pub(crate) vertices: usize,
    pub(crate) indices: Option<usize>,
    pub(crate) triangles: usize,
    pub(crate) attributes: Vec<String>,
    pub(crate) influences_per_vertex: usize,
    pub(crate) material: Option<u32>,
}

#[derive(Serialize)]
pub(crate) struct SkinInfo {
    pub(crate) name: Option<String>,
    pub(crate) joints: Vec<String>,
}

#[derive(Serialize)]
pub(crate) struct ClipInfo {
    pub(crate) name: Option<String>,
    pub(crate) duration_secs: f32,
    pub(crate) first_key_secs: f32,
    pub(crate) channels: usize,
    pub(crate) keys: usize,
    pub(crate) joints_moved: usize,
    pub(crate) moves: Vec<&'static str>,
    pub(crate) moving_parts: Vec<PartInfo>,
}

#[derive(Serialize)]
pub(crate) struct MaterialInfo {
    pub(crate) name: Option<String>,
    pub(crate) alpha_mode: &'static str,
    pub(crate) double_sided: bool,
    pub(crate) unlit: bool,
    pub(crate) base_color: [f32; 4],
    pub(crate) textures: Vec<&'static str>,
}

#[derive(Serialize)]
pub(crate) struct ImageInfo {
    pub(crate) name: Option<String>,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) mime_type: Option<&'static str>,
    pub(crate) size_bytes: Option<usize>,
}

#[derive(Serialize)]
pub(crate) struct CameraInfo {
    pub(crate) name: Option<String>,
    pub(crate) node: usize,
    pub(crate) projection: &'static str,
}

#[derive(Serialize)]
pub(crate) struct DiagnosticInfo {
    pub(crate) pointer: String,
    pub(crate) message: String,
}

impl Info {
    pub(crate) fn new(file: String, size_bytes: u64, loaded: Imported) -> Self {
        let Imported { gltf_file, model, diagnostics, .. } = loaded;
        let scene = model.default_scene;
        let rig = Rig::new(model, scene).expect("an imported model is valid");
        let (model, json) = (rig.model(), gltf_file.json());
        let text = |pointer: &str| json.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        let list = |name: &str| -> Vec<String> {
            let names = json.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            names.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let parts = PartAnalysis::new(model, scene);
        let node_of = |joint: JointIndex| model.skeleton.joint(joint).node;
        let mut nodes: Vec<NodeInfo> = model
            .skeleton
            .joints()
            .iter()
            .map(|joint| NodeInfo { node: joint.node, name: joint.name.clone(), parent: joint.parent.map(node_of) })
            .collect();
        nodes.sort_by_key(|node| node.node);
        let image = |(number, image): (usize, &Arc<Image>)| {
            let encoded = gltf_file.image_bytes(number).ok();
            ImageInfo {
                name: image.name.clone(),
                width: image.width,
                height: image.height,
                mime_type: encoded.as_ref().map(|(_, mime)| *mime),
                size_bytes: encoded.as_ref().map(|(bytes, _)| bytes.len()),
            }
        };
        Self {
            file,
            size_bytes,
            gltf_version: text("/asset/version"),
            generator: text("/asset/generator"),
            copyright: text("/asset/copyright"),
            metadata: metadata(json),
            extensions_used: list("extensionsUsed"),
            extensions_required: list("extensionsRequired"),
            totals: Totals::new(&rig),
            scenes: (0..)
                .zip(&model.scenes)
                .map(|(number, scene)| SceneInfo {
                    name: scene.name.clone(),
                    is_default: model.default_scene.0 == number,
                    drawn_nodes: scene.mesh_nodes.len(),
                })
                .collect(),
            nodes,
            meshes: model
                .meshes
                .iter()
                .map(|mesh| MeshInfo {
                    name: mesh.name.clone(),
                    morph_targets: mesh.target_count,
                    morph_target_names: mesh.target_names.clone(),
                    primitives: mesh.primitives.iter().map(PrimitiveInfo::new).collect(),
                })
                .collect(),
            skins: model
                .skins
                .iter()
                .map(|skin| SkinInfo {
                    name: skin.name.clone(),
                    joints: skin.joints.iter().map(|joint| joint_name(model, *joint)).collect(),
                })
                .collect(),
            clips: model.clips.iter().map(|clip| ClipInfo::new(clip, parts.of_clip(model, clip))).collect(),
            materials: model.materials.iter().map(MaterialInfo::new).collect(),
            variants: model.variants.clone(),
            images: model.images.iter().enumerate().map(image).collect(),
            cameras: model
                .cameras
                .iter()
                .map(|camera| CameraInfo {
                    name: camera.name.clone(),
                    node: node_of(camera.joint),
                    projection: match camera.projection {
                        Projection::Perspective { .. } => "perspective",
                        Projection::Orthographic { .. } => "orthographic",
                    },
                })
                .collect(),
            notices: diagnostics
                .iter()
                .map(|notice| DiagnosticInfo { pointer: notice.pointer.clone(), message: notice.message.clone() })
                .collect(),
        }
    }
}

impl Totals {
    fn new(rig: &Rig) -> Self {
        let (model, layout, format) = (rig.model(), rig.layout(), rig.format());
        let statistics = ModelStatistics::new(model, layout);
        let hull = clip_hull(rig, (!model.clips.is_empty()).then_some(ClipIndex(0)));
        let bounds = hull.bounds();
        Self {
            draws: statistics.drawn_primitives,
            vertices: statistics.vertices,
            triangles: statistics.triangles,
            matrices: layout.matrix_count,
            palette_bytes_per_instance: 16
                * (layout.matrix_count as usize * format.texels_per_matrix() + layout.morph_weight_texels() as usize),
            packing: match format {
                MatrixFormat::Mat3x4 => "3 rows of a matrix",
                MatrixFormat::QuatTranslationScale => "translation, scale, quaternion",
            },
            image_bytes_decoded: model.images.iter().map(|i| u64::from(i.width) * u64::from(i.height) * 4).sum(),
            skin_joints: statistics.skin_joints,
            joints: model.skeleton.len(),
            materials: statistics.materials,
            texture_bytes: statistics.texture_bytes,
            bounds: (!bounds.is_empty()).then(|| [bounds.min.into(), bounds.max.into()]),
        }
    }
}

impl PrimitiveInfo {
    fn new(primitive: &Primitive) -> Self {
        let vertices = &primitive.vertices;
        let mut attributes = vec!["POSITION".to_owned()];
        let mut add = |present: bool, name: &str| {
            if present {
                attributes.push(name.to_owned());
            }
        };
        add(vertices.normals.is_some(), "NORMAL");
        add(vertices.tangents.is_some(), "TANGENT");
        for set in 0..vertices.tex_coords.len() {
            add(true, &format!("TEXCOORD_{set}"));
        }
        add(vertices.colors.is_some(), "COLOR_0");
        add(vertices.influences.is_some(), "JOINTS and WEIGHTS");
        Self {
            topology: match primitive.topology {
                Topology::Points => "points",
                Topology::Lines => "lines",
                Topology::LineLoop => "line loop",
                Topology::LineStrip => "line strip",
                Topology::Triangles => "triangles",
                Topology::TriangleStrip => "triangle strip",
                Topology::TriangleFan => "triangle fan",
            },
            vertices: vertices.positions.len(),
            indices: primitive.indices.as_ref().map(|indices| indices.len()),
            triangles: primitive.triangle_count(),
            attributes,
            influences_per_vertex: vertices.influences.as_ref().map_or(0, |influences| influences.per_vertex),
            material: primitive.material.map(|material| material.0),
        }
    }
}

impl ClipInfo {
    fn new(clip: &Clip, moving_parts: Vec<PartInfo>) -> Self {
        let moves: BTreeSet<&str> = clip
            .tracks
            .iter()
            .map(|track| match track.keys {
                KeyValues::Translation(_) => "translation",
                KeyValues::Rotation(_) => "rotation",
                KeyValues::Scale(_) => "scale",
                KeyValues::Weights(_) => "weights",
            })
            .chain(clip.property_tracks.iter().map(|track| match track.target {
                PropertyTarget::Material(..) => "materials",
                PropertyTarget::Light(..) => "lights",
                PropertyTarget::Camera(..) => "cameras",
                PropertyTarget::Visible(_) => "visibility",
            }))
            .collect();
        Self {
            name: clip.name.clone(),
            duration_secs: clip.duration_secs,
            first_key_secs: clip.first_key_secs,
            channels: clip.tracks.len() + clip.property_tracks.len(),
            keys: clip.key_count(),
            joints_moved: clip.tracks.iter().map(|track| track.joint).collect::<BTreeSet<_>>().len(),
            moves: moves.into_iter().collect(),
            moving_parts,
        }
    }
}

impl MaterialInfo {
    fn new(material: &Material) -> Self {
        let textures = [
            ("base color", &material.textures[TextureSlot::BaseColor]),
            ("metallic-roughness", &material.textures[TextureSlot::MetallicRoughness]),
            ("normal", &material.textures[TextureSlot::Normal]),
            ("occlusion", &material.textures[TextureSlot::Occlusion]),
            ("emissive", &material.textures[TextureSlot::Emissive]),
        ];
        Self {
            name: material.name.clone(),
            alpha_mode: match material.alpha_mode {
                AlphaMode::Opaque => "opaque",
                AlphaMode::Mask { .. } => "mask",
                AlphaMode::Blend => "blend",
            },
            double_sided: material.double_sided,
            unlit: material.unlit,
            base_color: material.base_color,
            textures: textures.into_iter().filter(|(_, texture)| texture.is_some()).map(|(name, _)| name).collect(),
        }
    }
}
