//! Poses of nodes, skins and morph targets at a time.

use super::file::{Document, Elements, list, number, numbers};
use super::matrix::{Mat4, Vec3, length, normalized};
use super::sample::Sampler;
use crate::support::tolerance;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// Maximum influences of a vertex.
const MAX_INFLUENCES: usize = 8;

/// Scene, clip and time of a pose.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Instant {
    /// Scene index. Default: the file's default scene, else the first, else all root nodes.
    pub(crate) scene: Option<usize>,
    /// Clip index; `None` for the rest pose.
    pub(crate) clip: Option<usize>,
    /// Time in seconds.
    pub(crate) time: f64,
}

/// All drawn meshes in world space.
#[derive(Debug)]
pub(crate) struct PosedCrowd {
    /// One per node with a drawable mesh, depth first, children in file order.
    pub(crate) meshes: Vec<PosedMesh>,
}

/// A node with a mesh.
#[derive(Debug)]
pub(crate) struct PosedMesh {
    /// Index and name of the node.
    pub(crate) label: String,
    /// The primitives that have positions, in file order.
    pub(crate) primitives: Vec<PosedPrimitive>,
}

/// One primitive in world space.
#[derive(Debug)]
pub(crate) struct PosedPrimitive {
    /// Index in the mesh.
    pub(crate) number: usize,
    /// The file's `mode`.
    pub(crate) mode: usize,
    /// The file's `material`.
    pub(crate) material: Option<usize>,
    /// Vertices in file order.
    pub(crate) positions: Vec<Vec3>,
    /// Normals, if any.
    pub(crate) normals: Option<Vec<Direction>>,
    /// Tangents, if any.
    pub(crate) tangents: Option<Vec<Direction>>,
    /// Texture coordinates by set.
    pub(crate) tex_coords: BTreeMap<usize, Vec<Vec<f64>>>,
    /// Colors by set; opacity defaults to 1.
    pub(crate) colors: BTreeMap<usize, Vec<Vec<f64>>>,
    /// Vertex indices in drawing order, generated if the file has none.
    pub(crate) indices: Vec<usize>,
    /// Winding of the triangles in world space.
    pub(crate) winding: Winding,
}

/// A unit vector.
#[derive(Clone, Debug)]
pub(crate) struct Direction {
    /// The vector.
    pub(crate) vector: Vec3,
    /// A tangent's handedness; 0 for a normal.
    pub(crate) w: f64,
    /// Amplification of input rounding; infinite if the direction is undefined.
    pub(crate) amplification: f64,
    /// `true` if the transform is singular, so that the front side is undefined.
    pub(crate) flattened: bool,
}

/// Winding after the transform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Winding {
    /// As in the file.
    Kept,
    /// Mirrored: the front is clockwise (section 3.7.4), so two vertices of each triangle are swapped.
    Flipped,
    /// Undefined: transforms of one skin differ in sign, or all are singular.
    Free,
}

impl PosedCrowd {
    /// Diagonal of the bounding box. Tolerances are relative to it.
    pub(crate) fn size(&self) -> f64 {
        let (mut min, mut max, mut largest) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3], 0.0_f64);
        for p in self.meshes.iter().flat_map(|mesh| &mesh.primitives).flat_map(|primitive| &primitive.positions) {
            for axis in 0..3 {
                min[axis] = min[axis].min(p[axis]);
                max[axis] = max[axis].max(p[axis]);
                largest = largest.max(p[axis].abs());
            }
        }
        if min[0] > max[0] {
            return 0.0;
        }
        let diagonal = length(&[max[0] - min[0], max[1] - min[1], max[2] - min[2]]);
        if diagonal < tolerance::SMALLEST_SIZE * largest { largest } else { diagonal }
    }
}

/// Triangles of a primitive with ordered vertices (section 3.7.2.1); none for points and lines.
pub(crate) fn drawn_triangles(mode: usize, indices: &[usize]) -> Vec<[usize; 3]> {
    let v = |i: usize| indices[i];
    let count = indices.len();
    match mode {
        4 => (0..count / 3).map(|i| [v(3 * i), v(3 * i + 1), v(3 * i + 2)]).collect(),
        5 => (0..count.saturating_sub(2)).map(|i| [v(i), v(i + 1 + i % 2), v(i + 2 - i % 2)]).collect(),
        6 => (0..count.saturating_sub(2)).map(|i| [v(i + 1), v(i + 2), v(0)]).collect(),
        _ => Vec::new(),
    }
}

