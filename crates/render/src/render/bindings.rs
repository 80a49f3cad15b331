//! Vertex attribute locations, texture units and uniform block bindings of all shaders.

/// Vertex attribute locations.
pub(crate) mod attribute {
    /// `vec3`.
    pub(crate) const POSITION: u32 = 0;
    /// `vec3`.
    pub(crate) const NORMAL: u32 = 1;
    /// `vec4`.
    pub(crate) const TANGENT: u32 = 2;
    /// `vec4`.
    pub(crate) const COLOR: u32 = 3;
    /// `vec2`, for up to four sets.
    pub(crate) const TEX_COORDS: u32 = 4;
    /// `uvec4`, up to twice.
    pub(crate) const SLOTS: u32 = 8;
    /// `vec4`, up to twice.
    pub(crate) const WEIGHTS: u32 = 10;
    /// `uvec2`.
    pub(crate) const MORPH_RUN: u32 = 12;
    /// `float`: the sum of the file's weights minus 1.
    pub(crate) const WEIGHT_SUM_ERROR: u32 = 13;
    /// `ivec3`, once per instance: an entry of an instance list.
    pub(crate) const INSTANCE: u32 = 14;
    /// `float`: a value of a view mode.
    pub(crate) const VERTEX_VALUE: u32 = 15;

    /// Defines of the shaders that read a mesh's attributes.
    pub(crate) const DEFINES: [(&str, u32); 11] = [
        ("ATTRIBUTE_POSITION", POSITION),
        ("ATTRIBUTE_NORMAL", NORMAL),
        ("ATTRIBUTE_TANGENT", TANGENT),
        ("ATTRIBUTE_COLOR", COLOR),
        ("ATTRIBUTE_TEX_COORDS", TEX_COORDS),
        ("ATTRIBUTE_SLOTS", SLOTS),
        ("ATTRIBUTE_WEIGHTS", WEIGHTS),
        ("ATTRIBUTE_MORPH_RUN", MORPH_RUN),
        ("ATTRIBUTE_WEIGHT_SUM_ERROR", WEIGHT_SUM_ERROR),
        ("ATTRIBUTE_INSTANCE", INSTANCE),
        ("ATTRIBUTE_VERTEX_VALUE", VERTEX_VALUE),
    ];
}

/// Texture units. A fragment shader uses at most 16 of them.
pub(crate) mod unit {
    /// Core material textures, in the order of `TextureSlot`.
    pub(crate) const MATERIAL: u32 = 0;
    pub(crate) const PALETTE_MATRICES: u32 = 5;
    /// Morph weights, often in the same buffer texture as the matrices.
    pub(crate) const MORPH_WEIGHTS: u32 = 6;
    pub(crate) const MORPH_DELTAS: u32 = 7;
    pub(crate) const ENVIRONMENT: u32 = 8;
    pub(crate) const TRANSMISSION_BACKGROUND: u32 = 9;
    pub(crate) const SHEEN_ALBEDO_LUT: u32 = 10;
    pub(crate) const SHADOW_MAP: u32 = 11;
    pub(crate) const AMBIENT_OCCLUSION: u32 = 12;
    pub(crate) const ENVIRONMENT_CUBE_MAP: u32 = 13;
    pub(crate) const REFLECTIVE_SHADOW_MAP: u32 = 14;
    /// Per-matrix debug data.
    pub(crate) const DEBUG_VIEW_TABLE: u32 = 15;
    pub(crate) const TRANSLUCENT_SHADOW_MAP: u32 = 16;
    /// Textures of material extensions, in the order of their slots.
    pub(crate) const MATERIAL_FEATURES: u32 = 17;
    pub(crate) const COUNT: u32 = MATERIAL_FEATURES + 14;
}

/// Binding points of uniform blocks. Screen-space passes bind their only block to [`FRAME`](block::FRAME).
pub(crate) mod block {
    pub(crate) const FRAME: u32 = 0;
    pub(crate) const DRAW: u32 = 1;
    pub(crate) const DEBUG_VIEW: u32 = 2;
    pub(crate) const MATERIAL_FEATURES: u32 = 3;
    pub(crate) const SHADOW_CATCHER: u32 = 4;
    pub(crate) const BACKGROUND: u32 = 5;
    pub(crate) const AMBIENT_OCCLUSION: u32 = 6;
    pub(crate) const MATERIAL: u32 = 7;
}
