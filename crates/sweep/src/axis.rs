//! What a sweep varies: a key and its values.

use crate::decimal::{Decimal, Steps};
use crate::error::Error;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// The most points of a sweep.
pub(crate) const MAX_POINTS: u32 = 1_000_000;

/// A key of the configuration and the values it takes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// The key with its tables: `traffic.load`.
    pub key: String,
    /// The values, as TOML or as bare names, at least one.
    pub values: Vec<String>,
}

/// A value by its type, which doesn't follow from its key.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// A whole number.
    Whole(i128),
    /// Another number.
    Number(f64),
    /// `true` or `false`.
    Truth(bool),
    /// Everything else, without quotes.
    Text(String),
}

impl Value {
    /// The value of a word on the command line.
    pub(crate) fn of(text: &str) -> Value {
        match (text.parse::<i128>(), text.parse::<Decimal>(), text) {
            (Ok(number), ..) => Value::Whole(number),
            (_, Ok(number), _) => Value::Number(number.to_f64()),
            (.., "true") => Value::Truth(true),
            (.., "false") => Value::Truth(false),
            _ => Value::Text(unquoted(text).to_owned()),
        }
    }

    /// The number, if it is one.
    pub(crate) fn number(&self) -> Option<f64> {
        match self {
            Value::Whole(number) => Some(*number as f64),
            Value::Number(number) => Some(*number),
            Value::Truth(_) | Value::Text(_) => None,
        }
    }
}

fn unquoted(text: &str) -> &str {
    let strip = |quote| text.strip_prefix(quote)?.strip_suffix(quote);
    strip('"').or_else(|| strip('\'')).unwrap_or(text)
}

impl FromStr for Axis {
    type Err = Error;

    fn from_str(text: &str) -> Result<Axis, Error> {
        let refused = |found: &str, allowed: &str| {
            let given: String = text.chars().take(80).collect();
            Error::BadValue(format!(
                "command line: --over {given}: {found}\n  allowed: {allowed}"
            ))
        };
        let Some((key, values)) = text.split_once('=') else {
            return Err(refused("not KEY=VALUES", KEY_VALUES));
        };
        let (key, values) = (key.trim(), values.trim());
        if key.is_empty() {
            return Err(refused("has no key", KEY_VALUES));
        }
        let values = match range(values) {
            Some(steps) => in_steps(steps).map_err(|(found, allowed)| refused(&found, allowed))?,
            None => split(values),
        };
        if values.iter().any(String::is_empty) {
            return Err(refused("a value is empty", LIST));
        }
        if values.len() > MAX_POINTS as usize {
            return Err(refused(
                &format!("{} values", values.len()),
                "at most 1,000,000 points",
            ));
        }
        let mut sorted: Vec<&str> = values.iter().map(|value| unquoted(value)).collect();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(refused(
                &format!("{} is given twice", twice[0]),
                "each value once",
            ));
        }
        Ok(Axis {
            key: key.into(),
            values,
        })
    }
}

const KEY_VALUES: &str =
    "a key with its tables and values, as in traffic.load=0.1:0.5:0.1 or router.wormhole.vcs=1,2,4";
const LIST: &str = "first:last:step, or values separated by commas, as in 1,2,4";
const RANGE: &str = "first:last:step of decimal numbers of at most 24 digits, whose step leads from first to last, as in 0.02:0.5:0.02 or 8:1:-1";

/// The parts of first:last:step, if the text looks like that: it has a colon and no comma, and begins like a number.
fn range(text: &str) -> Option<Vec<&str>> {
    let number = text.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first));
    (number && text.contains(':') && !text.contains(','))
        .then(|| text.split(':').map(str::trim).collect())
}

