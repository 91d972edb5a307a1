//! The JSON forms: a list of destinations, or an object with `packets`.
//!
//! The text is parsed as a stream, so that a problem is found at its place and only packets are stored. A visitor can
//! only raise the parser's own error; the actual problem is kept beside it.

use super::{End, LONGEST_MESSAGE, Packets, PermutationError, PermutationProblem};
use flitwork_schema::cut;
use flitwork_types::TerminalId;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;

pub(super) fn read(text: &str, packets: &mut Packets) -> Result<(), PermutationError> {
    let mut state = State {
        packets,
        problem: None,
    };
    let mut input = serde_json::Deserializer::from_str(text);
    let whole = Reader {
        state: &mut state,
        form: Whole,
    };
    let whole = whole.deserialize(&mut input);
    let error = match whole.and_then(|()| input.end()) {
        Ok(()) => return Ok(()),
        Err(error) => error,
    };
    let problem = state.problem.unwrap_or_else(|| {
        let place = format!(" at line {} column {}", error.line(), error.column());
        let message = error.to_string();
        let message = message.strip_suffix(&place).unwrap_or(&message);
        PermutationProblem::Json {
            message: cut(message, LONGEST_MESSAGE),
        }
    });
    // The parser counts lines from 1; 0 means that the error has no place.
    let known = error.line() > 0;
    let (line, column) = (known.then(|| error.line()), known.then(|| error.column()));
    Err(PermutationError {
        line,
        column,
        problem,
    })
}

struct State<'a> {
    packets: &'a mut Packets,
    problem: Option<PermutationProblem>,
}

impl State<'_> {
    /// Stores the problem, and returns the error that stops the parser.
    fn stop<E: Error>(&mut self, problem: PermutationProblem) -> E {
        self.problem = Some(problem);
        E::custom("stopped")
    }

    fn end<E: Error>(&mut self, end: End, number: u64) -> Result<TerminalId, E> {
        self.packets
            .end(end, number)
            .map_err(|problem| self.stop(problem))
    }

    fn not_a_node<E: Error>(&mut self, found: impl fmt::Display) -> E {
        let problem = self.packets.not_a_node(&found.to_string());
        self.stop(problem)
    }
}

/// A reader of one part of the text: its expected form, and the state that takes what is read.
struct Reader<'a, 'b, Form> {
    state: &'a mut State<'b>,
    form: Form,
}

/// The whole text.
struct Whole;
/// What `packets` lists.
struct List;
/// A pair in that list.
struct Pair;
/// A node, or `null` where there may be none.
struct Node {
    end: End,
    may_be_null: bool,
}

impl<'b, Form> Reader<'_, 'b, Form> {
    /// The reader of a part of what this one reads.
    fn part<Part>(&mut self, form: Part) -> Reader<'_, 'b, Part> {
        Reader {
            state: &mut *self.state,
            form,
        }
    }
}

macro_rules! seed {
    ($form:ty, $value:ty) => {
        impl<'de> DeserializeSeed<'de> for Reader<'_, '_, $form> {
            type Value = $value;
            fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<$value, D::Error> {
                input.deserialize_any(self)
            }
        }
    };
}

seed!(Whole, ());
seed!(List, ());
seed!(Pair, ());
seed!(Node, Option<TerminalId>);

impl<'de> Visitor<'de> for Reader<'_, '_, Whole> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list or an object")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        let nodes = self.state.packets.nodes;
        let mut source = 0;
        loop {
            if source == nodes {
                return match list.next_element::<IgnoredAny>()? {
                    None => Ok(()),
                    Some(_) => Err(self.state.stop(PermutationProblem::TooMany { nodes })),
                };
            }
            let form = Node {
                end: End::Destination,
                may_be_null: true,
            };
            let Some(destination) = list.next_element_seed(self.part(form))? else {
                let found = source;
                return Err(self.state.stop(PermutationProblem::TooFew { found, nodes }));
            };
            if let Some(destination) = destination {
                let packet = (TerminalId(source), destination);
                self.state.packets.listed.push(packet);
            }
            source += 1;
        }
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut object: A) -> Result<(), A::Error> {
        let mut seen = false;
        while let Some(key) = object.next_key::<String>()? {
            if key != "packets" {
                object.next_value::<IgnoredAny>()?;
            } else if seen {
                return Err(self.state.stop(PermutationProblem::PacketsTwice));
            } else {
                seen = true;
                object.next_value_seed(self.part(List))?;
            }
        }
        if seen {
            Ok(())
        } else {
            Err(self.state.stop(PermutationProblem::NoPackets))
        }
    }
}

impl<'de> Visitor<'de> for Reader<'_, '_, List> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of pairs")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        while list.next_element_seed(self.part(Pair))?.is_some() {}
        Ok(())
    }
}

impl<'de> Visitor<'de> for Reader<'_, '_, Pair> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a [source, destination] pair")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut pair: A) -> Result<(), A::Error> {
        let mut ends = [TerminalId(0); 2];
        for (found, end) in [End::Source, End::Destination].into_iter().enumerate() {
            let form = Node {
                end,
                may_be_null: false,
            };
            match pair.next_element_seed(self.part(form))? {
                Some(Some(node)) => ends[found] = node,
                _ => return Err(self.state.stop(PermutationProblem::Pair { found })),
            }
        }
        if pair.next_element::<IgnoredAny>()?.is_some() {
            return Err(self.state.stop(PermutationProblem::Pair { found: 3 }));
        }
        self.state.packets.listed.push((ends[0], ends[1]));
        Ok(())
    }
}

impl<'de> Visitor<'de> for Reader<'_, '_, Node> {
    type Value = Option<TerminalId>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a node's number")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        self.state.end(self.form.end, number).map(Some)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        Err(self.state.not_a_node(number))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
        Err(self.state.not_a_node(number))
    }

    fn visit_bool<E: Error>(self, truth: bool) -> Result<Self::Value, E> {
        Err(self.state.not_a_node(truth))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Err(self.state.not_a_node(text))
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        match self.form.may_be_null {
            true => Ok(None),
            false => Err(self.state.not_a_node("null")),
        }
    }
}
