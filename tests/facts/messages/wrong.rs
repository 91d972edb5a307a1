//! Values that a key doesn't take, by the type that the reference states for it.

use super::reference::Key;

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Place {
    File,
    CommandLine,
}

/// A value, where it is given, and what its message has besides.
pub(super) struct Wrong {
    pub(super) place: Place,
    pub(super) value: String,
    /// The place in the value of what is wrong: `[0]` is a list's first item.
    pub(super) index: &'static str,
    pub(super) hint: Option<String>,
}

fn file(value: impl Into<String>) -> Wrong {
    Wrong {
        place: Place::File,
        value: value.into(),
        index: "",
        hint: None,
    }
}

fn set(value: impl Into<String>) -> Wrong {
    Wrong {
        place: Place::CommandLine,
        ..file(value)
    }
}

impl Wrong {
    fn at(self, index: &'static str) -> Wrong {
        Wrong { index, ..self }
    }

    fn hint(self, hint: impl Into<String>) -> Wrong {
        Wrong {
            hint: Some(hint.into()),
            ..self
        }
    }

    /// How many lists the part at fault is in.
    pub(super) fn depth(&self) -> usize {
        self.index.matches('[').count()
    }

    /// The part of the value that is at fault.
    pub(super) fn part(&self) -> &str {
        let depth = self.depth();
        &self.value[depth..self.value.len() - depth]
    }

    /// That part, as a message says it.
    pub(super) fn found(&self) -> String {
        match self.part() {
            "[]" => "an empty list".to_owned(),
            "\"\"" => "an empty string".to_owned(),
            part if part.starts_with('[') => format!("the list {part}"),
            part if part.starts_with('{') => "a table".to_owned(),
            part => part.to_owned(),
        }
    }
}

/// The hint where a number is given and a list of numbers is allowed.
const LIST: &str = "a list is written [1, 2]";

/// Values that a key doesn't take: of other types, beyond its bounds, empty, unknown names.
pub(super) fn wrong_values(key: &Key) -> Vec<Wrong> {
    match key.allowed.as_str() {
        "a table" => vec![set("3"), set("[3]")],
        "a list of tables" => {
            let begins = format!("each table of the list begins with [[{}]]", key.name);
            let table = set("{ zzz = 1 }").hint(begins);
            vec![set("3"), set("[3]").at("[0]"), table]
        }
        "true or false" => {
            let quoted = file("\"true\"").hint("without quotes");
            vec![file("1"), set("[true]"), quoted]
        }
        "a string that isn't empty" => vec![file("[3]"), file("\"\"")],
        "the number of a node, from 0" => vec![file("\"x\""), set("-1"), file("1.0")],
        allowed if allowed.starts_with("a list of") => wrong_lists(allowed),
        allowed if allowed.starts_with("a whole number") => {
            let mut values = wrong_numbers(key);
            values.push(set("1.5"));
            values
        }
        allowed if allowed.starts_with("a number") => wrong_numbers(key),
        allowed => {
            let choices = key.choices();
            let first = choices.first().unwrap_or_else(|| panic!("{allowed}?"));
            let near = format!("\"{}x\"", &first[..first.len() - 1]);
            let near = file(near).hint(format!("did you mean \"{first}\"?"));
            vec![file("3"), set("\"zzzzzzzz\""), near]
        }
    }
}

fn wrong_lists(allowed: &str) -> Vec<Wrong> {
    if allowed.starts_with("a list of lists") {
        let inner = file("[[\"x\"]]").at("[0][0]");
        return vec![file("3"), set("[3]").at("[0]"), inner, file("[]")];
    }
    if allowed.starts_with("a list of strings") {
        return vec![file("3"), set("[3]").at("[0]")];
    }
    let number = match allowed.contains("pair") {
        true => set("3"),
        false => set("3").hint(LIST),
    };
    vec![number, file("[]"), file("[\"x\"]").at("[0]")]
}

/// A string, and the numbers beside the bounds.
fn wrong_numbers(key: &Key) -> Vec<Wrong> {
    let (least, most) = key.range().unwrap_or_else(|| panic!("{}", key.allowed));
    let number = |wrong: Wrong| match key.allowed.contains("[least, most]") {
        true => wrong.hint(LIST),
        false => wrong,
    };
    let below = number(set((least - 1).to_string()));
    let above = number(file((most + 1).to_string()));
    vec![file("\"x\""), below, above]
}
