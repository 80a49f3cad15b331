//! A crowd as the command line asks for it: who stands where, and plays what.

use super::stage::find;
use super::{AppError, FileError};
use crate::cli::{CrowdArgs, LayoutArg, PoseArgs};
use crate::import::{self, ImageLoading, ImportOptions, Loaded, Notice};
use crate::math::Hull;
use crate::model::{ClipIndex, Model};
use crate::palette::{Crowd, PaletteLayout};
use crate::scene::clip_hull;
use crate::scene::layout::{Casting, Layout, LayoutFormat, grid, parse_layout, scatter};
use std::io::Read as _;
use std::path::Path;

/// The most that is read of a layout file.
const MOST_BYTES: u64 = 1 << 30;

/// Names of joints that a notice lists.
const NAMES: usize = 8;

/// Who stands where and plays what, but for the model's size, on which grids depend.
pub(super) struct Cast {
    args: CrowdArgs,
    casting: Casting,
    /// From a file.
    layout: Option<Layout>,
    /// The clips that the file asks for.
    asked: Vec<Option<ClipIndex>>,
}

impl Cast {
    /// Reads the layout and the lent clips that `args` name; these are added to the model's.
    pub(super) fn open(file: &Path, args: &PoseArgs, loaded: &mut Loaded) -> Result<Self, AppError> {
        let in_file = |file: &Path, source| AppError::File { file: file.to_owned(), source: Box::new(source) };
        for lender in &args.borrow {
            borrow(lender, args, loaded).map_err(|source| in_file(lender, source))?;
        }
        let crowd = &args.crowd;
        let mut clips = Vec::new();
        for share in &crowd.clips {
            if let Some(lender) = share.lender() {
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
        let casting = Casting {
            clips,
            phase_spread: crowd.phase_spread.unwrap_or(1.0),
            speed_spread: crowd.speed_spread,
            seed: crowd.seed,
        };
        let mut cast = Self { args: crowd.clone(), casting, layout: None, asked: Vec::new() };
        if let Some(LayoutArg::File(layout)) = &crowd.layout {
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
        let count = layout.standings.len();
        if self.args.instances != 1 && self.args.instances as usize != count {
            return Err(FileError::LayoutCount { count, instances: self.args.instances });
        }
        for (name, line) in &layout.clips {
            let clip = clip_of(model, Some(name))
                .map_err(|source| FileError::LayoutLine { line: *line, source: Box::new(source) })?;
            self.asked.push(clip);
        }
        self.layout = Some(layout);
        Ok(())
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.layout.as_ref().map_or(self.args.instances as usize, |layout| layout.standings.len())
    }

    /// The clip that counts where there is room for one: the first of all.
    pub(super) fn clip(&self) -> Option<ClipIndex> {
        self.casting.clips[0].0
    }

    /// Lets everybody play the same clip.
    pub(super) fn play(&mut self, clip: Option<ClipIndex>) {
        self.casting.clips = vec![(clip, 1.0)];
        self.asked.fill(clip);
    }

    /// Changes how many there are, where they stand and how far apart they play. What a file says stays as it is.
    pub(super) fn change(&mut self, args: &CrowdArgs) {
        self.casting.phase_spread = args.phase_spread.unwrap_or(1.0);
        (self.casting.speed_spread, self.casting.seed) = (args.speed_spread, args.seed);
        self.args = args.clone();
    }

    /// Stands everybody up; they and their outline over the whole of what they play.
    pub(super) fn place(&self, model: &Model, palette: &PaletteLayout) -> (Crowd, Hull) {
        let mut clips: Vec<Option<ClipIndex>> = self.casting.clips.iter().map(|(clip, _)| *clip).collect();
        clips.extend(&self.asked);
        clips.sort_unstable();
        clips.dedup();
        let mut hull = Hull::default();
        clips.iter().for_each(|clip| hull.merge(&clip_hull(model, palette, *clip)));
        let (count, bounds) = (self.count(), hull.bounds());
        let made;
        let layout = match (&self.layout, &self.args.layout) {
            (Some(layout), _) => layout,
            // Alone it plays as long as its clip lasts.
            (None, None | Some(LayoutArg::Grid)) if count == 1 => return (Crowd::of_one(self.clip()), hull),
            (None, Some(LayoutArg::Scatter)) => {
                made = scatter(count, bounds, self.args.seed);
                &made
            }
            (None, _) => {
                made = grid(count, bounds);
                &made
            }
        };
        let crowd = self.casting.crowd(layout, &self.asked, model);
        let hull = crowd.hull(&hull);
        (crowd, hull)
    }
}

/// The clip that is asked for; the first without a wish, and `None` for the rest pose.
pub(super) fn clip_of(model: &Model, asked: Option<&str>) -> Result<Option<ClipIndex>, FileError> {
    let names = model.clips.iter().map(|clip| clip.name.as_deref());
    Ok(match asked {
        Some("none") => None,
        Some(asked) => Some(ClipIndex(find("clip", asked, names)? as u32)),
        None => (!model.clips.is_empty()).then_some(ClipIndex(0)),
    })
}

/// Adds the clips of `lender`; their numbers. Joints that the model has not come as a notice.
fn borrow(lender: &Path, args: &PoseArgs, loaded: &mut Loaded) -> Result<std::ops::Range<usize>, FileError> {
    let options = ImportOptions { images: ImageLoading::Skip, trust: args.trust.trust(), ..ImportOptions::default() };
    let lent = import::open(lender, &options)?;
    if lent.model.clips.is_empty() {
        return Err(FileError::NothingToLend);
    }
    let first = loaded.model.clips.len();
    let unmatched = import::borrow_clips(&mut loaded.model, &lent.model);
    let count = unmatched.joints.len() + unmatched.unnamed;
    if count > 0 {
        let shown =
            |name: &String| name.chars().map(|c| if c.is_control() { '?' } else { c }).take(60).collect::<String>();
        let mut names: Vec<String> = unmatched.joints.iter().take(NAMES).map(shown).collect();
        if count > names.len() {
            names.push(format!("{} more", count - names.len()));
        }
        let message = format!(
            "clips of {} move joints that are not here, or not by one name: {}; those stay as they are",
            lender.display(),
            names.join(", ")
        );
        loaded.notices.push(Notice { pointer: String::new(), message });
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