impl Document {
    /// Poses all drawn meshes at a time.
    pub(crate) fn pose(&self, instant: Instant) -> PosedCrowd {
        let scene = Scene::new(self, instant);
        let nodes = scene.depth_first(&scene.roots(instant.scene));
        let places = nodes.into_iter().flat_map(|node| scene.places(node).into_iter().map(move |place| (node, place)));
        PosedCrowd { meshes: places.filter_map(|(node, place)| scene.mesh(node, place)).collect() }
    }

    /// The time of a clip's last key.
    pub(crate) fn duration(&self, clip: usize) -> f64 {
        let samplers = list(self.object("animations", clip), "samplers");
        let inputs = samplers.iter().filter_map(|sampler| number(sampler, "input"));
        inputs.flat_map(|input| self.accessor(input).numbers).fold(0.0, f64::max)
    }
}

/// A file with a sampled clip.
struct Scene<'a> {
    /// The file.
    document: &'a Document,
    /// Parents by node.
    parents: HashMap<usize, usize>,
    /// Sampled values by node and path.
    animated: HashMap<(usize, String), Vec<f64>>,
}

impl<'a> Scene<'a> {
    /// Samples the clip.
    fn new(document: &'a Document, instant: Instant) -> Self {
        let mut parents = HashMap::new();
        for (parent, node) in list(&document.json, "nodes").iter().enumerate() {
            for child in numbers(node, "children").unwrap_or_default() {
                parents.insert(child as usize, parent);
            }
        }
        let mut animated = HashMap::new();
        if let Some(clip) = instant.clip {
            let clip = document.object("animations", clip);
            for channel in list(clip, "channels") {
                // Section 3.11: channels without a node and paths of extensions are ignored.
                let (Some(node), Some(path)) = (number(&channel["target"], "node"), channel["target"]["path"].as_str())
                else {
                    continue;
                };
                if !["translation", "rotation", "scale", "weights"].contains(&path) {
                    continue;
                }
                let sampler = &list(clip, "samplers")[number(channel, "sampler").expect("sampler")];
                let sampler = Sampler {
                    times: document.accessor(number(sampler, "input").expect("input")).numbers,
                    values: document.accessor(number(sampler, "output").expect("output")).numbers,
                    interpolation: sampler["interpolation"].as_str().unwrap_or("LINEAR").to_owned(),
                    rotation: path == "rotation",
                };
                animated.insert((node, path.to_owned()), sampler.at(instant.time));
            }
        }
        Self { document, parents, animated }
    }

    /// Root nodes of the scene.
    fn roots(&self, scene: Option<usize>) -> Vec<usize> {
        let json = &self.document.json;
        if list(json, "scenes").is_empty() {
            return (0..list(json, "nodes").len()).filter(|node| !self.parents.contains_key(node)).collect();
        }
        let scene = scene.or(number(json, "scene")).unwrap_or(0);
        let roots = numbers(self.document.object("scenes", scene), "nodes").unwrap_or_default();
        roots.into_iter().map(|node| node as usize).collect()
    }

    /// The nodes and their descendants, depth first, children in file order.
    ///
    /// Not recursive: hierarchies may be deeper than the stack.
    fn depth_first(&self, roots: &[usize]) -> Vec<usize> {
        let (mut order, mut open) = (Vec::new(), roots.to_vec());
        open.reverse();
        while let Some(node) = open.pop() {
            order.push(node);
            let children = numbers(self.document.object("nodes", node), "children").unwrap_or_default();
            open.extend(children.into_iter().rev().map(|child| child as usize));
        }
        order
    }

