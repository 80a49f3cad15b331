//! Cost of skinning: the same crowd with the file's influences, with one influence per vertex, and without a skin.

use super::comparison::{Candidate, Conditions, count_different_pixels, draw_alternating, scene};
use crate::app::AppError;
use crate::cli::ComparisonArgs;
use nalgebra::Vector3;
use rigview_core::crowd::{Crowd, CrowdAnimator};
use rigview_core::math::Affine;
use rigview_core::model::{Model, SkinSlot};
use rigview_core::palette::{MatrixFormat, Rig, skin_on_cpu};
use rigview_core::pose::{ModelPose, Pose};
use rigview_core::util::text::{counted, one_line};
use rigview_render::platform::headless::Headless;
use rigview_render::render::RenderOptions;
use serde::Serialize;

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    conditions: Conditions,
    vertices: u64,
    rows: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    skinning: String,
    upload_and_draw_ms: f64,
    cpu_ms: Option<f64>,
    /// CPU time relative to the mesh without a skin; wall time if CPU time is unavailable.
    over_static: f64,
    /// Pixels that differ from the mesh without a skin by more than 1 of 255.
    differing_pixels: usize,
}

/// Measures all variants in the rest pose, so that they cover the same pixels.
pub(crate) fn run(args: &ComparisonArgs) -> Result<(), AppError> {
    let rest_pose = || Some("none".to_owned());
    let mut scenes = [
        scene(args, rest_pose(), &|_| {})?,
        scene(args, rest_pose(), &keep_strongest)?,
        scene(args, rest_pose(), &remove_skins)?,
    ];
    let headless = Headless::new()?;
    let candidates = [0, 1, 2].map(|scene| Candidate::new(scene, RenderOptions::default()));
    let costs = draw_alternating(&args.frames, &headless, &mut scenes, &candidates)?;
    let primitives = scenes[0].model().meshes.iter().flat_map(|mesh| &mesh.primitives);
    let max_influences =
        primitives.filter_map(|p| p.vertices.influences.as_ref()).map(|i| i.per_vertex).max().unwrap_or(0);
    let names = [format!("up to {max_influences} influences, as in the file"), "1 influence".into(), "no skin".into()];
    let base = &costs[2];
    let rows = names.into_iter().zip(&costs).map(|(skinning, cost)| Row {
        skinning,
        upload_and_draw_ms: cost.wall_ms,
        cpu_ms: cost.cpu_ms,
        over_static: match (cost.cpu_ms, base.cpu_ms) {
            (Some(cost), Some(base)) => cost / base,
            _ => cost.wall_ms / base.wall_ms,
        },
        differing_pixels: count_different_pixels(&base.rgba, &cost.rgba),
    });
    let report = Report {
        conditions: Conditions::new(args, &headless),
        vertices: scenes[0].layout().vertex_count(scenes[0].model()),
        rows: rows.collect(),
    };
    super::output::print(&report, args.frames.json, Report::text)
}

/// Keeps only the influence with the largest weight of each vertex.
fn keep_strongest(model: &mut Model) {
    for primitive in model.meshes.iter_mut().flat_map(|mesh| &mut mesh.primitives) {
        let Some(influences) = &mut primitive.vertices.influences else { continue };
        let count = primitive.vertices.positions.len();
        let strongest = |vertex: usize| {
            let influences_of_vertex = influences.of_vertex(vertex);
            influences_of_vertex
                .fold((SkinSlot(0), -1.0), |best, influence| if influence.1 > best.1 { influence } else { best })
                .0
        };
        let slots: Vec<SkinSlot> = (0..count).map(strongest).collect();
        (influences.per_vertex, influences.slots, influences.weights) = (1, slots, vec![1.0; count]);
    }
}

/// Replaces skinned meshes with rigid meshes in the rest pose.
fn remove_skins(model: &mut Model) {
    let rig = Rig::new(model.clone(), model.default_scene).with_format(MatrixFormat::Mat3x4);
    let mut animator = CrowdAnimator::new(&rig);
    animator.update_reference(&mut Crowd::single(None), 0.0);
    let mut at_rest = ModelPose::default();
    at_rest.update(&model.skeleton, &Pose::rest(&model.skeleton));
    for draw in rig.layout().draws.iter().filter(|draw| draw.skinned) {
        let posed = skin_on_cpu(&rig, animator.palette(), 0, draw);
        let model_from_joint = at_rest.model_from_joint(draw.joint);
        let joint_from_model = model_from_joint.inverse().unwrap_or(Affine::IDENTITY);
        let vertices = &mut model.meshes[draw.mesh.get()].primitives[draw.primitive].vertices;
        let point = |p: [f32; 3]| joint_from_model.transform_point(Vector3::from(p).cast()).cast::<f32>().into();
        vertices.positions = posed.positions.into_iter().map(point).collect();
        vertices.normals = posed.normals.map(|normals| {
            // Normals are transformed by the inverse transpose.
            let normal_matrix = model_from_joint.linear.transpose();
            let unit = |n: [f32; 3]| (normal_matrix * Vector3::from(n).cast::<f64>()).normalize().cast::<f32>().into();
            normals.into_iter().map(unit).collect()
        });
        vertices.influences = None;
    }
    model.clips.clear();
}

impl Report {
    fn text(&self) -> String {
        let conditions = &self.conditions;
        let mut text = format!(
            "{}: {} of {} vertices in the rest pose, {} x {}, median of {} alternating frames, {}\n\n",
            one_line(&conditions.file),
            counted(conditions.instances as usize, "instance", "instances"),
            self.vertices,
            conditions.width,
            conditions.height,
            conditions.frames,
            conditions.renderer,
        );
        text += "                                      ms/frame      CPU ms   over no skin     different pixels\n";
        for row in &self.rows {
            text += &format!(
                "{:<36}{:>10.2}{:>12}{:>15.2}{:>21}\n",
                row.skinning,
                row.upload_and_draw_ms,
                row.cpu_ms.map_or("-".to_owned(), |millis| format!("{millis:.2}")),
                row.over_static,
                row.differing_pixels,
            );
        }
        text
    }
}
