//! Export settings and requests: images, contact sheets, videos and models. Sizes are width and height in pixels.

use crate::app::tasks::video::VideoFormat;
use rigview_core::import::file_on_disk;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

const CONTACT_SHEET_CELL_SIZE: [u32; 2] = [256, 192];
const MAX_IMAGE_SIDE: u32 = 16_384;
const MAX_VIDEO_SIDE: u32 = 4096;
pub(crate) const MIN_SIDE: u32 = 16;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ExportKind {
    #[default]
    Image,
    Video,
    /// All clips at evenly spaced times on one image.
    Sheet,
    Model,
}

/// What a written model has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ModelContents {
    /// The pose of the current frame as a mesh without a skin.
    #[default]
    Mesh,
    /// The skin, and the clips of other files besides its own.
    Clips,
    /// The skin, and the pose of the current frame as a clip with one key.
    Pose,
}

impl ModelContents {
    /// In order, each with its name and a summary.
    pub(crate) const ALL: [(Self, &'static str, &'static str); 3] = [
        (Self::Mesh, "Posed mesh", "The pose of this frame, as a mesh without a skin"),
        (Self::Clips, "Skin and imported clips", "The file with its skin, and the clips of other files fitted to it"),
        (Self::Pose, "Skin and this pose", "The file with its skin, and this frame as a clip with one key"),
    ];
}

impl ExportKind {
    pub(crate) const ALL: [(Self, &'static str); 4] =
        [(Self::Image, "Image"), (Self::Video, "Video"), (Self::Sheet, "Contact sheet"), (Self::Model, "Model")];

    /// The largest width and height.
    pub(crate) fn max_side(self) -> u32 {
        if self == Self::Video { MAX_VIDEO_SIDE } else { MAX_IMAGE_SIDE }
    }
}

/// Size of an image or video. All but the custom one have the aspect ratio of the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ExportSize {
    /// A multiple of the view.
    View(u32),
    Height(u32),
    Custom([u32; 2]),
}

impl ExportSize {
    /// Presets of the dialog.
    pub(crate) const PRESETS: [Self; 11] = [
        Self::View(1),
        Self::View(2),
        Self::Height(360),
        Self::Height(480),
        Self::Height(720),
        Self::Height(1080),
        Self::Height(1440),
        Self::Height(2160),
        Self::Custom([1080, 1080]),
        Self::Custom([1920, 1080]),
        Self::Custom([1080, 1920]),
    ];

    pub(crate) fn name(self) -> String {
        match self {
            Self::View(1) => "View".to_owned(),
            Self::View(factor) => format!("View x {factor}"),
            Self::Height(height) => format!("{height}p"),
            Self::Custom([1080, 1080]) => "Square".to_owned(),
            Self::Custom([1920, 1080]) => "16:9".to_owned(),
            Self::Custom([1080, 1920]) => "9:16".to_owned(),
            Self::Custom(_) => "Custom".to_owned(),
        }
    }

    /// Width and height for a view of this size, at most `max_side`. Heights give even sizes, which video codecs require.
    pub(crate) fn pixels(self, [width, height]: [u32; 2], max_side: u32) -> [u32; 2] {
        let (width, height) = (f64::from(width.max(1)), f64::from(height.max(1)));
        let (size, step) = match self {
            Self::View(factor) => ([width, height].map(|side| side * f64::from(factor)), 1.0),
            Self::Height(lines) => ([f64::from(lines) * width / height, f64::from(lines)], 2.0),
            Self::Custom(size) => return size.map(|side| side.clamp(MIN_SIDE, max_side)),
        };
        let scale = (f64::from(max_side) / size[0].max(size[1])).min(1.0);
        size.map(|side| (((side * scale / step).round() * step) as u32).clamp(MIN_SIDE, max_side))
    }
}

/// Persistent fields of the export dialog. Missing and invalid values are replaced by defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct ExportSettings {
    pub(crate) kind: ExportKind,
    /// Empty for the folder of the model.
    pub(crate) folder: PathBuf,
    pub(crate) image_size: ExportSize,
    pub(crate) image_transparent: bool,
    pub(crate) format: VideoFormat,
    pub(crate) video_size: ExportSize,
    pub(crate) fps: f64,
    /// Repetitions of the range.
    pub(crate) loops: u32,
    /// The camera orbits the model once.
    pub(crate) turntable: bool,
    pub(crate) video_transparent: bool,
    pub(crate) frames_per_clip: u32,
    pub(crate) contents: ModelContents,
}

impl Default for ExportSettings {
    fn default() -> Self {
        Self {
            kind: ExportKind::default(),
            folder: PathBuf::new(),
            image_size: ExportSize::Height(1080),
            image_transparent: false,
            format: VideoFormat::Gif,
            video_size: ExportSize::Height(360),
            fps: 30.0,
            loops: 1,
            turntable: false,
            video_transparent: false,
            frames_per_clip: 6,
            contents: ModelContents::Mesh,
        }
    }
}

