//! Decimal numbers, exactly: 0.02 + 0.02 + 0.02 is 0.06.

use std::fmt;
use std::str::FromStr;

/// The most digits of a number, before and after its point together: sums of such numbers stay exact.
const MOST_DIGITS: u32 = 24;

/// A decimal number, `digits` / 10^`places`.
#[derive(Clone, Copy, Debug)]
pub struct Decimal {
    digits: i128,
    places: u32,
    /// Whether it was written without a point and an exponent, as a whole number.
    whole: bool,
}

/// A string that isn't a decimal number of at most 24 digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("allowed: a decimal number, e.g. 0.005")]
pub struct NotDecimal;

impl FromStr for Decimal {
    type Err = NotDecimal;

    fn from_str(text: &str) -> Result<Decimal, NotDecimal> {
        let text = text.trim();
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().or(Err(NotDecimal))?),
            None => (text, 0),
        };
        let unsigned = mantissa.strip_prefix(['-', '+']).unwrap_or(mantissa);
        let behind_point = unsigned
            .split_once('.')
            .map_or(0, |(_, behind)| behind.len());
        let digits = unsigned.replacen('.', "", 1);
        // A point is between digits.
        let is_open = unsigned.starts_with('.') || unsigned.ends_with('.');
        if digits.len() > MOST_DIGITS as usize
            || exponent.unsigned_abs() > MOST_DIGITS
            || is_open
            || !digits.bytes().all(|byte| byte.is_ascii_digit())
        {
            return Err(NotDecimal);
        }
        let digits: i128 = digits.parse().or(Err(NotDecimal))?;
        let digits = match mantissa.starts_with('-') {
            true => -digits,
            false => digits,
        };
        // Neither the length nor the exponent exceeds 24.
        let places = behind_point as i32 - exponent;
        let digits = digits.checked_mul(power(places.min(0).unsigned_abs()));
        let most = power(MOST_DIGITS).unsigned_abs();
        let digits = digits.filter(|digits| digits.unsigned_abs() < most);
        Ok(Decimal {
            digits: digits.ok_or(NotDecimal)?,
            places: places.max(0).unsigned_abs(),
            whole: !text.contains(['.', 'e', 'E']),
        })
    }
}

impl Decimal {
    /// Its digits at `places` decimal places; `None` if it has more places than that, or too many digits.
    fn at(self, places: u32) -> Option<i128> {
        self.digits
            .checked_mul(power(places.checked_sub(self.places)?))
    }

    /// `first`, `first` + `step`, … up to `last`; `None` if `step` is 0 or leads away from `last`, or if the numbers
    /// differ too much in magnitude.
    pub(crate) fn steps(first: Decimal, last: Decimal, step: Decimal) -> Option<Steps> {
        let places = first.places.max(last.places).max(step.places);
        let whole = first.whole && last.whole && step.whole;
        let (from, to, by) = (first.at(places)?, last.at(places)?, step.at(places)?);
        let span = to.checked_sub(from)?;
        if by == 0 || (span != 0 && (span < 0) != (by < 0)) {
            return None;
        }
        Some(Steps {
            from,
            by,
            count: (span / by).unsigned_abs() + 1,
            hits_last: span % by == 0,
            places,
            whole,
        })
    }

    /// The nearest binary number.
    pub fn to_f64(self) -> f64 {
        self.to_string().parse().unwrap_or(f64::NAN)
    }

    /// Whether it is greater than 0.
    pub fn is_positive(self) -> bool {
        self.digits > 0
    }
}

/// Evenly spaced numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steps {
    from: i128,
    by: i128,
    /// How many there are.
    pub(crate) count: u128,
    /// Whether the last of them is the requested one.
    pub(crate) hits_last: bool,
    places: u32,
    whole: bool,
}

impl Steps {
    /// The number at an index, from 0.
    pub(crate) fn get(&self, index: u32) -> Decimal {
        Decimal {
            // An index below the count gives a number between the ends, which fit.
            digits: self.from + self.by * i128::from(index),
            places: self.places,
            whole: self.whole,
        }
    }
}

