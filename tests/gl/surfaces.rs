//! Textures, opacity, vertex colors and topologies.

use crate::context::{GlTestContext, RenderedImage, Shot, assert_close, byte, posed};
use crate::light::reflected;
use crate::rigs::{paint, square, squares};
use base64::Engine as _;
use nalgebra::{UnitQuaternion, Vector3};
use rigview::crowd::{Crowd, CrowdAnimator, Instance};
use rigview::import::{self, ImportOptions, SupportedBlockFormats};
use rigview::math::{Affine, Transform};
use rigview::model::{
    AlphaMode, BlockFormat, Clearcoat, Clip, ClipIndex, Filter, Image, ImageIndex, Interpolation, Iridescence, Joint,
    JointIndex, Material, MaterialIndex, MaterialProperty, Model, MorphTarget, PropertyTarget, PropertyTrack, Sampler,
    SceneIndex, Skeleton, Specular, Texture, TextureIndex, TextureRef, TextureSlot, TextureTransform, Timeline,
    Topology, Wrap,
};
use rigview::palette::{MatrixFormat, Palette, PaletteLayout, Rig};
use rigview::render::{RenderOptions, Target};
use rigview::scene::{Background, Environment, EnvironmentLight, Lighting, ViewMode};
use std::sync::Arc;

const RED: [u8; 4] = [255, 0, 0, 255];
const GREEN: [u8; 4] = [0, 255, 0, 255];
const BLUE: [u8; 4] = [0, 0, 255, 255];
const GRAY: [u8; 4] = [100, 100, 100, 128];

/// Nearest filtering with repeat.
const PLAIN: Sampler = Sampler {
    magnify: Filter::Nearest,
    minify: Filter::Nearest,
    mipmap: None,
    wrap_u: Wrap::Repeat,
    wrap_v: Wrap::Repeat,
};

/// An unlit square with a 2 x 2 texture: red, green; blue, gray.
fn pictured(sampler: Sampler, transform: TextureTransform) -> Model {
    let texture_ref = TextureRef { texture: TextureIndex(0), tex_coord: 0, transform };
    let material = Material { textures: [(TextureSlot::BaseColor, texture_ref)].into(), ..paint([1.0; 4]) };
    let mut model = square(material, Transform::identity());
    let rgba = [RED, GREEN, BLUE, GRAY].concat();
    model.images = vec![Image { name: None, width: 2, height: 2, rgba, ..Image::default() }.into()];
    model.textures = vec![Texture { name: None, image: Some(ImageIndex(0)), sampler }];
    model
}

/// Colors at the centers of the quadrants: upper left, upper right, lower left, lower right.
fn quarters(stage: &mut GlTestContext, model: &Model) -> [[u8; 4]; 4] {
    let image = stage.image(&Shot::flat(model));
    [(8, 8), (24, 8), (8, 24), (24, 24)].map(|(x, y)| image.at(x, y))
}

#[test]
fn texture_is_upright_and_exact() {
    let model = pictured(PLAIN, TextureTransform::default());
    let opaque_gray = [100, 100, 100, 255];
    assert_eq!(quarters(&mut GlTestContext::new(), &model), [RED, GREEN, BLUE, opaque_gray]);
}

#[test]
fn texture_transform_scales_rotates_and_offsets() {
    let mut stage = GlTestContext::new();
    let opaque_gray = [100, 100, 100, 255];
    let moved = TextureTransform { offset: [0.5, 0.0], ..Default::default() };
    assert_eq!(quarters(&mut stage, &pictured(PLAIN, moved)), [GREEN, RED, opaque_gray, BLUE]);
    // A quarter turn counter-clockwise of the coordinates about their origin: u' = v, v' = -u.
    let turned = TextureTransform { rotation: std::f32::consts::FRAC_PI_2, ..Default::default() };
    assert_eq!(quarters(&mut stage, &pictured(PLAIN, turned)), [BLUE, RED, opaque_gray, GREEN]);
    let scaled = TextureTransform { scale: [0.5, 0.5], ..Default::default() };
    assert_eq!(quarters(&mut stage, &pictured(PLAIN, scaled)), [RED; 4]);
}

#[test]
fn wrap_mode_follows_sampler() {
    let mut stage = GlTestContext::new();
    let doubled = TextureTransform { scale: [1.0, 1.0], offset: [1.0, 0.0], rotation: 0.0 };
    let opaque_gray = [100, 100, 100, 255];
    for (wrap_u, expected) in [
        (Wrap::Repeat, [RED, GREEN, BLUE, opaque_gray]),
        (Wrap::MirroredRepeat, [GREEN, RED, opaque_gray, BLUE]),
        (Wrap::ClampToEdge, [GREEN, GREEN, opaque_gray, opaque_gray]),
    ] {
        assert_eq!(quarters(&mut stage, &pictured(Sampler { wrap_u, ..PLAIN }, doubled)), expected, "{wrap_u:?}");
    }
}

