//! Compares levels of detail with full meshes, from three distances.
//!
//!     cargo bench --bench detail -- --instances 10000 --frames 3
//!     cargo bench --bench detail -- fox.glb

mod measure;

use clap::Parser as _;
use measure::{Args, BenchCrowd, Fallible, Times, median, print_table};
use rigview::compare::{ImageMetrics, RgbaImage};
use rigview::platform::headless::Headless;
use rigview::render::{GpuModel, ModelLevels, RenderOptions, Renderer, Target};
use rigview::scene::{Background, Camera, DebugView, DetailSelection, Frame, Lighting, Orbit};

struct Candidate {
    camera: Camera,
    /// `None` for full meshes.
    detail: Option<DetailSelection>,
    model: GpuModel,
    target: Target,
    renderer: Renderer,
    times: Times,
}

fn main() -> Fallible<()> {
    let args = Args::parse();
    let mut crowd = BenchCrowd::open(&args, None)?;
    let headless = Headless::new()?;
    let rig = crowd.animator.rig().clone();
    let levels = ModelLevels::new(rig.model(), rig.layout());
    let (aspect, lighting) = (f64::from(args.width) / f64::from(args.height), Lighting::studio());
    let side = Orbit::framing(&crowd.hull, aspect);
    let mut above = Orbit { pitch: std::f64::consts::FRAC_PI_2, ..side };
    above.frame(&crowd.hull, aspect);
    let near = Orbit { distance: 0.1 * side.distance, ..side };
    let views = [("from above", above), ("from the side", side), ("near", near)];
    let mut candidates = Vec::new();
    for (_, orbit) in &views {
        for detail in [None, Some(DetailSelection::default())] {
            let renderer = Renderer::new(headless.gpu(), RenderOptions::default())?;
            let mut model = renderer.upload(rig.model(), rig.layout())?;
            if detail.is_some() {
                renderer.upload_levels(&mut model, &levels)?;
            }
            let target = Target::new(headless.gpu(), args.width, args.height, 1)?;
            let camera = orbit.camera(crowd.hull.bounds());
            candidates.push(Candidate { camera, detail, model, target, renderer, times: Times::default() });
        }
    }
    for frame in 0..=args.frames {
        crowd.pose(frame);
        for Candidate { camera, detail, model, target, renderer, times } in &mut candidates {
            times.measure(|| {
                if let Some(detail) = detail {
                    detail.update(&mut crowd.animator, &mut crowd.crowd, camera, [args.width, args.height]);
                }
                let frame = Frame {
                    layout: rig.layout(),
                    palette: crowd.animator.palette(),
                    detail: detail.as_ref(),
                    other_crowds: &[],
                    camera: *camera,
                    lighting: &lighting,
                    background: Background::Studio,
                    debug_view: DebugView::default(),
                };
                renderer.draw(&[model], &frame, target)?;
                headless.gpu().finish();
                Ok(())
            })?;
        }
    }
    let mut rows = Vec::new();
    for ((view, _), [full, detail]) in views.iter().zip(candidates.as_chunks_mut::<2>().0) {
        let [full_ms, detail_ms] = [full.times.cpu_ms(), detail.times.cpu_ms()];
        let ratios: Vec<f64> = full_ms.iter().zip(detail_ms).map(|(full, detail)| full / detail).collect();
        let mut row = vec![(*view).to_owned()];
        row.extend([full_ms, detail_ms, &ratios].map(|frames| format!("{:.2}", median(frames))));
        row.extend([&full, &detail].map(|candidate| candidate.renderer.statistics().vertices.to_string()));
        let image = |target: &mut Target| target.read_rgba().map(|rgba| RgbaImage::new(args.width, args.height, rgba));
        let metrics = ImageMetrics::between(&image(&mut full.target)?, &image(&mut detail.target)?);
        row.push(metrics.map_or("-".to_owned(), |m| format!("{:.4}", m.flip_mean)));
        rows.push(row);
    }
    let columns = ["view", "full CPU ms", "detail CPU ms", "ratio", "full vertices", "detail vertices", "mean FLIP"];
    print_table(&args, headless.gpu().renderer(), &columns, &rows);
    Ok(())
}
