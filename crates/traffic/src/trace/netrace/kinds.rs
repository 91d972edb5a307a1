//! The types of packets in a netrace file: messages of a directory protocol between caches.

/// A type of packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    /// Its number in the file.
    pub(super) code: u8,
    pub(super) name: &'static str,
    pub(super) bytes: u16,
}

const fn kind(code: u8, name: &'static str, bytes: u16) -> Kind {
    Kind { code, name, bytes }
}

/// All types, sorted by number. A packet's class is the index of its type here.
pub(super) const KINDS: [Kind; 15] = [
    kind(1, "ReadReq", 8),
    kind(2, "ReadResp", 72),
    kind(3, "ReadRespWithInvalidate", 72),
    kind(4, "WriteReq", 72),
    kind(5, "WriteResp", 8),
    kind(6, "Writeback", 72),
    kind(13, "UpgradeReq", 8),
    kind(14, "UpgradeResp", 8),
    kind(15, "ReadExReq", 8),
    kind(16, "ReadExResp", 72),
    kind(25, "BadAddressError", 8),
    kind(27, "InvalidateReq", 8),
    kind(28, "InvalidateResp", 8),
    kind(29, "DowngradeReq", 8),
    kind(30, "DowngradeResp", 72),
];

/// The names of the types, in the order of classes.
pub(super) const NAMES: [&str; KINDS.len()] = {
    let mut names = [""; KINDS.len()];
    let mut class = 0;
    while class < KINDS.len() {
        names[class] = KINDS[class].name;
        class += 1;
    }
    names
};

/// The class of a type's number, and the type.
pub(super) fn class(code: u8) -> Option<(u8, Kind)> {
    let class = KINDS.binary_search_by_key(&code, |kind| kind.code).ok()?;
    Some((class as u8, KINDS[class]))
}
