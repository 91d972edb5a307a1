//! A question about rows, ready to be asked.

use super::columns::{Columns, Kind, Row, packet_value};
use super::error::{LanguageError, Problem};
use super::parse::{Comparison, Place, Side, Written, parse};
use flitwork_types::{PacketId, TerminalId};

/// A condition that rows meet or don't.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter(Test);

/// Names, flags and packets are numbers here.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    All,
    Or(Box<Test>, Box<Test>),
    And(Box<Test>, Box<Test>),
    Not(Box<Test>),
    Compare(usize, Comparison, i64),
    CompareColumns(usize, Comparison, usize),
    Within(usize, i64, i64),
    Flag(usize),
}

impl Filter {
    /// The condition that every row meets.
    pub fn all() -> Filter {
        Filter(Test::All)
    }

    /// The condition that a text says of rows with these columns.
    ///
    /// # Errors
    /// A [`LanguageError`] with the place of what is wrong.
    pub fn parse(text: &str, columns: &Columns) -> Result<Filter, LanguageError> {
        let written = parse(text)?;
        let resolving = Resolving { text, columns };
        resolving.test(&written).map(Filter)
    }

    /// Whether a row meets it.
    #[inline]
    pub fn holds(&self, row: &impl Row) -> bool {
        self.0.holds(row)
    }

    /// Whether some row may meet it that has these values in the columns of which they are known.
    pub fn may_hold(&self, row: &impl Row, is_known: &impl Fn(usize) -> bool) -> bool {
        self.0.may(row, is_known)[1]
    }

    /// Whether it asks for rows that have a name in a column, among others perhaps.
    pub fn asks_for(&self, columns: &Columns, column: &str, name: &str) -> bool {
        let Some(column) = columns.find(column) else {
            return false;
        };
        let number = match &columns.0[column].kind {
            Kind::Name(names) => names.iter().position(|known| known == name),
            _ => None,
        };
        number.is_some_and(|number| self.0.asks_for(column, number as i64))
    }
}

impl Test {
    fn holds(&self, row: &impl Row) -> bool {
        match self {
            Test::All => true,
            Test::Or(one, other) => one.holds(row) || other.holds(row),
            Test::And(one, other) => one.holds(row) && other.holds(row),
            Test::Not(inner) => !inner.holds(row),
            Test::Compare(column, comparison, number) => {
                let value = row.value(*column);
                value.is_some_and(|value| compare(value, *comparison, *number))
            }
            Test::CompareColumns(left, comparison, right) => {
                match (row.value(*left), row.value(*right)) {
                    (Some(left), Some(right)) => compare(left, *comparison, right),
                    _ => false,
                }
            }
            Test::Within(column, first, end) => {
                let value = row.value(*column);
                value.is_some_and(|value| (*first..*end).contains(&value))
            }
            Test::Flag(column) => row.value(*column) == Some(1),
        }
    }

    fn asks_for(&self, column: usize, number: i64) -> bool {
        match self {
            Test::Or(one, other) | Test::And(one, other) => {
                one.asks_for(column, number) || other.asks_for(column, number)
            }
            Test::Compare(of, Comparison::Equal, value) => (*of, *value) == (column, number),
            _ => false,
        }
    }

    /// Whether it may fail, and whether it may hold.
    fn may(&self, row: &impl Row, is_known: &impl Fn(usize) -> bool) -> [bool; 2] {
        match self {
            Test::All => [false, true],
            Test::Or(one, other) => {
                let [one, other] = [one, other].map(|it| it.may(row, is_known));
                [one[0] && other[0], one[1] || other[1]]
            }
            Test::And(one, other) => {
                let [one, other] = [one, other].map(|it| it.may(row, is_known));
                [one[0] || other[0], one[1] && other[1]]
            }
            Test::Not(inner) => {
                let [fails, holds] = inner.may(row, is_known);
                [holds, fails]
            }
            Test::Compare(column, ..) | Test::Within(column, ..) | Test::Flag(column) => {
                self.may_if(is_known(*column), row)
            }
            Test::CompareColumns(left, _, right) => {
                self.may_if(is_known(*left) && is_known(*right), row)
            }
        }
    }

    fn may_if(&self, is_known: bool, row: &impl Row) -> [bool; 2] {
        let holds = self.holds(row);
        [!(is_known && holds), !is_known || holds]
    }
}

#[inline]
fn compare(left: i64, comparison: Comparison, right: i64) -> bool {
    match comparison {
        Comparison::Equal => left == right,
        Comparison::Unequal => left != right,
        Comparison::Less => left < right,
        Comparison::AtMost => left <= right,
        Comparison::Greater => left > right,
        Comparison::AtLeast => left >= right,
    }
}

/// What a side of a comparison is.
enum Meant<'a> {
    Column(usize, &'a Kind),
    Number(i64),
    Packet(i64),
    Name(&'a str),
}

impl Meant<'_> {
    /// What a message calls it.
    fn what(&self) -> &'static str {
        match self {
            Meant::Column(_, Kind::Number(_)) | Meant::Number(_) => "a number",
            Meant::Column(_, Kind::Flag) => "a flag, which is true or false,",
            Meant::Column(_, Kind::Name(_)) | Meant::Name(_) => "a name",
            Meant::Column(_, Kind::Packet) | Meant::Packet(_) => "a packet",
        }
    }
}

