//! Crowd panel: number, placement and clips of the instances, counts per frame and frame times.

use super::frame_stats;
use super::property_table::table;
use crate::app::scene::LoadedScene;
use crate::app::scene::crowd::InstanceGroup;
use crate::app::scene::lookup::find_by_name_or_index;
use crate::app::viewer::actions::{Action, PoseAction, ShadingAction};
use crate::app::viewer::analysis::outline::named;
use crate::app::viewer::state::document::Document;
use crate::app::viewer::ui::UiContext;
use crate::app::viewer::ui::widgets::{
    command_name, count_label, fit_sliders, heading, no_file_label, on_click, thousands, value_row, wrapped_label,
};
use crate::request::{ClipWeight, CrowdRequest, LayoutRequest};
use egui::{DragValue, Label, RichText, ScrollArea, Slider, Ui};
use rigview_core::model::{ClipIndex, Model};
use rigview_core::util::text::fixed;
use rigview_render::render::DrawStatistics;

const MAX_INSTANCES: u32 = 100_000;

/// Maximum number of listed sets of clips of a layout.
const MAX_GROUPS: usize = 12;

pub(crate) fn show(ui: &mut Ui, ctx: &UiContext<'_>) {
    let Some(document) = &ctx.document else { return no_file_label(ui) };
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let mut crowd = document.request().crowd.clone();
        layout_section(ui, &mut crowd);
        layout_clips_section(ui, document);
        clips_section(ui, &mut crowd, document.scene.model(), document.scene.clip);
        ctx.push_if(crowd != document.request().crowd, PoseAction::SetCrowd(crowd));
        heading(ui, "Per frame");
        counts_table(ui, &FrameCounts::new(&document.scene), &document.drawn);
        let mut level_of_detail = ctx.view.request.level_of_detail;
        let checkbox =
            ui.checkbox(&mut level_of_detail, command_name(&Action::Shading(ShadingAction::ToggleLevelOfDetail)));
        on_click(checkbox, ShadingAction::ToggleLevelOfDetail, ctx);
        heading(ui, "Frame time");
        frame_stats::show(ui, &ctx.frame_stats);
    });
}

fn layout_section(ui: &mut Ui, crowd: &mut CrowdRequest) {
    fit_sliders(ui);
    let from_file = matches!(crowd.layout, Some(LayoutRequest::File(_)));
    ui.add_enabled_ui(!from_file, |ui| {
        value_row(ui, "Instances", "Copies of the model", &mut crowd.instances, 1, |ui, count| {
            ui.add(Slider::new(count, 1..=MAX_INSTANCES).logarithmic(true));
        });
    });
    ui.add_enabled_ui(crowd.instances > 1 && !from_file, |ui| {
        let scattered = matches!(crowd.layout, Some(LayoutRequest::Scatter));
        ui.horizontal(|ui| {
            if ui.selectable_label(!scattered, "Grid").clicked() {
                crowd.layout = None;
            }
            if ui.selectable_label(scattered, "Scatter").clicked() {
                crowd.layout = Some(LayoutRequest::Scatter);
            }
            ui.add_enabled_ui(scattered, |ui| {
                if ui.small_button("New seed").on_hover_text("Scatter again with another random seed").clicked() {
                    crowd.seed = crowd.seed.wrapping_add(1);
                }
            });
        });
        let mut phase_spread = crowd.phase_spread.unwrap_or(1.0);
        let fraction = |ui: &mut Ui, value: &mut f64| drop(ui.add(Slider::new(value, 0.0..=1.0).max_decimals(3)));
        let help = "Random start times, as a fraction of the clip";
        value_row(ui, "Phase spread", help, &mut phase_spread, 1.0, fraction);
        if phase_spread != crowd.phase_spread.unwrap_or(1.0) {
            crowd.phase_spread = Some(phase_spread);
        }
        let help = "Random playback speeds, as a fraction of the normal speed";
        value_row(ui, "Speed spread", help, &mut crowd.speed_spread, 0.0, fraction);
    });
}

