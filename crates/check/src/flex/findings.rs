//! What the range of motion test found about a joint.

use super::limits::FlexLimits;
use super::poses::FlexPose;
use rigview_core::math::Aabb;
use rigview_core::model::{JointIndex, Model};
use serde::Serialize;
use std::fmt;

/// A measure of the range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FlexMeasure {
    /// Kept volume.
    Volume,
    /// Kept radius of the cross-section at the joint.
    CrossSection,
    /// Length of edges.
    Stretch,
    /// Area.
    Area,
    /// Triangles that intersect others.
    Intersections,
    /// Stretch of edges to vertices that do not follow the joint.
    BoundaryStretch,
    /// Difference from the mirrored joint.
    Asymmetry,
    /// Surface that follows the joint and its parent half and half.
    Smear,
    /// Offset of the bind position.
    BindOffset,
}

impl FlexMeasure {
    /// Code of the issue.
    pub fn code(self) -> &'static str {
        match self {
            Self::Volume => "RIGVIEW_FLEX_VOLUME",
            Self::CrossSection => "RIGVIEW_FLEX_COLLAPSE",
            Self::Stretch | Self::Area => "RIGVIEW_FLEX_STRETCH",
            Self::Intersections => "RIGVIEW_FLEX_INTERSECTION",
            Self::BoundaryStretch => "RIGVIEW_FLEX_LEFT_BEHIND",
            Self::Asymmetry => "RIGVIEW_FLEX_ASYMMETRY",
            Self::Smear => "RIGVIEW_FLEX_SMEAR",
            Self::BindOffset => "RIGVIEW_FLEX_BIND_OFFSET",
        }
    }

    /// How far a value is from that of an ideal joint, relative to the limit: more than 1 is an issue.
    fn severity(self, value: f64, limits: &FlexLimits) -> f64 {
        let kept = |limit: f64| (1.0 - value) / (1.0 - limit).max(1e-9);
        let grown = |limit: f64| (value - 1.0) / (limit - 1.0).max(1e-9);
        match self {
            Self::Volume => kept(limits.volume),
            Self::CrossSection => kept(limits.cross_section),
            Self::Stretch => grown(limits.stretch),
            Self::Area => grown(limits.area),
            Self::Intersections => value / limits.intersections,
            Self::BoundaryStretch => value / limits.boundary_distance,
            Self::Asymmetry => grown(limits.asymmetry),
            // Sound joints have a quarter.
            Self::Smear => (value / limits.smear).powi(2),
            Self::BindOffset => value / limits.bind_offset,
        }
    }
}

/// The worst value of one measure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlexFinding {
    /// The measure.
    pub measure: FlexMeasure,
    /// Its value.
    pub value: f64,
    /// Distance from an ideal joint, relative to the limit: more than 1 is an issue.
    pub severity: f64,
    /// The pose with that value.
    #[serde(flatten)]
    pub pose: FlexPose,
    /// Names of the other joints that it is about.
    #[serde(skip)]
    pub(super) detail: String,
}

/// The value, as in `volume 43 %`.
impl fmt::Display for FlexFinding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (value, percent) = (self.value, 100.0 * self.value);
        match self.measure {
            FlexMeasure::Volume => write!(f, "volume {percent:.0} %"),
            FlexMeasure::CrossSection => write!(f, "cross-section {percent:.0} %"),
            FlexMeasure::Stretch => write!(f, "edges {percent:.0} %"),
            FlexMeasure::Area => write!(f, "area {percent:.0} %"),
            FlexMeasure::Intersections => write!(f, "intersecting triangles {percent:.0} %"),
            FlexMeasure::BoundaryStretch => write!(f, "a tear {value:.1} times its radius away"),
            FlexMeasure::Asymmetry => write!(f, "left and right differ by {value:.1}"),
            FlexMeasure::Smear => write!(f, "{percent:.0} % half and half with the joint above"),
            FlexMeasure::BindOffset => write!(f, "moved at rest by {percent:.0} % of the bone"),
        }
    }
}

/// The findings about one joint.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointFlex {
    /// The joint.
    #[serde(skip)]
    pub joint: JointIndex,
    /// Its name, or the index of its node.
    pub name: String,
    /// Cube around the triangles that it deforms, in model space.
    #[serde(skip)]
    pub bounds: Aabb,
    /// The worst value of each measure.
    pub findings: Vec<FlexFinding>,
    /// Vertices, alone or in patches, at which the mesh tears: they are on the wrong joint.
    #[serde(skip)]
    pub torn_patches: usize,
    /// Such vertices that are alone.
    #[serde(skip)]
    pub torn_vertices: usize,
    /// All poses in which it was measured.
    #[serde(skip)]
    pub poses: Vec<FlexPose>,
}

impl JointFlex {
    pub(super) fn new(model: &Model, joint: JointIndex, bounds: Aabb) -> Self {
        Self {
            joint,
            name: model.skeleton.unambiguous_name(joint),
            bounds,
            findings: Vec::new(),
            torn_patches: 0,
            torn_vertices: 0,
            poses: Vec::new(),
        }
    }

    /// Adds a value, if it is the worst of its measure.
    pub(super) fn add(
        &mut self,
        measure: FlexMeasure,
        value: f64,
        pose: &FlexPose,
        detail: String,
        limits: &FlexLimits,
    ) {
        let severity = measure.severity(value, limits);
        let at = self.findings.iter().position(|found| found.measure == measure);
        if at.is_none_or(|at| self.findings[at].severity < severity) {
            let finding = FlexFinding { measure, value, severity, pose: pose.clone(), detail };
            match at {
                Some(at) => self.findings[at] = finding,
                None => self.findings.push(finding),
            }
        }
    }

    /// Returns the finding of a measure.
    pub fn finding(&self, measure: FlexMeasure) -> Option<&FlexFinding> {
        self.findings.iter().find(|found| found.measure == measure)
    }

    /// Returns the worst finding.
    pub fn worst(&self) -> Option<&FlexFinding> {
        self.findings.iter().max_by(|a, b| a.severity.total_cmp(&b.severity))
    }

    /// Severity of the worst finding.
    pub fn score(&self) -> f64 {
        self.worst().map_or(0.0, |worst| worst.severity)
    }
}
