//! Deletion of objects in slices.
//!
//! A driver frees the memory of hundreds of large textures in more than the time of a frame. A window defers their deletion.

use super::Gpu;
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The call that deletes an object.
type Deletion = Box<dyn FnOnce(&glow::Context)>;

/// Deletions of dropped objects.
#[derive(Default)]
pub(super) struct Deletions {
    /// Objects of models are deleted by slices.
    defers_models: bool,
    /// The objects that are dropped now are those of a model.
    is_model: bool,
    pending: VecDeque<Deletion>,
}

impl Gpu {
    /// Defers the deletion of models that are dropped from now on until [`delete_slice`](Self::delete_slice).
    pub fn defer_deletion_of_models(&self) {
        self.deletions.borrow_mut().defers_models = true;
    }

    /// Deletes objects of dropped models until `max_time` is over, at least one. Returns `false` if there is nothing left.
    pub fn delete_slice(&self, max_time: Duration) -> bool {
        let begun = Instant::now();
        loop {
            let Some(delete) = self.deletions.borrow_mut().pending.pop_front() else { return false };
            if !self.is_lost() {
                delete(&self.functions());
            }
            if begun.elapsed() >= max_time {
                return !self.deletions.borrow().pending.is_empty();
            }
        }
    }

    /// Drops the objects of a model.
    pub(crate) fn drop_model(&self, objects: impl Sized) {
        let is_model = self.deletions.borrow().defers_models;
        self.deletions.borrow_mut().is_model = is_model;
        drop(objects);
        self.deletions.borrow_mut().is_model = false;
    }

    /// Deletes an object, now or by a later slice.
    pub(super) fn delete(&self, deletion: impl FnOnce(&glow::Context) + 'static) {
        if self.deletions.borrow().is_model {
            self.deletions.borrow_mut().pending.push_back(Box::new(deletion));
        } else if !self.is_lost() {
            deletion(&self.functions());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake_driver::{DELETED, new_gpu};
    use super::super::{Buffer, Channels, ColorSpace, Texture2d, TextureFormat};
    use super::*;

    #[test]
    fn each_slice_deletes_one_object_of_a_dropped_model_once_its_time_is_over() {
        let gpu = new_gpu().expect("the fake driver");
        let format = TextureFormat::Texels(ColorSpace::Srgb, Channels::RGBA);
        let new_objects = || {
            let textures = (0..3).map(|_| Texture2d::new(&gpu, format, vec![[2, 2]]).expect("a texture"));
            (textures.collect::<Vec<_>>(), Buffer::new(&gpu).expect("a buffer"))
        };
        DELETED.set(0);
        gpu.drop_model(new_objects());
        assert_eq!((DELETED.get(), gpu.delete_slice(Duration::ZERO)), (4, false), "at once by default");
        gpu.defer_deletion_of_models();
        gpu.drop_model(new_objects());
        assert_eq!(DELETED.get(), 4);
        drop(new_objects());
        assert_eq!(DELETED.get(), 8, "what is no model, at once");
        for deleted in 9..=12 {
            assert_eq!(gpu.delete_slice(Duration::ZERO), deleted < 12);
            assert_eq!(DELETED.get(), deleted);
        }
        gpu.drop_model(new_objects());
        assert!(!gpu.delete_slice(Duration::MAX) && DELETED.get() == 16, "all within the time");
    }
}
