//! Command table: named actions with their key bindings and help texts. The keyboard, the list of shortcuts, the menus and the
//! command palette read it.

use super::action::{
    Action, CameraAction, ComparisonAction, ExportAction, FileAction, HistoryAction, LightAction, PlaybackAction,
    PoseAction, SelectionAction, ShadingAction, WindowAction,
};
use super::keymap::{Key, KeyBinding, Modifiers};
use crate::app::viewer::state::modifier_key::modifier_key;
use crate::app::viewer::state::{BACKGROUNDS, CompareMode, FilePurpose, LookAt, Navigation, Panel, Tab, Theme};
use crate::request::{EnvironmentRequest, GroundRequest, OverlayRequest};
use rigview_check::names::{MatchRank, NameSearch};
use rigview_core::palette::Skinning;
use rigview_core::pose::LoopMode;
use rigview_render::scene::{Sky, ViewDirection, ViewMode};
use std::cmp::Reverse;

/// A named action.
#[derive(Debug)]
pub(crate) struct UiCommand {
    /// The menu.
    pub(crate) group: &'static str,
    pub(crate) name: &'static str,
    /// One line of help.
    pub(crate) help: &'static str,
    /// Key bindings of all systems.
    pub(crate) all_keys: &'static [KeyBinding],
    pub(crate) action: Action,
}

impl UiCommand {
    /// The key bindings on this system. The first one is shown in menus.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &'static KeyBinding> {
        self.all_keys.iter().filter(|keys| !keys.macos_only || cfg!(target_os = "macos"))
    }
}

const fn plain(key: Key) -> KeyBinding {
    KeyBinding { control: false, shift: false, alt: false, key, macos_only: false, control_and_command: false }
}

const fn letter(letter: char) -> KeyBinding {
    plain(Key::Character(letter))
}

const fn control(letter: char) -> KeyBinding {
    control_key(Key::Character(letter))
}

const fn shift(key: Key) -> KeyBinding {
    KeyBinding { shift: true, ..plain(key) }
}

const fn control_key(key: Key) -> KeyBinding {
    KeyBinding { control: true, ..plain(key) }
}

const fn control_shift(letter: char) -> KeyBinding {
    KeyBinding { shift: true, ..control(letter) }
}

const fn alt(letter: char) -> KeyBinding {
    KeyBinding { alt: true, ..self::letter(letter) }
}

const fn macos(letter: char) -> KeyBinding {
    KeyBinding { macos_only: true, ..control(letter) }
}

const fn macos_control(letter: char) -> KeyBinding {
    KeyBinding { control_and_command: true, ..macos(letter) }
}

macro_rules! commands {
    ($($group:literal { $($name:literal, $keys:expr, $action:expr, $help:expr;)* })*) => {
        &[$($(UiCommand { group: $group, name: $name, help: $help, all_keys: &$keys, action: $action },)*)*]
    };
}

