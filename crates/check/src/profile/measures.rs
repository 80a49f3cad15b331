//! What the limits of a profile measure.

use super::limits::LimitKey;
use nalgebra::Vector3;
use rigview_core::crowd::{Crowd, CrowdAnimator};
use rigview_core::import::Imported;
use rigview_core::math::Aabb;
use rigview_core::model::{Clip, Image, JointIndex, Mesh, Model, SceneIndex, Timeline, TimelineIndex, Track};
use rigview_core::palette::{BlockIndex, PaletteLayout, RangeJoints, Rig, skin_positions_on_cpu};
use rigview_core::pose::{Cursor, Pose, reset_tracks, sample_tracks};
use rigview_core::retarget::{RigMap, Role};
use rigview_core::util::text::quoted;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum transforms that the travel of a root evaluates per clip: about a second.
const MAX_TRANSFORMS: usize = 1 << 24;

/// A value of a key with its place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Measure {
    pub(super) value: f64,
    /// JSON Pointer; empty for the file.
    pub(super) pointer: String,
    /// Kind and name of the element; empty for the file.
    pub(super) place: String,
}

/// The measured file, and what its default scene draws.
pub(super) struct Measures<'a> {
    imported: &'a Imported,
    drawn: Drawn,
}

impl<'a> Measures<'a> {
    pub(super) fn new(imported: &'a Imported) -> Self {
        let model = &imported.model;
        let layout = default_scene(model).map(|scene| PaletteLayout::new(model, scene));
        Self { imported, drawn: layout.map_or_else(Drawn::default, |layout| Drawn::new(model, &layout)) }
    }

    /// Measures the values of a key, one per element. The time is linear in the size of the file; that of [`LimitKey::RootTravel`] has a
    /// budget per clip.
    pub(super) fn of(&self, key: LimitKey) -> Vec<Measure> {
        let (model, drawn) = (&self.imported.model, &self.drawn);
        let image = |index: usize| model.images.get(index).map(|image| &**image);
        let images = || drawn.images.iter().filter_map(|index| image(*index));
        let (skins, meshes) = (|index: usize| &model.skins[index], |index: usize| &model.meshes[index]);
        match key {
            LimitKey::FileBytes => of_file(file_bytes(self.imported) as f64),
            LimitKey::Triangles => of_file(drawn.triangles as f64),
            LimitKey::Vertices => of_file(drawn.vertices as f64),
            LimitKey::Draws => of_file(drawn.draws as f64),
            LimitKey::Materials => of_file(drawn.materials.len() as f64),
            LimitKey::Textures => of_file(drawn.images.len() as f64),
            LimitKey::TextureSize => {
                let longest = |image: &Image| f64::from(image.width.max(image.height));
                let name = |index| image(index).and_then(|image| image.name.as_deref());
                of_each(["image", "images"], &drawn.images, name, |index| image(index).map_or(0.0, longest))
            }
            LimitKey::TextureBytes => of_file(images().map(texture_bytes).sum::<u64>() as f64),
            LimitKey::Joints => {
                let name = |index| skins(index).name.as_deref();
                of_each(["skin", "skins"], &drawn.skins, name, |index| skins(index).joints.len() as f64)
            }
            LimitKey::Influences => {
                let name = |index| meshes(index).name.as_deref();
                of_each(["mesh", "meshes"], &drawn.meshes, name, |index| most_influences(meshes(index)) as f64)
            }
            LimitKey::Morphs => {
                let name = |index| meshes(index).name.as_deref();
                of_each(["mesh", "meshes"], &drawn.meshes, name, |index| meshes(index).target_count as f64)
            }
            LimitKey::Clips => of_file(model.clips.len() as f64),
            LimitKey::ClipSeconds => {
                let (clips, clip) = ((0..model.clips.len()).collect(), |index: usize| &model.clips[index]);
                let name = |index| clip(index).name.as_deref();
                of_each(CLIP, &clips, name, |index| f64::from(clip(index).duration_secs))
            }
            LimitKey::Height => height(model).map_or_else(Vec::new, of_file),
            LimitKey::RootTravel => {
                let (clips, travel) = ((0..model.clips.len()).collect(), RootTravel::new(model));
                let Some(mut travel) = travel else { return Vec::new() };
                let name = |index: usize| model.clips[index].name.as_deref();
                of_each(CLIP, &clips, name, |index| travel.of(&model.clips[index]))
            }
        }
    }
}

