//! Flex panel: the joints that deform worst, and a range of motion test through all poses.

use super::issues::verdict;
use crate::app::viewer::actions::{Action, FileAction, PoseAction};
use crate::app::viewer::state::{Document, FilePurpose, FlexState};
use crate::app::viewer::ui::thumbnails::Thumbnails;
use crate::app::viewer::ui::widgets::{ListRow, no_file_label, paint_icon_button, wrapped_label};
use crate::app::viewer::ui::{Icon, UiContext};
use egui::{ProgressBar, Rangef, Rect, RichText, ScrollArea, Slider, Stroke, Ui, Vec2, vec2};
use rigview_check::flex::{Flex, FlexLimits, JointFlex};
use rigview_core::util::text::capitalized;

/// Joints that have a card with a thumbnail.
const CARDS: usize = 3;

/// Space for the thumbnail of a card, in points.
const CARD_INDENT: f32 = 56.0;

/// Largest severity of a bar; the limit is 1.
const BAR_END: f64 = 1.5;

/// Poses per second of the range of motion test.
const POSES_PER_SEC: f64 = 0.7;

#[derive(Default)]
pub(crate) struct FlexPanel {
    /// Position of the range of motion test, once the user chose one.
    position: Option<f64>,
    is_playing: bool,
}

pub(crate) fn show(ui: &mut Ui, panel: &mut FlexPanel, thumbnails: &Thumbnails, ctx: &UiContext<'_>) {
    let Some(document) = &ctx.document else { return no_file_label(ui) };
    match &document.flex {
        FlexState::Unmeasured => ctx.push(PoseAction::MeasureFlex),
        FlexState::Measuring([done, total], _) => {
            *panel = FlexPanel::default();
            ui.weak("Posing each joint through its range...");
            let fraction = *done as f32 / (*total).max(1) as f32;
            ui.add(ProgressBar::new(fraction).text(format!("{done} of {total} joints")));
        }
        FlexState::Measured(flex) => {
            let before = panel.position;
            summary(ui, flex, ctx);
            if flex.pose_count() > 0 {
                range_of_motion(ui, panel, flex);
                let moved = panel.position.filter(|_| panel.position != before);
                ctx.extend(moved.map(|position| PoseAction::ShowFlex(position).into()));
                joint_list(ui, panel, thumbnails, document, flex, ctx);
            }
        }
    }
}

/// Stops the measurement unless its tab is shown.
pub(crate) fn stop_unless(is_shown: bool, ctx: &UiContext<'_>) {
    let is_measured = ctx.document.as_ref().is_some_and(|document| matches!(document.flex, FlexState::Measuring(..)));
    ctx.extend((is_measured && !is_shown).then_some(Action::Pose(PoseAction::StopFlex)));
}

fn summary(ui: &mut Ui, flex: &Flex, ctx: &UiContext<'_>) {
    let is_beyond = flex.joints.iter().any(|joint| joint.score() > 1.0);
    let text = if is_beyond { verdict(ctx).0 } else { "No joint is beyond the limits".to_owned() };
    ui.horizontal_wrapped(|ui| {
        ui.label(RichText::new(text).strong()).on_hover_text(flex.summary());
        let help = "Choose a TOML file with limits, as for `rigview check --flex=LIMITS.toml`";
        ctx.push_if(ui.button("Limits...").on_hover_text(help).clicked(), FileAction::Choose(FilePurpose::FlexLimits));
    });
    if !flex.is_complete {
        let text = RichText::new("Too many joints and vertices to measure all");
        wrapped_label(ui, text.color(ui.visuals().warn_fg_color));
    }
}