#[test]
fn any_texture_coordinate_set_is_selectable() {
    let mut model = pictured(PLAIN, TextureTransform::default());
    model.materials[0].textures[TextureSlot::BaseColor].as_mut().unwrap().tex_coord = 5;
    let sets = &mut model.meshes[0].primitives[0].vertices_mut().tex_coords;
    let flipped = sets[0].iter().map(|[u, v]| [1.0 - u, *v]).collect();
    sets.extend([vec![[0.0; 2]; 4], vec![[0.0; 2]; 4], vec![[0.0; 2]; 4], vec![[0.0; 2]; 4], flipped]);
    let opaque_gray = [100, 100, 100, 255];
    assert_eq!(quarters(&mut GlTestContext::new(), &model), [GREEN, RED, opaque_gray, BLUE]);
}

/// Gives a square morph targets with weights.
fn set_targets(model: &mut Model, targets: Vec<MorphTarget>, weights: Vec<f32>) {
    let joint = Joint { morph_weights: 0..targets.len(), ..model.skeleton.joints()[0].clone() };
    model.meshes[0].target_count = targets.len();
    model.meshes[0].primitives[0].targets = targets.into();
    model.skeleton = Skeleton::new(vec![joint], weights);
}

#[test]
fn morph_targets_move_texture_coordinates() {
    let mut stage = GlTestContext::new();
    let opaque_gray = [100, 100, 100, 255];
    for set in [0, 2] {
        let mut model = pictured(PLAIN, TextureTransform::default());
        model.materials[0].textures[TextureSlot::BaseColor].as_mut().unwrap().tex_coord = set as u32;
        let sets = &mut model.meshes[0].primitives[0].vertices_mut().tex_coords;
        sets.resize(set + 1, sets[0].clone());
        // The first target moves other sets, and the sum of the others is half of the texture to the right.
        let target = |set, u| MorphTarget { tex_coords: vec![(set, vec![[u, 0.0]; 4])], ..Default::default() };
        set_targets(&mut model, vec![target(1, 0.3), target(set, 2.0), target(set, 1.0)], vec![1.0, 0.5, -0.5]);
        assert_eq!(quarters(&mut stage, &model), [GREEN, RED, opaque_gray, BLUE], "TEXCOORD_{set}");
    }
}

#[test]
fn morph_targets_change_colors_within_their_range() {
    let mut stage = GlTestContext::new();
    for is_debug_view in [false, true] {
        let mut model = square(paint([1.0; 4]), Transform::identity());
        model.meshes[0].primitives[0].vertices_mut().colors = Some(vec![[0.5, 0.25, 0.0, 1.0]; 4]);
        let target = |delta| MorphTarget { colors: Some(vec![delta; 4]), ..Default::default() };
        let targets = vec![target([4.0, 0.5, 0.0, 1.0]), target([0.0, -3.0, 0.25, 0.0])];
        set_targets(&mut model, targets, vec![0.25, -0.125]);
        let mut shot = Shot::flat(&model);
        if is_debug_view {
            shot.look.mode = ViewMode::VertexColors;
        }
        // 0.5 + 1 is 1; 0.25 + 0.125 + 0.375; 0 - 0.03125 is 0.
        let expected = [255, byte(0.75), 0, 255];
        assert_close(stage.image(&shot).middle(), expected);
    }
}

#[test]
fn flat_normals_are_those_of_the_morphed_surface() {
    let mut stage = GlTestContext::new();
    let flat = |slope: f32| {
        let mut model = square(Material { metallic: 0.0, ..Default::default() }, Transform::identity());
        let vertices = model.meshes[0].primitives[0].vertices_mut();
        vertices.normals = None;
        vertices.positions.iter_mut().for_each(|[x, _, z]| *z = slope * *x);
        model
    };
    let mut morphed = flat(0.0);
    let deltas = morphed.meshes[0].primitives[0].vertices.positions.iter().map(|[x, ..]| [0.0, 0.0, *x]).collect();
    set_targets(&mut morphed, vec![MorphTarget { positions: Some(deltas), ..Default::default() }], vec![0.5]);
    let mut image = |model: &Model| stage.image(&Shot::flat(model).under(Vector3::new(0.7, 0.2, 1.0), 2.0)).middle();
    assert_close(image(&morphed), image(&flat(0.5)));
    assert_ne!(image(&morphed), image(&flat(0.0)));
}

#[test]
fn textures_use_different_coordinate_sets() {
    let mut model = pictured(PLAIN, TextureTransform::default());
    let at = |tex_coord| TextureRef { texture: TextureIndex(0), tex_coord, transform: Default::default() };
    model.materials[0] = Material {
        base_color: [0.0, 0.0, 0.0, 1.0],
        emissive: [1.0; 3],
        textures: [
            (TextureSlot::BaseColor, at(0)),
            (TextureSlot::MetallicRoughness, at(2)),
            (TextureSlot::Emissive, at(1)),
            (TextureSlot::Occlusion, at(3)),
        ]
        .into(),
        ..Default::default()
    };
    let sets = &mut model.meshes[0].primitives[0].vertices_mut().tex_coords;
    sets.extend([[0.25, 0.25], [0.75, 0.25], [0.25, 0.75]].map(|coords| vec![coords; 4]));
    let mut shot = Shot::flat(&model);
    shot.lighting = rigview::scene::Lighting::from_lights(Vec::new());
    assert_eq!(GlTestContext::new().image(&shot).middle(), RED);
}