const CLIP: [&str; 2] = ["clip", "animations"];

fn of_file(value: f64) -> Vec<Measure> {
    vec![Measure { value, pointer: String::new(), place: String::new() }]
}

/// Measures elements of a kind, which is a noun and a key of the JSON.
fn of_each<'a>(
    [noun, list]: [&str; 2],
    indices: &BTreeSet<usize>,
    name: impl Fn(usize) -> Option<&'a str>,
    mut value: impl FnMut(usize) -> f64,
) -> Vec<Measure> {
    let measure = |&index: &usize| {
        let name = name(index).map_or_else(|| index.to_string(), quoted);
        Measure { value: value(index), pointer: format!("/{list}/{index}"), place: format!("{noun} {name}") }
    };
    indices.iter().map(measure).collect()
}

fn default_scene(model: &Model) -> Option<SceneIndex> {
    Some(model.default_scene).filter(|scene| scene.get() < model.scenes.len())
}

fn most_influences(mesh: &Mesh) -> usize {
    let of_primitive = mesh.primitives.iter().filter_map(|primitive| {
        let influences = primitive.vertices.influences.as_ref()?;
        let used = |vertex| influences.of_vertex(vertex).filter(|(_, weight)| *weight > 0.0).count();
        (0..primitive.vertices.positions.len()).map(used).max()
    });
    of_primitive.max().unwrap_or(0)
}

/// What the default scene draws.
#[derive(Default)]
struct Drawn {
    draws: usize,
    vertices: usize,
    triangles: usize,
    materials: BTreeSet<usize>,
    images: BTreeSet<usize>,
    skins: BTreeSet<usize>,
    meshes: BTreeSet<usize>,
}

impl Drawn {
    fn new(model: &Model, layout: &PaletteLayout) -> Self {
        let mut drawn = Self { draws: layout.draws.len(), ..Self::default() };
        for draw in &layout.draws {
            let primitive = &model.meshes[draw.mesh.get()].primitives[draw.primitive];
            drawn.vertices += primitive.vertices.positions.len();
            drawn.triangles += primitive.triangle_count();
            drawn.materials.extend(primitive.material.map(|material| material.get()));
            drawn.meshes.insert(draw.mesh.get());
            if let (true, RangeJoints::Skin(skin)) = (draw.skinned, layout.matrix_ranges[draw.matrix_range].joints) {
                drawn.skins.insert(skin.get());
            }
        }
        for material in drawn.materials.iter().filter_map(|material| model.materials.get(*material)) {
            let textures = material.textures.iter().filter_map(|texture| model.textures.get(texture.texture.get()));
            drawn.images.extend(textures.filter_map(|texture| texture.image).map(|image| image.get()));
        }
        drawn
    }
}

/// Size of the file, its external buffers and images.
fn file_bytes(imported: &Imported) -> u64 {
    let file = &imported.gltf_file;
    let of_images = imported.gltf_file.json().get("images").and_then(|images| images.as_array());
    let external = of_images.into_iter().flatten().enumerate().filter(|(_, image)| {
        image.get("uri").and_then(|uri| uri.as_str()).is_some_and(|uri| !uri.starts_with("data:"))
    });
    // Images may share a file.
    let files: BTreeSet<_> =
        external.map(|(index, image)| (image.get("uri").map(ToString::to_string), index)).collect();
    let mut last = None;
    let mut bytes = file.size_bytes();
    for (uri, index) in files {
        if last.as_ref() != Some(&uri) {
            // A missing image is an issue of its own.
            bytes += file.image_bytes(index).map_or(0, |(bytes, _)| bytes.len() as u64);
            last = Some(uri);
        }
    }
    bytes
}

