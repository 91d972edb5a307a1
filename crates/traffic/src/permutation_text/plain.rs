//! The plain form: a line `source destination` per packet.

use super::{End, Packets, PermutationError, PermutationProblem};

pub(super) fn read(text: &str, packets: &mut Packets) -> Result<(), PermutationError> {
    for (line, content) in text.lines().enumerate() {
        read_line(content, packets).map_err(|(column, problem)| PermutationError {
            line: Some(line + 1),
            column: Some(column + 1),
            problem,
        })?;
    }
    Ok(())
}

/// What the columns may be called, before the first packet.
const HEADER: [&str; 3] = ["source", ",", "destination"];

/// Reads the packet of a line, if it has one. An error has the offset of its word, in bytes.
fn read_line(content: &str, packets: &mut Packets) -> Result<(), (usize, PermutationProblem)> {
    let content = content.split('#').next().unwrap_or_default();
    // Words after the third are only counted.
    let (mut words, mut found) = ([(0, ""); 3], 0);
    for word in Words::of(content) {
        if let Some(place) = words.get_mut(found) {
            *place = word;
        }
        found += 1;
    }
    let (source, destination) = match (found, words) {
        (0, _) => return Ok(()),
        (3, words) if packets.listed.is_empty() && words.map(|it| it.1) == HEADER => return Ok(()),
        (2, [source, destination, _]) => (source, destination),
        (3, [source, (_, ","), destination]) => (source, destination),
        _ => {
            // The first unexpected word, or the line's end if a word is missing.
            let [first, _, third] = words;
            let column = if found == 1 {
                first.0 + first.1.len()
            } else {
                third.0
            };
            // Two commas have a field between them, if an empty one.
            let commas = Words::of(content).filter(|word| word.1 == ",").count();
            let found = (found - commas).max(commas + 1);
            return Err((column, PermutationProblem::Line { found }));
        }
    };
    let mut end = |end, (offset, word): (usize, &str)| {
        let number = decimal(word).ok_or_else(|| packets.not_a_node(word));
        number
            .and_then(|number| packets.end(end, number))
            .map_err(|problem| (offset, problem))
    };
    let pair = (
        end(End::Source, source)?,
        end(End::Destination, destination)?,
    );
    packets.listed.push(pair);
    Ok(())
}

/// The value of a word of digits, if it fits 64 bits.
fn decimal(word: &str) -> Option<u64> {
    word.bytes()
        .all(|byte| byte.is_ascii_digit())
        .then(|| word.parse().ok())?
}

/// The words of a line with their offsets; a comma is a word of its own.
struct Words<'a> {
    content: &'a str,
    offset: usize,
}

impl<'a> Words<'a> {
    fn of(content: &'a str) -> Words<'a> {
        Words { content, offset: 0 }
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<(usize, &'a str)> {
        let rest = &self.content[self.offset..];
        let start = self.offset + rest.find(|c: char| !c.is_whitespace())?;
        let rest = &self.content[start..];
        let length = match rest.find(|c: char| c == ',' || c.is_whitespace()) {
            Some(0) => 1,
            Some(length) => length,
            None => rest.len(),
        };
        self.offset = start + length;
        Some((start, &rest[..length]))
    }
}
