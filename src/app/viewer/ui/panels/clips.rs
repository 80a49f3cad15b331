//! Clips panel: the list of clips with crossfades and weights, loop seam, moving parts and clips of other files.

use super::constraints;
use crate::app::scene::clip_blend::shared_joint_count;
use crate::app::scene::lookup::weight_name;
use crate::app::viewer::actions::{Action, FileAction, PlaybackAction, SelectionAction, WindowAction};
use crate::app::viewer::analysis::outline::named;
use crate::app::viewer::state::{Document, FilePurpose, PlayingPart, Selection, Tab};
use crate::app::viewer::ui::widgets::{
    ICON_WIDTH, ListRow, heading, no_file_label, on_click, visible_rows, wrapped_label,
};
use crate::app::viewer::ui::{Icon, UiContext};
use egui::{Align, Button, DragValue, Layout, RichText, ScrollArea, Sense, Ui, UiBuilder, vec2};
use rigview_check::moving_parts::reference_part;
use rigview_check::names::shared_affixes;
use rigview_core::model::ClipIndex;
use rigview_core::util::text::{counted, file_name};

/// Maximum number of listed jumps of all playing clips. The table has each part.
const MAX_SEAM_JUMPS: usize = 6;

/// Maximum number of turns whose speeds are listed below "Loop seam". The table has all.
const MAX_SEAM_SPEEDS: usize = 3;

/// Room for button and weight at the end of a row, in points.
const BLEND_WIDTH: f32 = 96.0;

pub(crate) struct ClipsState {
    crossfade_secs: f64,
    /// The clip under the pointer. It stays the same during a drag.
    hovered: Option<ClipIndex>,
}

impl Default for ClipsState {
    fn default() -> Self {
        Self { crossfade_secs: 0.3, hovered: None }
    }
}

pub(crate) fn show(ui: &mut Ui, state: &mut ClipsState, ctx: &UiContext<'_>) {
    let Some(document) = &ctx.document else { return no_file_label(ui) };
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        clip_list(ui, state, document, ctx);
        loop_seam_section(ui, document, ctx);
        import_clips_menu(ui, document, ctx);
        constraints::show(ui, document, ctx);
        motion_section(ui, document, ctx);
        if document.scene.model().clips.is_empty() {
            ui.add_space(6.0);
            let is_avatar = !document.scene.model().human_bones.is_empty();
            let advice = match is_avatar {
                true => "A VRM avatar has no animation of its own: import a .vrma or .bvh file.",
                false => {
                    "The file has no animation. In Blender: push each action down to its own NLA track, and export \
                     with Animation enabled."
                }
            };
            wrapped_label(ui, RichText::new(advice).weak());
        }
    });
}

