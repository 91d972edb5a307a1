//! How evenly something is shared.

/// The share of one node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// Its number.
    pub node: u32,
    /// What it got.
    pub value: f64,
}

/// How evenly something is shared. Of equal shares the lowest number is given.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shares {
    /// The number of nodes that share.
    pub nodes: u32,
    /// The node with the smallest share.
    pub min: Share,
    /// The node with the largest share.
    pub max: Share,
    /// The average share.
    pub mean: f64,
    /// Jain's index, (Σx)² / (n Σx²): 1 if all shares are equal, k / n if k of n are equal and the others 0.
    /// `None` if all shares are 0.
    pub jain: Option<f64>,
}

impl Shares {
    /// The fairness of these shares, in units of which `scale` make one; `None` if no node shares.
    ///
    /// Jain, Chiu and Hawe, "A quantitative measure of fairness and discrimination for resource allocation
    /// in shared computer systems", DEC Research Report TR-301, 1984.
    pub fn of(shares: impl IntoIterator<Item = (u32, u64)>, scale: f64) -> Option<Shares> {
        let mut shares = shares.into_iter().peekable();
        let first = *shares.peek()?;
        let (mut least, mut most, mut nodes) = (first, first, 0);
        let (mut sum, mut squares) = (0_u128, 0_u128);
        for (node, units) in shares {
            nodes += 1;
            if units < least.1 {
                least = (node, units);
            }
            if units > most.1 {
                most = (node, units);
            }
            sum += u128::from(units);
            squares = squares.saturating_add(u128::from(units).pow(2));
        }
        let share = |(node, units): (u32, u64)| Share {
            node,
            value: units as f64 / scale,
        };
        Some(Shares {
            nodes,
            min: share(least),
            max: share(most),
            mean: sum as f64 / f64::from(nodes) / scale,
            jain: (squares > 0).then(|| (sum as f64).powi(2) / (f64::from(nodes) * squares as f64)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(units: &[u64]) -> Option<Shares> {
        Shares::of((0..).zip(units.iter().copied()), 10.0)
    }

    #[test]
    fn equal_shares_are_fair() {
        let shares = of(&[30, 30, 30]).unwrap();
        let share = Share {
            node: 0,
            value: 3.0,
        };
        assert_eq!((shares.min, shares.max), (share, share));
        assert_eq!((shares.mean, shares.jain), (3.0, Some(1.0)));
    }

    #[test]
    fn one_of_four_takes_all() {
        let shares = of(&[0, 0, 80, 0]).unwrap();
        assert_eq!((shares.min.node, shares.min.value), (0, 0.0));
        assert_eq!((shares.max.node, shares.max.value), (2, 8.0));
        assert_eq!((shares.mean, shares.jain), (2.0, Some(0.25)));
    }

    #[test]
    fn nothing_to_share_has_no_index() {
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[0, 0]).unwrap().jain, None);
    }

    proptest! {
        #[test]
        fn the_index_lies_between_one_nth_and_one(units in prop::collection::vec(0u64..1_000_000_000, 1..50)) {
            let shares = of(&units).unwrap();
            prop_assert!(shares.min.value <= shares.mean && shares.mean <= shares.max.value);
            if let Some(jain) = shares.jain {
                let least = 1.0 / units.len() as f64;
                prop_assert!(jain >= least * (1.0 - 1e-9) && jain <= 1.0 + 1e-9);
            }
        }
    }
}
