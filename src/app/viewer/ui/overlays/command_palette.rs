//! Command palette: finds settings, clips, joints and other names of the file, and opens files by path.

use crate::app::viewer::actions::{
    Action, CameraAction, CommandRank, FileAction, PlaybackAction, PoseAction, SelectionAction, UiCommand, find,
};
use crate::app::viewer::analysis::outline::named;
use crate::app::viewer::state::Selection;
use crate::app::viewer::state::document::Document;
use crate::app::viewer::state::file_list::FilePurpose;
use crate::app::viewer::ui::context::UiContext;
use crate::app::viewer::ui::widgets::ListRow;
use crate::request::is_model_file;
use egui::text::{CCursor, CCursorRange};
use egui::{Align2, Area, Event, Frame, Id, Key, Margin, Modifiers, Order, ScrollArea, TextEdit, Ui, vec2};
use rigview_check::names::{MatchRank, NameSearch};
use rigview_core::model::{CameraIndex, ClipIndex, JointIndex};
use rigview_core::retarget::Role;
use std::cmp::Reverse;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

const MAX_ITEMS: usize = 60;

#[derive(Default)]
pub(crate) struct PaletteState {
    text: String,
    selected: usize,
    /// First use that is offered for a file.
    purpose: FilePurpose,
    /// The text was set by the program: the cursor must move to its end.
    move_cursor_to_end: bool,
}

impl PaletteState {
    /// The state with the path of `folder` typed.
    pub(crate) fn with_folder(purpose: FilePurpose, folder: &Path) -> Self {
        let text = format!("{}{MAIN_SEPARATOR}", folder.display().to_string().trim_end_matches(MAIN_SEPARATOR));
        Self { text, purpose, move_cursor_to_end: true, ..Self::default() }
    }
}

#[derive(Clone, Debug, PartialEq)]
struct PaletteItem {
    label: String,
    note: String,
    action: Action,
}

impl PaletteItem {
    fn new(label: impl Into<String>, note: impl Into<String>, action: Action) -> Self {
        Self { label: label.into(), note: note.into(), action }
    }
}

/// The names in the open file that the palette finds, in file order.
fn named_items(document: &Document) -> Vec<PaletteItem> {
    let model = document.scene.model();
    let select = |joint| Action::Selection(SelectionAction::Select(Some(Selection::Joint(joint))));
    let clips = model.clips.iter().enumerate().map(|(i, clip)| {
        let action = Action::Playback(PlaybackAction::PlayClip(Some(ClipIndex(i as u32))));
        PaletteItem::new(named(clip.name.as_deref(), "clip", i), "clip", action)
    });
    let joints = (0..model.skeleton.len() as u32)
        .map(|joint| PaletteItem::new(document.outline.joint(JointIndex(joint)), "node", select(JointIndex(joint))));
    let cameras = model.cameras.iter().enumerate().map(|(i, camera)| {
        let action = Action::Camera(CameraAction::UseModelCamera(Some(CameraIndex(i as u32))));
        PaletteItem::new(named(camera.name.as_deref(), "camera", i), "camera", action)
    });
    let variants = model.variants.iter().enumerate().map(|(i, name)| {
        PaletteItem::new(
            named(name.as_deref(), "variant", i),
            "variant",
            Action::File(FileAction::ShowVariant(Some(i))),
        )
    });
    let value_of = |index| document.scene.overrides().expressions().iter().find(|(other, _)| *other == index);
    let expressions = model.expressions.iter().enumerate().filter(|(_, expression)| expression.has_effect());
    let expressions = expressions.map(|(i, expression)| {
        let value = if value_of(i).is_some_and(|(_, value)| *value != 0.0) { 0.0 } else { 1.0 };
        PaletteItem::new(expression.label(), "expression", Action::Pose(PoseAction::SetExpression(i, value)))
    });
    let roles = document.scene.rig_map().ok().into_iter().flat_map(|map| {
        Role::all().filter_map(move |role| {
            let joint = map.get(role)?.joint;
            Some(PaletteItem::new(
                role.to_string(),
                format!("role of {}", document.outline.joint(joint)),
                select(joint),
            ))
        })
    });
    // The properties of the node have the sliders.
    let morphs = model.morphs().into_iter().map(|morph| PaletteItem::new(morph.name, "morph", select(morph.joint)));
    clips.chain(expressions).chain(roles).chain(joints).chain(cameras).chain(variants).chain(morphs).collect()
}

