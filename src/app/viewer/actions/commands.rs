//! Every action that has a name: its keys, and a line of help. The keyboard, the list of keys and the command palette all
//! read this one table.

use super::action::Action;
use super::navigation::{Key, Modifiers};
use crate::app::viewer::state::{Backdrop, CompareMode, Navigation, Panel, Tab, Theme, ViewDirection, ViewportOverlay};
use crate::pose::LoopMode;
use crate::scene::ViewMode;

/// An action with a name.
#[derive(Debug)]
pub(crate) struct UiCommand {
    /// What it belongs to.
    pub(crate) group: &'static str,
    /// Its name.
    pub(crate) name: &'static str,
    /// What it does, in a line.
    pub(crate) help: &'static str,
    /// The keys that do it; the first is the one that is shown beside it.
    pub(crate) keys: &'static [KeyBinding],
    /// What is done.
    pub(crate) action: Action,
}

/// A key and what is held with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeyBinding {
    /// Control, or UiCommand on a Mac.
    pub(crate) control: bool,
    /// Shift; does not matter for a sign that needs it on some keyboards.
    pub(crate) shift: bool,
    /// The key.
    pub(crate) key: Key,
}

const fn plain(key: Key) -> KeyBinding {
    KeyBinding { control: false, shift: false, key }
}

const fn letter(letter: char) -> KeyBinding {
    plain(Key::Letter(letter))
}

const fn control(letter: char) -> KeyBinding {
    KeyBinding { control: true, shift: false, key: Key::Letter(letter) }
}

const fn shift(key: Key) -> KeyBinding {
    KeyBinding { control: false, shift: true, key }
}

const fn control_key(key: Key) -> KeyBinding {
    KeyBinding { control: true, shift: false, key }
}

const fn control_shift(letter: char) -> KeyBinding {
    KeyBinding { control: true, shift: true, key: Key::Letter(letter) }
}

macro_rules! commands {
    ($($group:literal { $($name:literal, $keys:expr, $action:expr, $help:literal;)* })*) => {
        &[$($(UiCommand { group: $group, name: $name, help: $help, keys: &$keys, action: $action },)*)*]
    };
}

