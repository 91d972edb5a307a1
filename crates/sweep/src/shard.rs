//! A part of a sweep, for one of several machines.

use std::fmt;
use std::str::FromStr;

/// Shard `number` of `of`: the points whose index leaves the remainder `number` - 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    number: u32,
    of: u32,
}

/// A string that isn't a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("allowed: I/N with I from 1 to N and N up to 1000000, as in 3/16")]
pub struct NoShard;

impl Shard {
    /// Everything.
    pub const WHOLE: Shard = Shard { number: 1, of: 1 };

    /// Whether a point is the shard's.
    pub(crate) fn has(self, point: u32) -> bool {
        point % self.of == self.number - 1
    }

    /// Whether it is everything.
    pub(crate) fn is_whole(self) -> bool {
        self.of == 1
    }

    /// The name of its journal.
    pub(crate) fn journal(self) -> String {
        match self {
            Shard::WHOLE => "journal.jsonl".into(),
            Shard { number, of } => format!("shard-{number}-of-{of}.jsonl"),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

impl FromStr for Shard {
    type Err = NoShard;

    fn from_str(text: &str) -> Result<Shard, NoShard> {
        let (number, of) = text.split_once('/').ok_or(NoShard)?;
        let whole = |part: &str| part.trim().parse::<u32>().or(Err(NoShard));
        let (number, of) = (whole(number)?, whole(of)?);
        let fits = (1..=of).contains(&number) && of <= crate::axis::MAX_POINTS;
        fits.then_some(Shard { number, of }).ok_or(NoShard)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_point_is_in_one_shard() {
        let shards: Vec<Shard> = (1..=5).map(|i| format!("{i}/5").parse().unwrap()).collect();
        for point in 0..23 {
            assert_eq!(shards.iter().filter(|shard| shard.has(point)).count(), 1);
        }
        assert!((0..9).all(|point| Shard::WHOLE.has(point)));
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "",
            "1",
            "0/3",
            "4/3",
            "1/0",
            "-1/3",
            "a/b",
            "1/2/3",
            "1/2000000",
        ] {
            assert_eq!(text.parse::<Shard>(), Err(NoShard), "{text}");
        }
    }
}
