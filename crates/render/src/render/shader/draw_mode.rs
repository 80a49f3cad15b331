//! Draw modes of the mesh pass.

use crate::scene::{Reads, ViewMode};

/// Appearance of the meshes in a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum DrawMode {
    Material,
    /// A debug view; never [`ViewMode::Material`].
    DebugView(ViewMode),
    /// Triangle edges over the surface.
    WireframeOverlay,
    /// A transparent silhouette.
    Ghost,
    /// A tint over the highlighted draws.
    Highlight,
    /// Depth for the shadow map.
    ShadowDepth,
    /// G-buffer of opaque surfaces for ambient occlusion and indirect light: radiance, normal, depth.
    GBuffer,
    /// Reflective shadow map: albedo and one-bounce radiance.
    ReflectiveShadowMap,
    /// Translucent shadow map: fraction of light that transmissive surfaces transmit.
    TranslucentShadowMap,
}

impl DrawMode {
    pub(crate) fn of(mode: ViewMode) -> Self {
        if mode == ViewMode::Material { Self::Material } else { Self::DebugView(mode) }
    }

    /// Returns the mode for the other crowds of a frame: the debug view's table does not cover their joints.
    pub(crate) fn without_joint_table(self) -> Self {
        match self {
            Self::DebugView(mode) if mode.needs_joint_table() => Self::DebugView(ViewMode::Solid),
            mode => mode,
        }
    }

    /// Returns `true` if all that blocks light is drawn.
    pub(crate) fn is_shadow(self) -> bool {
        matches!(self, Self::ShadowDepth | Self::ReflectiveShadowMap)
    }

    /// Returns `true` if a map is drawn that other draws read.
    pub(crate) fn is_map(self) -> bool {
        self.is_shadow() || matches!(self, Self::GBuffer | Self::TranslucentShadowMap)
    }

    /// Returns `true` if back faces of single-sided materials are drawn too.
    pub(crate) fn is_double_sided(self) -> bool {
        matches!(self, Self::DebugView(ViewMode::Wireframe | ViewMode::FaceOrientation))
    }

    /// Returns what a debug view reads.
    pub(crate) fn reads(self) -> Reads {
        match self {
            Self::DebugView(mode) => mode.reads(),
            _ => Reads::Nothing,
        }
    }

    pub(crate) fn blends(self) -> bool {
        matches!(self, Self::DebugView(ViewMode::Wireframe) | Self::WireframeOverlay | Self::Ghost | Self::Highlight)
    }
}
