//! Tab bar of the side panel.

use crate::app::viewer::actions::{Action, WindowAction};
use crate::app::viewer::state::Tab;
use crate::app::viewer::ui::context::UiContext;
use crate::app::viewer::ui::widgets::on_click;
use egui::Ui;
use rigview_check::Severity;

const TABS: [(Tab, &str); 7] = [
    (Tab::Clips, "Clips"),
    (Tab::Shading, "Shading"),
    (Tab::Light, "Light"),
    (Tab::Properties, "Properties"),
    (Tab::Crowd, "Crowd"),
    (Tab::Problems, "Problems"),
    (Tab::Compare, "Compare"),
];

pub(crate) fn show(ui: &mut Ui, ctx: &UiContext<'_>, actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        // All tabs fit in one row of the default width.
        ui.spacing_mut().item_spacing.x = 1.0;
        ui.spacing_mut().button_padding.x = 4.0;
        for (tab, name) in TABS {
            if tab == Tab::Compare && ctx.comparison.is_none() {
                continue;
            }
            let problems = match tab {
                Tab::Problems => problem_count(ctx),
                _ => 0,
            };
            let label = if problems > 0 { format!("{name} {problems}") } else { name.to_owned() };
            let selected = ctx.settings.panels.tab == tab;
            on_click(ui.selectable_label(selected, label), Action::Window(WindowAction::ShowTab(tab)), actions);
        }
    });
    ui.separator();
}

/// Number of errors and warnings.
fn problem_count(ctx: &UiContext<'_>) -> usize {
    ctx.issues.unwrap_or_default().iter().filter(|issue| issue.severity > Severity::Info).count()
}
