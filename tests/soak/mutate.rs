//! Mutations of a file, accidental or malicious.

use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

/// Boundary values.
const EDGES: [&str; 22] = [
    "0",
    "-1",
    "1",
    "65535",
    "65536",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999999999",
    "1e308",
    "-1e308",
    "1e999",
    "nan",
    "inf",
    "0.0",
    "1e-320",
    "\"\"",
    "[]",
    "true",
    "\u{feff}",
];
/// Text that no valid file has, or only elsewhere.
const STRAY: [&str; 12] = [
    "unknown = 3",
    "[unknown]",
    "[[clocks.islands]]",
    "[router.wormhole]",
    "[router.chaos]",
    "load = 0.5",
    "= 3",
    "\u{0}",
    "\u{202e}",
    "process = \"batch\"",
    "0,0,0",
    "{\"row\":{}}",
];

/// A file changed in one place, or in some.
pub(crate) fn mutated(bytes: &[u8], random: &mut impl Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let times = if random.random_bool(0.5) {
        1
    } else {
        random.random_range(2..=4)
    };
    for _ in 0..times {
        match random.random_range(0..9) {
            0 => bytes.truncate(place(&bytes, random)),
            1 => flip(&mut bytes, random),
            2 => swap_lines(&mut bytes, random),
            3 => double_line(&mut bytes, random),
            4 => drop_line(&mut bytes, random),
            5 => insert(
                &mut bytes,
                STRAY.choose(random).expect("some").as_bytes(),
                random,
            ),
            6 => insert(&mut bytes, &[0xff, 0xfe, 0x80], random),
            // Numbers matter most, so they are changed most often.
            _ => replace_number(&mut bytes, random),
        }
    }
    bytes
}

fn place(bytes: &[u8], random: &mut impl Rng) -> usize {
    random.random_range(0..=bytes.len())
}

fn flip(bytes: &mut [u8], random: &mut impl Rng) {
    if !bytes.is_empty() {
        let at = random.random_range(0..bytes.len());
        bytes[at] ^= 1 << random.random_range(0..8);
    }
}

fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    bytes
        .split_inclusive(|byte| *byte == b'\n')
        .map(<[u8]>::to_vec)
        .collect()
}

fn swap_lines(bytes: &mut Vec<u8>, random: &mut impl Rng) {
    let mut lines = lines(bytes);
    if lines.len() > 1 {
        let (one, other) = (
            random.random_range(0..lines.len()),
            random.random_range(0..lines.len()),
        );
        lines.swap(one, other);
        *bytes = lines.concat();
    }
}

fn double_line(bytes: &mut Vec<u8>, random: &mut impl Rng) {
    let mut lines = lines(bytes);
    if let Some(line) = lines.choose(random).cloned() {
        lines.insert(random.random_range(0..=lines.len()), line);
        *bytes = lines.concat();
    }
}

fn drop_line(bytes: &mut Vec<u8>, random: &mut impl Rng) {
    let mut lines = lines(bytes);
    if !lines.is_empty() {
        lines.remove(random.random_range(0..lines.len()));
        *bytes = lines.concat();
    }
}

fn insert(bytes: &mut Vec<u8>, what: &[u8], random: &mut impl Rng) {
    let at = match random.random_bool(0.5) {
        true => place(bytes, random),
        // On a separate line.
        false => bytes
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1),
    };
    let line = [what, b"\n"].concat();
    bytes.splice(at..at, line);
}

/// Puts a boundary value in the place of a number, or of what looks like one in bytes.
fn replace_number(bytes: &mut Vec<u8>, random: &mut impl Rng) {
    let is_digit = |byte: &u8| byte.is_ascii_digit();
    let begins: Vec<usize> = (0..bytes.len())
        .filter(|at| is_digit(&bytes[*at]) && (*at == 0 || !is_digit(&bytes[*at - 1])))
        .collect();
    let Some(&begin) = begins.choose(random) else {
        return insert(bytes, b"1", random);
    };
    let is_part = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let length = bytes[begin..]
        .iter()
        .take_while(|byte| is_part(byte))
        .count();
    let edge = EDGES.choose(random).expect("some").as_bytes();
    bytes.splice(begin..begin + length, edge.iter().copied());
}