#[test]
fn textures_of_colors_are_srgb_and_those_of_data_are_linear() {
    let mut stage = GlTestContext::new();
    let textured = |slot: TextureSlot, texel: [u8; 4], material: Material| {
        let texture = TextureRef { texture: TextureIndex(0), tex_coord: 0, transform: TextureTransform::default() };
        let mut model = square(Material { textures: [(slot, texture)].into(), ..material }, Transform::identity());
        model.images = vec![Image { name: None, width: 1, height: 1, rgba: texel.into(), ..Image::default() }.into()];
        model.textures = vec![Texture { name: None, image: Some(ImageIndex(0)), sampler: PLAIN }];
        model
    };
    let black = Material { base_color: [0.0, 0.0, 0.0, 1.0], metallic: 0.0, ..Default::default() };
    // An encoded color that is decoded, and encoded again for the screen, is the same.
    let texel = [100, 150, 200, 255];
    for (slot, material) in
        [(TextureSlot::BaseColor, paint([1.0; 4])), (TextureSlot::Emissive, Material { emissive: [1.0; 3], ..black })]
    {
        let model = textured(slot, texel, material);
        let shot = Shot { lighting: Lighting::default(), ..Shot::flat(&model) };
        assert_close(stage.image(&shot).middle(), texel);
    }
    let [roughness, metallic] = [128_u8, 64];
    let gold = Material { base_color: [1.0, 0.7, 0.3, 1.0], metallic: 1.0, roughness: 1.0, ..Default::default() };
    let values =
        Material { metallic: f32::from(metallic) / 255.0, roughness: f32::from(roughness) / 255.0, ..gold.clone() };
    let by_texture = textured(TextureSlot::MetallicRoughness, [9, roughness, metallic, 255], gold.clone());
    let [by_texture, by_factors, other] =
        [by_texture, square(values, Transform::identity()), square(gold, Transform::identity())]
            .map(|model| stage.image(&Shot::flat(&model).under(Vector3::new(0.2, 0.1, 1.0), 2.0)).middle());
    assert_close(by_texture, by_factors);
    assert_ne!(by_factors, other);
}

#[test]
fn missing_material_is_the_default_material() {
    let mut stage = GlTestContext::new();
    let mut given = square(Material { base_color: [0.2; 4], ..Default::default() }, Transform::identity());
    given.meshes[0].primitives[0].material = None;
    let expected = square(Material::default(), Transform::identity());
    let [given, expected] =
        [given, expected].map(|model| stage.image(&Shot::flat(&model).under(Vector3::new(0.2, 0.1, 1.0), 2.0)));
    assert!(given == expected && given.middle()[0] > 0);
}

#[test]
fn mip_levels_average_in_linear_light() {
    let mut model = pictured(Sampler::default(), TextureTransform { scale: [64.0, 64.0], ..Default::default() });
    let checks = (0..64 * 64).flat_map(|i| if (i % 64 + i / 64) % 2 == 0 { [255; 4] } else { [0, 0, 0, 255] });
    model.images[0] = Image { name: None, width: 64, height: 64, rgba: checks.collect(), ..Image::default() }.into();
    let middle = GlTestContext::new().image(&Shot::flat(&model)).middle();
    assert_close(middle, [byte(0.5), byte(0.5), byte(0.5), 255]);
}

#[test]
fn anisotropy_sharpens_textures_at_flat_angles_and_is_off_at_first() {
    const NAME: &str = "anisotropy_sharpens_textures_at_flat_angles_and_is_off_at_first";
    let mut stage = GlTestContext::new();
    if stage.headless.gpu().limits().anisotropy < 8 {
        eprintln!("skipped: {NAME}, since the driver has no anisotropic filtering");
        return;
    }
    // Stripes two texels wide, a texel per pixel, on a square that is tilted by 80 degrees.
    let sampler = Sampler { magnify: Filter::Linear, minify: Filter::Linear, mipmap: Some(Filter::Linear), ..PLAIN };
    let mut model = pictured(sampler, TextureTransform::default());
    let stripes = (0..32 * 32).flat_map(|texel| if texel / 2 % 2 == 0 { [255; 4] } else { [0, 0, 0, 255] });
    model.images[0] = Image { name: None, width: 32, height: 32, rgba: stripes.collect(), ..Image::default() }.into();
    let tilt = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 80_f64.to_radians());
    let tilted = square(Material::default(), Transform { rotation: tilt, ..Transform::identity() });
    model.skeleton = tilted.skeleton;
    let shot = Shot::flat(&model);
    let contrast = |image: &RenderedImage| {
        (0..31).map(|x| u32::from(image.at(x, 16)[0].abs_diff(image.at(x + 1, 16)[0]))).sum::<u32>()
    };
    let trilinear = stage.image(&shot);
    stage.renderer.set_texture_anisotropy(8);
    let sharp = stage.image(&shot);
    assert!(contrast(&sharp) > 2 * contrast(&trilinear), "{} and {}", contrast(&sharp), contrast(&trilinear));
    stage.renderer.set_texture_anisotropy(1);
    assert!(stage.image(&shot) == trilinear);
}

