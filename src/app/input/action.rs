//! What the viewer can be asked to do, as plain data.

use crate::cli::{CrowdArgs, GhostsArg};
use crate::math::Transform;
use crate::model::{CameraIndex, ClipIndex, JointIndex, MaterialIndex, MeshIndex, SceneIndex, SkinIndex};
use crate::pose::LoopMode;
use crate::scene::ViewMode;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What the viewer does.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::app) enum Action {
    /// Play, or pause.
    TogglePlay,
    /// Pause and step by so many frames.
    Step(i32),
    /// Pause and go to a key before (below 0) or after the present moment.
    StepKey(i32),
    /// Pause and go to the start of the clip.
    First,
    /// Pause and go to the end of the clip.
    Last,
    /// Let the first and the last instant of the clip take turns, or no longer.
    ToggleSeam,
    /// Hold at a moment of the clip, in seconds, while a hand is on the timeline.
    Scrub(f64),
    /// The hand has let go of the timeline: what was playing plays on.
    EndScrub,
    /// Play so many steps of a ladder of speeds faster; slower below 0.
    ChangeSpeed(i32),
    /// Play at so many times the recorded speed.
    SetSpeed(f64),
    /// Play the other way.
    Reverse,
    /// What happens at the end of the clip.
    SetLoopMode(LoopMode),
    /// The next of the endings.
    NextLoopMode,
    /// Count so many frames in a second of the clip.
    SetFrameRate(f64),
    /// Play the clip that comes so many places later in the file.
    ChangeClip(i32),
    /// Play this clip; `None` for the rest pose.
    PlayClip(Option<ClipIndex>),
    /// Let another clip play beside the one on the timeline, with a weight; 0 for no longer.
    SetLayer(ClipIndex, f32),
    /// Go over to another clip, in so many seconds.
    FadeTo(ClipIndex, f64),
    /// Show all of the model from the present direction.
    Frame,
    /// Look from a side.
    LookFrom(Side),
    /// Look through a camera of the file; `None` for the free view.
    LookThrough(Option<CameraIndex>),
    /// Show a scene of the file.
    ShowScene(SceneIndex),
    /// Show a variant of the file's materials; `None` for those that it shows without one.
    ShowVariant(Option<usize>),
    /// Go back to the first view and to the start of the clip, playing.
    Reset,
    /// Turn around the model, by radians.
    Turn {
        /// To the right.
        right: f64,
        /// Upwards.
        up: f64,
    },
    /// Move the view aside, by shares of the window's height.
    Pan {
        /// To the right.
        right: f64,
        /// Upwards.
        up: f64,
    },
    /// Go nearer by so many steps; away below 0.
    Zoom(f64),
    /// Select the joint that moves what is seen at a place of the view: shares of its width from the left and of its
    /// height from the top.
    Pick([f64; 2]),
    /// Select something of the file, or nothing.
    Select(Option<Selection>),
    /// Select the parent of the selected joint.
    SelectParent,
    /// Open a file in place of the present one.
    Open(PathBuf),
    /// Ask for a file to open.
    AskForFile,
    /// Open the file so many places later on the command line.
    ChangeFile(i32),
    /// Read the present file again.
    Reload,
    /// Show the panels, or only the model.
    TogglePanels,
    /// Show a panel, or hide it.
    Toggle(Panel),
    /// Show one of the panels at the right.
    ShowTab(Tab),
    /// Light or dark.
    SetTheme(Theme),
    /// Stand a crowd up.
    SetCrowd(CrowdArgs),
    /// Put a joint by hand: `parent_from_joint`.
    PutJoint(JointIndex, Transform),
    /// Leave a joint to the clips again.
    FreeJoint(JointIndex),
    /// Put a morph weight by hand, by its place among the model's.
    PutWeight(usize, f32),
    /// Leave a morph weight to the clips again.
    FreeWeight(usize),
    /// Show rings to turn the selected joint by, or no longer.
    ToggleRings,
    /// Leave every joint and morph weight to the clips again.
    FreeAllJoints,
    /// Let surfaces show this, or their materials again.
    SetViewMode(ViewMode),
    /// Show something beside what surfaces show, or no longer.
    ToggleLook(LookSwitch),
    /// So many poses before and after, so far apart.
    SetGhosts(GhostsArg),
    /// Put something behind the model.
    SetBackdrop(Backdrop),
    /// The next of the backdrops.
    NextBackdrop,
    /// Show what can be taken away: pictures, sheets, films.
    ShowTakeAway,
    /// Make a picture, a sheet or a film beside the window.
    Export(Export),
    /// Stop what is being made.
    StopMaking,
    /// Ask for a file whose clips are to be lent to the present one.
    AskToBorrow,
    /// Let the model stand on ground that shows its shadow, or no longer.
    ToggleGround,
    /// Let the pointer do as in this program.
    SetNavigation(Navigation),
    /// Ask for a file to compare the present one with.
    AskToCompare,
    /// Compare the present file with another one.
    CompareWith(PathBuf),
    /// Let another file lend its clips to the present one.
    Borrow(PathBuf),
    /// Put the two files that are compared together in another way.
    Compare(CompareMode),
    /// The share of the picture's width that the first of two files has.
    SetSplit(f64),
    /// Compare no longer.
    StopComparing,
    /// Find an action by its name.
    Find,
    /// Show every key.
    ShowKeys,
    /// Put a line that tells of trouble away.
    PutAway(usize),
    /// Put words on the clipboard; `what` they are, for the line that tells.
    Copy {
        /// What is copied.
        what: &'static str,
        /// The words.
        text: String,
    },
    /// Put the command that makes the present picture on the clipboard.
    CopyCommand,
    /// Write the present picture to a file.
    SavePicture,
    /// Put the present picture on the clipboard.
    CopyPicture,
    /// Fill the screen, or no longer.
    ToggleFullScreen,
    /// Close what lies over the model, or let go of what is selected; with panels hidden, leave.
    Escape,
    /// Leave.
    Quit,
}

