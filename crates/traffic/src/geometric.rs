//! Geometric gaps: the number of tosses of a coin that fail before the first success.
//!
//! One draw replaces a whole run of tosses (Devroye 1986, section X.2): with V uniform on (0, 1), the
//! failures before the next success at probability p are
//!
//! ```text
//! gap = floor(ln(1 - V) / ln(1 - p)),    P(gap >= k) = (1 - p)^k
//! ```
//!
//! Both logarithms come from `libm`, which gives the same bits on every machine.

use crate::Draws;

/// A coin that is tossed until it succeeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Coin {
    /// ln(1 - p): the logarithm of the probability that a toss fails; at most 0.
    log_miss: f64,
}

impl Coin {
    /// A coin that succeeds with `probability`, from 0 to 1.
    pub(crate) fn new(probability: f64) -> Coin {
        Coin {
            // A probability of -0.0 must not make the infinite gap negative.
            log_miss: -libm::log1p(-probability).abs(),
        }
    }

    /// Whether it never succeeds.
    #[inline]
    pub(crate) fn never(self) -> bool {
        self.log_miss == 0.0
    }

    /// The number of tosses that fail before the next success; `u64::MAX` if there is none. Takes one draw.
    #[inline]
    pub(crate) fn failures(self, draws: &mut Draws) -> u64 {
        // At p = 0 the quotient is infinite and the conversion saturates; at p = 1 it is 0.
        (libm::log1p(-draws.open_unit()) / self.log_miss) as u64
    }

    /// The number of tosses up to and including the next success. Takes one draw.
    #[inline]
    pub(crate) fn tosses(self, draws: &mut Draws) -> u64 {
        self.failures(draws).saturating_add(1)
    }
}
