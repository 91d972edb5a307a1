//! From text to a tree.

use super::error::{LanguageError, Problem};
use std::ops::Range;
use winnow::ascii::multispace0;
use winnow::combinator::{alt, delimited, opt, preceded, repeat};
use winnow::prelude::*;
use winnow::stream::{LocatingSlice, Location};
use winnow::token::{take_till, take_while};

/// How two sides are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl Comparison {
    /// Whether it asks for an order.
    pub(super) fn orders(self) -> bool {
        !matches!(self, Comparison::Equal | Comparison::Unequal)
    }

    /// The same with its sides exchanged.
    pub(super) fn turned(self) -> Comparison {
        match self {
            Comparison::Less => Comparison::Greater,
            Comparison::AtMost => Comparison::AtLeast,
            Comparison::Greater => Comparison::Less,
            Comparison::AtLeast => Comparison::AtMost,
            same => same,
        }
    }
}

/// A side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Column(String),
    Number(i64),
    Packet(u32, u32),
    Name(String),
}

/// A part of a question, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Written {
    Or(Box<Written>, Box<Written>),
    And(Box<Written>, Box<Written>),
    Not(Box<Written>),
    Compare(Place<Side>, Comparison, Place<Side>),
    Within(Place<Side>, Place<(i64, i64)>),
    Flag(Place<Side>),
}

/// Something with its place in the text.
pub(super) type Place<T> = (T, Range<usize>);

type Input<'a> = LocatingSlice<&'a str>;

/// How deep parentheses and negations may lie in each other: the tree is walked with the stack.
const DEEPEST: usize = 100;

/// Parses a whole question.
pub(super) fn parse(text: &str) -> Result<Written, LanguageError> {
    let mut input = LocatingSlice::new(text);
    let fault = |at: usize, problem| LanguageError {
        text: text.to_owned(),
        at,
        problem,
    };
    let mut reading = Reading {
        depth: 0,
        problem: None,
    };
    let found = reading.either(&mut input);
    let at = input.current_token_start();
    let rest = text[at..].trim_start();
    let at = text.len() - rest.len();
    match (found, reading.problem) {
        (_, Some((at, problem))) => Err(fault(at, problem)),
        (None, None) => Err(fault(
            at,
            Problem::Expected("a column, a number, a name in quotes or a packet"),
        )),
        (Some(_), None) if !rest.is_empty() => {
            Err(fault(at, Problem::Expected("&&, || or the end")))
        }
        (Some(written), None) => Ok(written),
    }
}

/// A reader of a question, and the first thing that is wrong.
struct Reading {
    depth: usize,
    problem: Option<(usize, Problem)>,
}

impl Reading {
    fn fail<T>(&mut self, at: usize, problem: Problem) -> Option<T> {
        self.problem.get_or_insert((at, problem));
        None
    }

    /// Conditions with `||` between them.
    fn either(&mut self, input: &mut Input<'_>) -> Option<Written> {
        let mut all = self.both(input)?;
        while symbol("||", input) {
            let next = self.both(input)?;
            all = Written::Or(Box::new(all), Box::new(next));
        }
        Some(all)
    }

    /// Conditions with `&&` between them.
    fn both(&mut self, input: &mut Input<'_>) -> Option<Written> {
        let mut all = self.one(input)?;
        while symbol("&&", input) {
            let next = self.one(input)?;
            all = Written::And(Box::new(all), Box::new(next));
        }
        Some(all)
    }

    /// One condition.
    fn one(&mut self, input: &mut Input<'_>) -> Option<Written> {
        skip_space(input);
        let at = input.current_token_start();
        if self.depth == DEEPEST {
            return self.fail(
                at,
                Problem::Expected("no more than 100 levels of parentheses and !"),
            );
        }
        self.depth += 1;
        let found = self.deeper(input);
        self.depth -= 1;
        found
    }

    fn deeper(&mut self, input: &mut Input<'_>) -> Option<Written> {
        if symbol("!", input) {
            let inner = self.one(input)?;
            return Some(Written::Not(Box::new(inner)));
        }
        if symbol("(", input) {
            let inner = self.either(input)?;
            skip_space(input);
            let at = input.current_token_start();
            return match symbol(")", input) {
                true => Some(inner),
                false => self.fail(at, Problem::Expected("&&, || or )")),
            };
        }
        self.comparison(input)
    }

    /// Two sides, a range, or a flag.
    fn comparison(&mut self, input: &mut Input<'_>) -> Option<Written> {
        let left = self.side(input)?;
        skip_space(input);
        if let Some(comparison) = comparison(input) {
            let right = self.side(input)?;
            return Some(Written::Compare(left, comparison, right));
        }
        if keyword("in", input) {
            let range = self.range(input)?;
            return Some(Written::Within(left, range));
        }
        Some(Written::Flag(left))
    }

