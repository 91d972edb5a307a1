//! The types of packets in a netrace file: messages of a directory protocol between caches.

/// A type of packet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    /// Its number in the file.
    pub(super) code: u8,
    pub(super) bytes: u16,
}

const fn kind(code: u8, bytes: u16) -> Kind {
    Kind { code, bytes }
}

/// All types, sorted by number. A packet's class is the index of its type here.
pub(super) const KINDS: [Kind; 15] = [
    kind(1, 8),   // ReadReq
    kind(2, 72),  // ReadResp
    kind(3, 72),  // ReadRespWithInvalidate
    kind(4, 72),  // WriteReq
    kind(5, 8),   // WriteResp
    kind(6, 72),  // Writeback
    kind(13, 8),  // UpgradeReq
    kind(14, 8),  // UpgradeResp
    kind(15, 8),  // ReadExReq
    kind(16, 72), // ReadExResp
    kind(25, 8),  // BadAddressError
    kind(27, 8),  // InvalidateReq
    kind(28, 8),  // InvalidateResp
    kind(29, 8),  // DowngradeReq
    kind(30, 72), // DowngradeResp
];

/// The class of a type's number, and the type.
pub(super) fn class(code: u8) -> Option<(u8, Kind)> {
    let class = KINDS.binary_search_by_key(&code, |kind| kind.code).ok()?;
    Some((class as u8, KINDS[class]))
}
