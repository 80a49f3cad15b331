//! Notifications at the lower edge of the viewport.

use super::legend;
use crate::app::viewer::actions::{Action, ExportAction, WindowAction};
use crate::app::viewer::state::notifications::NotificationKind;
use crate::app::viewer::ui::widgets::{icon_button, wrapped_label};
use crate::app::viewer::ui::{Icon, UiContext, theme};
use egui::{Align2, Rect, RichText, Ui, vec2};

pub(crate) fn show(ui: &Ui, viewport: Rect, ctx: &UiContext<'_>) {
    let notifications = &ctx.notifications.list;
    if notifications.is_empty() {
        return;
    }
    let viewport = legend::remaining_viewport(ui, viewport);
    let position = viewport.center_bottom() - vec2(0.0, 12.0);
    theme::card(ui, "notifications", position, Align2::CENTER_BOTTOM, |ui| {
        ui.set_max_width((viewport.width() - 40.0).clamp(120.0, 560.0));
        for (i, notification) in notifications.iter().enumerate() {
            ui.horizontal(|ui| {
                let mut text = RichText::new(&notification.text);
                if notification.kind == NotificationKind::Error {
                    text = text.color(ui.visuals().error_fg_color);
                    icon_button(ui, Icon::Close, false, &Action::Window(WindowAction::DismissNotification(i)), ctx)
                        .on_hover_text("Dismiss");
                }
                if let Some(file) = &notification.file
                    && ui.button("Open folder").clicked()
                {
                    ctx.push(ExportAction::OpenFolder(file.clone()));
                }
                wrapped_label(ui, text);
            });
        }
    });
}
