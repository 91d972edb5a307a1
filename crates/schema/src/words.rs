//! The user's words, as messages quote them.

/// The longest name that is compared with others, in bytes.
const LONGEST_NAME: usize = 64;
/// The most characters of a value, a name or an option that a message quotes.
const LONGEST_WORD: usize = 60;

/// The name that is closest to `name`, if one is close.
pub fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    if name.len() > LONGEST_NAME {
        return None;
    }
    let like = |text: &str| text.to_lowercase().replace('_', "-");
    let name = like(name);
    let letters = name.chars().count();
    let distance = |other: &str| match like(other) {
        other if letters > 2 && other.starts_with(&name) => 0,
        other => strsim::damerau_levenshtein(&name, &other),
    };
    let close = names.map(|other| (distance(other), other));
    // Of those that are as close, one of the same length: letters are exchanged more often than left out.
    let changes = |other: &str| other.chars().count().abs_diff(letters);
    let (distance, other) = close.min_by_key(|(distance, other)| (*distance, changes(other)))?;
    (distance <= letters.div_ceil(3)).then_some(other)
}

/// The character, or a replacement if it would move a terminal's cursor or be invisible.
pub fn printable(character: char) -> char {
    match character {
        '\t' => ' ',
        _ if character.is_control() || is_invisible(character) => '\u{fffd}',
        _ => character,
    }
}

/// Whether a character can't be seen: direction marks and zero-width characters.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// The beginning of a text, of so many characters at most.
pub fn cut(text: &str, longest: usize) -> String {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.into(),
    }
}

/// Text on one line, short enough for a message.
pub fn shown(found: &str) -> String {
    let kept = cut(found, LONGEST_WORD);
    let shown = |c| if c == '\n' { ' ' } else { printable(c) };
    kept.chars().map(shown).collect()
}
