//! Command palette: finds commands, clips and joints by name, and opens files by path.

use crate::app::scene::pose_overrides::morphs;
use crate::app::viewer::actions::{
    Action, CameraAction, ComparisonAction, FileAction, LightAction, PlaybackAction, SelectionAction, find,
};
use crate::app::viewer::analysis::fuzzy::FuzzySearch;
use crate::app::viewer::analysis::outline::named;
use crate::app::viewer::analysis::path_completion::{Completion, PathMatches, is_path, path_of};
use crate::app::viewer::jobs::latest_worker::LatestWorker;
use crate::app::viewer::state::Selection;
use crate::app::viewer::state::document::Document;
use crate::app::viewer::state::file_list::FileDialogPurpose;
use crate::app::viewer::ui::context::UiContext;
use crate::app::viewer::ui::widgets::ListRow;
use crate::request::EnvironmentRequest;
use egui::text::{CCursor, CCursorRange};
use egui::{Align2, Area, Context, Event, Frame, Id, Key, Margin, Modifiers, Order, ScrollArea, TextEdit, Ui, vec2};
use rigview_core::model::{CameraIndex, ClipIndex, JointIndex};
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

const MAX_ITEMS: usize = 60;

/// Interval of looking for the result of a path search.
const POLL_INTERVAL: Duration = Duration::from_millis(30);

#[derive(Default)]
pub(crate) struct PaletteState {
    text: String,
    selected: usize,
    completer: Option<PathCompleter>,
    /// First use that is offered for a file.
    purpose: FileDialogPurpose,
    /// The text was set by the program: the cursor must move to its end.
    move_cursor_to_end: bool,
}

impl PaletteState {
    /// The state with the path of `folder` typed.
    pub(crate) fn with_folder(purpose: FileDialogPurpose, folder: &Path) -> Self {
        let text = format!("{}{MAIN_SEPARATOR}", folder.display().to_string().trim_end_matches(MAIN_SEPARATOR));
        Self { text, purpose, move_cursor_to_end: true, ..Self::default() }
    }

    /// The latest matches of the typed path; empty for other texts. Reads the disk on a thread, so that slow disks do not stall
    /// the window.
    fn path_matches(&mut self, context: &Context) -> PathMatches {
        if !is_path(&self.text) && !self.text.contains(['/', '\\', '.']) {
            return PathMatches::default();
        }
        self.completer.get_or_insert_with(PathCompleter::new).matches(&self.text, context)
    }

    fn accept(&mut self, item: &PaletteItem, actions: &mut Vec<Action>) -> bool {
        match &item.on_accept {
            OnAccept::Run(action) => {
                actions.push(action.clone());
                true
            }
            OnAccept::Complete(path) => {
                (self.text, self.selected, self.move_cursor_to_end) = (path.clone(), 0, true);
                false
            }
        }
    }
}

/// Searches the disk for typed paths on a thread.
struct PathCompleter {
    worker: LatestWorker<String>,
    requested: String,
    /// The text of the last finished search, and its matches.
    finished: Arc<Mutex<(String, PathMatches)>>,
}

impl PathCompleter {
    fn new() -> Self {
        let finished: Arc<Mutex<(String, PathMatches)>> = Arc::default();
        let results = Arc::clone(&finished);
        let worker = LatestWorker::new(move |text: String| {
            let matches = PathMatches::of(&text);
            *results.lock().unwrap_or_else(PoisonError::into_inner) = (text, matches);
        });
        Self { worker, requested: String::new(), finished }
    }

    /// The matches of `text`, or of an earlier text until they are found.
    fn matches(&mut self, text: &str, context: &Context) -> PathMatches {
        if self.requested != text {
            text.clone_into(&mut self.requested);
            self.worker.submit(text.to_owned());
        }
        let finished = self.finished.lock().unwrap_or_else(PoisonError::into_inner);
        if finished.0 != text {
            context.request_repaint_after(POLL_INTERVAL);
        }
        // A file of an earlier text must not be opened.
        PathMatches { is_file: finished.1.is_file && finished.0 == text, ..finished.1.clone() }
    }
}

