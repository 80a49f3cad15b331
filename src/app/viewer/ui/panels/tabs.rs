//! Tabs of the side panel: a column of icons in groups, each at its place whatever the file has.

use super::issues::verdict;
use crate::app::viewer::actions::{Action, WindowAction};
use crate::app::viewer::state::Tab;
use crate::app::viewer::ui::icons;
use crate::app::viewer::ui::widgets::{paint_focus, tooltip_at};
use crate::app::viewer::ui::{Icon, UiContext, theme};
use egui::{RectAlign, RichText, Sense, Ui, vec2};

/// Width of the column, and largest height of a tab, in points.
pub(crate) const WIDTH: f32 = 30.0;
const MAX_HEIGHT: f32 = 28.0;

/// Space between two groups, in heights of a tab.
const GAP: f32 = 0.3;

/// The tabs, with their names and icons. A group begins at each `true`.
pub(crate) const TABS: [(Tab, &str, Icon, bool); 10] = [
    (Tab::Clips, "Clips", Icon::Clip, false),
    (Tab::Retarget, "Retarget", Icon::Retarget, false),
    (Tab::Shading, "Shading", Icon::Material, true),
    (Tab::Light, "Light", Icon::Light, false),
    (Tab::Properties, "Properties", Icon::Properties, true),
    (Tab::Morphs, "Morphs", Icon::Face, false),
    (Tab::Problems, "Problems", Icon::Warning, true),
    (Tab::Flex, "Flex", Icon::Bend, false),
    (Tab::Compare, "Compare", Icon::Compare, false),
    (Tab::Crowd, "Crowd", Icon::Crowd, true),
];

/// Adds the column of tabs.
pub(crate) fn show(ui: &mut Ui, ctx: &UiContext<'_>) {
    let gaps = TABS.iter().filter(|(.., begins)| *begins).count();
    let height = (ui.available_height() / (TABS.len() as f32 + GAP * gaps as f32)).min(MAX_HEIGHT);
    ui.spacing_mut().item_spacing.y = 0.0;
    for (tab, _, icon, begins_group) in TABS {
        ui.add_space(if begins_group { GAP * height } else { 0.0 });
        let (rect, response) = ui.allocate_exact_size(vec2(WIDTH, height), Sense::click());
        let selected = ctx.settings.panels.tab == tab;
        if selected || response.hovered() {
            let fill = if selected { ui.visuals().panel_fill } else { ui.visuals().widgets.hovered.weak_bg_fill };
            ui.painter().rect_filled(rect, 0.0, fill);
        }
        if selected {
            ui.painter().rect_filled(rect.with_max_x(rect.min.x + 2.0), 0.0, theme::accent(ui));
        }
        paint_focus(ui, &response);
        let color = match (selected, is_empty(tab, ctx)) {
            (true, _) => ui.visuals().strong_text_color(),
            (false, false) => ui.visuals().text_color(),
            (false, true) => ui.visuals().weak_text_color().gamma_multiply(0.5),
        };
        icons::draw(ui.painter(), rect.center(), icon, color);
        if tab == Tab::Problems && verdict(ctx).1 > 0 {
            ui.painter().circle_filled(rect.center() + vec2(8.0, -7.0), 3.0, ui.visuals().warn_fg_color);
        }
        let action = Action::Window(WindowAction::ShowTab(tab));
        ctx.push_if(tooltip_at(response, &action, RectAlign::LEFT).clicked(), action);
    }
}

/// Adds the name of the shown tab.
pub(crate) fn title(ui: &mut Ui, ctx: &UiContext<'_>) {
    let (_, name, ..) = TABS.into_iter().find(|(tab, ..)| *tab == ctx.settings.panels.tab).unwrap_or(TABS[0]);
    ui.horizontal(|ui| {
        ui.label(RichText::new(name).strong());
        let problems = verdict(ctx).1;
        if ctx.settings.panels.tab == Tab::Problems && problems > 0 {
            ui.label(RichText::new(problems.to_string()).color(ui.visuals().warn_fg_color));
        }
    });
    ui.separator();
}

/// Returns `true` if the open file has nothing for a tab.
fn is_empty(tab: Tab, ctx: &UiContext<'_>) -> bool {
    let Some(document) = &ctx.document else { return !matches!(tab, Tab::Shading | Tab::Light | Tab::Crowd) };
    let model = document.scene.model();
    match tab {
        Tab::Compare => ctx.comparison.is_none(),
        Tab::Flex => model.skins.is_empty(),
        Tab::Retarget => document.scene.motion().is_none(),
        Tab::Morphs => model.skeleton.rest_morph_weights().is_empty() && model.expressions.is_empty(),
        Tab::Clips => model.clips.is_empty(),
        _ => false,
    }
}
