//! Sliders that override morph weights (Blender: shape keys), and set expressions (VRM).

use crate::app::viewer::actions::{Action, PoseAction};
use crate::app::viewer::state::document::Document;
use crate::app::viewer::ui::UiContext;
use crate::app::viewer::ui::widgets::{ListRow, heading, no_file_label, wrapped_label};
use egui::{Button, CollapsingHeader, RichText, ScrollArea, Slider, SliderClamping, TextEdit, Ui, vec2};
use rigview_check::names::shared_affixes;
use rigview_core::model::{ExpressionIndex, MorphWeightRef};
use rigview_core::util::text::counted;
use std::borrow::Cow;
use std::collections::HashMap;

/// Fewer sliders need no filter.
const MIN_FILTERED: usize = 12;

/// A slider.
struct Row<'a> {
    name: Cow<'a, str>,
    value: f32,
    is_set: bool,
    set: Box<dyn Fn(f32) -> PoseAction + 'a>,
    clear: PoseAction,
    /// The heading above consecutive rows that have the same.
    group: &'a str,
}

/// Adds sliders for `morphs`.
pub(super) fn show(ui: &mut Ui, document: &Document, morphs: Vec<MorphWeightRef>, ctx: &UiContext<'_>) {
    let each: Vec<Vec<&MorphWeightRef>> = morphs.iter().map(|morph| vec![morph]).collect();
    morph_section(ui, document, "Morph weights", &each, |_| "", ctx);
}

/// Adds sliders for all expressions and for all morph weights: one for each name, and below one for each node.
pub(crate) fn show_by_node(ui: &mut Ui, ctx: &UiContext<'_>) {
    let Some(document) = &ctx.document else { return no_file_label(ui) };
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        expression_section(ui, document, ctx);
        let morphs = document.scene.model().morphs();
        if morphs.is_empty() && document.scene.model().expressions.is_empty() {
            ui.weak("The model has no morph targets.");
        }
        let each: Vec<Vec<&MorphWeightRef>> = morphs.iter().map(|morph| vec![morph]).collect();
        let node = |morph: &MorphWeightRef| document.outline.joint(morph.joint);
        let by_name = by_name(&morphs);
        let is_grouped = by_name.iter().any(|row| standard_group(&row[0].name) != OTHER);
        if by_name.len() == each.len() && !is_grouped {
            return morph_section(ui, document, "Morph weights", &each, node, ctx);
        }
        let title = |morph: &MorphWeightRef| if is_grouped { GROUPS[standard_group(&morph.name)] } else { "" };
        morph_section(ui, document, "Morph weights", &by_name, title, ctx);
        if by_name.len() < each.len() {
            CollapsingHeader::new("Single meshes").show(ui, |ui| {
                morph_section(ui, document, "", &each, node, ctx);
            });
        }
    });
}

/// Returns the morph weights of each name, in the order of [`GROUPS`].
fn by_name(morphs: &[MorphWeightRef]) -> Vec<Vec<&MorphWeightRef>> {
    let (mut row_of, mut rows) = (HashMap::new(), Vec::<Vec<&MorphWeightRef>>::new());
    for morph in morphs {
        let row = *row_of.entry(&morph.name).or_insert(rows.len());
        rows.resize_with(rows.len().max(row + 1), Vec::new);
        rows[row].push(morph);
    }
    rows.sort_by_key(|row| standard_group(&row[0].name));
    rows
}

fn expression_section(ui: &mut Ui, document: &Document, ctx: &UiContext<'_>) {
    let (values, expressions) = (document.scene.overrides().expressions(), &document.scene.model().expressions);
    let drawn = expressions.iter().enumerate().filter(|(_, expression)| expression.has_effect());
    let rows = drawn.map(|(index, expression)| {
        let index = ExpressionIndex(index as u32);
        let value = values.iter().find(|(other, _)| *other == index);
        Row {
            name: expression.label().into(),
            value: value.map_or(0.0, |(_, value)| *value),
            is_set: value.is_some(),
            set: Box::new(move |value| PoseAction::SetExpression(index, value)),
            clear: PoseAction::SetExpression(index, 0.0),
            group: "",
        }
    });
    let rows: Vec<Row<'_>> = rows.collect();
    section(ui, "Expressions", &rows, ctx);
    if rows.len() < expressions.len() {
        let undrawn = counted(expressions.len() - rows.len(), "expression changes", "expressions change");
        wrapped_label(ui, RichText::new(format!("{undrawn} nothing that is drawn")).weak());
    }
}

/// Adds a slider for each list of morph weights, which get the same value.
fn morph_section<'a>(
    ui: &mut Ui,
    document: &'a Document,
    title: &str,
    morphs: &[Vec<&'a MorphWeightRef>],
    group: impl Fn(&MorphWeightRef) -> &'a str,
    ctx: &UiContext<'_>,
) {
    if morphs.is_empty() {
        return;
    }
    let (pose, _) = document.scene.first_pose(document.clock_secs());
    let overrides = document.scene.overrides().morph_weights();
    let is_set = |index: &usize| overrides.binary_search_by_key(index, |(index, _)| *index).is_ok();
    let rows = morphs.iter().map(|morphs| {
        let indices: Vec<usize> = morphs.iter().map(|morph| morph.weight_index).collect();
        Row {
            name: morphs[0].name.as_str().into(),
            value: pose.morph_weights[indices[0]],
            is_set: indices.iter().any(is_set),
            clear: PoseAction::SetMorphWeights(indices.clone(), None),
            set: Box::new(move |weight| PoseAction::SetMorphWeights(indices.clone(), Some(weight))),
            group: group(morphs[0]),
        }
    });
    section(ui, title, &rows.collect::<Vec<_>>(), ctx);
}