/// The clips, with crossfade button and blend weight on the rows of those that do not play.
fn clip_list(ui: &mut Ui, state: &mut ClipsState, document: &Document, ctx: &UiContext<'_>) {
    ui.spacing_mut().item_spacing.y = 1.0;
    let model = document.scene.model();
    let clips = model.clips.iter().zip(&document.analysis.animated_joint_counts).enumerate();
    let rows = clips.map(|(i, (clip, joints))| {
        let joints = counted(*joints, "joint", "joints");
        (
            Some(ClipIndex(i as u32)),
            named(clip.name.as_deref(), "clip", i),
            format!("{:.2} s", clip.duration_secs),
            joints,
        )
    });
    let rows: Vec<_> = rows.chain([(None, "Rest pose".to_owned(), String::new(), String::new())]).collect();
    let affixes = shared_affixes(rows.iter().map(|(_, name, ..)| name.as_str()));
    let playing = document.scene.clip.filter(|_| model.clips.len() > 1);
    let is_dragging = ui.input(|input| input.pointer.any_down());
    if !is_dragging {
        state.hovered = None;
    }
    for ((clip, name, note, tooltip), affixes) in rows.into_iter().zip(affixes) {
        let height = ui.spacing().interact_size.y;
        let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
        if !ui.is_rect_visible(rect) {
            continue;
        }
        let (mut name_rect, mut blend_rect) = (rect, rect);
        let is_together = clip.is_some_and(|clip| document.scene.together().contains(&clip));
        let selected = document.scene.clip == clip;
        // Names need the room more than controls that are rarely used.
        if !is_dragging && ui.rect_contains_pointer(rect) {
            state.hovered = clip;
        }
        let is_blended = |clip| is_together || document.scene.blend().weight(clip) > 0.0 || state.hovered == Some(clip);
        let blended = clip.filter(|clip| !selected && is_blended(*clip)).and_then(|clip| Some([playing?, clip]));
        if blended.is_some() {
            name_rect.max.x -= BLEND_WIDTH;
            blend_rect.min.x = name_rect.max.x;
        }
        // Blue is for selected items: the clip that plays has a triangle.
        let plays = selected || is_together;
        let icon = plays.then_some(Icon::Play);
        let indent = if plays { 4.0 } else { 4.0 + ICON_WIDTH };
        let row = ListRow { name: &name, affixes, note: &note, strong: plays, icon, indent, ..ListRow::default() };
        let row = ui.scope_builder(UiBuilder::new().max_rect(name_rect), |ui| row.show(ui)).inner;
        ctx.push_if(row.on_hover_text(tooltip).clicked(), PlaybackAction::PlayClip(clip));
        if let Some(clips) = blended {
            let layout = Layout::right_to_left(Align::Center);
            ui.scope_builder(UiBuilder::new().max_rect(blend_rect).layout(layout), |ui| {
                blend_controls(ui, state, document, clips, ctx);
            });
        }
    }
    ui.spacing_mut().item_spacing.y = 4.0;
    if playing.is_some() {
        let plays_all = !document.scene.together().is_empty();
        let button = ui.add_enabled(!plays_all, Button::new("Play all together"));
        let button = button.on_hover_text("Each clip in its own loop; clips of different parts play in full");
        on_click(button, PlaybackAction::PlayAllClips, ctx);
        ui.horizontal(|ui| {
            ui.weak("Crossfade duration");
            ui.add(DragValue::new(&mut state.crossfade_secs).range(0.05..=5.0).speed(0.01).suffix(" s"));
        });
    }
}

/// Crossfade button and blend weight of a clip over the playing one.
fn blend_controls(
    ui: &mut Ui,
    state: &ClipsState,
    document: &Document,
    [playing, clip]: [ClipIndex; 2],
    ctx: &UiContext<'_>,
) {
    ui.spacing_mut().interact_size.x = 40.0;
    let fade = ui.small_button("Fade").on_hover_text("Crossfade from the playing clip to this one");
    ctx.push_if(fade.clicked(), PlaybackAction::CrossFadeTo(clip, state.crossfade_secs));
    let (scene, blend) = (&document.scene, document.scene.blend());
    let mut weight = if scene.together().contains(&clip) { blend.weight_of_own(clip) } else { blend.weight(clip) };
    let field = ui.add(DragValue::new(&mut weight).range(0.0..=1.0).speed(0.01).fixed_decimals(2));
    let field = field.on_hover_ui(|ui| {
        ui.label("Blend weight of this clip over the playing one");
        match shared_joint_count(document.scene.model(), [playing, clip]) {
            0 => ui.weak("No joints in common with the playing clip: both play in full"),
            shared => ui.weak(format!("{} animated by both clips", counted(shared, "joint", "joints"))),
        };
    });
    ctx.push_if(field.changed(), PlaybackAction::SetLayerWeight(clip, weight));
}

