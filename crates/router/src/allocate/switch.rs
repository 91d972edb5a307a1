//! The allocator of a switch whose ports have several lanes: it selects, of the lanes that bid, those whose
//! words cross.
//!
//! ```text
//!   lanes that bid ──▶ did they all cross together before? ──▶ all cross
//!                          │ no
//!                          ▼
//!                    allocator: input ports with output ports ──▶ of each port that got one the lane in turn
//! ```
//!
//! It does with sets of lanes what an [`Allocator`] does with a matrix of requests; few lanes, and iSLIP at
//! few ports, take shortcuts that produce the same matches and the same memory.

use super::{Allocator, Matches, Memory, Requests, islip};
use crate::bits::Bits;
use crate::lanes::Lanes;
use std::hint::select_unpredictable;

/// Allocates the switch between the lanes of a node's ports.
#[derive(Clone, Debug)]
pub struct SwitchAllocator {
    /// Matches input ports with output ports.
    pub allocator: Allocator,
    /// The lanes of a node.
    pub lanes: Lanes,
}

/// What it remembers about a node with at most `N` lanes and `P` ports.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct SwitchMemory<B, const P: usize> {
    /// Independent input lanes that crossed last: if some of them cross again, the memory doesn't change.
    settled: B,
    /// The input lanes that send to each output port.
    connected: [B; P],
    /// The channel that has its turn at each input port.
    pub(super) turn: [u8; P],
    pub(super) ports: Memory<B, P>,
}

impl<B: Bits, const P: usize> Default for SwitchMemory<B, P> {
    fn default() -> SwitchMemory<B, P> {
        SwitchMemory {
            settled: B::NONE,
            connected: [B::NONE; P],
            turn: [0; P],
            ports: Memory::default(),
        }
    }
}

impl<B: Bits, const P: usize> SwitchMemory<B, P> {
    /// The memory of an allocator that begins with this memory of the ports.
    pub fn of_ports(ports: Memory<B, P>) -> SwitchMemory<B, P> {
        SwitchMemory {
            ports,
            ..SwitchMemory::default()
        }
    }

    /// From now on an input lane's words go to an output port.
    #[inline]
    pub fn connect(&mut self, lane: usize, output: usize) {
        self.settled.take(lane);
        self.connected[output].put(lane);
    }

    /// The lanes that cross if these bid, provided that all of them crossed together before and so cross
    /// again: the case in most cycles.
    #[inline]
    pub fn repeat(&self, bids: B) -> Option<B> {
        (bids & !self.settled).is_empty().then_some(bids)
    }

    /// From now on an input lane's words no longer go to an output port.
    #[inline]
    pub fn disconnect(&mut self, lane: usize, output: usize) {
        self.connected[output].take(lane);
    }
}

/// Lanes that bid for ports that they may not get.
pub struct Speculation<B, F> {
    /// The lanes that bid.
    pub bids: B,
    /// The output lanes for whose ports a lane bids.
    pub wanted: F,
    /// The bidding lanes that can go if they get a port; the others waste it.
    pub able: B,
    /// The lanes that already cross, and whose ports are taken; if all are allocated together, the other lanes that bid.
    pub taken: B,
    /// Whether these bids are allocated without regard to what is taken and who is able to go: a grant that can't be
    /// used is void.
    pub is_blind: bool,
}