    /// Transforms of a node's mesh without skin: that of the node, or those of its copies by EXT_mesh_gpu_instancing, which
    /// are relative to the node; empty without a mesh.
    fn places(&self, node: usize) -> Vec<Mat4> {
        let object = self.document.object("nodes", node);
        if number(object, "mesh").is_none() {
            return Vec::new();
        }
        let attributes = &object["extensions"]["EXT_mesh_gpu_instancing"]["attributes"];
        if !attributes.is_object() || number(object, "skin").is_some() {
            return vec![self.global(node)];
        }
        let list = |name: &str| number(attributes, name).map(|index| self.document.accessor(index));
        let (translations, rotations, scales) = (list("TRANSLATION"), list("ROTATION"), list("SCALE"));
        let count = [&translations, &rotations, &scales].into_iter().flatten().map(Elements::len).min().unwrap_or(0);
        let row = |list: &Option<Elements>, copy: usize, usual: &[f64]| {
            list.as_ref().map_or_else(|| usual.to_vec(), |list| list.row(copy).to_vec())
        };
        let copy = |copy: usize| {
            let rotation = normalized(&row(&rotations, copy, &[0.0, 0.0, 0.0, 1.0]));
            Mat4::from_trs(&row(&translations, copy, &[0.0; 3]), &rotation, &row(&scales, copy, &[1.0; 3]))
        };
        (0..count).map(|i| self.global(node).times(&copy(i))).collect()
    }

    /// The posed mesh of a node; `None` if nothing is drawn. `place` is its transform if it has no skin.
    fn mesh(&self, node: usize, place: Mat4) -> Option<PosedMesh> {
        let object = self.document.object("nodes", node);
        let mesh = number(object, "mesh")?;
        let primitives: Vec<_> = list(self.document.object("meshes", mesh), "primitives")
            .iter()
            .enumerate()
            .filter(|(_, primitive)| primitive["attributes"].get("POSITION").is_some())
            .map(|(number, primitive)| self.primitive((node, &place), mesh, number, primitive))
            .collect();
        let name = object["name"].as_str().unwrap_or("unnamed");
        let label = format!("node {node} ({name}), mesh {mesh}");
        (!primitives.is_empty()).then_some(PosedMesh { label, primitives })
    }

    /// Local matrix of a node (section 3.5.3). Sampled values replace those of the file.
    fn local(&self, node: usize) -> Mat4 {
        let object = self.document.object("nodes", node);
        if let Some(matrix) = numbers(object, "matrix") {
            return Mat4(matrix.try_into().expect("sixteen numbers"));
        }
        let property = |name: &str, default: &[f64]| {
            let animated = self.animated.get(&(node, name.to_owned())).cloned();
            animated.or_else(|| numbers(object, name)).unwrap_or_else(|| default.to_vec())
        };
        Mat4::from_trs(
            &property("translation", &[0.0; 3]),
            &property("rotation", &[0.0, 0.0, 0.0, 1.0]),
            &property("scale", &[1.0; 3]),
        )
    }

    /// Global matrix of a node (section 3.5.2).
    fn global(&self, node: usize) -> Mat4 {
        let (mut matrix, mut at) = (self.local(node), node);
        while let Some(&parent) = self.parents.get(&at) {
            matrix = self.local(parent).times(&matrix);
            at = parent;
        }
        matrix
    }

    /// Joint matrices of a skin: global matrix times inverse bind matrix (section 3.7.3.1).
    fn joint_matrices(&self, skin: usize) -> Vec<Mat4> {
        let skin = self.document.object("skins", skin);
        let inverse_bind = number(skin, "inverseBindMatrices").map(|index| self.document.accessor(index));
        let joints = numbers(skin, "joints").expect("joints");
        joints
            .into_iter()
            .enumerate()
            .map(|(slot, joint)| match &inverse_bind {
                Some(matrices) => {
                    self.global(joint as usize).times(&Mat4(matrices.row(slot).try_into().expect("sixteen numbers")))
                }
                // Default inverse bind matrices are the identity.
                None => self.global(joint as usize),
            })
            .collect()
    }

