//! A crowd as the command line asks for it: who stands where, and plays what.

use crate::app::scene::lookup::find_by_name_or_index;
use crate::app::{AppError, FileError};
use crate::import::{self, Diagnostic, ImageLoading, ImportOptions, Loaded};
use crate::math::{Aabb, SupportHull};
use crate::model::{ClipIndex, Model};
use crate::palette::{Crowd, PaletteLayout};
use crate::request::{ClipWeight, CrowdRequest, LayoutRequest, SceneRequest};
use crate::scene::clip_hull;
use crate::scene::layout::{InstancePlacement, Layout, LayoutFormat, PlaybackRules, grid, parse_layout, scatter};
use crate::util::text::excerpt;
use std::io::Read as _;
use std::ops::Range;
use std::path::Path;

/// The most that is read of a layout file.
const MOST_BYTES: u64 = 1 << 30;

/// Names of joints that a notice lists.
const NAMES: usize = 8;

/// Who stands where and plays what, but for the model's size, on which grids depend.
pub(crate) struct CrowdPlan {
    args: CrowdRequest,
    casting: PlaybackRules,
    /// From a file.
    layout: Option<Layout>,
    /// The clips that the file asks for.
    asked: Vec<Option<ClipIndex>>,
    /// How many others of the same scene the file lays out too, behind these.
    guests: usize,
}

impl CrowdPlan {
    /// Reads the layout and the lent clips that `args` name; these are added to the model's.
    pub(crate) fn open(file: &Path, args: &SceneRequest, loaded: &mut Loaded) -> Result<Self, AppError> {
        let in_file = |file: &Path, source| AppError::File { file: file.to_owned(), source: Box::new(source) };
        for lender in &args.clip_sources {
            borrow(lender, args, loaded).map_err(|source| in_file(lender, source))?;
        }
        let crowd = &args.crowd;
        let mut clips = Vec::new();
        for share in &crowd.clips {
            if let Some(lender) = share.clip_source() {
                let lent = borrow(lender, args, loaded).map_err(|source| in_file(lender, source))?;
                let weight = share.weight / lent.len() as f64;
                clips.extend(lent.map(|clip| (Some(ClipIndex(clip as u32)), weight)));
            } else {
                let clip = clip_of(&loaded.model, Some(&share.clip)).map_err(|source| in_file(file, source))?;
                clips.push((clip, share.weight));
            }
        }
        if clips.is_empty() {
            let clip = clip_of(&loaded.model, args.clip.as_deref()).map_err(|source| in_file(file, source))?;
            clips.push((clip, 1.0));
        }
        let casting = PlaybackRules {
            clips,
            phase_spread: crowd.phase_spread.unwrap_or(1.0),
            speed_spread: crowd.speed_spread,
            seed: crowd.seed,
        };
        let guests = crowd.other_models.iter().map(|party| party.instances() as usize).sum();
        let mut cast = Self { args: crowd.clone(), casting, layout: None, asked: Vec::new(), guests };
        if let Some(LayoutRequest::File(layout)) = &crowd.layout {
            cast.read(layout, &loaded.model).map_err(|source| in_file(layout, source))?;
        }
        Ok(cast)
    }

    fn read(&mut self, file: &Path, model: &Model) -> Result<(), FileError> {
        let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default().to_lowercase();
        let format = match &extension[..] {
            "csv" => LayoutFormat::Csv,
            "json" => LayoutFormat::Json,
            _ => return Err(FileError::LayoutKind),
        };
        let layout = parse_layout(&read_text(file).map_err(FileError::LayoutRead)?, format)?;
        let (count, instances) = (layout.placements.len(), self.args.instances as usize + self.guests);
        if count < instances || (self.args.instances != 1 && instances != count) {
            return Err(FileError::LayoutCount { count, instances });
        }
        let own = &layout.placements[..count - self.guests];
        self.asked = asked_by(own, &layout, model)?;
        self.layout = Some(layout);
        Ok(())
    }

    /// Lets `layout` settle what these do, of which some places are theirs.
    pub(crate) fn follow(&mut self, layout: &Layout, places: Range<usize>, model: &Model) -> Result<(), FileError> {
        self.asked = asked_by(&layout.placements[places], layout, model)?;
        Ok(())
    }

    /// The file's layout of all who are in the scene.
    pub(crate) fn layout(&self) -> Option<&Layout> {
        self.layout.as_ref()
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.layout.as_ref().map_or(self.args.instances as usize, |layout| layout.placements.len() - self.guests)
    }

    /// The clip that counts where there is room for one: the first of all.
    pub(crate) fn clip(&self) -> Option<ClipIndex> {
        self.casting.clips[0].0
    }

    /// Lets everybody play the same clip.
    pub(crate) fn play(&mut self, clip: Option<ClipIndex>) {
        self.casting.clips = vec![(clip, 1.0)];
        self.asked.fill(clip);
    }