/// All of them, group by group.
pub(crate) static COMMANDS: &[UiCommand] = commands! {
    "File" {
        "Open...", [control('o')], Action::OpenFileDialog, "Choose a .glb or .gltf file";
        "Reload", [control('r'), plain(Key::F(5))], Action::Reload, "Read the file again; view, clip and time stay";
        "Borrow clips...", [], Action::OpenImportClipsDialog, "Play another file's clips here: joints are matched by their names";
        "Next file", [plain(Key::PageDown)], Action::StepFile(1), "Open the next file of the command line";
        "Previous file", [plain(Key::PageUp)], Action::StepFile(-1), "Open the file before it";
        "Save picture", [plain(Key::F(12))], Action::SaveImage, "Write the picture as a PNG beside the model";
        "Copy picture", [control_shift('p')], Action::CopyImage, "Put the picture on the clipboard";
        "Export film, GIF, sheet...", [control('e')], Action::ToggleExportDialog,
            "Make a film, a contact sheet or a picture of any size, also transparent";
        "Stop making", [], Action::CancelExport, "Stop the film or sheet that is being made";
        "Copy as command", [control_shift('c')], Action::CopyCommandLine,
            "Put the `rigview shot` line that makes this picture on the clipboard";
        "Close", [control('q')], Action::Quit, "Leave rigview";
        "Back", [plain(Key::Escape)], Action::Cancel, "Close what lies over the model, or let go of what is selected; over the model alone, leave";
    }
    "Time" {
        "Play or pause", [plain(Key::Space)], Action::TogglePlay, "Let the clip run, or hold it";
        "Next frame", [plain(Key::Right)], Action::StepFrames(1), "Pause and go a frame on";
        "Previous frame", [plain(Key::Left)], Action::StepFrames(-1), "Pause and go a frame back";
        "Ten frames on", [shift(Key::Right)], Action::StepFrames(10), "Pause and go ten frames on";
        "Ten frames back", [shift(Key::Left)], Action::StepFrames(-10), "Pause and go ten frames back";
        "Next key", [control_key(Key::Right)], Action::StepKeys(1),
            "Pause and go to the next key of the selected joint, or of any";
        "Previous key", [control_key(Key::Left)], Action::StepKeys(-1), "Pause and go to the key before it";
        "First frame", [plain(Key::Home)], Action::GoToStart, "Pause and go to the start of the clip";
        "Last frame", [plain(Key::End)], Action::GoToEnd, "Pause and go to the end of the clip";
        "Loop seam", [letter('j')], Action::ToggleLoopBlink,
            "Let the last and the first instant take turns: what jumps is what does not loop";
        "Next clip", [plain(Key::Down)], Action::StepClip(1), "Play the next clip of the file";
        "Previous clip", [plain(Key::Up)], Action::StepClip(-1), "Play the clip before it";
        "Rest pose", [letter('0')], Action::PlayClip(None), "Show the pose without any clip";
        "Faster", [letter(']')], Action::StepSpeed(1), "Up to four times the recorded speed";
        "Slower", [letter('[')], Action::StepSpeed(-1), "Down to a twentieth of the recorded speed";
        "Recorded speed", [letter('\\')], Action::SetSpeed(1.0), "As fast as it was recorded";
        "Play backwards", [letter('b')], Action::ToggleReverse, "Let time run the other way";
        "At the end: next choice", [letter('l')], Action::NextLoopMode, "Go round, stop, or go back and forth";
        "At the end: loop", [], Action::SetLoopMode(LoopMode::Loop), "The clip begins again";
        "At the end: stop", [], Action::SetLoopMode(LoopMode::Once), "The clip plays once";
        "At the end: ping-pong", [], Action::SetLoopMode(LoopMode::PingPong), "The clip goes back and forth";
    }
    "View" {
        "Frame the model", [letter('f')], Action::FrameModel, "Show all of it from the present direction";
        "Start again", [letter('r')], Action::Reset, "First view, first moment, playing";
        "Nearer", [letter('+'), letter('=')], Action::Zoom(1.0), "Go nearer by a tenth";
        "Farther", [letter('-')], Action::Zoom(-1.0), "Go away by a tenth";
        "From the front", [letter('1')], Action::SetViewDirection(ViewDirection::Front), "Look at the model's face";
        "From the back", [control('1')], Action::SetViewDirection(ViewDirection::Back), "Look at its back";
        "From its right", [control('3')], Action::SetViewDirection(ViewDirection::Right), "Look at its right side";
        "From its left", [letter('3')], Action::SetViewDirection(ViewDirection::Left), "Look at its left side, as Blender's Right view";
        "From above", [letter('7')], Action::SetViewDirection(ViewDirection::Top), "Look down on it";
        "From below", [control('7')], Action::SetViewDirection(ViewDirection::Bottom), "Look up at it";
        "Select the parent", [letter('p')], Action::SelectParent, "Go from the selected joint to its parent";
        "Turn the joint by hand", [letter('y')], Action::ToggleRotateGizmo,
            "Rings around the selected joint: drag one to turn it, with Control by steps of 5 degrees";
        "Free all joints", [], Action::ClearPoseOverrides, "Leave joints and morphs that were put by hand to the clips again";
        "Select nothing", [control_shift('a')], Action::Select(None), "Let go of what is selected";
    }
    "Look" {
        "Materials", [letter('m')], Action::SetViewMode(ViewMode::Material), "Surfaces as the file says";
        "Clay", [letter('c')], Action::SetViewMode(ViewMode::Solid), "Matte gray: the shape alone";
        "Weights of the joint", [letter('h')], Action::SetViewMode(ViewMode::Weights),
            "Heat map: how strongly the selected joint moves each vertex, blue to red as in Blender";
        "Number of influences", [], Action::SetViewMode(ViewMode::Influences), "How many joints move each vertex";
        "Strongest joint", [letter('d')], Action::SetViewMode(ViewMode::DominantJoint), "A color for each joint's own region";
        "Weight sums", [], Action::SetViewMode(ViewMode::WeightSum), "Where the file's weights do not add up to 1";
        "Stretch", [letter('s')], Action::SetViewMode(ViewMode::Stretch),
            "Where the pose stretches or squeezes the mesh: candy wrappers and collapsing elbows";
        "Normals", [letter('n')], Action::SetViewMode(ViewMode::Normals), "Directions of the surface as colors";
        "Tangents", [], Action::SetViewMode(ViewMode::Tangents), "Directions of the tangents as colors";
        "UV checker", [letter('u')], Action::SetViewMode(ViewMode::Uv), "A checker on the first texture coordinates";
        "Vertex colors", [], Action::SetViewMode(ViewMode::VertexColors), "The vertices' own colors, without light";
        "Front and back", [], Action::SetViewMode(ViewMode::FaceOrientation), "Fronts blue, backs red: find flipped faces";
        "Depth", [], Action::SetViewMode(ViewMode::Depth), "Near light, far dark";
        "Wires alone", [], Action::SetViewMode(ViewMode::Wireframe), "Nothing but the edges of triangles";
        "Wireframe", [letter('w')], Action::ToggleOverlay(ViewportOverlay::Wires), "Edges of triangles over the surface";
        "Bones", [letter('x')], Action::ToggleOverlay(ViewportOverlay::Skeleton), "The bones, seen through the model";
        "Axes of joints", [letter('a')], Action::ToggleOverlay(ViewportOverlay::Axes), "X red, Y green, Z blue at every joint";
        "One bone for each vertex", [], Action::ToggleOverlay(ViewportOverlay::Rigid),
            "Each vertex on its strongest joint alone, as with rigid binding";
        "Poses before and after", [letter('o')], Action::ToggleOverlay(ViewportOverlay::Ghosts),
            "Ghosts, as onion skins: blue before, orange after";
        "Way of the joint", [letter('t')], Action::ToggleOverlay(ViewportOverlay::Trail),
            "The selected joint's way through the clip";
        "Rest pose beside", [], Action::ToggleOverlay(ViewportOverlay::RestBeside), "The unposed model next to the posed one";
        "Ground shadow", [letter('q')], Action::ToggleShadowCatcher, "Ground that shows a soft shadow";
        "Ground grid", [letter('g')], Action::ToggleOverlay(ViewportOverlay::Grid), "The ground, in cells of a power of ten meters";
        "Box around the clip", [], Action::ToggleOverlay(ViewportOverlay::Aabb), "The box that holds the whole clip";
    }
    "Compare" {
        "Compare with...", [control_shift('o')], Action::OpenCompareDialog, "Show a second file from the same place, at the same moment";
        "Compare: split", [letter('v')], Action::SetCompareMode(CompareMode::Split), "Both side by side, at a line to be dragged";
        "Compare: blink", [letter('i')], Action::SetCompareMode(CompareMode::Blink), "Both in turn: what jumps is what differs";
        "Compare: difference", [letter('e')], Action::SetCompareMode(CompareMode::Difference),
            "Gray where both are the same, red to white where they differ";
        "Differences", [], Action::ShowTab(Tab::Compare), "What differs between the two rigs, in words";
        "Stop comparing", [], Action::CloseComparison, "Show the first file alone";
    }
    "Window" {
        "Only the model", [plain(Key::Tab)], Action::TogglePanels, "Hide all panels, or show them again";
        "Scene tree", [plain(Key::F(2))], Action::TogglePanel(Panel::Tree), "Show or hide the tree of the file";
        "Side panel", [plain(Key::F(3))], Action::TogglePanel(Panel::Side), "Show or hide the panel at the right";
        "Timeline", [plain(Key::F(4))], Action::TogglePanel(Panel::Timeline), "Show or hide the timeline";
        "Clips", [plain(Key::F(6))], Action::ShowTab(Tab::Clips), "The clips of the file";
        "Details", [plain(Key::F(7))], Action::ShowTab(Tab::Details), "The numbers of what is selected";
        "Ways of looking", [plain(Key::F(9))], Action::ShowTab(Tab::DebugView), "What surfaces show, bones, ghosts, grid";
        "Crowd", [plain(Key::F(10))], Action::ShowTab(Tab::Crowd), "Many of the model, and what they cost";
        "Problems", [plain(Key::F(8))], Action::ShowTab(Tab::Problems), "What is odd about the file, and the cure";
        "Full screen", [plain(Key::F(11))], Action::ToggleFullScreen, "Fill the screen, or no longer";
        "Next backdrop", [letter('k')], Action::NextBackdrop, "Studio, white, gray, black or what lights it behind the model";
        "Backdrop: studio", [], Action::SetBackdrop(Backdrop::Studio), "A quiet backdrop, lighter in the middle";
        "Backdrop: white", [], Action::SetBackdrop(Backdrop::White), "White behind the model";
        "Backdrop: gray", [], Action::SetBackdrop(Backdrop::Gray), "Gray behind the model";
        "Backdrop: black", [], Action::SetBackdrop(Backdrop::Black), "Black behind the model";
        "Backdrop: environment", [], Action::SetBackdrop(Backdrop::Environment), "What lights the model, blurred, behind it";
        "Colors: as the system", [], Action::SetTheme(Theme::System), "Dark or light panels, as the system has it";
        "Colors: dark", [], Action::SetTheme(Theme::Dark), "Dark panels";
        "Colors: light", [], Action::SetTheme(Theme::Light), "Light panels";
        "Navigation: Blender", [], Action::SetNavigation(Navigation::Blender),
            "The middle button turns, with Shift it pans, the wheel zooms";
        "Navigation: Maya", [], Action::SetNavigation(Navigation::Maya),
            "The left button turns, the middle one pans, the right one zooms";
        "Navigation: trackpad", [], Action::SetNavigation(Navigation::Trackpad),
            "Two fingers turn, with Shift pan, with Control zoom";
        "Find an action", [control('k')], Action::ToggleCommandPalette, "Type a part of its name";
        "Keys", [letter('?'), plain(Key::F(1))], Action::ToggleShortcuts, "Show every key";
    }
};

