//! Command palette: finds settings, clips, joints and other names of the file, and opens files by path.

use crate::app::files::model_folder::names_in_folder;
use crate::app::viewer::actions::{
    Action, CameraAction, CommandRank, FileAction, PlaybackAction, PoseAction, SelectionAction, UiCommand, find,
};
use crate::app::viewer::analysis::outline::named;
use crate::app::viewer::state::{Document, FilePurpose, Selection};
use crate::app::viewer::ui::UiContext;
use crate::app::viewer::ui::widgets::{ListRow, SCROLL_BAR_WIDTH};
use crate::request::{is_convertible, is_model_file, is_motion_file, is_panorama_file};
use egui::text::{CCursor, CCursorRange};
use egui::{Align2, Area, Event, Frame, Id, Key, Margin, Modifiers, Order, ScrollArea, TextEdit, Ui, vec2};
use rigview_check::names::{MatchRank, NameSearch};
use rigview_core::model::{CameraIndex, ClipIndex, ExpressionIndex, JointIndex};
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
    /// Entries of the folder of the typed path.
    listing: Listing,
}

/// Names in a folder, those of folders with a separator, in natural order.
#[derive(Default)]
struct Listing {
    folder: PathBuf,
    names: Vec<String>,
}

impl Listing {
    /// Reads the folder of `path` unless it is that of the last call.
    fn follow(&mut self, path: &Path, is_folder: bool) {
        let folder = if is_folder { path } else { path.parent().unwrap_or(path) };
        if self.folder == folder && !self.names.is_empty() {
            return;
        }
        self.names = names_in_folder(if folder == Path::new("") { Path::new(".") } else { folder });
        self.folder = folder.to_owned();
    }

    /// Names that begin with `start` in any case: folders, and files with a use. Hidden ones need their dot.
    fn matches<'a>(&'a self, start: &str) -> impl Iterator<Item = &'a String> {
        let (start, is_hidden) = (start.to_lowercase(), start.starts_with('.'));
        self.names.iter().filter(move |name| {
            let is_offered =
                name.ends_with(MAIN_SEPARATOR) || USES.iter().any(|(use_, _)| fits(*use_, Path::new(name)));
            is_offered && name.starts_with('.') == is_hidden && name.to_lowercase().starts_with(&start)
        })
    }

    fn has(&self, name: &str) -> bool {
        self.names.iter().any(|other| other == name)
    }
}

/// Uses of a file.
const USES: [(FilePurpose, &str); 7] = [
    (FilePurpose::Open, "Open"),
    (FilePurpose::Compare, "Compare with"),
    (FilePurpose::ImportClips, "Import clips from"),
    (FilePurpose::Environment, "Light with"),
    (FilePurpose::FlexLimits, "Flex by the limits of"),
    (FilePurpose::Profile, "Check by the rules of"),
    (FilePurpose::Ground, "Feet on"),
];

/// Returns `true` if a file of this name can have the use.
fn fits(purpose: FilePurpose, file: &Path) -> bool {
    let is_model = is_model_file(file) || is_convertible(file);
    match purpose {
        FilePurpose::Open | FilePurpose::ImportClips => is_model,
        FilePurpose::Compare | FilePurpose::Ground => is_model && !is_motion_file(file),
        FilePurpose::Environment => is_panorama_file(file),
        FilePurpose::FlexLimits | FilePurpose::Profile => file.extension().is_some_and(|extension| extension == "toml"),
        FilePurpose::ExportFolder => false,
    }
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
    action: Option<Action>,
}

impl PaletteItem {
    fn new(label: impl Into<String>, note: impl Into<String>, action: impl Into<Action>) -> Self {
        Self { label: label.into(), note: note.into(), action: Some(action.into()) }
    }
}