#[test]
fn oversized_textures_are_halved() {
    let quadrants = |width: u32, height: u32| {
        let texel = |i: u32| [RED, GREEN, BLUE, GRAY][(2 * (i / width * 2 / height) + i % width * 2 / width) as usize];
        let rgba = (0..width * height).flat_map(texel).collect();
        Image { name: None, width, height, rgba, ..Image::default() }
    };
    let shown = |max_texture_size, image: Image| {
        let options = RenderOptions { max_texture_size, ..RenderOptions::default() };
        let mut model = pictured(Sampler::default(), TextureTransform { scale: [3.0; 2], ..Default::default() });
        model.images[0] = image.into();
        GlTestContext::with(options).image(&Shot::flat(&model))
    };
    for (limit, whole, fitting) in
        [(64, (256, 256), (64, 64)), (1, (8, 8), (1, 1)), (16, (64, 32), (16, 8)), (32, (32, 8), (32, 8))]
    {
        let expected = if limit == 1 { None } else { Some(shown(None, quadrants(fitting.0, fitting.1))) };
        let halved = shown(Some(limit), quadrants(whole.0, whole.1));
        // A flat mean of all four where one texel is left, else the very image that a smaller texture gives.
        match expected {
            Some(expected) => assert!(halved == expected, "{whole:?} under {limit}"),
            None => assert!(halved.rgba.chunks_exact(4).all(|pixel| pixel == halved.middle())),
        }
    }
    assert!(shown(Some(2), quadrants(256, 256)) != shown(None, quadrants(256, 256)), "the limit is not heeded");
}

/// A Basis Universal image, transcoded for a GPU with this block format.
fn compressed(formats: Vec<BlockFormat>) -> Arc<Image> {
    let bytes = base64::engine::general_purpose::STANDARD.encode(include_bytes!("../fixtures/ktx2/uastc-zstd.ktx2"));
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"images":[{{"uri":"data:image/ktx2;base64,{bytes}"}}],
            "textures":[{{"extensions":{{"KHR_texture_basisu":{{"source":0}}}}}}],
            "materials":[{{"pbrMetallicRoughness":{{"baseColorTexture":{{"index":0}}}}}}]}}"#
    );
    let supported = SupportedBlockFormats { formats, max_dimension: 4096 };
    let loaded = import::from_bytes(
        json.into_bytes(),
        None,
        &ImportOptions::default().with_block_formats(move || supported.clone()),
    );
    let mut images = loaded.expect("a file that opens").model.images;
    images.remove(0)
}

#[test]
fn block_compressed_textures_match_decoded_texels() {
    let mut stage = GlTestContext::new();
    let formats = stage.headless.gpu().compressed_formats();
    for (sampler, scale) in [(PLAIN, 1.0), (Sampler::default(), 8.0)] {
        let mut model = pictured(sampler, TextureTransform { scale: [scale; 2], ..Default::default() });
        model.images[0] = compressed(Vec::new());
        assert!(model.images[0].compressed.is_none());
        let texels = stage.image(&Shot::flat(&model));
        for &format in &formats {
            model.images[0] = compressed(vec![format]);
            assert_eq!(model.images[0].compressed.as_ref().map(|blocks| blocks.format), Some(format));
            let blocks = stage.image(&Shot::flat(&model));
            let sum: u64 = blocks.rgba.iter().zip(&texels.rgba).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
            let mean = sum as f64 / texels.rgba.len() as f64;
            // Blocks of two colors are coarse, most of all in levels of a few texels.
            let limit = match format {
                BlockFormat::Bc7 | BlockFormat::Astc4x4 => 1.0,
                BlockFormat::Bc3 | BlockFormat::Etc2 => 4.0 + 3.0 * f64::from(scale),
            };
            assert!(mean < limit, "{format:?}, repeated {scale} times: {mean}");
        }
    }
}

#[test]
fn missing_image_is_checker() {
    let mut stage = GlTestContext::new();
    for missing in [true, false] {
        let mut model = pictured(PLAIN, TextureTransform::default());
        if missing {
            model.textures[0].image = None;
        } else {
            model.drop_texels();
        }
        let image = stage.image(&Shot::flat(&model));
        assert_eq!(image.count([255, 0, 255, 255]), 32 * 32 / 2);
        assert_eq!(image.count([96, 96, 96, 255]), 32 * 32 / 2);
    }
}

#[test]
fn alpha_mask_cuts_at_cutoff() {
    let mut stage = GlTestContext::new();
    for (cutoff, cut) in [(0.25, false), (0.5, false), (0.51, true), (1.1, true)] {
        let material = Material { alpha_mode: AlphaMode::Mask { cutoff }, ..paint([1.0, 1.0, 1.0, 0.5]) };
        let model = square(material, Transform::identity());
        let image = stage.image(&Shot::flat(&model).before(Background::Transparent));
        assert_eq!(image.middle(), if cut { [0; 4] } else { [255; 4] }, "{cutoff}");
    }
}

