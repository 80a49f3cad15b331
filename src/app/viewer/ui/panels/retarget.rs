//! Retarget panel: the joints of a motion and of the model by role.

use crate::app::viewer::actions::{Action, FileAction, ShadingAction};
use crate::app::viewer::state::FilePurpose;
use crate::app::viewer::ui::UiContext;
use crate::app::viewer::ui::widgets::{ListRow, command_name, on_click, wrapped_label};
use crate::request::OverlayRequest;
use egui::{ComboBox, Popup, RichText, ScrollArea, Ui, vec2};
use rigview_core::model::{JointIndex, Model};
use rigview_core::retarget::{MappedJoint, Reference, ReferenceSource, RigMap, Role};
use rigview_core::util::text::{capitalized, file_name};

/// Confidence below which a joint is marked.
const MIN_CONFIDENCE: f32 = 0.8;

/// Width of a column below which its names need the room of the arrow, in points.
const MIN_ARROW_WIDTH: f32 = 80.0;

/// Height of the list of joints, in points.
const MENU_HEIGHT: f32 = 320.0;

pub(crate) fn show(ui: &mut Ui, ctx: &UiContext<'_>) {
    let motion = ctx
        .document
        .as_ref()
        .and_then(|document| Some((document, document.scene.motion()?, document.scene.rig_map().ok()?)));
    let Some((document, motion, map)) = motion else {
        wrapped_label(ui, RichText::new("Drop a motion of another rig on the model: .bvh, .vrma or .glb.").weak());
        let import = Action::File(FileAction::Choose(FilePurpose::ImportClips));
        return on_click(ui.button(command_name(&import)), import, ctx);
    };
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let [source_file, file] = [&motion.file, &document.scene.file].map(|file| file_name(file));
        ui.label(RichText::new(format!("{source_file} on {file}")).strong());
        if let Some(problem) = &motion.problem {
            wrapped_label(ui, RichText::new(problem).color(ui.visuals().warn_fg_color));
        }
        match &motion.references {
            Some(references) => assumptions(ui, references),
            None if motion.problem.is_none() => {
                wrapped_label(ui, "The motion has the skeleton of the model: its clips are copied.");
            }
            None => {}
        }
        rest_pose_menu(ui, motion.map.settings().rest, ctx);
        let toggle = Action::Shading(ShadingAction::ToggleOverlay(OverlayRequest::MotionSource));
        let mut is_shown = ctx.view.has(OverlayRequest::MotionSource);
        on_click(ui.checkbox(&mut is_shown, command_name(&toggle)), toggle, ctx);
        ui.weak("A change is saved beside its file.");
        ui.spacing_mut().item_spacing = vec2(6.0, 2.0);
        ui.columns_const(|[a, b, c]| [(a, "Role"), (b, "Motion"), (c, "Model")].map(|(ui, title)| ui.weak(title)));
        for role in Role::all() {
            let menu = |map: &RigMap, of_motion, model| {
                let missing = map.missing().any(|missing| missing == role);
                JointMenu { role, mapped: map.get(role), missing, of_motion, model }
            };
            let menus = [menu(&motion.map, true, &motion.model), menu(map, false, document.scene.model())];
            if menus.iter().any(|menu| menu.mapped.is_some() || menu.missing) {
                ui.columns(3, |columns| {
                    ListRow { name: &role.to_string(), ..ListRow::default() }.show(&mut columns[0]);
                    columns[1..].iter_mut().zip(menus).for_each(|(column, menu)| menu.show(column, ctx));
                });
            }
        }
    });
}

/// The joint of a role in the map of the motion, else of the model.
struct JointMenu<'a> {
    role: Role,
    mapped: Option<MappedJoint>,
    /// A required role without a joint.
    missing: bool,
    of_motion: bool,
    model: &'a Model,
}

impl JointMenu<'_> {
    fn show(&self, ui: &mut Ui, ctx: &UiContext<'_>) {
        let Self { role, of_motion, mapped, missing, .. } = *self;
        let name = |joint: JointIndex| self.model.skeleton.unambiguous_name(joint);
        let present = mapped.map(|mapped| mapped.joint);
        let text = present.map_or(if missing { "missing" } else { "-" }.to_owned(), name);
        let uncertain = mapped.filter(|mapped| mapped.confidence < MIN_CONFIDENCE);
        let dot = (missing || uncertain.is_some()).then_some(ui.visuals().warn_fg_color);
        ui.push_id((role.to_string(), of_motion), |ui| {
            let note = if dot.is_some() || ui.available_width() < MIN_ARROW_WIDTH { "" } else { "\u{25bc}" };
            let mut row = ListRow { name: &text, note, dot, indent: 4.0, ..ListRow::default() }.show(ui);
            if let Some(MappedJoint { confidence, source, .. }) = uncertain {
                row = row.on_hover_text(format!("Confidence {confidence:.1}: found by {}", source.name()));
            }
            Popup::menu(&row).show(|ui| {
                ScrollArea::vertical().max_height(MENU_HEIGHT).show(ui, |ui| {
                    let all = (0..self.model.skeleton.len() as u32).map(|joint| Some(JointIndex(joint)));
                    for joint in std::iter::once(None).chain(all) {
                        if ui.selectable_label(joint == present, joint.map_or("None".to_owned(), name)).clicked() {
                            ctx.push(FileAction::SetRole { of_motion, role, joint });
                            ui.close();
                        }
                    }
                });
            });
        });
    }
}

/// Shows how sure the retargeting is, and what is assumed about motion and model, marked if one is uncertain.
fn assumptions(ui: &mut Ui, references: &[Reference; 2]) {
    wrapped_label(ui, capitalized(&Reference::confidence_of(references)));
    for (reference, which) in references.iter().zip(["motion", "model"]) {
        let text = RichText::new(format!("The {which} has {reference}"));
        let is_low = reference.confidence < Reference::LOW_CONFIDENCE;
        wrapped_label(ui, if is_low { text.color(ui.visuals().warn_fg_color) } else { text });
    }
}

/// Shows the menu of the reference pose of the motion.
fn rest_pose_menu(ui: &mut Ui, present: Option<ReferenceSource>, ctx: &UiContext<'_>) {
    let name = |rest| match rest {
        None | Some(ReferenceSource::Bind) => "Estimated",
        Some(ReferenceSource::Built { arms_down: false }) => "T pose",
        Some(ReferenceSource::Built { arms_down: true }) => "A pose",
        Some(ReferenceSource::FirstFrame) => "First frame",
        Some(ReferenceSource::Rest) => "As in the file",
    };
    let settable = ["T", "A", "first-frame", "file"].map(ReferenceSource::from_name);
    ui.horizontal_wrapped(|ui| {
        ui.label("Rest pose of the motion");
        ComboBox::from_id_salt("rest pose").selected_text(name(present)).show_ui(ui, |ui| {
            for rest in std::iter::once(None).chain(settable) {
                let label = ui.selectable_label(rest == present, name(rest));
                ctx.push_if(label.clicked() && rest != present, FileAction::SetRestPose(rest));
            }
        });
    });
}
