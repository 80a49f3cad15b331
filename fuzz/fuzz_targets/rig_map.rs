//! Arbitrary text as the map of a rig: what is saved is read as the same map, or an error in one line.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rigview::app::parsers::rig_map;
use rigview_core::model::Model;
use rigview_fuzz::{assert_printable, open};
use std::sync::OnceLock;

fn hare() -> &'static Model {
    static MODEL: OnceLock<Model> = OnceLock::new();
    MODEL.get_or_init(|| open(include_bytes!("../../assets/hare.glb").to_vec()).expect("a model").model)
}

fuzz_target!(init: rigview_fuzz::allow_caught_panics(), |text: &str| {
    match rig_map(hare(), text) {
        Ok(saved) => assert_eq!(rig_map(hare(), &saved).as_deref(), Ok(&*saved)),
        Err(reason) => assert_printable(&reason),
    }
});
