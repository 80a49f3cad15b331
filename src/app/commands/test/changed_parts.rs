//! The parts of the present model under the changed pixels of a shot.

use crate::app::FileError;
use crate::app::offscreen::RenderedImage;
use crate::app::scene::LoadedScene;
use crate::app::scene::lookup::joint_name;
use crate::app::scene::selection::HiddenParts;
use crate::request::RenderRequest;
use rigview_core::util::text::quoted;
use rigview_render::scene::{Camera, PosedParts, nearest_parts};
use rigview_suite::compare::{RgbaImage, changed_pixels};
use std::collections::HashMap;

/// Maximum number of named parts.
const MAX_PARTS: usize = 3;

/// The pose and the camera of an image, from which the parts of its pixels are found if the image has changed.
pub(crate) struct ShotParts {
    crowds: Vec<PosedParts>,
    camera: Camera,
}

impl ShotParts {
    /// Copies the pose of a scene that has been drawn.
    pub(crate) fn new(scene: &LoadedScene, request: &RenderRequest, image: &RenderedImage) -> Result<Self, FileError> {
        let mut hidden_draws = HiddenParts::find(scene.model(), &request.debug_view)?.draws(scene);
        let crowds = scene.drawn().map(|scene| PosedParts {
            rig: scene.rig().clone(),
            palette: scene.palette().clone(),
            // Of the first model.
            hidden_draws: std::mem::take(&mut hidden_draws),
        });
        Ok(Self { crowds: crowds.collect(), camera: image.camera })
    }

    /// Describes the nearest surfaces under the pixels of `actual` that differ from those of `expected`, of the same size. `None` for equal
    /// images, and for scenes for which [`nearest_parts`] has no answer.
    pub(crate) fn under_changes(&self, expected: &RgbaImage, actual: &RgbaImage) -> Option<String> {
        let parts = nearest_parts(&self.crowds, &self.camera, actual.size())?;
        let mut counts: HashMap<Option<String>, usize> = HashMap::new();
        let mut names = HashMap::new();
        for (part, _) in parts.into_iter().zip(changed_pixels(expected, actual)).filter(|(_, has_changed)| *has_changed)
        {
            let name = |(crowd, joint): (usize, _)| quoted(&joint_name(self.crowds[crowd].rig.model(), joint));
            let name = part.map(|part| names.entry(part).or_insert_with(|| name(part)).clone());
            *counts.entry(name).or_default() += 1;
        }
        let total: usize = counts.values().sum();
        let mut counts: Vec<(Option<String>, usize)> = counts.into_iter().collect();
        counts.sort_by(|(a, a_count), (b, b_count)| b_count.cmp(a_count).then_with(|| a.cmp(b)));
        let text = |(name, count): &(Option<String>, usize)| {
            let percent = 100.0 * *count as f64 / total as f64;
            let percent = if percent < 1.0 { "less than 1".to_owned() } else { format!("{percent:.0}") };
            format!("{percent} % on {}", name.as_deref().unwrap_or("no surface"))
        };
        let mut texts: Vec<String> = counts.iter().take(MAX_PARTS).map(text).collect();
        if counts.len() > MAX_PARTS {
            texts.push(format!("and {} more", counts.len() - MAX_PARTS));
        }
        (total > 0).then(|| format!("of the changed pixels of this image are {}", texts.join(", ")))
    }
}