#[test]
fn vertex_colors_multiply_in_linear_space() {
    let mut model = square(paint([0.5, 1.0, 1.0, 1.0]), Transform::identity());
    model.meshes[0].primitives[0].vertices_mut().colors = Some(vec![[0.5, 0.25, 0.0, 1.0]; 4]);
    let image = GlTestContext::new().image(&Shot::flat(&model));
    assert_close(image.middle(), [byte(0.25), byte(0.25), 0, 255]);
}

#[test]
fn topologies_draw_with_any_index_size() {
    let mut stage = GlTestContext::new();
    let corners = [[-0.8, -0.8, 0.0], [0.8, -0.8, 0.0], [0.8, 0.8, 0.0], [-0.8, 0.8, 0.0]];
    let cases: [(Topology, &[usize], std::ops::RangeInclusive<usize>); 7] = [
        (Topology::Points, &[0, 1, 2, 3], 4..=4),
        (Topology::Lines, &[0, 1, 2, 3], 48..=54),
        (Topology::LineStrip, &[0, 1, 2, 3], 74..=80),
        (Topology::LineLoop, &[0, 1, 2, 3], 98..=108),
        (Topology::Triangles, &[0, 1, 2, 0, 2, 3], 600..=700),
        (Topology::TriangleStrip, &[0, 1, 3, 2], 600..=700),
        (Topology::TriangleFan, &[0, 1, 2, 3], 600..=700),
    ];
    for (topology, order, expected) in cases {
        // Unlit by its lack of normals, or by its material.
        let mut counts = Vec::new();
        for padding in [None, Some(0), Some(300), Some(65_533), Some(70_000)] {
            let mut model = square(paint([1.0; 4]), Transform::identity());
            let primitive = &mut model.meshes[0].primitives[0];
            primitive.topology = topology;
            primitive.vertices_mut().normals = None;
            primitive.vertices_mut().tex_coords.clear();
            match padding {
                None => {
                    primitive.indices = None;
                    primitive.vertices_mut().positions = order.iter().map(|&i| corners[i]).collect();
                }
                Some(padding) => {
                    primitive.indices = Some(order.iter().map(|&i| (i + padding) as u32).collect());
                    primitive.vertices_mut().positions = vec![[9.0; 3]; padding];
                    primitive.vertices_mut().positions.extend(corners);
                }
            }
            if !topology.has_triangles() {
                model.materials[0].unlit = false;
            }
            counts.push(stage.image(&Shot::flat(&model)).count([255; 4]));
        }
        assert!(expected.contains(&counts[0]), "{topology:?}: {} pixels", counts[0]);
        assert!(counts.iter().all(|count| *count == counts[0]), "{topology:?}: {counts:?}");
    }
}

#[test]
fn nan_position_removes_only_its_triangles() {
    let mut stage = GlTestContext::new();
    for scale in [f64::from(f32::MAX), 1e300] {
        let good = (paint([0.0, 1.0, 0.0, 1.0]), Transform::identity());
        let wild = (paint([1.0, 0.0, 0.0, 1.0]), Transform { scale: Vector3::repeat(scale), ..Transform::identity() });
        let mut model = crate::rigs::squares(vec![good, wild]);
        // One corner stays, so that the triangles reach into the image.
        model.meshes[1].primitives[0].vertices_mut().positions[0] = [0.0; 3];
        let image = stage.image(&Shot::flat(&model));
        assert!(image.rgba.chunks_exact(4).all(|p| p == GREEN || p == RED));
        if scale > 1e100 {
            assert_eq!(image.count(GREEN), 32 * 32);
        }
    }
}

/// A white metallic square with a constant normal texture.
fn bumpy(normal: [u8; 3], rest: Transform) -> Model {
    let texture_ref = TextureRef { texture: TextureIndex(0), tex_coord: 0, transform: TextureTransform::default() };
    let material =
        Material { metallic: 0.0, textures: [(TextureSlot::Normal, texture_ref)].into(), ..Default::default() };
    let mut model = square(material, rest);
    let [x, y, z] = normal;
    model.images = vec![Image { name: None, width: 1, height: 1, rgba: vec![x, y, z, 255], ..Image::default() }.into()];
    model.textures = vec![Texture { name: None, image: Some(ImageIndex(0)), sampler: PLAIN }];
    model
}