/// GPU memory of an image with its mip levels: its blocks, else 4 bytes a texel.
fn texture_bytes(image: &Image) -> u64 {
    match &image.compressed {
        Some(compressed) => compressed.levels.iter().map(|level| level.len() as u64).sum(),
        None => {
            let side = |side: u32, level: u32| u64::from((side >> level).max(1));
            let levels = 32 - image.width.max(image.height).leading_zeros();
            (0..levels).map(|level| 4 * side(image.width, level) * side(image.height, level)).sum()
        }
    }
}

/// Returns the height of the default scene in its rest pose; `None` without vertices.
fn height(model: &Model) -> Option<f64> {
    let rig = Rig::new(model.clone(), default_scene(model)?).expect("an imported model is valid");
    let mut animator = CrowdAnimator::new(&rig);
    animator.update(&mut Crowd::single(None), 0.0);
    let mut bounds = Aabb::EMPTY;
    for draw in rig.layout().draws.iter().filter(|draw| !animator.palette().is_hidden(draw.joint)) {
        bounds.merge(&Aabb::from_positions(&skin_positions_on_cpu(&rig, animator.palette(), BlockIndex(0), draw)));
    }
    (!bounds.is_empty()).then(|| bounds.extent().y)
}

/// Measures the ways of a root joint.
struct RootTravel<'a> {
    model: &'a Model,
    /// The root and its ancestors.
    chain: Vec<JointIndex>,
    is_above: BTreeSet<JointIndex>,
    /// The rest pose, between two clips.
    pose: Pose,
}

impl<'a> RootTravel<'a> {
    /// Finds the joint whose way is that of a character: the hips, else the first joint of the first skin. `None` without a skin.
    fn new(model: &'a Model) -> Option<Self> {
        let (skin, skeleton) = (model.skins.first()?, &model.skeleton);
        let hips = RigMap::detect(model).get(Role::HIPS).map(|mapped| mapped.joint);
        let root = hips.or_else(|| skin.joints.first().copied())?;
        let chain: Vec<JointIndex> = std::iter::successors(Some(root), |joint| skeleton.joint(*joint).parent).collect();
        let is_above = chain.iter().copied().collect();
        Some(Self { model, chain, is_above, pose: Pose::rest(skeleton) })
    }

    /// Returns the largest distance from the start at the keys, or at evenly chosen ones if the budget does not allow all.
    fn of(&mut self, clip: &Clip) -> f64 {
        let (skeleton, above) = (&self.model.skeleton, clip_of(clip, &self.is_above));
        let mut times: Vec<f32> = vec![0.0];
        times.extend(above.timelines.iter().flat_map(Timeline::times_secs));
        times.sort_by(f32::total_cmp);
        times.dedup();
        let stride = (times.len() * (self.chain.len() + above.tracks.len())).div_ceil(MAX_TRANSFORMS).max(1);
        let (mut cursor, mut first, mut longest) = (Cursor::default(), None, 0.0_f64);
        for time in times.into_iter().step_by(stride) {
            sample_tracks(skeleton, &above, f64::from(time), &mut cursor, &mut self.pose);
            let mut position = Vector3::zeros();
            for joint in &self.chain {
                let parent_from_joint = skeleton.joint(*joint).matrix_of(&self.pose.parent_from_joint[joint.get()]);
                position = parent_from_joint.transform_point(position);
            }
            longest = longest.max((position - *first.get_or_insert(position)).norm());
        }
        reset_tracks(skeleton, &above, &mut self.pose);
        longest
    }
}

/// Returns the tracks of `joints`, with their timelines only: a sample visits each timeline.
fn clip_of(clip: &Clip, joints: &BTreeSet<JointIndex>) -> Clip {
    let mut tracks: Vec<Track> = clip.tracks.iter().filter(|track| joints.contains(&track.joint)).cloned().collect();
    let used: BTreeSet<TimelineIndex> = tracks.iter().map(|track| track.timeline).collect();
    let places: BTreeMap<TimelineIndex, u32> = used.iter().copied().zip(0..).collect();
    tracks.iter_mut().for_each(|track| track.timeline = places[&track.timeline].into());
    let timelines = used.iter().map(|timeline| clip.timelines[*timeline].clone()).collect();
    Clip { duration_secs: clip.duration_secs, timelines, tracks, ..Clip::default() }
}