    /// A primitive in world space.
    fn primitive(
        &self,
        (node, place): (usize, &Mat4),
        mesh: usize,
        number_in_mesh: usize,
        primitive: &Value,
    ) -> PosedPrimitive {
        let (document, attributes) = (self.document, &primitive["attributes"]);
        let attribute = |name: &str| number(attributes, name).map(|index| document.accessor(index));
        let sets = |name: &str| -> Vec<(usize, Elements)> {
            (0..).map_while(|set| attribute(&format!("{name}_{set}")).map(|elements| (set, elements))).collect()
        };
        let base = attribute("POSITION").expect("POSITION");
        let targets = self.weighted_targets(node, mesh, primitive);
        let maps = self.vertex_maps((node, place), base.len(), &sets("JOINTS"), &sets("WEIGHTS"));

        // Morph targets come before skinning (section 3.7.2.2).
        let morphed = |name: &str, base: &Elements, vertex: usize| -> (Vec3, f64) {
            let mut sum: Vec3 = base.row(vertex)[..3].try_into().expect("three numbers");
            let mut terms = length(&sum);
            for (weight, target) in &targets {
                if let Some(delta) = target.get(name) {
                    let delta = &delta.row(vertex)[..3];
                    for axis in 0..3 {
                        sum[axis] += weight * delta[axis];
                    }
                    terms += weight.abs() * length(delta);
                }
            }
            (sum, terms)
        };
        let positions = (0..base.len()).map(|v| maps[v].matrix.point(morphed("POSITION", &base, v).0)).collect();
        let normals = attribute("NORMAL").map(|base| {
            let of = |vertex| {
                let (normal, terms) = morphed("NORMAL", &base, vertex);
                maps[vertex].normal(normal, terms)
            };
            (0..base.len()).map(of).collect()
        });
        let tangents = attribute("TANGENT").map(|base| {
            let of = |vertex| {
                let (tangent, terms) = morphed("TANGENT", &base, vertex);
                maps[vertex].tangent(tangent, base.row(vertex)[3], terms)
            };
            (0..base.len()).map(of).collect()
        });
        let rows = |name: &str, elements: &Elements, width: usize, fill: f64| -> Vec<Vec<f64>> {
            let row = |vertex: usize| {
                let mut sum = elements.row(vertex).to_vec();
                sum.resize(width, fill);
                for delta in targets.iter().filter_map(|(weight, target)| Some((weight, target.get(name)?))) {
                    sum.iter_mut().zip(delta.1.row(vertex)).for_each(|(sum, x)| *sum += delta.0 * x);
                }
                sum
            };
            (0..elements.len()).map(row).collect()
        };
        let uv = |(set, uv): (usize, Elements)| (set, rows(&format!("TEXCOORD_{set}"), &uv, 2, 0.0));
        let color = |(set, colors): (usize, Elements)| {
            let name = format!("COLOR_{set}");
            let mut rows = rows(&name, &colors, 4, 1.0);
            if targets.iter().any(|(_, target)| target.contains_key(&name)) {
                rows.iter_mut().flatten().for_each(|x| *x = x.clamp(0.0, 1.0));
            }
            (set, rows)
        };
        let indices = match number(primitive, "indices") {
            Some(index) => document.accessor(index).numbers.into_iter().map(|i| i as usize).collect(),
            None => (0..base.len()).collect(),
        };
        PosedPrimitive {
            number: number_in_mesh,
            mode: number(primitive, "mode").unwrap_or(4),
            material: number(primitive, "material"),
            positions,
            normals,
            tangents,
            tex_coords: sets("TEXCOORD").into_iter().map(uv).collect(),
            colors: sets("COLOR").into_iter().map(color).collect(),
            indices,
            winding: winding(&maps),
        }
    }

    /// The morph targets of a primitive with their weights, attributes by name.
    ///
    /// The weights are those of the clip, else of the node, else of the mesh, else 0 (sections 3.5.3, 3.7.2.2).
    fn weighted_targets(&self, node: usize, mesh: usize, primitive: &Value) -> Vec<(f64, HashMap<String, Elements>)> {
        let document = self.document;
        let weights = self
            .animated
            .get(&(node, "weights".to_owned()))
            .cloned()
            .or_else(|| numbers(document.object("nodes", node), "weights"))
            .or_else(|| numbers(document.object("meshes", mesh), "weights"))
            .unwrap_or_default();
        let targets = list(primitive, "targets").iter().enumerate().map(|(i, target)| {
            let attributes = target.as_object().expect("a morph target");
            let decoded =
                attributes.keys().map(|name| (name.clone(), document.accessor(number(target, name).expect("index"))));
            (weights.get(i).copied().unwrap_or(0.0), decoded.collect())
        });
        targets.collect()
    }

