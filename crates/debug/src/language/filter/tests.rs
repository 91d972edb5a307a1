//! Questions against an evaluation of their own, and what is said of wrong ones.

use super::*;
use crate::language::Column;
use proptest::prelude::*;

/// Numbers `a` and `b.c`, a flag `late`, two names of one kind and one of another, a packet.
fn columns() -> Columns {
    let places = || Kind::Name(vec!["input".into(), "queue".into()]);
    Columns(vec![
        Column::new("a", Kind::Number("cycles"), ""),
        Column::new("b.c", Kind::Number(""), ""),
        Column::new("late", Kind::Flag, ""),
        Column::new("from", places(), ""),
        Column::new("to", places(), ""),
        Column::new("port", Kind::Name(vec!["north".into(), "east".into()]), ""),
        Column::new("packet", Kind::Packet, ""),
    ])
}

#[derive(Clone, Debug)]
struct Cells(Vec<Option<i64>>);

impl Row for Cells {
    fn value(&self, column: usize) -> Option<i64> {
        self.0[column]
    }
}

fn cells() -> impl Strategy<Value = Cells> {
    let number = || prop_oneof![4 => (-3i64..4).prop_map(Some), 1 => Just(None)];
    let bit = || prop_oneof![4 => (0i64..2).prop_map(Some), 1 => Just(None)];
    let packet = (0u32..2, 0u32..3).prop_map(|(source, serial)| {
        Some(packet_value(PacketId {
            source: TerminalId(source),
            serial,
        }))
    });
    (number(), number(), bit(), bit(), bit(), bit(), packet).prop_map(
        |(a, b, late, from, to, port, packet)| Cells(vec![a, b, late, from, to, port, packet]),
    )
}

