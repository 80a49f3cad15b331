//! Face culling, double-sided materials and mirrored transforms.

use crate::context::{GlTestContext, Shot, posed};
use crate::rigs::square;
use nalgebra::{UnitQuaternion, Vector3};
use rigview::crowd::Crowd;
use rigview::math::{Affine, Transform};
use rigview::model::{AlphaMode, Material, Topology};
use rigview::palette::{MatrixFormat, Mirroring};
use rigview::scene::{Background, Lighting};

const BARE: [u8; 4] = [0, 0, 0, 255];

/// A square that is scaled by `scale`, then rotated about Y.
fn turned(double_sided: bool, scale: [f64; 3], half_turns: u32) -> rigview::model::Model {
    let material = Material { metallic: 0.0, double_sided, ..Default::default() };
    let rotation = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), f64::from(half_turns) * std::f64::consts::PI);
    square(material, Transform { scale: Vector3::from(scale), rotation, ..Transform::identity() })
}

#[test]
fn back_faces_are_culled_unless_double_sided() {
    let mut stage = GlTestContext::new();
    let mut expected = None;
    for double_sided in [false, true] {
        for scale in [[1.0, 1.0, 1.0], [-1.0, 1.0, 1.0], [1.0, -1.0, 1.0], [-1.0, -1.0, 1.0]] {
            for half_turns in [0, 1] {
                let model = turned(double_sided, scale, half_turns);
                let shot = Shot::flat(&model).under(Vector3::z(), 2.0);
                let image = stage.image(&shot);
                if half_turns == 1 && !double_sided {
                    assert_eq!(image.count(BARE), 32 * 32, "{scale:?} shows its back");
                } else {
                    // Lit alike, from whichever side it is seen.
                    assert!(image.middle()[0] > 100, "{scale:?}, {half_turns}: {:?}", image.middle());
                    assert_eq!(*expected.get_or_insert(image.middle()), image.middle());
                    assert_eq!(image.count(image.middle()), 32 * 32);
                }
            }
        }
    }
}

#[test]
fn mixed_mirroring_selects_winding_per_instance() {
    let mut stage = GlTestContext::new();
    for (double_sided, blend) in [(false, false), (true, false), (true, true)] {
        let mut model = turned(double_sided, [1.0, 1.0, 1.0], 0);
        if blend {
            model.materials[0].alpha_mode = AlphaMode::Blend;
        }
        // Two joints of one skin, of which the second mirrors; each moves half of the vertices aside.
        let model = mirrored_twins(model);
        let shot = Shot::flat(&model).under(Vector3::z(), 2.0);
        assert_eq!(shot.palette.mirroring(), [Mirroring::Mixed]);
        let image = stage.image(&shot);
        let lit = image.at(4, 16);
        assert!(lit[0] > 100, "{double_sided}, {blend}: {lit:?}");
        assert_eq!(image.at(27, 16), lit, "the mirrored half looks different");
        assert_eq!(image.count(BARE), 0);
    }
}

/// Two squares in one mesh: the left one on joint 0, the right one on the mirrored joint 1.
fn mirrored_twins(mut model: rigview::model::Model) -> rigview::model::Model {
    use rigview::model::{Influences, Joint, JointIndex, MeshIndex, MeshNode, Skeleton, Skin, SkinIndex, SkinSlot};
    let primitive = &mut model.meshes[0].primitives[0];
    primitive.topology = Topology::Triangles;
    let left = [[-1.0, -1.0, 0.0], [0.0, -1.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 1.0, 0.0]];
    primitive.vertices_mut().positions = left.iter().chain(&left).copied().collect();
    primitive.vertices_mut().normals = Some(vec![[0.0, 0.0, 1.0]; 8]);
    primitive.vertices_mut().tex_coords.clear();
    primitive.indices = Some([0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7].into());
    let slots = (0..8).map(|i| SkinSlot(u16::from(i >= 4))).collect();
    primitive.vertices_mut().influences = Some(Influences { per_vertex: 1, slots, weights: vec![1.0; 8] });
    let joint = |number: usize, x: f64| Joint {
        name: None,
        node: number,
        parent: None,
        rest: Transform { scale: Vector3::new(x, 1.0, 1.0), ..Transform::identity() },
        exact_rest_matrix: None,
        morph_weights: 0..0,
    };
    model.skeleton = Skeleton::new(vec![joint(0, 1.0), joint(1, -1.0)], Vec::new());
    let joints = vec![JointIndex(0), JointIndex(1)];
    model.skins = vec![Skin { name: None, joints, joint_from_mesh: [Affine::IDENTITY; 2].into() }];
    model.scenes[0].mesh_nodes = vec![MeshNode { joint: JointIndex(0), mesh: MeshIndex(0), skin: Some(SkinIndex(0)) }];
    model
}

#[test]
fn double_sided_blend_draws_back_faces_first() {
    // A folded sheet: its red front is nearer, its back (seen through it) as well lit.
    let mut stage = GlTestContext::new();
    let mut model = turned(true, [1.0, 1.0, 1.0], 0);
    model.materials[0] = Material {
        unlit: true,
        double_sided: true,
        alpha_mode: AlphaMode::Blend,
        base_color: [1.0, 1.0, 1.0, 0.5],
        ..Default::default()
    };
    let vertices = model.meshes[0].primitives[0].vertices_mut();
    let near = vertices.positions.clone();
    // The far sheet faces away, and stands first in neither order of the indices.
    vertices.positions.extend(near.iter().map(|[x, y, _]| [-x, *y, -1.0]));
    vertices.normals = None;
    vertices.tex_coords.clear();
    vertices.colors = Some([[[1.0, 0.0, 0.0, 1.0]; 4], [[0.0, 1.0, 0.0, 1.0]; 4]].concat());
    model.meshes[0].primitives[0].indices = Some([0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7].into());
    let shot = Shot::flat(&model).before(Background::Color([0.0; 3]));
    let [r, g] = [0.5, 0.25].map(crate::context::byte);
    crate::context::assert_close(stage.image(&shot).middle(), [r, g, 0, 255]);
}

#[test]
fn missing_normals_are_flat() {
    let mut stage = GlTestContext::new();
    for packing in [MatrixFormat::Mat3x4, MatrixFormat::QuatTranslationScale] {
        let mut images = [true, false].map(|normals| {
            let tilt = UnitQuaternion::from_euler_angles(0.3, 0.2, 0.0);
            let material = Material { metallic: 0.0, ..Default::default() };
            let mut model = square(material, Transform { rotation: tilt, ..Transform::identity() });
            if !normals {
                model.meshes[0].primitives[0].vertices_mut().normals = None;
            }
            let shot = Shot { lighting: Lighting::studio(), ..Shot::flat(&model) };
            let shot = Shot { palette: repacked(&shot, packing), ..shot };
            stage.image(&shot).middle()
        });
        images[0][3] = 255;
        crate::context::assert_close(images[0], images[1]);
    }
}

fn repacked(shot: &Shot<'_>, packing: MatrixFormat) -> rigview::palette::Palette {
    posed(shot.model, &shot.layout, packing, &mut Crowd::single(None), 0.0)
}