impl SwitchAllocator {
    /// Selects, of the input lanes that bid, those that cross: at most one from each input port and one to
    /// each output port. `held` gives the output lanes that they hold; `born` returns when a lane's packet
    /// was made.
    ///
    /// If [`SwitchMemory::repeat`] returns lanes, this would return the same, and needn't be called.
    #[inline]
    pub fn allocate<B: Bits, const N: usize, const P: usize>(
        &self,
        memory: &mut SwitchMemory<B, P>,
        lanes: B,
        held: &[u8; N],
        born: impl Fn(usize) -> u64,
    ) -> B {
        let others = lanes & (lanes - B::from(1));
        let through = if self.allocator != Allocator::Islip(1) {
            if !self.are_apart(held, lanes) {
                memory.settled = B::NONE;
                return self.match_otherwise(memory, lanes, held, born);
            }
            lanes
        } else if others.is_empty() {
            lanes
        } else if (others & (others - B::from(1))).is_empty() {
            self.match_two(memory, held, (lanes.first(), others.first()))
        } else {
            let through = self.match_by_islip(memory, held, lanes);
            memory.settled = if through == lanes { lanes } else { B::NONE };
            return through;
        };
        for lane in through.numbers() {
            let (from, to) = (self.lanes.spot(lane), self.lanes.spot(held[lane].into()));
            let ports = (from.row.into(), to.row.into());
            let next = (from.next_row, to.next_row);
            memory.ports.note(ports, next);
            memory.turn[usize::from(from.row)] = from.next_channel;
        }
        memory.settled = if through == lanes { lanes } else { B::NONE };
        through
    }

    /// Whether no two of `lanes` share an input or an output port, and the allocator therefore lets all of
    /// them cross.
    #[inline]
    fn are_apart<B: Bits, const N: usize>(&self, held: &[u8; N], lanes: B) -> bool {
        let (mut rows, mut columns, mut shared) = (0, 0, 0);
        for lane in lanes.numbers() {
            let row = self.lanes.spot(lane).ports.0;
            let column = self.lanes.spot(held[lane].into()).ports.0;
            shared |= (rows & row) | (columns & column);
            rows |= row;
            columns |= column;
        }
        shared == 0 && self.allocator.settles_apart()
    }

    /// The lanes that cross by an allocator other than iSLIP with one iteration, if lanes share ports.
    #[inline(never)]
    fn match_otherwise<B: Bits, const N: usize, const P: usize>(
        &self,
        memory: &mut SwitchMemory<B, P>,
        lanes: B,
        held: &[u8; N],
        born: impl Fn(usize) -> u64,
    ) -> B {
        let mut through = B::NONE;
        let found = self.match_ports(memory, lanes, held, &born);
        for (input, output) in found.pairs() {
            through.put(self.choose_lane(&mut memory.turn, lanes, held, (input, output), &born));
        }
        through
    }

    /// Which of two lanes cross by iSLIP with one iteration; its memory isn't updated.
    #[inline]
    fn match_two<B: Bits, const N: usize, const P: usize>(
        &self,
        memory: &SwitchMemory<B, P>,
        held: &[u8; N],
        (one, other): (usize, usize),
    ) -> B {
        let lanes = &self.lanes;
        let ports = |lane: usize| (lanes.row_of(lane), lanes.row_of(held[lane].into()));
        let ((row, column), (other_row, other_column)) = (ports(one), ports(other));
        let (same_row, same_column) = (row == other_row, column == other_column);
        if !(same_row | same_column) {
            return B::only(one) | B::only(other);
        }
        // Which of the two has its turn is unpredictable, so there is no branch.
        let turn = row * lanes.channels + usize::from(memory.turn[row]);
        let of_three = |lanes, columns, rows| {
            let of_row = select_unpredictable(same_column, lanes, columns);
            select_unpredictable(same_row, of_row, rows)
        };
        let ports = &memory.ports;
        let (next_column, next_row) = (ports.of_row[row], ports.of_column[column]);
        let from = of_three(turn, next_column.into(), next_row.into());
        let first = of_three(one, column, row);
        let second = of_three(other, other_column, other_row);
        // Whether the first precedes the second from there on, wrapping around.
        let is_first = first.wrapping_sub(from) < second.wrapping_sub(from);
        B::only(select_unpredictable(is_first, one, other))
    }

