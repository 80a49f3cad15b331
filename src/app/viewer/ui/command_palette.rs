//! The command palette: every action by a part of its name, every clip and joint too, and a file by its path.

use super::UiContext;
use crate::app::viewer::actions::{Action, find, likeness};
use crate::app::viewer::analysis::outline::named;
use crate::app::viewer::analysis::path_completion::{WayOn, is_path, path_of, ways_on};
use crate::app::viewer::app::Asked;
use crate::app::viewer::state::Selection;
use crate::model::{ClipIndex, JointIndex};
use egui::text::{CCursor, CCursorRange};
use egui::{Align2, Area, Frame, Id, Key, Margin, Order, ScrollArea, TextEdit, Ui, vec2};
use std::path::{MAIN_SEPARATOR, Path};

/// As many lines are offered.
const OFFERED: usize = 60;

/// What is typed, and which line is chosen.
#[derive(Default)]
pub(crate) struct PaletteState {
    text: String,
    chosen: usize,
    /// How the path that is typed may go on, and the path that this was found for.
    ways_on: (String, Vec<WayOn>),
    /// What a file is sought for.
    asked: Asked,
    /// Whether the text was set from here, so that its end is where a person types on.
    to_end: bool,
}

impl PaletteState {
    /// With the path of a folder typed.
    pub(crate) fn of_folder(asked: Asked, folder: &Path) -> Self {
        let text = format!("{}{MAIN_SEPARATOR}", folder.display().to_string().trim_end_matches(MAIN_SEPARATOR));
        Self { text, asked, to_end: true, ..Self::default() }
    }

    /// How the path that is typed may go on. The disk is asked once for each text.
    fn ways_on(&mut self) -> &[WayOn] {
        if self.ways_on.0 != self.text {
            self.ways_on = (self.text.clone(), ways_on(&self.text));
        }
        &self.ways_on.1
    }
}

/// A line of the palette.
#[derive(Clone, Debug, PartialEq)]
struct Offer {
    label: String,
    note: String,
    then: Then,
}

/// What becomes of a line that is chosen.
#[derive(Clone, Debug, PartialEq)]
enum Then {
    /// It is done.
    Do(Action),
    /// It is typed, and the palette stays.
    Type(String),
}

/// What `text` may mean, best first.
fn offers(text: &str, asked: Asked, ways_on: &[WayOn], clips: &[String], joints: &[String]) -> Vec<Offer> {
    let mut offers = Vec::new();
    let path = path_of(text);
    if text.contains(['/', '\\', '.']) && path.is_file() {
        let mut uses = [
            (Asked::Open, "Open", Action::Open(path.clone())),
            (Asked::Compare, "Compare with", Action::CompareWith(path.clone())),
            (Asked::Borrow, "Borrow clips from", Action::Borrow(path)),
        ];
        // What it is sought for goes first.
        uses.sort_by_key(|(for_what, ..)| *for_what != asked);
        for (_, what, action) in uses {
            let label = format!("{what} {}", text.trim());
            offers.push(Offer { label, note: "file".to_owned(), then: Then::Do(action) });
        }
    }
    offers.extend(ways_on.iter().map(|way| match way {
        WayOn::Folder(path) => Offer { label: path.clone(), note: "folder".to_owned(), then: Then::Type(path.clone()) },
        WayOn::Model(path) => Offer { label: path.clone(), note: "model".to_owned(), then: Then::Type(path.clone()) },
    }));
    if is_path(text) {
        offers.dedup_by(|a, b| a.then == b.then);
        return offers;
    }
    offers.extend(find(text).into_iter().map(|command| Offer {
        label: format!("{}: {}", command.group, command.name),
        note: command.keys.first().map(ToString::to_string).unwrap_or_default(),
        then: Then::Do(command.action.clone()),
    }));
    // Names of the file come after the actions, and only when they are asked for.
    if text.trim().len() > 1 {
        let mut named = Vec::new();
        for (i, name) in clips.iter().enumerate() {
            let action = Action::PlayClip(Some(ClipIndex(i as u32)));
            named.extend(likeness(text, name).map(|likeness| (likeness, name, "clip", action)));
        }
        for (i, name) in joints.iter().enumerate() {
            let action = Action::Select(Some(Selection::Joint(JointIndex(i as u32))));
            named.extend(likeness(text, name).map(|likeness| (likeness, name, "node", action)));
        }
        named.sort_by_key(|(likeness, ..)| -likeness);
        let best = offers.first().map_or(i32::MIN, |offer| likeness(text, &offer.label).unwrap_or(i32::MIN));
        // A name that says all that was typed goes before an action that merely has its letters.
        let (before, after): (Vec<_>, Vec<_>) = named.into_iter().partition(|(likeness, ..)| *likeness > best);
        let offer = |(_, name, kind, action): (i32, &String, &str, Action)| Offer {
            label: name.clone(),
            note: kind.to_owned(),
            then: Then::Do(action),
        };
        offers.splice(0..0, before.into_iter().map(offer));
        offers.extend(after.into_iter().map(offer));
    }
    offers.truncate(OFFERED);
    offers
}

