//! Export requests: images, contact sheets and videos.

/// What can be made of what is shown. Sizes are width and height in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Export {
    /// A picture.
    Picture {
        /// Its size.
        size: [u32; 2],
        /// Whether there is nothing behind the model.
        transparent: bool,
    },
    /// Every clip at so many moments on one picture.
    Sheet {
        /// How many.
        phases: u32,
    },
    /// A film of the clip.
    Film {
        /// What kind of file.
        kind: FilmKind,
        /// Its size.
        size: [u32; 2],
        /// Frames in a second.
        fps: f64,
        /// Whether it goes around the model.
        turntable: bool,
        /// Whether there is nothing behind the model.
        transparent: bool,
    },
}

/// Kinds of film.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FilmKind {
    /// GIF.
    Gif,
    /// Animated PNG.
    Apng,
    /// MP4.
    Mp4,
    /// WebM.
    Webm,
}

impl FilmKind {
    /// All of them.
    pub(crate) const ALL: [Self; 4] = [Self::Gif, Self::Apng, Self::Mp4, Self::Webm];

    /// What a person calls it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Gif => "GIF",
            Self::Apng => "Animated PNG",
            Self::Mp4 => "MP4",
            Self::Webm => "WebM",
        }
    }

    /// What its file's name ends in.
    pub(crate) fn extension(self) -> &'static str {
        match self {
            Self::Gif => "gif",
            Self::Apng => "apng",
            Self::Mp4 => "mp4",
            Self::Webm => "webm",
        }
    }

    /// Whether another program makes it.
    pub(crate) fn needs_ffmpeg(self) -> bool {
        matches!(self, Self::Mp4 | Self::Webm)
    }
}
