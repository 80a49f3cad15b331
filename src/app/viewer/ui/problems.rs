//! What is odd about the file, with the cure; a click goes there.

use super::UiContext;
use crate::app::viewer::actions::Action;
use crate::app::viewer::analysis::issue_location::place_of;
use crate::check::{Issue, Severity};
use egui::{Label, RichText, ScrollArea, Sense, Ui};

/// The list, the worst first.
pub(crate) fn show(ui: &mut Ui, facts: &UiContext<'_>, actions: &mut Vec<Action>) {
    let Some(shown) = facts.shown else {
        ui.weak("No file is open.");
        return;
    };
    let Some(issues) = facts.problems else {
        ui.horizontal(|ui| {
            ui.add(egui::Spinner::new().size(14.0));
            ui.weak("Looking at the file...");
        });
        return;
    };
    if issues.is_empty() {
        ui.label("Nothing is odd about this file.");
        return;
    }
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let mut sorted: Vec<&Issue> = issues.iter().collect();
        sorted.sort_by_key(|issue| std::cmp::Reverse(issue.severity));
        for issue in sorted {
            let place = place_of(shown, &issue.pointer);
            one(ui, issue, place.as_ref().map(|place| place.label.as_str()), || {
                actions.extend(place.as_ref().map(|place| place.action.clone()));
            });
        }
    });
}

fn one(ui: &mut Ui, issue: &Issue, place: Option<&str>, go: impl FnOnce()) {
    let color = match issue.severity {
        Severity::Error => ui.visuals().error_fg_color,
        Severity::Warning => ui.visuals().warn_fg_color,
        Severity::Info => ui.visuals().weak_text_color(),
    };
    let response = ui
        .scope(|ui| {
            ui.set_width(ui.available_width());
            ui.horizontal(|ui| {
                ui.label(RichText::new(issue.severity.to_string()).color(color).strong());
                if let Some(place) = place {
                    ui.add(Label::new(RichText::new(place).strong()).truncate());
                }
            });
            let mut message = issue.message.clone();
            if let Some(first) = message.get(..1) {
                message.replace_range(..1, &first.to_uppercase());
            }
            ui.add(Label::new(message).wrap());
            ui.add(Label::new(RichText::new(issue.code).small().weak()).truncate());
        })
        .response
        .interact(Sense::click());
    if place.is_some() {
        if response.hovered() {
            ui.ctx().set_cursor_icon(egui::CursorIcon::PointingHand);
        }
        if response.on_hover_text("Go there").clicked() {
            go();
        }
    }
    ui.separator();
}
