//! Symbols and gaps as bytes.

use super::varint;

/// The byte that announces a varint with the gap.
const LONG: u8 = u8::MAX;
/// Symbols and short gaps share this many byte values; the others bring long gaps down.
const SHARED: u32 = 248;

/// How tokens of nodes with a given number of ports are written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Code {
    /// How many gaps one byte can distinguish, at least 1.
    gaps: u32,
    /// The first byte value that is a prefix.
    prefixes: u32,
    /// 2^16 over `gaps`, rounded up: a product instead of a division for each byte read.
    reciprocal: u32,
}

impl Code {
    /// That of nodes with so many ports for links, and so many local ones.
    pub(super) const fn new(ports: usize, locals: usize) -> Code {
        let symbols = 3 * ports as u32 + locals as u32;
        let gaps = SHARED / symbols;
        Code {
            gaps,
            prefixes: symbols * gaps,
            reciprocal: (1 << 16) / gaps + 1,
        }
    }

    /// Appends a token.
    #[inline]
    pub(super) fn put(self, out: &mut Vec<u8>, symbol: u32, gap: u32) {
        let mut rest = gap;
        if gap >= self.gaps {
            let times = gap / self.gaps;
            rest = gap % self.gaps;
            let shorts = u32::from(LONG) - self.prefixes;
            if times <= shorts {
                out.push((self.prefixes + times - 1) as u8);
            } else {
                out.push(LONG);
                varint::put(out, u64::from(times - shorts - 1));
            }
        }
        out.push((symbol * self.gaps + rest) as u8);
    }

    /// Takes a token off the front: its symbol and gap. `None` if the bytes end early or the gap does not fit into 32
    /// bits.
    #[inline]
    pub(super) fn get(self, bytes: &mut &[u8]) -> Option<(u32, u32)> {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let byte = u32::from(byte);
        if byte < self.prefixes {
            let symbol = (byte * self.reciprocal) >> 16;
            return Some((symbol, byte - symbol * self.gaps));
        }
        self.get_long(byte, bytes)
    }

    fn get_long(self, prefix: u32, bytes: &mut &[u8]) -> Option<(u32, u32)> {
        let mut times = u64::from(prefix - self.prefixes + 1);
        if prefix == u32::from(LONG) {
            times = times.checked_add(varint::get(bytes)?)?;
        }
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let byte = u32::from(byte);
        if byte >= self.prefixes {
            return None;
        }
        let symbol = (byte * self.reciprocal) >> 16;
        let gap = times
            .checked_mul(u64::from(self.gaps))?
            .checked_add(u64::from(byte - symbol * self.gaps))?;
        Some((symbol, u32::try_from(gap).ok()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::MAX_LINK_PORTS;
    use flitwork_types::MAX_PORTS;

    #[test]
    fn every_token_comes_back() {
        let of_ports = |ports| (0..=MAX_PORTS - ports).map(move |locals| (ports, locals));
        for (ports, locals) in (0..=MAX_LINK_PORTS).flat_map(of_ports).skip(1) {
            let code = Code::new(ports, locals);
            assert!(code.gaps >= 1 && code.prefixes < 255);
            let long = [1_000, 70_000, 4_000_000_000, u32::MAX];
            for symbol in 0..(3 * ports + locals) as u32 {
                for gap in (0..600).step_by(7).chain(long) {
                    let mut out = Vec::new();
                    code.put(&mut out, symbol, gap);
                    assert_eq!(out.len() == 1, gap < code.gaps);
                    let mut bytes = &out[..];
                    assert_eq!(code.get(&mut bytes), Some((symbol, gap)), "{ports} ports");
                    assert!(bytes.is_empty());
                    assert_eq!(code.get(&mut &out[..out.len() - 1]), None);
                }
            }
        }
    }
}