    fn range(&mut self, input: &mut Input<'_>) -> Option<Place<(i64, i64)>> {
        skip_space(input);
        let at = input.current_token_start();
        let first = self.number(input)?;
        let between = input.current_token_start();
        if !symbol("..", input) {
            return self.fail(between, Problem::Expected(".. and the end of the range"));
        }
        skip_space(input);
        let end = self.number(input)?;
        let range = at..input.current_token_start();
        Some(((first, end), range))
    }

    fn number(&mut self, input: &mut Input<'_>) -> Option<i64> {
        let at = input.current_token_start();
        match digits(input) {
            None => self.fail(at, Problem::Expected("a whole number")),
            Some(text) => match text.parse() {
                Ok(number) => Some(number),
                Err(_) => self.fail(at, Problem::TooLarge),
            },
        }
    }

    fn side(&mut self, input: &mut Input<'_>) -> Option<Place<Side>> {
        skip_space(input);
        let at = input.current_token_start();
        let side = if let Some(name) = column(input) {
            Side::Column(name)
        } else if let Some(name) = quoted(input) {
            Side::Name(name)
        } else if let Some((source, serial)) = packet(input) {
            match (source.parse(), serial.parse()) {
                (Ok(source), Ok(serial)) => Side::Packet(source, serial),
                _ => {
                    return self.fail(
                        at,
                        Problem::Expected("a packet's source and serial number below 2^32"),
                    );
                }
            }
        } else if input.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
            Side::Number(self.number(input)?)
        } else {
            return self.fail(
                at,
                Problem::Expected("a column, a number, a name in quotes or a packet"),
            );
        };
        Some((side, at..input.current_token_start()))
    }
}

fn take<'a, T>(
    mut parser: impl Parser<Input<'a>, T, winnow::error::ContextError>,
    input: &mut Input<'a>,
) -> Option<T> {
    let start = input.checkpoint();
    let taken = parser.parse_next(input);
    taken.inspect_err(|_| input.reset(&start)).ok()
}

use winnow::stream::Stream;

fn skip_space(input: &mut Input<'_>) {
    take(multispace0.void(), input);
}

/// Takes a symbol, and the space before it.
fn symbol<'a>(symbol: &'static str, input: &mut Input<'a>) -> bool {
    // `!` isn't the beginning of `!=`.
    let alone = |input: &mut Input<'a>| winnow::combinator::not('=').parse_next(input);
    match symbol {
        "!" => take((multispace0, '!', alone), input).is_some(),
        symbol => take((multispace0, symbol), input).is_some(),
    }
}

fn comparison(input: &mut Input<'_>) -> Option<Comparison> {
    let parser = alt((
        "==".value(Comparison::Equal),
        "!=".value(Comparison::Unequal),
        "<=".value(Comparison::AtMost),
        ">=".value(Comparison::AtLeast),
        "<".value(Comparison::Less),
        ">".value(Comparison::Greater),
    ));
    take(parser, input)
}

fn keyword(word: &'static str, input: &mut Input<'_>) -> bool {
    let end = winnow::combinator::not(take_while(1, is_in_name));
    take((multispace0, word, end), input).is_some()
}

fn is_in_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn word<'a>(input: &mut Input<'a>) -> winnow::Result<&'a str> {
    (
        take_while(1, |c: char| c.is_ascii_alphabetic() || c == '_'),
        take_while(0.., is_in_name),
    )
        .take()
        .parse_next(input)
}

/// Words with points between them, as `source.x`.
fn column(input: &mut Input<'_>) -> Option<String> {
    let more = repeat::<_, _, (), _, _>(0.., preceded('.', word));
    take((word, more).take().map(str::to_owned), input)
}

fn quoted(input: &mut Input<'_>) -> Option<String> {
    let double = delimited('"', take_till(0.., '"'), '"');
    let single = delimited('\'', take_till(0.., '\''), '\'');
    take(alt((double, single)).map(str::to_owned), input)
}

fn digits<'a>(input: &mut Input<'a>) -> Option<&'a str> {
    take(
        (opt('-'), take_while(1.., |c: char| c.is_ascii_digit())).take(),
        input,
    )
}

/// A source and a serial number; not the beginning of a range.
fn packet<'a>(input: &mut Input<'a>) -> Option<(&'a str, &'a str)> {
    let number = || take_while(1.., |c: char| c.is_ascii_digit());
    take(
        (number(), '.', number()).map(|(source, _, serial)| (source, serial)),
        input,
    )
}
