//! Differences between meshes.

use super::context::Context;
use super::names::position;
use super::tolerances::Quantity;
use super::values::{Array, Changes, Comparer, Components, Properties, Value, numbers, text};
use super::weights::{WeightComparer, WeightsDiff};
use rigview_core::model::{Mesh, MeshIndex, Model, MorphTarget, Primitive, Vertices};
use std::collections::HashSet;
use std::sync::Arc;

/// Returns the mesh of this name in a report.
pub(super) fn find_mesh(model: &Model, requested: &str) -> Option<MeshIndex> {
    position("mesh", model.meshes.iter().map(|mesh| mesh.name.as_deref()), requested).map(MeshIndex)
}

/// Compares meshes, and the weights of their vertices.
pub(crate) fn differences(context: &Context<'_>, comparer: &mut Comparer) -> (Changes, Vec<WeightsDiff>) {
    let meshes = context.models.map(|model| &model.meshes);
    let (mut changed, mut weights) = (Vec::new(), Vec::new());
    let mut weight_comparer = WeightComparer::new(context);
    // Data that was compared: primitives share it, and a change is reported once.
    let mut compared = HashSet::new();
    for &(i, j) in &context.meshes.pairs {
        let pair: [&Mesh; 2] = [&meshes[0][i], &meshes[1][j]];
        let name = &context.meshes.shown[1][j];
        changed.extend(comparer.properties(name, pair.map(properties)));
        weights.extend(weight_comparer.differences(name, [i, j], comparer));
        if pair[0].primitives.len() != pair[1].primitives.len() {
            continue;
        }
        for (number, (a, b)) in pair[0].primitives.iter().zip(&pair[1].primitives).enumerate() {
            let mut lists: [Properties<'_>; 2] = Default::default();
            for (side, primitive) in [a, b].into_iter().enumerate() {
                // An exhaustive pattern: a new field does not compile until it is compared. The default material is `material`, as long as
                // no variant is set.
                let Primitive {
                    topology,
                    vertices: _,
                    indices: _,
                    material,
                    default_material: _,
                    variant_materials,
                    targets: _,
                    non_exhaustive: (),
                } = primitive;
                lists[side].push(text("topology", format!("{topology:?}")));
                lists[side].push(text("material", context.material(side, *material)));
                for (variant, material) in variant_materials {
                    let variant = variant_name(context.models[side], variant.get());
                    lists[side].push(text(format!("material of {variant}"), context.material(side, Some(*material))));
                }
            }
            let addresses = |primitive: &Primitive| Arc::as_ptr(&primitive.vertices) as usize;
            if compared.insert([addresses(a), addresses(b)]) {
                lists.iter_mut().zip([a, b]).for_each(|(list, primitive)| add_vertices(list, &primitive.vertices));
            }
            let addresses = |primitive: &Primitive| primitive.indices.as_ref().map_or(0, |i| i.as_ptr() as usize);
            if compared.insert([addresses(a), addresses(b)]) {
                for (list, primitive) in lists.iter_mut().zip([a, b]) {
                    let indices = primitive.indices.as_deref();
                    list.extend(indices.map(|indices| array("indices", Quantity::Exact, Components::U32(indices), 1)));
                }
            }
            let addresses = |primitive: &Primitive| Arc::as_ptr(&primitive.targets) as usize;
            if compared.insert([addresses(a), addresses(b)]) {
                for (list, primitive) in lists.iter_mut().zip([a, b]) {
                    for (i, target) in primitive.targets.iter().enumerate() {
                        let mesh = if std::ptr::eq(primitive, a) { pair[0] } else { pair[1] };
                        let name = mesh.target_names.get(i).cloned().unwrap_or_else(|| i.to_string());
                        add_target(list, &format!("morph target {name}"), target);
                    }
                }
            }
            if pair[0].primitives.len() > 1 {
                lists.iter_mut().flatten().for_each(|(what, _)| *what = format!("primitive {number}, {what}"));
            }
            changed.extend(comparer.properties(name, lists));
        }
    }
    (Changes { added: context.meshes.added.clone(), removed: context.meshes.removed.clone(), changed }, weights)
}

/// Name of a material variant in a report.
pub(super) fn variant_name(model: &Model, variant: usize) -> String {
    let name = model.variants.get(variant).and_then(Option::as_ref);
    name.map_or_else(|| format!("variant {variant}"), |name| format!("variant {name}"))
}

fn properties(mesh: &Mesh) -> Properties<'_> {
    let Mesh { name: _, primitives, target_count, target_names, non_exhaustive: () } = mesh;
    let sum = |count: fn(&Primitive) -> usize| primitives.iter().map(count).sum::<usize>();
    vec![
        text("vertices", sum(|primitive| primitive.vertices.positions.len())),
        text("triangles", sum(Primitive::triangle_count)),
        text("primitives", primitives.len()),
        text("morph targets", target_count),
        text("names of morph targets", target_names.join(", ")),
    ]
}

fn add_vertices<'a>(list: &mut Properties<'a>, vertices: &'a Vertices) {
    // The weights are compared by joint.
    let Vertices {
        positions,
        normals,
        tangents,
        tex_coords,
        colors,
        influences: _,
        unnormalized_weights,
        non_exhaustive: (),
    } = vertices;
    list.push(array("positions", Quantity::Distance, Components::F32(positions.as_flattened()), 3));
    add(list, "normals", Quantity::Value, normals, 3);
    add(list, "tangents", Quantity::Value, tangents, 4);
    for (set, coordinates) in tex_coords.iter().enumerate() {
        let components = Components::F32(coordinates.as_flattened());
        list.push(array(format!("texture coordinates {set}"), Quantity::Value, components, 2));
    }
    add(list, "colors", Quantity::Value, colors, 4);
    if !unnormalized_weights.is_empty() {
        let pairs = unnormalized_weights.iter().flat_map(|(vertex, sum)| [f64::from(*vertex), f64::from(*sum)]);
        list.push(numbers("vertices and sums of weights that do not sum to 1", Quantity::Weight, pairs));
    }
}

fn add_target<'a>(list: &mut Properties<'a>, name: &str, target: &'a MorphTarget) {
    let MorphTarget { positions, normals, tangents, colors, tex_coords, non_exhaustive: () } = target;
    add(list, format!("{name}, positions"), Quantity::Distance, positions, 3);
    add(list, format!("{name}, normals"), Quantity::Value, normals, 3);
    add(list, format!("{name}, tangents"), Quantity::Value, tangents, 3);
    add(list, format!("{name}, colors"), Quantity::Value, colors, 4);
    for (set, deltas) in tex_coords {
        let components = Components::F32(deltas.as_flattened());
        list.push(array(format!("{name}, texture coordinates {set}"), Quantity::Value, components, 2));
    }
}

fn add<'a, const N: usize>(
    list: &mut Properties<'a>,
    what: impl Into<String>,
    quantity: Quantity,
    values: &'a Option<Vec<[f32; N]>>,
    width: usize,
) {
    if let Some(values) = values {
        list.push(array(what, quantity, Components::F32(values.as_flattened()), width));
    }
}

fn array<'a>(
    what: impl Into<String>,
    quantity: Quantity,
    components: Components<'a>,
    width: usize,
) -> (String, Value<'a>) {
    let noun = if matches!(components, Components::U32(_)) { "indices" } else { "vertices" };
    (what.into(), Value::Array(Array { quantity, components, width, noun }))
}
