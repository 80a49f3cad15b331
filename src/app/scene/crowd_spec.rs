//! Layout and playback of a crowd, independent of the model's size.

use crate::app::scene::lookup::NameIndex;
use crate::app::scene::motion::{ImportedMotion, RigMapCell, import_clips};
use crate::app::{AppError, FileError};
use crate::request::{ALL_CLIPS, ClipWeight, CrowdRequest, LayoutRequest, SceneRequest};
use rigview_core::import::{Imported, Limit, Limits};
use rigview_core::math::Aabb;
use rigview_core::model::{ClipIndex, Model};
use rigview_core::pose::{MAX_LAYERS, clips_by_duration, opening_clips};
use rigview_core::util::regular_file::read_text;
use rigview_render::scene::layout::{
    InstancePlacement, Layout, LayoutFormat, PlaybackRules, grid, parse_layout, scatter,
};
use std::collections::BTreeSet;
use std::path::Path;

/// Maximum size of a layout file.
const MAX_LAYOUT_BYTES: u64 = 1 << 30;

/// Most sets of clips whose bounds are computed. Instances with other sets have the bounds of each of their clips.
const MAX_CLIP_SETS: usize = 8;

/// Clips with their relative weights.
type ClipWeights = Vec<(Option<ClipIndex>, f64)>;

/// Layout and playback of one model's instances.
pub(crate) struct CrowdSpec {
    request: CrowdRequest,
    pub(super) rules: PlaybackRules,
    /// From a file.
    layout: Option<Layout>,
    pub(super) layout_clips: LayoutClips,
    /// Instances of other models that the file lays out after these.
    other_instances: usize,
    /// Files whose clips are retargeted.
    pub(super) motions: Vec<ImportedMotion>,
    pub(super) rig_map: RigMapCell,
    /// Number of clips of the file itself, which are the first ones of the model.
    pub(super) file_clips: usize,
}

#[derive(Default)]
pub(super) struct LayoutClips {
    /// By their index in the layout.
    pub(super) in_model: Vec<Option<ClipIndex>>,
    /// Those that instances play together, without duplicates.
    sets: BTreeSet<Vec<Option<ClipIndex>>>,
}

impl CrowdSpec {
    /// Reads the layout file and adds the clips of the clip sources to the model.
    pub(crate) fn open(file: &Path, request: &SceneRequest, loaded: &mut Imported) -> Result<Self, AppError> {
        let in_file = AppError::in_file::<FileError>;
        let (mut motions, rig_map, file_clips) = (Vec::new(), RigMapCell::new(), loaded.model.clips.len());
        for clip_source in &request.motion.clip_sources {
            import_clips(file, clip_source, request, loaded, &mut motions, &rig_map)
                .map_err(|source| in_file(clip_source, source))?;
        }
        let crowd = &request.crowd;
        let mut clips = Vec::new();
        for clip_weight in &crowd.clips {
            if let Some(clip_source) = clip_weight.clip_source() {
                let source = import_clips(file, clip_source, request, loaded, &mut motions, &rig_map)
                    .map_err(|source| in_file(clip_source, source))?;
                let weight = clip_weight.weight / source.len() as f64;
                clips.extend(source.map(|clip| (Some(ClipIndex(clip as u32)), weight)));
            } else {
                let clip = find_clip(&loaded.model, &clip_weight.clip).map_err(|source| in_file(file, source))?;
                clips.push((clip, clip_weight.weight));
            }
        }
        let mut together = Vec::new();
        if clips.is_empty() {
            let clip;
            (clip, together) = find_clips(&loaded.model, request).map_err(|source| in_file(file, source))?;
            clips.push((clip, 1.0));
        }
        let rules = PlaybackRules {
            clips,
            together,
            phase_spread: crowd.phase_spread.unwrap_or(1.0),
            speed_spread: crowd.speed_spread,
            seed: crowd.seed,
        };
        let other_instances = crowd.other_models.iter().map(|other| other.instances() as usize).sum();
        let request_limits = request.import.policy().limits;
        let (request, layout_clips) = (crowd.clone(), LayoutClips::default());
        let mut spec =
            Self { request, rules, layout: None, layout_clips, other_instances, motions, rig_map, file_clips };
        if let Some(LayoutRequest::File(layout)) = &crowd.layout {
            spec.read_layout(layout, &loaded.model, &request_limits).map_err(|source| in_file(layout, source))?;
        }
        Ok(spec)
    }

