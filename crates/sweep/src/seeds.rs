//! Consecutive seeds.

use crate::error::Error;

/// `count` consecutive seeds from `first` on, at least one. A sequence that would exceed 64 bits is refused.
///
/// # Errors
/// A sequence that exceeds 64 bits; `option` is the option that requests it.
pub(crate) fn row(
    option: &str,
    first: u64,
    count: u32,
) -> Result<impl Iterator<Item = u64> + Clone, Error> {
    let further = u64::from(count.saturating_sub(1));
    match first.checked_add(further) {
        Some(last) => Ok(first..=last),
        None => Err(Error::BadValue(format!(
            "{option} {count}: the seeds from {first} on pass the last one, {}\n  allowed: a first seed, run.seed, \
             up to {}",
            u64::MAX,
            u64::MAX - further
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::row;

    #[test]
    fn a_row_ends_at_the_last_seed_and_never_passes_it() {
        let seeds = |first, count| row("--seeds", first, count).map(Iterator::collect::<Vec<u64>>);
        assert_eq!(seeds(7, 3).unwrap(), [7, 8, 9]);
        assert_eq!(seeds(u64::MAX - 1, 2).unwrap(), [u64::MAX - 1, u64::MAX]);
        assert_eq!(seeds(u64::MAX, 1).unwrap(), [u64::MAX]);
        let message = seeds(u64::MAX, 5).unwrap_err().to_string();
        assert!(message.contains("up to 18446744073709551611"), "{message}");
    }
}