    /// The lanes that cross by iSLIP with one iteration. Not inlined: the common cases of one or two lanes
    /// need fewer registers.
    #[inline(never)]
    fn match_by_islip<B: Bits, const N: usize, const P: usize>(
        &self,
        memory: &mut SwitchMemory<B, P>,
        held: &[u8; N],
        lanes: B,
    ) -> B {
        let SwitchMemory {
            connected,
            turn,
            ports,
            ..
        } = memory;
        let mut through = B::NONE;
        let mut matched = |input, output: usize| {
            let found = lanes & connected[output] & self.lanes.at_row(input);
            through.put(self.take_turn(turn, found, input));
        };
        if P <= islip::FEW {
            let granted = |column: usize, from: u8| {
                let asking = lanes & connected[column];
                let first = self.lanes.first_from_row(asking, from);
                (!asking.is_empty(), self.lanes.row_of(first))
            };
            islip::iterate_few(ports, self.lanes.ports, granted, matched);
            return through;
        }
        let (mut columns, mut asked) = ([B::NONE; P], B::NONE);
        for lane in lanes.numbers() {
            let output = self.lanes.row_of(held[lane].into());
            columns[output].put(self.lanes.row_of(lane));
            asked.put(output);
        }
        islip::iterate(ports, self.lanes.ports, (&columns, asked), &mut matched);
        through
    }

    /// The pairs of input and output ports between which a word may cross.
    #[inline]
    fn match_ports<B: Bits, const N: usize, const P: usize>(
        &self,
        memory: &mut SwitchMemory<B, P>,
        lanes: B,
        held: &[u8; N],
        born: impl Fn(usize) -> u64,
    ) -> Matches<B, P> {
        let mut requests: Requests<B, P> = Requests::none();
        for lane in lanes.numbers() {
            let output = self.lanes.row_of(held[lane].into());
            requests.ask(self.lanes.row_of(lane), output);
        }
        let oldest = |input, output| {
            let lanes = self.candidates(held, lanes, (input, output));
            oldest(lanes, &born)
        };
        let ports = self.lanes.ports;
        self.allocator
            .allocate(&mut memory.ports, ports, &requests, oldest)
    }

    /// Selects, of the lanes that bid speculatively, those that cross.
    #[inline(never)]
    pub fn speculate<B: Bits, const N: usize, const P: usize>(
        &self,
        memory: &mut SwitchMemory<B, P>,
        of_speculation: &mut Memory<B, P>,
        held: &[u8; N],
        speculation: &Speculation<B, impl Fn(usize) -> B>,
        born: impl Fn(usize) -> u64,
    ) -> B {
        let Speculation {
            bids,
            wanted,
            able,
            taken,
            is_blind,
        } = speculation;
        memory.settled = B::NONE;
        let mut requests: Requests<B, P> = Requests::none();
        self.ask_speculatively(&mut requests, *bids, wanted);
        let (mut rows, mut columns) = (B::NONE, B::NONE);
        for lane in taken.numbers() {
            rows.put(self.lanes.row_of(lane));
            columns.put(self.lanes.row_of(held[lane].into()));
        }
        if !is_blind {
            requests.without(rows, columns);
        }
        let bidders = |input, output| self.bidders(*bids, wanted, (input, output));
        let oldest = |input, output| oldest(bidders(input, output), &born);
        let ports = self.lanes.ports;
        let found = self
            .allocator
            .allocate(of_speculation, ports, &requests, oldest);
        let mut through = B::NONE;
        for ports in found.pairs() {
            let lanes = self.candidates(held, *able, ports);
            if *is_blind {
                let is_void = rows.has(ports.0) || columns.has(ports.1);
                if !is_void {
                    let lane = self.take_turn(&mut memory.turn, bidders(ports.0, ports.1), ports.0);
                    through |= B::only(lane) & lanes;
                }
            } else if !lanes.is_empty() {
                through.put(self.choose_lane(&mut memory.turn, lanes, held, ports, &born));
            }
        }
        through
    }

