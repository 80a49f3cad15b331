//! The bar at the top, with the menus, and the tabs of the panel at the right.

use super::UiContext;
use super::widgets::{GUTTER, chosen_item, item};
use crate::app::progress::of_images;
use crate::app::viewer::actions::{Action, COMMANDS};
use crate::app::viewer::state::{Backdrop, LOOP_MODES, Navigation, Panel, Side, Tab, Theme};
use crate::check::Severity;
use crate::scene::ViewMode;
use crate::util::text::file_name;
use egui::{Align, Button, Label, Layout, RichText, Ui};

/// The bar at the top.
pub(crate) fn show(ui: &mut Ui, facts: &UiContext<'_>, actions: &mut Vec<Action>) {
    egui::MenuBar::new().ui(ui, |ui| {
        ui.menu_button("File", |ui| file(ui, facts, actions));
        ui.menu_button("Time", |ui| time(ui, facts, actions));
        ui.menu_button("View", |ui| view(ui, facts, actions));
        ui.menu_button("Look", |ui| look(ui, facts, actions));
        ui.menu_button("Window", |ui| window(ui, facts, actions));
        ui.menu_button("Help", |ui| {
            item(ui, &Action::Find, actions);
            item(ui, &Action::ShowKeys, actions);
        });
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| state(ui, facts));
    });
}

fn file(ui: &mut Ui, facts: &UiContext<'_>, actions: &mut Vec<Action>) {
    item(ui, &Action::AskForFile, actions);
    ui.menu_button(format!("{GUTTER}Open recent"), |ui| {
        if facts.settings.recent.is_empty() {
            ui.weak("No file has been opened yet");
        }
        for file in &facts.settings.recent {
            let name = file_name(file);
            if ui.add(Button::new(name)).on_hover_text(file.display().to_string()).clicked() {
                actions.push(Action::Open(file.clone()));
                ui.close();
            }
        }
    });
    item(ui, &Action::Reload, actions);
    item(ui, &Action::AskToBorrow, actions);
    item(ui, &Action::AskToCompare, actions);
    if facts.beside.is_some() {
        item(ui, &Action::StopComparing, actions);
    }
    if facts.files.place().is_some() {
        item(ui, &Action::ChangeFile(1), actions);
        item(ui, &Action::ChangeFile(-1), actions);
    }
    ui.separator();
    item(ui, &Action::SavePicture, actions);
    item(ui, &Action::CopyPicture, actions);
    item(ui, &Action::ShowTakeAway, actions);
    item(ui, &Action::CopyCommand, actions);
    ui.separator();
    item(ui, &Action::Quit, actions);
}

fn time(ui: &mut Ui, facts: &UiContext<'_>, actions: &mut Vec<Action>) {
    item(ui, &Action::TogglePlay, actions);
    let transport = facts.shown.map(|shown| shown.transport);
    chosen_item(ui, &Action::Reverse, transport.map(|transport| transport.backwards), actions);
    ui.separator();
    for action in [
        Action::Step(1),
        Action::Step(-1),
        Action::StepKey(1),
        Action::StepKey(-1),
        Action::First,
        Action::Last,
        Action::ChangeClip(1),
        Action::ChangeClip(-1),
        Action::PlayClip(None),
    ] {
        item(ui, &action, actions);
    }
    ui.separator();
    for action in [Action::ChangeSpeed(1), Action::ChangeSpeed(-1), Action::SetSpeed(1.0)] {
        item(ui, &action, actions);
    }
    ui.separator();
    for (ending, _) in LOOP_MODES {
        let chosen = transport.map(|transport| transport.loop_mode == ending);
        chosen_item(ui, &Action::SetLoopMode(ending), chosen, actions);
    }
}

fn view(ui: &mut Ui, facts: &UiContext<'_>, actions: &mut Vec<Action>) {
    for action in [Action::Frame, Action::Reset, Action::Zoom(1.0), Action::Zoom(-1.0)] {
        item(ui, &action, actions);
    }
    ui.separator();
    for side in [Side::Front, Side::Back, Side::Left, Side::Right, Side::Top, Side::Bottom] {
        item(ui, &Action::LookFrom(side), actions);
    }
    ui.separator();
    chosen_item(ui, &Action::ToggleRings, Some(facts.rings.0), actions);
    item(ui, &Action::FreeAllJoints, actions);
    ui.separator();
    chosen_item(ui, &Action::ToggleGround, Some(facts.on_ground), actions);
    for (backdrop, _) in Backdrop::ALL {
        let chosen = facts.settings.backdrop == backdrop;
        chosen_item(ui, &Action::SetBackdrop(backdrop), Some(chosen), actions);
    }
}