    fn read_layout(&mut self, file: &Path, model: &Model, limits: &Limits) -> Result<(), FileError> {
        let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_lowercase();
        let format = match &extension[..] {
            "csv" => LayoutFormat::Csv,
            "json" => LayoutFormat::Json,
            _ => return Err(FileError::LayoutKind),
        };
        let text = read_text(file, MAX_LAYOUT_BYTES).map_err(FileError::LayoutRead)?;
        // Before they are parsed: a placement has four bytes of text, and needs a hundred.
        let is_placement = |line: &&str| !line.trim_start().is_empty() && !line.trim_start().starts_with('#');
        let count = match format {
            LayoutFormat::Csv => text.lines().filter(is_placement).count().saturating_sub(1),
            LayoutFormat::Json => text.bytes().filter(|byte| *byte == b'{').count(),
        };
        let max = limits.get(Limit::Instances);
        if count as u64 > max {
            return Err(FileError::TooManyPlacements { count, max });
        }
        let layout = parse_layout(&text, format)?;
        let (count, instances) = (layout.placements.len(), self.request.instances as usize + self.other_instances);
        if count < instances || (self.request.instances != 1 && instances != count) {
            return Err(FileError::LayoutCount { count, instances });
        }
        let own = &layout.placements[..count - self.other_instances];
        self.layout_clips = find_layout_clips(own, &layout, model)?;
        self.layout = Some(layout);
        Ok(())
    }

    /// The layout of all models, if it comes from a file.
    pub(crate) fn layout(&self) -> Option<&Layout> {
        self.layout.as_ref()
    }

    pub(crate) fn instance_count(&self) -> usize {
        self.layout
            .as_ref()
            .map_or(self.request.instances as usize, |layout| layout.placements.len() - self.other_instances)
    }

    pub(crate) fn clip_weights(&self) -> Vec<ClipWeight> {
        let clips = self.rules.clips.iter();
        let name = |clip: &Option<ClipIndex>| clip.map_or("none".to_owned(), |clip| clip.0.to_string());
        clips.map(|(clip, weight)| ClipWeight { clip: name(clip), weight: *weight }).collect()
    }

    /// The first clip.
    pub(crate) fn clip(&self) -> Option<ClipIndex> {
        self.rules.clips[0].0
    }

    /// Clips that play together with [`clip`](Self::clip) on every instance whose clips no layout specifies.
    pub(crate) fn together(&self) -> &[ClipIndex] {
        &self.rules.together
    }

    /// The largest number of clips that an instance plays at once, if these play `together`.
    pub(crate) fn max_own_clips(&self, together: &[ClipIndex]) -> usize {
        self.layout_clips.sets.iter().map(Vec::len).max().unwrap_or_default().max(1 + together.len())
    }

    /// Plays the same clips on every instance.
    pub(crate) fn play(&mut self, clip: Option<ClipIndex>, together: Vec<ClipIndex>) {
        (self.rules.clips, self.rules.together) = (vec![(clip, 1.0)], together);
    }

    /// Returns the clips of `request` with their weights, and those of [`together`](Self::together); `None` if they are those of
    /// `former`.
    pub(crate) fn other_clips(
        &self,
        former: &SceneRequest,
        request: &SceneRequest,
        model: &Model,
    ) -> Result<Option<(ClipWeights, Vec<ClipIndex>)>, FileError> {
        let clip = |request: &SceneRequest| request.clip.clone().filter(|_| request.crowd.clips.is_empty());
        if (clip(former), &former.crowd.clips) == (clip(request), &request.crowd.clips) {
            return Ok(None);
        }
        if request.crowd.clips.is_empty() {
            let (clip, together) = find_clips(model, request)?;
            return Ok(Some((vec![(clip, 1.0)], together)));
        }
        let clips = request.crowd.clips.iter();
        let clips = clips.map(|clip| Ok((find_clip(model, &clip.clip)?, clip.weight)));
        Ok(Some((clips.collect::<Result<_, FileError>>()?, Vec::new())))
    }

    /// Changes count, layout, spread, and the clips if there are others. Keeps what a layout file specifies.
    pub(crate) fn update(&mut self, request: &CrowdRequest, clips: Option<(ClipWeights, Vec<ClipIndex>)>) {
        if let Some(clips) = clips {
            (self.rules.clips, self.rules.together) = clips;
        }
        self.rules.phase_spread = request.phase_spread.unwrap_or(1.0);
        (self.rules.speed_spread, self.rules.seed) = (request.speed_spread, request.seed);
        self.request = request.clone();
    }

