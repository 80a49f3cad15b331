//! Camera and lights as uniforms.

use super::pass_input::PassInput;
use super::shadow_map::{SIDE, SUN_SIDE, shadow_from_world, texel_width};
use crate::render::error::RenderError;
use crate::render::uniforms::FrameUniforms;
use crate::scene::{
    Camera, EnvironmentLight, GgxSample, Lens, Light, LightKind, MAX_LIGHTS, SampledLight, SampledLightKind,
    VirtualPointLight,
};
use bytemuck::Zeroable;

/// Returns the uniforms of a frame.
pub(super) fn frame_uniforms(
    &PassInput { frame, viewport, sun_camera, sampled_light, texture_lod_bias, ggx, .. }: &PassInput<'_>,
) -> Result<FrameUniforms, RenderError> {
    let mut uniforms = FrameUniforms::zeroed();
    let projection_from_world = frame.camera.projection_from_world(viewport.aspect());
    uniforms.projection_from_world = projection_from_world.cast::<f32>().into();
    uniforms.eye_in_world = eye_in_world(&frame.camera);
    let view_from_world = frame.camera.view_from_world().to_matrix4();
    uniforms.view_depth = (-view_from_world.row(2)).transpose().cast::<f32>().into();
    if let Some(environment) = &frame.lighting.environment {
        write_environment(&mut uniforms, environment);
    }
    uniforms.sun = frame.lighting.sun().map_or(-1, |index| index as i32);
    uniforms.texture_lod_bias = texture_lod_bias.unwrap_or(0.0);
    if let Some(GgxSample { random, fraction }) = ggx {
        uniforms.ggx_random = random.map(|x| x as f32);
        uniforms.ggx_sample_fraction = fraction as f32;
    }
    uniforms.exposure = libm::exp2(frame.lighting.exposure_ev) as f32;
    write_lights(&mut uniforms, &frame.lighting.lights)?;
    if let Some(sample) = sampled_light {
        let SampledLight { light, inverse_probability, shadow_camera } = sample;
        write_shadow_map(&mut uniforms, shadow_camera, SIDE);
        uniforms.sampled_light = match *light {
            SampledLightKind::Light(index) => index as i32,
            SampledLightKind::Environment { illuminance_rgb: [r, g, b], solid_angle } => {
                uniforms.sampled_light_intensity = [r, g, b, solid_angle].map(|x| x as f32);
                -1
            }
            SampledLightKind::VirtualPointLight(VirtualPointLight {
                intensity_rgb: [r, g, b],
                area,
                normal_in_world,
                ..
            }) => {
                uniforms.sampled_light_intensity = [r, g, b, area].map(|x| x as f32);
                uniforms.sampled_light_normal = normal_in_world.push(0.0).cast::<f32>().into();
                -2
            }
        };
        uniforms.shadow_inverse_probability = *inverse_probability as f32;
    } else if let Some(camera) = &sun_camera {
        write_shadow_map(&mut uniforms, camera, SUN_SIDE);
    }
    Ok(uniforms)
}

fn write_shadow_map(uniforms: &mut FrameUniforms, camera: &Camera, side: u32) {
    uniforms.shadow_light_in_world = eye_in_world(camera);
    uniforms.shadow_texel_width = texel_width(camera, side) as f32;
    uniforms.shadow_from_world = shadow_from_world(camera).cast::<f32>().into();
}

/// Position of a camera and 1; for parallel rays the unit vector towards the camera and 0.
fn eye_in_world(camera: &Camera) -> [f32; 4] {
    let (eye, w) = match camera.lens {
        Lens::Perspective { .. } => (camera.eye_in_world(), 1.0),
        Lens::Orthographic { .. } => (camera.world_from_view.linear.column(2).into_owned(), 0.0),
    };
    eye.push(w).cast::<f32>().into()
}

fn write_environment(uniforms: &mut FrameUniforms, light: &EnvironmentLight) {
    let EnvironmentLight { environment, rotation, intensity } = light;
    let side = environment.side() as f64;
    // Maps -1..1 to the texels within the border.
    let scale = 0.5 * (side - 2.0) / side;
    uniforms.environment = [libm::cos(*rotation), libm::sin(*rotation), scale, *intensity].map(|x| x as f32);
}

fn write_lights(uniforms: &mut FrameUniforms, lights: &[Light]) -> Result<(), RenderError> {
    if lights.len() > MAX_LIGHTS {
        return Err(RenderError::TooManyLights { count: lights.len(), limit: MAX_LIGHTS });
    }
    for (i, light) in lights.iter().enumerate() {
        // Without a cone the factor is 1 at every angle.
        let (mut cone_axis_and_offset, mut inverse_range_squared) = ([0.0, 0.0, 0.0, 1.0], 0.0);
        uniforms.light_in_world[i] = match light.kind {
            LightKind::Directional { to_light_in_world } => to_light_in_world.push(0.0),
            LightKind::Punctual { position_in_world, range, cone } => {
                inverse_range_squared = range.map_or(0.0, |range| 1.0 / (range * range));
                if let Some(cone) = cone {
                    let (inner, outer) = (libm::cos(cone.inner_angle), libm::cos(cone.outer_angle));
                    let scale = 1.0 / (inner - outer).max(1e-3);
                    let [x, y, z] = (cone.axis_in_world * scale).into();
                    cone_axis_and_offset = [x, y, z, -outer * scale];
                }
                position_in_world.push(1.0)
            }
        }
        .cast::<f32>()
        .into();
        uniforms.light_cone[i] = cone_axis_and_offset.map(|x| x as f32);
        let [r, g, b] = light.intensity_rgb;
        uniforms.light_color[i] = [r, g, b, inverse_range_squared].map(|x| x as f32);
    }
    uniforms.light_count = lights.len() as i32;
    Ok(())
}
