//! Nodes, skins and morph targets at one instant.

use super::file::{Document, Elements, list, number, numbers};
use super::matrix::{Mat4, Vec3, length, normalized};
use super::sample::Sampler;
use crate::support::tolerance;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

/// The most joints that move a vertex.
const MAX_INFLUENCES: usize = 8;

/// Which scene, which clip, when.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Instant {
    /// The scene; without one the file's own choice, else the first, else all root nodes.
    pub(crate) scene: Option<usize>,
    /// The clip; without one every node is at rest.
    pub(crate) clip: Option<usize>,
    /// Seconds.
    pub(crate) time: f64,
}

/// Everything that is drawn, in world space.
#[derive(Debug)]
pub(crate) struct PosedCrowd {
    /// One for each node with a mesh that can be drawn, depth first, children in file order.
    pub(crate) meshes: Vec<PosedMesh>,
}

/// One mesh-carrying node.
#[derive(Debug)]
pub(crate) struct PosedMesh {
    /// Its number in the file, and its name.
    pub(crate) label: String,
    /// The primitives that have positions, in file order.
    pub(crate) primitives: Vec<PosedPrimitive>,
}

/// One primitive in world space.
#[derive(Debug)]
pub(crate) struct PosedPrimitive {
    /// Its number in the file's mesh.
    pub(crate) number: usize,
    /// The file's `mode`.
    pub(crate) mode: usize,
    /// The file's `material`.
    pub(crate) material: Option<usize>,
    /// Vertices in file order.
    pub(crate) positions: Vec<Vec3>,
    /// Normals, where the file has them.
    pub(crate) normals: Option<Vec<Direction>>,
    /// Tangents, where the file has them.
    pub(crate) tangents: Option<Vec<Direction>>,
    /// Texture coordinates by set.
    pub(crate) tex_coords: BTreeMap<usize, Vec<Vec<f64>>>,
    /// Colors by set, with an opacity of 1 where the file has none.
    pub(crate) colors: BTreeMap<usize, Vec<Vec<f64>>>,
    /// The file's vertex numbers in drawing order, written out where it has no indices.
    pub(crate) indices: Vec<usize>,
    /// What the maps to world space did to the triangles.
    pub(crate) winding: Winding,
}

/// A unit vector.
#[derive(Clone, Debug)]
pub(crate) struct Direction {
    /// The vector.
    pub(crate) vector: Vec3,
    /// A tangent's handedness; 0 for a normal.
    pub(crate) w: f64,
    /// By how much rounding of the inputs may be larger in the vector; infinite where nothing gives a direction.
    pub(crate) amplification: f64,
    /// Whether the map flattens the surface, so that its front is anywhere.
    pub(crate) flattened: bool,
}

/// Whether triangles turn with their front outwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Winding {
    /// As in the file.
    Kept,
    /// Everything is mirrored: the front is clockwise (section 3.7.4), so two corners of each triangle are exchanged.
    Flipped,
    /// Joints of one skin disagree, or all is flat: no order is right for every triangle.
    Free,
}

impl PosedCrowd {
    /// The length of the diagonal of the box around all vertices, the measure of tolerances.
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

/// The triangles of a primitive, corners in their order (section 3.7.2.1); none for points and lines.
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
    /// Everything that is drawn at an instant.
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

/// A file at one instant.
struct Scene<'a> {
    /// The file.
    document: &'a Document,
    /// The parent of each node that has one.
    parents: HashMap<usize, usize>,
    /// What the clip says, by node and path.
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
                // Section 3.11: a channel without a node is ignored, and so are paths of extensions.
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

    /// The root nodes that are drawn.
    fn roots(&self, scene: Option<usize>) -> Vec<usize> {
        let json = &self.document.json;
        if list(json, "scenes").is_empty() {
            return (0..list(json, "nodes").len()).filter(|node| !self.parents.contains_key(node)).collect();
        }
        let scene = scene.or(number(json, "scene")).unwrap_or(0);
        let roots = numbers(self.document.object("scenes", scene), "nodes").unwrap_or_default();
        roots.into_iter().map(|node| node as usize).collect()
    }

    /// These nodes and all below them, each before its children, children in file order.
    ///
    /// Without recursion, for hierarchies deeper than a test's stack.
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

