//! Properties panel: data of the selected item, or of the file if nothing is selected.

use super::crowd::format_bytes;
use super::joint_properties;
use super::morph_weights;
use super::property_table::{part_row, table, title};
use super::textures::{self, TexturesState, material_name};
use crate::app::viewer::analysis::outline::named;
use crate::app::viewer::state::{Document, Selection};
use crate::app::viewer::ui::UiContext;
use crate::app::viewer::ui::widgets::{
    count_label, heading, joint_link, no_file_label, thousands, visible_rows, wrapped_label,
};
use egui::{Rgba, RichText, ScrollArea, Sense, Ui, vec2};
use rigview_check::curves::trimmed;
use rigview_core::model::{AlphaMode, MaterialIndex, MeshIndex, MorphWeightRef, Primitive, SkinIndex, TextureSlot};
use rigview_core::util::text::{counted, file_name};

pub(crate) fn show(ui: &mut Ui, textures: &mut TexturesState, ctx: &UiContext<'_>) {
    let Some(document) = &ctx.document else { return no_file_label(ui) };
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| match document.selection {
        Some(Selection::Joint(joint)) => joint_properties::show(ui, document, joint, ctx),
        Some(Selection::Skin(skin)) => skin_properties(ui, document, skin, ctx),
        Some(Selection::Mesh(mesh)) => mesh_properties(ui, document, textures, mesh, ctx),
        Some(Selection::Material(material)) => material_properties(ui, document, textures, material, ctx),
        None => file_properties(ui, document, textures, ctx),
    });
}

fn skin_properties(ui: &mut Ui, document: &Document, index: SkinIndex, ctx: &UiContext<'_>) {
    let Some(skin) = document.scene.model().skins.get(index.get()) else { return };
    title(ui, "Skin", &named(skin.name.as_deref(), "skin", index.get()));
    heading(ui, &format!("{}, in skin order", counted(skin.joints.len(), "joint", "joints")));
    let height = ui.spacing().interact_size.y + ui.spacing().item_spacing.y;
    visible_rows(ui, height, skin.joints.len(), |ui, slot| {
        ui.horizontal(|ui| {
            ui.label(RichText::new(format!("{slot:3}")).monospace().weak());
            joint_link(ui, document, skin.joints[slot], ctx);
        });
    });
}

fn mesh_properties(
    ui: &mut Ui,
    document: &Document,
    textures: &mut TexturesState,
    index: MeshIndex,
    ctx: &UiContext<'_>,
) {
    let model = document.scene.model();
    let Some(mesh) = model.meshes.get(index.get()) else { return };
    title(ui, "Mesh", &named(mesh.name.as_deref(), "mesh", index.get()));
    for (number, primitive) in mesh.primitives.iter().enumerate() {
        heading(ui, &format!("Primitive {number}"));
        table(ui, &format!("primitive {number}"), &primitive_rows(primitive));
        if let Some(material) = primitive.material {
            part_row(ui, &material_name(model, material), "Material", Selection::Material(material), ctx);
        }
        textures::uv_layout(ui, textures, model, index, number);
    }
    let mesh_nodes = || model.scenes.iter().flat_map(|scene| &scene.mesh_nodes);
    let shows_mesh = |morph: &MorphWeightRef| {
        mesh_nodes().any(|mesh_node| mesh_node.mesh == index && mesh_node.joint == morph.joint)
    };
    let morphs = model.morphs().into_iter().filter(shows_mesh).collect();
    morph_weights::show(ui, document, morphs, ctx);
}

fn primitive_rows(primitive: &Primitive) -> Vec<(&'static str, String)> {
    let vertices = &primitive.vertices;
    let mut rows = vec![
        ("Vertices", thousands(vertices.positions.len() as u64)),
        ("Triangles", thousands(primitive.triangle_count() as u64)),
        ("Normals", yes_no(vertices.normals.is_some())),
        ("Tangents", yes_no(vertices.tangents.is_some())),
        ("UV maps", vertices.tex_coords.len().to_string()),
        ("Vertex colors", yes_no(vertices.colors.is_some())),
    ];
    if let Some(influences) = &vertices.influences {
        rows.push(("Influences", format!("up to {} per vertex", influences.per_vertex)));
    }
    rows
}