/// The action that a key stands for.
pub(crate) fn of_key(key: Key, held: Modifiers) -> Option<Action> {
    let same = |chord: &KeyBinding| {
        // A sign may need Shift on one keyboard and not on another.
        let is_sign = matches!(key, Key::Letter(letter) if !letter.is_alphanumeric());
        chord.key == key && chord.control == held.control && (is_sign || chord.shift == held.shift)
    };
    COMMANDS.iter().find(|command| command.keys.iter().any(same)).map(|command| command.action.clone())
}

/// The command that does this.
pub(crate) fn command_for(action: &Action) -> Option<&'static UiCommand> {
    COMMANDS.iter().find(|command| command.action == *action)
}

impl std::fmt::Display for KeyBinding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.control {
            f.write_str(if cfg!(target_os = "macos") { "Cmd+" } else { "Ctrl+" })?;
        }
        if self.shift {
            f.write_str("Shift+")?;
        }
        match self.key {
            Key::Space => f.write_str("Space"),
            Key::Left => f.write_str("Left"),
            Key::Right => f.write_str("Right"),
            Key::Up => f.write_str("Up"),
            Key::Down => f.write_str("Down"),
            Key::Escape => f.write_str("Esc"),
            Key::Tab => f.write_str("Tab"),
            Key::PageUp => f.write_str("Page Up"),
            Key::PageDown => f.write_str("Page Down"),
            Key::Home => f.write_str("Home"),
            Key::End => f.write_str("End"),
            Key::F(number) => write!(f, "F{number}"),
            Key::Letter(letter) => write!(f, "{}", letter.to_ascii_uppercase()),
        }
    }
}

