//! Values that stand in for one that is wrong or missing while the others are checked.

use super::schema::Schema;
use flitwork_schema::{Allowed, Datum};

/// A number that most keys accept.
const USUAL: u64 = 8;
/// Numbers of other sizes.
const BETWEEN: [u64; 3] = [1, 100, 1000];
/// The longest list that stands in for another.
const LONGEST_LIST: usize = 4;

/// The stand-ins of a key: what was probably `meant`; no value, if it may be left out; every name, or values from all
/// over the range.
pub(super) fn stand_ins(
    schema: &Schema,
    key: &str,
    meant: Option<Datum>,
    may_be_left_out: bool,
) -> Vec<Option<Datum>> {
    let line = schema.find(key);
    let all = line.map(|line| values(&line.allowed)).unwrap_or_default();
    let others = all
        .into_iter()
        .filter(|value| Some(value) != meant.as_ref());
    let others = others.map(Some);
    let left_out = may_be_left_out.then_some(None);
    // The most probable comes first.
    let meant = meant.clone().map(Some).into_iter();
    meant.chain(left_out).chain(others).collect()
}

/// The usual number, the ends of the range, and some numbers between them.
fn wholes(least: u64, most: u64) -> Vec<Datum> {
    let mut all = vec![USUAL.clamp(least, most), least, most];
    all.extend(BETWEEN.into_iter().filter(|it| (least..most).contains(it)));
    distinct(all.into_iter().map(|number| Datum::Whole(number.into())))
}

fn distinct(all: impl Iterator<Item = Datum>) -> Vec<Datum> {
    let mut distinct = Vec::new();
    for value in all {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}

/// Lists of equal numbers, of several lengths.
fn lists(longest: usize, numbers: &[Datum]) -> Vec<Datum> {
    let lengths = 1..=longest.min(LONGEST_LIST);
    let of_length = |length: usize| {
        let list = move |number: &Datum| Datum::list(vec![number.clone(); length]);
        numbers.iter().map(list)
    };
    lengths.flat_map(of_length).collect()
}

fn values(allowed: &Allowed) -> Vec<Datum> {
    let usual = |least: u64, most: u64| [Datum::Whole(USUAL.clamp(least, most).into())];
    match allowed {
        Allowed::Truth => vec![Datum::Truth(false), Datum::Truth(true)],
        Allowed::Whole(least, most) => wholes(*least, *most),
        Allowed::WholeOr(least, most, name) => {
            let mut all = wholes(*least, *most);
            all.push(Datum::text(*name));
            all
        }
        Allowed::Range(least, most) => {
            let [least, most] = [least, most].map(|number| Datum::Whole((*number).into()));
            let pairs = [[&least, &least], [&least, &most], [&most, &most]];
            let pairs = pairs.map(|pair| Datum::list(pair.map(Clone::clone)));
            let ones = [&least, &most].map(Clone::clone);
            ones.into_iter().chain(pairs).collect()
        }
        Allowed::Number(least, most, _) | Allowed::Below(least, most, _) => {
            let middle = least + (most - least) / 2.0;
            let between = BETWEEN.map(|number| number as f64);
            let all = [0.5, middle, *least, *most].into_iter().chain(between);
            distinct(all.map(Datum::Real).filter(|it| allowed.admits(it)))
        }
        Allowed::Node => vec![Datum::Whole(0), Datum::Whole(1)],
        // Pairs of nodes.
        Allowed::List(_, _, Allowed::List(2, 2, Allowed::Node)) => {
            let pair = Datum::list([0, 1].map(Datum::Whole));
            vec![Datum::list([pair])]
        }
        // Lists of strings, and of lists: square matrices of probabilities.
        Allowed::List(0, ..) => vec![Datum::list([])],
        Allowed::List(_, _, Allowed::List(..)) => {
            let square = |side: usize| {
                let row = Datum::list(vec![Datum::Real(1.0 / side as f64); side]);
                Datum::list(vec![row; side])
            };
            (1..=LONGEST_LIST).map(square).collect()
        }
        Allowed::List(_, longest, of) => match of {
            Allowed::Node => lists(1, &values(of)),
            Allowed::Whole(least, most) => lists(*longest, &usual(*least, *most)),
            Allowed::Number(least, most, _) => {
                lists(*longest, &[least, most].map(|number| Datum::Real(*number)))
            }
            _ => Vec::new(),
        },
        Allowed::Choice(_) | Allowed::Names(_) => {
            let names = allowed.choices().iter();
            names.map(|name| Datum::text(*name)).collect()
        }
        // Neither a file nor a table can be made up.
        _ => Vec::new(),
    }
}
