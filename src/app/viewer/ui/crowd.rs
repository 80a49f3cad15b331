//! Many of the model, and what they cost.

use super::menu_bar::thousands;
use super::widgets::heading;
use super::{UiContext, theme};
use crate::app::scene::{LoadedScene, find};
use crate::app::viewer::actions::Action;
use crate::app::viewer::analysis::outline::named;
use crate::app::viewer::state::frame_stats::{Cost, Costs};
use crate::cli::{ClipShare, CrowdArgs, LayoutArg};
use crate::model::{ClipIndex, Model};
use egui::{Color32, DragValue, Grid, Label, Mesh, Rect, RichText, ScrollArea, Sense, Shape, Slider, Ui, pos2, vec2};
use std::time::Duration;

/// The panel.
pub(crate) fn show(ui: &mut Ui, facts: &UiContext<'_>, actions: &mut Vec<Action>) {
    let Some(shown) = facts.shown else {
        ui.weak("No file is open.");
        return;
    };
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let mut crowd = shown.crowd.clone();
        knobs(ui, &mut crowd);
        mix(ui, &mut crowd, shown.stage.model(), shown.stage.clip);
        if crowd != shown.crowd {
            actions.push(Action::SetCrowd(crowd));
        }
        heading(ui, "In each picture");
        let counts = Counts::of(&shown.stage);
        let instances = match counts.all == counts.drawn {
            true => thousands(counts.all),
            false => format!("{}, {} of them in view", thousands(counts.all), thousands(counts.drawn)),
        };
        let rows = [
            ("instances", instances),
            ("joints", thousands(counts.joints)),
            ("vertices", thousands(counts.vertices)),
            ("draws", thousands(counts.draws)),
            ("matrices", memory(counts.bytes)),
        ];
        Grid::new("counts").num_columns(2).spacing(vec2(10.0, 3.0)).show(ui, |ui| {
            for (name, value) in rows {
                ui.weak(name);
                ui.label(value);
                ui.end_row();
            }
        });
        heading(ui, "Time of each picture");
        graph(ui, facts.costs);
    });
}

/// What goes into a picture: of all models of the scene, and of those instances alone that the camera may see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    all: u64,
    drawn: u64,
    joints: u64,
    vertices: u64,
    draws: u64,
    bytes: u64,
}

impl Counts {
    fn of(stage: &LoadedScene) -> Self {
        let mut counts = Self::default();
        for stage in std::iter::once(stage).chain(&stage.others) {
            let (model, drawn) = (stage.model(), stage.palette.instance_count() as u64);
            counts.all += stage.crowd.len() as u64;
            counts.drawn += drawn;
            counts.joints += model.skeleton.len() as u64 * drawn;
            counts.vertices += stage.layout.vertex_count(model).saturating_mul(drawn);
            counts.draws += if drawn > 0 { stage.layout.draws.len() as u64 } else { 0 };
            counts.bytes += stage.palette.stride_texels() as u64 * 16 * drawn;
        }
        counts
    }
}

fn knobs(ui: &mut Ui, crowd: &mut CrowdArgs) {
    // The rest is for the number and the words; a wider row would widen the panel, layout by layout.
    ui.spacing_mut().slider_width = (ui.available_width() - 176.0).clamp(30.0, 300.0);
    let of_file = matches!(crowd.layout, Some(LayoutArg::File(_)));
    ui.add_enabled_ui(!of_file, |ui| {
        ui.add(Slider::new(&mut crowd.instances, 1..=100_000).logarithmic(true).text("instances"));
    });
    ui.add_enabled_ui(crowd.instances > 1 && !of_file, |ui| {
        let scattered = matches!(crowd.layout, Some(LayoutArg::Scatter));
        ui.horizontal(|ui| {
            if ui.selectable_label(!scattered, "On a grid").clicked() {
                crowd.layout = None;
            }
            if ui.selectable_label(scattered, "Scattered").clicked() {
                crowd.layout = Some(LayoutArg::Scatter);
            }
            ui.add_enabled_ui(scattered, |ui| {
                if ui.small_button("Again").on_hover_text("Scatter them another way").clicked() {
                    crowd.seed = crowd.seed.wrapping_add(1);
                }
            });
        });
        let mut phase_spread = crowd.phase_spread.unwrap_or(1.0);
        if ui.add(Slider::new(&mut phase_spread, 0.0..=1.0).text("phase spread")).changed() {
            crowd.phase_spread = Some(phase_spread);
        }
        ui.add(Slider::new(&mut crowd.speed_spread, 0.0..=1.0).text("speed spread"));
    });
}