/// The commands that `asked` may mean, best first; all of them for no words.
///
/// Each letter of it must come in the name, in order; letters that begin a word, or follow each other, count more.
pub(crate) fn find(asked: &str) -> Vec<&'static UiCommand> {
    let mut found: Vec<(i32, &UiCommand)> = COMMANDS
        .iter()
        .filter_map(|command| {
            let by_name = fuzzy_score(asked, command.name);
            let by_group =
                fuzzy_score(asked, &format!("{} {}", command.group, command.name)).map(|fuzzy_score| fuzzy_score - 4);
            Some((by_name.max(by_group)?, command))
        })
        .collect();
    // A stable sort: what is as good stays in the order of the table.
    found.sort_by_key(|(fuzzy_score, _)| -fuzzy_score);
    found.into_iter().map(|(_, command)| command).collect()
}

/// How well `asked` names `name`; `None` where it does not.
pub(crate) fn fuzzy_score(asked: &str, name: &str) -> Option<i32> {
    if asked.trim().is_empty() {
        // All names are as good, whatever their length.
        return Some(0);
    }
    let lower = |text: &str| text.to_lowercase().chars().collect::<Vec<_>>();
    let (asked, name) = (lower(asked), lower(name));
    let (mut fuzzy_score, mut next, mut last) = (0, 0, None);
    for letter in asked.iter().filter(|letter| !letter.is_whitespace()) {
        // A run goes on if it can; else the letter is sought at the start of a word, else anywhere.
        let starts_word = |i: usize| i == 0 || !name[i - 1].is_alphanumeric();
        let after = last.map(|last: usize| last + 1).filter(|&i| name.get(i) == Some(letter));
        let at_word = || (next..name.len()).find(|&i| name[i] == *letter && starts_word(i));
        let anywhere = || (next..name.len()).find(|&i| name[i] == *letter);
        let place = after.or_else(at_word).or_else(anywhere)?;
        fuzzy_score += match (after.is_some(), starts_word(place)) {
            (true, _) => 3,
            (_, true) => 4,
            _ => 0,
        };
        (next, last) = (place + 1, Some(place));
    }
    Some(fuzzy_score * 4 - name.len() as i32 / 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_does_two_things_and_no_name_is_taken_twice() {
        for (i, command) in COMMANDS.iter().enumerate() {
            for other in &COMMANDS[i + 1..] {
                assert!(command.name != other.name, "{}", command.name);
                let both = command.keys.iter().find(|chord| other.keys.contains(chord));
                assert!(both.is_none(), "{both:?}: {} and {}", command.name, other.name);
            }
        }
    }

    #[test]
    fn every_command_has_its_line_and_every_chord_its_words() {
        for command in COMMANDS {
            assert!(!command.help.is_empty() && !command.help.ends_with('.'), "{}", command.name);
            assert!(command.keys.iter().all(|chord| !chord.to_string().is_empty()));
        }
        assert_eq!(control_shift('c').to_string().replace("Cmd", "Ctrl"), "Ctrl+Shift+C");
    }

    #[test]
    fn a_part_of_the_name_finds_it() {
        let first = |asked| find(asked)[0].name;
        assert_eq!(first("full"), "Full screen");
        assert_eq!(first("only"), "Only the model");
        assert_eq!(first("ntf"), "Next file");
        assert_eq!(first("copy as"), "Copy as command");
        assert_eq!(first("BLACK"), "Backdrop: black");
        assert_eq!(find("").len(), COMMANDS.len());
        assert!(find("xyzzy").is_empty());
    }

    #[test]
    fn signs_do_not_care_for_shift() {
        let shift = Modifiers { shift: true, control: false };
        assert_eq!(of_key(Key::Letter('?'), shift), Some(Action::ToggleShortcuts));
        assert_eq!(of_key(Key::Letter('+'), Modifiers::default()), Some(Action::Zoom(1.0)));
        assert_eq!(of_key(Key::Letter('f'), shift), None);
    }
}
