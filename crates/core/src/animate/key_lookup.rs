//! Constant-time lookup of the key at a time.

/// The keys of one timeline in a uniform grid of buckets.
///
/// A lookup visits only the few keys of one bucket. Playing forwards, backwards and seeking cost the same. It needs no cursor
/// per instance, which would be read and written for each timeline of each instance and frame.
#[derive(Clone, Debug)]
pub(crate) struct KeyLookup {
    /// The keys, and one at infinity.
    keys: Vec<Key>,
    /// The last key before each bucket, or 0.
    first_keys: Vec<u32>,
    buckets_per_sec: f64,
    /// Maximum number of keys in a bucket.
    max_bucket_keys: usize,
}

#[derive(Clone, Copy, Debug)]
struct Key {
    secs: f64,
    /// Reciprocal of the seconds to the next key; 0 for the last, or if the next is at the same time.
    per_sec: f64,
}

/// With four buckets per key, a bucket of a uniform timeline holds at most one key.
const BUCKETS_PER_KEY: usize = 4;

/// Maximum keys per bucket for a linear search; beyond, the search is binary.
const MAX_LINEAR_SEARCH_KEYS: usize = 8;

impl KeyLookup {
    /// Creates the lookup of at least one time, finite and non-decreasing.
    pub(crate) fn new(times_secs: &[f32]) -> Self {
        let at = |key: usize| f64::from(times_secs[key]);
        let count = times_secs.len();
        let per_sec = |key: usize| {
            if key + 1 < count && at(key + 1) > at(key) { 1.0 / (at(key + 1) - at(key)) } else { 0.0 }
        };
        let mut keys: Vec<Key> = (0..count).map(|key| Key { secs: at(key), per_sec: per_sec(key) }).collect();
        keys.push(Key { secs: f64::INFINITY, per_sec: 0.0 });
        let buckets = (count * BUCKETS_PER_KEY).min(1 << 16);
        let length = at(count - 1) - at(0);
        let buckets_per_sec = if length > 0.0 { buckets as f64 / length } else { 0.0 };
        let mut lookup = Self { keys, first_keys: vec![0; buckets], buckets_per_sec, max_bucket_keys: 0 };
        // The same function as in `find`, so that both round alike.
        let mut bucket_keys = vec![0; buckets];
        (0..count).for_each(|key| bucket_keys[lookup.bucket(at(key))] += 1);
        let mut keys_before = 0_u32;
        for (first_key, keys) in lookup.first_keys.iter_mut().zip(bucket_keys) {
            *first_key = keys_before.saturating_sub(1);
            keys_before += keys;
            lookup.max_bucket_keys = lookup.max_bucket_keys.max(keys as usize);
        }
        lookup
    }

    /// Monotonic in `time_secs`.
    #[inline(always)]
    fn bucket(&self, time_secs: f64) -> usize {
        // The cast turns negative values and NaN into 0.
        (((time_secs - self.keys[0].secs) * self.buckets_per_sec) as usize).min(self.first_keys.len() - 1)
    }

    /// Returns the last key at or before the time (or 0), and the fraction of the time to the next key, 0 to 1.
    ///
    /// The time must be finite.
    #[inline(always)]
    pub(crate) fn find(&self, time_secs: f64) -> (usize, f32) {
        let mut key = self.first_keys[self.bucket(time_secs)] as usize;
        if self.max_bucket_keys <= MAX_LINEAR_SEARCH_KEYS {
            // The number of steps is the same for all times, so that the processor predicts it. A key of a later bucket
            // compares greater, so extra steps change nothing.
            for _ in 0..self.max_bucket_keys {
                key += usize::from(self.keys[key + 1].secs <= time_secs);
            }
        } else {
            key += self.keys[key + 1..].partition_point(|key| key.secs <= time_secs);
        }
        let Key { secs, per_sec } = self.keys[key];
        (key, ((time_secs - secs) * per_sec).clamp(0.0, 1.0) as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(times: &[f32]) {
        let lookup = KeyLookup::new(times);
        let last = f64::from(times[times.len() - 1]);
        let at = |key: usize| f64::from(times[key]);
        let between = (0..=1000).map(|i| (f64::from(i) / 1000.0) * (last * 1.2 + 0.1) - 0.05);
        let near = times.iter().flat_map(|&t| [t.next_down(), t, t.next_up()]).map(f64::from);
        for time in between.chain(near) {
            let key = times.partition_point(|&t| f64::from(t) <= time).saturating_sub(1);
            let fraction = if key + 1 == times.len() || time <= at(key) {
                0.0
            } else {
                (time - at(key)) / (at(key + 1) - at(key))
            };
            let (got, got_fraction) = lookup.find(time);
            assert_eq!(got, key, "{times:?} at {time}");
            assert!((f64::from(got_fraction) - fraction).abs() < 1e-7, "{times:?} at {time}: {got_fraction}");
        }
    }

    #[test]
    fn find_returns_last_key_at_or_before_time() {
        check(&[0.0]);
        check(&[0.5, 0.5]);
        check(&[0.0, 1.0]);
        check(&[0.25, 0.5, 0.75, 2.0]);
        check(&[0.0, 0.5, 0.5, 0.5, 1.0]);
        check(&(0..49).map(|i| i as f32 / 24.0).collect::<Vec<_>>());
    }

    #[test]
    fn many_keys_in_one_bucket_are_found() {
        let mut times: Vec<f32> = (0..100).map(|i| 1.0 + i as f32 * 1e-6).collect();
        times.push(1e6);
        check(&times);
    }
}