type Refusal = (String, &'static str);

fn in_steps(parts: Vec<&str>) -> Result<Vec<String>, Refusal> {
    let [first, last, step] = parts[..] else {
        let found = format!("{} numbers separated by colons", parts.len());
        return Err((found, RANGE));
    };
    let number = |part: &str| {
        part.parse::<Decimal>()
            .map_err(|_| (format!("{part:?} isn't a decimal number"), RANGE))
    };
    let (first, last, step) = (number(first)?, number(last)?, number(step)?);
    let steps = Decimal::steps(first, last, step).ok_or_else(|| {
        (
            format!("steps of {step} never lead from {first} to {last}"),
            RANGE,
        )
    })?;
    let count = u32::try_from(steps.count)
        .ok()
        .filter(|count| *count <= MAX_POINTS);
    let count = count.ok_or_else(|| {
        (
            format!("{} values", steps.count),
            "at most 1,000,000 points",
        )
    })?;
    if !steps.hits_last {
        return Err((
            missed(&steps, last, count),
            "a last number that the steps reach",
        ));
    }
    Ok((0..count)
        .map(|index| steps.get(index).to_string())
        .collect())
}

fn missed(steps: &Steps, last: Decimal, count: u32) -> String {
    let (below, above) = (steps.get(count - 1), steps.get(count));
    format!("the steps pass {last}: from {below} to {above}")
}

/// The values of a list: commas within brackets or quotes don't separate them.
fn split(text: &str) -> Vec<String> {
    let mut values = vec![String::new()];
    let (mut depth, mut quote) = (0i32, None);
    for character in text.chars() {
        match (character, quote) {
            (',', None) if depth <= 0 => {
                values.push(String::new());
                continue;
            }
            (end, Some(begin)) if end == begin => quote = None,
            (_, Some(_)) => {}
            ('"' | '\'', None) => quote = Some(character),
            ('[' | '{', None) => depth += 1,
            (']' | '}', None) => depth -= 1,
            _ => {}
        }
        if let Some(value) = values.last_mut() {
            value.push(character);
        }
    }
    values.iter().map(|value| value.trim().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn values(text: &str) -> Vec<String> {
        text.parse::<Axis>()
            .unwrap_or_else(|error| panic!("{error}"))
            .values
    }

    #[test]
    fn values_are_ranges_or_lists() {
        assert_eq!(values("k=0.1:0.3:0.1"), ["0.1", "0.2", "0.3"]);
        assert_eq!(values("k=3:1:-1"), ["3", "2", "1"]);
        assert_eq!(values("k = 1, 2 ,4"), ["1", "2", "4"]);
        assert_eq!(values("k=west-first,xy"), ["west-first", "xy"]);
        assert_eq!(values("network.sides=[4,4],[8, 8]"), ["[4,4]", "[8, 8]"]);
        assert_eq!(values("k=\"a,b\",'c:d'"), ["\"a,b\"", "'c:d'"]);
        assert_eq!(values("k=one"), ["one"]);
        assert_eq!(values("k=a:b"), ["a:b"]);
    }

    #[test]
    fn mistakes_are_reported() {
        for (text, says) in [
            ("k", "not KEY=VALUES"),
            ("=1", "no key"),
            ("k=", "empty"),
            ("k=1,,2", "empty"),
            ("k=1,2,1", "1 is given twice"),
            ("k=0:1", "2 numbers"),
            ("k=0:1:x", "\"x\" isn't a decimal"),
            ("k=0:1:-0.1", "never lead"),
            ("k=0:1:0", "never lead"),
            ("k=0:1:0.3", "from 0.9 to 1.2"),
            ("k=0:2000000:1", "2000001 values"),
        ] {
            let error = text.parse::<Axis>().unwrap_err().to_string();
            assert!(error.contains(says), "{text}: {error}");
            assert!(error.contains("allowed: "), "{error}");
        }
    }

    #[test]
    fn values_have_kinds() {
        assert_eq!(Value::of("8"), Value::Whole(8));
        assert_eq!(Value::of("0.5"), Value::Number(0.5));
        assert_eq!(Value::of("1e3"), Value::Number(1000.0));
        assert_eq!(Value::of("true"), Value::Truth(true));
        assert_eq!(Value::of("\"8\""), Value::Text("8".into()));
        assert_eq!(Value::of("nan"), Value::Text("nan".into()));
    }

    proptest! {
        /// No text makes it panic.
        #[test]
        fn any_text_is_taken(text in "[a-z.]{0,3}=?[-0-9.:,e'\"\\[\\]x ]{0,30}") {
            let _ = text.parse::<Axis>();
        }
    }
}