/// A side to look from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::app) enum Side {
    /// From +Z, where a model looks to.
    Front,
    /// From -Z.
    Back,
    /// From the model's right hand, -X.
    Right,
    /// From the model's left hand, +X.
    Left,
    /// From above.
    Top,
    /// From below.
    Bottom,
}

/// Something of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::app) enum Selection {
    /// A node of the file.
    Joint(JointIndex),
    /// A skin.
    Skin(SkinIndex),
    /// A mesh.
    Mesh(MeshIndex),
    /// A material.
    Material(MaterialIndex),
}

/// A panel around the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::app) enum Panel {
    /// The tree of the file, at the left.
    Tree,
    /// Clips, problems and so on, at the right.
    Side,
    /// The timeline, at the bottom.
    Timeline,
}

/// What the panel at the right shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::app) enum Tab {
    /// The clips of the file.
    #[default]
    Clips,
    /// The numbers of what is selected.
    Details,
    /// The ways of looking.
    DebugView,
    /// Many of the model.
    Crowd,
    /// What is odd about the file.
    Problems,
    /// What differs between two files.
    Compare,
}

/// What can be made of what is shown. Sizes are width and height in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::app) enum Export {
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
pub(in crate::app) enum FilmKind {
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
    pub(in crate::app) const ALL: [Self; 4] = [Self::Gif, Self::Apng, Self::Mp4, Self::Webm];

    /// What a person calls it.
    pub(in crate::app) fn name(self) -> &'static str {
        match self {
            Self::Gif => "GIF",
            Self::Apng => "Animated PNG",
            Self::Mp4 => "MP4",
            Self::Webm => "WebM",
        }
    }

    /// What its file's name ends in.
    pub(in crate::app) fn extension(self) -> &'static str {
        match self {
            Self::Gif => "gif",
            Self::Apng => "apng",
            Self::Mp4 => "mp4",
            Self::Webm => "webm",
        }
    }

    /// Whether another program makes it.
    pub(in crate::app) fn needs_ffmpeg(self) -> bool {
        matches!(self, Self::Mp4 | Self::Webm)
    }
}

/// What the pointer's buttons and wheel do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::app) enum Navigation {
    /// As in Blender: the middle button turns, with Shift it pans, the wheel zooms.
    #[default]
    Blender,
    /// As in Maya: the left button turns, the middle one pans, the right one zooms; Alt may be held.
    Maya,
    /// Two fingers turn, with Shift pan, with Control zoom.
    Trackpad,
}

