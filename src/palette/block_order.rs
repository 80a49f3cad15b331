//! Who is posed, in which order: those that play the same side by side, so that they share instructions.

use super::instance_record::InstanceRecord;
use std::ops::Range;

/// Instances in the order of their blocks in the palette.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct BlockOrder {
    /// The instances' numbers, unless all are there in their own order.
    listed: Vec<u32>,
    /// How many they are.
    count: usize,
    /// The roles, each with the place at which its instances end.
    pub(super) runs: Vec<(u16, usize)>,
}

impl BlockOrder {
    /// Lists the instances of `records`, sorted by their roles, of which there are `role_count`, and otherwise in their own
    /// order.
    pub(super) fn fill(&mut self, records: &[InstanceRecord], role_count: usize) {
        self.clear();
        self.count = records.len();
        if role_count <= 1 {
            self.listed.shrink_to_fit();
            self.runs.push((0, self.count));
            return;
        }
        // By counting: `runs` holds where each role's next instance goes, at last where it ends.
        self.runs.extend((0..role_count).map(|role| (role as u16, 0)));
        for record in records {
            self.runs[usize::from(record.role)].1 += 1;
        }
        let mut next = 0;
        for (_, end) in &mut self.runs {
            next += std::mem::replace(end, next);
        }
        self.listed.resize(next, 0);
        for (i, record) in records.iter().enumerate() {
            let place = &mut self.runs[usize::from(record.role)].1;
            self.listed[*place] = i as u32;
            *place += 1;
        }
    }

    /// Nobody, to be listed by [`push`](Self::push) and [`end_run`](Self::end_run).
    pub(super) fn clear(&mut self) {
        self.runs.clear();
        self.listed.clear();
        self.count = 0;
    }

    /// One more of the run that ends next.
    pub(super) fn push(&mut self, instance: usize) {
        self.listed.push(instance as u32);
        self.count += 1;
    }

    /// Those since the run before have this role.
    pub(super) fn end_run(&mut self, role: u16) {
        self.runs.push((role, self.count));
    }

    /// Number of instances.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Who has a block.
    ///
    /// # Panics
    /// If nobody has.
    #[inline(always)]
    pub(super) fn instance(&self, block: usize) -> usize {
        assert!(block < self.count, "nobody's block");
        self.listed.get(block).map_or(block, |&instance| instance as usize)
    }

    /// Who has these blocks.
    pub(super) fn instances(&self, blocks: Range<usize>) -> impl ExactSizeIterator<Item = usize> + '_ {
        blocks.map(|block| self.instance(block))
    }

    /// Writes who has the blocks from `first` on, as many as `instances` has room for.
    #[inline(always)]
    pub(super) fn copy_to(&self, first: usize, instances: &mut [usize]) {
        assert!(first + instances.len() <= self.count, "nobody's block");
        if self.listed.is_empty() {
            instances.iter_mut().zip(first..).for_each(|(instance, block)| *instance = block);
        } else {
            instances.iter_mut().zip(&self.listed[first..]).for_each(|(instance, &listed)| *instance = listed as usize);
        }
    }

    /// The runs within a range of blocks: role, first and end.
    pub(super) fn runs_within(&self, first: usize, end: usize) -> impl Iterator<Item = (u16, usize, usize)> + '_ {
        let from = self.runs.partition_point(|(_, run_end)| *run_end <= first);
        let mut start = first;
        self.runs[from..].iter().map_while(move |&(role, run_end)| {
            let this = start;
            start = run_end.min(end);
            (this < end).then_some((role, this, start))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytemuck::Zeroable;

    fn records(roles: &[u16]) -> Vec<InstanceRecord> {
        let record = |&role: &u16| {
            let mut record = InstanceRecord::zeroed();
            record.role = role;
            record
        };
        roles.iter().map(record).collect()
    }

    #[test]
    fn instances_stand_by_role_and_else_as_they_were() {
        let mut roster = BlockOrder::default();
        roster.fill(&records(&[2, 0, 2, 0, 0]), 3);
        let instances = |roster: &BlockOrder| roster.instances(0..roster.len()).collect::<Vec<_>>();
        assert_eq!(instances(&roster), [1, 3, 4, 0, 2]);
        assert_eq!(roster.runs, [(0, 3), (1, 3), (2, 5)]);
        let within = |first, end| roster.runs_within(first, end).filter(|(_, a, b)| a < b).collect::<Vec<_>>();
        assert_eq!(within(0, 5), [(0, 0, 3), (2, 3, 5)]);
        assert_eq!(within(1, 4), [(0, 1, 3), (2, 3, 4)]);
        assert_eq!(within(3, 5), [(2, 3, 5)]);
        roster.fill(&records(&[0, 0]), 1);
        assert_eq!((instances(&roster), &roster.runs[..]), (vec![0, 1], &[(0, 2)][..]));
        assert_eq!(roster.listed.capacity(), 0, "nothing is kept of those who all play the same");
    }
}
