//! Toolbar over the view: shading, overlays and light as icon buttons.

use crate::app::viewer::actions::{Action, COMMANDS, LightAction, ShadingAction, WindowAction};
use crate::app::viewer::state::Tab;
use crate::app::viewer::ui::command_state::is_checked;
use crate::app::viewer::ui::icons;
use crate::app::viewer::ui::overlays::view_gizmo;
use crate::app::viewer::ui::widgets::{menu_item, paint_focus, tooltip_at};
use crate::app::viewer::ui::{Icon, UiContext};
use crate::request::OverlayRequest;
use egui::{
    Align2, Area, Color32, CornerRadius, Id, Order, Popup, Rect, RectAlign, Response, Sense, Ui, Vec2, pos2, vec2,
};
use rigview_render::scene::ViewMode;

/// Side of a button, in points.
const BUTTON: f32 = 26.0;

/// Buttons below the button of the shading menu.
const TOGGLES: [(Icon, Action); 5] = [
    (Icon::Bone, Action::Shading(ShadingAction::ToggleOverlay(OverlayRequest::Skeleton))),
    (Icon::Wireframe, Action::Shading(ShadingAction::ToggleOverlay(OverlayRequest::Wireframe))),
    (Icon::Grid, Action::Shading(ShadingAction::ToggleOverlay(OverlayRequest::Grid))),
    (Icon::Ground, Action::Light(LightAction::ToggleShadowCatcher)),
    (Icon::Light, Action::Window(WindowAction::ShowTab(Tab::Light))),
];

pub(crate) fn show(ui: &Ui, viewport: Rect, ctx: &UiContext<'_>) {
    let top = viewport.min.y + view_gizmo::HEIGHT;
    let height = BUTTON * (TOGGLES.len() + 1) as f32;
    if ctx.document.is_none() || !view_gizmo::fits(viewport) || top + height > viewport.max.y {
        return;
    }
    let corner = pos2(viewport.max.x - 10.0, top);
    let area = Area::new(Id::unique("toolbar")).order(Order::Middle).fixed_pos(corner).pivot(Align2::RIGHT_TOP);
    area.constrain(false).show(ui.ctx(), |ui| {
        ui.spacing_mut().item_spacing = Vec2::ZERO;
        let strip = Rect::from_min_size(ui.next_widget_position(), vec2(BUTTON, height));
        ui.painter().rect_filled(strip, 5.0, Color32::from_black_alpha(130));
        let shading = button(ui, Icon::Material, ctx.view.view_mode() != ViewMode::Material);
        let shading = tooltip_at(shading, &Action::Window(WindowAction::ShowTab(Tab::Shading)), RectAlign::LEFT);
        Popup::menu(&shading).show(|ui| {
            let modes = COMMANDS.iter().map(|command| &command.action);
            for action in modes.filter(|action| matches!(action, Action::Shading(ShadingAction::ToggleViewMode(_)))) {
                menu_item(ui, action, true, is_checked(action, ctx), ctx);
            }
        });
        for (icon, action) in &TOGGLES {
            let button = button(ui, *icon, is_checked(action, ctx));
            // At the left, where it covers no other button.
            if tooltip_at(button, action, RectAlign::LEFT).clicked() {
                ctx.push(action.clone());
            }
        }
    });
}

/// An icon, on the accent color if `selected`.
fn button(ui: &mut Ui, icon: Icon, selected: bool) -> Response {
    let (rect, response) = ui.allocate_exact_size(vec2(BUTTON, BUTTON), Sense::click());
    let fill = match (selected, response.hovered()) {
        (true, _) => ui.visuals().selection.bg_fill,
        (false, true) => Color32::from_black_alpha(90),
        (false, false) => Color32::TRANSPARENT,
    };
    ui.painter().rect_filled(rect, CornerRadius::same(4), fill);
    icons::draw(ui.painter(), rect.center(), icon, Color32::from_white_alpha(235));
    paint_focus(ui, &response);
    response
}
