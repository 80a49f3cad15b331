//! Camera and background options of rendered images.

use super::values::{background, field_of_view, positive};
use crate::request::{BackgroundRequest, RenderRequest, numbers};
use clap::Args;

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Camera and background")]
pub struct CameraArgs {
    /// Camera position in meters [default: the whole clip is in view]
    #[arg(long, visible_alias = "camera-position", value_name = "X,Y,Z", value_parser = numbers::<3>,
        allow_hyphen_values = true, conflicts_with = "camera")]
    pub eye: Option<[f64; 3]>,

    /// Point that the camera looks at [default: the center of the model]
    #[arg(long, visible_alias = "camera-focal-point", value_name = "X,Y,Z", value_parser = numbers::<3>,
        allow_hyphen_values = true, conflicts_with = "camera")]
    pub target: Option<[f64; 3]>,

    /// Vertical field of view in degrees [default: 35]
    #[arg(long, visible_alias = "camera-view-angle", value_name = "DEG", value_parser = field_of_view,
        conflicts_with = "camera")]
    pub fov: Option<f64>,

    /// Parallel projection, with the height that --fov shows at the target
    #[arg(long, conflicts_with = "camera")]
    pub orthographic: bool,

    /// Camera of the file, by name or by index from 0
    #[arg(long, value_name = "NAME|INDEX")]
    pub camera: Option<String>,

    /// Diameter of the lens opening in meters, for depth of field; a 50 mm lens at f/1.8 has 0.028. Implies --quality high
    #[arg(long, value_name = "M", value_parser = positive, conflicts_with = "orthographic")]
    pub aperture: Option<f64>,

    /// Distance in focus in meters [default: that of the target]
    #[arg(long, value_name = "M", value_parser = positive, requires = "aperture")]
    pub focus: Option<f64>,

    /// Exposure time in seconds around the time of the image, for motion blur of the models; 0.02 is half a frame at 24 fps.
    /// Implies --quality high
    #[arg(long, value_name = "SECS", value_parser = positive)]
    pub shutter: Option<f64>,

    #[command(flatten)]
    pub background: BackgroundArgs,
}

#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Camera and background")]
pub struct BackgroundArgs {
    /// Background: a screen color with components from 0 to 1, `transparent`, or the `environment`, optionally blurred from
    /// 0 to 1 as in environment:0.5 [default: a gray gradient]
    #[arg(long, value_name = "R,G,B|transparent|environment[:BLUR]", value_parser = background)]
    background: Option<BackgroundRequest>,

    /// Transparent background: the same as --background transparent
    #[arg(long, conflicts_with = "background")]
    no_background: bool,
}

impl CameraArgs {
    /// Copies the camera and the background into `request`.
    pub(super) fn apply_to(&self, request: &mut RenderRequest) {
        (request.eye, request.target, request.fov_degrees) = (self.eye, self.target, self.fov);
        request.orthographic = self.orthographic;
        request.camera = self.camera.clone();
        (request.aperture, request.focus, request.shutter_secs) = (self.aperture, self.focus, self.shutter);
        request.background = self.background.to_request();
    }
}

impl BackgroundArgs {
    pub(super) fn to_request(&self) -> Option<BackgroundRequest> {
        self.background.or(self.no_background.then_some(BackgroundRequest::Transparent))
    }
}
