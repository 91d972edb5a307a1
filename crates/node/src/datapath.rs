//! What words do inside a router's hardware, insofar as it costs energy.

/// What a word does to a router's buffers and its crossbar on one occasion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passes {
    /// How often it is written into a buffer.
    pub writes: u8,
    /// How often it is read from one.
    pub reads: u8,
    /// How often it passes the crossbar.
    pub crossings: u8,
}

impl Passes {
    /// Nothing.
    pub const NONE: Passes = Passes::new(0, 0, 0);

    /// This many writes, reads and crossings.
    pub const fn new(writes: u8, reads: u8, crossings: u8) -> Passes {
        Passes {
            writes,
            reads,
            crossings,
        }
    }
}

/// What is shown as the use of a router's buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffers {
    /// It has none.
    None,
    /// Its central queue, in packets ([`Place::Queue`](crate::Place::Queue)).
    Queue,
    /// What these are called, in words ([`Probe::buffered`](crate::Probe::buffered)).
    Words(&'static str),
}

/// What words do in a router, by the events that the router reports. It covers a word's whole path: whatever
/// happens between two events belongs to one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datapath {
    /// A word comes from its source.
    pub injected: Passes,
    /// A word leaves over a link, and comes in at the far end.
    pub linked: Passes,
    /// A word leaves for the processor.
    pub delivered: Passes,
    /// A word of what a decision moves ([`Event::Moved`](crate::Event::Moved)), wherever it goes.
    pub moved: Passes,
    /// In addition, if it goes into the central queue or the side buffer.
    pub stored: Passes,
    /// In addition, if it comes from there.
    pub restored: Passes,
    /// The words that a decision moves.
    pub words_a_move: u16,
    /// What is shown as the use of its buffers.
    pub buffers: Buffers,
}

impl Datapath {
    /// A router in which nothing is written, read or switched.
    pub const NONE: Datapath = Datapath {
        injected: Passes::NONE,
        linked: Passes::NONE,
        delivered: Passes::NONE,
        moved: Passes::NONE,
        stored: Passes::NONE,
        restored: Passes::NONE,
        words_a_move: 1,
        buffers: Buffers::None,
    };
}
