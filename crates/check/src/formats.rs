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

/// Formats of an attribute of a mesh or of a morph target; empty for an unknown one. `quantized` adds those of
/// KHR_mesh_quantization.
pub(super) fn attribute_formats(prefix: &str, of_target: bool, quantized: bool) -> Vec<ElementFormat> {
    /// Component types, each with `true` if they are normalized.
    type Components = &'static [(ComponentType, bool)];
    const FLOAT: Components = &[(F32, false)];
    const UNSIGNED_FRACTION: Components = &[(F32, false), (U8, true), (U16, true)];
    const FRACTION: Components = &[(F32, false), (I8, true), (U8, true), (I16, true), (U16, true)];
    const SIGNED: Components = &[(I8, false), (I8, true), (I16, false), (I16, true)];
    #[rustfmt::skip]
    const INTEGERS: Components =
        &[(I8, false), (I8, true), (U8, false), (U8, true), (I16, false), (I16, true), (U16, false), (U16, true)];
    const DIRECTION: Components = &[(I8, true), (I16, true)];
    let (elements, core, others): (&[ElementType], Components, Components) = match (prefix, of_target) {
        ("POSITION", false) => (&[Vec3], FLOAT, INTEGERS),
        ("POSITION", true) => (&[Vec3], FLOAT, SIGNED),
        ("NORMAL", _) | ("TANGENT", true) => (&[Vec3], FLOAT, DIRECTION),
        ("TANGENT", false) => (&[Vec4], FLOAT, DIRECTION),
        ("TEXCOORD", false) => (
            &[Vec2],
            UNSIGNED_FRACTION,
            &[(I8, false), (I8, true), (U8, false), (I16, false), (I16, true), (U16, false)],
        ),
        ("TEXCOORD", true) => (&[Vec2], FRACTION, &[(I8, false), (I16, false)]),
        ("COLOR", false) => (&[Vec3, Vec4], UNSIGNED_FRACTION, &[]),
        ("COLOR", true) => (&[Vec3, Vec4], FRACTION, &[]),
        ("JOINTS", false) => (&[Vec4], &[(U8, false), (U16, false)], &[]),
        ("WEIGHTS", false) => (&[Vec4], UNSIGNED_FRACTION, &[]),
        _ => return Vec::new(),
    };
    let components = || core.iter().chain(others.iter().filter(|_| quantized));
    let format = |element, &(component, normalized)| ElementFormat { element, component, normalized };
    elements.iter().flat_map(|&element| components().map(move |component| format(element, component))).collect()
}