#[derive(Clone, Debug, PartialEq)]
struct PaletteItem {
    label: String,
    note: String,
    on_accept: OnAccept,
}

impl PaletteItem {
    fn new(label: impl Into<String>, note: impl Into<String>, on_accept: OnAccept) -> Self {
        Self { label: label.into(), note: note.into(), on_accept }
    }
}

#[derive(Clone, Debug, PartialEq)]
enum OnAccept {
    /// Runs an action and closes the palette.
    Run(Action),
    /// Replaces the typed text; the palette stays open.
    Complete(String),
}

/// Names in the open file that the palette finds.
#[derive(Default)]
struct Names {
    clips: Vec<String>,
    joints: Vec<String>,
    cameras: Vec<String>,
    variants: Vec<String>,
    /// With the node of the mesh.
    morphs: Vec<(String, JointIndex)>,
}

impl Names {
    fn new(document: &Document) -> Self {
        let model = document.scene.model();
        let clips = model.clips.iter().enumerate().map(|(i, clip)| named(clip.name.as_deref(), "clip", i));
        let joints = (0..model.skeleton.len() as u32).map(|joint| document.outline.joint(JointIndex(joint)).to_owned());
        let cameras = model.cameras.iter().enumerate().map(|(i, camera)| named(camera.name.as_deref(), "camera", i));
        let variants = model.variants.iter().enumerate().map(|(i, name)| named(name.as_deref(), "variant", i));
        Self {
            clips: clips.collect(),
            joints: joints.collect(),
            cameras: cameras.collect(),
            variants: variants.collect(),
            morphs: morphs(model).into_iter().map(|morph| (morph.name, morph.joint)).collect(),
        }
    }
}

/// Items that match `text`, best first.
fn items(text: &str, purpose: FileDialogPurpose, paths: &PathMatches, names: &Names) -> Vec<PaletteItem> {
    let mut items = Vec::new();
    if paths.is_file {
        items.extend(file_items(text, path_of(text), purpose));
    }
    items.extend(paths.completions.iter().map(|completion| match completion {
        Completion::Folder(path) => PaletteItem::new(path, "folder", OnAccept::Complete(path.clone())),
        Completion::Model(path) => PaletteItem::new(path, "model", OnAccept::Complete(path.clone())),
    }));
    if is_path(text) {
        return items;
    }
    items.extend(find(text).into_iter().map(|command| {
        let key = command.keys().next().map(ToString::to_string).unwrap_or_default();
        let label = format!("{}: {}", command.group, command.name);
        PaletteItem::new(label, key, OnAccept::Run(command.action.clone()))
    }));
    if text.trim().len() > 1 {
        let mut search = FuzzySearch::new(text);
        let best = items.first().and_then(|item| search.score(&item.label));
        let (better, worse): (Vec<_>, Vec<_>) =
            name_items(&mut search, names).into_iter().partition(|(score, _)| Some(*score) > best);
        items.splice(0..0, better.into_iter().map(|(_, item)| item));
        items.extend(worse.into_iter().map(|(_, item)| item));
    }
    items.truncate(MAX_ITEMS);
    items
}

/// Uses of the file at `path`, that of `purpose` first.
fn file_items(text: &str, path: PathBuf, purpose: FileDialogPurpose) -> impl Iterator<Item = PaletteItem> {
    let mut uses = [
        (FileDialogPurpose::Open, "Open", Action::File(FileAction::Open(path.clone()))),
        (FileDialogPurpose::Compare, "Compare with", Action::Comparison(ComparisonAction::CompareWith(path.clone()))),
        (FileDialogPurpose::ImportClips, "Import clips from", Action::File(FileAction::ImportClips(path.clone()))),
        (
            FileDialogPurpose::Environment,
            "Light with",
            Action::Light(LightAction::SetEnvironment(EnvironmentRequest::File(path))),
        ),
    ];
    uses.sort_by_key(|(use_, ..)| *use_ != purpose);
    uses.into_iter()
        .map(|(_, verb, action)| PaletteItem::new(format!("{verb} {}", text.trim()), "file", OnAccept::Run(action)))
}