impl ExportSettings {
    pub(crate) const FPS: std::ops::RangeInclusive<f64> = 1.0..=120.0;
    pub(crate) const LOOPS: std::ops::RangeInclusive<u32> = 1..=100;
    pub(crate) const FRAMES_PER_CLIP: std::ops::RangeInclusive<u32> = 1..=60;

    pub(crate) fn sanitize(&mut self) {
        let fps = if self.fps.is_finite() { self.fps } else { Self::default().fps };
        self.fps = fps.clamp(*Self::FPS.start(), *Self::FPS.end());
        self.loops = self.loops.clamp(*Self::LOOPS.start(), *Self::LOOPS.end());
        self.frames_per_clip = self.frames_per_clip.clamp(*Self::FRAMES_PER_CLIP.start(), *Self::FRAMES_PER_CLIP.end());
    }

    /// The size of the image or video.
    pub(crate) fn size_mut(&mut self) -> &mut ExportSize {
        if self.kind == ExportKind::Video { &mut self.video_size } else { &mut self.image_size }
    }

    /// Extension of the output file, and a suffix of its default name.
    pub(crate) fn extension(&self) -> (&'static str, &'static str) {
        match self.kind {
            ExportKind::Image => ("png", ""),
            ExportKind::Video => (self.format.extension(), ""),
            ExportKind::Sheet => ("png", "-sheet"),
            ExportKind::Model if self.contents == ModelContents::Clips => ("glb", "-clips"),
            ExportKind::Model => ("glb", "-pose"),
        }
    }

    /// The folder of the output of `model`.
    pub(crate) fn output_folder(&self, model: &Path) -> PathBuf {
        if self.folder.as_os_str().is_empty() {
            let model = std::path::absolute(model).unwrap_or_else(|_| model.to_owned());
            file_on_disk(&model).parent().map(Path::to_owned).unwrap_or_default()
        } else {
            self.folder.clone()
        }
    }

    /// Width and height of an image for a view of this size.
    pub(crate) fn pixels(&self, view_size: [u32; 2]) -> [u32; 2] {
        match self.kind {
            ExportKind::Image => self.image_size.pixels(view_size, MAX_IMAGE_SIDE),
            ExportKind::Video => self.video_size.pixels(view_size, MAX_VIDEO_SIDE),
            ExportKind::Sheet | ExportKind::Model => CONTACT_SHEET_CELL_SIZE,
        }
    }

    pub(crate) fn is_transparent(&self) -> bool {
        match self.kind {
            ExportKind::Image => self.image_transparent,
            ExportKind::Video => self.video_transparent && self.format.can_be_transparent(),
            ExportKind::Sheet | ExportKind::Model => false,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ExportRequest {
    /// The extension sets the format of a video.
    pub(crate) output: PathBuf,
    pub(crate) settings: ExportSettings,
    /// Width and height of the view in pixels.
    pub(crate) view_size: [u32; 2],
    /// Start and end of the part of the clip that a video shows, in seconds; `None` for the whole.
    pub(crate) range_secs: Option<[f64; 2]>,
}

#[derive(Clone, Debug)]
pub(crate) struct ExportProgress {
    pub(crate) file: PathBuf,
    /// Finished and total steps; `None` before the total is known.
    pub(crate) steps: Option<[usize; 2]>,
    /// The user cancelled it; the current step still runs.
    pub(crate) is_cancelled: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_have_the_aspect_of_the_view() {
        let view = [1000, 750];
        let sizes =
            [ExportSize::View(1), ExportSize::View(2), ExportSize::Height(1080)].map(|size| size.pixels(view, 16_384));
        assert_eq!(sizes, [[1000, 750], [2000, 1500], [1440, 1080]]);
        assert_eq!(ExportSize::Height(721).pixels([999, 333], 16_384), [2164, 722], "even sizes");
        // Limits keep the aspect.
        assert_eq!(ExportSize::Height(2160).pixels([3000, 1000], 4096), [4096, 1366]);
        assert_eq!(ExportSize::Custom([5, 99_999]).pixels(view, 4096), [16, 4096]);
        assert_eq!(ExportSize::View(1).pixels([0, 0], 4096), [16, 16]);
    }

    #[test]
    fn size_and_background_follow_the_kind() {
        let mut settings =
            ExportSettings { kind: ExportKind::Video, video_transparent: true, ..ExportSettings::default() };
        let image = |settings: &ExportSettings| (settings.pixels([400, 300]), settings.is_transparent());
        assert_eq!(image(&settings), ([480, 360], true));
        settings.format = VideoFormat::Mp4;
        assert_eq!(image(&settings), ([480, 360], false));
        settings.kind = ExportKind::Sheet;
        assert_eq!((image(&settings), settings.extension()), ((CONTACT_SHEET_CELL_SIZE, false), ("png", "-sheet")));
    }

    #[test]
    fn empty_folder_is_that_of_the_model() {
        let mut settings = ExportSettings::default();
        let models = std::path::absolute("/models").unwrap();
        assert_eq!(settings.output_folder(Path::new("/models/fox.glb")), models);
        settings.folder = PathBuf::from("/exports");
        assert_eq!(settings.output_folder(Path::new("/models/fox.glb")), Path::new("/exports"));
    }
}
