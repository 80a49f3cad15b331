//! Problems panel: the issues that the checker found; a click selects the affected item.

use crate::app::files::shipped::SHIPPED;
use crate::app::viewer::actions::issue_location::issue_target;
use crate::app::viewer::actions::{Action, ExportAction};
use crate::app::viewer::ui::context::UiContext;
use crate::app::viewer::ui::widgets::{no_file_label, wrapped_label};
use crate::cli::remedy;
use egui::{Label, Link, Response, RichText, ScrollArea, Sense, Ui};
use rigview_check::{Code, Issue, Severity};
use rigview_core::util::text::capitalized;

pub(crate) fn show(ui: &mut Ui, ctx: &UiContext<'_>, actions: &mut Vec<Action>) {
    let Some(document) = ctx.document else { return no_file_label(ui) };
    let Some(issues) = ctx.issues else {
        ui.horizontal(|ui| {
            ui.add(egui::Spinner::new().size(14.0));
            ui.weak("Checking...");
        });
        return;
    };
    if issues.is_empty() {
        ui.label("No problems found.");
        return;
    }
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let mut sorted: Vec<&Issue> = issues.iter().collect();
        sorted.sort_by_key(|issue| std::cmp::Reverse(issue.severity));
        for issue in sorted {
            let location = issue_target(document, &issue.pointer);
            let response = issue_entry(ui, issue, location.as_ref().map(|location| location.label.as_str()), actions);
            if let Some(location) = location {
                let response = response.on_hover_cursor(egui::CursorIcon::PointingHand).on_hover_text("Show");
                if response.clicked() {
                    actions.push(location.action);
                }
            }
            ui.separator();
        }
    });
}

fn issue_entry(ui: &mut Ui, issue: &Issue, location: Option<&str>, actions: &mut Vec<Action>) -> Response {
    let color = match issue.severity {
        Severity::Error => ui.visuals().error_fg_color,
        Severity::Warning => ui.visuals().warn_fg_color,
        Severity::Info => ui.visuals().weak_text_color(),
    };
    let scope = ui.scope(|ui| {
        ui.set_width(ui.available_width());
        ui.horizontal(|ui| {
            ui.label(RichText::new(capitalized(&issue.severity.to_string())).color(color).strong());
            if let Some(location) = location {
                ui.add(Label::new(RichText::new(location).strong()).truncate());
            }
        });
        wrapped_label(ui, capitalized(&issue.message));
        let code = RichText::new(issue.code).small().weak();
        let Some((page, lint)) = SHIPPED.lints.as_ref().zip(Code::find(issue.code)) else {
            ui.add(Label::new(code).truncate());
            return;
        };
        let hint = format!("{}\n{}\nClick for the guide.", lint.meaning, remedy(lint));
        if ui.add(Link::new(code)).on_hover_text(hint).clicked() {
            actions.push(Action::Export(ExportAction::OpenPage(page.clone())));
        }
    });
    scope.response.interact(Sense::click())
}
