//! `rigview info`: what is in a file.

mod metadata;
mod text;

use super::{AppError, FileError, report};
use crate::cli::InfoArgs;
use crate::import::{self, ImageLoading, ImportOptions, Limit, Loaded};
use crate::math::SupportHull;
use crate::model::{
    AlphaMode, Clip, ClipIndex, Image, JointIndex, Keys, Material, Model, Primitive, Projection, PropertyTarget,
    Topology,
};
use crate::palette::{MatrixFormat, PaletteLayout};
use crate::scene::clip_hull;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;

/// Tells what is in the file.
pub(super) fn run(args: &InfoArgs) -> Result<(), AppError> {
    let options =
        ImportOptions { images: ImageLoading::SizesOnly, trust: args.trust.trust(), ..ImportOptions::default() };
    let loaded = import::open(&args.file, &options)
        .map_err(|e| AppError::File { file: args.file.clone(), source: Box::new(FileError::Import(e)) })?;
    let size_bytes = std::fs::metadata(&args.file).map_or(0, |file| file.len());
    let info =
        Info::new(args.file.display().to_string(), size_bytes, &loaded, options.trust.limits.get(Limit::Vertices));
    let text = if args.json {
        serde_json::to_string_pretty(&info).expect("plain data becomes JSON") + "\n"
    } else {
        info.text()
    };
    report::text(&text)
}

/// Everything that is told, in the order of the JSON.
#[derive(Serialize)]
struct Info {
    file: String,
    size_bytes: u64,
    gltf_version: Option<String>,
    generator: Option<String>,
    copyright: Option<String>,
    /// What XMP tells of the file (KHR_xmp_json_ld), by the name of the property.
    metadata: Vec<(String, String)>,
    extensions_used: Vec<String>,
    extensions_required: Vec<String>,
    totals: Totals,
    scenes: Vec<SceneInfo>,
    nodes: Vec<NodeInfo>,
    meshes: Vec<MeshInfo>,
    skins: Vec<SkinInfo>,
    clips: Vec<ClipInfo>,
    materials: Vec<MaterialInfo>,
    variants: Vec<Option<String>>,
    images: Vec<ImageInfo>,
    cameras: Vec<CameraInfo>,
    /// What is not shown, or not as it is stored, and why.
    notices: Vec<DiagnosticInfo>,
}

#[derive(Serialize)]
struct Totals {
    /// Of what the default scene draws, as are the others.
    draws: usize,
    vertices: usize,
    triangles: usize,
    matrices: u32,
    palette_bytes_per_instance: usize,
    packing: &'static str,
    image_bytes_decoded: u64,
    /// The box around the first clip (or the rest pose) of the default scene, in meters; `null` without a vertex.
    bounds: Option<[[f64; 3]; 2]>,
}

#[derive(Serialize)]
struct SceneInfo {
    name: Option<String>,
    is_default: bool,
    drawn_nodes: usize,
}

#[derive(Serialize)]
struct NodeInfo {
    node: usize,
    name: Option<String>,
    parent: Option<usize>,
}

#[derive(Serialize)]
struct MeshInfo {
    name: Option<String>,
    morph_targets: usize,
    morph_target_names: Vec<String>,
    primitives: Vec<PrimitiveInfo>,
}

#[derive(Serialize)]
struct PrimitiveInfo {
    topology: &'static str,
    vertices: usize,
    indices: Option<usize>,
    triangles: usize,
    attributes: Vec<String>,
    influences_per_vertex: usize,
    material: Option<u32>,
}

#[derive(Serialize)]
struct SkinInfo {
    name: Option<String>,
    joints: Vec<String>,
}

#[derive(Serialize)]
struct ClipInfo {
    name: Option<String>,
    duration_secs: f32,
    first_key_secs: f32,
    channels: usize,
    keys: usize,
    joints_moved: usize,
    moves: Vec<&'static str>,
}

#[derive(Serialize)]
struct MaterialInfo {
    name: Option<String>,
    alpha_mode: &'static str,
    double_sided: bool,
    unlit: bool,
    base_color: [f32; 4],
    textures: Vec<&'static str>,
}

#[derive(Serialize)]
struct ImageInfo {
    name: Option<String>,
    width: u32,
    height: u32,
    mime_type: Option<&'static str>,
    size_bytes: Option<usize>,
}

#[derive(Serialize)]
struct CameraInfo {
    name: Option<String>,
    node: usize,
    projection: &'static str,
}

#[derive(Serialize)]
struct DiagnosticInfo {
    pointer: String,
    message: String,
}

