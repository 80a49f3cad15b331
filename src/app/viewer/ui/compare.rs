//! Two files side by side: what differs in words, and the line between their pictures.

use super::widgets::tip;
use super::{UiContext, theme};
use crate::app::viewer::actions::Action;
use crate::app::viewer::state::CompareMode;
use crate::app::viewer::state::comparison::Beside;
use crate::util::text::file_name;
use egui::{
    Align2, Area, Color32, CursorIcon, FontId, Id, Label, LayerId, Order, Rect, RichText, ScrollArea, Sense, Stroke,
    Ui, pos2, vec2,
};
use std::path::Path;
use std::time::Instant;

/// How wide the line is to a hand, in points.
const GRIP: f32 = 14.0;

/// The panel.
pub(crate) fn show(ui: &mut Ui, facts: &UiContext<'_>, actions: &mut Vec<Action>) {
    let (Some(beside), Some(shown)) = (facts.beside, facts.shown) else {
        ui.add(Label::new(RichText::new("Nothing is compared yet.").weak()).wrap());
        let button = ui.button("Compare with...");
        if tip(button, &Action::AskToCompare).clicked() {
            actions.push(Action::AskToCompare);
        }
        return;
    };
    ui.horizontal(|ui| {
        for (mode, name) in CompareMode::ALL {
            let action = Action::Compare(mode);
            if tip(ui.selectable_label(beside.mode == mode, name), &action).clicked() {
                actions.push(action);
            }
        }
    });
    ui.add_space(4.0);
    for (letter, file) in [("A", shown.stage.file.as_path()), ("B", beside.file.as_path())] {
        ui.horizontal(|ui| {
            ui.label(RichText::new(letter).strong());
            ui.add(Label::new(name(file)).truncate()).on_hover_text(file.display().to_string());
        });
    }
    if beside.shown.is_none() {
        ui.weak(if beside.loader.file().is_some() { "B is being read." } else { "B cannot be read." });
    } else if let Some(plays) = plays_otherwise(facts, beside) {
        ui.add(Label::new(RichText::new(plays).color(ui.visuals().warn_fg_color)).wrap());
    }
    ui.separator();
    let Some(lines) = &beside.differences else {
        ui.weak("Comparing the rigs...");
        return;
    };
    if ui.small_button("Copy").on_hover_text("Copy these lines; `rigview diff A B` prints them too").clicked() {
        actions.push(Action::Copy { what: "differences", text: lines.join("\n") });
    }
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        for line in lines {
            difference(ui, line);
        }
    });
}

/// One line: a heading, or what came (green), went (red) or changed.
fn difference(ui: &mut Ui, line: &str) {
    let text = line.trim_start();
    let depth = (line.len() - text.len()) as f32;
    if depth == 0.0 {
        ui.add_space(4.0);
        ui.add(Label::new(RichText::new(text).strong()).wrap());
        return;
    }
    let short = without_paths(text);
    let dark = ui.visuals().dark_mode;
    let color = match text.chars().next() {
        Some('+') if dark => Color32::from_rgb(120, 200, 120),
        Some('+') => Color32::from_rgb(30, 120, 40),
        Some('-') => ui.visuals().error_fg_color,
        _ => ui.visuals().text_color(),
    };
    ui.horizontal(|ui| {
        ui.add_space(depth * 4.0);
        let label = ui.add(Label::new(RichText::new(&short).color(color)).wrap());
        if short != text {
            label.on_hover_text(text);
        }
    });
}