fn look(ui: &mut Ui, facts: &UiContext<'_>, actions: &mut Vec<Action>) {
    for surface in ViewMode::ALL {
        chosen_item(ui, &Action::SetViewMode(surface), Some(facts.looks.surface == surface), actions);
    }
    ui.separator();
    for command in COMMANDS {
        if let Action::ToggleLook(switch) = command.action {
            chosen_item(ui, &command.action, Some(facts.looks.has(switch)), actions);
        }
    }
}

fn window(ui: &mut Ui, facts: &UiContext<'_>, actions: &mut Vec<Action>) {
    let panels = &facts.settings.panels;
    item(ui, &Action::TogglePanels, actions);
    for (panel, shown) in [(Panel::Tree, panels.tree), (Panel::Side, panels.side), (Panel::Timeline, panels.timeline)] {
        chosen_item(ui, &Action::Toggle(panel), Some(shown), actions);
    }
    item(ui, &Action::ToggleFullScreen, actions);
    ui.separator();
    for (navigation, _) in Navigation::ALL {
        let chosen = facts.settings.navigation == navigation;
        chosen_item(ui, &Action::SetNavigation(navigation), Some(chosen), actions);
    }
    ui.separator();
    for theme in [Theme::System, Theme::Dark, Theme::Light] {
        chosen_item(ui, &Action::SetTheme(theme), Some(facts.settings.theme == theme), actions);
    }
}

/// What is on screen, at the right end of the bar.
fn state(ui: &mut Ui, facts: &UiContext<'_>) {
    if let Some(file) = facts.loading {
        let name = file_name(file);
        ui.add(egui::Spinner::new().size(14.0));
        let words = format!("reading {name}{}", of_images(facts.images));
        ui.add(Label::new(RichText::new(words).weak()).truncate());
        return;
    }
    let Some(shown) = facts.shown else { return };
    let model = shown.stage.model();
    let vertices = shown.stage.layout.vertex_count(model);
    let joints = model.skeleton.len() as u64;
    let counted =
        |count: u64, one: &str, many: &str| format!("{} {}", thousands(count), if count == 1 { one } else { many });
    let mut words = format!("{}   {}", counted(joints, "joint", "joints"), counted(vertices, "vertex", "vertices"));
    if let Some((place, count)) = facts.files.place_of(&shown.stage.file) {
        words = format!("file {place} of {count}   {words}");
    }
    ui.add(Label::new(RichText::new(words).weak()).truncate());
}

/// A number in groups of three digits.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            grouped.push('\u{2009}');
        }
        grouped.push(digit);
    }
    grouped
}

/// The tabs of the panel at the right.
pub(crate) fn tabs(ui: &mut Ui, facts: &UiContext<'_>, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 2.0;
        for (tab, name) in [
            (Tab::Clips, "Clips"),
            (Tab::DebugView, "Look"),
            (Tab::Details, "Details"),
            (Tab::Crowd, "Crowd"),
            (Tab::Problems, "Problems"),
            (Tab::Compare, "Compare"),
        ] {
            if tab == Tab::Compare && facts.beside.is_none() {
                continue;
            }
            let count = match tab {
                Tab::Problems => {
                    facts.problems.map(|issues| issues.iter().filter(|issue| issue.severity > Severity::Info).count())
                }
                _ => None,
            };
            let label = match count {
                Some(count) if count > 0 => format!("{name} {count}"),
                _ => name.to_owned(),
            };
            let action = Action::ShowTab(tab);
            let button = ui.selectable_label(facts.settings.panels.tab == tab, label);
            if super::widgets::tip(button, &action).clicked() {
                actions.push(action);
            }
        }
    });
    ui.separator();
}

#[cfg(test)]
mod tests {
    use super::thousands;

    #[test]
    fn digits_are_grouped_by_three() {
        let told = [0, 999, 1000, 1234567].map(thousands);
        assert_eq!(told, ["0", "999", "1\u{2009}000", "1\u{2009}234\u{2009}567"]);
    }
}