/// The palette; whether it is to be closed.
pub(crate) fn show(ui: &mut Ui, state: &mut PaletteState, facts: &UiContext<'_>, actions: &mut Vec<Action>) -> bool {
    let screen = ui.ctx().content_rect();
    let (clips, joints) = facts.shown.map_or_else(Default::default, |shown| {
        let model = shown.stage.model();
        let clips: Vec<String> =
            model.clips.iter().enumerate().map(|(i, clip)| named(clip.name.as_deref(), "clip", i)).collect();
        let joints: Vec<String> =
            (0..model.skeleton.len() as u32).map(|joint| shown.outline.joint(JointIndex(joint)).to_owned()).collect();
        (clips, joints)
    });
    let (up, down, enter, escape) = ui.input_mut(|input| {
        let none = egui::Modifiers::NONE;
        (
            input.count_and_consume_key(none, Key::ArrowUp),
            input.count_and_consume_key(none, Key::ArrowDown),
            input.consume_key(none, Key::Enter),
            input.consume_key(none, Key::Escape),
        )
    });
    let mut done = escape;
    Area::new(Id::unique("palette"))
        .order(Order::Foreground)
        .anchor(Align2::CENTER_TOP, vec2(0.0, screen.height() * 0.12))
        .show(ui.ctx(), |ui| {
            Frame::popup(ui.style()).inner_margin(Margin::same(8)).show(ui, |ui| {
                ui.set_width((screen.width() - 40.0).clamp(100.0, 460.0));
                let hint = "Type a part of an action's, clip's or joint's name, or the path of a file";
                let field = TextEdit::singleline(&mut state.text).hint_text(hint).desired_width(f32::INFINITY);
                let output = field.show(ui);
                let field = output.response;
                field.request_focus();
                if std::mem::take(&mut state.to_end) {
                    let mut typing = output.state;
                    let end = CCursor::new(state.text.chars().count());
                    typing.cursor.set_char_range(Some(CCursorRange::one(end)));
                    typing.store(ui.ctx(), field.id);
                }
                state.ways_on();
                let offers = offers(&state.text, state.asked, &state.ways_on.1, &clips, &joints);
                if field.changed() {
                    state.chosen = 0;
                }
                let before = state.chosen;
                state.chosen = (state.chosen + down).saturating_sub(up).min(offers.len().saturating_sub(1));
                ui.add_space(4.0);
                let mut typed = None;
                let height = (screen.height() * 0.6).clamp(40.0, 360.0);
                ScrollArea::vertical().max_height(height).auto_shrink([false, true]).show(ui, |ui| {
                    ui.spacing_mut().item_spacing.y = 1.0;
                    for (i, offer) in offers.iter().enumerate() {
                        let top = ui.cursor();
                        let clicked = super::clips::row(ui, i == state.chosen, &offer.label, &offer.note);
                        if i == state.chosen && before != state.chosen {
                            ui.scroll_to_rect(egui::Rect::from_min_size(top.min, vec2(1.0, 24.0)), None);
                        }
                        if clicked || (enter && i == state.chosen) {
                            match &offer.then {
                                Then::Do(action) => {
                                    actions.push(action.clone());
                                    done = true;
                                }
                                Then::Type(path) => typed = Some(path.clone()),
                            }
                        }
                    }
                    if offers.is_empty() {
                        ui.weak("Nothing is called that.");
                    }
                });
                if let Some(path) = typed {
                    (state.text, state.chosen, state.to_end) = (path, 0, true);
                }
            });
        });
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_names_and_files_are_found() {
        let (clips, joints) = (vec!["Walk".to_owned(), "Run".to_owned()], vec!["tail_03".to_owned()]);
        let offered = |text: &str| offers(text, Asked::Open, &ways_on(text), &clips, &joints);
        let first = |text: &str| offered(text)[0].then.clone();
        assert_eq!(first("walk"), Then::Do(Action::PlayClip(Some(ClipIndex(0)))));
        assert_eq!(first("tail"), Then::Do(Action::Select(Some(Selection::Joint(JointIndex(0))))));
        assert_eq!(first("full scr"), Then::Do(Action::ToggleFullScreen));
        let file = tempfile::NamedTempFile::with_suffix(".glb").unwrap();
        let path = file.path().to_str().unwrap();
        assert_eq!(first(path), Then::Do(Action::Open(file.path().to_owned())));
        let of_borrowing = offers(path, Asked::Borrow, &[], &clips, &joints);
        assert_eq!(of_borrowing[0].then, Then::Do(Action::Borrow(file.path().to_owned())));
        assert_eq!(first(&path[..path.len() - 1]), Then::Type(path.to_owned()));
        assert!(offered("").iter().all(|offer| offer.note != "node"));
        assert!(offered("qqqqq").is_empty());
    }
}
