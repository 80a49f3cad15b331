//! Differences between materials, textures and images.

use super::context::Context;
use super::names::position;
use super::tolerances::Quantity;
use super::values::{Array, Changes, Comparer, Components, Properties, Value, numbers, text};
use rigview_core::model::{
    AlphaMode, Anisotropy, Clearcoat, CompressedImage, DiffuseTransmission, Image, Iridescence, Material,
    MaterialIndex, Model, Sampler, Sheen, Specular, SpecularGlossiness, Texture, TextureRef, TextureSlot,
    TextureTransform, Transmission, Volume,
};

/// Returns the material of this name in a report.
pub(super) fn find_material(model: &Model, requested: &str) -> Option<MaterialIndex> {
    position("material", model.materials.iter().map(|item| item.name.as_deref()), requested).map(MaterialIndex)
}

pub(crate) fn materials(context: &Context<'_>, comparer: &mut Comparer) -> Changes {
    let materials = context.models.map(|model| &model.materials[..]);
    comparer.compare(&context.materials, materials, |side, material| properties(context, side, material))
}

fn properties<'a>(context: &Context<'_>, side: usize, material: &'a Material) -> Properties<'a> {
    // Exhaustive patterns: a new field does not compile until it is compared.
    let Material {
        name: _,
        base_color,
        metallic,
        roughness,
        normal_scale,
        occlusion_strength,
        emissive,
        emissive_strength,
        alpha_mode,
        double_sided,
        unlit,
        ior,
        dispersion,
        specular,
        clearcoat,
        sheen,
        anisotropy,
        iridescence,
        transmission,
        volume,
        diffuse_transmission,
        specular_glossiness,
        textures,
        non_exhaustive: (),
    } = material;
    let mut list = vec![
        value("base color", base_color),
        value("metallic", &[*metallic]),
        value("roughness", &[*roughness]),
        value("normal scale", &[*normal_scale]),
        value("occlusion strength", &[*occlusion_strength]),
        value("emissive", emissive),
        value("emissive strength", &[*emissive_strength]),
        text("double sided", double_sided),
        text("unlit", unlit),
        value("index of refraction", &[*ior]),
        value("dispersion", &[*dispersion]),
    ];
    list.push(text(
        "alpha mode",
        match alpha_mode {
            AlphaMode::Opaque => "Opaque",
            AlphaMode::Mask { .. } => "Mask",
            AlphaMode::Blend => "Blend",
        },
    ));
    if let AlphaMode::Mask { cutoff } = alpha_mode {
        list.push(value("alpha cutoff", &[*cutoff]));
    }
    if let Some(Specular { factor, color }) = specular {
        list.extend([value("specular", &[*factor]), value("specular color", color)]);
    }
    if let Some(Clearcoat { factor, roughness, normal_scale }) = clearcoat {
        list.push(value("clearcoat", &[*factor]));
        list.push(value("clearcoat roughness", &[*roughness]));
        list.push(value("clearcoat normal scale", &[*normal_scale]));
    }
    if let Some(Sheen { color, roughness }) = sheen {
        list.extend([value("sheen color", color), value("sheen roughness", &[*roughness])]);
    }
    if let Some(Anisotropy { strength, rotation }) = anisotropy {
        list.extend([value("anisotropy", &[*strength]), value("anisotropy rotation", &[*rotation])]);
    }
    if let Some(Iridescence { factor, ior, thickness }) = iridescence {
        list.push(value("iridescence", &[*factor]));
        list.push(value("iridescence index of refraction", &[*ior]));
        list.push(value("iridescence thickness", thickness));
    }
    if let Some(Transmission { factor }) = transmission {
        list.push(value("transmission", &[*factor]));
    }
    if let Some(Volume { thickness, attenuation_color, attenuation_distance }) = volume {
        list.push(value("thickness", &[*thickness]));
        list.push(value("attenuation color", attenuation_color));
        list.push(value("attenuation distance", &[*attenuation_distance]));
    }
    if let Some(DiffuseTransmission { factor, color }) = diffuse_transmission {
        list.extend([value("diffuse transmission", &[*factor]), value("diffuse transmission color", color)]);
    }
    if let Some(SpecularGlossiness { specular }) = specular_glossiness {
        list.push(value("specular-glossiness specular", specular));
    }
    for slot in TextureSlot::ALL {
        let Some(TextureRef { texture, tex_coord, transform }) = textures[slot] else { continue };
        let TextureTransform { offset, rotation, scale } = transform;
        let name = slot.name();
        let shown = format!("{} (coordinates {tex_coord})", context.texture(side, texture));
        list.push(text(format!("{name} texture"), shown));
        list.push(value(format!("offset of the {name} texture"), &offset));
        list.push(value(format!("rotation of the {name} texture"), &[rotation]));
        list.push(value(format!("scale of the {name} texture"), &scale));
    }
    list
}

fn value<'a>(what: impl Into<String>, components: &[f32]) -> (String, Value<'a>) {
    numbers(what, Quantity::Value, components.iter().copied())
}

pub(crate) fn textures(context: &Context<'_>, comparer: &mut Comparer) -> Changes {
    comparer.compare(&context.textures, context.models.map(|model| &model.textures[..]), |side, texture| {
        let Texture { name, image, sampler } = texture;
        let Sampler { magnify, minify, mipmap, wrap_u, wrap_v } = sampler;
        let image = image.and_then(|image| context.images.shown[side].get(image.get()));
        vec![
            text("name", name.as_deref().unwrap_or("none")),
            text("image", image.map_or("none", String::as_str)),
            text("magnification filter", format!("{magnify:?}")),
            text("minification filter", format!("{minify:?}")),
            text("filter of mip levels", mipmap.map_or("none".to_owned(), |filter| format!("{filter:?}"))),
            text("wrap mode along U", format!("{wrap_u:?}")),
            text("wrap mode along V", format!("{wrap_v:?}")),
        ]
    })
}

/// Compares the texels of images that both models have in memory.
pub(crate) fn images(context: &Context<'_>, comparer: &mut Comparer) -> Changes {
    comparer.compare(&context.images, context.models.map(|model| &model.images[..]), |_, image| {
        let Image { name: _, width, height, rgba, mipmaps, compressed } = &**image;
        let mut list = vec![text("size", format!("{width} x {height}"))];
        let bytes = |what: String, bytes, width, noun| {
            (what, Value::Array(Array { quantity: Quantity::Exact, components: Components::U8(bytes), width, noun }))
        };
        list.push(bytes("texels".to_owned(), &rgba[..], 4, "texels"));
        for (i, level) in mipmaps.iter().enumerate() {
            list.push(bytes(format!("mip level {}", i + 1), &level[..], 4, "texels"));
        }
        if let Some(CompressedImage { format, levels }) = compressed {
            list.push(text("block format", format!("{format:?}")));
            for (i, level) in levels.iter().enumerate() {
                list.push(bytes(format!("compressed level {i}"), &level[..], 16, "blocks"));
            }
        }
        list
    })
}

/// Returns `true` if the texels of some matched images are not in memory, and thus not compared.
pub(crate) fn lacks_texels(context: &Context<'_>) -> bool {
    let is_empty = |image: &Image| image.rgba.is_empty() && image.compressed.is_none();
    let [before, after] = context.models.map(|model| &model.images);
    context.images.pairs.iter().any(|(i, j)| is_empty(&before[*i]) || is_empty(&after[*j]))
}
