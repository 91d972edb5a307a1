//! The validated parameters of a wormhole router.

use super::{FirstTurn, PortOrder};
use crate::allocate::{Allocator, MatrixFirst};
use flitwork_schema::WrongValue;

/// The most words that a virtual channel's buffer may hold.
pub const MAX_BUFFER_WORDS: u16 = 16_384;
/// The most cycles that a stage may take.
pub const MAX_STAGE_CYCLES: u32 = 1024;

/// How much room a head needs before it moves on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switching {
    /// It moves on if there is room for a word (Dally and Seitz 1987).
    Wormhole,
    /// It moves on only if there is room for the whole packet (Kermani and Kleinrock 1979).
    CutThrough,
    /// The same, and only once the whole packet has arrived.
    StoreAndForward,
}

/// When a virtual channel is given to the next worm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reallocation {
    /// As soon as the last one's tail has been sent: a buffer may hold words of several worms.
    TailSent,
    /// Once the last one's words have also left the buffer at the far end.
    BufferEmpty,
}

/// How the switch is allocated to speculative bids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speculation {
    /// After all other bids, for the ports that these left, among heads that got a virtual channel.
    After,
    /// Beside all other bids, by an allocator that knows neither these nor who gets a virtual channel; a grant is void if
    /// another bid won one of its ports (BookSim 2, `spec_sw_allocator`).
    Beside,
    /// Together with all other bids, none of which goes first except among the channels of an input port that bid for the
    /// same output port. A grant is void if its head can't go (BookSim 2, `spec_sw_allocator = prio` with iSLIP, which
    /// ignores the priorities).
    Together,
}

/// The parameters of a wormhole router.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WormholeParameters {
    /// Virtual channels of a link.
    pub vcs: u8,
    /// Words that a virtual channel's buffer holds.
    pub buffer_words: u16,
    /// How much room a head needs.
    pub switching: Switching,
    /// When a virtual channel is given to the next worm.
    pub reallocation: Reallocation,
    /// Cycles of route computation; 0 if a stage is done within the cycle of the one before it.
    pub route_cycles: u32,
    /// Cycles from a bid for a virtual channel to the first bid for the switch.
    pub vc_allocation_cycles: u32,
    /// Cycles from a bid for the switch to the beginning of the traversal.
    pub switch_allocation_cycles: u32,
    /// Cycles through the switch to the link.
    pub traversal_cycles: u32,
    /// Cycles from a credit's arrival to its use.
    pub credit_cycles: u32,
    /// Cycles from the source to the local input buffer, and of a credit back.
    pub injection_cycles: u32,
    /// Whether heads bid for the switch in the cycle in which they bid for a virtual channel.
    pub speculative: bool,
    /// How the switch is allocated to the bids of such heads.
    pub speculation: Speculation,
    /// Whether words to the processor need credits, as many as a buffer has words.
    pub ejection_credits: bool,
    /// The order in which allocators see ports.
    pub port_order: PortOrder,
    /// The port whose turn it is first.
    pub first_turn: FirstTurn,
    /// What allocates virtual channels.
    pub vc_allocator: Allocator,
    /// What allocates the switch.
    pub switch_allocator: Allocator,
    /// Whom matrix arbiters serve first.
    pub matrix_first: MatrixFirst,
}

flitwork_schema::named!(Switching {
    Wormhole = "wormhole",
    CutThrough = "cut-through",
    StoreAndForward = "store-and-forward",
});
flitwork_schema::named!(Speculation { After = "after", Beside = "beside", Together = "together" });
flitwork_schema::named!(Reallocation { TailSent = "tail-sent", BufferEmpty = "buffer-empty" });

impl Default for WormholeParameters {
    /// A common router: two virtual channels of eight words, four stages of a cycle each.
    fn default() -> WormholeParameters {
        WormholeParameters {
            vcs: 2,
            buffer_words: 8,
            switching: Switching::Wormhole,
            reallocation: Reallocation::TailSent,
            route_cycles: 1,
            vc_allocation_cycles: 1,
            switch_allocation_cycles: 1,
            traversal_cycles: 1,
            credit_cycles: 1,
            injection_cycles: 1,
            speculative: false,
            speculation: Speculation::After,
            ejection_credits: false,
            port_order: PortOrder::Compass,
            first_turn: FirstTurn::Link,
            vc_allocator: Allocator::Islip(1),
            switch_allocator: Allocator::Islip(1),
            matrix_first: MatrixFirst::Lowest,
        }
    }
}