    /// Selects the lanes that cross if speculative bids are allocated together with those of the lanes that are `taken`,
    /// which go first only among the lanes from an input port to an output port.
    #[inline(never)]
    pub fn allocate_all<B: Bits, const N: usize, const P: usize>(
        &self,
        memory: &mut SwitchMemory<B, P>,
        held: &[u8; N],
        speculation: &Speculation<B, impl Fn(usize) -> B>,
        born: impl Fn(usize) -> u64,
    ) -> B {
        let Speculation {
            bids,
            wanted,
            able,
            taken: others,
            ..
        } = speculation;
        memory.settled = B::NONE;
        let mut requests: Requests<B, P> = Requests::none();
        for lane in others.numbers() {
            let output = self.lanes.row_of(held[lane].into());
            requests.ask(self.lanes.row_of(lane), output);
        }
        self.ask_speculatively(&mut requests, *bids, wanted);
        let contenders = |input, output| {
            let sure = self.candidates(held, *others, (input, output));
            match sure.is_empty() {
                true => self.bidders(*bids, wanted, (input, output)),
                false => sure,
            }
        };
        let of_ports = |input, output| oldest(contenders(input, output), &born);
        let (allocator, ports) = (self.allocator, self.lanes.ports);
        let found = allocator.allocate(&mut memory.ports, ports, &requests, of_ports);
        let mut through = B::NONE;
        for (input, output) in found.pairs() {
            let lanes = contenders(input, output);
            let lane = match self.allocator.goes_by_age() {
                true => lanes.numbers().min_by_key(|lane| born(*lane)),
                false => Some(self.take_turn(&mut memory.turn, lanes, input)),
            };
            let goes = self.candidates(held, *others | *able, (input, output));
            through |= lane.map_or(B::NONE, B::only) & goes;
        }
        through
    }

    /// Requests what each of some lanes bids for speculatively.
    #[inline]
    fn ask_speculatively<B: Bits, const P: usize>(
        &self,
        requests: &mut Requests<B, P>,
        bids: B,
        wanted: &impl Fn(usize) -> B,
    ) {
        for lane in bids.numbers() {
            for output in wanted(lane).numbers() {
                requests.ask(self.lanes.row_of(lane), self.lanes.row_of(output));
            }
        }
    }

    /// Those of some lanes that bid speculatively from an input port for an output port.
    fn bidders<B: Bits>(
        &self,
        bids: B,
        wanted: &impl Fn(usize) -> B,
        (input, output): (usize, usize),
    ) -> B {
        let mut lanes = bids & self.lanes.at_row(input);
        for lane in lanes.numbers() {
            if (wanted(lane) & self.lanes.at_row(output)).is_empty() {
                lanes.take(lane);
            }
        }
        lanes
    }

    /// Those of `lanes` that lead from an input port to an output port.
    #[inline]
    fn candidates<B: Bits, const N: usize>(
        &self,
        held: &[u8; N],
        lanes: B,
        (input, output): (usize, usize),
    ) -> B {
        let mut found = lanes & self.lanes.at_row(input);
        for lane in found.numbers() {
            let port = self.lanes.row_of(held[lane].into());
            if port != output {
                found.take(lane);
            }
        }
        found
    }

    /// The next in turn, or the oldest, of the lanes from an input port to an output port.
    #[inline]
    fn choose_lane<B: Bits, const N: usize, const P: usize>(
        &self,
        turn: &mut [u8; P],
        lanes: B,
        held: &[u8; N],
        (input, output): (usize, usize),
        born: impl Fn(usize) -> u64,
    ) -> usize {
        if self.allocator.goes_by_age() {
            let found = self.candidates(held, lanes, (input, output));
            let oldest = found.numbers().min_by_key(|lane| born(*lane));
            return oldest.expect("ports are matched only if a lane bids for them");
        }
        let mut found = lanes & self.lanes.at_row(input);
        if found.count() > 1 {
            found = self.candidates(held, found, (input, output));
        }
        self.take_turn(turn, found, input)
    }

    /// The next in turn of some lanes of an input port; the one behind it has the following turn.
    #[inline]
    fn take_turn<B: Bits, const P: usize>(
        &self,
        turn: &mut [u8; P],
        lanes: B,
        input: usize,
    ) -> usize {
        let first = input * self.lanes.channels;
        let lane = lanes.first_from(first + usize::from(turn[input]));
        turn[input] = self.lanes.spot(lane).next_channel;
        lane
    }
}

/// When the oldest of these lanes' packets was made.
fn oldest<B: Bits>(lanes: B, born: impl Fn(usize) -> u64) -> u64 {
    lanes.numbers().map(born).min().unwrap_or(u64::MAX)
}