/// Items of the file that `search` finds with their scores, best first.
fn name_items(search: &mut FuzzySearch, names: &Names) -> Vec<(u32, PaletteItem)> {
    let clips = names
        .clips
        .iter()
        .enumerate()
        .map(|(i, name)| (name, "clip", Action::Playback(PlaybackAction::PlayClip(Some(ClipIndex(i as u32))))));
    let joints = names.joints.iter().enumerate().map(|(i, name)| {
        (name, "node", Action::Selection(SelectionAction::Select(Some(Selection::Joint(JointIndex(i as u32))))))
    });
    let cameras =
        names.cameras.iter().enumerate().map(|(i, name)| {
            (name, "camera", Action::Camera(CameraAction::UseModelCamera(Some(CameraIndex(i as u32)))))
        });
    let variants = names
        .variants
        .iter()
        .enumerate()
        .map(|(i, name)| (name, "variant", Action::File(FileAction::ShowVariant(Some(i)))));
    // The properties of the node have the sliders.
    let morphs = names.morphs.iter().map(|(name, joint)| {
        (name, "morph", Action::Selection(SelectionAction::Select(Some(Selection::Joint(*joint)))))
    });
    let mut items: Vec<_> = clips
        .chain(joints)
        .chain(cameras)
        .chain(variants)
        .chain(morphs)
        .filter_map(|(name, kind, action)| {
            Some((search.score(name)?, PaletteItem::new(name, kind, OnAccept::Run(action))))
        })
        .collect();
    items.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    items
}

/// Returns `true` if the palette must close.
pub(crate) fn show(ui: &mut Ui, state: &mut PaletteState, ctx: &UiContext<'_>, actions: &mut Vec<Action>) -> bool {
    let screen = ui.ctx().content_rect();
    let names = ctx.document.map(Names::new).unwrap_or_default();
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
                let paths = state.path_matches(ui.ctx());
                let items = items(&state.text, state.purpose, &paths, &names);
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
                            close |= state.accept(accepted, actions);
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
        .hint_text("Name of a command, clip, joint, camera or morph, or path of a file")
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
    use crate::app::viewer::actions::WindowAction;

    #[test]
    fn commands_names_and_files_are_found() {
        let names = Names {
            clips: vec!["Walk".to_owned(), "Run".to_owned()],
            joints: vec!["tail_03".to_owned()],
            ..Names::default()
        };
        let found = |text: &str, purpose| items(text, purpose, &PathMatches::of(text), &names);
        let first = |text: &str| found(text, FileDialogPurpose::Open)[0].on_accept.clone();
        assert_eq!(first("walk"), OnAccept::Run(Action::Playback(PlaybackAction::PlayClip(Some(ClipIndex(0))))));
        assert_eq!(
            first("tail"),
            OnAccept::Run(Action::Selection(SelectionAction::Select(Some(Selection::Joint(JointIndex(0))))))
        );
        assert_eq!(first("full scr"), OnAccept::Run(Action::Window(WindowAction::ToggleFullScreen)));
        let file = tempfile::NamedTempFile::with_suffix(".glb").unwrap();
        let path = file.path().to_str().unwrap();
        assert_eq!(first(path), OnAccept::Run(Action::File(FileAction::Open(file.path().to_owned()))));
        let import = found(path, FileDialogPurpose::ImportClips)[0].on_accept.clone();
        assert_eq!(import, OnAccept::Run(Action::File(FileAction::ImportClips(file.path().to_owned()))));
        assert_eq!(first(&path[..path.len() - 1]), OnAccept::Complete(path.to_owned()));
        assert!(found("", FileDialogPurpose::Open).iter().all(|item| item.note != "node"));
        assert!(found("qqqqq", FileDialogPurpose::Open).is_empty());
    }
}
