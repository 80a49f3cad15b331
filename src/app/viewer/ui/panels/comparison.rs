//! Compare panel: the compared files and the differences between their rigs.

use crate::app::viewer::actions::{ComparisonAction, ExportAction, FileAction};
use crate::app::viewer::state::{CompareMode, ComparisonState, FilePurpose};
use crate::app::viewer::ui::UiContext;
use crate::app::viewer::ui::widgets::{on_click, wrapped_label};
use egui::{Color32, CursorIcon, Label, RichText, ScrollArea, Sense, Shape, Ui, vec2};
use rigview_check::diff::DiffLine;
use rigview_core::model::Clip;
use rigview_core::util::text::quoted;

pub(crate) fn show(ui: &mut Ui, ctx: &UiContext<'_>) {
    let (Some(comparison), Some(document)) = (&ctx.comparison, &ctx.document) else {
        wrapped_label(ui, RichText::new("No second file is open.").weak());
        on_click(ui.button("Compare with..."), FileAction::Choose(FilePurpose::Compare), ctx);
        return;
    };
    ui.horizontal_wrapped(|ui| {
        for (mode, name) in CompareMode::ALL {
            on_click(ui.selectable_label(comparison.mode == mode, name), ComparisonAction::SetCompareMode(mode), ctx);
        }
    });
    ui.add_space(4.0);
    let files = [document.scene.file.as_path(), comparison.file.as_path()];
    for ((letter, name), file) in ["A", "B"].into_iter().zip(comparison.names(files[0])).zip(files) {
        ui.horizontal(|ui| {
            ui.label(RichText::new(letter).strong());
            ui.add(Label::new(name).truncate()).on_hover_text(file.display().to_string());
        });
    }
    if comparison.document.is_none() {
        ui.weak(if comparison.is_loading { "Loading B..." } else { "Loading B failed." });
    } else if let Some(warning) = clip_mismatch(ctx, comparison) {
        wrapped_label(ui, RichText::new(warning).color(ui.visuals().warn_fg_color));
    }
    ui.separator();
    let Some(lines) = &comparison.differences else {
        ui.weak("Comparing the models...");
        return;
    };
    let help =
        if comparison.is_before_reload { "Copy this list" } else { "Copy this list; `rigview diff A B` prints it too" };
    ui.horizontal(|ui| {
        if ui.small_button("Copy").on_hover_text(help).clicked() {
            let lines: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
            ctx.push(ExportAction::CopyText { what: "differences", text: lines.join("\n") });
        }
        ui.weak(if comparison.is_before_reload { "Changes by the reload" } else { "Changes from A to B" });
    });
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        lines.iter().for_each(|line| difference_line(ui, line, ctx));
    });
}

/// Adds a line of the report: a heading, or an item that was added (green), removed (red) or changed. A click goes to the item.
fn difference_line(ui: &mut Ui, line: &DiffLine, ctx: &UiContext<'_>) {
    let text = line.text.trim_start();
    let depth = (line.text.len() - text.len()) as f32;
    if depth == 0.0 {
        ui.add_space(4.0);
        wrapped_label(ui, RichText::new(text).strong());
        return;
    }
    let short = line.short_text();
    let color = match (text.chars().next(), ui.visuals().dark_mode) {
        (Some('+'), true) => Color32::from_rgb(120, 200, 120),
        (Some('+'), false) => Color32::from_rgb(30, 120, 40),
        (Some('-'), _) => ui.visuals().error_fg_color,
        _ => ui.visuals().text_color(),
    };
    ui.horizontal(|ui| {
        ui.add_space(depth * 4.0);
        let label = Label::new(RichText::new(&short).color(color)).wrap();
        let Some(target) = &line.target else {
            ui.add(label);
            return;
        };
        // The fill is behind the text.
        let fill = ui.painter().add(Shape::Noop);
        let response = ui.add(label.sense(Sense::click())).on_hover_cursor(CursorIcon::PointingHand);
        if response.hovered() {
            let (rect, color) = (response.rect.expand2(vec2(4.0, 1.0)), ui.visuals().widgets.hovered.weak_bg_fill);
            ui.painter().set(fill, Shape::rect_filled(rect, 3.0, color));
        }
        if response.on_hover_text(format!("{text}\nClick: go to it")).clicked() {
            ctx.push(ComparisonAction::ShowDifference(target.clone()));
        }
    });
}

/// Explains why B plays another clip than A.
fn clip_mismatch(ctx: &UiContext<'_>, comparison: &ComparisonState) -> Option<String> {
    let name = |clip: &Clip| clip.name.as_ref().map_or(String::new(), |name| format!(" {}", quoted(name)));
    match (ctx.document.as_ref()?.clip(), comparison.document.as_ref()?.clip()) {
        (Some(a), None) => Some(format!("B has no clip{} and shows its rest pose", name(a))),
        (Some(a), Some(b)) if a.name != b.name => Some(format!("B plays its only clip{}", name(b))),
        _ => None,
    }
}
