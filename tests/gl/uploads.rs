//! Models that are uploaded in slices.

use crate::context::{GlTestContext, RenderedImage, Shot};
use crate::rigs::{paint, square};
use rigview::math::Transform;
use rigview::model::{
    BlockFormat, CompressedImage, Image, ImageIndex, Joint, Material, Model, MorphTarget, Sampler, Skeleton, Texture,
    TextureIndex, TextureRef, TextureSlot, TextureTransform, Vertices,
};
use rigview::render::{PreparedModel, Target};

const SLICE_BYTES: u64 = 4 << 20;

const QUADRANTS: [[u8; 4]; 4] = [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [90, 90, 90, 255]];

/// A textured square of many vertices, whose morph targets move it by half a unit. Vertices, indices, morph targets and texels each take
/// more than one slice.
fn large_square() -> Model {
    const SIDE: u32 = 500;
    let texture_ref = TextureRef { texture: TextureIndex(0), tex_coord: 0, transform: TextureTransform::default() };
    let material = Material { textures: [(TextureSlot::BaseColor, texture_ref)].into(), ..paint([1.0; 4]) };
    let mut model = square(material, Transform::identity());
    let row = || (0..=SIDE).map(|i| i as f32 / SIDE as f32);
    let coords: Vec<[f32; 2]> = row().flat_map(|v| row().map(move |u| [u, v])).collect();
    let positions = coords.iter().map(|[u, v]| [2.0 * u - 1.0, 1.0 - 2.0 * v, 0.0]).collect();
    let corner = |x: u32, y: u32| y * (SIDE + 1) + x;
    let cell = |x: u32, y: u32| {
        let [a, b, c, d] = [corner(x, y), corner(x, y + 1), corner(x + 1, y + 1), corner(x + 1, y)];
        [a, b, c, a, c, d]
    };
    let target = |x: f32| MorphTarget { positions: Some(vec![[x, 0.0, 0.0]; coords.len()]), ..MorphTarget::default() };
    let mesh = &mut model.meshes[0];
    mesh.target_count = 2;
    let primitive = &mut mesh.primitives[0];
    primitive.indices = Some((0..SIDE).flat_map(|y| (0..SIDE).flat_map(move |x| cell(x, y))).collect());
    *primitive.targets_mut() = vec![target(0.25), target(0.5)];
    primitive.vertices = Vertices {
        normals: Some(vec![[0.0, 0.0, 1.0]; coords.len()]),
        positions,
        tex_coords: vec![coords],
        ..Vertices::default()
    }
    .into();
    let joint = Joint {
        name: None,
        node: 0,
        parent: None,
        rest: Transform::identity(),
        exact_rest_matrix: None,
        morph_weights: 0..2,
    };
    model.skeleton = Skeleton::new(vec![joint], vec![1.0, 0.5]);
    let (width, height) = (2048, 1024);
    let texel = |i: u32| QUADRANTS[(2 * (i / width * 2 / height) + i % width * 2 / width) as usize];
    let rgba = (0..width * height).flat_map(texel).collect();
    model.images = vec![Image { width, height, rgba, ..Image::default() }.into()];
    model.textures = vec![Texture { name: None, image: Some(ImageIndex(0)), sampler: Sampler::default() }];
    model
}

