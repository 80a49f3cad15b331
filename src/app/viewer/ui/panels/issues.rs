//! Problems panel: the issues that the checker found, one entry per code; a click selects the affected item.

use crate::app::files::shipped::SHIPPED;
use crate::app::viewer::actions::{Action, ExportAction, FileAction, WindowAction, issue_location::issue_target};
use crate::app::viewer::state::{Document, FilePurpose, FlexState, Tab};
use crate::app::viewer::ui::widgets::{
    ListRow, command_name, no_file_label, on_click, paint_icon_button, wrapped_label,
};
use crate::app::viewer::ui::{Icon, UiContext};
use crate::cli::remedy;
use egui::{Button, CursorIcon, Label, Link, Response, RichText, ScrollArea, Sense, Ui};
use rigview_check::{Code, Issue, Severity};
use rigview_core::util::text::{capitalized, counted, file_name};
use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;

#[derive(Default)]
pub(crate) struct IssuesState {
    /// Severities that are not listed.
    hidden: HashSet<Severity>,
    /// Codes of which each issue is listed.
    open: HashSet<&'static str>,
}

pub(crate) fn show(ui: &mut Ui, state: &mut IssuesState, ctx: &UiContext<'_>) {
    profile_row(ui, ctx);
    let Some(document) = &ctx.document else { return no_file_label(ui) };
    let Some(issues) = &ctx.issues else {
        ui.horizontal(|ui| {
            ui.add(egui::Spinner::new().size(14.0));
            ui.weak("Checking...");
        });
        return;
    };
    ui.label(RichText::new(verdict(ctx).0).strong());
    if let FlexState::Measured(flex) = &document.flex
        && flex.joints.iter().any(|joint| joint.score() > 1.0)
    {
        let row = ListRow { name: &format!("Flex: {}", flex.summary()), ..ListRow::default() };
        on_click_show(row.show(ui), Action::Window(WindowAction::ShowTab(Tab::Flex)), ctx);
    }
    let groups = by_code(issues);
    let of = |severity| groups.iter().filter(move |group| group[0].severity == severity).count();
    ui.horizontal_wrapped(|ui| {
        for (severity, name) in [(Severity::Error, "Errors"), (Severity::Warning, "Warnings"), (Severity::Info, "Info")]
        {
            let is_shown = !state.hidden.contains(&severity);
            let count = of(severity);
            let button = Button::new(format!("{name} {count}")).selected(is_shown && count > 0);
            if ui.add_enabled(count > 0, button).clicked() {
                toggle(&mut state.hidden, severity);
            }
        }
    });
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let hidden = state.hidden.clone();
        for group in groups.iter().filter(|group| !hidden.contains(&group[0].severity)) {
            ui.separator();
            group_entry(ui, state, group, document, ctx);
        }
    });
}

/// The rules of a project, which the settings or the command line name.
fn profile_row(ui: &mut Ui, ctx: &UiContext<'_>) {
    let choose = Action::File(FileAction::Choose(FilePurpose::Profile));
    ui.horizontal(|ui| match ctx.profile_file() {
        None => on_click(ui.button(command_name(&choose)), choose, ctx),
        Some(file) => {
            let is_of_command_line = ctx.command_line.profile.is_some();
            let name = match &ctx.profile {
                Some(Ok(name)) => name.clone(),
                _ => file_name(file),
            };
            ui.label("Rules");
            let help = if is_of_command_line { "By --profile" } else { "Click for another profile" };
            let button = ui.add_enabled(!is_of_command_line, Button::new(name).truncate());
            let text = format!("{help}: {}", file.display());
            ctx.push_if(button.on_hover_text(&text).on_disabled_hover_text(&text).clicked(), choose);
            ctx.push_if(
                !is_of_command_line
                    && paint_icon_button(ui, Icon::Close, 20.0, false).on_hover_text("Check without").clicked(),
                FileAction::SetProfile(None),
            );
        }
    });
    if let Some(Err(reason)) = &ctx.profile {
        wrapped_label(ui, RichText::new(reason).color(ui.visuals().error_fg_color));
    }
}

/// What is wrong with the file and its rig, in words, and the number of it: errors and warnings of different codes, and joints beyond the
/// limits of Flex.
pub(crate) fn verdict(ctx: &UiContext<'_>) -> (String, usize) {
    let groups = by_code(ctx.issues.as_deref().unwrap_or_default());
    let of = |severity| groups.iter().filter(|group| group[0].severity == severity).count();
    let (mut vertices, mut patches, mut improve) = (0, 0, of(Severity::Warning));
    if let Some(FlexState::Measured(flex)) = ctx.document.as_ref().map(|document| &document.flex) {
        for joint in flex.joints.iter().filter(|joint| joint.score() > 1.0) {
            vertices += joint.torn_vertices;
            patches += joint.torn_patches - joint.torn_vertices;
            improve += usize::from(joint.torn_patches == 0);
        }
    }
    let (repair, mut parts) = (of(Severity::Error), Vec::new());
    let mut add = |count: usize, text: String| parts.extend((count > 0).then_some(text));
    add(repair, format!("{repair} to repair"));
    add(vertices, format!("{} on the wrong bone", counted(vertices, "vertex", "vertices")));
    add(patches, format!("{} on the wrong bone", counted(patches, "patch", "patches")));
    add(improve, format!("{improve} to improve"));
    let text = if parts.is_empty() { "Nothing to repair or improve".to_owned() } else { parts.join(", ") };
    (text, repair + vertices + patches + improve)
}

