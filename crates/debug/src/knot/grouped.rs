//! Numbers by key: a sorted list, which takes less memory than a map of lists.

/// Numbers, each under a key.
pub(super) struct Grouped<K>(Vec<(K, usize)>);

impl<K: Ord + Copy> Grouped<K> {
    /// The numbers under a key, the lowest first.
    pub(super) fn of(&self, key: K) -> impl Iterator<Item = usize> {
        let from = self.0.partition_point(|(other, _)| *other < key);
        let those = self.0[from..].iter();
        let those = those.take_while(move |(other, _)| *other == key);
        those.map(|(_, number)| *number)
    }
}

impl<K: Ord> FromIterator<(K, usize)> for Grouped<K> {
    fn from_iter<I: IntoIterator<Item = (K, usize)>>(pairs: I) -> Self {
        let mut pairs: Vec<(K, usize)> = pairs.into_iter().collect();
        pairs.sort_unstable();
        Grouped(pairs)
    }
}