/// A question, written with as many parentheses as there can be, and answered without the language.
#[derive(Clone, Debug)]
enum Asked {
    Number(usize, &'static str, i64),
    Turned(i64, &'static str, usize),
    Two(&'static str),
    Range(i64, i64),
    Place(&'static str, usize),
    Places,
    Packet(u32, u32),
    Late,
    Not(Box<Asked>),
    And(Box<Asked>, Box<Asked>),
    Or(Box<Asked>, Box<Asked>),
}

const NUMBERS: [&str; 2] = ["a", "b.c"];
const PLACES: [&str; 2] = ["input", "queue"];

fn truth(operator: &str, one: i64, other: i64) -> bool {
    match operator {
        "==" => one == other,
        "!=" => one != other,
        "<" => one < other,
        "<=" => one <= other,
        ">" => one > other,
        _ => one >= other,
    }
}

impl Asked {
    fn text(&self) -> String {
        match self {
            Asked::Number(column, operator, number) => {
                format!("{}{operator}{number}", NUMBERS[*column])
            }
            Asked::Turned(number, operator, column) => {
                format!("{number} {operator} {}", NUMBERS[*column])
            }
            Asked::Two(operator) => format!("a {operator}b.c"),
            Asked::Range(first, end) => format!("a in {first}..{end}"),
            Asked::Place(operator, place) => format!("from {operator} '{}'", PLACES[*place]),
            Asked::Places => "from == to".to_owned(),
            Asked::Packet(source, serial) => format!("packet == {source}.{serial}"),
            Asked::Late => "late".to_owned(),
            Asked::Not(inner) => format!("!({})", inner.text()),
            Asked::And(one, other) => format!("({})&& ({})", one.text(), other.text()),
            Asked::Or(one, other) => format!("({}) ||({})", one.text(), other.text()),
        }
    }

    fn answer(&self, row: &Cells) -> bool {
        let both = |one: usize, other: usize| Some((row.0[one]?, row.0[other]?));
        match self {
            Asked::Number(column, operator, number) => {
                row.0[*column].is_some_and(|value| truth(operator, value, *number))
            }
            Asked::Turned(number, operator, column) => {
                row.0[*column].is_some_and(|value| truth(operator, *number, value))
            }
            Asked::Two(operator) => both(0, 1).is_some_and(|(a, b)| truth(operator, a, b)),
            Asked::Range(first, end) => row.0[0].is_some_and(|it| *first <= it && it < *end),
            Asked::Place(operator, place) => {
                row.0[3].is_some_and(|it| truth(operator, it, *place as i64))
            }
            Asked::Places => both(3, 4).is_some_and(|(from, to)| from == to),
            Asked::Packet(source, serial) => {
                row.0[6] == Some(i64::from(*source) << 32 | i64::from(*serial))
            }
            Asked::Late => row.0[2] == Some(1),
            Asked::Not(inner) => !inner.answer(row),
            Asked::And(one, other) => one.answer(row) && other.answer(row),
            Asked::Or(one, other) => one.answer(row) || other.answer(row),
        }
    }
}

fn questions() -> impl Strategy<Value = Asked> {
    let any_operator = || prop::sample::select(vec!["==", "!=", "<", "<=", ">", ">="]);
    let equality = || prop::sample::select(vec!["==", "!="]);
    let leaf = prop_oneof![
        (0usize..2, any_operator(), -3i64..4).prop_map(|(c, o, n)| Asked::Number(c, o, n)),
        (-3i64..4, any_operator(), 0usize..2).prop_map(|(n, o, c)| Asked::Turned(n, o, c)),
        any_operator().prop_map(Asked::Two),
        (-3i64..3, 1i64..4).prop_map(|(first, more)| Asked::Range(first, first + more)),
        (equality(), 0usize..2).prop_map(|(o, place)| Asked::Place(o, place)),
        Just(Asked::Places),
        (0u32..2, 0u32..3).prop_map(|(source, serial)| Asked::Packet(source, serial)),
        Just(Asked::Late),
    ];
    leaf.prop_recursive(5, 40, 2, |inner| {
        let boxed = || inner.clone().prop_map(Box::new);
        prop_oneof![
            boxed().prop_map(Asked::Not),
            (boxed(), boxed()).prop_map(|(one, other)| Asked::And(one, other)),
            (boxed(), boxed()).prop_map(|(one, other)| Asked::Or(one, other)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn answers_are_those_of_another_evaluation(asked in questions(), row in cells()) {
        let filter = Filter::parse(&asked.text(), &columns());
        let filter = filter.map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(filter.holds(&row), asked.answer(&row));
    }

    /// Whatever is typed is answered or refused, with a place in the text.
    #[test]
    fn nothing_panics(text in "[ab.c<>=!&|()0-9\"' ingolate-]{0,30}|\\PC{0,12}") {
        if let Err(error) = Filter::parse(&text, &columns()) {
            prop_assert!(error.at <= text.len());
            prop_assert!(text.is_char_boundary(error.at));
            prop_assert!(error.to_string().contains('^'));
        }
    }
}

/// `&&` binds closer than `||`, `!` closer than both: with a = 1, each of these differs from its other grouping.
#[test]
fn precedence() {
    let row = Cells(vec![
        Some(1),
        Some(0),
        Some(0),
        Some(0),
        Some(1),
        None,
        None,
    ]);
    for (text, holds) in [
        ("a == 1 || a == 2 && late", true),
        ("(a == 1 || a == 2) && late", false),
        ("!late && a == 1", true),
        ("!(late && a == 1)", true),
        ("! late || late", true),
        ("!late == 1 ", false),
    ] {
        match Filter::parse(text, &columns()) {
            Ok(filter) => assert_eq!(filter.holds(&row), holds, "{text}"),
            Err(error) => assert!(text.contains("late =="), "{error}"),
        }
    }
}

#[test]
fn what_is_wrong_is_said_at_its_place() {
    for (text, at, says) in [
        ("", 0, "expected a column"),
        ("a > ", 4, "expected a column, a number"),
        ("a > 3 b", 6, "expected &&, || or the end"),
        (
            "sorce.x < 4",
            0,
            "there is no column sorce.x; allowed: a, b.c, late",
        ),
        (
            "a == \"queue\"",
            5,
            "a number can't be compared with a name",
        ),
        (
            "from == \"quue\"",
            8,
            "from is never \"quue\"; allowed: input, queue",
        ),
        ("from < \"queue\"", 0, "a name has no order"),
        ("packet >= 3.4", 0, "a packet has no order"),
        ("from == port", 8, "a name of another kind"),
        ("a", 0, "a is neither true nor false"),
        (
            "late == 1",
            8,
            "a flag, which is true or false, can't be compared with a number",
        ),
        ("3 < 4", 0, "a column on one side"),
        ("7", 1, "a comparison"),
        ("a in 3..3", 5, "the range is empty"),
        ("a in 3.4", 6, ".. and the end"),
        ("from in 3..4", 0, "a range of numbers"),
        ("(a > 3", 6, "&&, || or )"),
        ("a > 99999999999999999999", 4, "too large"),
        ("packet == 1.99999999999", 10, "below 2^32"),
        ("a > 3 &", 6, "&&, || or the end"),
        ("a = 3", 2, "&&, || or the end"),
        ("from == \"queue", 8, "a name in quotes"),
    ] {
        let error = Filter::parse(text, &columns()).expect_err(text);
        assert!(error.to_string().contains(says), "{text}: {error}");
        assert_eq!(error.at, at, "{text}: {error}");
    }
    let deep = format!("{}late{}", "(".repeat(5000), ")".repeat(5000));
    let error = Filter::parse(&deep, &columns()).unwrap_err();
    assert!(error.to_string().contains("100 levels"), "{error}");
}

/// The caret stands below the place, in characters.
#[test]
fn the_message_shows_the_place() {
    let error = Filter::parse("from == \"süd\" && x > 3", &columns()).unwrap_err();
    let lines: Vec<String> = error.to_string().lines().map(str::to_owned).collect();
    assert_eq!(lines[0], "from == \"süd\" && x > 3");
    assert!(
        lines[1].starts_with("        ^ from is never \"süd\""),
        "{error}"
    );
}