    /// The clips that instances play, each with those that play together with it.
    pub(crate) fn all_clips(&self) -> Vec<Vec<Option<ClipIndex>>> {
        let of_rules = |(clip, _): &(Option<ClipIndex>, f64)| {
            std::iter::once(*clip).chain(self.rules.together.iter().copied().map(Some)).collect()
        };
        let mut all: Vec<Vec<Option<ClipIndex>>> = self.rules.clips.iter().map(of_rules).collect();
        all.extend(self.layout_clips.sets.iter().cloned());
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Layouts for this crowd and for others of these sizes, with room for `bounds` around each instance.
    pub(crate) fn layouts_for(&self, others: &[usize], bounds: &Aabb) -> Vec<Layout> {
        let counts: Vec<usize> = std::iter::once(self.instance_count()).chain(others.iter().copied()).collect();
        let count = counts.iter().sum();
        match (&self.layout, &self.request.layout) {
            (Some(layout), _) => layout.partition(&counts, None),
            (None, Some(LayoutRequest::Scatter)) => {
                scatter(count, bounds, self.request.seed).partition(&counts, Some(self.request.seed))
            }
            (None, _) => grid(count, bounds).partition(&counts, Some(self.request.seed)),
        }
    }

    /// Returns `true` for one instance that keeps the file's position.
    pub(crate) fn is_single(&self) -> bool {
        let grid = matches!(self.request.layout, None | Some(LayoutRequest::Grid));
        self.layout.is_none() && grid && self.instance_count() == 1
    }
}

/// Finds the clips of some placements, indexed as in the layout.
pub(super) fn find_layout_clips(
    placements: &[InstancePlacement],
    layout: &Layout,
    model: &Model,
) -> Result<LayoutClips, FileError> {
    let mut used = vec![false; layout.clips.len()];
    let clip_uses = placements.iter().flat_map(|placement| layout.clip_uses_of(placement));
    clip_uses.for_each(|clip_use| used[clip_use.clip as usize] = true);
    let clips = clip_names(model);
    let find = |((name, line), used): (&(String, usize), bool)| match used && name != "none" {
        true => match clips.find(name) {
            Ok(clip) => Ok(Some(ClipIndex(clip as u32))),
            Err(source) => Err(FileError::LayoutLine { line: *line, source: Box::new(source) }),
        },
        false => Ok(None),
    };
    let in_model: Vec<Option<ClipIndex>> = layout.clips.iter().zip(used).map(find).collect::<Result<_, _>>()?;
    let mut sets = BTreeSet::new();
    for placement in placements.iter().filter(|placement| !layout.clip_uses_of(placement).is_empty()) {
        let clips = || layout.clip_uses_of(placement).iter().map(|clip_use| in_model[clip_use.clip as usize]);
        match sets.len() < MAX_CLIP_SETS {
            true => drop(sets.insert(clips().collect())),
            false => sets.extend(clips().map(|clip| vec![clip])),
        }
    }
    Ok(LayoutClips { in_model, sets })
}

/// Returns the named clip, or `None` for the rest pose.
pub(crate) fn find_clip(model: &Model, requested: &str) -> Result<Option<ClipIndex>, FileError> {
    match requested {
        "none" => Ok(None),
        _ => Ok(Some(ClipIndex(clip_names(model).find(requested)? as u32))),
    }
}

/// Returns the main clip of a request, `None` for the rest pose, and those that play together with it.
pub(crate) fn find_clips(
    model: &Model,
    request: &SceneRequest,
) -> Result<(Option<ClipIndex>, Vec<ClipIndex>), FileError> {
    let mut clips = match request.clip.as_deref() {
        None => opening_clips(model),
        Some(ALL_CLIPS) => clips_by_duration(model),
        Some(name) => return Ok((find_clip(model, name)?, Vec::new())),
    };
    if clips.len() + 2 > MAX_LAYERS {
        return Err(FileError::TooManyClips(MAX_LAYERS - 2));
    }
    let main = (!clips.is_empty()).then(|| clips.remove(0));
    Ok((main, clips))
}

fn clip_names(model: &Model) -> NameIndex<'_> {
    NameIndex::new("clip", model.clips.iter().map(|clip| clip.name.as_deref()))
}
