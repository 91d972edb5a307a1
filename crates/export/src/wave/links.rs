//! The words that leave over a node's links.

use super::signals::{Held, Key, Piece, Shape, Subject};
use flitwork_debug::{Happening, What};
use flitwork_node::Place;
use flitwork_types::Port;

/// The pieces of a word that leaves.
const PIECES: [Piece; 4] = [Piece::Source, Piece::Serial, Piece::Index, Piece::Channel];

/// What a link's signals have when this happens; `None` for what isn't a word that leaves.
pub(super) fn word(it: &Happening) -> Option<(Port, [u64; 4])> {
    match it.what {
        What::Word(word) => Some((
            word.port,
            [
                word.packet.source.0.into(),
                word.packet.serial.into(),
                word.index.into(),
                word.channel.into(),
            ],
        )),
        _ => None,
    }
}

/// What each signal of a link has.
pub(super) fn of_link(port: Port, word: Option<[u64; 4]>) -> impl Iterator<Item = Held> {
    let (at, subject) = (Some(Place::Output(port)), Subject::Link);
    let pieces = PIECES.into_iter().enumerate();
    pieces.map(move |(number, piece)| {
        let key = Key { at, subject, piece };
        (key, Shape::Number, word.map(|word| word[number]))
    })
}