/// The names in the open file that the palette finds, in file order.
fn named_items(document: &Document) -> Vec<PaletteItem> {
    let model = document.scene.model();
    let select = |joint| SelectionAction::Select(Some(Selection::Joint(joint)));
    let item = |kind, (i, name): (usize, &Option<String>), action: Action| {
        PaletteItem::new(named(name.as_deref(), kind, i), kind, action)
    };
    let clips = model.clips.iter().map(|clip| &clip.name).enumerate();
    let clips = clips.map(|of| item("clip", of, PlaybackAction::PlayClip(Some(ClipIndex(of.0 as u32))).into()));
    let joints = (0..model.skeleton.len() as u32)
        .map(|joint| PaletteItem::new(document.outline.joint(JointIndex(joint)), "node", select(JointIndex(joint))));
    let cameras = model.cameras.iter().map(|camera| &camera.name).enumerate();
    let camera = |i| CameraAction::UseModelCamera(Some(CameraIndex(i as u32))).into();
    let cameras = cameras.map(|of| item("camera", of, camera(of.0)));
    let variants = model.variants.iter().enumerate();
    let variants = variants.map(|of| item("variant", of, FileAction::ShowVariant(Some(of.0)).into()));
    let value_of = |index| document.scene.overrides().expressions().iter().find(|(other, _)| *other == index);
    let expressions = model.expressions.iter().enumerate().filter(|(_, expression)| expression.has_effect());
    let expressions = expressions.map(|(i, expression)| {
        let i = ExpressionIndex(i as u32);
        let value = if value_of(i).is_some_and(|(_, value)| *value != 0.0) { 0.0 } else { 1.0 };
        PaletteItem::new(expression.label(), "expression", PoseAction::SetExpression(i, value))
    });
    let roles = document.scene.rig_map().ok().into_iter().flat_map(|map| {
        Role::all().filter_map(move |role| {
            let joint = map.get(role)?.joint;
            let note = format!("role of {}", document.outline.joint(joint));
            Some(PaletteItem::new(role.to_string(), note, select(joint)))
        })
    });
    // The properties of the node have the sliders.
    let morphs = model.morphs().into_iter().map(|morph| PaletteItem::new(morph.name, "morph", select(morph.joint)));
    clips.chain(expressions).chain(roles).chain(joints).chain(cameras).chain(variants).chain(morphs).collect()
}