/// What they play: the clip on the timeline, or several, each as often as its share says.
fn mix(ui: &mut Ui, crowd: &mut CrowdArgs, model: &Model, playing: Option<ClipIndex>) {
    if crowd.instances < 2 || model.clips.len() < 2 || matches!(crowd.layout, Some(LayoutArg::File(_))) {
        return;
    }
    heading(ui, "They play");
    let mut shares = shares(model, &crowd.clips);
    let mixed = shares.iter().any(|share| *share > 0.0);
    if let (false, Some(clip)) = (mixed, playing) {
        shares[clip.get()] = 1.0;
    }
    let before = shares.clone();
    for (i, (share, clip)) in shares.iter_mut().zip(&model.clips).enumerate() {
        ui.horizontal(|ui| {
            let field = DragValue::new(share).range(0.0..=100.0).speed(0.05).max_decimals(2);
            ui.add_sized([40.0, ui.spacing().interact_size.y], field)
                .on_hover_text("How many of them play this clip, beside the others: 2 for twice as many as 1");
            ui.add(Label::new(named(clip.name.as_deref(), "clip", i)).truncate());
        });
    }
    if shares != before {
        crowd.clips = to_args(model, &shares, playing);
    }
}

/// The share of each clip of the model.
fn shares(model: &Model, asked: &[ClipShare]) -> Vec<f64> {
    let mut shares = vec![0.0; model.clips.len()];
    let names = || model.clips.iter().map(|clip| clip.name.as_deref());
    for share in asked {
        if let Ok(place) = find("clip", &share.clip, names()) {
            shares[place] += share.weight;
        }
    }
    shares
}

/// The same as the command line says it, the clip on the timeline first; nothing where one clip is all.
fn to_args(model: &Model, shares: &[f64], playing: Option<ClipIndex>) -> Vec<ClipShare> {
    let mut places: Vec<usize> = (0..shares.len()).filter(|&place| shares[place] > 0.0).collect();
    places.sort_by_key(|&place| playing.map(ClipIndex::get) != Some(place));
    if places.len() == 1 && playing.map(ClipIndex::get) == places.first().copied() {
        return Vec::new();
    }
    let names: Vec<Option<&str>> = model.clips.iter().map(|clip| clip.name.as_deref()).collect();
    let word = |place: usize| {
        // A name that means something else to the command line gives way to the number.
        let plain = |name: &&str| {
            !name.is_empty() && *name != "none" && !name.contains([',', ':', '.']) && name.parse::<usize>().is_err()
        };
        let alone = |name: &&str| names.iter().filter(|other| **other == Some(name)).count() == 1;
        names[place].filter(plain).filter(alone).map_or_else(|| place.to_string(), str::to_owned)
    };
    places.into_iter().map(|place| ClipShare { clip: word(place), weight: shares[place] }).collect()
}

