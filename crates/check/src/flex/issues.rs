//! The range of motion test as a part of the checks of a file.

use super::findings::{FlexFinding, FlexMeasure};
use super::limits::FlexLimits;
use super::range_of_motion::{Flex, measure};
use crate::issue::Issues;
use rigview_core::model::Model;
use rigview_core::palette::Rig;
use rigview_core::util::text::quoted;

/// The range of motion test as a part of the checks of a file.
pub struct FlexCheck<'a> {
    /// Limits of the measures.
    pub limits: FlexLimits,
    /// Gets the numbers of finished and of all joints.
    pub on_joint: &'a dyn Fn(usize, usize),
    /// The measures, after the check of a file that could be imported.
    pub flex: Option<Flex>,
}

impl<'a> FlexCheck<'a> {
    /// A check without measures yet.
    pub fn new(limits: FlexLimits, on_joint: &'a dyn Fn(usize, usize)) -> Self {
        Self { limits, on_joint, flex: None }
    }

    pub(crate) fn check(&mut self, model: Model, issues: &mut Issues) {
        let scene = model.default_scene;
        let rig = Rig::new(model, scene).expect("an imported model is valid");
        let on_joint = |done, total| {
            (self.on_joint)(done, total);
            true
        };
        let flex = measure(&rig, &self.limits, &on_joint);
        report(rig.model(), &flex, &self.limits, issues);
        self.flex = Some(flex);
    }
}

/// Remedy for edges and areas that grow.
const SMOOTH: &str = "in Blender's Weight Paint mode, smooth the weights around the joint (Weights > Smooth)";

impl FlexFinding {
    /// Returns what is wrong about a joint, with the remedy.
    pub fn message(&self, joint: &str, limits: &FlexLimits) -> String {
        format!("{}; {}", self.problem(joint, limits), self.remedy())
    }

    /// Returns what is wrong about a joint.
    pub fn problem(&self, joint: &str, limits: &FlexLimits) -> String {
        let Self { measure, value, pose, detail, .. } = self;
        let (name, pose, percent) = (quoted(joint), &pose.description, 100.0 * value);
        match measure {
            FlexMeasure::Volume => format!(
                "{pose}, joint {name} keeps {percent:.0} % of its volume (limit {:.0} %)",
                100.0 * limits.volume
            ),
            FlexMeasure::CrossSection => format!(
                "{pose}, the cross-section at joint {name} shrinks to {percent:.0} % (limit {:.0} %): the candy wrapper effect",
                100.0 * limits.cross_section
            ),
            FlexMeasure::Stretch => format!(
                "{pose}, edges around joint {name} stretch to {percent:.0} % of their length (limit {:.0} %)",
                100.0 * limits.stretch
            ),
            FlexMeasure::Area => format!(
                "{pose}, the surface around joint {name} grows to {percent:.0} % of its area (limit {:.0} %)",
                100.0 * limits.area
            ),
            FlexMeasure::Intersections => format!(
                "{pose}, {percent:.0} % of the triangles around joint {name} intersect others (limit {:.0} %)",
                100.0 * limits.intersections
            ),
            FlexMeasure::BoundaryStretch => format!(
                "{pose}, the mesh tears at vertices far from joint {name}, {value:.1} times the radius of the tear away: neighbors follow the joints {detail}"
            ),
            FlexMeasure::Asymmetry => format!(
                "joint {name} and its mirror image {detail} differ by a factor of {value:.1} in the area that follows them or in its stretch (limit {:.1})",
                limits.asymmetry
            ),
            FlexMeasure::Smear => format!(
                "{percent:.0} % of the surface of joint {name} follows it and {detail} above it half and half (limit {:.0} %), so it bends with neither",
                100.0 * limits.smear
            ),
            FlexMeasure::BindOffset => format!(
                "the bind position of joint {name} is off that of {detail} above it by {percent:.0} % of the bone (limit {:.0} %): the mesh is torn at rest",
                100.0 * limits.bind_offset
            ),
        }
    }

    /// Returns what repairs it.
    pub fn remedy(&self) -> &'static str {
        match self.measure {
            FlexMeasure::Volume => {
                "in Blender's Weight Paint mode, narrow the transition to its parent, then add edge loops there, a helper bone or a corrective shape key"
            }
            FlexMeasure::CrossSection => "in Blender, spread the twist over a second bone, such as one for the forearm",
            FlexMeasure::Stretch | FlexMeasure::Area => SMOOTH,
            FlexMeasure::Intersections => {
                "in Blender, narrow the transition of weights on the inside of the bend, or add a corrective shape key"
            }
            FlexMeasure::BoundaryStretch => {
                "in Blender's Weight Paint mode, check these vertex groups: swapped names, or vertices without weights (Select > Select All by Trait > Ungrouped Vertices)"
            }
            FlexMeasure::Asymmetry => {
                "in Blender's Weight Paint mode, copy the better side with Weights > Mirror and Flip Group Names"
            }
            FlexMeasure::Smear => {
                "in Blender's Weight Paint mode, raise the joint's own weights outside of the transition (Weights > Levels), then use Weights > Normalize All"
            }
            FlexMeasure::BindOffset => {
                "in Blender, apply the transforms of armature and mesh (Ctrl A, All Transforms) and bind the mesh again"
            }
        }
    }
}

/// Reports the findings beyond the limits.
fn report(model: &Model, flex: &Flex, limits: &FlexLimits, issues: &mut Issues) {
    for found in &flex.joints {
        let at = format!("/nodes/{}", model.skeleton.joint(found.joint).node);
        for finding in found.findings.iter().filter(|finding| finding.severity > 1.0) {
            issues.add(finding.measure.code(), &at, format_args!("{}", finding.message(&found.name, limits)));
        }
    }
    if !flex.is_complete {
        let message = format_args!(
            "the rig has too many joints and vertices to measure all: split the file, or export fewer meshes"
        );
        issues.add("RIGVIEW_CHECK_SKIPPED", "", message);
    }
}