/// Differences between the last and the first frame of each playing clip, of poses and of the speeds of turns.
fn loop_seam_section(ui: &mut Ui, document: &Document, ctx: &UiContext<'_>) {
    let seams = &document.analysis.loop_discontinuities;
    if seams.is_empty() {
        return;
    }
    heading(ui, "Loop seam");
    let of_clip = |clip| document.name_among_playing(clip).map_or_else(String::new, |clip| format!(" ({clip})"));
    let jumps = seams.iter().flat_map(|(clip, seam)| {
        let jumps = seam.visible_jumps(
            document.scene.bounds().diagonal(),
            |joint| document.outline.joint(joint).to_owned(),
            |joint, weight| weight_name(document.scene.model(), joint, weight),
        );
        jumps.into_iter().map(move |jump| jump + &of_clip(*clip))
    });
    let mut jumps: Vec<String> = jumps.collect();
    let hidden = jumps.len().saturating_sub(MAX_SEAM_JUMPS);
    jumps.truncate(MAX_SEAM_JUMPS);
    if hidden > 0 {
        jumps.push(format!("and {hidden} more"));
    }
    let speeds = document.moving_parts().iter().filter_map(|PlayingPart { clip, info }| {
        let jump = info.rotation.as_ref()?.speed_jump.as_ref()?;
        Some(format!("{} {jump}{}", document.outline.joint(info.joint), of_clip(*clip)))
    });
    jumps.extend(speeds.take(MAX_SEAM_SPEEDS));
    if jumps.is_empty() {
        ui.weak("No visible jump from last to first frame");
    }
    let travels =
        seams.iter().filter_map(|(_, seam)| seam.travel_text(|joint| document.outline.joint(joint).to_owned()));
    travels.for_each(|travel| drop(ui.weak(travel)));
    jumps.iter().for_each(|jump| wrapped_label(ui, RichText::new(jump).color(ui.visuals().warn_fg_color)));
    let blinking = document.playback.blink_secs.is_some();
    let text = if blinking { "Stop blinking" } else { "Blink first/last" };
    on_click(ui.add(Button::new(text).selected(blinking)), PlaybackAction::ToggleLoopBlink, ctx);
}

/// The joints that the playing clips move, with their speeds. The reference of ratios is the selected one, if it turns.
fn motion_section(ui: &mut Ui, document: &Document, ctx: &UiContext<'_>) {
    let parts = document.moving_parts();
    if parts.is_empty() {
        return;
    }
    heading(ui, "Motion");
    let reference = reference_part(parts.iter().map(|part| &part.info), document.joint());
    ui.spacing_mut().item_spacing.y = 0.0;
    visible_rows(ui, ListRow::height_with_details(ui), parts.len(), |ui, i| {
        let PlayingPart { clip, info } = &parts[i];
        let joint = info.joint;
        let clip = document.name_among_playing(*clip).map(|clip| format!("clip {clip}"));
        let facts: Vec<String> = info.facts(reference.as_ref()).into_iter().chain(clip).collect();
        let facts = facts.join(", ");
        let (name, selected) = (document.outline.joint(joint), document.joint() == Some(joint));
        if (ListRow { name, selected, indent: 4.0, details: Some(&facts), ..ListRow::default() }).show(ui).clicked() {
            let selection = Some(Selection::Joint(joint)).filter(|_| !selected);
            // A selection shows its properties; the other ratios are here.
            ctx.extend([
                Action::Selection(SelectionAction::Select(selection)),
                Action::Window(WindowAction::ShowTab(Tab::Clips)),
            ]);
        }
    });
}

fn import_clips_menu(ui: &mut Ui, document: &Document, ctx: &UiContext<'_>) {
    ui.add_space(8.0);
    let open_file = std::path::absolute(&document.scene.file).ok();
    ui.menu_button("Import clips from...", |ui| {
        if ui.button("Choose a file...").clicked() {
            ctx.push(FileAction::Choose(FilePurpose::ImportClips));
            ui.close();
        }
        for file in ctx.settings.motions.iter().filter(|file| Some(*file) != open_file.as_ref()) {
            if ui.button(file_name(file)).on_hover_text(file.display().to_string()).clicked() {
                ctx.push(FileAction::ImportClips(file.clone()));
                ui.close();
            }
        }
    })
    .response
    .on_hover_text("Play the clips of another file on this rig; joints are matched by name, else by their roles");
}