#[test]
fn normal_texture_works_with_given_generated_or_derived_tangents() {
    let mut stage = GlTestContext::new();
    let normal = [200_u8, 90, 220];
    let turn = UnitQuaternion::from_euler_angles(0.3, -0.2, 0.9);
    let bent = Vector3::from(normal.map(|byte| f64::from(byte) / 255.0 * 2.0 - 1.0));
    for scale in [[1.0, 1.0, 1.0], [-1.0, 1.0, 1.0]] {
        let scale = Vector3::from(scale);
        // A rough surface shows the cosine and little else.
        let n = (turn * bent.component_mul(&scale)).normalize();
        let rest = Transform { rotation: turn, scale, ..Transform::identity() };
        let mut generated = bumpy(normal, rest);
        let mut given = generated.clone();
        given.meshes[0].primitives[0].vertices_mut().tangents = Some(vec![[1.0, 0.0, 0.0, 1.0]; 4]);
        // The tangent along -X with the other sign has the same bitangent.
        let mut opposite = generated.clone();
        opposite.meshes[0].primitives[0].vertices_mut().tangents = Some(vec![[-1.0, 0.0, 0.0, -1.0]; 4]);
        let mut neither = generated.clone();
        neither.meshes[0].primitives[0].vertices_mut().normals = None;
        // A mirrored texture, turned back by its coordinates' transform: the tangent follows what is seen.
        let mut turned = generated.clone();
        turned.materials[0].textures[TextureSlot::Normal].as_mut().unwrap().transform =
            TextureTransform { scale: [-1.0, 1.0], ..Default::default() };
        let mirrored = (turn * Vector3::new(-bent.x, bent.y, bent.z).component_mul(&scale)).normalize();
        for coords in &mut generated.meshes[0].primitives[0].vertices_mut().tex_coords[0] {
            *coords = coords.map(|x| 3.0 * x);
        }
        for (what, model, n) in [
            ("generated", generated, n),
            ("given", given, n),
            ("neither", neither, n),
            ("turned", turned, mirrored),
            ("opposite", opposite, mirrored),
        ] {
            for to_light in [Vector3::new(0.5, 0.2, 1.0), Vector3::new(-0.3, 0.6, 1.0)] {
                let shot = Shot::flat(&model).under(to_light, 2.0);
                let material = Material { metallic: 0.0, ..Default::default() };
                let light = reflected(&material, n, Vector3::z(), to_light.normalize()).map(|x| byte(2.0 * x));
                let found = stage.image(&shot).middle();
                let off = found.iter().zip(light).map(|(a, b)| a.abs_diff(b)).max().unwrap();
                assert!(off <= 1, "{what}, {scale:?}: found {found:?}, expected {light:?}");
            }
        }
    }
}

#[test]
fn normal_texture_scale_applies_and_missing_coordinates_disable_it() {
    let mut stage = GlTestContext::new();
    let smooth = |stage: &mut GlTestContext, model: &Model| {
        stage.image(&Shot::flat(model).under(Vector3::new(0.4, 0.3, 1.0), 2.0)).middle()
    };
    let flat = square(Material { metallic: 0.0, ..Default::default() }, Transform::identity());
    let expected = smooth(&mut stage, &flat);
    let mut model = bumpy([220, 100, 200], Transform::identity());
    assert_ne!(smooth(&mut stage, &model), expected);
    model.materials[0].normal_scale = 0.0;
    assert_close(smooth(&mut stage, &model), expected);
    model.materials[0].normal_scale = 1.0;
    model.meshes[0].primitives[0].vertices_mut().tex_coords.clear();
    assert_close(smooth(&mut stage, &model), expected);
}

/// A square with a clip of two seconds, posed at a time in a crowd of the given size.
fn at_time(model: &Model, count: usize, time_secs: f64) -> Palette {
    let rig = Rig::new(model.clone(), SceneIndex(0)).unwrap().with_format(MatrixFormat::Mat3x4);
    let mut animator = CrowdAnimator::new(&rig);
    let here = |_| Instance::new(Affine::IDENTITY, Some(ClipIndex(0)), 0.0);
    let mut crowd = Crowd::new((0..count).map(here));
    if count == 1 {
        animator.update_in_double_precision(&mut crowd, time_secs);
    } else {
        animator.update(&mut crowd, time_secs);
    }
    animator.into_palette()
}

fn changing(mut model: Model, target: PropertyTarget, interpolation: Interpolation, values: &[f32]) -> Model {
    model.clips = vec![Clip {
        duration_secs: 4.0,
        timelines: vec![Timeline::new([0.0, 2.0, 4.0])],
        property_tracks: vec![PropertyTrack { target, timeline: 0.into(), interpolation, values: values.into() }],
        ..Clip::default()
    }];
    model
}

#[test]
fn animation_pointers_change_colors_and_textures() {
    let mut stage = GlTestContext::new();
    let square = square(paint([1.0, 0.0, 0.0, 1.0]), Transform::identity());
    let color = PropertyTarget::Material(MaterialIndex(0), MaterialProperty::BaseColor);
    let keys = [1.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0];
    let model = changing(square, color, Interpolation::Linear, &keys);
    let mut shot = Shot::flat(&model);
    let uploaded = stage.renderer.upload(&model, &shot.layout).unwrap();
    let mut target = Target::new(stage.headless.gpu(), 32, 32, 1).unwrap();
    let color_of = |time: Option<f64>| time.map_or([1.0, 0.0, 0.0], |t| [1.0 - 0.5 * t, 0.5 * t, 0.0]);
    // Without a clip, the factors of the file return.
    for time in [Some(0.0), Some(0.5), Some(2.0), None, Some(1.0)] {
        shot.palette = time.map_or_else(|| Shot::flat(&model).palette, |time| at_time(&model, 1, time));
        stage.renderer.draw(&[&uploaded], &shot.frame(), &mut target).unwrap();
        let image = RenderedImage::new(32, target.read_rgba().unwrap());
        let [r, g, b] = color_of(time).map(byte);
        assert_close(image.middle(), [r, g, b, 255]);
    }
    let used = MaterialProperty::TextureOffset(TextureSlot::BaseColor);
    let offset = PropertyTarget::Material(MaterialIndex(0), used);
    let model = changing(
        pictured(PLAIN, TextureTransform::default()),
        offset,
        Interpolation::Step,
        &[0.0, 0.0, 0.5, 0.0, 0.5, 0.0],
    );
    for (time, expected) in [(0.0, RED), (1.9, RED), (2.0, GREEN)] {
        let shot = Shot { palette: at_time(&model, 1, time), ..Shot::flat(&model) };
        assert_eq!(stage.image(&shot).at(8, 8), expected, "at {time}");
    }
}