/// All commands, grouped by menu.
pub(crate) static COMMANDS: &[UiCommand] = commands! {
    "File" {
        "Open...", [control('o')], Action::File(FileAction::Choose(FilePurpose::Open)), "Choose a .glb or .gltf file";
        "Reload", [control('r'), plain(Key::F(5))], Action::File(FileAction::Reload), "Reload the file; keeps view, clip and time";
        "Import clips from...", [], Action::File(FileAction::Choose(FilePurpose::ImportClips)), "Play the clips of another file on this rig; joints are matched by name, else by their roles";
        "Pin the model", [shift(Key::Character('k'))], Action::File(FileAction::TogglePin), "Files that open next play their clips on the open model: steps, the strip of files, drops";
        "Next file", [macos(']'), plain(Key::PageDown)], Action::File(FileAction::StepFile(1)), "Open the next file of the command line or folder";
        "Previous file", [macos('['), plain(Key::PageUp)], Action::File(FileAction::StepFile(-1)), "Open the previous file of the command line or folder";
        "Save image", [plain(Key::F(12))], Action::Export(ExportAction::SaveImage), "Save the view as a PNG in the folder of the model";
        "Copy image", [control_shift('p')], Action::Export(ExportAction::CopyImage), "Copy the view to the clipboard";
        "Export...", [control('e')], Action::Export(ExportAction::ToggleExportDialog),
            "Export an image, video, GIF, contact sheet or model; a .glb keeps its skin with imported clips or this pose";
        "Cancel export", [], Action::Export(ExportAction::CancelExport), "Cancel the export in progress";
        "Copy as command line", [control_shift('c')], Action::Export(ExportAction::CopyCommandLine),
            "Copy the `rigview shot` command that renders this view";
        "Quit", [control('q'), macos('w')], Action::Window(WindowAction::Quit), "Quit rigview";
        "Cancel", [plain(Key::Escape)], Action::Window(WindowAction::Cancel),
            "Close the dialog or the messages, show hidden panels, leave full screen, or clear the selection";
    }
    "Edit" {
        "Undo", [control('z')], Action::History(HistoryAction::Undo), "Undo the last change of pose, clips, light or view options";
        "Redo", [control_shift('z'), control('y')], Action::History(HistoryAction::Redo), "Redo the change that was undone last";
        "Rotate gizmo", [letter('y')], Action::Shading(ShadingAction::ToggleRotateGizmo),
            concat!("Rotate the selected joint by dragging a ring; ", modifier_key!(), " snaps to 5 degrees. The center moves a hand or foot with its limb, the dot at elbow or knee turns them");
        "Mirror pose", [shift(Key::Character('m'))], Action::Pose(PoseAction::MirrorPose), "Swap left and right in the pose; joints are paired by their roles";
        "Clear pose overrides", [], Action::Pose(PoseAction::ClearPoseOverrides), "Remove all overrides of joints and morph weights";
        "Orthographic view", [letter('5')], Action::Camera(CameraAction::ToggleOrthographic), "Switch between perspective and parallel projection";
        "Follow the model", [shift(Key::Character('l'))], Action::Camera(CameraAction::ToggleFollow), "Keep the model in the middle of the view while it walks";
        "Add view bookmark", [control('b')], Action::Camera(CameraAction::AddBookmark), "Save the view; the list is in the menu of the view";
        "Select parent", [shift(Key::Character('p'))], Action::Selection(SelectionAction::SelectParent), "Select the parent of the selected joint";
        "Isolate selection", [letter('/')], Action::Selection(SelectionAction::ToggleIsolation), "Show only the selection, or everything again";
        "Hide selection", [shift(Key::Character('h'))], Action::Selection(SelectionAction::HideSelection), "Hide the selected node with its children, mesh, material or skin";
        "Show all hidden parts", [control_shift('h')], Action::Selection(SelectionAction::ShowAllParts), "Show hidden parts, and end the isolation";
        "Deselect", [control_shift('a')], Action::Selection(SelectionAction::Select(None)), "Clear the selection";
    }
    "Playback" {
        "Play/pause", [plain(Key::Space)], Action::Playback(PlaybackAction::TogglePlay), "Play or pause the clip";
        "Next frame", [plain(Key::Right)], Action::Playback(PlaybackAction::StepFrames(1)), "Pause and step to the next frame";
        "Previous frame", [plain(Key::Left)], Action::Playback(PlaybackAction::StepFrames(-1)), "Pause and step to the previous frame";
        "Forward 10 frames", [shift(Key::Right)], Action::Playback(PlaybackAction::StepFrames(10)), "Pause and step forward by 10 frames";
        "Back 10 frames", [shift(Key::Left)], Action::Playback(PlaybackAction::StepFrames(-10)), "Pause and step back by 10 frames";
        "Next key", [control_key(Key::Right)], Action::Playback(PlaybackAction::StepKeys(1)),
            "Pause and jump to the next key of the selected joint, or of any joint";
        "Previous key", [control_key(Key::Left)], Action::Playback(PlaybackAction::StepKeys(-1)), "Pause and jump to the previous key of the selected joint, or of any joint";
        "First frame", [control_key(Key::Home)], Action::Playback(PlaybackAction::GoToStart), "Pause and jump to the start of the clip";
        "Last frame", [plain(Key::End)], Action::Playback(PlaybackAction::GoToEnd), "Pause and jump to the end of the clip";
        "Blink first/last frame", [letter('j')], Action::Playback(PlaybackAction::ToggleLoopBlink),
            "Blink first and last frame: whatever jumps does not loop";
        "Set play range", [letter('p')], Action::Playback(PlaybackAction::ChoosePlayRange), "Drag on the timeline to play only a part of the clip";
        "Clear play range", [alt('p')], Action::Playback(PlaybackAction::SetPlayRange(None)), "Play the whole clip";
        "Show whole clip", [shift(Key::Home)], Action::Playback(PlaybackAction::ZoomTimeline(None)), "Show the whole clip on the timeline; the wheel zooms it";
        "Next clip", [plain(Key::Down)], Action::Playback(PlaybackAction::StepClip(1)), "Play the next clip of the file";
        "Previous clip", [plain(Key::Up)], Action::Playback(PlaybackAction::StepClip(-1)), "Play the previous clip of the file";
        "Play all together", [], Action::Playback(PlaybackAction::PlayAllClips), "Play all clips together, each in its own loop";
        "Rest pose", [letter('0')], Action::Playback(PlaybackAction::PlayClip(None)), "Show the rest pose, without any clip";
        "Play in place", [], Action::File(FileAction::ToggleInPlace), "Leave out the horizontal travel of the root: the figure stays where its clips begin";
        "Faster", [letter(']')], Action::Playback(PlaybackAction::StepSpeed(1)), "Increase the playback speed, up to 4x";
        "Slower", [letter('[')], Action::Playback(PlaybackAction::StepSpeed(-1)), "Decrease the playback speed, down to 0.05x";
        "Normal speed (1x)", [letter('\\')], Action::Playback(PlaybackAction::SetSpeed(1.0)), "Play at the original speed";
        "Play in reverse", [letter('b')], Action::Playback(PlaybackAction::ToggleReverse), "Reverse the playback direction";
        "Next loop mode", [letter('l')], Action::Playback(PlaybackAction::NextLoopMode), "Switch between loop, play once and ping-pong";
        "Loop", [], Action::Playback(PlaybackAction::SetLoopMode(LoopMode::Loop)), "Restart the clip at its end";
        "Play once", [], Action::Playback(PlaybackAction::SetLoopMode(LoopMode::Once)), "Stop at the end of the clip";
        "Ping-pong", [], Action::Playback(PlaybackAction::SetLoopMode(LoopMode::PingPong)), "Play forward and backward in turn";
        "Frame rate: 24 FPS", [], Action::Playback(PlaybackAction::SetFrameRate(24.0)), "Number and step frames at 24 FPS; the timeline has a field for other rates";
        "Frame rate: 30 FPS", [], Action::Playback(PlaybackAction::SetFrameRate(30.0)), "Number and step frames at 30 FPS";
        "Frame rate: 60 FPS", [], Action::Playback(PlaybackAction::SetFrameRate(60.0)), "Number and step frames at 60 FPS";
        "Ground: flat", [], Action::File(FileAction::SetGround(None)), "Leave the feet as in the clip";
        "Ground: slope of 20\u{b0}", [], Action::File(FileAction::SetGround(Some(GroundRequest::Slope(20.0)))), "Put the feet on a slope; Clips has other grounds";
        "Ground: steps of 0.2 m", [], Action::File(FileAction::SetGround(Some(GroundRequest::Steps(0.2)))), "Put the feet on steps";
        "Ground from file...", [], Action::File(FileAction::Choose(FilePurpose::Ground)), "Put the feet on the triangles of a model";
        "Look at the camera", [], Action::Pose(PoseAction::SetLookAt(Some(LookAt::Camera))), "Turn heads and eyes to the camera";
        "Look at the pointer", [], Action::Pose(PoseAction::SetLookAt(Some(LookAt::Pointer))), "Turn heads and eyes to the pointer";
        "Look as in the clip", [], Action::Pose(PoseAction::SetLookAt(None)), "Leave heads and eyes as in the clip";
        "Springs, cloth (not supported)", [], Action::Window(WindowAction::ShowTab(Tab::Problems)), "A pose depends on the time in the clip only, so springs and cloth are not simulated; the panel lists what else a file has";
    }
    "View" {
        "Frame selection", [letter('f')], Action::Camera(CameraAction::FrameSelection),
            "Fit the selection into the view, a joint with what it influences; everything without a selection";
        "Frame all", [plain(Key::Home)], Action::Camera(CameraAction::FrameModel), "Fit the model into the view, keeping the direction";
        "Reset view and playback", [letter('r')], Action::Camera(CameraAction::Reset), "Restore the initial view, clear pose overrides, and play from the start";
        "Zoom in", [letter('+'), letter('=')], Action::Camera(CameraAction::Zoom(1.0)), "Move the camera 10% closer";
        "Zoom out", [letter('-')], Action::Camera(CameraAction::Zoom(-1.0)), "Move the camera 10% away";
        "Front view", [letter('1')], Action::Camera(CameraAction::SetViewDirection(ViewDirection::Front)), "View the front of the model (from +Z)";
        "Back view", [control('1')], Action::Camera(CameraAction::SetViewDirection(ViewDirection::Back)), "View the back of the model (from -Z)";
        "Model right view", [control('3')], Action::Camera(CameraAction::SetViewDirection(ViewDirection::Right)), "View the model's right side (from -X)";
        "Model left view", [letter('3')], Action::Camera(CameraAction::SetViewDirection(ViewDirection::Left)), "View the model's left side (from +X); Blender: Right view";
        "Top view", [letter('7')], Action::Camera(CameraAction::SetViewDirection(ViewDirection::Top)), "View from above";
        "Bottom view", [control('7')], Action::Camera(CameraAction::SetViewDirection(ViewDirection::Bottom)), "View from below";
    }
    "Shading & Overlays" {
        "Materials", [letter('m')], Action::Shading(ShadingAction::ToggleViewMode(ViewMode::Material)), "Materials and lights of the file";
        "Solid", [letter('c')], Action::Shading(ShadingAction::ToggleViewMode(ViewMode::Solid)), "Matte gray, to judge the shape";
        "Joint weights", [letter('h')], Action::Shading(ShadingAction::ToggleViewMode(ViewMode::Weights)),
            "Weights of the selected joint, from gray (0) over blue to red (1)";
        "Weight paint", [], Action::Shading(ShadingAction::ToggleViewMode(ViewMode::WeightPaint)),
            "Weights of the selected joint in the colors of Blender's Weight Paint, from blue (0) to red (1)";
        "Influence count", [], Action::Shading(ShadingAction::ToggleViewMode(ViewMode::Influences)), "Number of joints that influence each vertex";
        "Dominant joint", [letter('d')], Action::Shading(ShadingAction::ToggleViewMode(ViewMode::DominantJoint)), "Color of the joint with the largest weight";
        "Weight sum error", [], Action::Shading(ShadingAction::ToggleViewMode(ViewMode::WeightSum)), "Vertices whose weights do not add up to 1";
        "Weight symmetry", [], Action::Shading(ShadingAction::ToggleViewMode(ViewMode::WeightSymmetry)), "Vertices whose weights differ from those of the mirrored vertex";
        "Stretch", [letter('s')], Action::Shading(ShadingAction::ToggleViewMode(ViewMode::Stretch)),
            "Where the pose stretches or squeezes the mesh, such as candy-wrapper twists and collapsing elbows";
        "Volume", [], Action::Shading(ShadingAction::ToggleViewMode(ViewMode::Volume)), "Where linear skinning loses volume";
        "Normals", [letter('n')], Action::Shading(ShadingAction::ToggleViewMode(ViewMode::Normals)), "Surface normals as colors";
        "Tangents", [], Action::Shading(ShadingAction::ToggleViewMode(ViewMode::Tangents)), "Tangents as colors";
        "UV checker", [letter('u')], Action::Shading(ShadingAction::ToggleViewMode(ViewMode::Uv)), "Checker texture on the first UV map";
        "Texel density", [], Action::Shading(ShadingAction::ToggleViewMode(ViewMode::TexelDensity)),
            "Texels of the base color texture per meter, against a target: blue has fewer, red has more";
        "Vertex colors", [], Action::Shading(ShadingAction::ToggleViewMode(ViewMode::VertexColors)), "Vertex colors without lighting";
        "Face orientation", [], Action::Shading(ShadingAction::ToggleViewMode(ViewMode::FaceOrientation)), "Front faces blue, back faces red, as in Blender";
        "Depth", [], Action::Shading(ShadingAction::ToggleViewMode(ViewMode::Depth)), "Distance to the camera: near is bright, far is dark";
        "Wireframe", [], Action::Shading(ShadingAction::ToggleViewMode(ViewMode::Wireframe)), "Triangle edges only";
        "Wireframe overlay", [letter('w')], Action::Shading(ShadingAction::ToggleOverlay(OverlayRequest::Wireframe)), "Triangle edges over the surface";
        "Bones (in front)", [letter('x')], Action::Shading(ShadingAction::ToggleOverlay(OverlayRequest::Skeleton)), "Bones, visible through the model";
        "Joint axes", [letter('a')], Action::Shading(ShadingAction::ToggleOverlay(OverlayRequest::Axes)), "Axes of every joint: X red, Y green, Z blue";
        "Rigid binding (strongest joint only)", [], Action::Shading(ShadingAction::ToggleSkinning(Skinning::Rigid)),
            "Bind each vertex to its strongest joint only";
        "Dual quaternions (not glTF)", [], Action::Shading(ShadingAction::ToggleSkinning(Skinning::DualQuaternion)),
            "Blend joints by dual quaternions, which keep volume; engines need an option for it";
        "Ghosts (onion skin)", [letter('o')], Action::Shading(ShadingAction::ToggleGhosts),
            "Earlier poses in blue, later poses in orange";
        "Motion path", [letter('t')], Action::Shading(ShadingAction::ToggleMotionPath),
            "Path of the selected joint through the clip";
        "Rest pose beside the model", [], Action::Shading(ShadingAction::ToggleOverlay(OverlayRequest::RestPose)), "Show the rest pose next to the posed model";
        "Floor grid", [letter('g')], Action::Shading(ShadingAction::ToggleOverlay(OverlayRequest::Grid)), "Floor grid in steps of 10, 1, 0.1 ... meters";
        "Source of the motion", [], Action::Shading(ShadingAction::ToggleOverlay(OverlayRequest::MotionSource)), "The skeleton of a clip that is fitted to the model, beside it";
        "Scale figure (1.8 m)", [], Action::Shading(ShadingAction::ToggleOverlay(OverlayRequest::ScaleFigure)), "A person of 1.8 m and a ruler beside the model";
        "Bounding box (whole clip)", [], Action::Shading(ShadingAction::ToggleOverlay(OverlayRequest::Bounds)), "Bounding box over the whole clip";
        "Level of detail", [], Action::Shading(ShadingAction::ToggleLevelOfDetail),
            "Draw distant instances of crowds with fewer triangles, within half a pixel of the full mesh";
        "High quality when still", [], Action::Shading(ShadingAction::ToggleHighQuality),
            "While nothing moves, average 256 draws: shadows of all light, smooth edges. Not with overlays";
    }
    "Light" {
        "Environment: studio", [], Action::Light(LightAction::SetEnvironment(EnvironmentRequest::Neutral)), "Neutral studio with a key light at the upper left";
        "Environment: overcast", [], Action::Light(LightAction::SetEnvironment(EnvironmentRequest::Sky(Sky::Overcast))), "Soft daylight from above";
        "Environment: sunset", [], Action::Light(LightAction::SetEnvironment(EnvironmentRequest::Sky(Sky::Sunset))), "Warm low sun from the left, cool light from the right";
        "Environment: night", [], Action::Light(LightAction::SetEnvironment(EnvironmentRequest::Sky(Sky::Night))), "Moonlight and street lamps";
        "Environment: none", [], Action::Light(LightAction::SetEnvironment(EnvironmentRequest::None)), "No environment light";
        "Environment from file...", [], Action::File(FileAction::Choose(FilePurpose::Environment)), "Light with an .hdr or .exr panorama";
        "Key light", [], Action::Light(LightAction::ToggleKeyLight), "Directional light; drag the sun in the view to turn it";
        "Lights of the file", [], Action::Light(LightAction::ToggleFileLights), "Use the lights of the file";
        "Shadow on the ground", [letter('q')], Action::Light(LightAction::ToggleShadowCatcher), "Invisible ground that shows a soft shadow";
        "Occlusion", [], Action::Light(LightAction::ToggleOcclusion),
            "Ambient occlusion, indirect light, and the shadow of the strongest directional light on the model";
        "Reset light", [], Action::Light(LightAction::SetUp(0)), "Restore the default lighting";
    }
    "Compare" {
        "Compare with...", [control_shift('o')], Action::File(FileAction::Choose(FilePurpose::Compare)), "Open a second file with the same camera and time";
        "Compare with version before reload", [control_shift('r')], Action::Comparison(ComparisonAction::CompareBeforeReload),
            "Compare the open file with its version before the last reload, which stays in memory";
        "Split view", [letter('v')], Action::Comparison(ComparisonAction::SetCompareMode(CompareMode::Split)), "Both files, with a draggable divider";
        "Side by side", [shift(Key::Character('v'))], Action::Comparison(ComparisonAction::SetCompareMode(CompareMode::SideBySide)),
            "Two panes with the same camera and time";
        "Blink", [letter('i')], Action::Comparison(ComparisonAction::SetCompareMode(CompareMode::Blink)), "Both files in turn: whatever jumps is different";
        "Difference", [letter('e')], Action::Comparison(ComparisonAction::SetCompareMode(CompareMode::Difference)),
            "Gray where both are equal, red to white where they differ";
        "Compare panel", [], Action::Window(WindowAction::ShowTab(Tab::Compare)), "List the differences between the two rigs";
        "Stop comparing", [], Action::Comparison(ComparisonAction::CloseComparison), "Close the second file";
    }
    "Window" {
        "Toggle panels", [plain(Key::Tab)], Action::Window(WindowAction::TogglePanels), "Show or hide all panels";
        "Focus panels", [control_key(Key::Tab)], Action::Window(WindowAction::FocusPanels),
            "Move the keyboard focus to the panels: Tab selects a control, Space activates it, Esc returns to the view";
        "Outliner", [plain(Key::F(2))], Action::Window(WindowAction::TogglePanel(Panel::Outliner)), "Show or hide the outliner";
        "Sidebar", [plain(Key::F(3))], Action::Window(WindowAction::TogglePanel(Panel::Sidebar)), "Show or hide the sidebar at the right";
        "Timeline", [plain(Key::F(4))], Action::Window(WindowAction::TogglePanel(Panel::Timeline)), "Show or hide the timeline";
        "Files", [shift(Key::F(4))], Action::Window(WindowAction::TogglePanel(Panel::Files)), "Show or hide the thumbnails of several files or of a folder";
        "Dope sheet", [shift(Key::F(12))], Action::Window(WindowAction::TogglePanel(Panel::DopeSheet)), "Show or hide the keys of each joint, below the timeline";
        "Curves", [shift(Key::F(6))], Action::Window(WindowAction::TogglePanel(Panel::Curves)), "Show or hide the curves of the selected joint or of turning joints, below the timeline";
        "Clips panel", [plain(Key::F(6))], Action::Window(WindowAction::ShowTab(Tab::Clips)), "Clips of the file";
        "Properties panel", [plain(Key::F(7))], Action::Window(WindowAction::ShowTab(Tab::Properties)), "Properties of the selected item";
        "Rules of a project...", [], Action::File(FileAction::Choose(FilePurpose::Profile)), "Choose a profile as of `rigview check --profile`; Problems lists what breaks its rules";
        "Problems panel", [plain(Key::F(8))], Action::Window(WindowAction::ShowTab(Tab::Problems)), "Problems of the file, with hints";
        "Flex panel", [shift(Key::F(8))], Action::Window(WindowAction::ShowTab(Tab::Flex)), "Joints that deform badly, and a range of motion test of all poses";
        "Retarget panel", [], Action::Window(WindowAction::ShowTab(Tab::Retarget)), "Joints of a motion and of the model by role";
        "Shading panel", [plain(Key::F(9))], Action::Window(WindowAction::ShowTab(Tab::Shading)), "View modes, overlays and background";
        "Light panel", [shift(Key::F(9))], Action::Window(WindowAction::ShowTab(Tab::Light)), "Environment, exposure, key light and shadow";
        "Morphs panel", [shift(Key::F(10))], Action::Window(WindowAction::ShowTab(Tab::Morphs)), "Morph weights (Blender: shape keys) and expressions (VRM)";
        "Crowd panel", [plain(Key::F(10))], Action::Window(WindowAction::ShowTab(Tab::Crowd)), "Instances of the model, and frame times";
        "Full screen", [macos_control('f'), plain(Key::F(11))], Action::Window(WindowAction::ToggleFullScreen), "Toggle full screen";
        "Next background", [letter('k')], Action::Shading(ShadingAction::NextBackground), "Switch between studio, white, gray, black and environment";
        "Background: studio", [], Action::Shading(ShadingAction::SetBackground(BACKGROUNDS[0].0)), "Neutral gradient, lighter in the middle";
        "Background: white", [], Action::Shading(ShadingAction::SetBackground(BACKGROUNDS[1].0)), "White background";
        "Background: gray", [], Action::Shading(ShadingAction::SetBackground(BACKGROUNDS[2].0)), "Gray background";
        "Background: black", [], Action::Shading(ShadingAction::SetBackground(BACKGROUNDS[3].0)), "Black background";
        "Background: environment", [], Action::Shading(ShadingAction::SetBackground(BACKGROUNDS[4].0)), "Blurred environment light";
        "Theme: system", [], Action::Window(WindowAction::SetTheme(Theme::System)), "Follow the dark or light theme of the system";
        "Theme: dark", [], Action::Window(WindowAction::SetTheme(Theme::Dark)), "Dark theme";
        "Theme: light", [], Action::Window(WindowAction::SetTheme(Theme::Light)), "Light theme";
        "Larger interface", [control('+'), control('=')], Action::Window(WindowAction::StepUiScale(1)), "Enlarge text and panels by 10%";
        "Smaller interface", [control('-')], Action::Window(WindowAction::StepUiScale(-1)), "Reduce text and panels by 10%";
        "Normal interface size", [control('0')], Action::Window(WindowAction::StepUiScale(0)), "Text and panels in the size of the display settings";
        "Navigation: Blender", [], Action::Window(WindowAction::SetNavigation(Navigation::Blender)),
            "Middle button orbits, Shift + middle button pans, wheel zooms";
        "Navigation: Maya", [], Action::Window(WindowAction::SetNavigation(Navigation::Maya)),
            "Left button orbits, middle button pans, right button zooms";
        "Navigation: trackpad", [], Action::Window(WindowAction::SetNavigation(Navigation::Trackpad)),
            concat!("Two fingers orbit, Shift pans, ", modifier_key!(), " zooms");
        "Command palette", [control('k')], Action::Window(WindowAction::ToggleCommandPalette), "Find a command, clip or joint by name";
        "Keyboard shortcuts", [letter('?'), plain(Key::F(1))], Action::Window(WindowAction::ToggleShortcuts), "List all keyboard shortcuts";
    }
};

