//! Who is posed, in which order: those that play the same side by side, so that they share instructions.

use super::record::Record;

/// Instances in the order of their blocks in the palette.
#[derive(Clone, Debug, Default)]
pub(super) struct Roster {
    /// The instances' numbers.
    pub(super) order: Vec<u32>,
    /// The roles, each with the place in `order` at which its instances end.
    pub(super) runs: Vec<(u16, usize)>,
}

impl Roster {
    /// Lists the instances of `records`, sorted by their roles, of which there are `role_count`, and otherwise in their own
    /// order.
    pub(super) fn fill(&mut self, records: &[Record], role_count: usize) {
        self.runs.clear();
        self.order.clear();
        if role_count <= 1 {
            self.order.extend(0..records.len() as u32);
            self.runs.push((0, self.order.len()));
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
        self.order.resize(next, 0);
        for (i, record) in records.iter().enumerate() {
            let place = &mut self.runs[usize::from(record.role)].1;
            self.order[*place] = i as u32;
            *place += 1;
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

    fn records(roles: &[u16]) -> Vec<Record> {
        let record = |&role: &u16| {
            let mut record = Record::zeroed();
            record.role = role;
            record
        };
        roles.iter().map(record).collect()
    }

    #[test]
    fn instances_stand_by_role_and_else_as_they_were() {
        let mut roster = Roster::default();
        roster.fill(&records(&[2, 0, 2, 0, 0]), 3);
        assert_eq!(roster.order, [1, 3, 4, 0, 2]);
        assert_eq!(roster.runs, [(0, 3), (1, 3), (2, 5)]);
        let within = |first, end| roster.runs_within(first, end).filter(|(_, a, b)| a < b).collect::<Vec<_>>();
        assert_eq!(within(0, 5), [(0, 0, 3), (2, 3, 5)]);
        assert_eq!(within(1, 4), [(0, 1, 3), (2, 3, 4)]);
        assert_eq!(within(3, 5), [(2, 3, 5)]);
        roster.fill(&records(&[0, 0]), 1);
        assert_eq!((&roster.order[..], &roster.runs[..]), (&[0, 1][..], &[(0, 2)][..]));
    }
}
