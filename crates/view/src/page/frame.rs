//! A frame as bytes: what a page draws, as little as it takes.
//!
//! All numbers are little-endian.
//!
//! | bytes | |
//! |---|---|
//! | 1 | which layers follow: 1 what nodes hold, 2 deroutes, 4 words by link |
//! | 1 | 1 if the run doesn't go on after this |
//! | 2 | ports for links of a node |
//! | 4 | nodes |
//! | 8 | when the stretch begins |
//! | 8 | before which time it ends |
//! | 8, 8, 8 | what all nodes hold, their deroutes, the words over all links |
//! | 2 each | the layers, in their order; a number that is too large is 65535 |

use crate::show::Frame;

/// What nodes hold.
pub const HELD: u8 = 1;
/// Deroutes.
pub const DEROUTES: u8 = 2;
/// Words by link.
pub const LINKS: u8 = 4;

/// The bytes before the layers.
pub const HEAD_BYTES: usize = 48;

/// A frame with some of its layers.
pub fn encode(frame: &Frame, layers: u8) -> Vec<u8> {
    let heat = &frame.heat;
    let chosen = [
        (HELD, &heat.held),
        (DEROUTES, &heat.deroutes),
        (LINKS, &heat.words),
    ];
    let chosen = chosen.into_iter().filter(|(layer, _)| layers & layer != 0);
    let numbers: usize = chosen.clone().map(|(_, values)| values.len()).sum();
    let mut bytes = Vec::with_capacity(HEAD_BYTES + 2 * numbers);
    bytes.push(layers & (HELD | DEROUTES | LINKS));
    bytes.push(frame.ended.is_some().into());
    bytes.extend((heat.ports as u16).to_le_bytes());
    bytes.extend((heat.held.len() as u32).to_le_bytes());
    let sums = [
        heat.from,
        heat.to,
        heat.held_in_all(),
        heat.deroutes_in_all(),
        heat.words_in_all(),
    ];
    bytes.extend(sums.iter().flat_map(|sum| sum.to_le_bytes()));
    for (_, values) in chosen {
        let short = values
            .iter()
            .map(|it| u16::try_from(*it).unwrap_or(u16::MAX));
        bytes.extend(short.flat_map(u16::to_le_bytes));
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use flitwork_debug::heat::Heat;

    #[test]
    fn a_frame_has_its_layers_in_their_order() {
        let heat = Heat {
            from: 3,
            to: 0x0102,
            held: vec![1, 2],
            deroutes: vec![0, 70_000],
            words: vec![5, 6, 7, 8],
            ports: 2,
        };
        let frame = Frame { heat, ended: None };
        let bytes = encode(&frame, HELD | LINKS | 0xf0);
        assert_eq!(bytes.len(), HEAD_BYTES + 2 * 2 + 4 * 2);
        assert_eq!(bytes[..8], [5, 0, 2, 0, 2, 0, 0, 0]);
        assert_eq!(bytes[16..18], [2, 1]);
        // 1 + 2 are held, 70,000 deroutes, 5 + 6 + 7 + 8 words.
        assert_eq!(bytes[24..28], [3, 0, 0, 0]);
        assert_eq!(bytes[32..36], 70_000u32.to_le_bytes());
        assert_eq!(bytes[40..42], [26, 0]);
        assert_eq!(bytes[48..], [1, 0, 2, 0, 5, 0, 6, 0, 7, 0, 8, 0]);
        assert_eq!(encode(&frame, DEROUTES)[48..], [0, 0, 255, 255]);
    }
}
