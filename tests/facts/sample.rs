//! What is recorded of long texts: a part that a reader can judge, and a checksum that any other difference changes.

use crate::record::Fact;
use serde_json::Value;
use std::collections::BTreeSet;

/// The width of lines of JSON in characters.
const WIDTH: usize = 120;

/// The first members of a list of objects that are shown, besides the last, if it has at least two more.
const FIRST_MEMBERS: usize = 1;

/// FNV-1a with 64 bits.
fn fnv(bytes: &[u8]) -> u64 {
    let step = |sum: u64, byte: &u8| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// How many lines a text has, and a checksum of all of it.
pub(crate) fn checksum(text: &str) -> String {
    let (lines, sum) = (text.lines().count(), fnv(text.as_bytes()));
    format!("{lines} lines, checksum {sum:016x}")
}

/// The first and the last lines of a text, with the checksum of all; the whole text, if they leave out no more than one.
pub(crate) fn ends(text: &str, first: usize, last: usize) -> String {
    let text = text.trim_end_matches('\n');
    let mut lines: Vec<&str> = text.lines().collect();
    let more = lines.len().saturating_sub(first + last);
    let left_out = format!("… {more} more; all {}", checksum(text));
    if more > 1 {
        lines.splice(first..first + more, [left_out.as_str()]);
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// JSON, as many members on a line as have room, followed by the checksum of all: members that are null aren't shown,
/// nor most of a long list of objects.
pub(crate) fn packed(value: &Value) -> String {
    let lines = pack(&without_null(value), 0, "").join("\n");
    format!("{lines}\n… all {}\n", checksum(&format!("{value:#}")))
}

fn without_null(value: &Value) -> Value {
    match value {
        Value::Array(values) => values.iter().map(without_null).collect(),
        Value::Object(map) => {
            let members = map.iter().filter(|member| !member.1.is_null());
            let members = members.map(|(name, value)| (name.clone(), without_null(value)));
            Value::Object(members.collect())
        }
        other => other.clone(),
    }
}

fn pack(value: &Value, indent: usize, before: &str) -> Vec<String> {
    let margin = " ".repeat(indent);
    let line = format!("{margin}{before}{value}");
    let (open, members, close): (_, Vec<(String, &Value)>, _) = match value {
        Value::Array(of) => ('[', of.iter().map(|it| (String::new(), it)).collect(), ']'),
        Value::Object(of) => {
            let named = of.iter().map(|(key, it)| (format!("{key:?}:"), it));
            ('{', named.collect(), '}')
        }
        _ => return vec![line],
    };
    if members.is_empty() || line.chars().count() <= WIDTH {
        return vec![line];
    }
    let last = members.len() - 1;
    let is_long = value.is_array()
        && last > FIRST_MEMBERS + 1
        && members.iter().any(|member| member.1.is_object());
    let mut lines = vec![format!("{margin}{before}{open}")];
    let mut has_room = false;
    for (index, (name, member)) in members.iter().enumerate() {
        if is_long && (FIRST_MEMBERS..last).contains(&index) {
            if index == FIRST_MEMBERS {
                lines.push(format!("{margin} … {} more", last - index));
                has_room = false;
            }
            continue;
        }
        let mut packed = pack(member, indent + 1, name);
        if index < last {
            packed.last_mut().unwrap().push(',');
        }
        let is_one = packed.len() == 1;
        let above = lines.last_mut().unwrap();
        let wide = above.chars().count() + packed[0].chars().count() - indent;
        if is_one && has_room && wide <= WIDTH {
            *above += &format!(" {}", packed[0].trim_start());
        } else {
            lines.extend(packed);
        }
        has_room = is_one;
    }
    lines.push(format!("{margin}{close}"));
    lines
}

/// Lines that were shown, so that they aren't shown again.
#[derive(Default)]
pub(crate) struct Shown(BTreeSet<String>);

impl Shown {
    /// A fact of which are recorded its first line, the checksum of the others, and those of them that are new.
    pub(crate) fn rest(&mut self, fact: Fact) -> Fact {
        self.rest_by(fact, str::to_owned)
    }

    /// The same, where lines are alike if they have the same name; one without a name goes with the line above.
    pub(crate) fn rest_by(&mut self, fact: Fact, name_of: impl Fn(&str) -> String) -> Fact {
        let (first, others) = fact
            .came
            .split_once('\n')
            .unwrap_or((fact.came.as_str(), ""));
        let new = self.new_lines(others, name_of);
        let came = format!("{first}; {}\n{new}", checksum(others));
        Fact::part(fact.done.clone(), came, fact.came)
    }

    /// The lines of a text that weren't shown before, without empty ones.
    pub(crate) fn new_lines(&mut self, text: &str, name_of: impl Fn(&str) -> String) -> String {
        let mut new = String::new();
        let mut is_new = false;
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let name = name_of(line);
            if !name.is_empty() {
                is_new = self.0.insert(name);
            }
            if is_new {
                new += &format!("{line}\n");
            }
        }
        new
    }
}

#[test]
fn any_difference_changes_what_is_recorded() {
    let lines = |changed: usize| -> String {
        let line = |number: usize| match number == changed {
            true => "another\n".to_owned(),
            false => format!("line {number}\n"),
        };
        (0..30).map(line).collect()
    };
    let all: BTreeSet<String> = (0..=30)
        .map(|changed| ends(&lines(changed), 3, 1))
        .collect();
    assert_eq!(all.len(), 31);
    assert_eq!(ends("a\nb\nc\n", 1, 1), "a\nb\nc\n");
    assert!(
        ends(&lines(30), 3, 1)
            .starts_with("line 0\nline 1\nline 2\n… 26 more; all 30 lines, checksum ")
    );

    let rows = |changed: usize| {
        let row = |number: usize| {
            let digit = if number == changed { "0" } else { "1" };
            let digest = digit.repeat(40);
            serde_json::json!({"number": number, "digest": digest})
        };
        let rows: Value = (0..9).map(row).collect();
        packed(&rows)
    };
    let all: BTreeSet<String> = (0..=9).map(rows).collect();
    assert_eq!(all.len(), 10);
    assert!(rows(9).contains(" … 7 more\n"), "{}", rows(9));

    let mut shown = Shown::default();
    let mut rest = |text: &str| shown.rest(Fact::new("it", text)).came;
    let first = rest("exit 0\na\n\nb\n");
    assert!(first.starts_with("exit 0; 3 lines, checksum "), "{first}");
    assert!(first.ends_with("\na\nb"), "{first}");
    let swapped = rest("exit 0\nb\n\na\n");
    assert_eq!(swapped.lines().count(), 1, "{swapped}");
    assert_ne!(first.lines().next(), swapped.lines().next());
}