/// Items that match `text`, best first.
fn items(text: &str, purpose: FilePurpose, names: &[PaletteItem], listing: &Listing) -> Vec<PaletteItem> {
    if is_path(text) {
        return file_items(text, purpose, listing);
    }
    let mut items = if is_model_file(Path::new(text.trim())) { file_items(text, purpose, listing) } else { Vec::new() };
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

/// The typed path up to its last separator, and the rest.
fn split_path(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_at(text.rfind(['/', MAIN_SEPARATOR]).map_or(0, |separator| separator + 1))
}

/// Uses of the file whose path is `text`, that of `purpose` first, and paths that begin with it.
fn file_items(text: &str, purpose: FilePurpose, listing: &Listing) -> Vec<PaletteItem> {
    let (path, (folder, start)) = (path_of(text), split_path(text));
    let mut uses: Vec<_> = match start.trim_end() {
        "" if !listing.names.is_empty() => vec![(FilePurpose::Open, "Open all models in")],
        "" => Vec::new(),
        name if listing.has(name) => USES.into_iter().filter(|(use_, _)| fits(*use_, &path)).collect(),
        _ => Vec::new(),
    };
    uses.sort_by_key(|(use_, ..)| *use_ != purpose);
    let action = |purpose| Action::of_file(purpose, path.clone());
    let item = |(purpose, verb)| PaletteItem::new(format!("{verb} {}", text.trim()), "file", action(purpose));
    let uses = uses.into_iter().map(item);
    let others = listing.matches(start).filter(|name| *name != start);
    let completion = |name| PaletteItem { label: format!("{folder}{name}"), note: "Tab".to_owned(), action: None };
    uses.chain(others.map(completion)).take(MAX_ITEMS).collect()
}

/// Completes a typed path as far as all names that begin with it are equal.
fn completed(text: &str, listing: &Listing) -> Option<String> {
    let (folder, start) = split_path(text);
    let mut names = listing.matches(start);
    let first = names.next()?;
    let shared = names.fold(first.as_str(), |shared, name| {
        let equal =
            shared.char_indices().zip(name.chars()).take_while(|((_, a), b)| a.to_lowercase().eq(b.to_lowercase()));
        let end = equal.last().map_or(0, |((at, c), _)| at + c.len_utf8());
        &shared[..end]
    });
    Some(format!("{folder}{shared}")).filter(|completed| completed.len() > text.trim_start().len())
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
pub(crate) fn show(ui: &mut Ui, state: &mut PaletteState, ctx: &UiContext<'_>) -> bool {
    let screen = ui.ctx().content_rect();
    let names = ctx.document.as_ref().map(named_items).unwrap_or_default();
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
                if is_path(&state.text) || is_model_file(Path::new(state.text.trim())) {
                    state.listing.follow(&path_of(&state.text), state.text.ends_with(['/', MAIN_SEPARATOR]));
                }
                let items = items(&state.text, state.purpose, &names, &state.listing);
                if items.is_empty() && is_path(&state.text) {
                    ui.weak("There is no such file.");
                }
                let last = items.len().saturating_sub(1);
                let selected = (state.selected + keys.down).saturating_sub(keys.up).min(last);
                let moved = std::mem::replace(&mut state.selected, selected) != selected;
                ui.add_space(4.0);
                let max_height = (screen.height() * 0.6).clamp(40.0, 360.0);
                ScrollArea::vertical().max_height(max_height).min_scrolled_height(max_height).auto_shrink(false).show(
                    ui,
                    |ui| {
                        let clicked = item_list(ui, &items, selected, moved);
                        let accepted = clicked.or((keys.enter || keys.tab).then_some(selected));
                        let accepted = accepted.and_then(|i| items.get(i));
                        // Tab completes a path; one that it cannot complete further takes the selected name.
                        let path = keys.tab.then(|| completed(&state.text, &state.listing)).flatten();
                        let path = path
                            .or_else(|| accepted.filter(|item| item.action.is_none()).map(|item| item.label.clone()));
                        if let Some(path) = path {
                            (state.text, state.selected, state.move_cursor_to_end) = (path, 0, true);
                            ui.ctx().request_repaint();
                        } else if let Some(action) = accepted.filter(|_| !keys.tab).and_then(|item| item.action.clone())
                        {
                            ctx.push(action);
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
    tab: bool,
    escape: bool,
}

impl PaletteKeys {
    fn consume(ui: &mut Ui) -> Self {
        ui.input_mut(|input| Self {
            up: input.count_and_consume_key(Modifiers::NONE, Key::ArrowUp),
            down: input.count_and_consume_key(Modifiers::NONE, Key::ArrowDown),
            enter: input.consume_key(Modifiers::NONE, Key::Enter),
            tab: input.consume_key(Modifiers::NONE, Key::Tab),
            escape: input.consume_key(Modifiers::NONE, Key::Escape),
        })
    }
}

/// Adds the text field with the keyboard focus. Returns `true` if the user edited the text.
fn text_field(ui: &mut Ui, state: &mut PaletteState) -> bool {
    // The first frame may have the text that was typed after the shortcut: without the focus, the field loses it.
    let id = Id::unique("palette text");
    ui.memory_mut(|memory| memory.request_focus(id));
    let field = TextEdit::singleline(&mut state.text)
        .id(id)
        .hint_text("Setting, clip, joint, role, expression, camera, morph or path of a file")
        .lock_focus(true)
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
    ui.set_max_width(ui.available_width() - SCROLL_BAR_WIDTH);
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
    use crate::app::viewer::actions::{WindowAction, tests};

    #[test]
    fn commands_names_and_files_are_found() {
        let play = |clip| Action::Playback(PlaybackAction::PlayClip(Some(ClipIndex(clip))));
        let select = Action::Selection(SelectionAction::Select(Some(Selection::Joint(JointIndex(0)))));
        let names = [("Walk", "clip", play(0)), ("Run", "clip", play(1)), ("tail_03", "node", select.clone())];
        let names = names.map(|(name, kind, action)| PaletteItem::new(name, kind, action));
        let listing = Listing { names: ["a.glb", "c.glb"].map(str::to_owned).to_vec(), ..Listing::default() };
        let found = |text: &str, purpose| items(text, purpose, &names, &listing);
        let first = |text: &str| found(text, FilePurpose::Open)[0].action.clone().unwrap();
        assert_eq!((first("walk"), first("tail")), (play(0), select));
        assert_eq!(first("full scr"), Action::Window(WindowAction::ToggleFullScreen));
        assert_eq!(first(" /a b/c.glb"), Action::File(FileAction::Open("/a b/c.glb".into())));
        assert_eq!(first("models/c.glb"), Action::File(FileAction::Open("models/c.glb".into())));
        let import = found("/a.glb", FilePurpose::ImportClips)[0].action.clone().unwrap();
        assert_eq!(import, Action::File(FileAction::ImportClips("/a.glb".into())));
        assert!(found("", FilePurpose::Open).iter().all(|item| item.note != "node"));
        assert!(found("qqqqq", FilePurpose::Open).is_empty());
    }

    #[test]
    fn roles_of_joints_are_found() {
        let document = tests::document("mannequin.glb");
        let (names, skeleton) = (named_items(&document), &document.scene.model().skeleton);
        for (query, role) in [("leftUpperArm", "leftUpperArm"), ("left upper arm", "leftUpperArm"), ("hips", "hips")] {
            let first = items(query, FilePurpose::Open, &names, &Listing::default()).swap_remove(0);
            let joint = document.scene.rig_map().unwrap().get(Role::from_name(role).unwrap()).unwrap().joint;
            let select = Action::Selection(SelectionAction::Select(Some(Selection::Joint(joint))));
            assert_eq!(first.action, Some(select), "{query}: {}", skeleton.unambiguous_name(joint));
        }
    }

    #[test]
    fn paths_are_completed_and_only_files_have_uses() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["walk_1.glb", "Walk_10.bvh", "walk_2.glb", "sky.hdr", "rules.toml", "notes.txt", ".hidden.glb"] {
            std::fs::write(folder.path().join(name), b"").unwrap();
        }
        std::fs::create_dir(folder.path().join("library")).unwrap();
        let root = format!("{}{MAIN_SEPARATOR}", folder.path().display());
        let found = |typed: &str, purpose| -> (Vec<String>, Option<String>) {
            let (text, mut listing) = (format!("{root}{typed}"), Listing::default());
            listing.follow(&path_of(&text), text.ends_with(MAIN_SEPARATOR));
            let labels = file_items(&text, purpose, &listing).into_iter().map(|item| item.label.replace(&root, ""));
            (labels.collect(), completed(&text, &listing).map(|text| text.replace(&root, "")))
        };
        let library = format!("library{MAIN_SEPARATOR}");
        let all = ["Open all models in ", &library, "rules.toml", "sky.hdr", "walk_1.glb", "walk_2.glb", "Walk_10.bvh"];
        assert_eq!(found("", FilePurpose::Open), (all.map(str::to_owned).to_vec(), None));
        assert_eq!(found("wa", FilePurpose::Open).1.as_deref(), Some("walk_"));
        assert_eq!(found("WALK_2", FilePurpose::Open).1.as_deref(), Some("walk_2.glb"));
        assert_eq!(found("li", FilePurpose::Open).1, Some(library));
        let import = ["Import clips from Walk_10.bvh", "Open Walk_10.bvh"];
        assert_eq!(found("Walk_10.bvh", FilePurpose::ImportClips), (import.map(str::to_owned).to_vec(), None));
        assert_eq!(found("sky.hdr", FilePurpose::Open).0, ["Light with sky.hdr"]);
        assert_eq!(found("no such", FilePurpose::Open), (Vec::new(), None));
        assert_eq!(found(".h", FilePurpose::Open).0, [".hidden.glb"]);
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
