//! The formats that accessors may have in their places.

use super::accessor_view::Component::{self, F32, I8, I16, U8, U16};
use super::file::Accessor;

/// Type, component type and whether it is normalized.
#[derive(Clone, Copy)]
pub(super) struct Format(pub(super) &'static str, pub(super) Component, pub(super) bool);

impl Format {
    pub(super) fn name(self) -> String {
        let Self(kind, component, normalized) = self;
        Accessor { kind: Some(kind.into()), component: Some(component), normalized, ..Accessor::default() }.format()
    }
}

/// Whether an accessor has one of these formats.
pub(super) fn fits(accessor: &Accessor, formats: &[Format]) -> bool {
    formats.iter().any(|Format(kind, component, normalized)| {
        accessor.kind.as_deref() == Some(*kind)
            && accessor.component == Some(*component)
            && accessor.normalized == *normalized
    })
}

const VEC3: Format = Format("VEC3", F32, false);

/// The formats of an attribute; of none that glTF does not know. The first ones need no extension.
pub(super) fn attribute_formats(prefix: &str, quantized: bool) -> &'static [Format] {
    const POSITION: &[Format] = &[
        VEC3,
        Format("VEC3", I8, false),
        Format("VEC3", I8, true),
        Format("VEC3", U8, false),
        Format("VEC3", U8, true),
        Format("VEC3", I16, false),
        Format("VEC3", I16, true),
        Format("VEC3", U16, false),
        Format("VEC3", U16, true),
    ];
    const NORMAL: &[Format] = &[VEC3, Format("VEC3", I8, true), Format("VEC3", I16, true)];
    const TANGENT: &[Format] = &[Format("VEC4", F32, false), Format("VEC4", I8, true), Format("VEC4", I16, true)];
    const TEXCOORD: &[Format] = &[
        Format("VEC2", F32, false),
        Format("VEC2", U8, true),
        Format("VEC2", U16, true),
        Format("VEC2", I8, false),
        Format("VEC2", I8, true),
        Format("VEC2", U8, false),
        Format("VEC2", I16, false),
        Format("VEC2", I16, true),
        Format("VEC2", U16, false),
    ];
    const COLOR: &[Format] = &[
        VEC3,
        Format("VEC3", U8, true),
        Format("VEC3", U16, true),
        Format("VEC4", F32, false),
        Format("VEC4", U8, true),
        Format("VEC4", U16, true),
    ];
    const JOINTS: &[Format] = &[Format("VEC4", U8, false), Format("VEC4", U16, false)];
    const WEIGHTS: &[Format] = &[Format("VEC4", F32, false), Format("VEC4", U8, true), Format("VEC4", U16, true)];
    let (all, plain) = match prefix {
        "POSITION" => (POSITION, 1),
        "NORMAL" => (NORMAL, 1),
        "TANGENT" => (TANGENT, 1),
        "TEXCOORD" => (TEXCOORD, 3),
        "COLOR" => (COLOR, 6),
        "JOINTS" => (JOINTS, 2),
        "WEIGHTS" => (WEIGHTS, 3),
        _ => (&[][..], 0),
    };
    if quantized { all } else { &all[..plain] }
}

/// The formats of what a morph target adds.
pub(super) fn target_formats(prefix: &str, quantized: bool) -> &'static [Format] {
    const POSITION: &[Format] = &[
        VEC3,
        Format("VEC3", I8, false),
        Format("VEC3", I8, true),
        Format("VEC3", I16, false),
        Format("VEC3", I16, true),
    ];
    const NORMAL: &[Format] = &[VEC3, Format("VEC3", I8, true), Format("VEC3", I16, true)];
    const TEXCOORD: &[Format] = &[
        Format("VEC2", F32, false),
        Format("VEC2", I8, true),
        Format("VEC2", U8, true),
        Format("VEC2", I16, true),
        Format("VEC2", U16, true),
        Format("VEC2", I8, false),
        Format("VEC2", I16, false),
    ];
    const COLOR: &[Format] = &[
        VEC3,
        Format("VEC3", I8, true),
        Format("VEC3", U8, true),
        Format("VEC3", I16, true),
        Format("VEC3", U16, true),
        Format("VEC4", F32, false),
        Format("VEC4", I8, true),
        Format("VEC4", U8, true),
        Format("VEC4", I16, true),
        Format("VEC4", U16, true),
    ];
    let (all, plain) = match prefix {
        "POSITION" => (POSITION, 1),
        "NORMAL" | "TANGENT" => (NORMAL, 1),
        "TEXCOORD" => (TEXCOORD, 5),
        "COLOR" => (COLOR, 10),
        _ => (&[][..], 0),
    };
    if quantized { all } else { &all[..plain] }
}