/// A line in which joints go by their own names, without all that they hang from.
fn without_paths(text: &str) -> String {
    let word = |word: &str| match word.matches('/').count() {
        0 | 1 => word.to_owned(),
        _ => word.rsplit_once('/').map_or(word, |(_, last)| last).to_owned(),
    };
    text.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// Where the second file does not play what the first one does: what it does instead.
fn plays_otherwise(facts: &UiContext<'_>, beside: &Beside) -> Option<String> {
    let (first, second) = (facts.shown?.clip(), beside.shown.as_ref()?.clip());
    let name = |clip: &crate::model::Clip| clip.name.clone().unwrap_or_else(|| "a clip without a name".to_owned());
    match (first, second) {
        (Some(first), None) => Some(format!("B has no clip `{}`: it stands in its rest pose", name(first))),
        (Some(first), Some(second)) if first.name != second.name => {
            Some(format!("B plays its only clip, `{}`", name(second)))
        }
        _ => None,
    }
}

/// The line between the two pictures, which a hand can drag, and their names.
pub(crate) fn show_line(ui: &Ui, free: Rect, facts: &UiContext<'_>, actions: &mut Vec<Action>) {
    let (Some(beside), Some(shown)) = (facts.beside.filter(|beside| beside.shown.is_some()), facts.shown) else {
        return;
    };
    let painter =
        ui.ctx().layer_painter(LayerId::new(Order::Background, Id::unique("comparison"))).with_clip_rect(free);
    let names = [&*shown.stage.file, &*beside.file].map(name);
    let x = free.min.x + beside.split as f32 * free.width();
    let tag = |at: egui::Pos2, align: Align2, letter: &str, name: &str| {
        let galley = painter.layout_no_wrap(format!("{letter}  {name}"), FontId::proportional(12.0), Color32::WHITE);
        let behind = align.anchor_size(at, galley.size()).expand2(vec2(5.0, 2.0));
        painter.rect_filled(behind, 4.0, Color32::from_black_alpha(150));
        painter.galley(behind.min + vec2(5.0, 2.0), galley, Color32::WHITE);
    };
    let top = free.min.y + 14.0;
    match beside.alone(Instant::now()) {
        Some(which) => tag(pos2(free.center().x, top), Align2::CENTER_TOP, ["A", "B"][which], &names[which]),
        None if beside.mode == CompareMode::Difference => {
            tag(pos2(free.center().x, top), Align2::CENTER_TOP, "A - B", "red to white: where they differ");
        }
        None => {
            tag(pos2(x - 14.0, top), Align2::RIGHT_TOP, "A", &names[0]);
            tag(pos2(x + 14.0, top), Align2::LEFT_TOP, "B", &names[1]);
        }
    }
    if beside.mode != CompareMode::Split || free.width() < 2.0 * GRIP {
        return;
    }
    let at = pos2((x - 0.5 * GRIP).clamp(free.min.x, free.max.x - GRIP), free.min.y);
    Area::new(Id::unique("split")).order(Order::Middle).fixed_pos(at).constrain(false).show(ui.ctx(), |ui| {
        let (rect, response) = ui.allocate_exact_size(vec2(GRIP, free.height()), Sense::click_and_drag());
        let response = response.on_hover_cursor(CursorIcon::ResizeHorizontal);
        let painter = ui.painter();
        painter.vline(x, rect.y_range(), Stroke::new(3.0, Color32::from_black_alpha(110)));
        painter.vline(x, rect.y_range(), Stroke::new(1.4, Color32::WHITE));
        let held = response.hovered() || response.dragged();
        let center = pos2(x, rect.center().y);
        painter.circle_filled(center, 8.0, if held { theme::accent(ui) } else { Color32::from_black_alpha(170) });
        painter.circle_stroke(center, 8.0, Stroke::new(1.4, Color32::WHITE));
        for side in [-1.0, 1.0] {
            let tip = center + vec2(5.0 * side, 0.0);
            let wing = |dy: f32| [tip, pos2(tip.x - 2.5 * side, tip.y + dy)];
            painter.line_segment(wing(-2.5), Stroke::new(1.2, Color32::WHITE));
            painter.line_segment(wing(2.5), Stroke::new(1.2, Color32::WHITE));
        }
        if let Some(place) = response.interact_pointer_pos().filter(|_| response.dragged()) {
            actions.push(Action::SetSplit(f64::from((place.x - free.min.x) / free.width())));
        }
        if response.double_clicked() {
            actions.push(Action::SetSplit(0.5));
        }
    });
}

fn name(file: &Path) -> String {
    file_name(file)
}

#[cfg(test)]
mod tests {
    use super::without_paths;

    #[test]
    fn joints_go_by_their_own_names() {
        assert_eq!(without_paths("~ root/hips/tail: moved by 2 (1, 2, 3)"), "~ tail: moved by 2 (1, 2, 3)");
        assert_eq!(without_paths("+ hips/tail"), "+ hips/tail");
    }
}