fn power(exponent: u32) -> i128 {
    10i128.checked_pow(exponent).unwrap_or(i128::MAX)
}

/// As short as possible, and as TOML of the kind it was written in: `8`, `0.5`, `1.0`.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.digits < 0 { "-" } else { "" };
        let places = self.places as usize;
        let digits = format!(
            "{:0>width$}",
            self.digits.unsigned_abs(),
            width = places + 1
        );
        let (before, after) = digits.split_at(digits.len() - places);
        let after = after.trim_end_matches('0');
        match (after, self.whole) {
            ("", true) => write!(f, "{sign}{before}"),
            ("", false) => write!(f, "{sign}{before}.0"),
            _ => write!(f, "{sign}{before}.{after}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decimal(text: &str) -> Decimal {
        text.parse().unwrap_or_else(|_| panic!("{text}"))
    }

    fn all(first: &str, last: &str, step: &str) -> Vec<String> {
        let steps = Decimal::steps(decimal(first), decimal(last), decimal(step)).unwrap();
        (0..steps.count as u32)
            .map(|index| steps.get(index).to_string())
            .collect()
    }

    #[test]
    fn steps_are_exact() {
        let loads = all("0.02", "0.5", "0.02");
        assert_eq!(loads.len(), 25);
        assert_eq!(loads[..3], ["0.02", "0.04", "0.06"]);
        assert_eq!(loads[4], "0.1");
        assert_eq!(loads[24], "0.5");
        assert_eq!(all("1", "4", "1"), ["1", "2", "3", "4"]);
        assert_eq!(all("4", "1", "-1"), ["4", "3", "2", "1"]);
        assert_eq!(all("0", "1", "0.5"), ["0.0", "0.5", "1.0"]);
        assert_eq!(all("-1", "1", "1"), ["-1", "0", "1"]);
        assert_eq!(all("1e-3", "3e-3", "1e-3"), ["0.001", "0.002", "0.003"]);
        assert_eq!(all("7", "7", "1"), ["7"]);
    }

    #[test]
    fn steps_that_lead_nowhere_are_none() {
        for (first, last, step) in [("0", "1", "0"), ("0", "1", "-1"), ("1", "0", "0.1")] {
            assert!(Decimal::steps(decimal(first), decimal(last), decimal(step)).is_none());
        }
        let steps = Decimal::steps(decimal("0"), decimal("1"), decimal("0.3")).unwrap();
        assert!(!steps.hits_last);
    }

    #[test]
    fn odd_texts_are_not_decimals() {
        let nines = "9".repeat(25);
        for text in [
            "", ".", "1.", ".5", "1e", "e5", "0x10", "nan", "inf", "--1", "1_0", "1e99", &nines,
        ] {
            assert!(text.parse::<Decimal>().is_err(), "{text}");
        }
    }

    proptest! {
        /// A number is shown as it was written, and its f64 is the nearest one.
        #[test]
        fn is_shown_as_it_was_written(digits in -1_000_000_000i64..1_000_000_000, places in 0usize..9) {
            let text = format!("{:.places$}", digits as f64 / 10f64.powi(places as i32));
            let number = decimal(&text);
            prop_assert_eq!(number.to_f64(), text.parse::<f64>().unwrap());
            prop_assert_eq!(decimal(&number.to_string()).to_f64(), number.to_f64());
        }

        /// No text makes it panic.
        #[test]
        fn any_text_is_taken(a in "[-+0-9.eE]{0,40}", b in "[-+0-9.eE]{0,40}", c in "[-+0-9.eE]{0,40}") {
            if let (Ok(a), Ok(b), Ok(c)) = (a.parse(), b.parse(), c.parse()) {
                let _ = Decimal::steps(a, b, c).map(|steps| (steps.get(0).to_string(), steps.get(1).to_string()));
            }
        }
    }
}