impl WormholeParameters {
    /// The longest packet, in words: if a head waits for room for all of its packet, a buffer must be able to
    /// hold it.
    pub fn longest_packet_words(&self) -> u16 {
        match self.needs_room_for_packets() {
            true => self.buffer_words,
            false => u16::MAX,
        }
    }

    /// BookSim 2's input-queued router with all stages of one cycle, in its default configuration: a credit
    /// waits one cycle in the channel's register and one in the router, an injected word one cycle in the
    /// source's channel and one in its register.
    pub fn booksim_iq() -> WormholeParameters {
        WormholeParameters {
            credit_cycles: 2,
            injection_cycles: 2,
            speculation: Speculation::Together,
            ejection_credits: true,
            matrix_first: MatrixFirst::Highest,
            ..WormholeParameters::default()
        }
    }

    /// A router that takes one cycle for a word with nothing in its way.
    pub fn one_cycle() -> WormholeParameters {
        WormholeParameters {
            route_cycles: 0,
            vc_allocation_cycles: 0,
            switch_allocation_cycles: 0,
            traversal_cycles: 1,
            credit_cycles: 0,
            injection_cycles: 0,
            ..WormholeParameters::default()
        }
    }

    /// Checks the parameters against each other, for nodes of `ports` ports, the local one included.
    ///
    /// # Errors
    /// A [`WrongValue`] for the first one that is impossible.
    pub fn check(&self, ports: usize) -> Result<(), WrongValue> {
        let most_channels = (super::MAX_LANES / ports).min(crate::routing::MAX_CHANNELS.into());
        if self.vcs == 0 || usize::from(self.vcs) > most_channels {
            let allowed = format!("1 to {most_channels} with {ports} ports a node");
            return Err(WrongValue::new("vcs", self.vcs, allowed));
        }
        let (words, most) = (self.buffer_words.into(), MAX_BUFFER_WORDS.into());
        WrongValue::unless_within("buffer_words", words, (1, most))?;
        let stages = [
            ("route_cycles", self.route_cycles),
            ("vc_allocation_cycles", self.vc_allocation_cycles),
            ("switch_allocation_cycles", self.switch_allocation_cycles),
            ("traversal_cycles", self.traversal_cycles),
            ("credit_cycles", self.credit_cycles),
            ("injection_cycles", self.injection_cycles),
        ];
        for (key, cycles) in stages {
            WrongValue::unless_within(key, cycles.into(), (0, MAX_STAGE_CYCLES.into()))?;
        }
        if self.speculative && self.vc_allocation_cycles > self.switch_allocation_cycles {
            let most = self.switch_allocation_cycles;
            let allowed = format!(
                "0 to {most}, the switch_allocation_cycles, where heads bid for the switch at once"
            );
            let (key, found) = ("vc_allocation_cycles", self.vc_allocation_cycles);
            return Err(WrongValue::new(key, found, allowed));
        }
        Ok(())
    }

    /// Whether an allocator is made of matrix arbiters.
    pub(super) fn has_matrix(&self) -> bool {
        [self.vc_allocator, self.switch_allocator].contains(&Allocator::Matrix)
    }

    /// Whether any allocator goes by turns.
    pub(super) fn has_turns(&self) -> bool {
        [self.vc_allocator, self.switch_allocator] != [Allocator::Matrix; 2]
    }

    /// Words that fit into the buffers behind a link: that many may be sent before a credit comes back.
    pub fn credit_words(&self) -> u32 {
        u32::from(self.vcs) * u32::from(self.buffer_words)
    }

    /// Cycles from a bid for the switch until the word is on the link.
    pub fn crossing_cycles(&self) -> u32 {
        self.switch_allocation_cycles + self.traversal_cycles
    }

    /// Cycles from a word's arrival until it is on the next link, if nothing is in its head's way.
    pub fn hop_cycles(&self) -> u32 {
        let channel = match self.speculative {
            true => 0,
            false => self.vc_allocation_cycles,
        };
        self.route_cycles + channel + self.crossing_cycles()
    }

    /// Cycles from a word's bid for the switch until its credit can be used again, over links of
    /// `link_latency_cycles`: with a buffer of fewer words a lone worm can't use every cycle of a link.
    pub fn credit_round_trip_cycles(&self, link_latency_cycles: u32) -> u32 {
        self.crossing_cycles() + 2 * link_latency_cycles + self.credit_cycles
    }

    /// Whether a head needs room for its whole packet.
    pub fn needs_room_for_packets(&self) -> bool {
        self.switching != Switching::Wormhole
    }
}