/// The issues of each code: errors first, then problems of the rig before those of the file.
fn by_code(issues: &[Issue]) -> Vec<Vec<&Issue>> {
    let mut groups: Vec<Vec<&Issue>> = Vec::new();
    let mut group_of = HashMap::new();
    for issue in issues {
        let index = *group_of.entry(issue.code).or_insert(groups.len());
        if index == groups.len() {
            groups.push(Vec::new());
        }
        groups[index].push(issue);
    }
    groups.sort_by_key(|group| (Reverse(group[0].severity), !group[0].code.starts_with("RIGVIEW_")));
    groups
}

/// Adds the issues of a code. A click shows the remedy, and the place of the only issue or a row per issue.
fn group_entry(ui: &mut Ui, state: &mut IssuesState, group: &[&Issue], document: &Document, ctx: &UiContext<'_>) {
    let (issue, is_single) = (group[0], group.len() == 1);
    let (code, is_open) = (Code::find(issue.code), state.open.contains(issue.code));
    let meaning = code.filter(|_| !is_single).map(|code| code.meaning.replace('`', ""));
    let target = issue_target(document.scene.model(), &issue.pointer).filter(|_| is_single);
    let title = match &target {
        Some(target) => target.label.clone(),
        None if is_single => String::new(),
        None => format!("{} places {}", group.len(), if is_open { "\u{25bc}" } else { "\u{25b6}" }),
    };
    let text = meaning.as_ref().unwrap_or(&issue.message);
    let response = entry(ui, issue, &title, text, ctx);
    if response.on_hover_cursor(CursorIcon::PointingHand).clicked() {
        toggle(&mut state.open, issue.code);
        ctx.extend(target.map(|target| target.action));
    }
    if let Some(remedy) = code.filter(|_| is_open).map(|code| remedy(code).replace('`', "")) {
        // Some messages end with the remedy of their code.
        if !text.to_lowercase().contains(remedy.trim_end_matches('.').to_lowercase().as_str()) {
            wrapped_label(ui, RichText::new(remedy).strong());
        }
    }
    let differ = group.iter().any(|other| other.message != issue.message);
    for issue in group.iter().filter(|_| is_open && !is_single) {
        let target = issue_target(document.scene.model(), &issue.pointer);
        let name = target.as_ref().map_or(issue.message.as_str(), |target| &target.label);
        let details = target.as_ref().filter(|_| differ).map(|_| issue.message.as_str());
        let response = ListRow { name, details, indent: 10.0, ..ListRow::default() }.show(ui);
        if let Some(target) = target {
            on_click_show(response, target.action, ctx);
        }
    }
}

fn on_click_show(response: Response, action: Action, ctx: &UiContext<'_>) {
    ctx.push_if(response.on_hover_cursor(CursorIcon::PointingHand).on_hover_text("Show").clicked(), action);
}

fn toggle<T: Eq + Hash>(set: &mut HashSet<T>, item: T) {
    if !set.remove(&item) {
        set.insert(item);
    }
}

fn entry(ui: &mut Ui, issue: &Issue, title: &str, text: &str, ctx: &UiContext<'_>) -> Response {
    let color = match issue.severity {
        Severity::Error => ui.visuals().error_fg_color,
        Severity::Warning => ui.visuals().warn_fg_color,
        Severity::Info => ui.visuals().weak_text_color(),
    };
    let scope = ui.scope(|ui| {
        ui.set_width(ui.available_width());
        ui.horizontal(|ui| {
            ui.label(RichText::new(capitalized(&issue.severity.to_string())).color(color).strong());
            ui.add(Label::new(RichText::new(title).strong()).truncate());
        });
        wrapped_label(ui, capitalized(text));
        let code = RichText::new(issue.code).small().weak();
        let Some((page, lint)) = SHIPPED.lints.as_ref().zip(Code::find(issue.code)) else {
            ui.add(Label::new(code).truncate());
            return;
        };
        let hint = format!("{}\n{}\nClick for the guide.", lint.meaning, remedy(lint));
        if ui.add(Link::new(code)).on_hover_text(hint).clicked() {
            ctx.push(ExportAction::OpenPage(page.clone()));
        }
    });
    scope.response.interact(Sense::click())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_by_severity_and_rig_problems_come_first() {
        let issue = |severity, code| Issue {
            severity,
            code,
            pointer: String::new(),
            line: None,
            message: String::new(),
            policy_change: None,
        };
        let issues = [
            issue(Severity::Info, "UNUSED_OBJECT"),
            issue(Severity::Warning, "UNSUPPORTED_EXTENSION"),
            issue(Severity::Warning, "RIGVIEW_FAR_FROM_ORIGIN"),
            issue(Severity::Info, "UNUSED_OBJECT"),
            issue(Severity::Error, "NODE_LOOP"),
        ];
        let groups: Vec<_> = by_code(&issues).iter().map(|group| (group[0].code, group.len())).collect();
        let expected =
            [("NODE_LOOP", 1), ("RIGVIEW_FAR_FROM_ORIGIN", 1), ("UNSUPPORTED_EXTENSION", 1), ("UNUSED_OBJECT", 2)];
        assert_eq!(groups, expected);
    }
}