/// Play button, slider, and the present pose.
fn range_of_motion(ui: &mut Ui, panel: &mut FlexPanel, flex: &Flex) {
    let count = flex.pose_count() as f64;
    ui.horizontal(|ui| {
        let (icon, help) = match panel.is_playing {
            true => (Icon::Pause, "Pause the range of motion test"),
            false => (Icon::Play, "Play the range of motion test: all poses of all joints, the worst joint first"),
        };
        let width = ui.spacing().interact_size.y + 4.0;
        panel.is_playing ^= paint_icon_button(ui, icon, width, false).on_hover_text(help).clicked();
        ui.spacing_mut().slider_width = (ui.available_width() - 8.0).max(30.0);
        let mut position = panel.position.unwrap_or(0.0);
        if ui.add(Slider::new(&mut position, 0.0..=count).show_value(false)).changed() {
            (panel.position, panel.is_playing) = (Some(position), false);
        }
    });
    if panel.is_playing {
        let secs = f64::from(ui.input(|input| input.unstable_dt.min(0.25)));
        panel.position = Some((panel.position.unwrap_or(0.0) + secs * POSES_PER_SEC).rem_euclid(count));
        ui.ctx().request_repaint();
    }
    let pose = panel.position.and_then(|position| flex.at(position));
    let text = pose.map_or("Click a joint for its worst pose".to_owned(), |(rank, pose)| {
        format!("{} {}", flex.joints[rank].name, pose.description)
    });
    wrapped_label(ui, RichText::new(text).weak());
}

/// The joints, worst first: the first as cards, the others as rows. That of the present pose has its findings below.
fn joint_list(
    ui: &mut Ui,
    panel: &mut FlexPanel,
    thumbnails: &Thumbnails,
    document: &Document,
    flex: &Flex,
    ctx: &UiContext<'_>,
) {
    let shown = panel.position.and_then(|position| flex.at(position)).map(|(rank, _)| rank);
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        for (rank, joint) in flex.joints.iter().enumerate() {
            let note = joint.worst().map(ToString::to_string).unwrap_or_default();
            let (is_card, selected) = (rank < CARDS, shown == Some(rank));
            let (name, affixes) = (document.outline.joint(joint.joint), document.outline.affixes(joint.joint));
            let row = ListRow { name, affixes, selected, ..ListRow::default() };
            let response = match is_card {
                true => {
                    let pose = joint.worst().map(|worst| worst.pose.description.clone()).unwrap_or_default();
                    let details = format!("{}\n{pose}", capitalized(&note));
                    let response =
                        ListRow { strong: true, details: Some(&details), indent: CARD_INDENT, ..row }.show(ui);
                    let side = response.rect.height() - 4.0;
                    let square = Rect::from_min_size(response.rect.min + vec2(2.0, 2.0), Vec2::splat(side));
                    if flex.limits == FlexLimits::default() {
                        thumbnails.paint_worst_joint(ui, &document.scene.file, rank, square);
                    }
                    response
                }
                false => ListRow { note: &note, indent: 4.0, ..row }.show(ui),
            };
            let start = response.rect.min.x + if is_card { CARD_INDENT } else { 4.0 };
            limit_bar(ui, response.rect.with_min_x(start).shrink2(vec2(4.0, 1.0)), joint.score());
            if response.clicked() {
                (panel.position, panel.is_playing) = (flex.worst_position(rank), false);
                ctx.push(PoseAction::ShowFlexJoint(rank));
            }
            if selected {
                findings(ui, joint, flex);
            }
        }
    });
}

/// Paints a bar at the lower edge: how near a joint is to its limit, which is a tick.
fn limit_bar(ui: &Ui, rect: Rect, score: f64) {
    let line = rect.with_min_y(rect.max.y - 2.0);
    let part = |share: f64| line.with_max_x(line.min.x + line.width() * (share / BAR_END).clamp(0.0, 1.0) as f32);
    let color = if score > 1.0 { ui.visuals().warn_fg_color } else { ui.visuals().weak_text_color() };
    ui.painter().rect_filled(line, 1.0, ui.visuals().window_stroke.color);
    ui.painter().rect_filled(part(score), 1.0, color);
    let tick = Rangef::new(line.min.y - 1.0, line.max.y);
    ui.painter().vline(part(1.0).max.x, tick, Stroke::new(1.0, ui.visuals().text_color()));
}

/// What is wrong about a joint, then each remedy once.
fn findings(ui: &mut Ui, joint: &JointFlex, flex: &Flex) {
    let mut remedies: Vec<&str> = Vec::new();
    ui.indent("findings", |ui| {
        for finding in joint.findings.iter().filter(|finding| finding.severity > 1.0) {
            wrapped_label(ui, capitalized(&finding.problem(&joint.name, &flex.limits)));
            remedies.extend(Some(finding.remedy()).filter(|remedy| !remedies.contains(remedy)));
        }
        if remedies.is_empty() {
            ui.weak("All measures are within the limits");
        }
        remedies.iter().for_each(|remedy| wrapped_label(ui, RichText::new(capitalized(remedy)).strong()));
    });
}