/// Groups of standard names, in the order of the list.
const GROUPS: [&str; 3] = ["ARKit", "Visemes", "Others"];

const OTHER: usize = 2;

/// The 52 blend shapes of ARKit, without `Left` and `Right`, separated by spaces.
const ARKIT_NAMES: &str = "browDown browInnerUp browOuterUp cheekPuff cheekSquint eyeBlink eyeLookDown eyeLookIn eyeLookOut eyeLookUp \
    eyeSquint eyeWide jaw jawForward jawOpen mouth mouthClose mouthDimple mouthFrown mouthFunnel mouthLowerDown mouthPress \
    mouthPucker mouthRollLower mouthRollUpper mouthShrugLower mouthShrugUpper mouthSmile mouthStretch mouthUpperUp noseSneer tongueOut";

/// Returns the index among [`GROUPS`] of a morph target's name.
fn standard_group(name: &str) -> usize {
    let sides = ["Left", "Right", "_L", "_R"];
    let stem = sides.iter().find_map(|side| name.strip_suffix(side));
    // `mouthSmile` is a target of Ready Player Me for both sides.
    let is = |stem: &str| ARKIT_NAMES.split(' ').any(|known| known.eq_ignore_ascii_case(stem));
    let lower = name.to_ascii_lowercase();
    if is(name) && !["jaw", "mouth"].contains(&lower.as_str()) || stem.is_some_and(is) {
        return 0;
    }
    if lower.starts_with("viseme") || lower.starts_with("vrc.v_") { 1 } else { OTHER }
}

fn section(ui: &mut Ui, title: &str, rows: &[Row<'_>], ctx: &UiContext<'_>) {
    if rows.is_empty() {
        return;
    }
    if !title.is_empty() {
        heading(ui, title);
    }
    let filter_id = ui.scope_id().with(title);
    let mut filter: String = ui.data_mut(|data| data.get_temp(filter_id)).unwrap_or_default();
    ui.horizontal(|ui| {
        if rows.len() >= MIN_FILTERED {
            ui.add(TextEdit::singleline(&mut filter).hint_text("Filter").desired_width(140.0));
        }
        let set: Vec<&Row<'_>> = rows.iter().filter(|row| row.is_set).collect();
        if ui.add_enabled(!set.is_empty(), Button::new("Reset all")).clicked() {
            ctx.extend(set.into_iter().map(|row| Action::Pose(row.clear.clone())));
        }
    });
    let name_width = 0.45 * ui.available_width();
    ui.spacing_mut().slider_width = (ui.available_width() - name_width - 90.0).clamp(30.0, 300.0);
    let search = filter.trim().to_lowercase();
    let mut group = "";
    let affixes = shared_affixes(rows.iter().map(|row| row.name.as_ref()));
    for (row, affixes) in rows.iter().zip(affixes).filter(|(row, _)| row.name.to_lowercase().contains(&search)) {
        if std::mem::replace(&mut group, row.group) != row.group {
            ui.weak(row.group);
        }
        ui.horizontal(|ui| {
            let name =
                ListRow { name: &row.name, affixes, strong: row.is_set, highlight: &search, ..ListRow::default() };
            let size = vec2(name_width, ui.spacing().interact_size.y);
            ui.allocate_ui(size, |ui| name.show(ui));
            let mut value = row.value;
            let range = value.min(0.0)..=value.max(1.0);
            let slider = Slider::new(&mut value, range).clamping(SliderClamping::Never).max_decimals(3);
            ctx.push_if(ui.add(slider).changed(), Action::Pose((row.set)(value)));
            if row.is_set && ui.small_button("\u{d7}").on_hover_text("Remove the override").clicked() {
                ctx.push(Action::Pose(row.clear.clone()));
            }
        });
    }
    ui.data_mut(|data| data.insert_temp(filter_id, filter));
}

#[cfg(test)]
mod tests {
    use super::*;
    use rigview_core::model::JointIndex;

    #[test]
    fn standard_names_have_groups() {
        let groups = |names: &[&str]| names.iter().map(|name| standard_group(name)).collect::<Vec<_>>();
        assert_eq!(groups(&["jawOpen", "eyeBlinkLeft", "browDown_R", "mouthSmile", "JawLeft", "tongueOut"]), [0; 6]);
        assert_eq!(groups(&["viseme_aa", "vrc.v_oh", "Viseme_sil"]), [1; 3]);
        assert_eq!(groups(&["mouthOpen", "eyesClosed", "mouth", "jaw", "smile", ""]), [OTHER; 6]);
    }

    #[test]
    fn weights_of_one_name_share_a_slider() {
        let morph = |joint: u32, name: &str, weight_index: usize| MorphWeightRef {
            joint: JointIndex(joint),
            target_index: 0,
            name: name.to_owned(),
            weight_index,
        };
        let morphs = [
            morph(0, "smirk", 0),
            morph(0, "viseme_aa", 1),
            morph(0, "jawOpen", 2),
            morph(1, "jawOpen", 3),
            morph(2, "smirk", 4),
        ];
        let rows = by_name(&morphs);
        let indices: Vec<Vec<usize>> =
            rows.iter().map(|row| row.iter().map(|morph| morph.weight_index).collect()).collect();
        assert_eq!(indices, [vec![2, 3], vec![1], vec![0, 4]]);
    }
}