/// Returns the action that is bound to a key.
pub(crate) fn of_key(key: Key, modifiers: Modifiers) -> Option<Action> {
    let is_bound = |command: &&UiCommand| command.keys().any(|binding| binding.matches(key, modifiers));
    COMMANDS.iter().find(is_bound).map(|command| command.action.clone())
}

/// Returns the command of an action.
pub(crate) fn command_for(action: &Action) -> Option<&'static UiCommand> {
    COMMANDS.iter().find(|command| command.action == *action)
}

/// Returns the command of a name.
///
/// # Panics
/// If there is none: the names are literals in menus.
pub(crate) fn command_named(name: &str) -> &'static UiCommand {
    COMMANDS.iter().find(|command| command.name == name).unwrap_or_else(|| panic!("no command `{name}`"))
}

/// Other words for commands, by name. Words of the help texts are found without this table.
static SYNONYMS: &[(&str, &str)] = &[
    ("Open...", "load import file"),
    ("Reload", "refresh"),
    ("Save image", "screenshot snapshot render"),
    ("Copy image", "screenshot snapshot render"),
    (
        "Export...",
        "render video gif turntable mp4 sheet screenshot bake posed model glb skin rig retargeted clips pose key save",
    ),
    ("Quit", "exit close"),
    ("Undo", "revert"),
    ("Isolate selection", "local view solo"),
    ("Show all hidden parts", "unhide reveal visible"),
    ("Rotate gizmo", "pose rotate ik inverse kinematics hand foot limb"),
    ("Clear pose overrides", "reset pose"),
    ("Play/pause", "stop animation"),
    ("Set play range", "preview loop section"),
    ("Curves", "graph editor f-curves channels"),
    ("Dope sheet", "keyframes action editor"),
    ("Rest pose", "bind tpose t-pose"),
    ("Blink first/last frame", "seam loop"),
    ("Frame all", "zoom fit focus home center"),
    ("Reset view and playback", "home center"),
    ("Solid", "clay matcap gray"),
    ("Joint weights", "skinning paint vertex groups"),
    ("Influence count", "skinning"),
    ("Bones (in front)", "skeleton armature rig joints xray x-ray"),
    ("Joint axes", "skeleton armature rig orientation"),
    ("Ghosts (onion skin)", "onion skinning trail"),
    ("Motion path", "trajectory arc trail root motion"),
    ("Follow the model", "track camera"),
    ("Play in place", "root motion travel treadmill hips walk"),
    ("Pin the model", "audition motions library lock keep character"),
    ("Wireframe overlay", "edges topology mesh"),
    ("Wireframe", "edges topology mesh"),
    ("Face orientation", "backface flipped normals culling"),
    ("UV checker", "texture grid unwrap"),
    ("Texel density", "td pixels per meter px/m texture resolution"),
    ("Shadow on the ground", "catcher floor contact"),
    ("Occlusion", "ambient ao shadow"),
    ("Floor grid", "ground floor"),
    ("Scale figure (1.8 m)", "size height human reference ruler measure"),
    ("Compare with...", "diff"),
    ("Compare with version before reload", "diff earlier previous former old changes"),
    ("Difference", "diff"),
    ("Ground: steps of 0.2 m", "stairs"),
    ("Springs, cloth (not supported)", "spring bones jiggle physics dynamics hair simulation"),
    (
        "Properties panel",
        "polygons polycount triangles vertices statistics count normal map textures uv layout islands overlap images memory why vertex weights matrix",
    ),
    ("Light panel", "exposure environment hdri lighting tone mapping sun"),
    ("Shading panel", "view options overlays"),
    ("Problems panel", "check issues validate errors warnings"),
    ("Rules of a project...", "profile limits budget check"),
    ("Full screen", "maximize"),
    ("Larger interface", "ui scale zoom font dpi"),
    ("Smaller interface", "ui scale zoom font dpi"),
    ("Toggle panels", "hide ui sidebar"),
    ("Keyboard shortcuts", "hotkeys keys help"),
];

