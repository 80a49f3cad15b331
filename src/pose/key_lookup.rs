//! Where a time falls on a timeline, found without a search.

/// The keys of one timeline under a grid of buckets.
///
/// Every bucket knows how many keys lie in it and before it, so a time needs a look at the few keys of its own bucket,
/// wherever it was before: going on, going back and jumping cost the same.
#[derive(Clone, Debug)]
pub(crate) struct KeyLookup {
    keys: Vec<Key>,
    /// How many keys lie before each bucket; one more entry at the end.
    keys_before: Vec<u32>,
    buckets_per_sec: f64,
}

#[derive(Clone, Copy, Debug)]
struct Key {
    secs: f64,
    /// One over the seconds to the next key; 0 for the last, and where the next is at the same time.
    per_sec: f64,
}

/// Buckets for each key. With four, a bucket of an even timeline holds one key at most.
const BUCKETS_PER_KEY: usize = 4;

/// More keys than this in one bucket are searched by halving.
const KEYS_TO_WALK: usize = 8;

impl KeyLookup {
    /// The table of `times_secs`: at least one, finite, never decreasing.
    pub(crate) fn new(times_secs: &[f32]) -> Self {
        let at = |key: usize| f64::from(times_secs[key]);
        let count = times_secs.len();
        let per_sec = |key: usize| {
            if key + 1 < count && at(key + 1) > at(key) { 1.0 / (at(key + 1) - at(key)) } else { 0.0 }
        };
        let keys = (0..count).map(|key| Key { secs: at(key), per_sec: per_sec(key) }).collect();
        let buckets = (count * BUCKETS_PER_KEY).min(1 << 16);
        let length = at(count - 1) - at(0);
        let buckets_per_sec = if length > 0.0 { buckets as f64 / length } else { 0.0 };
        let mut table = Self { keys, keys_before: vec![0; buckets + 1], buckets_per_sec };
        // By the function that finds a time's bucket, so that the two agree however it rounds.
        for key in 0..count {
            let bucket = table.bucket(at(key));
            table.keys_before[bucket + 1] += 1;
        }
        for bucket in 0..buckets {
            table.keys_before[bucket + 1] += table.keys_before[bucket];
        }
        table
    }

    /// Never decreases as `time_secs` grows.
    #[inline(always)]
    fn bucket(&self, time_secs: f64) -> usize {
        // The cast takes what is negative, or no number, to 0.
        (((time_secs - self.keys[0].secs) * self.buckets_per_sec) as usize).min(self.keys_before.len() - 2)
    }

    /// The last key at or before the time, or 0, and how far it is to the next, from 0 to 1.
    #[inline(always)]
    pub(crate) fn find(&self, time_secs: f64) -> (usize, f32) {
        let bucket = self.bucket(time_secs);
        let mut key = (self.keys_before[bucket] as usize).saturating_sub(1);
        let end = self.keys_before[bucket + 1] as usize;
        if end > key + KEYS_TO_WALK {
            key += self.keys[key..end].partition_point(|key| key.secs <= time_secs).saturating_sub(1);
        } else {
            while key + 1 < end && self.keys[key + 1].secs <= time_secs {
                key += 1;
            }
        }
        let Key { secs, per_sec } = self.keys[key];
        (key, ((time_secs - secs) * per_sec).clamp(0.0, 1.0) as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(times: &[f32]) {
        let table = KeyLookup::new(times);
        let last = f64::from(times[times.len() - 1]);
        let at = |key: usize| f64::from(times[key]);
        let between = (0..=1000).map(|i| (f64::from(i) / 1000.0) * (last * 1.2 + 0.1) - 0.05);
        let near = times.iter().flat_map(|&t| [t.next_down(), t, t.next_up()]).map(f64::from);
        for time in between.chain(near) {
            let key = times.partition_point(|&t| f64::from(t) <= time).saturating_sub(1);
            let share = if key + 1 == times.len() || time <= at(key) {
                0.0
            } else {
                (time - at(key)) / (at(key + 1) - at(key))
            };
            let (got, got_share) = table.find(time);
            assert_eq!(got, key, "{times:?} at {time}");
            assert!((f64::from(got_share) - share).abs() < 1e-7, "{times:?} at {time}: {got_share}");
        }
    }

    #[test]
    fn a_time_falls_behind_its_last_key() {
        check(&[0.0]);
        check(&[0.5, 0.5]);
        check(&[0.0, 1.0]);
        check(&[0.25, 0.5, 0.75, 2.0]);
        check(&[0.0, 0.5, 0.5, 0.5, 1.0]);
        check(&(0..49).map(|i| i as f32 / 24.0).collect::<Vec<_>>());
    }

    #[test]
    fn keys_may_crowd_in_one_bucket() {
        let mut times: Vec<f32> = (0..100).map(|i| 1.0 + i as f32 * 1e-6).collect();
        times.push(1e6);
        check(&times);
    }
}