    /// Changes how many there are, where they stand, what they play and how far apart. What a file says stays as it is.
    pub(crate) fn change(&mut self, args: &CrowdRequest, model: &Model) {
        if args.clips != self.args.clips {
            let clip = |share: &ClipWeight| Some((clip_of(model, Some(&share.clip)).ok()?, share.weight));
            let clips: Vec<_> = args.clips.iter().filter_map(clip).collect();
            // Without any that is known, all play what the first one does.
            match clips.is_empty() {
                true => self.casting.clips.truncate(1),
                false => self.casting.clips = clips,
            }
        }
        self.casting.phase_spread = args.phase_spread.unwrap_or(1.0);
        (self.casting.speed_spread, self.casting.seed) = (args.speed_spread, args.seed);
        self.args = args.clone();
    }

    /// The outline of one of them over the whole of what they play.
    pub(crate) fn outline(&self, model: &Model, palette: &PaletteLayout) -> SupportHull {
        let mut clips: Vec<Option<ClipIndex>> = self.casting.clips.iter().map(|(clip, _)| *clip).collect();
        clips.extend(&self.asked);
        clips.sort_unstable();
        clips.dedup();
        let mut hull = SupportHull::default();
        clips.iter().for_each(|clip| hull.merge(&clip_hull(model, palette, *clip)));
        hull
    }

    /// Parts of the ground for this crowd and for others of these sizes, on which one of any has room within `bounds`.
    pub(crate) fn ground(&self, others: &[usize], bounds: &Aabb) -> Vec<Layout> {
        let counts: Vec<usize> = std::iter::once(self.count()).chain(others.iter().copied()).collect();
        let count = counts.iter().sum();
        match (&self.layout, &self.args.layout) {
            (Some(layout), _) => layout.partition(&counts, None),
            (None, Some(LayoutRequest::Scatter)) => {
                scatter(count, bounds, self.args.seed).partition(&counts, Some(self.args.seed))
            }
            (None, _) => grid(count, bounds).partition(&counts, Some(self.args.seed)),
        }
    }

    /// Whether one alone stands where the file puts it, and plays as long as its clip lasts.
    pub(crate) fn is_alone(&self) -> bool {
        let grid = matches!(self.args.layout, None | Some(LayoutRequest::Grid));
        self.layout.is_none() && grid && self.count() == 1
    }

    /// Stands everybody up on `layout`; they, and the outline of all.
    pub(crate) fn stand(&self, layout: &Layout, model: &Model, outline: &SupportHull) -> (Crowd, SupportHull) {
        let crowd = self.casting.crowd(layout, &self.asked, model);
        let hull = crowd.hull(outline);
        (crowd, hull)
    }
}

/// What the clips are that some places of a layout ask for, by the numbers that they have there.
fn asked_by(
    placements: &[InstancePlacement],
    layout: &Layout,
    model: &Model,
) -> Result<Vec<Option<ClipIndex>>, FileError> {
    let mut used = vec![false; layout.clips.len()];
    placements.iter().filter_map(|standing| standing.clip).for_each(|clip| used[clip as usize] = true);
    let found = |((name, line), used): (&(String, usize), bool)| match used {
        true => {
            clip_of(model, Some(name)).map_err(|source| FileError::LayoutLine { line: *line, source: Box::new(source) })
        }
        false => Ok(None),
    };
    layout.clips.iter().zip(used).map(found).collect()
}

/// The clip that is asked for; the first without a wish, and `None` for the rest pose.
pub(crate) fn clip_of(model: &Model, asked: Option<&str>) -> Result<Option<ClipIndex>, FileError> {
    let names = model.clips.iter().map(|clip| clip.name.as_deref());
    Ok(match asked {
        Some("none") => None,
        Some(asked) => Some(ClipIndex(find_by_name_or_index("clip", asked, names)? as u32)),
        None => (!model.clips.is_empty()).then_some(ClipIndex(0)),
    })
}

/// Adds the clips of `lender`; their numbers. Joints that the model has not come as a notice.
fn borrow(lender: &Path, args: &SceneRequest, loaded: &mut Loaded) -> Result<std::ops::Range<usize>, FileError> {
    let options =
        ImportOptions { images: ImageLoading::Skip, policy: args.import.policy(), ..ImportOptions::default() };
    let lent = import::open(lender, &options)?;
    if lent.model.clips.is_empty() {
        return Err(FileError::NothingToLend);
    }
    let first = loaded.model.clips.len();
    let unmatched = import::copy_clips_by_joint_name(&mut loaded.model, &lent.model);
    let count = unmatched.joints.len() + unmatched.unnamed;
    if count > 0 {
        let mut names: Vec<String> = unmatched.joints.iter().take(NAMES).map(|name| excerpt(name)).collect();
        if count > names.len() {
            names.push(format!("{} more", count - names.len()));
        }
        let message = format!(
            "clips of {} move joints that are not here, or not by one name: {}; those stay as they are",
            lender.display(),
            names.join(", ")
        );
        loaded.diagnostics.push(Diagnostic { pointer: String::new(), message });
    }
    Ok(first..loaded.model.clips.len())
}

/// A text file of sensible size.
fn read_text(file: &Path) -> std::io::Result<String> {
    let error = |message| Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, message));
    // Before it is opened: opening a pipe would wait for whoever writes into it.
    if !std::fs::metadata(file)?.is_file() {
        return error("it is not a regular file");
    }
    let mut text = String::new();
    std::fs::File::open(file)?.take(MOST_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MOST_BYTES { error("it is larger than 1 GiB") } else { Ok(text) }
}
