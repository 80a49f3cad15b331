//! Rigs built in code.

use nalgebra::{UnitQuaternion, Vector3};
use rigview::math::{Aabb, Affine, Transform};
use rigview::model::{
    Influences, Joint, JointIndex, Material, MaterialIndex, Mesh, MeshIndex, MeshNode, Model, MorphTarget, Primitive,
    Scene, SceneIndex, Skeleton, Skin, SkinIndex, SkinSlot, Topology, Vertices,
};
use rigview::scene::{Environment, EnvironmentLight, Lighting};
use std::sync::Arc;

/// Deterministic pseudo-random numbers.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    /// Next value in -1 to 1.
    pub(crate) fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    }

    pub(crate) fn vector(&mut self) -> [f32; 3] {
        [self.next(), self.next(), self.next()]
    }
}

/// Parameters of a tube.
#[derive(Clone)]
pub(crate) struct Tube {
    /// Joints after the root.
    pub(crate) joints: usize,
    /// Rings of vertices.
    pub(crate) rings: usize,
    /// Influences per vertex; 0 for a rigid mesh.
    pub(crate) per_vertex: usize,
    /// Morph targets.
    pub(crate) targets: usize,
    /// Scale of the first joint.
    pub(crate) scale: [f64; 3],
    /// Scale of every other joint.
    pub(crate) joint_scale: [f64; 3],
    /// Rotation of each joint, in radians.
    pub(crate) bend: f64,
    pub(crate) material: Material,
}

impl Default for Tube {
    fn default() -> Self {
        Self {
            joints: 6,
            rings: 49,
            per_vertex: 4,
            targets: 0,
            scale: [1.0; 3],
            joint_scale: [1.0; 3],
            bend: 0.25,
            material: Material {
                base_color: [0.8, 0.45, 0.25, 1.0],
                metallic: 0.0,
                roughness: 0.5,
                ..Default::default()
            },
        }
    }
}

const SIDES: usize = 32;
const LENGTH: f32 = 4.0;

impl Tube {
    /// An upright tube of radius 0.5 whose joints bend about X.
    pub(crate) fn model(&self) -> Model {
        let step = f64::from(LENGTH) / self.joints.max(1) as f64;
        let joint = |number: usize, parent: Option<u32>, rest: Transform| Joint {
            name: Some(format!("joint {number}")),
            node: number,
            parent: parent.map(JointIndex),
            rest,
            exact_rest_matrix: None,
            morph_weights: if number == 0 { 0..self.targets } else { 0..0 },
        };
        let mut joints = vec![joint(0, None, Transform { scale: Vector3::from(self.scale), ..Transform::identity() })];
        for number in 1..=self.joints {
            let rest = Transform {
                translation: Vector3::new(0.0, if number == 1 { 0.0 } else { step }, 0.0),
                rotation: UnitQuaternion::from_euler_angles(self.bend, 0.1 * number as f64, 0.0),
                scale: Vector3::from(self.joint_scale),
            };
            joints.push(joint(number, Some(number as u32 - 1), rest));
        }
        let skin = Skin {
            name: None,
            joints: (1..=self.joints as u32).map(JointIndex).collect(),
            joint_from_mesh: (0..self.joints)
                .map(|i| Affine::from_translation(Vector3::new(0.0, -step * i as f64, 0.0)))
                .collect(),
        };
        let mut numbers = Numbers(7);
        let weights = (0..self.targets).map(|i| if i % 3 == 1 { 0.0 } else { 0.5 * numbers.next() }).collect();
        Model {
            skeleton: Skeleton::new(joints, weights),
            skins: if self.per_vertex > 0 { vec![skin] } else { Vec::new() },
            meshes: vec![Mesh { primitives: vec![self.primitive()], target_count: self.targets, ..Default::default() }],
            materials: vec![self.material.clone()],
            scenes: vec![Scene {
                mesh_nodes: vec![MeshNode {
                    joint: JointIndex(0),
                    mesh: MeshIndex(0),
                    skin: (self.per_vertex > 0).then_some(SkinIndex(0)),
                }],
                ..Default::default()
            }],
            default_scene: SceneIndex(0),
            ..Default::default()
        }
    }

    fn primitive(&self) -> Primitive {
        let mut vertices = Vertices { normals: Some(Vec::new()), tangents: Some(Vec::new()), ..Default::default() };
        for ring in 0..self.rings {
            let y = LENGTH * ring as f32 / (self.rings - 1) as f32;
            for side in 0..SIDES {
                let (sin, cos) = (std::f32::consts::TAU * side as f32 / SIDES as f32).sin_cos();
                vertices.positions.push([0.5 * cos, y, 0.5 * sin]);
                vertices.normals.as_mut().unwrap().push([cos, 0.0, sin]);
                vertices.tangents.as_mut().unwrap().push([-sin, 0.0, cos, if side % 2 == 0 { 1.0 } else { -1.0 }]);
            }
        }
        let mut indices = Vec::new();
        for ring in 0..self.rings - 1 {
            for side in 0..SIDES {
                let at = |r: usize, s: usize| ((ring + r) * SIDES + (side + s) % SIDES) as u32;
                indices.extend([at(0, 0), at(1, 0), at(1, 1), at(0, 0), at(1, 1), at(0, 1)]);
            }
        }
        let mut numbers = Numbers(3);
        let count = vertices.positions.len();
        let targets = (0..self.targets)
            .map(|target| {
                // Each target moves a few of the vertices.
                let mut sparse = |size: f32| -> Vec<[f32; 3]> {
                    (0..count)
                        .map(|vertex| {
                            let delta = numbers.vector().map(|x| x * size);
                            if vertex % (target + 2) == 0 { delta } else { [0.0; 3] }
                        })
                        .collect()
                };
                MorphTarget {
                    positions: Some(sparse(0.1)),
                    normals: (target % 2 == 0).then(|| sparse(0.3)),
                    tangents: (target % 3 == 0).then(|| sparse(0.3)),
                    ..MorphTarget::default()
                }
            })
            .collect::<Vec<_>>();
        vertices.influences = (self.per_vertex > 0).then(|| self.influences(&vertices.positions));
        Primitive {
            topology: Topology::Triangles,
            vertices: vertices.into(),
            indices: Some(indices.into()),
            material: Some(MaterialIndex(0)),
            targets: targets.into(),
            ..Primitive::default()
        }
    }

