//! The words that leave over a node's links.

use super::signals::{Key, Piece, Shape, Subject};
use flitwork_debug::{Happening, What};
use flitwork_node::Place;
use flitwork_types::Port;

/// The pieces of a word that leaves.
const PIECES: [Piece; 4] = [Piece::Source, Piece::Serial, Piece::Index, Piece::Channel];

/// What a link's signals have when this happens; `None` for what isn't a word that leaves.
pub(super) fn word(it: &Happening) -> Option<(Port, [u64; 4])> {
    match it.what {
        What::Word {
            port,
            packet,
            index,
            channel,
        } => Some((
            port,
            [
                packet.source.0.into(),
                packet.serial.into(),
                index.into(),
                channel.into(),
            ],
        )),
        _ => None,
    }
}

/// Gives each signal of a link what it has.
pub(super) fn each(
    port: Port,
    word: Option<[u64; 4]>,
    put: &mut impl FnMut(Key, Shape, Option<u64>),
) {
    for (number, piece) in PIECES.into_iter().enumerate() {
        let key = Key {
            at: Some(Place::Output(port)),
            subject: Subject::Link,
            piece,
        };
        put(key, Shape::Number, word.map(|word| word[number]));
    }
}