/// Items that match `text`, best first.
fn items(text: &str, purpose: FilePurpose, names: &[PaletteItem]) -> Vec<PaletteItem> {
    if is_path(text) {
        return file_items(text, purpose);
    }
    let mut items = if is_model_file(Path::new(text.trim())) { file_items(text, purpose) } else { Vec::new() };
    let command = |(rank, command): (CommandRank, &UiCommand)| {
        let key = command.keys().next().map(ToString::to_string).unwrap_or_default();
        let label = format!("{}: {}", command.group, command.name);
        (rank, PaletteItem::new(label, key, command.action.clone()))
    };
    let mut found: Vec<(CommandRank, PaletteItem)> = find(text).into_iter().map(command).collect();
    if text.trim().len() > 1 {
        let search = NameSearch::new(text);
        let named = |item: &PaletteItem| match search.rank(&item.label)? {
            MatchRank::Middle => Some((CommandRank::Middle, item.clone())),
            rank => Some((CommandRank::Name(rank), item.clone())),
        };
        found.extend(names.iter().filter_map(named));
        // A stable sort keeps commands before equally good names.
        found.sort_by_key(|(rank, _)| Reverse(*rank));
    }
    items.extend(found.into_iter().map(|(_, item)| item));
    items.truncate(MAX_ITEMS);
    items
}

/// Uses of the file whose path is `text`, that of `purpose` first. A missing file is an error of the use.
fn file_items(text: &str, purpose: FilePurpose) -> Vec<PaletteItem> {
    let path = path_of(text);
    let mut uses = [
        (FilePurpose::Open, "Open"),
        (FilePurpose::Compare, "Compare with"),
        (FilePurpose::ImportClips, "Import clips from"),
        (FilePurpose::Environment, "Light with"),
        (FilePurpose::FlexLimits, "Flex by the limits of"),
        (FilePurpose::Profile, "Check by the rules of"),
        (FilePurpose::Ground, "Feet on"),
    ];
    uses.sort_by_key(|(use_, ..)| *use_ != purpose);
    let action = |purpose| Action::of_file(purpose, path.clone());
    let item = |(purpose, verb)| PaletteItem::new(format!("{verb} {}", text.trim()), "file", action(purpose));
    uses.into_iter().map(item).collect()
}

/// Returns `true` if `text` is a path rather than a name.
fn is_path(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with(['/', '~', '\\'])
        || text.starts_with("./")
        || text.starts_with("../")
        || matches!(text.get(1..3), Some(":\\" | ":/"))
}

/// Expands `~` to the home folder. An absolute path that is typed after a folder replaces it: `~/models//other/fox.glb`.
fn path_of(text: &str) -> PathBuf {
    let text = text.trim();
    let text = text
        .rfind("//")
        .or_else(|| text.rfind("/~/"))
        .filter(|slash| *slash > 0)
        .map_or(text, |slash| &text[slash + 1..]);
    let rest = text.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with(['/', MAIN_SEPARATOR]));
    match rest.zip(directories::BaseDirs::new()) {
        Some((rest, folders)) => folders.home_dir().join(rest.trim_start_matches(['/', '\\'])),
        None => PathBuf::from(text),
    }
}

/// Returns `true` if the palette must close.
pub(crate) fn show(ui: &mut Ui, state: &mut PaletteState, ctx: &UiContext<'_>, actions: &mut Vec<Action>) -> bool {
    let screen = ui.ctx().content_rect();
    let names = ctx.document.map(named_items).unwrap_or_default();
    let keys = PaletteKeys::consume(ui);
    let mut close = keys.escape;
    Area::new(Id::unique("palette"))
        .order(Order::Foreground)
        .anchor(Align2::CENTER_TOP, vec2(0.0, screen.height() * 0.12))
        .show(ui.ctx(), |ui| {
            Frame::popup(ui.style()).inner_margin(Margin::same(8)).show(ui, |ui| {
                ui.set_width((screen.width() - 40.0).clamp(100.0, 460.0));
                if text_field(ui, state) {
                    state.selected = 0;
                }
                let items = items(&state.text, state.purpose, &names);
                let last = items.len().saturating_sub(1);
                let selected = (state.selected + keys.down).saturating_sub(keys.up).min(last);
                let moved = std::mem::replace(&mut state.selected, selected) != selected;
                ui.add_space(4.0);
                let max_height = (screen.height() * 0.6).clamp(40.0, 360.0);
                ScrollArea::vertical().max_height(max_height).min_scrolled_height(max_height).auto_shrink(false).show(
                    ui,
                    |ui| {
                        let clicked = item_list(ui, &items, selected, moved);
                        if let Some(accepted) = clicked.or(keys.enter.then_some(selected)).and_then(|i| items.get(i)) {
                            actions.push(accepted.action.clone());
                            close = true;
                        }
                    },
                );
            });
        });
    close
}

/// Keys that the palette handles itself.
struct PaletteKeys {
    up: usize,
    down: usize,
    enter: bool,
    escape: bool,
}

impl PaletteKeys {
    fn consume(ui: &mut Ui) -> Self {
        ui.input_mut(|input| Self {
            up: input.count_and_consume_key(Modifiers::NONE, Key::ArrowUp),
            down: input.count_and_consume_key(Modifiers::NONE, Key::ArrowDown),
            enter: input.consume_key(Modifiers::NONE, Key::Enter),
            escape: input.consume_key(Modifiers::NONE, Key::Escape),
        })
    }
}

