//! Numbers of variable length: seven bits per byte, the lowest first.

/// Appends a number.
#[inline]
pub(crate) fn put(out: &mut Vec<u8>, number: u64) {
    match number {
        // Most numbers are one byte or two.
        0..0x80 => out.push(number as u8),
        0x80..0x4000 => out.extend_from_slice(&[number as u8 | 0x80, (number >> 7) as u8]),
        _ => put_long(out, number),
    }
}

#[cold]
#[inline(never)]
fn put_long(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// A number with a sign as one without: small if it is close to 0.
pub(crate) const fn zigzag(number: i64) -> u64 {
    (number << 1 ^ number >> 63) as u64
}

/// The number of a [`zigzag`].
pub(crate) const fn unzigzag(zigzag: u64) -> i64 {
    (zigzag >> 1) as i64 ^ -((zigzag & 1) as i64)
}

/// The zigzag difference of two numbers: 33 bits, and small if they are close to each other.
pub(crate) fn difference(from: u32, to: u32) -> u64 {
    zigzag(i64::from(to) - i64::from(from))
}

/// The number at this difference from `from`; `None` if it does not fit into 32 bits.
pub(crate) fn add_difference(from: u32, zigzag: u64) -> Option<u32> {
    u32::try_from(i64::from(from).checked_add(unzigzag(zigzag))?).ok()
}

/// Appends the difference of two numbers.
pub(crate) fn put_difference(out: &mut Vec<u8>, from: u32, to: u32) {
    put(out, difference(from, to));
}

/// Takes a number off the front; `None` if the bytes end early or hold more than 64 bits.
pub(crate) fn get(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        let bits = u64::from(byte & 0x7f);
        if bits << shift >> shift != bits {
            return None;
        }
        number |= bits << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

/// Takes a number of a type off the front; `None` also if it does not fit.
pub(crate) fn get_as<T: TryFrom<u64>>(bytes: &mut &[u8]) -> Option<T> {
    T::try_from(get(bytes)?).ok()
}

/// Takes a number off the front that is stored as its difference from `from`; `None` also if it does not fit into 32
/// bits.
pub(crate) fn get_difference(bytes: &mut &[u8], from: u32) -> Option<u32> {
    add_difference(from, get(bytes)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_got() {
        for number in [
            0,
            1,
            127,
            128,
            16_383,
            16_384,
            u64::from(u32::MAX),
            u64::MAX,
        ] {
            let mut out = Vec::new();
            put(&mut out, number);
            assert_eq!(get(&mut &out[..]), Some(number));
            assert_eq!(get(&mut &out[..out.len() - 1]), None);
        }
        for (from, to) in [(0, u32::MAX), (u32::MAX, 0), (5, 5), (7, 6)] {
            let mut out = Vec::new();
            put_difference(&mut out, from, to);
            assert_eq!(get_difference(&mut &out[..], from), Some(to));
        }
    }

    #[test]
    fn too_long_a_number_is_none() {
        assert_eq!(get(&mut &[0xff; 11][..]), None);
        let mut over = [0xff; 10];
        over[9] = 2;
        assert_eq!(get(&mut &over[..]), None);
    }
}