#[test]
fn slices_between_the_frames_of_another_model_add_up_to_the_whole() {
    let mut stage = GlTestContext::new();
    let (large, other) = (large_square(), square(paint([0.2, 0.4, 0.6, 1.0]), Transform::identity()));
    let (shot, other_shot) = (Shot::flat(&large), Shot::flat(&other));
    let expected = stage.image(&other_shot);
    let options = stage.renderer.upload_options();
    let prepare = || PreparedModel::new(&large, &shot.layout, options);
    let prepared = std::thread::scope(|scope| scope.spawn(prepare).join().unwrap());
    let mut upload = stage.renderer.start_upload(prepared).unwrap();
    let [mut uploaded, total] = upload.progress();
    let mut slices = 0;
    while upload.upload_slice().unwrap() {
        let [now, _] = upload.progress();
        assert!(now - uploaded <= SLICE_BYTES, "a slice of {} bytes", now - uploaded);
        (uploaded, slices) = (now, slices + 1);
        assert!(stage.image(&other_shot) == expected, "after {uploaded} of {total} bytes");
    }
    assert_eq!(uploaded, total);
    assert_eq!(slices, 3 + 2 + 2 + 13, "of vertices, indices, morph targets, and a texture of 12 levels");

    let model = upload.finish().unwrap();
    let mut target = Target::new(stage.headless.gpu(), shot.size.0, shot.size.1, 1).unwrap();
    stage.renderer.draw(&[&model], &shot.frame(), &mut target).unwrap();
    let image = RenderedImage::new(shot.size.0, target.read_rgba().unwrap());
    assert_eq!([(12, 8), (28, 8), (12, 24), (28, 24)].map(|(x, y)| image.at(x, y)), QUADRANTS);
    assert_eq!((image.count([0, 0, 0, 255]), image.at(4, 8)), (8 * 32, [0, 0, 0, 255]), "moved by half a unit");
}

#[test]
fn preparation_shares_the_texels_of_images() {
    let stage = GlTestContext::new();
    let mut model = large_square();
    let texels = std::sync::Arc::downgrade(&model.images[0]);
    let shot_layout = Shot::flat(&model).layout;
    let prepared = PreparedModel::new(&model, &shot_layout, stage.renderer.upload_options());
    model.drop_texels();
    assert!(texels.upgrade().is_some_and(|image| image.rgba.len() == 2048 * 1024 * 4), "no copy, and none is dropped");
    let [width, height, bytes] = [model.images[0].width, model.images[0].height, model.images[0].rgba.len() as u32];
    assert_eq!([width, height, bytes], [2048, 1024, 0]);
    stage.renderer.start_upload(prepared).unwrap().finish().unwrap();
    assert!(texels.upgrade().is_none(), "freed by the upload");
}

#[test]
fn compressed_blocks_are_uploaded_in_slices() {
    let mut stage = GlTestContext::new();
    if !stage.headless.gpu().compressed_formats().contains(&BlockFormat::Bc3) {
        return println!("this driver has no BC3");
    }
    const SIDE: u32 = 4096;
    // Opaque blocks of one color: the upper half of the image is red, the lower half is blue.
    let block = |color: u16| {
        let mut bytes = [0; 16];
        bytes[..2].fill(255);
        bytes[8..10].copy_from_slice(&color.to_le_bytes());
        bytes[10..12].copy_from_slice(&color.to_le_bytes());
        bytes
    };
    let level = |level: u32| {
        let rows = (SIDE >> level).div_ceil(4);
        (0..rows)
            .flat_map(|row| block(if row < rows.div_ceil(2) { 0xf800 } else { 0x001f }).repeat(rows as usize))
            .collect()
    };
    let compressed = CompressedImage { format: BlockFormat::Bc3, levels: (0..=12).map(level).collect() };
    let mut model = large_square();
    model.images = vec![Image { width: SIDE, height: SIDE, compressed: Some(compressed), ..Image::default() }.into()];
    let shot = Shot::flat(&model);
    let prepared = PreparedModel::new(&model, &shot.layout, stage.renderer.upload_options());
    let mut upload = stage.renderer.start_upload(prepared).unwrap();
    let [mut uploaded, total] = upload.progress();
    while upload.upload_slice().unwrap() {
        let [now, _] = upload.progress();
        assert!(now - uploaded <= SLICE_BYTES, "a slice of {} bytes", now - uploaded);
        uploaded = now;
    }
    assert_eq!(uploaded, total);
    let model = upload.finish().unwrap();
    let mut target = Target::new(stage.headless.gpu(), shot.size.0, shot.size.1, 1).unwrap();
    stage.renderer.draw(&[&model], &shot.frame(), &mut target).unwrap();
    let image = RenderedImage::new(shot.size.0, target.read_rgba().unwrap());
    assert_eq!([image.at(20, 8), image.at(20, 24)], [[255, 0, 0, 255], [0, 0, 255, 255]]);
}