#[test]
fn animation_pointers_enable_material_features() {
    let mut stage = GlTestContext::new();
    let coat = Clearcoat { factor: 0.0, roughness: 0.0, normal_scale: 1.0 };
    let black =
        Material { base_color: [0.0, 0.0, 0.0, 1.0], metallic: 0.0, clearcoat: Some(coat), ..Material::default() };
    let target = PropertyTarget::Material(MaterialIndex(0), MaterialProperty::Clearcoat);
    let model = changing(square(black, Transform::identity()), target, Interpolation::Linear, &[0.0, 1.0, 1.0]);
    let mut brightness = |time| {
        let shot = Shot { palette: at_time(&model, 1, time), ..Shot::flat(&model) };
        let environment = Some(EnvironmentLight::new(Arc::new(Environment::constant([0.5; 3]))));
        stage.image(&Shot { lighting: Lighting { environment, ..Lighting::default() }, ..shot }).middle()[1]
    };
    assert!(brightness(2.0) > brightness(0.0) + 20);
}

#[test]
fn animation_pointers_change_visibility() {
    let mut stage = GlTestContext::new();
    let square = square(paint([1.0; 4]), Transform::identity());
    let visible = PropertyTarget::Visible(JointIndex(0));
    let mut model = changing(square, visible, Interpolation::Step, &[1.0, 0.0, 1.0]);
    let white = [255; 4];
    for count in [1, 20] {
        for (time, shown) in [(0.0, true), (2.0, false), (3.9, false)] {
            let shot = Shot { palette: at_time(&model, count, time), ..Shot::flat(&model) };
            let image = stage.image(&shot);
            assert_eq!(image.count(white) > 0, shown, "{count} at {time}");
        }
    }
    model.hidden_joints = vec![JointIndex(0)];
    model.clips.clear();
    let layout = PaletteLayout::new(&model, SceneIndex(0));
    let palette = posed(&model, &layout, MatrixFormat::Mat3x4, &mut Crowd::single(None), 0.0);
    assert_eq!(stage.image(&Shot { palette, ..Shot::flat(&model) }).count(white), 0);
}

/// Asserts that nine materials of one texture look as with shaders of their own, lit by the studio.
fn assert_shared_shaders_look_alike(materials: [Material; 9]) {
    let place = |(i, material): (usize, Material)| {
        let rotation = match material.double_sided && i % 2 == 0 {
            true => UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f64::consts::PI),
            false => UnitQuaternion::identity(),
        };
        let translation = Vector3::new((i % 3) as f64 * 0.6 - 0.6, (i / 3) as f64 * 0.6 - 0.6, 0.0);
        (material, Transform { translation, rotation, scale: Vector3::repeat(0.25) })
    };
    let mut model = squares(materials.into_iter().enumerate().map(place).collect());
    let rgba = [[255, 200, 30, 255], [40, 250, 90, 255], [10, 80, 255, 255], [100, 128, 230, 255]].concat();
    let images = [(2, rgba), (1, vec![100, 150, 200, 255])];
    model.images = images
        .map(|(side, rgba)| Arc::new(Image { name: None, width: side, height: side, rgba, ..Image::default() }))
        .into();
    let sampler = Sampler { minify: Filter::Linear, magnify: Filter::Linear, mipmap: Some(Filter::Linear), ..PLAIN };
    model.textures = [0, 1].map(|image| Texture { name: None, image: Some(ImageIndex(image)), sampler }).into();

    let mut stage = GlTestContext::new();
    let shot = Shot { lighting: Lighting::studio(), ..Shot::flat(&model) };
    let own = stage.image(&shot);
    let mut target = Target::new(stage.headless.gpu(), shot.size.0, shot.size.1, 1).unwrap();
    let shared = stage.renderer.prepare_for_few_frames(&model, &shot.layout);
    let shared = stage.renderer.start_upload(shared).unwrap().finish().unwrap();
    stage.renderer.draw(&[&shared], &shot.frame(), &mut target).unwrap();
    assert!(target.read_rgba().unwrap() == own.rgba);
    assert!((0..9).all(|i| own.at(6 + 10 * (i % 3), 6 + 10 * (i / 3)) != [0, 0, 0, 255]), "squares out of view");
}

