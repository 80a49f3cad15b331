//! Order of instances in the palette, grouped so that a SIMD batch runs one plan.

use crate::animate::{BlockInstances, InstanceRecord};
use crate::model::InstanceIndex;
use std::ops::Range;

/// The instance of each palette block.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct BlockOrder {
    /// Instance indices; empty if block `i` is instance `i`.
    instances: Vec<u32>,
    count: usize,
    /// Each group of animation sets, by its first set, with the end of its blocks.
    plan_run_ends: Vec<(u32, usize)>,
}

/// Consecutive blocks of one group of animation sets, which one plan animates. The sets differ in rotations of pose overrides.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PlanRun {
    /// The first set of the group.
    pub(super) animation_set: u32,
    pub(super) blocks: Range<usize>,
}

impl BlockOrder {
    /// Orders all instances of `records` by the group of their animation set; the sort is stable. `groups` has the group of each set: the
    /// number of its first set.
    pub(super) fn fill(&mut self, records: &[InstanceRecord], groups: &[u32]) {
        self.clear();
        self.count = records.len();
        if groups.iter().all(|group| *group == 0) {
            self.plan_run_ends.push((0, self.count));
            return;
        }
        // Counting sort: `plan_run_ends` first holds the next free block of each set.
        self.plan_run_ends.extend((0..groups.len()).map(|set| (set as u32, 0)));
        for record in records {
            self.plan_run_ends[groups[record.animation_set() as usize] as usize].1 += 1;
        }
        let mut next = 0;
        for (_, end) in &mut self.plan_run_ends {
            next += std::mem::replace(end, next);
        }
        self.instances.resize(next, 0);
        for (i, record) in records.iter().enumerate() {
            let block = &mut self.plan_run_ends[groups[record.animation_set() as usize] as usize].1;
            self.instances[*block] = i as u32;
            *block += 1;
        }
    }

    /// Removes all blocks. [`push`](Self::push) and [`end_plan_run`](Self::end_plan_run) then add others.
    pub(super) fn clear(&mut self) {
        self.plan_run_ends.clear();
        self.instances.clear();
        self.count = 0;
    }

    /// Appends a block to the current run.
    pub(super) fn push(&mut self, instance: InstanceIndex) {
        self.instances.push(instance.0);
        self.count += 1;
    }

    /// Ends the current run.
    pub(super) fn end_plan_run(&mut self, animation_set: u32) {
        self.plan_run_ends.push((animation_set, self.count));
    }

    /// Number of blocks.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Returns the instance of a block.
    ///
    /// # Panics
    /// If the block does not exist.
    pub(super) fn instance(&self, block: usize) -> InstanceIndex {
        assert!(block < self.count, "block out of range");
        InstanceIndex(self.instances.get(block).map_or(block as u32, |&instance| instance))
    }

    /// Returns the instances of a range of blocks.
    pub(super) fn instances(&self, blocks: Range<usize>) -> BlockInstances<'_> {
        match self.instances.is_empty() {
            true => BlockInstances::Range(blocks),
            false => BlockInstances::List(&self.instances[blocks]),
        }
    }

    /// Returns the runs, without empty ones.
    pub(super) fn plan_runs(&self) -> impl Iterator<Item = PlanRun> + '_ {
        self.plan_runs_within(0..self.count)
    }

    /// Returns the parts of runs within a range of blocks, without empty ones.
    pub(super) fn plan_runs_within(&self, blocks: Range<usize>) -> impl Iterator<Item = PlanRun> + '_ {
        let first = self.plan_run_ends.partition_point(|(_, end)| *end <= blocks.start);
        let mut start = blocks.start;
        let parts = self.plan_run_ends[first..].iter().map_while(move |&(animation_set, run_end)| {
            let part = start..run_end.min(blocks.end);
            start = part.end;
            (part.start < blocks.end).then_some(PlanRun { animation_set, blocks: part })
        });
        parts.filter(|run| !run.blocks.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytemuck::Zeroable;

    fn records(animation_sets: &[u32]) -> Vec<InstanceRecord> {
        let record = |&animation_set: &u32| {
            let mut record = InstanceRecord::zeroed();
            record.set_animation_set(animation_set);
            record
        };
        animation_sets.iter().map(record).collect()
    }

    #[test]
    fn fill_sorts_by_animation_set_and_is_stable() {
        let mut order = BlockOrder::default();
        order.fill(&records(&[2, 0, 2, 0, 0]), &[0, 1, 2]);
        let instances =
            |order: &BlockOrder| order.instances(0..order.len()).iter().map(InstanceIndex::get).collect::<Vec<_>>();
        assert_eq!(instances(&order), [1, 3, 4, 0, 2]);
        let run = |animation_set, blocks| PlanRun { animation_set, blocks };
        let within = |blocks| order.plan_runs_within(blocks).collect::<Vec<_>>();
        assert_eq!(within(0..5), [run(0, 0..3), run(2, 3..5)]);
        assert_eq!(within(1..4), [run(0, 1..3), run(2, 3..4)]);
        assert_eq!(within(3..5), [run(2, 3..5)]);
        order.fill(&records(&[0, 0]), &[0]);
        assert_eq!((instances(&order), order.plan_runs().collect::<Vec<_>>()), (vec![0, 1], vec![run(0, 0..2)]));
    }
}