struct Resolving<'a> {
    text: &'a str,
    columns: &'a Columns,
}

impl<'a> Resolving<'a> {
    fn fault<T>(&self, at: usize, problem: Problem) -> Result<T, LanguageError> {
        Err(LanguageError {
            text: self.text.to_owned(),
            at,
            problem,
        })
    }

    fn test(&self, written: &'a Written) -> Result<Test, LanguageError> {
        Ok(match written {
            Written::Or(one, other) => {
                Test::Or(Box::new(self.test(one)?), Box::new(self.test(other)?))
            }
            Written::And(one, other) => {
                Test::And(Box::new(self.test(one)?), Box::new(self.test(other)?))
            }
            Written::Not(inner) => Test::Not(Box::new(self.test(inner)?)),
            Written::Compare(left, comparison, right) => {
                return self.compare(left, *comparison, right);
            }
            Written::Within(side, range) => return self.within(side, range),
            Written::Flag(side) => match self.meant(side)? {
                Meant::Column(column, Kind::Flag) => Test::Flag(column),
                Meant::Column(column, _) => {
                    let column = self.columns.0[column].name.clone();
                    return self.fault(side.1.start, Problem::NotAFlag { column });
                }
                _ => return self.fault(side.1.end, Problem::Expected("a comparison")),
            },
        })
    }

    fn meant(&self, (side, place): &'a Place<Side>) -> Result<Meant<'a>, LanguageError> {
        Ok(match side {
            Side::Number(number) => Meant::Number(*number),
            Side::Name(name) => Meant::Name(name),
            Side::Packet(source, serial) => Meant::Packet(packet_value(PacketId {
                source: TerminalId(*source),
                serial: *serial,
            })),
            Side::Column(name) => match self.columns.find(name) {
                Some(column) => Meant::Column(column, &self.columns.0[column].kind),
                None => {
                    let problem = Problem::NoColumn {
                        found: name.clone(),
                        allowed: self.columns.names(),
                    };
                    return self.fault(place.start, problem);
                }
            },
        })
    }

    fn compare(
        &self,
        left: &'a Place<Side>,
        comparison: Comparison,
        right: &'a Place<Side>,
    ) -> Result<Test, LanguageError> {
        let (one, other) = (self.meant(left)?, self.meant(right)?);
        if one.what() != other.what() {
            let (left, right_is) = (one.what(), other.what());
            return self.fault(
                right.1.start,
                Problem::Unlike {
                    left,
                    right: right_is,
                },
            );
        }
        if comparison.orders() && one.what() != "a number" {
            return self.fault(left.1.start, Problem::Unordered(one.what()));
        }
        match (one, other) {
            (Meant::Column(column, kind), Meant::Name(name)) => {
                let number = self.name(column, kind, name, right)?;
                Ok(Test::Compare(column, comparison, number))
            }
            (Meant::Name(name), Meant::Column(column, kind)) => {
                let number = self.name(column, kind, name, left)?;
                Ok(Test::Compare(column, comparison, number))
            }
            (Meant::Column(_, Kind::Name(one)), Meant::Column(_, Kind::Name(other)))
                if one != other =>
            {
                let (left, other) = ("a name", "a name of another kind");
                self.fault(right.1.start, Problem::Unlike { left, right: other })
            }
            (Meant::Column(one, _), Meant::Column(other, _)) => {
                Ok(Test::CompareColumns(one, comparison, other))
            }
            (Meant::Column(column, _), Meant::Number(number) | Meant::Packet(number)) => {
                Ok(Test::Compare(column, comparison, number))
            }
            (Meant::Number(number) | Meant::Packet(number), Meant::Column(column, _)) => {
                Ok(Test::Compare(column, comparison.turned(), number))
            }
            _ => self.fault(left.1.start, Problem::Expected("a column on one side")),
        }
    }

    fn name(
        &self,
        column: usize,
        kind: &Kind,
        name: &str,
        (_, place): &Place<Side>,
    ) -> Result<i64, LanguageError> {
        let names: &[String] = match kind {
            Kind::Name(names) => names,
            _ => &[],
        };
        match names.iter().position(|known| known == name) {
            Some(number) => Ok(number as i64),
            None => {
                let problem = Problem::NoName {
                    column: self.columns.0[column].name.clone(),
                    found: name.to_owned(),
                    allowed: names.join(", "),
                };
                self.fault(place.start, problem)
            }
        }
    }

    fn within(
        &self,
        side: &'a Place<Side>,
        ((first, end), place): &Place<(i64, i64)>,
    ) -> Result<Test, LanguageError> {
        match self.meant(side)? {
            Meant::Column(..) if end <= first => self.fault(place.start, Problem::EmptyRange),
            Meant::Column(column, Kind::Number(_)) => Ok(Test::Within(column, *first, *end)),
            other => {
                let problem = Problem::Unlike {
                    left: other.what(),
                    right: "a range of numbers",
                };
                self.fault(side.1.start, problem)
            }
        }
    }
}

#[cfg(test)]
mod tests;
