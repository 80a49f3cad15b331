//! The command palette: every action by a part of its name, every clip and joint too, and a file by its path.

use super::Facts;
use crate::app::input::{Action, Selection, find, likeness};
use crate::app::view::outline::named;
use crate::model::{ClipIndex, JointIndex};
use egui::{Align2, Area, Frame, Id, Key, Margin, Order, ScrollArea, TextEdit, Ui, vec2};
use std::path::PathBuf;

/// As many lines are offered.
const OFFERED: usize = 60;

/// What is typed, and which line is chosen.
#[derive(Default)]
pub(super) struct PaletteState {
    text: String,
    chosen: usize,
}

/// A line of the palette.
#[derive(Clone, Debug, PartialEq)]
struct Offer {
    label: String,
    note: String,
    action: Action,
}

/// What `text` may mean, best first.
fn offers(text: &str, clips: &[String], joints: &[String]) -> Vec<Offer> {
    let mut offers = Vec::new();
    let path = PathBuf::from(text.trim());
    if text.contains(['/', '\\', '.']) && path.is_file() {
        for (what, action) in [
            ("Open", Action::Open(path.clone())),
            ("Compare with", Action::CompareWith(path.clone())),
            ("Borrow clips from", Action::Borrow(path)),
        ] {
            offers.push(Offer { label: format!("{what} {}", text.trim()), note: "file".to_owned(), action });
        }
    }
    offers.extend(find(text).into_iter().map(|command| Offer {
        label: format!("{}: {}", command.group, command.name),
        note: command.keys.first().map(ToString::to_string).unwrap_or_default(),
        action: command.action.clone(),
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
            action,
        };
        offers.splice(0..0, before.into_iter().map(offer));
        offers.extend(after.into_iter().map(offer));
    }
    offers.truncate(OFFERED);
    offers
}

/// The palette; whether it is to be closed.
pub(super) fn show(ui: &mut Ui, state: &mut PaletteState, facts: &Facts<'_>, actions: &mut Vec<Action>) -> bool {
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
                let hint = "Type a part of an action's, clip's or joint's name";
                let field = TextEdit::singleline(&mut state.text).hint_text(hint).desired_width(f32::INFINITY);
                let field = ui.add(field);
                field.request_focus();
                let offers = offers(&state.text, &clips, &joints);
                if field.changed() {
                    state.chosen = 0;
                }
                let before = state.chosen;
                state.chosen = (state.chosen + down).saturating_sub(up).min(offers.len().saturating_sub(1));
                ui.add_space(4.0);
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
                            actions.push(offer.action.clone());
                            done = true;
                        }
                    }
                    if offers.is_empty() {
                        ui.weak("Nothing is called that.");
                    }
                });
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
        let first = |text: &str| offers(text, &clips, &joints)[0].action.clone();
        assert_eq!(first("walk"), Action::PlayClip(Some(ClipIndex(0))));
        assert_eq!(first("tail"), Action::Select(Some(Selection::Joint(JointIndex(0)))));
        assert_eq!(first("full scr"), Action::ToggleFullScreen);
        let file = tempfile::NamedTempFile::with_suffix(".glb").unwrap();
        assert_eq!(first(file.path().to_str().unwrap()), Action::Open(file.path().to_owned()));
        assert!(offers("", &clips, &joints).iter().all(|offer| offer.note != "node"));
        assert!(offers("qqqqq", &clips, &joints).is_empty());
    }
}