/// A material with textures: slot, index of the texture, and transform.
fn textured(textures: &[(TextureSlot, u32, TextureTransform)]) -> Material {
    let mut material = Material { base_color: [0.8, 0.6, 0.3, 1.0], emissive: [0.2, 0.1, 0.3], ..Material::default() };
    for &(slot, texture, transform) in textures {
        material.textures[slot] = Some(TextureRef { texture: TextureIndex(texture), tex_coord: 0, transform });
    }
    material
}

#[test]
fn textures_of_few_channels_look_like_those_of_all() {
    let slots = [
        TextureSlot::MetallicRoughness,
        TextureSlot::Occlusion,
        TextureSlot::Clearcoat,
        TextureSlot::ClearcoatRoughness,
        TextureSlot::Specular,
    ];
    let textures: Vec<_> = (0..).zip(slots).map(|(i, slot)| (slot, i, TextureTransform::default())).collect();
    let material = Material {
        specular: Some(Specular::default()),
        clearcoat: Some(Clearcoat { factor: 1.0, roughness: 1.0, ..Clearcoat::default() }),
        ..textured(&textures)
    };
    let mut model = square(material, Transform::identity());
    // Rows of odd length, and different values in all channels.
    let texel = |image: u32, i: u32| [0, 1, 2, 3].map(|channel| (image * 37 + i * 71 + channel * 101 + 40) as u8);
    let image = |image: u32| {
        let rgba = (0..9).flat_map(|i| texel(image, i)).collect();
        Image { name: None, width: 3, height: 3, rgba, ..Image::default() }
    };
    model.images = (0..5).map(image).map(Arc::new).collect();
    let sampler = Sampler { minify: Filter::Linear, magnify: Filter::Linear, mipmap: Some(Filter::Linear), ..PLAIN };
    model.textures = (0..5).map(|i| Texture { name: None, image: Some(ImageIndex(i)), sampler }).collect();

    let mut stage = GlTestContext::new();
    let lighting = Lighting { exposure_ev: 1.0, ..Lighting::studio() };
    let mut image = |model: &Model| stage.image(&Shot { lighting: lighting.clone(), ..Shot::flat(model) });
    let few = image(&model);
    // As base colors, images need all channels.
    let base_color = |i| textured(&[(TextureSlot::BaseColor, i, TextureTransform::default())]);
    model.materials.extend((0..5).map(base_color));
    let all = image(&model);
    // Drivers filter other formats with other rounding.
    let differs = |other: &RenderedImage| few.rgba.iter().zip(&other.rgba).any(|(a, b)| a.abs_diff(*b) > 1);
    assert!(!differs(&all));
    for slot in slots {
        let mut without = model.clone();
        without.materials[0].textures[slot] = None;
        assert!(differs(&image(&without)), "{slot:?} is not visible");
    }
}

#[test]
fn materials_that_share_shaders_look_as_with_their_own() {
    let plain = TextureTransform::default();
    let halved = TextureTransform { scale: [0.5, 0.5], ..plain };
    let (base, rough) = (TextureSlot::BaseColor, TextureSlot::MetallicRoughness);
    let (emissive, occlusion, normal) = (TextureSlot::Emissive, TextureSlot::Occlusion, TextureSlot::Normal);
    assert_shared_shaders_look_alike([
        textured(&[]),
        textured(&[(base, 0, plain)]),
        textured(&[(rough, 0, halved)]),
        textured(&[(emissive, 0, plain), (occlusion, 1, halved)]),
        textured(&[(normal, 0, plain)]),
        textured(&[(normal, 0, halved), (base, 1, plain)]),
        Material { unlit: true, ..textured(&[]) },
        Material { unlit: true, ..textured(&[(base, 0, halved)]) },
        Material { alpha_mode: AlphaMode::Blend, ..textured(&[(base, 0, plain)]) },
    ]);
}

#[test]
fn materials_with_features_that_share_shaders_look_as_with_their_own() {
    let plain = TextureTransform::default();
    let (specular, specular_color) = (TextureSlot::Specular, TextureSlot::SpecularColor);
    let film = Some(Iridescence { factor: 1.0, ..Iridescence::default() });
    assert_shared_shaders_look_alike([
        Material { double_sided: true, ..textured(&[]) },
        textured(&[(TextureSlot::BaseColor, 1, plain)]),
        Material { ior: 1.8, double_sided: true, ..textured(&[]) },
        Material { specular: Some(Specular::default()), ..textured(&[(specular, 0, plain)]) },
        Material { specular: Some(Specular::default()), ..textured(&[(specular_color, 0, plain)]) },
        Material { iridescence: film.clone(), ior: 1.4, ..textured(&[]) },
        Material {
            iridescence: film,
            double_sided: true,
            ..textured(&[(TextureSlot::IridescenceThickness, 0, plain)])
        },
        Material { clearcoat: Some(Clearcoat { factor: 0.5, ..Clearcoat::default() }), ..textured(&[]) },
        Material { alpha_mode: AlphaMode::Blend, double_sided: true, ..textured(&[]) },
    ]);
}
