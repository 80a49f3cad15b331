//! Accessor formats that vertex attributes and morph targets may have.

use rigview_core::gltf_format::ComponentType::{self, F32, I8, I16, U8, U16};
use rigview_core::gltf_format::ElementType::{Vec2, Vec3, Vec4};
use rigview_core::gltf_format::{ElementFormat, ElementType};

/// A format of floats or plain integers.
pub(super) const fn plain(element: ElementType, component: ComponentType) -> ElementFormat {
    ElementFormat { element, component, normalized: false }
}

/// A format of normalized integers.
pub(super) const fn normalized(element: ElementType, component: ComponentType) -> ElementFormat {
    ElementFormat { element, component, normalized: true }
}

const VEC3: ElementFormat = plain(Vec3, F32);
const NORMAL: &[ElementFormat] = &[VEC3, normalized(Vec3, I8), normalized(Vec3, I16)];

/// Formats of an attribute; empty for an unknown one. `quantized` adds those of KHR_mesh_quantization.
pub(super) fn attribute_formats(prefix: &str, quantized: bool) -> &'static [ElementFormat] {
    const POSITION: &[ElementFormat] = &[
        VEC3,
        plain(Vec3, I8),
        normalized(Vec3, I8),
        plain(Vec3, U8),
        normalized(Vec3, U8),
        plain(Vec3, I16),
        normalized(Vec3, I16),
        plain(Vec3, U16),
        normalized(Vec3, U16),
    ];
    const TANGENT: &[ElementFormat] = &[plain(Vec4, F32), normalized(Vec4, I8), normalized(Vec4, I16)];
    const TEXCOORD: &[ElementFormat] = &[
        plain(Vec2, F32),
        normalized(Vec2, U8),
        normalized(Vec2, U16),
        plain(Vec2, I8),
        normalized(Vec2, I8),
        plain(Vec2, U8),
        plain(Vec2, I16),
        normalized(Vec2, I16),
        plain(Vec2, U16),
    ];
    const COLOR: &[ElementFormat] = &[
        VEC3,
        normalized(Vec3, U8),
        normalized(Vec3, U16),
        plain(Vec4, F32),
        normalized(Vec4, U8),
        normalized(Vec4, U16),
    ];
    const JOINTS: &[ElementFormat] = &[plain(Vec4, U8), plain(Vec4, U16)];
    const WEIGHTS: &[ElementFormat] = &[plain(Vec4, F32), normalized(Vec4, U8), normalized(Vec4, U16)];
    let (all, core_count) = match prefix {
        "POSITION" => (POSITION, 1),
        "NORMAL" => (NORMAL, 1),
        "TANGENT" => (TANGENT, 1),
        "TEXCOORD" => (TEXCOORD, 3),
        "COLOR" => (COLOR, 6),
        "JOINTS" => (JOINTS, 2),
        "WEIGHTS" => (WEIGHTS, 3),
        _ => (&[][..], 0),
    };
    if quantized { all } else { &all[..core_count] }
}

/// Formats of a morph target's attribute, as [`attribute_formats`].
pub(super) fn target_formats(prefix: &str, quantized: bool) -> &'static [ElementFormat] {
    const POSITION: &[ElementFormat] =
        &[VEC3, plain(Vec3, I8), normalized(Vec3, I8), plain(Vec3, I16), normalized(Vec3, I16)];
    const TEXCOORD: &[ElementFormat] = &[
        plain(Vec2, F32),
        normalized(Vec2, I8),
        normalized(Vec2, U8),
        normalized(Vec2, I16),
        normalized(Vec2, U16),
        plain(Vec2, I8),
        plain(Vec2, I16),
    ];
    const COLOR: &[ElementFormat] = &[
        VEC3,
        normalized(Vec3, I8),
        normalized(Vec3, U8),
        normalized(Vec3, I16),
        normalized(Vec3, U16),
        plain(Vec4, F32),
        normalized(Vec4, I8),
        normalized(Vec4, U8),
        normalized(Vec4, I16),
        normalized(Vec4, U16),
    ];
    let (all, core_count) = match prefix {
        "POSITION" => (POSITION, 1),
        "NORMAL" | "TANGENT" => (NORMAL, 1),
        "TEXCOORD" => (TEXCOORD, 5),
        "COLOR" => (COLOR, 10),
        _ => (&[][..], 0),
    };
    if quantized { all } else { &all[..core_count] }
}