/// How well a command matches a search, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CommandRank {
    /// In the middle of a word of its name.
    Middle,
    /// By words of its help.
    Help,
    /// By words of its group and its name.
    Group,
    /// By synonyms.
    Synonyms,
    /// By its name, with [`MatchRank::Words`] or better.
    Name(MatchRank),
}

/// Searches names, synonyms and help texts by words; best match first. Returns all commands for an empty text.
pub(crate) fn find(query: &str) -> Vec<(CommandRank, &'static UiCommand)> {
    let search = NameSearch::new(query);
    let rank = |command: &UiCommand| {
        let has_words = |text: &str| search.rank(text).is_some_and(|rank| rank >= MatchRank::Words);
        let synonyms = SYNONYMS.iter().find(|(name, _)| *name == command.name).map_or("", |(_, words)| words);
        match search.rank(command.name) {
            Some(rank) if rank >= MatchRank::Words => Some(CommandRank::Name(rank)),
            _ if has_words(synonyms) => Some(CommandRank::Synonyms),
            _ if has_words(&format!("{} {}", command.group, command.name)) => Some(CommandRank::Group),
            _ if has_words(command.help) => Some(CommandRank::Help),
            other => other.map(|_| CommandRank::Middle),
        }
    };
    let mut found: Vec<_> = COMMANDS.iter().filter_map(|command| Some((rank(command)?, command))).collect();
    // A stable sort keeps the order of the table among equal matches.
    found.sort_by_key(|(rank, _)| Reverse(*rank));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_names_are_unique() {
        for (i, command) in COMMANDS.iter().enumerate() {
            for other in &COMMANDS[i + 1..] {
                assert!(command.name != other.name, "{}", command.name);
                let both = command.all_keys.iter().find(|binding| {
                    let binding = KeyBinding { macos_only: false, ..**binding };
                    other.all_keys.iter().any(|other| KeyBinding { macos_only: false, ..*other } == binding)
                });
                assert!(both.is_none(), "{both:?}: {} and {}", command.name, other.name);
            }
        }
    }

    #[test]
    fn commands_have_help_and_keys_have_labels() {
        for command in COMMANDS {
            assert!(!command.help.is_empty() && !command.help.ends_with('.'), "{}", command.name);
            assert!(command.all_keys.iter().all(|binding| !binding.to_string().is_empty()));
        }
        assert_eq!(control_shift('c').to_string(), concat!(modifier_key!(), "+Shift+C"));
    }

    #[test]
    fn search_finds_names_synonyms_and_words_of_help_texts() {
        for (query, name) in [
            ("full", "Full screen"),
            ("fullscreen", "Full screen"),
            ("toggle pan", "Toggle panels"),
            ("pan toggle", "Toggle panels"),
            ("copy as", "Copy as command line"),
            ("BLACK", "Background: black"),
            ("skeleton", "Bones (in front)"),
            ("armature", "Bones (in front)"),
            ("onion", "Ghosts (onion skin)"),
            ("exposure", "Light panel"),
            ("screenshot", "Save image"),
            ("zoom", "Zoom in"),
            ("quit", "Quit"),
            ("exit", "Quit"),
            ("turntable", "Export..."),
            ("candy-wrapper", "Stretch"),
            ("look at", "Look at the camera"),
            ("slope", "Ground: slope of 20\u{b0}"),
            ("ground", "Ground: flat"),
            ("stairs", "Ground: steps of 0.2 m"),
            ("fps", "Frame rate: 24 FPS"),
            ("frame rate", "Frame rate: 24 FPS"),
            ("30 fps", "Frame rate: 30 FPS"),
            ("ik", "Rotate gizmo"),
            ("mirror pose", "Mirror pose"),
            ("bake", "Export..."),
            ("poly", "Properties panel"),
            ("normal map", "Properties panel"),
            ("ruler", "Scale figure (1.8 m)"),
            ("root motion", "Play in place"),
            ("in place", "Play in place"),
            ("audition", "Pin the model"),
            ("profile", "Rules of a project..."),
            ("spring", "Springs, cloth (not supported)"),
            ("jiggle physics", "Springs, cloth (not supported)"),
            ("texel density", "Texel density"),
            ("td", "Texel density"),
            ("why", "Properties panel"),
            ("uv layout", "Properties panel"),
            ("reen", "Full screen"),
        ] {
            assert_eq!(find(query).first().map(|(_, command)| command.name), Some(name), "{query}");
        }
        assert_eq!(find("").len(), COMMANDS.len());
        // Scattered letters are no match.
        for query in ["ntf", "fscr", "xyzzy"] {
            assert!(find(query).is_empty(), "{query}: {:?}", find(query));
        }
        for (name, _) in SYNONYMS {
            assert!(COMMANDS.iter().any(|command| command.name == *name), "{name}");
        }
    }

    #[test]
    fn symbols_ignore_shift() {
        let shift = Modifiers { shift: true, ..Modifiers::default() };
        assert_eq!(of_key(Key::Character('?'), shift), Some(Action::Window(WindowAction::ToggleShortcuts)));
        assert_eq!(of_key(Key::Character('+'), Modifiers::default()), Some(Action::Camera(CameraAction::Zoom(1.0))));
        assert_eq!(of_key(Key::Character('f'), shift), None);
    }

    #[test]
    fn alt_selects_another_command() {
        let alt = Modifiers { alt: true, ..Modifiers::default() };
        assert_eq!(of_key(Key::Character('p'), alt), Some(Action::Playback(PlaybackAction::SetPlayRange(None))));
        assert_eq!(of_key(Key::Character('f'), alt), None);
        assert_eq!(
            command_for(&Action::Playback(PlaybackAction::SetPlayRange(None))).unwrap().all_keys[0].to_string(),
            "Alt+P"
        );
    }

    #[test]
    fn macos_has_bindings_of_its_own() {
        let full_screen = command_for(&Action::Window(WindowAction::ToggleFullScreen)).unwrap();
        let command = Modifiers { control: true, ..Modifiers::default() };
        let both = Modifiers { control_and_command: true, ..command };
        let [binding, f11] = full_screen.all_keys else { panic!("{:?}", full_screen.all_keys) };
        assert_eq!([binding, f11].map(ToString::to_string), ["Ctrl+Cmd+F", "F11"]);
        assert!(binding.matches(Key::Character('f'), both) && !binding.matches(Key::Character('f'), command));
        let is_macos = cfg!(target_os = "macos");
        assert_eq!(full_screen.keys().next(), Some(if is_macos { binding } else { f11 }));
        for (key, modifiers, action) in [
            ('f', both, Action::Window(WindowAction::ToggleFullScreen)),
            (']', command, Action::File(FileAction::StepFile(1))),
            ('[', command, Action::File(FileAction::StepFile(-1))),
            ('w', command, Action::Window(WindowAction::Quit)),
        ] {
            assert_eq!(of_key(Key::Character(key), modifiers), is_macos.then_some(action), "{key}");
        }
        // Ctrl with Command is not Command.
        assert_eq!(of_key(Key::Character('o'), both), None);
    }
}
