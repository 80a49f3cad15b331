use super::*;
use rigview_core::model::{Clip, InstanceIndex};

fn model() -> Model {
    let clip = |secs| Clip { duration_secs: secs, ..Clip::default() };
    Model { clips: vec![clip(2.0), clip(4.0)], ..Model::default() }
}

fn cube() -> Aabb {
    Aabb { min: Vector3::new(-1.0, 0.0, -1.0), max: Vector3::new(1.0, 3.0, 1.0) }
}

fn csv(text: &str) -> Result<Layout, String> {
    parse_layout(text, LayoutFormat::Csv).map_err(|error| error.to_string())
}

fn json(text: &str) -> Result<Layout, String> {
    parse_layout(text, LayoutFormat::Json).map_err(|error| error.to_string())
}

#[test]
fn grid_is_square_with_first_row_in_front() {
    let layout = grid(5, &cube());
    let places: Vec<_> = layout.placements.iter().map(|s| (s.position.x, s.position.z)).collect();
    assert_eq!(places, [(-2.5, 1.25), (0.0, 1.25), (2.5, 1.25), (-2.5, -1.25), (0.0, -1.25)]);
}

#[test]
fn scatter_does_not_overlap_and_is_prefix_stable() {
    for seed in [0, 1, 77] {
        let layout = scatter(400, &cube(), seed);
        assert_eq!(scatter(900, &cube(), seed).placements[..400], layout.placements[..]);
        for (i, a) in layout.placements.iter().enumerate() {
            for b in &layout.placements[..i] {
                let distance = (a.position - b.position).norm();
                assert!(distance > 2.0 * 0.5 * (a.scale + b.scale), "seed {seed}: {distance}");
            }
        }
    }
    assert_ne!(scatter(9, &cube(), 1), scatter(9, &cube(), 2));
}

#[test]
fn clip_frequencies_match_weights() {
    let rules = PlaybackRules {
        clips: vec![(Some(ClipIndex(0)), 3.0), (Some(ClipIndex(1)), 1.0), (None, 0.0)],
        ..PlaybackRules::for_clip(None)
    };
    let crowd = rules.crowd(&grid(10_000, &cube()), &[], &model());
    let plays = |clip| {
        (0..crowd.len()).filter(|i| crowd.layers(InstanceIndex((*i) as u32)).next().unwrap().clip == clip).count()
    };
    assert!(plays(Some(ClipIndex(0))).abs_diff(7500) < 150);
    assert_eq!(plays(None), 0);
}

#[test]
fn phases_and_speeds_span_their_spread() {
    let playbacks = |rules: &PlaybackRules, layout: &Layout| -> Vec<Playback> {
        let crowd = rules.crowd(layout, &[], &model());
        (0..crowd.len()).map(|i| crowd.layers(InstanceIndex(i as u32)).next().unwrap().playback).collect()
    };
    let mut rules = PlaybackRules::for_clip(Some(ClipIndex(1)));
    for layout in [grid(1000, &cube()), scatter(1000, &cube(), 3)] {
        for spread in [0.0, 0.25, 1.0] {
            (rules.phase_spread, rules.speed_spread) = (spread, 0.4 * spread);
            let all = playbacks(&rules, &layout);
            let phase = all.iter().map(|t| t.start_offset_secs).fold(0.0, f64::max);
            assert!(phase <= 4.0 * spread && phase >= 3.9 * spread, "{phase}");
            let speed = all.iter().map(|t| (f64::from(t.speed) - 1.0).abs()).fold(0.0, f64::max);
            assert!(speed <= 0.4 * spread + 1e-6 && speed >= 0.39 * spread, "{speed}");
            assert_eq!(playbacks(&rules, &layout), all);
        }
    }
    assert_eq!(playbacks(&rules, &grid(4, &cube()))[0].start_offset_secs, 0.0);
}

#[test]
fn csv_and_json_files_place_instances() {
    let text = "# a street\n x, z ,yaw,scale,clip,phase,speed\n1,2,,,,,\n-3.5,4,90,2,Walk,0.25,1.5\n0,0,0,1,Walk,,\n";
    let layout = csv(text).unwrap();
    let places: Vec<_> = layout.placements.iter().map(|s| s.position).collect();
    assert_eq!(places, [[1.0, 0.0, 2.0], [-3.5, 0.0, 4.0], [0.0; 3]].map(Vector3::from));
    assert_eq!(layout.clips, [("Walk".to_owned(), 4)]);
    let InstancePlacement { yaw, scale, clip_uses, phase_secs, speed, .. } = layout.placements[1];
    assert_eq!((yaw, scale, clip_uses, phase_secs, speed), (90_f64.to_radians(), 2.0, [0, 1], Some(0.25), Some(1.5)));
    assert_eq!(layout.placements[0], InstancePlacement::at(Vector3::new(1.0, 0.0, 2.0)));
    let same = json(
        "[\n{\"position\": [1, 0, 2]},\n {\"position\": [-3.5, 0, 4], \"yaw\": 90, \"scale\": 2, \"clip\": \"Walk\",\n \
         \"phase\": 0.25, \"speed\": 1.5}, {\"position\": [0, 0, 0], \"clip\": \"Walk\", \"scale\": 1, \"yaw\": 0}]",
    )
    .unwrap();
    assert_eq!((same.placements, same.clips), (layout.placements.clone(), vec![("Walk".to_owned(), 3)]));
    // A counter-clockwise quarter turn maps X to -Z.
    let turned = layout.placements[1].placement().transform_vector(Vector3::x());
    assert!((turned - Vector3::new(0.0, 0.0, -2.0)).norm() < 1e-12);
    let crowd = PlaybackRules::for_clip(None).crowd(&layout, &[Some(ClipIndex(1))], &model());
    assert_eq!(
        [0, 1, 2].map(|i| crowd.layers(InstanceIndex(i as u32)).next().unwrap().clip.map(|clip| clip.0)),
        [None, Some(1), Some(1)]
    );
}