/// What a layout file specifies: the clips of the instances, with their speeds and phases.
fn layout_clips_section(ui: &mut Ui, document: &Document) {
    if !matches!(document.request().crowd.layout, Some(LayoutRequest::File(_))) {
        return;
    }
    heading(ui, "Clips of the layout");
    let groups = document.instance_groups();
    for InstanceGroup { instances, clips } in groups.iter().take(MAX_GROUPS) {
        let names: Vec<String> = clips.iter().map(|(clip, ..)| document.clip_title(*clip)).collect();
        wrapped_label(ui, format!("{}: {}", count_label(*instances as u64, "instance", "instances"), names.join(", ")));
        let range = |[min, max]: [String; 2]| if min == max { min } else { format!("{min} to {max}") };
        for ((_, speeds, starts), name) in clips.iter().zip(names).filter(|((clip, ..), _)| clip.is_some()) {
            let speeds = range(speeds.map(|speed| fixed(f64::from(speed), 2)));
            let starts = range(starts.map(|secs| fixed(secs, 2)));
            wrapped_label(ui, RichText::new(format!("{name}: speed {speeds}, phase {starts} s")).weak());
        }
    }
    if groups.len() > MAX_GROUPS {
        ui.weak(format!("and {} more sets of clips", groups.len() - MAX_GROUPS));
    }
}

/// Relative number of instances for each clip.
fn clips_section(ui: &mut Ui, crowd: &mut CrowdRequest, model: &Model, playing: Option<ClipIndex>) {
    if crowd.instances < 2 || model.clips.len() < 2 || matches!(crowd.layout, Some(LayoutRequest::File(_))) {
        return;
    }
    heading(ui, "Clips");
    let mut weights = clip_weights(model, &crowd.clips);
    let is_mix = weights.iter().any(|weight| *weight > 0.0);
    if let (false, Some(clip)) = (is_mix, playing) {
        weights[clip.get()] = 1.0;
    }
    let before = weights.clone();
    for (i, (weight, clip)) in weights.iter_mut().zip(&model.clips).enumerate() {
        ui.horizontal(|ui| {
            let field = DragValue::new(weight).range(0.0..=100.0).speed(0.05).max_decimals(2);
            ui.add_sized([40.0, ui.spacing().interact_size.y], field)
                .on_hover_text("Relative number of instances that play this clip");
            ui.add(Label::new(named(clip.name.as_deref(), "clip", i)).truncate());
        });
    }
    if weights != before {
        crowd.clips = to_requests(model, &weights, playing);
    }
}

/// The weight of each clip of `model`.
fn clip_weights(model: &Model, requests: &[ClipWeight]) -> Vec<f64> {
    let mut weights = vec![0.0; model.clips.len()];
    let names = || model.clips.iter().map(|clip| clip.name.as_deref());
    for request in requests {
        if let Ok(index) = find_by_name_or_index("clip", &request.clip, names()) {
            weights[index] += request.weight;
        }
    }
    weights
}

/// Converts weights into requests, the playing clip first. Empty if only the playing clip has a weight.
fn to_requests(model: &Model, weights: &[f64], playing: Option<ClipIndex>) -> Vec<ClipWeight> {
    let playing = playing.map(ClipIndex::get);
    let mut indices: Vec<usize> = (0..weights.len()).filter(|&index| weights[index] > 0.0).collect();
    indices.sort_by_key(|&index| playing != Some(index));
    if indices.len() == 1 && playing == indices.first().copied() {
        return Vec::new();
    }
    let names: Vec<Option<&str>> = model.clips.iter().map(|clip| clip.name.as_deref()).collect();
    let word = |index: usize| {
        // Names that the command line would parse differently are replaced by the index.
        let unquoted = |name: &&str| {
            !name.is_empty() && *name != "none" && !name.contains([',', ':', '.']) && name.parse::<usize>().is_err()
        };
        let unique = |name: &&str| names.iter().filter(|other| **other == Some(name)).count() == 1;
        names[index].filter(unquoted).filter(unique).map_or_else(|| index.to_string(), str::to_owned)
    };
    indices.into_iter().map(|index| ClipWeight { clip: word(index), weight: weights[index] }).collect()
}

