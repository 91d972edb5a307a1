//! Numbers and strings of fixed layout, taken off the front of a slice.

use super::varint;

/// The rest of a slice. Each method takes a field off its front, or returns `None` if too little is left.
pub(crate) struct Fields<'a>(pub(crate) &'a [u8]);

impl<'a> Fields<'a> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (&array, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(array)
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(bytes)
    }

    pub(crate) fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }

    pub(crate) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(crate) fn varint<T: TryFrom<u64>>(&mut self) -> Option<T> {
        varint::get_as(&mut self.0)
    }

    pub(crate) fn string(&mut self) -> Option<String> {
        let length = self.u32()?;
        let bytes = self.bytes(usize::try_from(length).ok()?)?;
        String::from_utf8(bytes.to_vec()).ok()
    }
}

/// Appends a string as [`Fields::string`] takes it. Its length has been checked to fit.
pub(crate) fn put_string(out: &mut Vec<u8>, string: &str) {
    out.extend((string.len() as u32).to_le_bytes());
    out.extend(string.as_bytes());
}