#[test]
fn instances_play_several_clips_with_their_own_phases_and_speeds() {
    let layout = csv("x,z,clip,phase,speed\n0,0,Yaw;Work,1;0.5,;\n").unwrap_err();
    assert_eq!(layout, "line 2: `` is not a number");
    let layout = csv("x,z,clip,phase,speed\n0,0,Yaw; Work,1;0.5,2\n1,0,Work,,\n2,0,,,\n").unwrap();
    let same = json(
        "[{\"position\": [0, 0, 0], \"clip\": [\"Yaw\", \"Work\"], \"phase\": [1, 0.5], \"speed\": 2},\n\
         {\"position\": [1, 0, 0], \"clip\": \"Work\"}, {\"position\": [2, 0, 0]}]",
    )
    .unwrap();
    assert_eq!((&same.placements, &same.clip_uses), (&layout.placements, &layout.clip_uses));
    let rules = PlaybackRules {
        together: vec![ClipIndex(1)],
        phase_spread: 0.0,
        ..PlaybackRules::for_clip(Some(ClipIndex(0)))
    };
    // In each part of a layout, too.
    let [first, rest] = &layout.partition(&[1, 2], None)[..] else { panic!("two parts") };
    let clips = [1, 0].map(|clip| Some(ClipIndex(clip)));
    let played = |layout: &Layout, instance: usize| -> Vec<(u32, f64, f32)> {
        let crowd = rules.crowd(layout, &clips, &model());
        let layers = crowd.layers(InstanceIndex(instance as u32));
        layers.map(|l| (l.clip.unwrap().0, l.playback.start_offset_secs, l.playback.speed)).collect()
    };
    assert_eq!(played(first, 0), [(1, 1.0, 2.0), (0, 0.5, 2.0)]);
    assert_eq!(played(rest, 0), [(0, 0.0, 1.0)]);
    assert_eq!(played(rest, 1), [(0, 0.0, 1.0), (1, 0.0, 1.0)], "the clips of the rules");
}

#[test]
fn invalid_files_report_the_line() {
    for (text, expected) in [
        ("", "line 1: the first line must name the columns"),
        ("x,z\n", "line 1: layout has no instances"),
        ("x,y\n1,2\n", "line 1: the first line must name"),
        ("x,z,why\n", "line 1: unknown column `why`; expected x, y"),
        ("x,z,X\n", "line 1: column `x` occurs twice"),
        ("x,z\n1,2\n1,a\u{1b}b\n", "line 3: `a\\u{1b}b` is not a number"),
        ("x,z\n1,2\n\n1,2,3\n", "line 4: has 3 fields, the first line has 2"),
        ("x,z\n1,\n", "line 2: `` is not a number, which a position needs"),
        ("x,z\n1,inf\n", "line 2: `inf` is not a number"),
        ("x,z,clip,speed\n1,2,a;b,1;2;3\n", "line 2: `1;2;3` is not a value for each clip"),
        ("x,z\n1,1e300\n", "line 2: `1000"),
        ("x,z,scale\n1,2,0\n", "line 2: `0` is not a scale above 0"),
    ] {
        let error = csv(text).unwrap_err();
        assert!(error.starts_with(expected) && !error.contains('\n'), "{text:?}: {error}");
    }
    for (text, expected) in [
        ("{}", "line 1: invalid type: map"),
        ("[]", "line 1: layout has no instances"),
        ("[\n{\"position\": [1, 2]}]", "line 2: invalid length 2"),
        ("[\n\n{\"position\": [1, 2, 3],\n\"size\": 2}]", "line 4: unknown field `size`"),
        ("[\n{\"position\": [1, 2, 3], \"speed\": 1e9}]", "line 2: `1000000000` is not a speed"),
        ("[\n{\"position\": [1, 2, 3]}", "line 2: EOF"),
    ] {
        let error = json(text).unwrap_err();
        assert!(error.starts_with(expected) && !error.contains('\n'), "{text:?}: {error}");
    }
}

#[test]
fn partition_keeps_every_placement() {
    let all = grid(100, &cube());
    let counts = [60, 30, 10];
    let parts = all.partition(&counts, Some(4));
    assert_eq!(parts.iter().map(|part| part.placements.len()).collect::<Vec<_>>(), counts);
    let key = |s: &InstancePlacement| (s.position.x.to_bits(), s.position.z.to_bits());
    let mut partitioned: Vec<_> = parts.iter().flat_map(|part| part.placements.iter().map(key)).collect();
    let mut placements: Vec<_> = all.placements.iter().map(key).collect();
    partitioned.sort_unstable();
    placements.sort_unstable();
    assert_eq!(partitioned, placements);
    assert_eq!(all.partition(&counts, Some(4)), parts);
    assert_ne!(all.partition(&counts, Some(5)), parts);
    // Crowds are mixed.
    for part in &parts {
        let left = part.placements.iter().filter(|s| s.position.x < 0.0).count();
        assert!(left > 0 && left < part.placements.len(), "{left}");
    }
    let in_order = all.partition(&counts, None);
    assert_eq!(in_order.iter().flat_map(|part| part.placements.clone()).collect::<Vec<_>>(), all.placements);
}
