//! Lights as the shader takes them.

use super::RenderError;
use super::uniforms::FrameUniforms;
use crate::scene::{Light, LightSource, MAX_LIGHTS};

/// Puts `lights` into `block`.
pub(crate) fn put_lights(block: &mut FrameUniforms, lights: &[Light]) -> Result<(), RenderError> {
    if lights.len() > MAX_LIGHTS {
        return Err(RenderError::TooManyLights { count: lights.len(), limit: MAX_LIGHTS });
    }
    for (i, light) in lights.iter().enumerate() {
        // Without a cone every angle gives 1.
        let (mut spot, mut range) = ([0.0, 0.0, 0.0, 1.0], 0.0);
        block.light_in_world[i] = match light.source {
            LightSource::Directional { to_light_in_world } => to_light_in_world.push(0.0),
            LightSource::Punctual { position_in_world, range: until, cone } => {
                // By the fourth power of the distance over the range, which single precision can hold as its square.
                range = until.map_or(0.0, |until| 1.0 / (until * until));
                if let Some(cone) = cone {
                    let (inner, outer) = (libm::cos(cone.inner), libm::cos(cone.outer));
                    let scale = 1.0 / (inner - outer).max(1e-3);
                    let [x, y, z] = (cone.axis_in_world * scale).into();
                    spot = [x, y, z, -outer * scale];
                }
                position_in_world.push(1.0)
            }
        }
        .cast::<f32>()
        .into();
        block.light_cone[i] = spot.map(|x| x as f32);
        let [r, g, b] = light.intensity_rgb;
        block.light_color[i] = [r, g, b, range].map(|x| x as f32);
    }
    block.light_count = lights.len() as i32;
    Ok(())
}