    /// Where the mesh of a node stands, if it has no skin: with the node, or (EXT_mesh_gpu_instancing) wherever in the
    /// node's space its copies do.
    fn places(&self, node: usize) -> Vec<Mat4> {
        let object = self.document.object("nodes", node);
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

    /// The mesh of a node, where it has one with something to draw; `place` is its matrix where it has no skin.
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

    /// A node's own matrix (section 3.5.3), with what the clip says in place of what the file says.
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

    /// A node's global matrix (section 3.5.2): the product of the matrices of its ancestors and its own.
    fn global(&self, node: usize) -> Mat4 {
        let (mut matrix, mut at) = (self.local(node), node);
        while let Some(&parent) = self.parents.get(&at) {
            matrix = self.local(parent).times(&matrix);
            at = parent;
        }
        matrix
    }

    /// The matrix of each joint of a skin: the joint's global matrix times its inverse bind matrix (section 3.7.3.1).
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
                // Without inverse bind matrices each is the identity.
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
        let rows = |elements: &Elements| (0..elements.len()).map(|i| elements.row(i).to_vec()).collect::<Vec<_>>();
        let opaque = |mut color: Vec<f64>| {
            color.resize(4, 1.0);
            color
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
            tex_coords: sets("TEXCOORD").iter().map(|(set, uv)| (*set, rows(uv))).collect(),
            colors: sets("COLOR").iter().map(|(s, c)| (*s, rows(c).into_iter().map(opaque).collect())).collect(),
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

    /// The map from mesh space to world space of each vertex.
    ///
    /// With a skin and joints it is the sum of the joint matrices times their weights, and the node's own place does
    /// not count (section 3.7.3.2); else it is the node's global matrix.
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
            // Not the specification's but rigview's promise: of more than eight the largest count, in order of appearance.
            if influences.iter().filter(|(_, weight)| *weight != 0.0).count() > MAX_INFLUENCES {
                influences.sort_by(|(_, a), (_, b)| b.total_cmp(a));
                influences.truncate(MAX_INFLUENCES);
            }
            let sum: f64 = influences.iter().map(|(_, weight)| weight).sum();
            if sum == 0.0 {
                // Nothing can be made of such a vertex but to leave it with the joint that is named first.
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

/// How one vertex goes to world space.
#[derive(Clone, Copy)]
struct VertexMap {
    /// The map.
    matrix: Mat4,
    /// The sum of the sizes of what the matrix is made of; larger than the matrix where joints cancel each other out.
    norm: f64,
}

impl VertexMap {
    /// 1 or -1, the latter for a map that mirrors.
    fn sign(&self) -> f64 {
        if self.matrix.determinant() < 0.0 { -1.0 } else { 1.0 }
    }

    /// The normal in world space: the inverse transpose, that is the cofactors with the determinant's sign.
    ///
    /// So an outward normal stays one when the map mirrors. `terms` is the sum of the lengths `normal` is made of.
    fn normal(&self, normal: Vec3, terms: f64) -> Direction {
        let image = self.matrix.cofactor_direction(normal).map(|x| x * self.sign());
        self.unit(image, 0.0, terms * self.norm * self.norm)
    }

    /// The tangent in world space: the linear part, and the handedness with the determinant's sign.
    ///
    /// The bitangent is `cross(normal, tangent) * w` (section 3.7.2.1) and lies in the surface, so it must go through
    /// the linear part too. A map M that mirrors has `cross(M n, M t) = -M cross(n, t)`, hence the change of `w`.
    fn tangent(&self, tangent: Vec3, w: f64, terms: f64) -> Direction {
        self.unit(self.matrix.direction(tangent), w * self.sign(), terms * self.norm)
    }

    /// A direction of length 1; `size` is the sum of the sizes of the terms it was made of.
    fn unit(&self, image: Vec3, w: f64, size: f64) -> Direction {
        let length = length(&image);
        let amplification = if length > 0.0 { size / length } else { f64::INFINITY };
        let flattened = self.matrix.handedness().abs() < tolerance::FLAT;
        Direction { vector: image.map(|x| x / length), w, amplification, flattened }
    }
}

/// What the maps of all vertices do to triangles; those that flatten have no say.
fn winding(maps: &[VertexMap]) -> Winding {
    let handedness = maps.iter().map(|map| map.matrix.handedness()).filter(|x| x.abs() > tolerance::FLAT);
    let (mirrored, kept): (Vec<f64>, Vec<f64>) = handedness.partition(|x| *x < 0.0);
    match (kept.is_empty(), mirrored.is_empty()) {
        (false, true) => Winding::Kept,
        (true, false) => Winding::Flipped,
        _ => Winding::Free,
    }
}
