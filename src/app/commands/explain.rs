//! `rigview explain`.

use crate::app::console::report;
use crate::app::notices::scene_notices;
use crate::app::scene::LoadedScene;
use crate::app::scene::lookup::{find_by_name_or_index, joint_name};
use crate::app::tasks::bake::open_posed;
use crate::app::{AppError, FileError};
use crate::cli::ExplainArgs;
use rigview_core::math::{Affine, AffineParts};
use rigview_core::model::{InstanceIndex, MeshIndex};
use rigview_core::palette::{PrimitiveDraw, VertexExplanation};
use rigview_core::util::text::quoted;
use rigview_render::scene::PickedVertex;
use serde_json::{Value, json};

pub(crate) fn run(args: &ExplainArgs) -> Result<(), AppError> {
    let scene = open_posed(&args.file, &args.pose)?;
    let explanation = find_vertex(&scene, args).and_then(|vertex| {
        let reason = || FileError::NotExplained("the layout has no instance of it".to_owned());
        scene.explain_vertex(vertex, scene.time_secs(&args.pose)).ok_or_else(reason)
    });
    let explanation = explanation.map_err(|error| AppError::in_file(&args.file, error))?;
    report::notices(&scene_notices(&scene));
    if args.json {
        return report::json(&to_json(&scene, &explanation));
    }
    let draw = explanation.draw;
    let title = format!(
        "vertex {} of primitive {} of {}, at node {}",
        explanation.vertex,
        draw.primitive,
        mesh_name(&scene, draw.mesh),
        quoted(&joint_name(scene.model(), draw.joint))
    );
    report::lines(&[title].into_iter().chain(explanation.lines(scene.model())).collect())
}

fn mesh_name(scene: &LoadedScene, mesh: MeshIndex) -> String {
    let name = scene.model().meshes[mesh.get()].name.as_deref();
    name.map_or_else(|| format!("mesh {}", mesh.get()), |name| format!("mesh {}", quoted(name)))
}

/// The vertex of the first draw with the mesh and primitive, in the first instance.
fn find_vertex(scene: &LoadedScene, args: &ExplainArgs) -> Result<PickedVertex, FileError> {
    let (model, draws) = (scene.model(), &scene.layout().draws);
    let error = |reason: String| Err(FileError::NotExplained(reason));
    let names = model.meshes.iter().map(|mesh| mesh.name.as_deref());
    let mesh = match (&args.mesh, draws.first()) {
        (Some(mesh), _) => MeshIndex(find_by_name_or_index("mesh", mesh, names)? as u32),
        (None, Some(draw)) => draw.mesh,
        (None, None) => return error("the scene has no vertex; name another scene by --scene".to_owned()),
    };
    let name = mesh_name(scene, mesh);
    let primitives = &model.meshes[mesh.get()].primitives;
    let Some(primitive) = primitives.get(args.primitive) else {
        let range = range("primitive", primitives.len());
        return error(format!("{name} has no primitive {}; {range}", args.primitive));
    };
    let count = primitive.vertices.positions.len();
    if args.vertex >= count {
        let range = range("vertex", count);
        return error(format!("{name} has no vertex {} in primitive {}; {range}", args.vertex, args.primitive));
    }
    let is_drawn = |draw: &PrimitiveDraw| draw.mesh == mesh && draw.primitive == args.primitive;
    let Some(draw) = draws.iter().position(is_drawn) else {
        return error(format!("{name} is not in the scene; name another scene by --scene, or another mesh by --mesh"));
    };
    Ok(PickedVertex { draw, instance: InstanceIndex(0), vertex: args.vertex })
}

/// The values of an option that selects one of `count` items, for a message.
fn range(option: &str, count: usize) -> String {
    match count {
        0 => "it has none; name another mesh by --mesh".to_owned(),
        1 => format!("choose --{option} 0"),
        _ => format!("choose --{option} from 0 to {}", count - 1),
    }
}

fn to_json(scene: &LoadedScene, explanation: &VertexExplanation) -> Value {
    let (model, VertexExplanation { draw, .. }) = (scene.model(), explanation);
    let mesh = &model.meshes[draw.mesh.get()];
    let vector = |v: nalgebra::Vector3<f64>| <[f64; 3]>::from(v);
    let matrix = |map: &Affine| {
        let AffineParts { rotation, scale, translation, has_shear } = map.into();
        let rotation = rotation.map(|(axis, degrees)| json!({ "axis": vector(axis), "degrees": degrees }));
        let rows = [0, 1, 2].map(|row| {
            let [x, y, z] = [0, 1, 2].map(|column| map.linear[(row, column)]);
            [x, y, z, map.translation[row]]
        });
        json!({
            "rotation": rotation,
            "scale": scale.map(vector),
            "translation": vector(translation),
            "has_shear": has_shear,
            "rows": rows,
        })
    };
    let joint = |joint| json!({ "name": model.skeleton.joint(joint).name, "node": model.skeleton.joint(joint).node });
    let morphs = explanation.morphs.iter().map(|morph| {
        json!({
            "target": morph.target,
            "name": mesh.target_names.get(morph.target),
            "weight": morph.weight,
            "delta": vector(morph.delta),
        })
    });
    let chain = explanation.chain.iter().map(
        |link| json!({ "node": joint(link.joint), "parent_from_node": link.parent_from_joint.as_ref().map(matrix) }),
    );
    let joints = explanation.terms.iter().map(|term| {
        json!({
            "joint": joint(term.joint),
            "skin_joint": term.slot.map(|slot| slot.get()),
            "weight": term.weight,
            "world_from_mesh": matrix(&term.world_from_mesh),
            "moved_position": vector(term.moved_position),
            "summand": vector(term.summand()),
        })
    });
    json!({
        "file": scene.file.display().to_string(),
        "mesh": { "index": draw.mesh.get(), "name": mesh.name },
        "primitive": draw.primitive,
        "vertex": explanation.vertex,
        "node": joint(draw.joint),
        "rest_position": vector(explanation.rest_position),
        "morphs": morphs.collect::<Vec<_>>(),
        "morphed_position": vector(explanation.morphed_position),
        "nodes": chain.collect::<Vec<_>>(),
        "joints": joints.collect::<Vec<_>>(),
        "file_weight_sum": explanation.file_weight_sum,
        "sum": vector(explanation.sum()),
        "position": explanation.position,
        "normal": explanation.normal,
    })
}