/// Adds the text field with the keyboard focus. Returns `true` if the user edited the text.
fn text_field(ui: &mut Ui, state: &mut PaletteState) -> bool {
    let field = TextEdit::singleline(&mut state.text)
        .hint_text("Name of a setting, clip, joint, role, expression, camera or morph, or path of a file")
        .desired_width(f32::INFINITY);
    // A pasted absolute path replaces the typed folder.
    let pasted = ui.input(|input| {
        input.events.iter().rev().find_map(|event| match event {
            Event::Paste(text) if is_path(text) => Some(text.trim().to_owned()),
            _ => None,
        })
    });
    let mut output = field.show(ui);
    if let Some(path) = pasted {
        (state.text, state.move_cursor_to_end) = (path, true);
    }
    output.response.request_focus();
    if std::mem::take(&mut state.move_cursor_to_end) {
        let end = CCursor::new(state.text.chars().count());
        output.state.cursor.set_char_range(Some(CCursorRange::one(end)));
        output.state.store(ui.ctx(), output.response.id);
    }
    output.response.changed()
}

/// Adds all items and scrolls to the selected one if `scroll`. Returns the index of the clicked item.
fn item_list(ui: &mut Ui, items: &[PaletteItem], selected: usize, scroll: bool) -> Option<usize> {
    ui.spacing_mut().item_spacing.y = 1.0;
    let mut clicked = None;
    for (i, item) in items.iter().enumerate() {
        let row =
            ListRow { name: &item.label, note: &item.note, selected: i == selected, indent: 6.0, ..ListRow::default() };
        let response = row.show(ui);
        if scroll && i == selected {
            response.scroll_to_me(None);
        }
        if response.clicked() {
            clicked = Some(i);
        }
    }
    if items.is_empty() {
        ui.weak("No matches.");
    }
    clicked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::scene::LoadedScene;
    use crate::app::viewer::actions::WindowAction;
    use crate::request::SceneRequest;
    use rigview_core::import::ImageLoading;

    #[test]
    fn commands_names_and_files_are_found() {
        let play = |clip| Action::Playback(PlaybackAction::PlayClip(Some(ClipIndex(clip))));
        let select = Action::Selection(SelectionAction::Select(Some(Selection::Joint(JointIndex(0)))));
        let names = [("Walk", "clip", play(0)), ("Run", "clip", play(1)), ("tail_03", "node", select.clone())];
        let names = names.map(|(name, kind, action)| PaletteItem::new(name, kind, action));
        let found = |text: &str, purpose| items(text, purpose, &names);
        let first = |text: &str| found(text, FilePurpose::Open)[0].action.clone();
        assert_eq!((first("walk"), first("tail")), (play(0), select));
        assert_eq!(first("full scr"), Action::Window(WindowAction::ToggleFullScreen));
        assert_eq!(first(" /a b/c.glb"), Action::File(FileAction::Open("/a b/c.glb".into())));
        assert_eq!(first("models/c.glb"), Action::File(FileAction::Open("models/c.glb".into())));
        let import = found("/a.glb", FilePurpose::ImportClips)[0].action.clone();
        assert_eq!(import, Action::File(FileAction::ImportClips("/a.glb".into())));
        assert!(found("", FilePurpose::Open).iter().all(|item| item.note != "node"));
        assert!(found("qqqqq", FilePurpose::Open).is_empty());
    }

    #[test]
    fn roles_of_joints_are_found() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/mannequin.glb");
        let request = SceneRequest::default();
        let scene = LoadedScene::open(&file, &request, ImageLoading::SizesOnly).unwrap();
        let document = Document::new(scene, &request, 24.0, 1.0);
        let (names, skeleton) = (named_items(&document), &document.scene.model().skeleton);
        for (query, role) in [("leftUpperArm", "leftUpperArm"), ("left upper arm", "leftUpperArm"), ("hips", "hips")] {
            let first = items(query, FilePurpose::Open, &names).swap_remove(0);
            let joint = document.scene.rig_map().unwrap().get(Role::from_name(role).unwrap()).unwrap().joint;
            let select = Action::Selection(SelectionAction::Select(Some(Selection::Joint(joint))));
            assert_eq!(first.action, select, "{query}: {}", skeleton.unambiguous_name(joint));
        }
    }

    #[test]
    fn paths_begin_with_a_root_or_a_dot_and_tilde_is_the_home_folder() {
        assert!(["/a", "~", "./a", "../a", "C:\\a", "C:/a", "\\\\server"].into_iter().all(is_path));
        assert!(!["a/b", "hare", "a: b", "C:"].into_iter().any(is_path));
        let home = directories::BaseDirs::new().unwrap().home_dir().to_owned();
        assert_eq!(path_of("~"), home);
        assert_eq!(path_of(" ~/a b.glb "), home.join("a b.glb"));
        assert_eq!(path_of("~x/a.glb"), PathBuf::from("~x/a.glb"));
        assert_eq!(path_of("~/models//other/fox.glb"), PathBuf::from("/other/fox.glb"));
        assert_eq!(path_of("/models/~/fox.glb"), home.join("fox.glb"));
    }
}
