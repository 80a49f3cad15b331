//! Dope sheet: one row per animated joint with its keys below the track, or the curves of the selected joint.

use super::curve_view;
use super::track::{self, TimelineState, key_marks};
use crate::app::viewer::actions::{Action, PlaybackAction, SelectionAction};
use crate::app::viewer::state::{Document, Selection};
use crate::app::viewer::ui::UiContext;
use crate::app::viewer::ui::theme;
use crate::app::viewer::ui::widgets::ListRow;
use egui::{CursorIcon, Rect, ScrollArea, Sense, Ui, UiBuilder, Vec2, vec2};
use rigview_check::curves::Ruler;

/// Clicks up to this distance from a key go to its time, in points.
const MAX_CLICK_DISTANCE: f32 = 5.0;

/// Shows the joints at the left of the ruler, in this width, and their keys or `curves` below the ruler.
pub(super) fn show(
    ui: &mut Ui,
    state: &mut TimelineState,
    document: &Document,
    ruler: &Ruler,
    names_width: f32,
    curves: bool,
    ctx: &UiContext<'_>,
) {
    let rect = ui.available_rect_before_wrap();
    let keys_rect = rect.with_min_x(rect.min.x + names_width);
    ui.painter().rect_filled(keys_rect, 4.0, ui.visuals().extreme_bg_color);
    let background = ui.interact(keys_rect, ui.scope_id().with("keys"), Sense::drag());
    if track::zoom(ui, &background, ruler, ctx) {
        // The wheel scrolls over the names only.
        ui.input_mut(|input| input.smooth_scroll_delta = Vec2::ZERO);
    }
    let painter = ui.painter_at(keys_rect);
    track::tick_lines(ui, &painter, keys_rect, ruler, document);
    let keys = &document.analysis.key_times;
    let row_height = ui.spacing().interact_size.y;
    ui.spacing_mut().item_spacing = Vec2::ZERO;
    if curves {
        curve_view::show(ui, state, document, ruler, keys_rect);
    }
    let mut area = ScrollArea::vertical().auto_shrink(false);
    if state.revealed != document.joint() {
        state.revealed = document.joint();
        if let Some(row) = state.revealed.and_then(|joint| keys.row_of(joint)) {
            let center = (row as f32 + 0.5) * row_height - 0.5 * rect.height();
            area = area.vertical_scroll_offset(center.max(0.0));
        }
    }
    let rows_rect = if curves { rect.with_max_x(keys_rect.min.x) } else { rect };
    ui.scope_builder(UiBuilder::new().max_rect(rows_rect), |ui| {
        area.show_rows(ui, row_height, keys.row_count(), |ui, rows| {
            for row in rows {
                joint_row(ui, state, document, ruler, row, names_width, ctx);
            }
        });
    });
    track::play_range(ui, &painter, keys_rect, ruler, state.range(document));
    track::playhead_line(ui, &painter, keys_rect, ruler.x(document.playback.time_secs));
}

fn joint_row(
    ui: &mut Ui,
    state: &mut TimelineState,
    document: &Document,
    ruler: &Ruler,
    row: usize,
    names_width: f32,
    ctx: &UiContext<'_>,
) {
    let (joint, _) = document.analysis.key_times.row(row);
    let selected = document.joint() == Some(joint);
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), ui.spacing().interact_size.y), Sense::hover());
    let names = rect.with_max_x(rect.min.x + names_width - 6.0);
    let name = ui.scope_builder(UiBuilder::new().max_rect(names), |ui| {
        let (name, affixes) = (document.outline.joint(joint), document.outline.affixes(joint));
        ListRow { name, affixes, selected, indent: 6.0, ..ListRow::default() }.show(ui)
    });
    let mut clicked = name.inner.clicked();
    let keys = rect.with_min_x(rect.min.x + names_width);
    if keys.is_positive() {
        clicked |= row_keys(ui, document, ruler, keys, row, ctx);
    }
    if clicked && !selected {
        // The clicked row is visible already.
        state.revealed = Some(joint);
        ctx.push(SelectionAction::Select(Some(Selection::Joint(joint))));
    }
}

/// The keys of a row. Returns `true` if they are clicked.
fn row_keys(ui: &Ui, document: &Document, ruler: &Ruler, keys: Rect, row: usize, ctx: &UiContext<'_>) -> bool {
    let (joint, times) = document.analysis.key_times.row(row);
    let selected = document.joint() == Some(joint);
    let response = ui.interact(keys, ui.scope_id().with(("keys", joint.0)), Sense::click());
    let painter = ui.painter_at(keys.intersect(ui.clip_rect()));
    if selected {
        painter.rect_filled(keys, 0.0, theme::accent(ui).gamma_multiply(0.2));
    }
    let color = if selected { theme::accent(ui) } else { ui.visuals().weak_text_color() };
    key_marks(&painter, ruler, times, keys.center().y, color);
    let key = response.hover_pos().and_then(|position| ruler.nearest(times, position.x, MAX_CLICK_DISTANCE));
    if key.is_some() {
        ui.ctx().set_cursor_icon(CursorIcon::PointingHand);
    }
    if response.clicked()
        && let Some(time_secs) = key
    {
        ctx.extend([Action::Playback(PlaybackAction::Scrub(time_secs)), Action::Playback(PlaybackAction::EndScrub)]);
    }
    response.clicked()
}
