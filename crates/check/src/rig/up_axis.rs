//! Lint of a file that lies on its back, because Z was up in the program that wrote it.

use super::rest_rig::RestRig;
use crate::issue::Issues;

/// Cosine of the angle from an axis within which another one is along it.
const ALONG: f64 = 0.8;

/// Reports Z up where all cameras are upright about Z. A flat part below the others in Z is no evidence: it can be a wall behind them.
pub(super) fn check(rig: &RestRig<'_>, issues: &mut Issues) {
    // A camera that looks down can have any axis up.
    let upright = rig.model.cameras.iter().filter_map(|camera| {
        let linear = rig.model_from_joint(camera.joint).linear;
        let [up, back] = [linear.column(1), linear.column(2)].map(|axis| axis.normalize());
        (back.y < ALONG).then_some((camera.joint, up.z))
    });
    let upright: Vec<_> = upright.collect();
    if let Some((joint, _)) = upright.first()
        && upright.iter().all(|(_, up)| *up > ALONG)
    {
        let message = format!(
            "it seems to lie on its back, since Z is up in the images of its cameras, such as {}, and Y is up in glTF; tick Transform > +Y Up in Blender's export",
            rig.name(*joint)
        );
        issues.add(
            "RIGVIEW_UP_AXIS",
            format_args!("/nodes/{}", rig.skeleton().joint(*joint).node),
            format_args!("{message}"),
        );
    }
}