    /// Transform of each vertex from mesh space to world space.
    ///
    /// With a skin: the sum of joint matrices times weights; the node's transform is ignored (section 3.7.3.2). Without: the
    /// node's global matrix.
    fn vertex_maps(
        &self,
        (node, place): (usize, &Mat4),
        vertices: usize,
        joint_sets: &[(usize, Elements)],
        weight_sets: &[(usize, Elements)],
    ) -> Vec<VertexMap> {
        let skin = number(self.document.object("nodes", node), "skin");
        let (Some(skin), false) = (skin, joint_sets.is_empty()) else {
            return vec![VertexMap { matrix: *place, norm: place.norm() }; vertices];
        };
        let matrices = self.joint_matrices(skin);
        let of_vertex = |vertex: usize| {
            let mut influences = Vec::new();
            for ((_, joints), (_, weights)) in joint_sets.iter().zip(weight_sets) {
                for (joint, weight) in joints.row(vertex).iter().zip(weights.row(vertex)) {
                    influences.push((*joint as usize, *weight));
                }
            }
            // Not specified by glTF: rigview uses the eight largest weights, in file order.
            if influences.iter().filter(|(_, weight)| *weight != 0.0).count() > MAX_INFLUENCES {
                influences.sort_by(|(_, a), (_, b)| b.total_cmp(a));
                influences.truncate(MAX_INFLUENCES);
            }
            let sum: f64 = influences.iter().map(|(_, weight)| weight).sum();
            if sum == 0.0 {
                // A vertex without usable weights follows its first joint.
                influences = vec![(influences[0].0, 1.0)];
            } else {
                influences.iter_mut().for_each(|(_, weight)| *weight /= sum);
            }
            let mut map = VertexMap { matrix: Mat4::ZERO, norm: 0.0 };
            for (joint, weight) in influences.into_iter().filter(|(_, weight)| *weight != 0.0) {
                map.matrix.add_scaled(weight, &matrices[joint]);
                map.norm += weight.abs() * matrices[joint].norm();
            }
            map
        };
        (0..vertices).map(of_vertex).collect()
    }
}

/// Transform of one vertex to world space.
#[derive(Clone, Copy)]
struct VertexMap {
    /// The matrix.
    matrix: Mat4,
    /// Sum of the norms of the weighted matrices; larger than the norm of the matrix if joints cancel each other.
    norm: f64,
}

impl VertexMap {
    /// 1, or -1 for a mirroring transform.
    fn sign(&self) -> f64 {
        if self.matrix.determinant() < 0.0 { -1.0 } else { 1.0 }
    }

    /// The normal in world space by the inverse transpose: the cofactor matrix with the sign of the determinant.
    ///
    /// Mirroring keeps an outward normal outward. `terms` is the sum of the lengths of the terms of `normal`.
    fn normal(&self, normal: Vec3, terms: f64) -> Direction {
        let image = self.matrix.cofactor_direction(normal).map(|x| x * self.sign());
        self.unit(image, 0.0, terms * self.norm * self.norm)
    }

    /// The tangent in world space: transformed by the linear part; handedness times the sign of the determinant.
    ///
    /// The bitangent is `cross(normal, tangent) * w` (section 3.7.2.1) and lies in the surface, so it must go through
    /// the linear part, too. A mirroring matrix M has `cross(M n, M t) = -M cross(n, t)`, hence the change of `w`.
    fn tangent(&self, tangent: Vec3, w: f64, terms: f64) -> Direction {
        self.unit(self.matrix.direction(tangent), w * self.sign(), terms * self.norm)
    }

    /// Normalizes a direction; `size` is the sum of the lengths of its terms.
    fn unit(&self, image: Vec3, w: f64, size: f64) -> Direction {
        let length = length(&image);
        let amplification = if length > 0.0 { size / length } else { f64::INFINITY };
        let flattened = self.matrix.handedness().abs() < tolerance::FLAT;
        Direction { vector: image.map(|x| x / length), w, amplification, flattened }
    }
}

/// Winding after the transforms of all vertices; singular transforms are ignored.
fn winding(maps: &[VertexMap]) -> Winding {
    let handedness = maps.iter().map(|map| map.matrix.handedness()).filter(|x| x.abs() > tolerance::FLAT);
    let (mirrored, kept): (Vec<f64>, Vec<f64>) = handedness.partition(|x| *x < 0.0);
    match (kept.is_empty(), mirrored.is_empty()) {
        (false, true) => Winding::Kept,
        (true, false) => Winding::Flipped,
        _ => Winding::Free,
    }
}
