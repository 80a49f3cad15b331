//! Values that all animation sets of a group share, also those of several crowds.

use super::animation_sets::{PlanGroupKey, next_revision};
use super::instances::Crowd;
use super::prepared::GroupValues;
use std::collections::HashMap;
use std::sync::Arc;

/// Number of values that are kept although no crowd uses them.
const MAX_UNUSED_VALUES: usize = 64;

/// A value for each group of animation sets, such as its plan. Crowds of one rig share them.
#[derive(Clone, Debug)]
pub(super) struct GroupCache<T> {
    /// Unique in the process, but for clones.
    id: u64,
    values: HashMap<Arc<PlanGroupKey>, Arc<T>>,
    /// Number of values after unused ones were dropped last.
    retained: usize,
}

impl<T> Default for GroupCache<T> {
    fn default() -> Self {
        Self { id: next_revision(), values: HashMap::new(), retained: 0 }
    }
}

impl<T> GroupCache<T> {
    /// Updates `values` to the animation sets of `crowd`, if they have changed, and returns `true` then. `make` makes a value that is
    /// missing, from the first set of the group and the number of values.
    ///
    /// Drops values that no crowd uses once they are the majority.
    pub(super) fn update(
        &mut self,
        crowd: &Crowd,
        values: &mut GroupValues<T>,
        mut make: impl FnMut(u32, usize) -> T,
    ) -> bool {
        let source = (self.id, crowd.revision());
        if values.source == source {
            return false;
        }
        values.source = source;
        values.of_sets.clear();
        values.of_sets.resize(crowd.sets.len(), None);
        for run in crowd.full_order().plan_runs() {
            let (set, key) = (run.animation_set, crowd.sets.group_key(run.animation_set));
            if !self.values.contains_key(key) {
                if self.values.len() > 2 * self.retained + MAX_UNUSED_VALUES {
                    self.values.retain(|_, value| Arc::strong_count(value) > 1);
                    self.retained = self.values.len();
                }
                let value = Arc::new(make(set, self.values.len()));
                self.values.insert(Arc::clone(key), value);
            }
            values.of_sets[set as usize] = self.values.get(key).cloned();
        }
        true
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &T> {
        self.values.values().map(|value| &**value)
    }
}