/// A part of a picture's time: its name, how long it took, its color.
type Part = (&'static str, fn(&Cost) -> Duration, Color32);

/// The GPU's own time.
const GPU: Color32 = Color32::from_rgb(230, 84, 150);

/// The parts, in the order of the graph.
const PARTS: [Part; 6] = [
    ("panels, laid out", |cost| cost.panels, Color32::from_rgb(172, 176, 182)),
    ("panels, painted", |cost| cost.paint, Color32::from_rgb(122, 126, 132)),
    ("pose and pack", |cost| cost.pose, Color32::from_rgb(86, 166, 92)),
    ("upload", |cost| cost.upload, Color32::from_rgb(150, 104, 204)),
    ("draw", |cost| cost.draw, Color32::from_rgb(66, 128, 214)),
    ("wait for the display", |cost| cost.present, Color32::from_rgb(214, 150, 66)),
];

/// So many bytes, as people say it.
fn memory(bytes: u64) -> String {
    match bytes as f64 / 1024.0 {
        kibibytes if kibibytes < 1024.0 => format!("{kibibytes:.1} KiB"),
        kibibytes => format!("{:.1} MiB", kibibytes / 1024.0),
    }
}

/// A time as people say it.
fn ms(duration: Duration) -> String {
    match duration.as_secs_f64() {
        secs if secs < 1.0 => format!("{:.2} ms", secs * 1e3),
        secs => format!("{secs:.2} s"),
    }
}

/// The pictures of late as bars, and what they cost on average.
fn graph(ui: &mut Ui, costs: &Costs) {
    let Some(mean) = costs.mean() else {
        ui.weak("Play to measure.");
        return;
    };
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), 80.0), Sense::hover());
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 4.0, ui.visuals().extreme_bg_color);
    let most = costs.list().map(|cost| cost.interval).max().unwrap_or_default();
    let most = most.max(Duration::from_millis(20)).as_secs_f32();
    let width = rect.width() / costs.list().len() as f32;
    let height = |time: Duration| (time.as_secs_f32() / most).min(1.0) * rect.height();
    // One mesh without soft edges: hundreds of bars of their own would be most of what the panels cost.
    let mut mesh = Mesh::default();
    let mut bar = |left: f32, right: f32, top: f32, bottom: f32, color| {
        mesh.add_colored_rect(Rect::from_min_max(pos2(left, top), pos2(right, bottom)), color);
    };
    for (i, cost) in costs.list().enumerate() {
        let (left, right) = (rect.min.x + width * i as f32, rect.min.x + width * (i + 1) as f32);
        let mut bottom = rect.max.y;
        for (_, part, color) in PARTS {
            let top = (bottom - height(part(cost))).max(rect.min.y);
            // Less than a quarter of a point is not to be seen.
            if bottom - top >= 0.25 {
                bar(left, right, top, bottom, color);
                bottom = top;
            }
        }
        let y = rect.max.y - height(cost.interval);
        bar(left, right, y, y + 1.0, theme::accent(ui));
        if cost.gpu > Duration::ZERO {
            // Beside the rest, not on top of it: the GPU works while others wait.
            let (x, y) = (0.5 * (left + right), rect.max.y - height(cost.gpu));
            bar(x - 1.0, x + 1.0, y - 1.0, y + 1.0, GPU);
        }
    }
    painter.add(Shape::mesh(mesh));
    ui.add_space(2.0);
    let rate = 1.0 / mean.interval.as_secs_f64().max(1e-6);
    let decimals = if rate < 1.0 { 3 } else { 1 };
    ui.label(RichText::new(format!("{rate:.decimals$} pictures a second, one every {}", ms(mean.interval))).strong());
    if let Some(bare) = costs.mean_bare() {
        let words = format!("without panels (Tab) one every {}", ms(bare.interval));
        ui.weak(words).on_hover_text("Over the whole window, as the display showed it when Tab last hid the panels");
    }
    Grid::new("parts").num_columns(3).spacing(vec2(8.0, 2.0)).show(ui, |ui| {
        for (name, part, color) in PARTS {
            let (mark, _) = ui.allocate_exact_size(vec2(10.0, 10.0), Sense::hover());
            ui.painter().rect_filled(mark, 2.0, color);
            ui.weak(name);
            ui.add(Label::new(RichText::new(ms(part(&mean))).monospace()));
            ui.end_row();
        }
        if mean.gpu > Duration::ZERO {
            let (mark, _) = ui.allocate_exact_size(vec2(10.0, 10.0), Sense::hover());
            ui.painter().circle_filled(mark.center(), 3.0, GPU);
            ui.weak("GPU, meanwhile");
            ui.add(Label::new(RichText::new(ms(mean.gpu)).monospace()));
            ui.end_row();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::PoseArgs;
    use crate::import::ImageLoading;
    use crate::model::Clip;

    #[test]
    fn what_is_counted_is_what_is_drawn() {
        let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/windmill.glb");
        let crowd = CrowdArgs { instances: 3, ..CrowdArgs::default() };
        let mut stage =
            LoadedScene::open(&file, &PoseArgs { crowd, ..PoseArgs::default() }, ImageLoading::SizesOnly).unwrap();
        stage.pose(0.0);
        let counts = Counts::of(&stage);
        let vertices = stage.layout.vertex_count(stage.model());
        assert_eq!((counts.all, counts.drawn, counts.joints, counts.vertices), (3, 3, 3 * 22, 3 * vertices));
        assert!(counts.draws > 0 && counts.bytes > 0);
    }

    #[test]
    fn long_times_are_told_in_seconds() {
        let told = [1_234_567, 999_000_000, 1_234_567_890, 69_448_840_000].map(|nanos| ms(Duration::from_nanos(nanos)));
        assert_eq!(told, ["1.23 ms", "999.00 ms", "1.23 s", "69.45 s"]);
    }

    #[test]
    fn little_memory_is_no_zero() {
        assert_eq!([4800, 1 << 20, 6_100_000].map(memory), ["4.7 KiB", "1.0 MiB", "5.8 MiB"]);
    }

    #[test]
    fn shares_of_clips_are_what_the_command_line_says() {
        let names = ["Walk", "Run", "Run", "v1.2"];
        let clip = |name: &&str| Clip { name: Some((*name).to_owned()), ..Clip::default() };
        let model = Model { clips: names.iter().map(clip).collect(), ..Model::default() };
        let playing = Some(ClipIndex(3));
        let args = to_args(&model, &[1.0, 0.0, 2.0, 0.5], playing);
        let said: Vec<(&str, f64)> = args.iter().map(|share| (share.clip.as_str(), share.weight)).collect();
        assert_eq!(said, [("3", 0.5), ("Walk", 1.0), ("2", 2.0)]);
        assert_eq!(shares(&model, &args), [1.0, 0.0, 2.0, 0.5]);
        // One clip alone is no mix, unless it is another one than the timeline's.
        assert!(to_args(&model, &[0.0, 0.0, 0.0, 7.0], playing).is_empty());
        assert!(to_args(&model, &[0.0; 4], playing).is_empty());
        assert_eq!(to_args(&model, &[1.0, 0.0, 0.0, 0.0], playing).len(), 1);
    }
}