fn material_properties(
    ui: &mut Ui,
    document: &Document,
    textures: &mut TexturesState,
    index: MaterialIndex,
    ctx: &UiContext<'_>,
) {
    let Some(material) = document.scene.model().materials.get(index.get()) else { return };
    title(ui, "Material", &named(material.name.as_deref(), "material", index.get()));
    let value = |components: &[f32], has_texture: bool| {
        let text = components.iter().map(|component| trimmed(f64::from(*component), 3)).collect::<Vec<_>>().join("  ");
        if has_texture { format!("{text}  \u{d7} texture") } else { text }
    };
    let alpha = match material.alpha_mode {
        AlphaMode::Opaque => "Opaque",
        AlphaMode::Mask { .. } => "Mask",
        AlphaMode::Blend => "Blend",
    };
    let [r, g, b, _] = material.base_color;
    let (swatch, _) = ui.allocate_exact_size(vec2(ui.available_width(), 8.0), Sense::hover());
    ui.painter().rect_filled(swatch, 2.0, Rgba::from_rgb(r, g, b));
    let metallic_roughness = material.textures[TextureSlot::MetallicRoughness].is_some();
    table(
        ui,
        "material",
        &[
            ("Base color", value(&material.base_color, material.textures[TextureSlot::BaseColor].is_some())),
            ("Metallic", value(&[material.metallic], metallic_roughness)),
            ("Roughness", value(&[material.roughness], metallic_roughness)),
            ("Normal map", yes_no(material.textures[TextureSlot::Normal].is_some())),
            ("Emission", value(&material.emissive, material.textures[TextureSlot::Emissive].is_some())),
            ("Alpha mode", alpha.to_owned()),
            ("Double sided", yes_no(material.double_sided)),
        ],
    );
    textures::show(ui, textures, document, Some(index), ctx);
    heading(ui, "Used by");
    for (number, mesh) in document.scene.model().meshes.iter().enumerate() {
        let parts = mesh.primitives.iter().filter(|primitive| primitive.material == Some(index));
        let triangles: usize = parts.map(Primitive::triangle_count).sum();
        if triangles > 0 {
            let name = named(mesh.name.as_deref(), "mesh", number);
            let note = count_label(triangles as u64, "triangle", "triangles");
            part_row(ui, &name, &note, Selection::Mesh(MeshIndex(number as u32)), ctx);
        }
    }
}

fn file_properties(ui: &mut Ui, document: &Document, textures: &mut TexturesState, ctx: &UiContext<'_>) {
    let model = document.scene.model();
    title(ui, "File", &file_name(&document.scene.file));
    ui.add_space(4.0);
    let extent = document.scene.bounds().extent();
    table(
        ui,
        "file",
        &[
            ("Meshes", model.meshes.len().to_string()),
            ("Nodes", thousands(model.skeleton.len() as u64)),
            ("Skins", model.skins.len().to_string()),
            ("Clips", model.clips.len().to_string()),
            (
                "Dimensions",
                format!("{:.2} \u{d7} {:.2} \u{d7} {:.2} {}", extent.x, extent.y, extent.z, model.length_unit()),
            ),
        ],
    );
    heading(ui, "Statistics");
    // What a frame of one instance draws, and its memory.
    let statistics = &document.statistics;
    let rows = [
        ("Triangles", thousands(statistics.triangles as u64)),
        ("Vertices", thousands(statistics.vertices as u64)),
        ("Drawn primitives", thousands(statistics.drawn_primitives as u64)),
        ("Skin joints", thousands(statistics.skin_joints as u64)),
        ("Materials", thousands(statistics.materials as u64)),
        ("Texture memory", format_bytes(statistics.texture_bytes)),
        ("Size of the files", format_bytes(document.scene.file_bytes)),
    ];
    table(ui, "statistics", &rows);
    textures::show(ui, textures, document, None, ctx);
    ui.add_space(8.0);
    wrapped_label(ui, RichText::new("Click the model or an item in the outliner to see its properties.").weak());
}

fn yes_no(value: bool) -> String {
    if value { "Yes" } else { "No" }.to_owned()
}