impl Navigation {
    /// All of them, with their names.
    pub(in crate::app) const ALL: [(Self, &'static str); 3] =
        [(Self::Blender, "Blender"), (Self::Maya, "Maya"), (Self::Trackpad, "Trackpad")];

    /// What the pointer does over the model, in words.
    pub(in crate::app) fn in_words(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Blender => &[
                ("Drag, middle button", "Turn around the model"),
                ("Shift + drag, right button", "Move the view aside"),
                ("Ctrl + drag, wheel, pinch", "Go nearer or farther"),
            ],
            Self::Maya => &[
                ("Drag, Alt + drag", "Turn around the model"),
                ("Middle button, with or without Alt", "Move the view aside"),
                ("Right button, wheel, pinch", "Go nearer or farther"),
            ],
            Self::Trackpad => &[
                ("Two fingers, drag", "Turn around the model"),
                ("Shift + two fingers, right button", "Move the view aside"),
                ("Ctrl + two fingers, pinch", "Go nearer or farther"),
            ],
        }
    }
}

/// How two files are put together in one picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::app) enum CompareMode {
    /// Side by side at a line.
    #[default]
    Split,
    /// In turn.
    Blink,
    /// Where they differ.
    Difference,
}

impl CompareMode {
    /// All of them, with their names.
    pub(in crate::app) const ALL: [(Self, &'static str); 3] =
        [(Self::Split, "Split"), (Self::Blink, "Blink"), (Self::Difference, "Difference")];
}

/// Something that can be shown beside what surfaces show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::app) enum LookSwitch {
    /// Each vertex follows its strongest joint alone.
    Rigid,
    /// The edges of triangles.
    Wires,
    /// The bones.
    Skeleton,
    /// The axes of every joint.
    Axes,
    /// The box around the whole clip.
    Aabb,
    /// The ground as a grid.
    Grid,
    /// Poses before and after.
    Ghosts,
    /// The way of the selected joint.
    Trail,
    /// The rest pose beside.
    RestBeside,
}

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::app) enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Dark.
    Dark,
    /// Light.
    Light,
}

/// What is behind the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::app) enum Backdrop {
    /// A quiet backdrop, lighter towards the middle.
    #[default]
    Studio,
    /// White.
    White,
    /// A middle gray.
    Gray,
    /// Black.
    Black,
    /// What lights it, blurred.
    Environment,
    /// A color that a person has chosen, in sRGB.
    Color([u8; 3]),
}

impl Backdrop {
    /// Those with a name, in the order in which a key goes through them.
    pub(in crate::app) const ALL: [(Self, &'static str); 5] = [
        (Self::Studio, "Studio"),
        (Self::White, "White"),
        (Self::Gray, "Gray"),
        (Self::Black, "Black"),
        (Self::Environment, "Environment"),
    ];

    /// The one after it.
    pub(in crate::app) fn next(self) -> Self {
        let place = Self::ALL.iter().position(|(backdrop, _)| *backdrop == self);
        Self::ALL[place.map_or(0, |place| (place + 1) % Self::ALL.len())].0
    }

    /// Its color in sRGB, from 0 to 1, where it is one.
    pub(in crate::app) fn color(self) -> Option<[f32; 3]> {
        match self {
            Self::White => Some([1.0; 3]),
            Self::Gray => Some([0.5; 3]),
            Self::Black => Some([0.0; 3]),
            Self::Color(color) => Some(color.map(|level| f32::from(level) / 255.0)),
            Self::Studio | Self::Environment => None,
        }
    }
}

/// What may happen at the ends of a clip, in the order in which a key goes through it.
pub(in crate::app) const LOOP_MODES: [(LoopMode, &str); 3] =
    [(LoopMode::Loop, "Loop"), (LoopMode::Once, "Once"), (LoopMode::PingPong, "Ping-pong")];

/// The one after it.
pub(in crate::app) fn next_loop_mode(mode: LoopMode) -> LoopMode {
    let place = LOOP_MODES.iter().position(|(known, _)| *known == mode).unwrap_or(0);
    LOOP_MODES[(place + 1) % LOOP_MODES.len()].0
}
