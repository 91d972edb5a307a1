//! What allocators say about their decisions, for people and programs that look into a run: the rule, by what it compares
//! those that ask, and what it remembers.
//!
//! An allocator whose columns choose compares rows by the column's memory. So does one whose rows choose first, but only
//! among the rows that have chosen the column: one that comes first there may have chosen another.

use super::{Memory, SwitchAllocator, SwitchMemory};
use crate::bits::Bits;
use flitwork_node::Rule;

/// An allocator's rules in a router with virtual channels, for each of its uses.
#[derive(Debug)]
pub struct Rules {
    /// Heads bid for virtual channels.
    pub channels: Rule,
    /// Words bid for the switch.
    pub switch: Rule,
    /// Heads bid for the switch speculatively, for ports that other words left.
    pub after: Rule,
    /// The same, without regard to other words and to who gets a virtual channel.
    pub beside: Rule,
    /// Words and heads bid for the switch together.
    pub together: Rule,
}

/// A rule, each of whose texts is put together from parts.
macro_rules! rule {
    ($($name:literal),+; $($summary:literal),+; $($source:literal),+ $(;)?) => {
        flitwork_node::Rule {
            name: concat!($($name),+),
            summary: concat!($($summary),+),
            source: concat!($($source),+),
        }
    };
}
pub(super) use rule;

/// The rules of an allocator: its name, what it does as the second half of a sentence, and where it is published.
macro_rules! rules {
    ($name:literal, $summary:literal, $source:literal) => {{
        use $crate::allocate::explained::rule;
        &$crate::allocate::Rules {
            channels: rule! {
                "virtual channels by ", $name;
                "A head bids for the free channels that its routing function prefers or, if none is free, \
                 for those that it falls back on: ", $summary, ".";
                "Dally 1992; ", $source;
            },
            switch: rule! {
                "switch by ", $name;
                "One word may cross from each input port and to each output port: ", $summary,
                "; of a port's channels the next in turn goes, or the oldest packet's where age decides.";
                "Dally and Towles 2004, chapters 16 and 19; ", $source;
            },
            after: rule! {
                "speculative switch by ", $name;
                "A head bids for the switch while it bids for a channel, for ports that other words have left, \
                 and without a channel it wastes what it wins: ", $summary, ".";
                "Peh and Dally 2001; Dally and Towles 2004, section 16.5; ", $source;
            },
            beside: rule! {
                "speculative switch beside others by ", $name;
                "A head bids for the switch while it bids for a channel, and what it wins is void without a \
                 channel or where another word won one of its ports: ", $summary, ".";
                "Peh and Dally 2001; BookSim 2, spec_sw_allocator; ", $source;
            },
            together: rule! {
                "switch for words and heads by ", $name;
                "A head bids for the switch, with all other words, while it bids for a channel, and what it wins \
                 without one is void: ", $summary, ".";
                "BookSim 2, spec_sw_allocator = prio; ", $source;
            },
        }
    }};
}
pub(super) use rules;

/// What an allocator remembers from one allocation to the next, as far as that decides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remembered {
    /// The diagonal that is granted first.
    pub diagonal: Option<usize>,
    /// For each column, the row that goes first there: the next in turn, or the one served least recently. Empty if
    /// columns remember nothing.
    pub first_rows: Vec<usize>,
    /// The same for each row.
    pub first_columns: Vec<usize>,
}

/// The rank where rows take turns at a column: how many come before.
pub(super) fn before_in_turn<B: Bits, const N: usize>(
    memory: &Memory<B, N>,
    size: usize,
    (row, column): (usize, usize),
    _: u64,
) -> u64 {
    ((row + size - usize::from(memory.of_column[column])) % size) as u64
}

/// What is remembered where rows and columns take turns: whose it is.
pub(super) fn turns<B: Bits, const N: usize>(memory: &Memory<B, N>, size: usize) -> Remembered {
    let turns = |turns: &[u8]| turns.iter().map(|turn| usize::from(*turn)).collect();
    Remembered {
        diagonal: None,
        first_rows: turns(&memory.of_column[..size]),
        first_columns: turns(&memory.of_row[..size]),
    }
}

/// A lane that bids for an output port of the switch, beside others that do.
#[derive(Clone, Copy, Debug)]
pub struct Bidder {
    /// The lane, and the row of the output port.
    pub bid: (usize, usize),
    /// When its packet was made.
    pub born: u64,
    /// When the oldest packet was made among the lanes of its input port that bid for the same output port.
    pub oldest: u64,
    /// Whether it comes after all others of these lanes, whatever their turn.
    pub is_outranked: bool,
}

impl SwitchAllocator {
    /// The channel that has its turn at the input port in a row of the switch, if channels take turns: the oldest packet
    /// goes first where age decides, except among grants that may be void (`is_blind`).
    pub fn channel_in_turn<B: Bits, const P: usize>(
        &self,
        memory: &SwitchMemory<B, P>,
        row: usize,
        is_blind: bool,
    ) -> Option<usize> {
        (is_blind || !self.allocator.goes_by_age()).then(|| usize::from(memory.turn[row]))
    }

    /// By what it compares the lanes that bid for an output port, by its memory of ports, or that of speculative
    /// bids: the lower goes first, if its input port has not been matched with another output port.
    pub fn rank<B: Bits, const P: usize>(
        &self,
        memory: &SwitchMemory<B, P>,
        of_speculation: Option<&Memory<B, P>>,
        bidder: Bidder,
        is_blind: bool,
    ) -> u64 {
        let (lane, output) = bidder.bid;
        let (row, channels) = (self.lanes.row_of(lane), self.lanes.channels);
        let after = u64::from(bidder.is_outranked);
        let Some(turn) = self.channel_in_turn(memory, row, is_blind) else {
            // Packets are made before 2^32.
            return after << 32 | bidder.born;
        };
        let ports = of_speculation.unwrap_or(&memory.ports);
        let size = self.lanes.ports;
        let mut of_port = self
            .allocator
            .rank(ports, size, (row, output), bidder.oldest);
        if self.allocator.goes_by_age() {
            // Of ports whose oldest packets are equally old, the first in order goes first.
            of_port = of_port * size as u64 + row as u64;
        }
        let channel = usize::from(self.lanes.spot(lane).channel);
        let in_turn = ((channel + channels - turn) % channels) as u64;
        (2 * of_port + after) * channels as u64 + in_turn
    }

    /// What it remembers of ports.
    pub fn remembered<B: Bits, const P: usize>(&self, memory: &SwitchMemory<B, P>) -> Remembered {
        self.allocator.remembered(&memory.ports, self.lanes.ports)
    }
}