/// Counts of one frame, over all models of the scene. All but `instances` count visible instances only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct FrameCounts {
    instances: u64,
    visible: u64,
    vertices: u64,
    palette_bytes: u64,
}

impl FrameCounts {
    fn new(scene: &LoadedScene) -> Self {
        let mut counts = Self::default();
        for scene in scene.models() {
            let (model, visible) = (scene.model(), scene.palette().instance_count() as u64);
            counts.instances += scene.crowd.len() as u64;
            counts.visible += visible;
            counts.vertices += scene.layout().vertex_count(model).saturating_mul(visible);
            counts.palette_bytes += scene.palette().stride_texels() as u64 * 16 * visible;
        }
        counts
    }
}

fn counts_table(ui: &mut Ui, counts: &FrameCounts, drawn: &DrawStatistics) {
    let vertices = match drawn.vertices < counts.vertices {
        true => format!("{} of {}", thousands(drawn.vertices), thousands(counts.vertices)),
        false => thousands(counts.vertices),
    };
    let instances = match counts.instances == counts.visible {
        true => thousands(counts.instances),
        false => format!("{} ({} visible)", thousands(counts.instances), thousands(counts.visible)),
    };
    let rows = [
        ("Instances", instances),
        ("Vertices", vertices),
        ("Draw calls", thousands(drawn.draw_calls as u64)),
        ("Joint matrices", format_bytes(counts.palette_bytes)),
    ];
    table(ui, "counts", &rows);
}

/// Formats a size in KiB or MiB.
pub(super) fn format_bytes(bytes: u64) -> String {
    match bytes as f64 / 1024.0 {
        kibibytes if kibibytes < 1024.0 => format!("{kibibytes:.1} KiB"),
        kibibytes => format!("{:.1} MiB", kibibytes / 1024.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::scene::tests::shipped_scene;
    use crate::request::SceneRequest;
    use rigview_core::model::Clip;

    #[test]
    fn counts_are_per_visible_instance() {
        let crowd = CrowdRequest { instances: 3, ..CrowdRequest::default() };
        let mut scene = shipped_scene("windmill.glb", &SceneRequest { crowd, ..SceneRequest::default() });
        scene.pose_at_clip_time(0.0);
        let counts = FrameCounts::new(&scene);
        let vertices = scene.layout().vertex_count(scene.model());
        assert_eq!((counts.instances, counts.visible), (3, 3));
        assert_eq!(counts.vertices, 3 * vertices);
        assert!(counts.palette_bytes > 0);
    }

    #[test]
    fn bytes_below_a_mebibyte_are_formatted_in_kibibytes() {
        assert_eq!([4800, 1 << 20, 6_100_000].map(format_bytes), ["4.7 KiB", "1.0 MiB", "5.8 MiB"]);
    }

    #[test]
    fn clip_weights_round_trip_through_arguments() {
        let names = ["Walk", "Run", "Run", "v1.2"];
        let clip = |name: &&str| Clip { name: Some((*name).to_owned()), ..Clip::default() };
        let model = Model { clips: names.iter().map(clip).collect(), ..Model::default() };
        let playing = Some(ClipIndex(3));
        let requests = to_requests(&model, &[1.0, 0.0, 2.0, 0.5], playing);
        let pairs: Vec<(&str, f64)> = requests.iter().map(|request| (request.clip.as_str(), request.weight)).collect();
        assert_eq!(pairs, [("3", 0.5), ("Walk", 1.0), ("2", 2.0)]);
        assert_eq!(clip_weights(&model, &requests), [1.0, 0.0, 2.0, 0.5]);
        // A single clip needs arguments only if it is not the playing one.
        assert!(to_requests(&model, &[0.0, 0.0, 0.0, 7.0], playing).is_empty());
        assert!(to_requests(&model, &[0.0; 4], playing).is_empty());
        assert_eq!(to_requests(&model, &[1.0, 0.0, 0.0, 0.0], playing).len(), 1);
    }
}