impl Info {
    fn new(file: String, size_bytes: u64, loaded: &Loaded, most_vertices: u64) -> Self {
        let (model, json) = (&loaded.model, loaded.asset.json());
        let text = |pointer: &str| json.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        let list = |name: &str| -> Vec<String> {
            let names = json.get(name).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            names.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let node_of = |joint: JointIndex| model.skeleton.joint(joint).node;
        let mut nodes: Vec<NodeInfo> = model
            .skeleton
            .joints()
            .iter()
            .map(|joint| NodeInfo { node: joint.node, name: joint.name.clone(), parent: joint.parent.map(node_of) })
            .collect();
        nodes.sort_by_key(|node| node.node);
        let image = |(number, image): (usize, &Image)| {
            let encoded = loaded.asset.image_bytes(number).ok();
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
            metadata: metadata::of(json),
            extensions_used: list("extensionsUsed"),
            extensions_required: list("extensionsRequired"),
            totals: Totals::new(model, most_vertices),
            scenes: (0..)
                .zip(&model.scenes)
                .map(|(number, scene)| SceneInfo {
                    name: scene.name.clone(),
                    is_default: model.default_scene.0 == number,
                    drawn_nodes: scene.drawables.len(),
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
                    joints: skin
                        .joints
                        .iter()
                        .map(|&joint| {
                            let joint = model.skeleton.joint(joint);
                            joint.name.clone().unwrap_or_else(|| format!("node {}", joint.node))
                        })
                        .collect(),
                })
                .collect(),
            clips: model.clips.iter().map(ClipInfo::new).collect(),
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
            notices: loaded
                .notices
                .iter()
                .map(|notice| DiagnosticInfo { pointer: notice.pointer.clone(), message: notice.message.clone() })
                .collect(),
        }
    }
}

impl Totals {
    fn new(model: &Model, most_vertices: u64) -> Self {
        let layout = PaletteLayout::new(model, model.default_scene);
        let packing = MatrixFormat::choose(model, &layout);
        let primitives = || layout.draws.iter().map(|draw| &model.meshes[draw.mesh.get()].primitives[draw.primitive]);
        let hull = if layout.vertex_count(model) <= most_vertices {
            clip_hull(model, &layout, (!model.clips.is_empty()).then_some(ClipIndex(0)))
        } else {
            SupportHull::default()
        };
        let bounds = hull.bounds();
        Self {
            draws: layout.draws.len(),
            vertices: primitives().map(|primitive| primitive.vertices.positions.len()).sum(),
            triangles: primitives().map(triangle_count).sum(),
            matrices: layout.matrix_count,
            palette_bytes_per_instance: 16
                * (layout.matrix_count as usize * packing.texels_per_matrix() + layout.weight_texels() as usize),
            packing: match packing {
                MatrixFormat::Mat3x4 => "3 rows of a matrix",
                MatrixFormat::QuatTranslationScale => "translation, scale, quaternion",
            },
            image_bytes_decoded: model.images.iter().map(|i| u64::from(i.width) * u64::from(i.height) * 4).sum(),
            bounds: (!bounds.is_empty()).then(|| [bounds.min.into(), bounds.max.into()]),
        }
    }
}

fn triangle_count(primitive: &Primitive) -> usize {
    match primitive.topology {
        Topology::Triangles => primitive.drawn_count() / 3,
        Topology::TriangleStrip | Topology::TriangleFan => primitive.drawn_count().saturating_sub(2),
        _ => 0,
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
            indices: primitive.indices.as_ref().map(Vec::len),
            triangles: triangle_count(primitive),
            attributes,
            influences_per_vertex: vertices.influences.as_ref().map_or(0, |influences| influences.per_vertex),
            material: primitive.material.map(|material| material.0),
        }
    }
}

impl ClipInfo {
    fn new(clip: &Clip) -> Self {
        let moves: BTreeSet<&str> = clip
            .tracks
            .iter()
            .map(|track| match track.keys {
                Keys::Translation(_) => "translation",
                Keys::Rotation(_) => "rotation",
                Keys::Scale(_) => "scale",
                Keys::Weights(_) => "weights",
            })
            .chain(clip.values.iter().map(|track| match track.target {
                PropertyTarget::Material(..) => "materials",
                PropertyTarget::Light(..) => "lights",
                PropertyTarget::Camera(..) => "cameras",
                PropertyTarget::Visible(_) => "visibility",
            }))
            .collect();
        let timelines = clip.tracks.iter().map(|track| track.timeline);
        let timelines = timelines.chain(clip.values.iter().map(|track| track.timeline));
        Self {
            name: clip.name.clone(),
            duration_secs: clip.duration_secs,
            first_key_secs: clip.first_key_secs,
            channels: clip.tracks.len() + clip.values.len(),
            keys: timelines.map(|timeline| clip.timelines[timeline].times_secs.len()).sum(),
            joints_moved: clip.tracks.iter().map(|track| track.joint).collect::<BTreeSet<_>>().len(),
            moves: moves.into_iter().collect(),
        }
    }
}

impl MaterialInfo {
    fn new(material: &Material) -> Self {
        let textures = [
            ("base color", &material.base_color_texture),
            ("metallic-roughness", &material.metallic_roughness_texture),
            ("normal", &material.normal_texture),
            ("occlusion", &material.occlusion_texture),
            ("emissive", &material.emissive_texture),
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