    /// Influences of the nearest joints along the tube, weighted by distance.
    fn influences(&self, positions: &[[f32; 3]]) -> Influences {
        let mut influences = Influences { per_vertex: self.per_vertex, ..Default::default() };
        let step = LENGTH / self.joints as f32;
        for position in positions {
            let mut near: Vec<(f32, usize)> =
                (0..self.joints).map(|j| ((position[1] / step - 0.5 - j as f32).abs(), j)).collect();
            near.sort_by(|a, b| a.0.total_cmp(&b.0));
            let mut weights: Vec<(usize, f32)> =
                near.iter().take(self.per_vertex).map(|&(d, j)| (j, (1.2 - d).max(0.0))).collect();
            let sum: f32 = weights.iter().map(|(_, w)| w).sum();
            weights.resize(self.per_vertex, (0, 0.0));
            for (slot, weight) in weights {
                influences.slots.push(SkinSlot(slot as u16));
                influences.weights.push(weight / sum);
            }
        }
        influences
    }
}

/// A square from -1 to 1, facing +Z, on a joint at `rest`. Texture coordinates start at its upper left corner.
pub(crate) fn square(material: Material, rest: Transform) -> Model {
    squares(vec![(material, rest)])
}

/// Several squares, each with its own joint, mesh and material.
pub(crate) fn squares(squares: Vec<(Material, Transform)>) -> Model {
    let mut model = Model { scenes: vec![Scene::default()], ..Default::default() };
    let mut joints = Vec::new();
    for (number, (material, rest)) in squares.into_iter().enumerate() {
        joints.push(Joint {
            name: None,
            node: number,
            parent: None,
            rest,
            exact_rest_matrix: None,
            morph_weights: 0..0,
        });
        let vertices = Vertices {
            positions: vec![[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]],
            normals: Some(vec![[0.0, 0.0, 1.0]; 4]),
            tex_coords: vec![vec![[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]]],
            ..Default::default()
        };
        let primitive = Primitive {
            topology: Topology::Triangles,
            vertices: vertices.into(),
            indices: Some([0, 1, 2, 0, 2, 3].into()),
            material: Some(MaterialIndex(number as u32)),
            ..Primitive::default()
        };
        model.meshes.push(Mesh { primitives: vec![primitive], ..Default::default() });
        model.materials.push(material);
        let mesh_node = MeshNode { joint: JointIndex(number as u32), mesh: MeshIndex(number as u32), skin: None };
        model.scenes[0].mesh_nodes.push(mesh_node);
    }
    model.skeleton = Skeleton::new(joints, Vec::new());
    model
}

/// An unlit material of one color.
pub(crate) fn paint(base_color: [f32; 4]) -> Material {
    Material { base_color, unlit: true, ..Default::default() }
}

/// A rest transform with a translation along Z.
pub(crate) fn at_depth(z: f64) -> Transform {
    Transform { translation: Vector3::new(0.0, 0.0, z), ..Transform::identity() }
}

pub(crate) fn rough(color: f32) -> Material {
    Material { unlit: false, metallic: 0.0, roughness: 1.0, ..paint([color, color, color, 1.0]) }
}

/// Bounds of a floor of four by four meters with a wall of four meters height behind it, which faces +Z.
pub(crate) const ROOM: Aabb = Aabb { min: Vector3::new(-2.0, 0.0, -2.0), max: Vector3::new(2.0, 4.0, 2.0) };

/// A floor with a wall. The floor is seen from above, sixteen pixels per meter.
pub(crate) fn room(material: Material) -> Model {
    room_with_wall(material.clone(), material)
}

/// A room whose wall has another material.
pub(crate) fn room_with_wall(of_floor: Material, of_wall: Material) -> Model {
    room_with_walls(of_floor, of_wall, &[-2.0])
}

/// A floor with a wall at each of these Z coordinates.
pub(crate) fn room_with_walls(of_floor: Material, of_wall: Material, walls: &[f64]) -> Model {
    let rotation = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), -std::f64::consts::FRAC_PI_2);
    let scale = Vector3::repeat(2.0);
    let floor = Transform { translation: Vector3::zeros(), rotation, scale };
    let wall = |&z: &f64| {
        let wall = Transform { translation: Vector3::new(0.0, 2.0, z), rotation: UnitQuaternion::identity(), scale };
        (of_wall.clone(), wall)
    };
    squares(std::iter::once((of_floor, floor)).chain(walls.iter().map(wall)).collect())
}

pub(crate) fn in_white_light() -> Lighting {
    let environment = Some(EnvironmentLight::new(Arc::new(Environment::constant([0.5; 3]))));
    Lighting { environment, ..Lighting::default() }
}

/// Fraction of a floor point's light that a wall of four by four meters blocks, at this distance before its middle.
pub(crate) fn wall_form_factor(distance: f64) -> f64 {
    let (half_width, slant) = (2.0_f64, distance.hypot(4.0));
    ((half_width / distance).atan() - distance / slant * (half_width / slant).atan()) / std::f64::consts::PI
}
