//! Tab bar of the side panel.

use super::issues::verdict;
use crate::app::viewer::actions::{Action, WindowAction};
use crate::app::viewer::state::Tab;
use crate::app::viewer::ui::context::UiContext;
use crate::app::viewer::ui::theme;
use crate::app::viewer::ui::widgets::on_click;
use egui::{Button, RichText, Stroke, Ui};

pub(crate) const TABS: [(Tab, &str); 10] = [
    (Tab::Clips, "Clips"),
    (Tab::Shading, "Shading"),
    (Tab::Light, "Light"),
    (Tab::Morphs, "Morphs"),
    (Tab::Properties, "Properties"),
    (Tab::Crowd, "Crowd"),
    (Tab::Problems, "Problems"),
    (Tab::Flex, "Flex"),
    (Tab::Retarget, "Retarget"),
    (Tab::Compare, "Compare"),
];

pub(crate) fn show(ui: &mut Ui, ctx: &UiContext<'_>, actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        // All tabs fit in one row of the default width.
        ui.spacing_mut().item_spacing.x = 1.0;
        ui.spacing_mut().button_padding.x = 3.0;
        for (tab, name) in TABS {
            let model = ctx.document.map(|document| document.scene.model());
            let is_shown = match tab {
                Tab::Compare => ctx.comparison.is_some(),
                Tab::Flex => model.is_some_and(|model| !model.skins.is_empty()),
                Tab::Retarget => ctx.document.is_some_and(|document| document.scene.motion().is_some()),
                Tab::Morphs => model.is_some_and(|model| {
                    !model.skeleton.rest_morph_weights().is_empty() || !model.expressions.is_empty()
                }),
                _ => true,
            };
            if !is_shown {
                continue;
            }
            let problems = match tab {
                Tab::Problems => verdict(ctx).1,
                _ => 0,
            };
            let label = if problems > 0 { format!("{name} {problems}") } else { name.to_owned() };
            let selected = ctx.settings.panels.tab == tab;
            let strong = RichText::new(label).color(ui.visuals().strong_text_color());
            let tab_button =
                ui.add(Button::new(if selected { strong } else { strong.weak() }).frame_when_inactive(false));
            if selected {
                let stroke = Stroke::new(2.0, theme::accent(ui));
                ui.painter().hline(tab_button.rect.x_range().shrink(4.0), tab_button.rect.max.y + 1.0, stroke);
            }
            on_click(tab_button, Action::Window(WindowAction::ShowTab(tab)), actions);
        }
    });
    ui.separator();
}
